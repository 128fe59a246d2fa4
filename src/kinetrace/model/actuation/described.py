"""Actuators and keyframes as descriptions have them, by the names of joints and actuators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError, unknown_name_error
from ...support.keywords import known_keywords
from ..configurations import start_of
from ..named_states import v_from
from .methods import check_actuators, keyframe_of
from .records import Actuator, Keyframe

if TYPE_CHECKING:
    from ..model import Model


class _DescribedKeyframe(NamedTuple):
    """A state by names."""

    name: str
    q: Mapping[str, Any]
    v: Mapping[str, Any]
    control: Mapping[str, float]
    activation: Mapping[str, float]


class ActuatedBuilder:
    """Methods of `Builder` about actuators and keyframes."""

    _actuators: tuple[Actuator, ...] = ()
    _keyframes: tuple[_DescribedKeyframe, ...] = ()

    def add_actuators(self, *actuators: Actuator) -> None:
        """Add laws that turn controls into joint forces.

        Parameters
        ----------
        *actuators : Actuator
            Actuators, in the order of controls; `build` checks that their joints exist.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("lever")
        >>> b.link("arm", inertia=np.eye(6))
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="arm")
        >>> b.add_actuators(kt.Actuator.motor("hinge", 50.0))
        >>> b.build().actuator_names
        ('hinge',)
        """
        self._actuators += actuators

    @known_keywords
    def add_keyframe(
        self,
        name: str,
        q: Mapping[str, Any],
        v: Mapping[str, Any] | None = None,
        control: Mapping[str, float] | None = None,
        activation: Mapping[str, float] | None = None,
    ) -> None:
        """Add a named state with controls.

        Parameters
        ----------
        name : str
            Name of the keyframe.
        q : mapping of str to array_like
            Configurations, as for `start`.
        v : mapping of str to array_like, optional
            Velocities, each shape (nv_i,) [rad/s, m/s], by the names of joints; zero for others.
        control : mapping of str to float, optional
            Controls by the names of actuators; zero for others.
        activation : mapping of str to float, optional
            Activations by the names of actuators; zero for others.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("lever")
        >>> b.link("arm", inertia=np.eye(6))
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="arm")
        >>> b.add_keyframe("up", {"hinge": 0.5})
        >>> b.build().keyframes[0].q
        array([0.5])
        """
        self._keyframes += (_DescribedKeyframe(name, q, v or {}, control or {}, activation or {}),)

    def _with_actuation(self, model: Model, base: tuple[str, Array] | None) -> Model:
        """The model with actuators, and keyframes; a floating base that a keyframe does not know is at `base`."""
        if not self._actuators and not self._keyframes:
            return model
        after = replace(model, actuators=self._actuators)
        check_actuators(after)
        made = replace(after, keyframes=tuple(_made(after, x, base) for x in self._keyframes))
        check_actuators(made)
        return made


def _made(model: Model, described: _DescribedKeyframe, base: tuple[str, Array] | None) -> Keyframe:
    for name in (*described.control, *described.activation):
        if name not in model.actuator_names:
            raise unknown_name_error("actuator", name, model.actuator_names, "robot.actuator_names")
    first = dict([base]) if base is not None and base[0] in model.joint_names else {}
    try:
        q = start_of(model, {**first, **described.q})
        v = v_from(model, described.v, np.zeros(model.nv))
    except InputError as error:
        raise ModelError(f"keyframe {described.name!r}: {error}") from None
    control, activation = described.control, described.activation
    names = {*control, *activation}
    values = {x: (float(control.get(x, 0.0)), float(activation.get(x, 0.0))) for x in names}
    return keyframe_of(model, described.name, q, v, values)
