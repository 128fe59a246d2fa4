"""Summary of a robot, as text and as data: `Robot.info` and the command `kinetrace info`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.closed.assembly import FloatClosures
from ..algorithms.closed.mobility import mobility
from ..lie import inertia
from ..model import WORLD, Actuator, Body, Closure, LinkEffects, Model
from ..model.configurations import q_units
from ..model.constraints import Combined, Constraint, Contact, Shifted, Together
from ..model.contact.summary import shape_records
from ..model.effects.joint_effects import EFFECT_LAWS, JointEffects
from ..model.parameters import JOINT_EFFECT_NAMES
from ..model.record import leaves

if TYPE_CHECKING:
    from rich.console import Console

Record = dict[str, Any]
WIDTH = 100
"""Characters in a line of the text."""

CLOSURE_KINDS = {
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


class Info(Mapping[str, Any]):
    """Description of a robot: its text is for people, its entries, of types that JSON knows, for programs.

    Lengths are in m, angles in rad, masses in kg; what is infinite or absent is None.

    >>> import kinetrace as kt
    >>> found = kt.load("planar2r").info()
    >>> print(str(found).splitlines()[2])
      2 moving bodies, 2 kg moving; 4 frames
    >>> found["joints"][0]["name"], found.data["nv"]
    ('joint1', 2)
    """

    def __init__(self, model: Model) -> None:
        self.data: Record = {**_tree(model), **_closure_records(model), **shape_records(model)}
        """All that there is, as dicts, lists, numbers and texts."""

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __str__(self) -> str:
        from ..support.tables import console

        file = StringIO()
        plain = {"color_system": None, "force_terminal": False, "force_jupyter": False, "legacy_windows": False}
        self.print(console(file=file, width=WIDTH, **plain))
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())

    __repr__ = __str__

    def print(self, out: Console) -> None:
        """Print the text on a console of rich."""
        from .info_text import print_robot

        print_robot(self.data, out)


def _tree(model: Model) -> Record:
    """Joints, bodies and frames, of types that JSON knows; None for what is infinite or absent."""
    names = {WORLD: "world" if model.root is None or model.root.body != WORLD else model.root.name}
    names |= {body.index: body.name for body in model.bodies}
    bodies = [_body(body) for body in model.bodies]
    return {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "moving_mass": sum(body["mass"] for body in bodies),
        "gravity": model.gravity.tolist(),
        "fluid": model.fluid
        and {"density": model.fluid.density, "viscosity": model.fluid.viscosity, "wind": model.fluid.wind.tolist()},
        "link_effects": [_link(x) for body in model.bodies for x in body.link_effects or ()],
        "root": names[WORLD],
        "joints": [_joint(body, model, names) for body in model.bodies],
        "bodies": bodies,
        "actuators": [_actuator(x) for x in model.actuators],
        "keyframes": [x.name for x in model.keyframes],
        "frames": [
            {"name": f.name, "body": None if f.body == WORLD else f.body, "pose": f.X_bf.tolist()}
            for f in model.frames.values()
        ],
    }


def _actuator(x: Actuator) -> Record:
    ranges = {name: _finite(getattr(x, name)) for name in ("control_range", "force_range", "activation_range")}
    return {
        "name": x.name,
        "gears": [{"joint": gear.joint, "ratio": gear.ratio.tolist(), "axes": gear.axes} for gear in x.gears],
        "gain": x.gain.tolist(),
        "bias": x.bias.tolist(),
        **ranges,
        "dynamics": x.dynamics,
        "time_constant": x.time_constant,
        "acts_early": x.acts_early,
        "delay": x.delay,
        "interpolation": x.interpolation,
    }


def _link(x: LinkEffects) -> Record:
    return {
        "link": x.link,
        "mass": x.mass,
        "gravity_compensation": x.gravity_compensation,
        "box": x.box.tolist(),
        "pose": x.placement.tolist(),
    }


def _joint(body: Body, model: Model, names: dict[int, str]) -> Record:
    q, v = (None, None) if body.mimic else model.joint_slices(body.joint_name)
    limits = body.limits
    return {
        "index": body.index,
        "name": body.joint_name,
        "type": type(body.joint).__name__.lower(),
        "axes": [x.tolist() for x in leaves(body.joint) if isinstance(x, np.ndarray) and x.dtype.kind in "biuf"],
        "parent": names[body.parent],
        "child": body.name,
        "q": q and [q.start, q.stop],
        "v": v and [v.start, v.stop],
        "units": q_units(body.joint),
        "lower": _finite(limits.lower),
        "upper": _finite(limits.upper),
        "velocity": _finite(limits.velocity),
        "effort": _finite(limits.effort),
        "effects": body.effects and _effects(body.effects),
        "mimic": body.mimic
        and {
            "joint": model.bodies[body.mimic.source].joint_name,
            **dict(zip(("ratio", "offset"), body.mimic.numbers, strict=True)),
        },
    }


def _effects(effects: JointEffects) -> Record:
    numbers = {name: getattr(effects, name).tolist() for name in JOINT_EFFECT_NAMES}
    return numbers | {name: getattr(effects, name) for name in EFFECT_LAWS}


def _body(body: Body) -> Record:
    m, c, I_c = inertia.to_mass_com(body.J)
    return {
        "index": body.index,
        "name": body.name,
        "parent": None if body.parent == WORLD else body.parent,
        "mass": float(m),
        "center_of_mass": c.tolist(),
        "principal_moments": np.linalg.eigvalsh(I_c).tolist(),
    }


def _finite(x: Any) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in x.tolist()]


def _closure_records(model: Model) -> Record:
    """Closures, and what they leave free, of types that JSON knows."""
    redundant = mobility(FloatClosures(model)).redundant
    return {
        "dof": model.dof,
        "independent": _velocities(model, model.independent),
        "motors": list(model.motor_names),
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
    """Name of a constraint.

    >>> import kinetrace as kt
    >>> kind(kt.joints.Revolute([0, 0, 1]).closing()), kind(kt.closures.Rod(1.0)), kind(kt.closures.HardFinger())
    ('revolute', 'rod', 'hard finger')
    """
    names = _parts(constraint)
    return CLOSURE_KINDS.get(names, ", ".join(names).lower())


def _parts(constraint: Constraint) -> tuple[str, ...]:
    """The names of its parts; where it is shifted to, and which of its rows follow from others, does not matter."""
    if isinstance(constraint, Shifted | Combined):
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
