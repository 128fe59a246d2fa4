"""Robots and kernels under JAX: jit, vmap, grad, scan, by XLA's foreign functions."""

from ..support.optional import needed

needed("jax", "kinetrace.jax", "jax")

from .calls import Function, Robot, function  # noqa: E402  says first that JAX is missing

__all__ = ["Function", "Robot", "function"]
