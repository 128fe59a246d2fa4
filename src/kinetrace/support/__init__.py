"""What all parts use and what knows nothing of robots: plain arguments, signatures, frozen objects, lazy attributes."""
