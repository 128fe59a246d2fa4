"""Passive effects: rotors, damping, friction, springs and stops of joints; gravity compensation and fluid on links."""
