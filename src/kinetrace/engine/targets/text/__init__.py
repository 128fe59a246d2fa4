"""Programs as sources for other compilers: C, CUDA and JavaScript."""
