"""Names of what is in a model of MuJoCo, one for each: MJCF needs no names, and bodies and sites may share them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ...connections import ROOT_JOINT

FREE, BALL, SLIDE, HINGE = range(4)
"""Kinds of joints, as MuJoCo counts them."""
WORLD = "world"
_NAMELESS = "MuJoCo Model"
"""What MuJoCo calls a model without a name."""


@dataclass(frozen=True)
class Names:
    """One name for each body, joint, site, and link between joints of the same body."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    sites: tuple[str, ...]
    between: dict[int, str]
    """Joint that is not the last of its body → the massless link that it moves."""


def names_of(model: Any) -> Names:
    """The names of a model: its own where it has them, others made of those of bodies."""
    bodies = _filled(given(model, "body", model.nbody), [WORLD, *(f"body{i}" for i in range(1, model.nbody))])
    own, made = given(model, "jnt", model.njnt), []
    nameless_free = [j for j in range(model.njnt) if model.jnt_type[j] == FREE and not own[j]]
    for j in range(model.njnt):
        body = int(model.jnt_bodyid[j])
        several = f"{j - int(model.body_jntadr[body]) + 1}" if model.body_jntnum[body] > 1 else ""
        only_free = model.jnt_type[j] == FREE and len(nameless_free) == 1
        made.append(ROOT_JOINT if only_free else f"{bodies[body]}_joint{several}")
    joints = _filled(own, made)
    between = [j for j in range(model.njnt) if not is_last(model, j)]
    links = _others([f"{bodies[int(model.jnt_bodyid[j])]}:{joints[j]}" for j in between], bodies)
    sites = _filled(given(model, "site", model.nsite), [f"site{i}" for i in range(model.nsite)])
    sites = _others([f"{name}_site" if name in bodies else name for name in sites], [*bodies, *links])
    return Names(bodies, joints, sites, dict(zip(between, links, strict=True)))


def is_last(model: Any, joint: int) -> bool:
    """Whether a joint is the last of its body: the one that moves the body itself."""
    body = int(model.jnt_bodyid[joint])
    return bool(joint == model.body_jntadr[body] + model.body_jntnum[body] - 1)


def given(model: Any, kind: str, count: int) -> list[str]:
    """The names that the model has of one kind, such as "body"; "" where there is none."""
    return [_text(model.names, int(at)) for at in getattr(model, f"name_{kind}adr")[:count]]


def name_of(model: Any) -> str:
    """The name of the whole model; "" if it has none."""
    found = _text(model.names, 0)
    return "" if found == _NAMELESS else found


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode("utf-8", "replace")


def _filled(own: Sequence[str], made: Sequence[str]) -> tuple[str, ...]:
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
