"""What robots look like: drawings, and pages with the programs that they run."""
