"""What all frameworks of arrays need: kernels with those of their derivatives, methods of robots on any arrays."""
