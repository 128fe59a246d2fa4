"""Joints: one class each.

Algorithms know joints by their functions alone. Those of the motion of the frame, in the joint's own frames:

    placement(q)   (4, 4)   pose of the moved frame in the joint's frame
    subspace(q)    (6, nv)  S: columns span the twists V = S v that the joint allows, in the moved frame
    subspace_rate  (6, nv)  Sdot, at the velocity v
    bias           (6,)     Sdot v, the acceleration left when vdot = 0
    bias_gradient  (6, nv)  the derivative of the bias along q ⊕ ε

A joint of one's own needs `placement`: the others follow by dual numbers, exactly (`model/dual.py`). Variables may be
on a manifold, which has functions of its own:

    neutral, integrate, difference, normalise   the zero, q ⊕ v, the v with q0 ⊕ v = q1, the nearest configuration
    tangent, bracket, coadjoint                 the derivative of q ⊕ ε, the commutator of two small motions, its dual
    dexp, dexp_inv and their duals              the velocity of q ⊕ θ by the rate of θ, and back
    difference_gradient                         the derivative of the difference
    axis_rate, advance, turn_axes               steps in axes that do not turn with the body

They follow from `manifold`, which says of what other joints' variables q is made; of coordinates they are sums.
`random` and `travel` sample and bound the reach, `closing` is the constraint of a closure with such a joint. Variables
may be of any scalar type. What a user's class has is compared with what follows (`checks.py`, `form_checks.py`).
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
