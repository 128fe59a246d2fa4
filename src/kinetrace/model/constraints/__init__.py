"""Constraints on the motion of a frame B relative to a frame A, which close loops.

A constraint has methods like those of a joint, for the directions that a joint does not have, of the pose X = X_AB and
the twist V of B relative to A, in B:

    residual(X)         (m,)     zero where it holds; its rate is N V there
    rows(X)             (m, 6)   N: N V = 0 for the twists that it allows; it transmits the wrenches Nᵀ λ, on B, in B
    rows_rate(X, V)     (m, 6)   Ṅ; with it, bias(X, V) = Ṅ V is the acceleration left when N V̇ = 0
    bias_gradient       (m, 6)   how that changes along X ⊕ ε
    ends(X)             (2, 3)   the points of A and B that it holds together, in A

A constraint of one's own needs `residual`, and `rows` if some rows constrain velocities alone: all else follows by dual
numbers, exactly (`model/dual.py`), and what it has is compared with that (`checks.py`). Algorithms use nothing else,
and pictures `ends` alone. For a hinge, a slider, a screw or a weld N is constant in B.
"""

from .base import Combined, Constraint, Shifted, Together
from .constant import Attitude, Helix, Nothing, OnAxis, OnPlane, Parallel, Point, Rows
from .contacts import Contact, FrictionlessPoint, HardFinger, Rigid, SoftFinger
from .moving import Angle, Rod, Rolling, Spin, Surface

__all__ = [
    "Angle",
    "Attitude",
    "Combined",
    "Constraint",
    "Contact",
    "FrictionlessPoint",
    "HardFinger",
    "Helix",
    "Nothing",
    "OnAxis",
    "OnPlane",
    "Parallel",
    "Point",
    "Rigid",
    "Rod",
    "Rolling",
    "Rows",
    "Shifted",
    "SoftFinger",
    "Spin",
    "Surface",
    "Together",
]
