"""External inputs of the dynamics at one instant, and how they go on: a moving base, wrenches, driven closures.

They are the keywords of `forward_dynamics`, `step` and `rollout`. With the joint forces of one step they are
`time.step_inputs`, those of many steps are in `time.rollout_inputs`. A further input is a field of ExternalInputs, with
its shape and meaning in `model.arguments`; if it changes from step to step by itself, `RolloutInputs.initial` and
`carried_after` say how.

Bases and closures that are driven move with twists V + t V̇ in their own frames, so that their poses change by

    exp(t V + t²/2 V̇ + t³/12 [V, V̇]) + O(t⁵)        (the series of Magnus)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack
from ...lie import ad, se3, so3
from ...model.model import Model
from ..closed.closure_paths import Drive, displacement
from .external_wrenches import FrameWrenches
from .inverse_dynamics import inverse_dynamics

OF_TREE = ("base_velocity", "base_acceleration", "wrench")
"""External inputs that robots without closures have, too."""
DIFFERENTIATED = (*OF_TREE, "drive")
"""Those of the analytic derivatives."""


class ExternalInputs(NamedTuple):
    """Inputs besides joint forces: a moving base, wrenches by frame names, closures that are driven or stabilised."""

    base_velocity: Array | None = None
    base_acceleration: Array | None = None
    wrench: FrameWrenches | None = None
    drive: Drive = None
    stabilisation: Array | None = None
    contact: Mapping[str, Array] | None = None
    """Numbers of contacts by name; see `model.contact.inputs`."""

    @classmethod
    def of(cls, keywords: Mapping[str, Any]) -> ExternalInputs:
        """The fields among the keywords of a function that takes all of them: its `locals()`.

        >>> def inputs(q, *, base_velocity=None, base_acceleration=None, wrench=None, drive=None, stabilisation=None,
        ...            contact=None):
        ...     return ExternalInputs.of(locals())
        >>> inputs(0.0, wrench={"tip": np.ones(6)}).given
        ('wrench',)
        """
        return cls(*(keywords.get(name) for name in cls._fields))

    @property
    def given(self) -> tuple[str, ...]:
        """Names of those that there are."""
        return tuple(name for name, x in zip(self._fields, self, strict=True) if x is not None)

    @property
    def of_tree(self) -> dict[str, Any]:
        """The keywords of `inverse_dynamics`: all but those of closures."""
        return {name: getattr(self, name) for name in OF_TREE}

    @property
    def of_dynamics(self) -> dict[str, Any]:
        """The keywords of `forward_dynamics`: all but those of contacts, for which steps in time solve."""
        return {name: x for name, x in self._asdict().items() if name != "contact"}

    @property
    def differentiated(self) -> dict[str, Any]:
        """The keywords of `forward_dynamics_derivatives`."""
        return {name: getattr(self, name) for name in DIFFERENTIATED}

    @property
    def is_differentiated(self) -> bool:
        """Whether analytic derivatives take all that there are."""
        return set(self.given) <= set(DIFFERENTIATED)

    @property
    def motion_of_base(self) -> tuple[Array | None, Array | None]:
        """The twist of the base and its rate; None where it has none."""
        return self.base_velocity, self.base_acceleration

    @property
    def moves_base(self) -> bool:
        """Whether the base moves."""
        return any(x is not None for x in self.motion_of_base)

    def with_base_at(self, t: Array) -> ExternalInputs:
        """The inputs with the twist of the base at the time t, while gravity is turned elsewhere."""
        if not self.moves_base:
            return self
        return self._replace(base_velocity=self.base_after(t)[0])

    def or_else(self, others: ExternalInputs) -> ExternalInputs:
        """These inputs, and others where there are none."""
        return ExternalInputs(*(y if x is None else x for x, y in zip(self, others, strict=True)))

    def bias(self, model: Model, q: Array, v: Array) -> Array:
        """The joint forces that keep v̇ = 0."""
        return inverse_dynamics(model, q, v, np.zeros(model.nv), **self.of_tree)

    def after(self, model: Model, t: Array) -> ExternalInputs:
        """The inputs after the time t () of constant V̇ and constant wrenches; gravity turns as seen from the base."""
        if type(t) is float and t == 0.0:
            return self
        drive = self.drive_after(model, t)
        if not self.moves_base:
            return self._replace(drive=drive)
        V, R = self.base_after(t)
        turned = concatenate([np.zeros(3), model.gravity - model.gravity @ R])
        dV = turned if self.base_acceleration is None else self.base_acceleration + turned
        return self._replace(base_velocity=V, base_acceleration=dV, drive=drive)

    def drive_after(self, model: Model, t: Array) -> Drive:
        """The drive after the time t."""
        if type(t) is float and t == 0.0:
            return self.drive
        return {name: _closure_drive_after(model, name, x, t) for name, x in (self.drive or {}).items()} or None

    def base_after(self, t: Array) -> tuple[Array, Array]:
        """The twist (6,) of the base after the time t, and its rotation (3, 3) since."""
        V, dV = (np.zeros(6) if x is None else x for x in self.motion_of_base)
        return V + t * dV, so3.exp(_log_of_motion(V, dV, t)[:3])


def _log_of_motion(V: Array, dV: Array, t: Array) -> Array:
    """The logarithm (6,) of the change of the pose in the time t."""
    return t * V + t * t / 2.0 * dV + t * t * t / 12.0 * ad(V, dV)


def _closure_drive_after(model: Model, name: str, motion: Array, t: Array) -> Array:
    """The prescribed motion (3, k) of a closure, after the time t."""
    x, V, dV = motion
    closure = model.closures[list(model.closure_slices).index(name)]
    if closure.terms:  # a coupling's offset and its rates
        return stack([x + t * V + t * t / 2.0 * dV, V + t * dV, dV], axis=0)
    X = displacement(x) @ se3.exp(_log_of_motion(V, dV, t))
    return stack([concatenate([so3.log(se3.rotation(X)), se3.translation(X)]), V + t * dV, dV], axis=0)
