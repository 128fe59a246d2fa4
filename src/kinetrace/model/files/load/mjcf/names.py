"""Names of what is in a model of MuJoCo, and of what is not used of it.

MJCF needs no names, and bodies and sites may share them: here each has one. What kinetrace does not use is said once
per kind, with the names of the first few. What cannot change the motion and is of no interest to dynamics is not said:
lights, cameras, textures, sensors, tuples, custom data, sizes of the solver.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .....errors import value_text
from ....build.builder import Builder
from ....build.connections import ROOT_JOINT

FREE, BALL, SLIDE, HINGE = range(4)
"""Kinds of joints, as MuJoCo counts them."""
WORLD = "world"
_NAMELESS = "MuJoCo Model"
"""MuJoCo's name of a model without one."""


@dataclass(frozen=True)
class MjcfNames:
    """One name for each body, joint, site, and link between joints of the same body."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    sites: tuple[str, ...]
    between: dict[int, str]
    """Joint that is not the last of its body → the massless link that it moves."""


def names_of(model: Any) -> MjcfNames:
    """The names of a model: its own where it has them, others made of those of bodies."""
    bodies = _with_missing_names(
        given_names(model, "body", model.nbody), [WORLD, *(f"body{i}" for i in range(1, model.nbody))]
    )
    own, made = given_names(model, "jnt", model.njnt), []
    nameless_free = [j for j in range(model.njnt) if model.jnt_type[j] == FREE and not own[j]]
    for j in range(model.njnt):
        body = int(model.jnt_bodyid[j])
        several = f"{j - int(model.body_jntadr[body]) + 1}" if model.body_jntnum[body] > 1 else ""
        only_free = model.jnt_type[j] == FREE and len(nameless_free) == 1
        made.append(ROOT_JOINT if only_free else f"{bodies[body]}_joint{several}")
    joints = _with_missing_names(own, made)
    between = [j for j in range(model.njnt) if not is_last(model, j)]
    links = _others([f"{bodies[int(model.jnt_bodyid[j])]}:{joints[j]}" for j in between], bodies)
    sites = _with_missing_names(given_names(model, "site", model.nsite), [f"site{i}" for i in range(model.nsite)])
    sites = _others([f"{name}_site" if name in bodies else name for name in sites], [*bodies, *links])
    return MjcfNames(bodies, joints, sites, dict(zip(between, links, strict=True)))


def is_last(model: Any, joint: int) -> bool:
    """Whether a joint is the last of its body: the one that moves the body itself."""
    body = int(model.jnt_bodyid[joint])
    return bool(joint == model.body_jntadr[body] + model.body_jntnum[body] - 1)


def given_names(model: Any, kind: str, count: int) -> list[str]:
    """The names that the model has of one kind, such as "body"; "" where there is none."""
    return [_text(model.names, int(at)) for at in getattr(model, f"name_{kind}adr")[:count]]


def name_of(model: Any) -> str:
    """The name of the whole model; "" if it has none."""
    found = _text(model.names, 0)
    return "" if found == _NAMELESS else found


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode("utf-8", "replace")


def _with_missing_names(own: Sequence[str], made: Sequence[str]) -> tuple[str, ...]:
    """The given names, and others where they are missing, each once."""
    rest = iter(_others([b for a, b in zip(own, made, strict=True) if not a], [a for a in own if a]))
    return tuple(a or next(rest) for a in own)


def _others(names: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """The names, with a number after those that are taken."""
    used, found = set(taken), list[str]()
    for name in names:
        choice, k = name, 2
        while choice in used:
            choice, k = f"{name}_{k}", k + 1
        used.add(choice)
        found.append(choice)
    return tuple(found)


_DISABLED = {"CONSTRAINT": 0, "EQUALITY": 1, "FRICTIONLOSS": 2, "LIMIT": 3, "SPRING": 5, "DAMPER": 6, "GRAVITY": 7}
_DISABLED |= {"CONTACT": 4, "CLAMPCTRL": 8, "FILTERPARENT": 10, "ACTUATION": 11}
_ENABLED = {"OVERRIDE": 0}
_NAMES_IN_MESSAGE = 4


@dataclass
class Unused:
    """Kinds of elements that are not used, each with the names of its elements."""

    found: dict[tuple[str, bool], dict[str, None]] = field(default_factory=dict)

    def remark(self, kind: str, name: str, *, harmless: bool = False) -> None:
        """Record an element; a harmless one does not change the motion under given joint forces."""
        self.found.setdefault((kind, harmless), {})[name] = None

    def tell(self, builder: Builder) -> None:
        """Hand one remark per kind to the builder; one for all that are harmless."""
        harmless = [_line_of(kind, list(names)) for (kind, is_harmless), names in self.found.items() if is_harmless]
        for (kind, is_harmless), names in self.found.items():
            if not is_harmless:
                builder.remark(f"not used: {_line_of(kind, list(names))}")
        if harmless:
            builder.remark(f"not part of the model: {'; '.join(harmless)}", harmless=True)


def _line_of(kind: str, names: list[str]) -> str:
    some = ", ".join(value_text(name) for name in names[:_NAMES_IN_MESSAGE])
    more = f" and {len(names) - _NAMES_IN_MESSAGE} more" if len(names) > _NAMES_IN_MESSAGE else ""
    return f"{kind}: {some}{more}" if some else kind


def is_off(model: Any, flag: str) -> bool:
    """Whether an option of the file disables a part of the physics."""
    return bool(int(model.opt.disableflags) >> _DISABLED[flag] & 1)


def is_on(model: Any, flag: str) -> bool:
    """Whether an option of the file enables a part of the physics."""
    return bool(int(model.opt.enableflags) >> _ENABLED[flag] & 1)


def value(model: Any, field: str, k: int, otherwise: Any) -> Any:
    """An entry of a field that older versions of MuJoCo do not have."""
    found = getattr(model, field, None)
    return otherwise if found is None else found[k]


def find_unused(model: Any, unused: Unused, has_stops: bool = True) -> None:
    """All but joints, links, actuators, equality constraints and shapes, which are looked at where they are read."""
    _tendons(model, unused, has_stops and not (is_off(model, "LIMIT") or is_off(model, "CONSTRAINT")))
    bodies = given_names(model, "body", model.nbody)
    for b in np.flatnonzero(model.body_mocapid >= 0):
        unused.remark("mocap bodies, which are fixed where they are", bodies[b] or f"body{b}")
    if model.nflex:
        for name in given_names(model, "flex", model.nflex):
            unused.remark("flexible bodies", name or "flex")
    if model.nplugin:
        for k, name in enumerate(given_names(model, "plugin", model.nplugin)):
            unused.remark("plugins", name or f"plugin{k}")


def _tendons(model: Any, unused: Unused, has_stops: bool) -> None:
    """Tendons that pull by themselves; those that only carry the force of an actuator are not reported."""
    passive = ("stiffness", "damping", "frictionloss", "armature", "limited", "stiffnesspoly", "dampingpoly")
    for t, name in enumerate(given_names(model, "tendon", model.ntendon)):
        found = [x for x in passive if np.any(value(model, f"tendon_{x}", t, 0))]
        for x in found:
            limits = "stops at limits" if has_stops else "limits"
            what = {"limited": limits, "frictionloss": "friction"}.get(x, x.removesuffix("poly"))
            unused.remark(f"{what} of tendons", name or f"tendon{t}", harmless=what == "limits")
