"""Pictures of robots: drawings, and pages with the programs that they run."""
