"""What all parts lean on and knows nothing of robots: plain arguments, frozen objects, attributes computed once."""
