"""The geometry of configuration space with the mass matrix as its metric: curvature and geodesics of batches."""

from .metric import Geodesic, geodesic, geodesic_between, is_flat, ricci, riemann, scalar_curvature

__all__ = [
    "Geodesic",
    "geodesic",
    "geodesic_between",
    "is_flat",
    "ricci",
    "riemann",
    "scalar_curvature",
]
