"""Targets: machine code by LLVM, and texts in C, CUDA and JavaScript."""
