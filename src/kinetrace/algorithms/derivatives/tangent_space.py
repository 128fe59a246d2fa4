"""Changes of configurations in the directions of velocities."""

from __future__ import annotations

from ...arrays import Array
from ...linalg.sparse import product
from ...model.model import Model


def in_tangent(model: Model, q: Array, D: Array) -> Array:
    """Changes (nv, k) along q ⊕ ε, of changes D (nq, k) of q itself.

    The columns of the tangent are orthogonal, and have the same lengths everywhere.
    """
    lengths = (model.tangent(model.neutral()) ** 2).sum(axis=0)
    return product((model.tangent(q) / lengths).T, D)
