"""Contact: where shapes touch."""
