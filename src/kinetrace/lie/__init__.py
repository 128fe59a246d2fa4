"""Rotations, rigid motions, twists, wrenches and inertias: the algebra that every algorithm is written in."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from . import adjoint, inertia, se3, so3
from .adjoint import Ad, Ad_dual, Ad_inv, Ad_inv_dual, Ad_matrix, ad, ad_dual, ad_matrix
from .pose import Pose

__all__ = [
    "Ad",
    "Ad_dual",
    "Ad_inv",
    "Ad_inv_dual",
    "Ad_matrix",
    "Pose",
    "ad",
    "ad_dual",
    "ad_matrix",
    "adjoint",
    "inertia",
    "se3",
    "so3",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.lie")
__dir__ = _listing(__name__)
