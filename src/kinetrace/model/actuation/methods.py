"""Functions of a model about its actuators and keyframes, which `Model` has as methods; and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError, unknown_name_error, value_text
from ...support.conversion import as_reals
from ..configurations import check_q
from .records import Actuator, Keyframe

if TYPE_CHECKING:
    from ..model import Model


def with_actuators(model: Model, *actuators: Actuator | Sequence[Actuator]) -> Model:
    """Model with these actuators instead of its own; keyframes keep the controls of actuators of the same name.

    Parameters
    ----------
    model : Model
        The model.
    *actuators : Actuator or sequence of Actuator
        Actuators, one by one or as one sequence; none for a model without.

    Returns
    -------
    Model
        The model with the actuators.

    Raises
    ------
    InputError
        If something is no actuator.
    ModelError
        If a joint is unknown, a gear does not fit its joint, or a name is used twice.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> model.with_actuators(kt.Actuator.motor("joint1"), kt.Actuator.motor("joint2")).actuator_names
    ('joint1', 'joint2')
    """
    given: Any = actuators[0] if len(actuators) == 1 and isinstance(actuators[0], list | tuple) else actuators
    for x in given:
        if not isinstance(x, Actuator):
            raise InputError(f"expected actuators such as kt.Actuator.motor('joint'), got {value_text(x)}")
    after = replace(model, actuators=tuple(given), keyframes=())
    check_actuators(after)
    return replace(after, keyframes=tuple(_with_controls_of(model, after, x) for x in model.keyframes))


def with_keyframe(
    model: Model, name: str, q: Any = None, v: Any = None, control: Any = None, activation: Any = None
) -> Model:
    """Model with a further keyframe, or with another of that name.

    Parameters
    ----------
    model : Model
        The model.
    name : str
        Name of the keyframe.
    q : array_like, shape (nq,)
        Configuration.
    v : array_like, shape (nv,), optional
        Velocity [rad/s, m/s]; zero unless given.
    control : array_like, shape (controls,), optional
        Controls of the actuators; zero unless given.
    activation : array_like, shape (activations,), optional
        Activations of the actuators that have some; zero unless given.

    Returns
    -------
    Model
        The model with the keyframe.

    Raises
    ------
    ModelError
        If numbers do not fit the model.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.load("planar2r").model.with_keyframe("up", [1.5, 0.0]).keyframes[0].v
    array([0., 0.])
    """
    sizes = {"v": model.nv, "control": len(model.actuators), "activation": activation_size(model)}
    given = {"v": v, "control": control, "activation": activation}
    rest = {x: np.zeros(size) if given[x] is None else as_reals(x, given[x]) for x, size in sizes.items()}
    made = Keyframe(name, as_reals("q", q), **rest)
    check_keyframe(model, made, f"keyframe {made.name!r}")
    kept = [made if x.name == made.name else x for x in model.keyframes]
    return replace(model, keyframes=tuple(kept if made in kept else [*kept, made]))


def activation_size(model: Model) -> int:
    """Number of activations: actuators that have some."""
    return sum(x.has_activation for x in model.actuators)


def stateful(model: Model) -> list[int]:
    """Places of the actuators that have activations."""
    return [k for k, x in enumerate(model.actuators) if x.has_activation]


def no_actuators(model: Model) -> InputError:
    """The error for controls of a robot that has no actuators."""
    ways = "MJCF files have some; robot.with_actuators(kt.Actuator.position('joint', kp=100.0), ...) adds them"
    return InputError(f"{model.name!r} has no actuators that controls would drive: {ways}; tau= are joint forces")


def check_actuators(model: Model, place: str = "") -> None:
    """An error unless all actuators fit the model; `place` is where they stand in a file."""
    at = f"{place}." if place else ""
    for kind, given in (("actuators", model.actuators), ("keyframes", model.keyframes)):
        names = [x.name for x in given]
        for k, name in enumerate(names):
            if name in names[:k]:
                raise ModelError(f"{kind[:-1]} {name!r} is there twice; give each its own name", place=f"{at}{kind}")
    for k, actuator in enumerate(model.actuators):
        _check_gears(model, actuator, f"{at}actuators[{k}]" if at else "")
    for k, keyframe in enumerate(model.keyframes):
        check_keyframe(model, keyframe, f"{at}keyframes[{k}]")


def check_keyframe(model: Model, keyframe: Keyframe, place: str) -> None:
    """An error unless the numbers of a keyframe fit the model."""
    sizes = {"q": model.nq, "v": model.nv, "control": len(model.actuators), "activation": activation_size(model)}
    for name, size in sizes.items():
        x = getattr(keyframe, name)
        if x.shape != (size,):
            raise ModelError(f"must have shape ({size},), got {x.shape}", place=f"{place}.{name}")
    try:
        check_q(model, keyframe.q, limits=False, what="it")
    except InputError as error:
        raise ModelError(str(error), place=f"{place}.q") from None


def _check_gears(model: Model, actuator: Actuator, place: str) -> None:
    """An error unless the gears of an actuator fit its joints."""
    joints = {body.joint_name: body.joint for body in model.bodies}
    for gear in actuator.gears:
        if gear.joint not in joints:
            told = unknown_name_error("joint", gear.joint, joints, "robot.joint_names")
            raise ModelError(f"actuator {actuator.name!r} is on an {told}", place=place)
        joint, on = joints[gear.joint], f"actuator {actuator.name!r}: gear on joint {gear.joint!r}"
        if gear.ratio.shape != (joint.nv,):
            wanted = "a number" if joint.nv == 1 else f"{joint.nv} numbers"
            raise ModelError(f"{on} must be {wanted}, got shape {gear.ratio.shape}", place=place)
        if gear.axes == "parent" and (joint.has_coordinates or joint.nv % 3):
            raise ModelError(f"{on}: axes='parent' is for spherical and free joints", place=place)


def _with_controls_of(before: Model, after: Model, keyframe: Keyframe) -> Keyframe:
    """The keyframe for other actuators: controls by their names, zero for new ones."""
    values = controls_by_name(before, keyframe)
    return keyframe_of(after, keyframe.name, keyframe.q, keyframe.v, values)


def controls_by_name(model: Model, keyframe: Keyframe) -> dict[str, tuple[float, float]]:
    """Actuator → its control and its activation in a keyframe; zero for an activation that it has not."""
    activation = np.zeros(len(model.actuators))
    activation[stateful(model)] = keyframe.activation
    names = (x.name for x in model.actuators)
    return dict(zip(names, zip(keyframe.control.tolist(), activation.tolist(), strict=True), strict=True))


def keyframe_of(model: Model, name: str, q: Array, v: Array, values: Mapping[str, tuple[float, float]]) -> Keyframe:
    """A keyframe with controls and activations by the names of actuators, zero for others."""
    found = [values.get(x.name, (0.0, 0.0)) for x in model.actuators]
    control, activation = np.array(found, dtype=float).reshape(-1, 2).T
    return Keyframe(name, q, v, control, activation[stateful(model)])
