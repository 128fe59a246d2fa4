"""Robots and kernels under JAX: jit, vmap, grad, scan, by XLA's foreign functions."""
