"""The numbers of a model by name: to read them, to replace them, to differentiate with respect to them.

    "inertial"    (nb, 10)    each body's (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) in its body frame, about its
                              origin [kg, kg m, kg m²]; see `lie.inertia`
    "screws"      (k, 6)      S_i (ω, v) in the body frame, of the k joints with one degree of freedom, in body order
    "placements"  (nb, 4, 4)  M_i, the pose of each body in its parent at the joint's zero [m]
    "gravity"     (3,)        in the world frame [m/s²]
    "closures"    (k, 2, 4, 4)  of each of k closures where it is on the bodies of its frames a and b [m]
    "armature", "damping", "friction", "friction_width", "stiffness", "rest", "stop_stiffness", "stop_damping",
    "stop_width" and "restitution"  (k,)
                              effects of joints, see `joint_effects`: one number per velocity of all joints, including
                              mimic joints but not spherical and free ones, in body order

A body is attached to its parent by f_{p,i} = M_i exp(S_i q_i), Park, Bobrow and Ploen (1995). A screw and a placement
are independent: another M_i does not change the screw in the body frame, another S_i does not change the body's pose at
zero. Mimic joints have screws too. Placements move along M ⊕ ε = M exp(ε), ε (6,), the others along x + ε.

Values may be of any scalar type; concrete ones are checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from ..arrays import Array, concatenate, is_concrete, stack
from ..errors import InputError, lookup
from ..lie import inertia, se3
from .build.massless import check_massless
from .checks import MAX_INERTIA, MAX_NUMBER, Check, check_inertias, check_of, numbers, pose, sane
from .effects.joint_effects import EFFECT_NUMBERS, effects_of
from .joints import Screw

if TYPE_CHECKING:
    from .body import Body, Frame
    from .model import Model


ParameterName = Literal[
    "inertial",
    "screws",
    "placements",
    "gravity",
    "closures",
    "armature",
    "damping",
    "friction",
    "friction_width",
    "stiffness",
    "rest",
    "stop_stiffness",
    "stop_damping",
    "stop_width",
    "restitution",
]


class Parameter(ABC):
    """Some of a model's numbers, as one array; the defaults are those of a vector space."""

    meaning: str

    @abstractmethod
    def get(self, model: Model) -> Array:
        """Their values."""

    @abstractmethod
    def replaced(self, model: Model, x: Array) -> Model:
        """The model with other values x."""

    @abstractmethod
    def shape(self, model: Model) -> tuple[int, ...]:
        """The shape of the values."""

    def tangent_shape(self, model: Model) -> tuple[int, ...]:
        """The shape of a small change ε of the values."""
        return self.shape(model)

    def tangent(self, model: Model, x: Array) -> Array:
        """The derivative (*shape, *tangent_shape) of x ⊕ ε at ε = 0."""
        shape = self.shape(model)
        return np.eye(int(np.prod(shape))).reshape(shape + shape)

    def checked(self, model: Model, x: Array) -> Array:
        """Concrete values, checked and made exact."""
        return x


@final
class _Inertial(Parameter):
    """The bodies' ten inertial parameters."""

    meaning = "of each body m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz in its frame"

    def get(self, model: Model) -> Array:
        return _rows([inertia.to_parameters(body.J) for body in model.bodies], (10,))

    def replaced(self, model: Model, x: Array) -> Model:
        return _with_bodies(model, lambda body: replace(body, J=inertia.from_parameters(x[body.index])))

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(model.bodies), 10)


