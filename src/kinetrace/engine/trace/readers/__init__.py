"""Programs as text, and whether they are well formed."""
