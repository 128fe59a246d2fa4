"""Our loops as Pinocchio's constraints, which are balls and welds."""

from __future__ import annotations

from typing import Any

from ...model import Closure, Model
from ...model.constraints import Contact, Point, Rigid
from . import Unsupported


def constraints(pin: Any, made: Any, model: Model, at: dict[int, tuple[int, Any]]) -> Any:
    """Its constraint models of our closures."""
    found = pin.StdVec_RigidConstraintModel()
    for closure in model.closures:
        sides = [(at[f.body][0], pin.SE3(at[f.body][1] @ f.X_bf)) for f in closure.frames]
        (a, X_a), (b, X_b) = sides
        found.append(pin.RigidConstraintModel(_type(pin, closure), made, b, X_b, a, X_a, pin.ReferenceFrame.LOCAL))
    return found


def _type(pin: Any, closure: Closure) -> Any:
    constraint = closure.constraint.inner if isinstance(closure.constraint, Contact) else closure.constraint
    if closure.terms or constraint not in (Point(), Rigid()):
        raise Unsupported("loops that are closed by other than balls and welds")
    return pin.ContactType.CONTACT_3D if constraint == Point() else pin.ContactType.CONTACT_6D
