"""Pages that show a robot, and the programs that they run."""
