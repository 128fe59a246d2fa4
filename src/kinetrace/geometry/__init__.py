"""The geometry of configuration space with the mass matrix as its metric: curvature and geodesics of batches."""

from .curvature import check_traced, is_flat, ricci, riemann, scalar_curvature
from .geodesic import Geodesic, geodesic, geodesic_between

__all__ = [
    "Geodesic",
    "check_traced",
    "geodesic",
    "geodesic_between",
    "is_flat",
    "ricci",
    "riemann",
    "scalar_curvature",
]
