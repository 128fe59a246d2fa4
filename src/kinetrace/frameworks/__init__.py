"""Common base of frameworks of arrays: kernels with those of their derivatives, methods of robots on any arrays."""