@final
class _Screws(Parameter):
    """The screws of the joints with one degree of freedom, in the body frames."""

    meaning = "of each joint with one degree of freedom its screw in the body frame"

    def get(self, model: Model) -> Array:
        return _rows([body.subspace(body.joint.neutral())[:, 0] for body in _single(model)], (6,))

    def replaced(self, model: Model, x: Array) -> Model:
        moved = {
            body.index: replace(body, joint=Screw(S), X_pj=_at_zero(body), X_ji=np.eye(4))
            for body, S in zip(_single(model), x, strict=True)
        }
        return _with_bodies(model, lambda body: moved.get(body.index, body))

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(_single(model)), 6)

    def checked(self, model: Model, x: Array) -> Array:
        for body, S in zip(_single(model), x, strict=True):
            if not np.any(S):
                raise InputError(f"screws: that of joint {body.joint_name!r} is zero; it must have a length")
        return x


@final
class _Placements(Parameter):
    """The bodies' poses in their parents, at the zeros of the joints."""

    meaning = "of each body its pose in its parent at the joint's zero"

    def get(self, model: Model) -> Array:
        return _rows([_at_zero(body) for body in model.bodies], (4, 4))

    def replaced(self, model: Model, x: Array) -> Model:
        def moved(body: Body) -> Body:
            M = x[body.index]
            return replace(body, X_pj=se3.pose(M[:3, :3], M[:3, 3]) @ se3.inverse(body.X_ji))

        return _with_bodies(model, moved)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(model.bodies), 4, 4)

    def tangent_shape(self, model: Model) -> tuple[int, ...]:
        return (len(model.bodies), 6)

    def tangent(self, model: Model, x: Array) -> Array:
        return pose_tangents(x)

    def checked(self, model: Model, x: Array) -> Array:
        each = [pose(M, f"placements: that of body {b.name!r}") for b, M in zip(model.bodies, x, strict=True)]
        return _rows(each, (4, 4))


@final
class _Gravity(Parameter):
    """The acceleration of free fall, in the world frame."""

    meaning = "acceleration of free fall in the world frame [m/s^2]"

    def get(self, model: Model) -> Array:
        return model.gravity

    def replaced(self, model: Model, x: Array) -> Model:
        return replace(model, gravity=x)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (3,)


@final
class _Closures(Parameter):
    """Poses of the frames of closures on their bodies."""

    meaning = "of each closure where it is on the bodies of its two frames"

    def get(self, model: Model) -> Array:
        return _rows([stack([f.X_bf for f in c.frames], axis=0) for c in model.closures], (2, 4, 4))

    def replaced(self, model: Model, x: Array) -> Model:
        def at(frame: Frame, X: Array) -> Frame:
            return replace(frame, X_bf=se3.pose(X[:3, :3], X[:3, 3]))

        moved = (replace(c, a=at(c.a, X[0]), b=at(c.b, X[1])) for c, X in zip(model.closures, x, strict=True))
        return replace(model, closures=tuple(moved))

    def shape(self, model: Model) -> tuple[int, ...]:
        return (len(model.closures), 2, 4, 4)

    def tangent_shape(self, model: Model) -> tuple[int, ...]:
        return (len(model.closures), 2, 6)

    def tangent(self, model: Model, x: Array) -> Array:
        k = 2 * len(model.closures)
        return pose_tangents(x.reshape(k, 4, 4)).reshape(self.shape(model) + self.tangent_shape(model))

    def checked(self, model: Model, x: Array) -> Array:
        each = [
            stack([pose(M, f"closures: that of {c.name!r}") for M in pair], axis=0)
            for c, pair in zip(model.closures, x, strict=True)
        ]
        return _rows(each, (2, 4, 4))


