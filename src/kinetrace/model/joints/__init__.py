"""Joints: one class each.

A joint has three functions of its own variables, in its own frame, and algorithms use nothing else:

    placement(q)   (4, 4)   pose of the moved frame in the joint's frame
    subspace(q)    (6, nv)  S: columns span the twists V = S v that the joint allows, in the moved frame
    subspace_rate  (6, nv)  Sdot, at the velocity v; with it, bias(q, v) = Sdot v is the acceleration left when vdot = 0

and `bias_gradient`, the derivative of the bias along q ⊕ ε. A joint of one's own needs `placement`: the others follow
by dual numbers, exactly (`dual.py`). Since its variables may be on a manifold, there are more functions of them:
`neutral`, `integrate` (q ⊕ v), `difference` (the v with q0 ⊕ v = q1), `normalise`; `tangent` (the derivative of q ⊕ ε)
and `bracket` (the commutator of two small motions). They follow from `manifold`, which says of what other joints'
variables q is made. Variables may be of any scalar type. What a user's class has is compared with what follows
(`checks.py`).
"""

from typing import TYPE_CHECKING

from ...support.public_names import listing as _listing
from ...support.public_names import missing as _missing
from .base import Joint, Snap
from .multi_dof import Cylindrical, Free, Planar, Spherical, Universal
from .one_dof import Continuous, Fixed, Helical, Prismatic, Revolute, Screw

__all__ = [
    "Continuous",
    "Cylindrical",
    "Fixed",
    "Free",
    "Helical",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Snap",
    "Spherical",
    "Universal",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.joints")
__dir__ = _listing(__name__)
