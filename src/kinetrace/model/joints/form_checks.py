"""What each method of a joint class must be by itself: its shapes, where it is finite, and code that can be traced.

Looked at before methods are compared with each other; see `checks`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Array, objects
from ...errors import ModelError, value_text
from ..constraints import Constraint
from ..constraints.checks import ARRAY_CODE, form_fault, own_parts
from ..dual import Dual, Symbol
from .base import Joint
from .displacement_checks import EXACT
from .multi_dof import Free, Spherical

FINITE_SAMPLES = 16
"""Configurations within limits at which a joint must have a finite placement, besides the neutral one."""
ARGUMENTS = {
    **dict.fromkeys(("placement", "subspace", "tangent", "normalise"), "q"),
    **dict.fromkeys(("subspace_rate", "bias", "bias_gradient", "integrate", "advance"), "qv"),
    **dict.fromkeys(("difference", "difference_gradient"), "qq"),
    **dict.fromkeys(("bracket", "coadjoint", "dexp", "dexp_inv", "dexp_dual", "dexp_inv_dual", "turn_axes"), "vv"),
    "axis_rate": "v",
}
"""Method → what its arguments are."""


def random_fault(joint: Joint, rng: np.random.Generator, limits: tuple[Array, Array]) -> str | None:
    """What is wrong with random configurations: their shapes, or that they are beyond limits."""
    try:
        q = np.asarray(joint.random(rng, limits, (2,)), dtype=float)
        one = np.asarray(joint.random(rng, limits), dtype=float)
    except Exception as error:  # whatever the user's code raises
        return f"random(rng, limits, shape) raises {type(error).__name__}: {error}"
    if (q.shape, one.shape) != ((2, joint.nq), (joint.nq,)):
        shapes = f"{(2, joint.nq)} for shape=(2,) and {(joint.nq,)} for (), as nq = {joint.nq}"
        return f"random(rng, limits, shape) must have shapes {shapes}, got {q.shape} and {one.shape}"
    if joint.has_coordinates and not ((q >= limits[0] - EXACT) & (q <= limits[1] + EXACT)).all():
        return f"random(rng, limits, shape) must be within limits, got {q.round(3).tolist()}"
    return None


def method_fault(joint: Joint, q: Array) -> tuple[str | None, str | None]:
    """Of the methods that say how the joint moves; and which of them is not finite there."""
    shapes = {"placement": (4, 4), "tangent": (joint.nq, joint.nv), "subspace": (6, joint.nv)}
    for name, shape in shapes.items():
        try:
            found = np.asarray(getattr(joint, name)(q), dtype=float)
        except Exception as error:  # whatever the user's code raises
            derived = name == "subspace" and type(joint).subspace is Joint.subspace  # by placement of dual numbers
            fault = scalar_fault(joint, q) if derived else None
            return fault or f"{name}(q) raises {type(error).__name__}: {error}", None
        if found.shape != shape:
            said = f"{name}(q) must have shape {shape}, as nq = {joint.nq}, nv = {joint.nv}, got {found.shape}"
            return f"{said}{_WITHOUT_TANGENT if name == 'tangent' and joint.nq != joint.nv else ''}", None
        if not np.isfinite(found).all():
            derived = name == "subspace" and type(joint).subspace is Joint.subspace
            return None, "placement(q) has no finite derivative" if derived else f"{name}(q) is not finite"
    return None, None


def scalar_fault(joint: Joint, q: Array) -> str | None:
    """Of the methods that take other scalars than floats, such as the symbols that functions are compiled from."""
    for name in ("placement", "subspace"):
        try:
            getattr(joint, name)(objects([Dual(float(x), 1.0) for x in q], (joint.nq,)))
        except Exception as error:  # whatever the user's code raises
            return f"{name}(q) raises {type(error).__name__}: {error}, where entries of q are no floats; {ARRAY_CODE}"
    return None


_WITHOUT_TANGENT = "; where nq != nv, say what q is, as by manifold = (kt.joints.Spherical(),) for a unit quaternion"


def unfinished_fault(joint: Joint, limits: tuple[Array, Array]) -> str | None:
    """Of configurations within limits at which the joint has no place or no twists, the neutral one among them."""
    rng = np.random.default_rng(1)
    try:
        neutral = np.asarray(joint.neutral(), dtype=float)
    except Exception as error:  # whatever the user's code raises
        return f"neutral() raises {type(error).__name__}: {error}"
    tried = [np.asarray(joint.random(rng, limits), dtype=float) for _ in range(FINITE_SAMPLES)]
    if neutral.shape == (joint.nq,) and np.isfinite(neutral).all():
        beyond = joint.has_coordinates and bool(((neutral < limits[0]) | (neutral > limits[1])).any())
        tried = tried if beyond else [neutral, *tried]
    for q in tried:
        fault, gap = method_fault(joint, q)
        if fault is not None or gap is not None:
            return fault or f"{gap} at q = {(q.round(3) + 0.0).tolist()}: give limits= within which it is"
    return None


def symbol_fault(joint: Joint) -> str | None:
    """Of code that reads values, as a branch does: the placement's, and that of all methods of the class itself."""
    sizes = {"q": joint.nq, "v": joint.nv}
    for name, arguments in ARGUMENTS.items():
        if name == "placement" or getattr(type(joint), name) is not getattr(Joint, name):
            given = (objects([Symbol() for _ in range(sizes[x])], (sizes[x],)) for x in arguments)
            try:
                getattr(joint, name)(*given)
            except Exception as error:  # whatever the user's code raises
                said = f"{name}({', '.join(arguments)}) raises {type(error).__name__}: {error}"
                return f"{said}; {ARRAY_CODE}"
    return None


def closing_fault(joint: Joint, q: Array) -> str | None:
    """Of the constraint of a joint that closes loops."""
    try:
        constraint: Any = joint.closing()
    except ModelError:  # it closes no loop
        return None
    except Exception as error:  # whatever the user's code raises
        return f"closing() raises {type(error).__name__}: {error}"
    if not isinstance(constraint, Constraint):
        return f"closing() must return a constraint of kt.closures, got {value_text(constraint)}"
    X = np.asarray(joint.placement(q), dtype=float)
    faults = (form_fault(own, X) for own in own_parts(constraint))
    return next((f"closing().{fault}" for fault in faults if fault is not None), None)


def coordinates_note(joint: Joint) -> str:
    """Which variables a manifold has, in their order; empty without one."""
    told = []
    for part, at, _ in joint._parts:
        words = {Free: "position x, y, z and quaternion w, x, y, z", Spherical: "quaternion w, x, y, z"}
        told.append(f"q[{at.start}:{at.stop}] are {words.get(type(part), type(part).__name__.lower())}")
    return f". By its manifold, {', '.join(told)}" if told else ""