@final
class _JointEffect(Parameter):
    """One field of `JointEffects`, for all joints."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.meaning = f"{name.replace('_', ' ')} of each velocity of joints that are neither spherical nor free"

    def get(self, model: Model) -> Array:
        return concatenate([np.zeros(0), *(getattr(effects_of(body), self.name) for body in _coordinates(model))])

    def replaced(self, model: Model, x: Array) -> Model:
        ends = np.cumsum([0, *(body.joint.nv for body in _coordinates(model))])
        at = {body.index: slice(a, b) for body, (a, b) in zip(_coordinates(model), pairwise(ends), strict=True)}

        def changed(body: Body) -> Body:
            if body.index not in at:
                return body
            return replace(body, effects=replace(effects_of(body), **{self.name: x[at[body.index]]}))

        return _with_bodies(model, changed)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (sum(body.joint.nv for body in _coordinates(model)),)


JOINT_EFFECT_NAMES = EFFECT_NUMBERS
"""The parameters of joint effects."""

PARAMETERS: dict[str, Parameter] = {
    "inertial": _Inertial(),
    "screws": _Screws(),  # before the placements, which then stand alone between body and parent
    "placements": _Placements(),
    "gravity": _Gravity(),
    "closures": _Closures(),
    **{name: _JointEffect(name) for name in JOINT_EFFECT_NAMES},
}
"""All of them, in the order in which they are replaced."""


def pose_tangents(x: Array) -> Array:
    """The derivative (k, 4, 4, k, 6) of poses (k, 4, 4) along M exp(ε)."""
    R = x[:, None, :3, :3]
    generators = se3.hat(np.eye(6))[:, :3]
    top = R @ generators  # (k, 6, 3, 4): of M [e]
    each = concatenate([top, 0 * top[:, :, :1]], axis=-2)
    own = np.eye(len(x))[:, None, None, :, None]
    return own * stack([each[:, k] for k in range(6)])[:, :, :, None, :]


def get(model: Model, name: str) -> Array:
    """The values of a parameter, of the shape that the module's head gives.

    >>> import kinetrace as kt
    >>> get(kt.load("planar2r").model, "gravity").tolist()
    [0.0, 0.0, -9.81]
    """
    return lookup("parameter", name, PARAMETERS).get(model)


def replaced(model: Model, check: Check = "warn", **values: Any) -> Model:
    """The model with other parameters, by name; `check` is that of `Builder.build`.

    >>> import kinetrace as kt
    >>> get(replaced(kt.load("planar2r").model, gravity=[0, 0, -1.62]), "gravity").tolist()
    [0.0, 0.0, -1.62]
    """
    check_of(check)
    for name in values:
        lookup("parameter", name, PARAMETERS)
    for name in PARAMETERS.keys() & values.keys():
        values[name] = _checked(model, name, values[name])
    for name, parameter in PARAMETERS.items():
        model = parameter.replaced(model, values[name]) if name in values else model
    if "inertial" in values:
        check_inertias(((body.name, body.J) for body in model.bodies), check)
    if values.keys() - {"gravity"}:
        check_massless(model, check)
    return model


def _checked(model: Model, name: str, x: Any) -> Array:
    parameter = PARAMETERS[name]
    array, shape = numbers(x, f"parameter {name!r}"), parameter.shape(model)
    if array.shape != shape:
        example = ", such as (0, 0, -9.81)" if name == "gravity" else ""
        raise InputError(f"parameter {name!r} must have shape {shape}{example} for {model.name!r}, got {array.shape}")
    if not is_concrete(array):
        return array
    bound = MAX_INERTIA if name == "inertial" else MAX_NUMBER
    if not sane(array, bound):
        raise InputError(f"parameter {name!r} has entries that are not finite, or beyond {bound:g}")
    return parameter.checked(model, array)


def _rows(rows: Sequence[Array], shape: tuple[int, ...]) -> Array:
    return stack(rows, axis=0) if rows else np.zeros((0, *shape))


def _single(model: Model) -> list[Body]:
    """The bodies whose joints have one degree of freedom."""
    return [body for body in model.bodies if body.joint.nv == 1]


def _coordinates(model: Model) -> list[Body]:
    """The bodies whose joints have coordinates."""
    return [body for body in model.bodies if body.joint.has_coordinates]


def _at_zero(body: Body) -> Array:
    """M_i, the body's pose in its parent at the joint's zero."""
    return body.X_pj @ body.X_ji


def _with_bodies(model: Model, change: Callable[[Body], Body]) -> Model:
    return replace(model, bodies=tuple(map(change, model.bodies)))
