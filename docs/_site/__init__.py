"""What the documentation site needs besides Sphinx."""
