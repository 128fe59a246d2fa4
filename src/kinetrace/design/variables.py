"""Design variables: numbers x of a robot, and the model that they make, by stated physical rules.

A variable maps (model, x) to a model, over any scalar: objectives are traced on symbols of x, so that gradients with
respect to it are exact. Each keeps bodies physically consistent:

    Length        stretches a body along an axis e by the factor x: p → S p from its joint, S = 1 + (x − 1) e eᵀ, for
                  the joints and frames that it carries too; its pseudo-inertia P = ∫ (p, 1) (p, 1)ᵀ dm becomes x S P Sᵀ
                  for constant density (the cross-section stays), S P Sᵀ for constant mass
    Mass          multiplies mass and inertia by x: a body of the same shape and another density
    Center        shifts the centre of mass by x; mass, and inertia about the centre, stay
    PointMass     adds a point of mass x at a place of a body: a counterweight, a payload
    Mount         shifts and turns a joint or a frame on the body that carries it
    Effect        is a number of a joint's effects: stiffness, rest, damping, armature, …
    Custom        is whatever a function of (model, x) makes of it
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import Array, block, stack
from ..errors import InputError, lookup
from ..lie import inertia, se3, so3
from ..model import Model
from ..model.body import Body, Frame
from ..model.effects.joint_effects import effects_of
from ..model.parameters import JOINT_EFFECT_NAMES
from ..robot import Robot
from ..support.conversion import as_array, as_list

Float = npt.NDArray[np.float64]
Bound = npt.ArrayLike
AXES = {"x": 0, "y": 1, "z": 2}


class Variable(ABC):
    """Some numbers of a design, with bounds; the subclasses say what they do to a model.

    Examples
    --------
    >>> import kinetrace as kt
    >>> isinstance(kt.design.Length("link1"), kt.design.Variable)
    True
    """

    lower: Bound
    upper: Bound
    _possible: tuple[float, str] = (-np.inf, "")
    """The least value with which bodies are possible, and what one below it would be."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Name in tables."""

    @abstractmethod
    def _start(self, model: Model) -> Float:
        """The values (n,) that leave a model as it is."""

    @abstractmethod
    def _applied(self, model: Model, x: Array) -> Model:
        """The model with the values x (n,), over any scalar."""

    def _resolved(self, model: Model) -> Variable:
        """The same variable with all that it reads from the model, which is that of the start."""
        return self

    def _bounds(self, model: Model) -> tuple[Float, Float]:
        """Lower and upper bounds (n,), checked."""
        n = len(self._start(model))
        ends = []
        for name, x in (("lower", self.lower), ("upper", self.upper)):
            array = as_array(f"{name} of {self.label}", x)
            if array.dtype.kind not in "biuf" or array.shape not in ((), (n,)) or np.isnan(array).any():
                raise InputError(f"{name} of {self.label} must be a number, or {n} of them; got shape {array.shape}")
            ends.append(np.array(np.broadcast_to(array, (n,)), dtype=float))
        if not (ends[0] < ends[1]).all():
            raise InputError(f"{self.label}: lower must be below upper")
        self._check_possible("lower", ends[0])
        return ends[0], ends[1]

    def _check_possible(self, name: str, values: Float) -> None:
        """An error if values make bodies or effects that cannot exist."""
        least, what = self._possible
        if (values < least).any():
            bound = "positive" if least > 0 else "zero or more"
            raise InputError(f"{name} of {self.label} must be {bound}, got {float(values.min()):g}: {what}")

    def _labels(self, model: Model) -> tuple[str, ...]:
        """One name per value."""
        n = len(self._start(model))
        return (self.label,) if n == 1 else tuple(f"{self.label}[{k}]" for k in range(n))


def body_of(model: Model, link: str) -> Body:
    """The moving body of a link or frame."""
    frame: Frame = model.frame(link)
    if frame.body < 0:
        raise InputError(f"{link!r} is fixed to the world: it has no mass or length that matters")
    return model.bodies[frame.body]


def with_body(model: Model, index: int, change: Callable[[Body], Body]) -> Model:
    """The model with one body changed."""
    return replace(model, bodies=tuple(change(b) if b.index == index else b for b in model.bodies))


