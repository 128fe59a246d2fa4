"""The geometry of configuration space with the mass matrix as its metric: curvature and geodesics of batches."""

from .curvature import is_flat, ricci, riemann, scalar_curvature
from .geodesic import Geodesic, geodesic, geodesic_between

__all__ = [
    "Geodesic",
    "geodesic",
    "geodesic_between",
    "is_flat",
    "ricci",
    "riemann",
    "scalar_curvature",
]
