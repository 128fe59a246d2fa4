"""Actuators, which turn controls into joint forces, and keyframes, which are states with controls.

    ℓ = Σ_j r_jᵀ (q_j ⊖ 0),   ℓ̇ = Σ_j r_jᵀ v_j                  length and speed, by the gears r_j of joints j
    f = clip((g₀ + g₁ ℓ + g₂ ℓ̇) u + b₀ + b₁ ℓ + b₂ ℓ̇)            force, within `force_range`
    τ_j = Σ r_j f                                                 joint forces, within the efforts of joints

u is the control within `control_range`, a `delay` later if there is one, or the activation α of an actuator that has
dynamics: α̇ = u (integrator), α̇ = (u − α) / T (filters), within `activation_range`. `algorithms.actuation` evaluates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array, concatenate, is_concrete
from ...errors import ModelError, value_text
from ...lie import se3
from ..checks import MAX_NUMBER, number, numbers, one_of, sane, text
from ..joints import Joint
from ..record import Record, read_only

AXES = ("joint", "parent")
"""Axes that the gear of a joint with quaternions may be in: those of its velocity, or those of the joint's frame."""
DYNAMICS = ("none", "integrator", "filter", "exact filter")
"""Laws of activations: none, α̇ = u, α̇ = (u − α) / T by Euler's rule, and the same solved over a step."""
INTERPOLATIONS = ("hold", "linear")
"""Delayed controls between those of steps: the one before, or on the line between the two."""


@dataclass(frozen=True, eq=False)
class Gear(Record):
    """Gear of an actuator on a joint: what one unit of its force exerts there.

    Parameters
    ----------
    joint : str
        Name of the joint.
    ratio : array_like, shape (nv_i,), default 1.0
        Joint force per unit of the actuator's force, and speed of the actuator per unit of the joint's velocity.
    axes : {"joint", "parent"}, default "joint"
        Whether the ratio of a spherical or free joint is along the axes of its velocity, which move, or along those of
        the frame that it moves in.

    Raises
    ------
    ModelError
        If the ratio is not finite.

    Examples
    --------
    >>> from kinetrace.model import Gear
    >>> Gear("elbow", 50.0).ratio
    array([50.])
    """

    joint: str
    ratio: Array = 1.0
    axes: str = "joint"

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", text(self.joint, "gear: joint"))
        ratio = np.atleast_1d(numbers(self.ratio, f"gear on joint {self.joint!r}: ratio"))
        if ratio.ndim != 1 or (is_concrete(ratio) and not sane(ratio)):
            got = value_text(self.ratio)
            raise ModelError(f"gear on joint {self.joint!r}: ratio must be finite numbers (nv_i,), got {got}")
        object.__setattr__(self, "ratio", read_only(ratio))
        one_of(AXES, self.axes, f"gear on joint {self.joint!r}: axes")

    def row(self, joint: Joint, q: Array) -> Array:
        """The ratio along the axes of the joint's velocity.

        Parameters
        ----------
        joint : Joint
            The joint.
        q : array, shape (nq_i,)
            Its configuration.

        Returns
        -------
        ndarray, shape (nv_i,)
            Speed of the actuator per velocity of the joint.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> kt.model.Gear("neck", [0, 0, 2.0], "parent").row(kt.joints.Spherical(), np.array([0.0, 1.0, 0.0, 0.0]))
        array([ 0.,  0., -2.])
        """
        if self.axes == "joint":
            return self.ratio
        R = se3.rotation(joint.placement(q))
        return concatenate([part @ R for part in self.ratio.reshape(-1, 3)])


