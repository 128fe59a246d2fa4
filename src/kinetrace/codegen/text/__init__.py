"""Programs as sources for other compilers: C and CUDA."""
