"""Laws of friction and stops that have nothing to act on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ModelWarning, name_list
from ..checks import Check, complain, is_present

if TYPE_CHECKING:
    from ..model import Model

LAWS = ("friction_law", "stop_law", "restitution")
"""Fields of `JointEffects` that act together with others alone."""


def check_laws(
    model: Model, check: Check, file: str = "", *, friction_law: str | None = None, stop_law: str | None = None
) -> None:
    """Warn, or raise an error, about laws of a model, or that were asked for, that change nothing."""
    for message in _idle_laws(model, friction_law, stop_law):
        complain(message, check, ModelWarning, file)


def _idle_laws(model: Model, friction_law: str | None, stop_law: str | None) -> Iterator[str]:
    given = [(body, body.effects) for body in model.bodies if body.effects is not None]
    dry = [e for _, e in given if e.friction_law == "dry"]
    if (dry or friction_law == "dry") and not any(is_present(e.friction) for e in dry):
        without = "no such joint has friction: with_joint_effects(friction=...) gives it"
        yield f'friction_law="dry" changes nothing, {without}'
    hard = [body.limits for body, e in given if e.stop_law == "hard"]
    if (hard or stop_law == "hard") and not any(np.isfinite([*x.lower, *x.upper]).any() for x in hard):
        without = "no such joint has limits: Builder.joint(limits=...) gives them, or a file"
        yield f'stop_law="hard" changes nothing, {without}'
    soft = [body.joint_name for body, e in given if e.stop_law != "hard" and is_present(e.restitution)]
    if soft:
        yield f'restitution changes nothing at soft stops, those of {name_list(soft)}: stop_law="hard" makes them hard'