@dataclass(frozen=True)
class Length(Variable):
    """Length of a link: the factor by which its body is stretched along an axis.

    Joints and frames on the body move; links that are fixed to it are stretched with it. Shapes for viewers move with
    their frames, but keep their sizes.

    Parameters
    ----------
    link : str
        Name of a link.
    lower : float, default 0.5
        Least factor.
    upper : float, default 2.0
        Largest factor.
    axis : array_like, shape (3,), optional
        Direction in the body frame; unless given, towards the next joint, closure, or the farthest frame.
    keep : {"density", "mass"}, default "density"
        What stays: the density and the cross-section, so that the mass grows with the length; or the mass.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> longer = kt.design.made(robot, [kt.design.Length("link1")], [1.5])
    >>> longer.pose([0.0, 0.0], "tip")[:3, 3].round(3), longer.parameters("inertial")[0, 0].round(3)
    (array([2.5, 0. , 0. ]), np.float64(1.5))
    """

    link: str
    lower: Bound = 0.5
    upper: Bound = 2.0
    axis: npt.ArrayLike | None = None
    keep: Literal["density", "mass"] = "density"
    _possible = (float(np.finfo(float).tiny), "a body cannot be turned inside out")

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"length of {self.link}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        self._direction(model)
        lookup("keep", self.keep, {"density": 0, "mass": 0})
        return np.ones(1)

    def _direction(self, model: Model) -> Float:
        """The unit vector (3,) along which the body is stretched."""
        body = body_of(model, self.link)
        if self.axis is not None:
            found = as_array("axis", self.axis).astype(float)
            if found.shape != (3,) or not np.linalg.norm(found) > 0.0:
                raise InputError(f"axis of {self.label} must be three numbers, not all zero; got {self.axis!r}")
        else:
            joints = [b.X_pj[:3, 3] for b in model.bodies if b.parent == body.index]
            frames = [f.X_bf[:3, 3] for f in model.frames.values() if f.body == body.index]
            ends = [f.X_bf[:3, 3] for c in model.closures for f in c.frames if f.body == body.index]
            far = [max(x, key=np.linalg.norm) for x in (joints, ends, frames) if x]
            found = next((np.asarray(x) for x in far if np.linalg.norm(x) > 1e-9), np.zeros(3))
            if not found.any():
                raise InputError(f"{self.label}: nothing on it is away from its joint; give axis=")
        return np.asarray(found / np.linalg.norm(found))

    def _resolved(self, model: Model) -> Length:
        """The same variable with its axis."""
        return replace(self, axis=self._direction(model))

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        stretched, e = body_of(model, self.link), self._direction(model)
        k, start = stretched.index, se3.inverse(stretched.X_ji)[:3, 3]  # the joint, in the body
        S = np.eye(3) + (x[0] - 1.0) * np.outer(e, e)
        T = block([[S, (start - S @ start)[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])

        def moved(X: Array) -> Array:
            return se3.pose(X[:3, :3], S @ (X[:3, 3] - start) + start)

        def at(frame: Frame) -> Frame:
            return replace(frame, X_bf=moved(frame.X_bf)) if frame.body == k else frame

        def changed(body: Body) -> Body:
            if body.parent == k:
                return replace(body, X_pj=moved(body.X_pj))
            if body.index != k:
                return body
            P = T @ inertia.pseudo_inertia(body.J) @ T.T
            return replace(body, J=inertia.from_pseudo_inertia(x[0] * P if self.keep == "density" else P))

        return replace(
            model,
            bodies=tuple(map(changed, model.bodies)),
            frames={name: at(f) for name, f in model.frames.items()},
            closures=tuple(replace(c, a=at(c.a), b=at(c.b)) for c in model.closures),
        )


@dataclass(frozen=True)
class Mass(Variable):
    """Mass of a link: the factor by which its mass and inertia are multiplied.

    Parameters
    ----------
    link : str
        Name of a link.
    lower : float, default 0.5
        Least factor.
    upper : float, default 2.0
        Largest factor.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.design.made(kt.load("planar2r"), [kt.design.Mass("link1")], [2.0]).parameters("inertial")[0, 0]
    np.float64(2.0)
    """

    link: str
    lower: Bound = 0.5
    upper: Bound = 2.0
    _possible = (0.0, "no body has a negative mass")

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"mass of {self.link}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        body_of(model, self.link)
        return np.ones(1)

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        return with_body(model, body_of(model, self.link).index, lambda b: replace(b, J=x[0] * b.J))


@dataclass(frozen=True)
class Center(Variable):
    """Centre of mass of a link: its shift along axes of the body frame [m].

    Mass, and inertia about the centre of mass, stay.

    Parameters
    ----------
    link : str
        Name of a link.
    axes : str, default "xyz"
        Axes along which it may be shifted, as "x" or "xz".
    lower : array_like, shape (n,) or (), default -0.1
        Least shifts.
    upper : array_like, shape (n,) or (), default 0.1
        Largest shifts.

    Examples
    --------
    >>> import kinetrace as kt
    >>> balanced = kt.design.made(kt.load("planar2r"), [kt.design.Center("link2", "x", -1.0, 0.0)], [-0.5])
    >>> abs(balanced.gravity([0.3, 0.7])[1]).round(12)
    np.float64(0.0)
    """

    link: str
    axes: str = "xyz"
    lower: Bound = -0.1
    upper: Bound = 0.1

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"centre of {self.link}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        body_of(model, self.link)
        return np.zeros(len([lookup("axis", a, AXES) for a in self.axes]))

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        d = _along(self.axes, x)

        def moved(body: Body) -> Body:
            m, c, I = inertia.to_mass_com(body.J)
            return replace(body, J=inertia.from_mass_com(m, c + d, I))

        return with_body(model, body_of(model, self.link).index, moved)


@dataclass(frozen=True)
class PointMass(Variable):
    """Mass of a point that is added to a link: a counterweight or a payload [kg].

    Parameters
    ----------
    link : str
        Name of a link or frame, in whose axes the place is.
    place : array_like, shape (3,)
        Place of the point in that frame [m].
    upper : float, default 10.0
        Largest mass.
    lower : float, default 0.0
        Least mass.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.design.made(kt.load("planar2r"), [kt.design.PointMass("link2", [-0.5, 0.0, 0.0])], [1.0])
    >>> robot.parameters("inertial")[1, :2]
    array([2., 0.])
    """

    link: str
    place: npt.ArrayLike
    upper: Bound = 10.0
    lower: Bound = 0.0
    _possible = (0.0, "no point has a negative mass")

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"mass on {self.link}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        body_of(model, self.link)
        if as_array("place", self.place).shape != (3,):
            raise InputError(f"place of {self.label} must be three numbers, got {self.place!r}")
        return np.zeros(1)

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        r = model.frame(self.link, np.asarray(self.place, dtype=float)).X_bf[:3, 3]
        point = inertia.from_mass_com(1.0, r, np.zeros((3, 3)))
        return with_body(model, body_of(model, self.link).index, lambda b: replace(b, J=b.J + x[0] * point))


@dataclass(frozen=True)
class Mount(Variable):
    """Place where a joint or a frame is mounted on the body that carries it.

    The first joint's mount is that of the robot. Values are shifts in the axes of that body [m], then, with `turn`, the
    rotation vector [rad] of a turn in the axes of what is mounted.

    Parameters
    ----------
    name : str
        Name of a joint, or of a frame.
    axes : str, default "xyz"
        Axes of shifts, as "x" or "xz"; "" for none.
    turn : bool, default False
        Whether it may be turned as well.
    lower : array_like, shape (n,) or (), default -0.1
        Least values.
    upper : array_like, shape (n,) or (), default 0.1
        Largest values.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.design.made(kt.load("planar2r"), [kt.design.Mount("joint2", "x")], [0.25])
    >>> robot.pose([0.0, 0.0], "tip")[:3, 3]
    array([2.25, 0.  , 0.  ])
    """

    name: str
    axes: str = "xyz"
    turn: bool = False
    lower: Bound = -0.1
    upper: Bound = 0.1

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"mount of {self.name}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        if self._joint(model) is None:
            model.frame(self.name)
        return np.zeros(len([lookup("axis", a, AXES) for a in self.axes]) + 3 * self.turn)

    def _joint(self, model: Model) -> Body | None:
        return next((b for b in model.bodies if b.joint_name == self.name), None)

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        n = len(self.axes)
        d, R = _along(self.axes, x[:n]), so3.exp(x[n:]) if self.turn else np.eye(3)

        def moved(X: Array) -> Array:
            return se3.pose(X[:3, :3] @ R, X[:3, 3] + d)

        body = self._joint(model)
        if body is not None:
            return with_body(model, body.index, lambda b: replace(b, X_pj=moved(b.X_pj)))
        frame = model.frame(self.name)
        return replace(model, frames={**model.frames, self.name: replace(frame, X_bf=moved(frame.X_bf))})


@dataclass(frozen=True)
class Effect(Variable):
    """One number of a joint's effects, such as the stiffness of its spring; for all velocities of the joint.

    Parameters
    ----------
    name : str
        Name of the effect: "stiffness", "rest", "damping", "armature", …, as in `JointEffects`.
    joint : str
        Name of the joint.
    lower : float
        Least value.
    upper : float
        Largest value.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.design.made(kt.load("planar2r"), [kt.design.Effect("stiffness", "joint1", 0.0, 50.0)], [10.0])
    >>> robot.passive_forces([0.5, 0.0], [0.0, 0.0])
    array([5., 0.])
    """

    name: str
    joint: str
    lower: Bound
    upper: Bound

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"{self.name} of {self.joint}"

    def _start(self, model: Model) -> Float:
        """The values that leave a model as it is."""
        lookup("effect", self.name, dict.fromkeys(JOINT_EFFECT_NAMES))
        body = self._body(model)
        if not body.joint.has_coordinates:
            raise InputError(f"joint {self.joint!r} has a quaternion: its effects are no numbers per coordinate")
        return np.array([np.asarray(getattr(effects_of(body), self.name)).ravel()[0]], dtype=float)

    def _check_possible(self, name: str, values: Float) -> None:
        """An error if values make an effect that cannot exist."""
        if self.name == "restitution" and (values > 1.0).any():
            raise InputError(f"{name} of {self.label} must be from 0 to 1, got {float(values.max()):g}")
        if self.name != "rest" and (values < 0.0).any():
            raise InputError(f"{name} of {self.label} must be zero or more, got {float(values.min()):g}")

    def _body(self, model: Model) -> Body:
        return lookup("joint", self.joint, {b.joint_name: b for b in model.bodies})

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        body = self._body(model)
        value = x[0] * np.ones(body.joint.nv)
        effects = replace(effects_of(body), **{self.name: value})
        return with_body(model, body.index, lambda b: replace(b, effects=effects))


@dataclass(frozen=True)
class Custom(Variable):
    """Any other numbers of a model, by a function of your own.

    Parameters
    ----------
    name : str
        Name in tables.
    function : callable
        Plain array code (model, x) → model, with x (n,) numbers or symbols; `model.with_parameters` is one way.
    values : array_like, shape (n,)
        Values of x that the search begins with.
    lower : array_like, shape (n,) or ()
        Least values.
    upper : array_like, shape (n,) or ()
        Largest values.

    Examples
    --------
    >>> import kinetrace as kt
    >>> def planet(model, g):
    ...     return model.with_parameters(gravity=kt.arrays.stack([0.0, 0.0, -g[0]]))
    >>> moon = kt.design.made(kt.load("planar2r"), [kt.design.Custom("g", planet, [9.81], 0.0, 20.0)], [1.62])
    >>> moon.gravity([0.0, 0.0])
    array([3.24, 0.81])
    """

    name: str
    function: Callable[[Model, Any], Model]
    values: npt.ArrayLike
    lower: Bound
    upper: Bound

    @property
    def label(self) -> str:
        """Name in tables."""
        return self.name

    def _start(self, model: Model) -> Float:
        """The values that the search begins with."""
        return np.atleast_1d(as_array("values", self.values).astype(float))

    def _applied(self, model: Model, x: Array) -> Model:
        """The model with these values."""
        made = self.function(model, x)
        if not isinstance(made, Model):
            raise InputError(f"the function of {self.name!r} must return a Model, got {type(made).__name__}")
        return made


def _along(axes: str, x: Array) -> Array:
    """A vector (3,) with entries of x along some axes."""
    zero: list[Any] = [0.0, 0.0, 0.0]
    for k, a in enumerate(axes):
        zero[AXES[a]] = x[k]
    return stack(zero)


def apply_variables(variables: Sequence[Variable], sizes: Sequence[int], model: Model, x: Array) -> Model:
    """The model with the values of all variables, one after the other."""
    end = 0
    for variable, n in zip(variables, sizes, strict=True):
        begin, end = end, end + n
        model = variable._applied(model, x[begin:end])
    return model


class DesignSpace(NamedTuple):
    """The variables of a design, and their values x (n,) one after the other."""

    variables: list[Variable]
    sizes: list[int]
    """Number of values of each variable."""
    names: tuple[str, ...]
    start: Float
    low: Float
    high: Float


def design_space(robot: Robot, variables: Any, x0: Any) -> DesignSpace:
    """The variables that a user means, the values to start from, and their bounds."""
    if not isinstance(robot, Robot):
        raise InputError(f"robot must be a kinetrace.Robot, got {type(robot).__name__}")
    wanted = "Length, Mass, Center, PointMass, Mount, Effect or Custom of kt.design"
    given = [variables] if isinstance(variables, Variable) else as_list("variables", variables, wanted)
    if not given:
        raise InputError(f"variables is empty: there is nothing to change; it must have {wanted}")
    if not all(isinstance(v, Variable) for v in given):
        raise InputError(f"variables must be {wanted}")
    model = robot.model
    starts, bounds = [v._start(model) for v in given], [v._bounds(model) for v in given]
    names = tuple(name for v in given for name in v._labels(model))
    start, low, high = (np.concatenate(x) for x in (starts, [b[0] for b in bounds], [b[1] for b in bounds]))
    if x0 is not None:
        begin = as_array("x0", x0)
        if begin.shape != start.shape or not np.isfinite(begin).all():
            raise InputError(f"x0 must be {len(start)} finite numbers, for {', '.join(names)}")
        start = np.clip(begin.astype(float), low, high)
    return DesignSpace(
        variables=[v._resolved(model) for v in given],
        sizes=[len(s) for s in starts],
        names=names,
        start=np.clip(start, low, high),
        low=low,
        high=high,
    )