@dataclass(frozen=True, eq=False)
class Actuator(Record):
    """Actuator: a law of one control that pulls at joints.

    Its force is f = (g₀ + g₁ ℓ + g₂ ℓ̇) u + b₀ + b₁ ℓ + b₂ ℓ̇, with the length ℓ and the speed ℓ̇ that its gears make of
    the joints: a motor has g₀ alone, a position servo g₀ = kp and b = (0, −kp, −kv), a velocity servo g₀ = kv and
    b = (0, 0, −kv). Joint forces are the gears times f. See docs/simulation.md.

    Parameters
    ----------
    name : str
        Name of the actuator.
    gears : str, mapping of str to array_like, or sequence of Gear
        The joints that it acts on: one, whose gear is 1, or joints with their gears.
    gain : float or array_like, shape (3,), default 1.0
        Number g₀, or all of g: force per control, and its changes with length and speed.
    bias : float or array_like, shape (3,), default 0.0
        Number b₀, or all of b: force without a control, and its changes with length and speed.
    control_range : array_like, shape (2,), default (-inf, inf)
        Least and largest control; controls beyond count as these.
    force_range : array_like, shape (2,), default (-inf, inf)
        Least and largest force f [N m, N].
    dynamics : {"none", "integrator", "filter", "exact filter"}, default "none"
        Law of the activation α that takes the place of the control: none, α̇ = u, or α̇ = (u − α) / T.
    time_constant : float, default 0.0
        T of a filter [s].
    activation_range : array_like, shape (2,), default (-inf, inf)
        Least and largest activation.
    acts_early : bool, default False
        Whether the activation at the end of a step acts during it, and not that at its beginning.
    delay : float, default 0.0
        Time from a control to its effect [s].
    interpolation : {"hold", "linear"}, default "hold"
        Delayed control between those of two steps: the one before, or on the line between them.

    Raises
    ------
    ModelError
        If a number is not finite, a range is empty, a law is unknown, or there is no joint.

    Examples
    --------
    >>> import kinetrace as kt
    >>> servo = kt.Actuator.position("joint1", kp=100.0, kv=5.0, force_range=(-80, 80))
    >>> servo.gain, servo.bias
    (array([100.,   0.,   0.]), array([   0., -100.,   -5.]))
    >>> kt.Actuator("pull", {"joint1": 0.05, "joint2": -0.05}).joints
    ('joint1', 'joint2')
    """

    name: str
    gears: tuple[Gear, ...]
    gain: Array = 1.0
    bias: Array = 0.0
    control_range: Array = (-np.inf, np.inf)
    force_range: Array = (-np.inf, np.inf)
    dynamics: str = "none"
    time_constant: float = 0.0
    activation_range: Array = (-np.inf, np.inf)
    acts_early: bool = False
    delay: float = 0.0
    interpolation: str = "hold"

    def __post_init__(self) -> None:
        what = f"actuator {text(self.name, 'the name of an actuator')!r}"
        found: dict[str, Any] = {"name": text(self.name, "name"), "gears": _gears(self.gears, what)}
        for name in ("gain", "bias"):
            found[name] = _coefficients(getattr(self, name), f"{what}: {name}")
        for name in ("control_range", "force_range", "activation_range"):
            found[name] = _range(getattr(self, name), f"{what}: {name}")
        for name in ("time_constant", "delay"):
            found[name] = number(getattr(self, name), f"{what}: {name}")
            if is_concrete(found[name]) and found[name] < 0.0:
                raise ModelError(f"{what}: {name} must not be negative, got {found[name]:g}")
        one_of(DYNAMICS, self.dynamics, f"{what}: dynamics")
        one_of(INTERPOLATIONS, self.interpolation, f"{what}: interpolation")
        one_of((True, False), self.acts_early, f"{what}: acts_early")
        for name, value in {**found, "acts_early": bool(self.acts_early)}.items():
            object.__setattr__(self, name, read_only(value))

    @staticmethod
    def motor(joint: str, gear: Any = 1.0, **others: Any) -> Actuator:
        """Motor of a joint: the control is its force.

        Parameters
        ----------
        joint : str
            Name of the joint, and of the actuator unless `name` is given.
        gear : float or array_like, shape (nv_i,), default 1.0
            Joint force per unit of the motor's.
        **others
            Further fields by name, as in `Actuator`.

        Returns
        -------
        Actuator
            The motor.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Actuator.motor("joint1", 50.0, control_range=(-1, 1)).gears[0].ratio
        array([50.])
        """
        return Actuator(**{"name": joint, "gears": {joint: gear}, **others})

    @staticmethod
    def position(joint: str, kp: float, kv: float = 0.0, **others: Any) -> Actuator:
        """Position servo of a joint: the control is the position that it holds.

        Parameters
        ----------
        joint : str
            Name of the joint, and of the actuator unless `name` is given.
        kp : float
            Stiffness [N m/rad, N/m].
        kv : float, default 0.0
            Damping [N m s/rad, N s/m].
        **others
            Further fields by name, as in `Actuator`.

        Returns
        -------
        Actuator
            The servo.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Actuator.position("joint1", kp=100.0, kv=5.0).bias
        array([   0., -100.,   -5.])
        """
        return Actuator(**{"name": joint, "gears": joint, "gain": kp, "bias": (0.0, -kp, -kv), **others})

    @staticmethod
    def velocity(joint: str, kv: float, **others: Any) -> Actuator:
        """Velocity servo of a joint: the control is the velocity that it holds.

        Parameters
        ----------
        joint : str
            Name of the joint, and of the actuator unless `name` is given.
        kv : float
            Damping [N m s/rad, N s/m].
        **others
            Further fields by name, as in `Actuator`.

        Returns
        -------
        Actuator
            The servo.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Actuator.velocity("joint1", kv=5.0).gain
        array([5., 0., 0.])
        """
        return Actuator(**{"name": joint, "gears": joint, "gain": kv, "bias": (0.0, 0.0, -kv), **others})

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that it acts on.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Actuator.motor("joint1").joints
        ('joint1',)
        """
        return tuple(dict.fromkeys(gear.joint for gear in self.gears))

    @property
    def has_activation(self) -> bool:
        """Whether it has a state of its own.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Actuator("joint1", "joint1", dynamics="filter", time_constant=0.05).has_activation
        True
        """
        return self.dynamics != "none"


@dataclass(frozen=True, eq=False)
class Keyframe(Record):
    """State of a robot that its source names, with controls.

    Parameters
    ----------
    name : str
        Name of the keyframe.
    q : ndarray, shape (nq,)
        Configuration.
    v : ndarray, shape (nv,)
        Velocity [rad/s, m/s].
    control : ndarray, shape (controls,)
        Controls of the actuators.
    activation : ndarray, shape (activations,)
        Activations of the actuators that have some.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r").with_keyframe("up", [1.5, 0.0])
    >>> robot.keyframes["up"].q
    array([1.5, 0. ])
    """

    name: str
    q: Array
    v: Array
    control: Array
    activation: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", text(self.name, "the name of a keyframe"))
        for name in ("q", "v", "control", "activation"):
            x = numbers(getattr(self, name), f"keyframe {self.name!r}: {name}")
            if x.ndim != 1 or (is_concrete(x) and not sane(x)):
                raise ModelError(f"keyframe {self.name!r}: {name} must be finite numbers in one row, got {x.tolist()}")
            object.__setattr__(self, name, read_only(x))


def is_bound(x: Array) -> bool:
    """Whether a number is not known to be infinite."""
    return not is_concrete(x) or bool(np.isfinite(x))


def _gears(given: Any, what: str) -> tuple[Gear, ...]:
    """Gears of what stands for them."""
    if isinstance(given, str | Gear):
        given = (given,)
    if isinstance(given, Mapping):
        given = [Gear(joint, ratio) for joint, ratio in given.items()]
    if not isinstance(given, Sequence) or not given:
        told = "must be a joint, joints with their gears as {'elbow': 50.0}, or kinetrace.model.Gear(...)"
        raise ModelError(f"{what}: gears {told}; got {value_text(given)}")
    found = tuple(Gear(x) if isinstance(x, str) else x for x in given)
    for x in found:
        if not isinstance(x, Gear):
            raise ModelError(f"{what}: gears must be kinetrace.model.Gear(...), got {value_text(x)}")
    return found


def _coefficients(x: Any, what: str) -> Array:
    """Three coefficients, of which the last two are zero if one number is given."""
    found = numbers(x, what)
    if found.shape == ():
        found = concatenate([np.atleast_1d(found), np.zeros(2)])
    if found.shape != (3,) or (is_concrete(found) and not sane(found)):
        told = f"a finite number, or three: constant, per length and per speed; at most {MAX_NUMBER:g}"
        raise ModelError(f"{what} must be {told}; got {value_text(x)}")
    return found + 0.0  # -0.0 becomes 0.0


def _range(x: Any, what: str) -> Array:
    """A lower and an upper bound."""
    found = numbers(x, what)
    if found.shape != (2,) or (is_concrete(found) and not found[0] <= found[1]):
        told = "two numbers, the least and the largest, perhaps infinite"
        raise ModelError(f"{what} must be {told}; got {value_text(x)}")
    return found + 0.0
