"""What `kinetrace info` says of closed loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import Robot
from ..model import Closure, Model
from ..model.constraints import Constraint, Contact, Shifted, Together
from .shared import plural

if TYPE_CHECKING:
    from rich.console import Console

Record = dict[str, Any]

KINDS = {
    ("Attitude", "Point"): "fixed",
    ("Parallel", "OnAxis", "OnPlane"): "revolute",
    ("Attitude", "OnAxis"): "prismatic",
    ("Parallel", "OnAxis", "Helix"): "helical",
    ("Parallel", "OnAxis"): "cylindrical",
    ("Parallel", "OnPlane"): "planar",
    ("Point", "Angle"): "universal",
    ("Point",): "spherical",
    ("Contact", "Surface"): "frictionless point",
    ("Contact", "Point"): "hard finger",
    ("Contact", "Point", "Spin"): "soft finger",
}
"""Parts of a constraint → the joint or contact that they are; others go by their own name."""


def describe(robot: Robot) -> Record:
    """Closures, and what they leave free, of types that JSON knows."""
    model, redundant = robot.model, robot.mobility().redundant
    return {
        "dof": robot.dof,
        "independent": _velocities(model, robot.independent),
        "motors": list(robot.motor_names),
        "closures": [_closure(model, closure, redundant.get(closure.name, 0)) for closure in model.closures],
    }


def _closure(model: Model, closure: Closure, redundant: int) -> Record:
    coupled = bool(closure.terms)
    return {
        "name": closure.name,
        "kind": "coupling" if coupled else kind(closure.constraint),
        "frames": None if coupled else [frame.name for frame in closure.frames],
        "joints": {model.bodies[term.body].joint_name: term.factors.tolist()[0] for term in closure.terms} or None,
        "rows": closure.size,
        "holds_position": [True] * closure.size if coupled else list(closure.constraint.holonomic),
        "transmits": ["forces of the joints"] if coupled else list(closure.constraint.transmits),
        "redundant": redundant,
    }


def kind(constraint: Constraint) -> str:
    """What a constraint is called.

    >>> import kinetrace as kt
    >>> kind(kt.joints.Revolute([0, 0, 1]).closing()), kind(kt.closures.Rod(1.0)), kind(kt.closures.HardFinger())
    ('revolute', 'rod', 'hard finger')
    """
    names = _parts(constraint)
    return KINDS.get(names, ", ".join(names).lower())


def _parts(constraint: Constraint) -> tuple[str, ...]:
    """The names of its parts; where it is shifted to does not matter."""
    if isinstance(constraint, Shifted):
        return _parts(constraint.inner)
    if isinstance(constraint, Contact):
        return ("Contact", *_parts(constraint.inner))
    if isinstance(constraint, Together):
        return tuple(name for part in constraint.parts for name in _parts(part))
    return (type(constraint).__name__,)


def _velocities(model: Model, places: tuple[int, ...]) -> list[str]:
    """Velocities by their joints; those of a joint that has others too, by their places in it."""
    found = []
    for name in model.joint_names:
        at = range(model.nv)[model.joint_slices(name)[1]]
        chosen = [i for i, k in enumerate(at) if k in places]
        found += [name] * bool(chosen) if len(chosen) == len(at) else [f"{name}[{i}]" for i in chosen]
    return found


def print_closures(robot: Record, out: Console) -> None:
    """Closures, one after the other, and what is independent."""
    out.print()
    out.print("Closures", style="bold")
    for closure in robot["closures"]:
        rows = plural(closure["rows"], "row", "rows")
        rows += f", of which {closure['redundant']} follow from others" if closure["redundant"] else ""
        out.print(f"{closure['name']}: {closure['kind']}, {rows}")
        out.print(f"  between {' and '.join(closure['frames'] or closure['joints'])}")
        out.print(f"  transmits {_together(closure['transmits'])}", style="dim")
    out.print()
    out.print(f"independent velocities: {', '.join(robot['independent']) or 'none'}")
    out.print(f"motors: {', '.join(robot['motors']) or 'none'}")


def _together(transmits: list[str]) -> str:
    """What rows transmit, those of a kind together: "force along x, y"."""
    found: dict[str, list[str]] = {}
    for text in transmits:
        what, along, direction = text.partition(" along ")
        found.setdefault(what + along, []).append(direction)
    return "; ".join(what + ", ".join(filter(None, directions)) for what, directions in found.items())
