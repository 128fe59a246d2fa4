"""What is kept: files on disk, which nobody trusts, and robots that arrived by pickle."""
