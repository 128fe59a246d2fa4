"""What is kept: files on disk, which are checked before use, and robots that arrived by pickle."""
