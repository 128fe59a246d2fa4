"""What all parts use and what knows nothing of robots: plain arguments, frozen objects, attributes computed once."""
