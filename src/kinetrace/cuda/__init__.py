"""Kernels on a GPU: the generated CUDA source, loaded where there is one."""
