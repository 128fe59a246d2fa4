"""Passive effects of a joint: rotor, damping, friction, spring, stops.

For each entry of a joint's velocity v, with q its configuration, the motor must provide, besides the forces on bodies,

    τ = A v̇ + d v + f v / √(v² + w²) + k (q ⊖ q₀) + k_s s(p) + d_s s'(p) v

    A    armature [kg m², kg]: the inertia of the motor's rotor seen through its gear, ratio² times its own
    d    damping [N m s/rad, N s/m]
    f    Coulomb friction [N m, N], smoothed over the velocity w, `friction_width`: 0.71 f at w, 0.995 f at 10 w
    k    stiffness [N m/rad, N/m] of a spring that is at rest at q₀; q ⊖ q₀ is `joint.difference`
    s    how far a soft stop is pressed, p = q − upper, or with the other sign p = lower − q, being beyond the limit:
         s(p) = w_s (x³ − x⁴/2) + max(p − w_s, 0),   x = p / w_s within [0, 1],   w_s the `stop_width`
         which has two continuous derivatives, and is p − w_s/2 beyond the width

A soft stop acts beyond the joint's limits alone, and only if it has a stiffness or a damping. Springs and stops store
the energy ½ k |q ⊖ q₀|² + k_s ∫s; damping, friction and d_s dissipate power. A joint whose velocity is not the rate of
coordinates (quaternions) has no rotor and no stops, and a spring of the same stiffness about all axes.

These are laws of forces. With `friction_law="dry"` and `stop_law="hard"` friction and stops are conditions on the
velocity after a step in time instead (`algorithms.constraints`): dry friction holds a joint at rest up to f, a hard
stop lets no coordinate pass its limit, and throws it back with `restitution` times its speed. Steps that solve for such
conditions leave f and the soft stop out of τ; all else answers with the laws above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ...arrays import Array, concatenate, is_concrete, maximum, minimum, sqrt, where
from ...errors import ModelError, lookup
from ...support.conversion import as_names
from ..checks import MAX_NUMBER, is_present, numbers, one_of, sane
from ..joints import Joint
from ..record import Record, field_names, read_only
from .link_effects import has_link_effects, lifted_energy, link_force_derivatives, link_forces

if TYPE_CHECKING:
    from ..body import Body, Limits
    from ..model import Model

FRICTION_WIDTH = 0.01
"""Default velocity over which Coulomb friction is smoothed [rad/s, m/s]."""
STOP_WIDTH = 0.01
"""Default distance over which a stop becomes stiff [rad, m]."""
WIDTHS = ("friction_width", "stop_width")
FrictionLaw = Literal["smooth", "dry"]
StopLaw = Literal["soft", "hard"]
EFFECT_LAWS: dict[str, tuple[str, ...]] = {"friction_law": get_args(FrictionLaw), "stop_law": get_args(StopLaw)}
"""Fields of `JointEffects` that are names, and their values, the default first; all others are numbers."""


@dataclass(frozen=True, eq=False)
class JointEffects(Record):
    """Rotor, damping, friction, spring and soft stops of a joint.

    Values are numbers ≥ 0 for all velocities of the joint, or one per velocity, shape (nv,). The force per velocity v
    is

        τ = A v̇ + d v + f v / √(v² + w²) + k (q ⊖ rest) + k_s s(p) + d_s s'(p) v

    with s(p) the compression of a stop at p beyond the limit; see docs/joint_effects.md.

    Parameters
    ----------
    armature : array_like, default 0.0
        Inertia A of the rotor seen through its gear, ratio² times its own [kg m², kg].
    damping : array_like, default 0.0
        Viscous damping d [N m s/rad, N s/m].
    friction : array_like, default 0.0
        Coulomb friction f [N m, N].
    friction_width : array_like, default 0.01
        Velocity w over which friction is smoothed [rad/s, m/s].
    stiffness : array_like, default 0.0
        Stiffness k of a spring [N m/rad, N/m].
    rest : array_like, shape (nq,), optional
        Configuration at which the spring is at rest; the joint's zero unless given.
    stop_stiffness : array_like, default 0.0
        Stiffness k_s of soft stops beyond the joint's limits [N m/rad, N/m].
    stop_damping : array_like, default 0.0
        Damping d_s of soft stops [N m s/rad, N s/m].
    stop_width : array_like, default 0.01
        Distance over which stops become stiff [rad, m].
    restitution : array_like, default 0.0
        Speed after the impact on a hard stop, relative to that before it: from 0 to 1.
    friction_law : {"smooth", "dry"}, default "smooth"
        Whether `friction` is the smooth law above, or holds the joint at rest in steps that solve for it.
    stop_law : {"soft", "hard"}, default "soft"
        Whether the joint may go beyond its limits, or hard stops are there in steps that solve for them.

    Raises
    ------
    ModelError
        If a value is negative or not finite, a restitution is above 1, or a law is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.JointEffects(damping=0.1, armature=[0.02]).armature
    array([0.02])
    """

    armature: Array = 0.0
    damping: Array = 0.0
    friction: Array = 0.0
    friction_width: Array = FRICTION_WIDTH
    stiffness: Array = 0.0
    rest: Array | None = None
    stop_stiffness: Array = 0.0
    stop_damping: Array = 0.0
    stop_width: Array = STOP_WIDTH
    restitution: Array = 0.0
    friction_law: str = "smooth"
    stop_law: str = "soft"

    def __post_init__(self) -> None:
        for name, laws in EFFECT_LAWS.items():
            object.__setattr__(self, name, one_of(laws, getattr(self, name), f"joint effects: {name}"))
        for name in EFFECT_NUMBERS:
            value = getattr(self, name)
            if value is None:
                continue
            law = next((law for law, names in EFFECT_LAWS.items() if isinstance(value, str) and value in names), None)
            if law is not None:
                raise ModelError(f"joint effects: {name} must be numbers, got {value!r}; did you mean {law}={value!r}?")
            array = numbers(value, f"joint effects: {name}")
            if is_concrete(array) and not (sane(array) and (name == "rest" or np.all(array >= 0.0))):
                what = "finite" if name == "rest" else "finite and not negative"
                raise ModelError(f"joint effects: {name} must be {what}, at most {MAX_NUMBER:g}, got {array.tolist()}")
            if name in WIDTHS and is_concrete(array) and not np.all(array > 0.0):
                raise ModelError(f"joint effects: {name} must be positive, got {array.tolist()}")
            if name == "restitution" and is_concrete(array) and not np.all(array <= 1.0):
                raise ModelError(f"joint effects: restitution must be from 0 to 1, got {array.tolist()}")
            object.__setattr__(self, name, read_only(array))

    @staticmethod
    def of_rotor(inertia: float, gear_ratio: float, **others: Any) -> JointEffects:
        """Effects of a motor with a rotor behind a gear.

        Parameters
        ----------
        inertia : float
            Inertia of the rotor about its axis [kg m²].
        gear_ratio : float
            Speed of the rotor relative to the joint.
        **others
            Further effects by name, as in `JointEffects`.

        Returns
        -------
        JointEffects
            Effects with the armature gear_ratio² · inertia.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.JointEffects.of_rotor(1e-4, 100.0).armature
        array(1.)
        """
        return JointEffects(armature=numbers(gear_ratio, "gear_ratio") ** 2 * numbers(inertia, "inertia"), **others)

    def of(self, joint: Joint, what: str) -> JointEffects:
        """Same effects with one number per velocity of a joint.

        Parameters
        ----------
        joint : Joint
            The joint.
        what : str
            Name of the joint in messages.

        Returns
        -------
        JointEffects
            Effects of shape (nv,), with `rest` of shape (nq,).

        Raises
        ------
        ModelError
            If shapes do not fit, or the joint cannot have these effects.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.JointEffects(damping=0.1).of(kt.joints.Cylindrical(), "joint").damping
        array([0.1, 0.1])
        """
        sized: dict[str, Any] = {name: getattr(self, name) for name in EFFECT_LAWS}
        for name in EFFECT_NUMBERS:
            value, shape = getattr(self, name), (joint.nq if name == "rest" else joint.nv,)
            value = joint.neutral() if value is None else value
            if value.shape not in ((), shape) or (value.shape == () and name == "rest" and joint.nq != joint.nv):
                all_joints = f"; with_parameters({name}=...) takes an array over all joints" * (value.size > shape[0])
                raise ModelError(f"{what}: {name} must have shape {shape}, got {value.shape}{all_joints}")
            sized[name] = value * np.ones(shape) if value.shape == () else value
        _check_directions(joint, sized, what)
        return JointEffects(**sized)

    def conservative(self, joint: Joint, limits: Limits, q: Array) -> Array:
        """Forces of spring and stops.

        Parameters
        ----------
        joint : Joint
            The joint.
        limits : Limits
            Its limits, where the stops are.
        q : array_like, shape (nq,)
            Its configuration.

        Returns
        -------
        ndarray, shape (nv,)
            Forces [N m, N].

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> joint = kt.joints.Revolute()
        >>> effects = kt.JointEffects(stiffness=2.0).of(joint, "joint")
        >>> effects.conservative(joint, kt.Limits.none(joint), np.array([0.5]))
        array([1.])
        """
        force = np.zeros(joint.nv)
        if is_present(self.stiffness):
            force = force + self.stiffness * joint.difference(self.rest, q)
        for sign, p in self._beyond(joint, limits, q):
            x, more = self._pressed(p)
            force = force + sign * self.stop_stiffness * (self.stop_width * (x * x * x * (1.0 - x / 2.0)) + more)
        return force

    def dissipative(self, joint: Joint, limits: Limits, q: Array, v: Array) -> Array:
        """Forces of damping, friction and the damping of stops.

        Parameters
        ----------
        joint : Joint
            The joint.
        limits : Limits
            Its limits, where the stops are.
        q : array_like, shape (nq,)
            Its configuration.
        v : array_like, shape (nv,)
            Its velocity [rad/s, m/s].

        Returns
        -------
        ndarray, shape (nv,)
            Forces [N m, N].

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> joint = kt.joints.Revolute()
        >>> effects = kt.JointEffects(damping=0.1).of(joint, "joint")
        >>> effects.dissipative(joint, kt.Limits.none(joint), np.zeros(1), np.array([2.0]))
        array([0.2])
        """
        force = self._resistance(joint, limits, q) * v
        if is_present(self.friction):
            force = force + coulomb(self.friction, v, self.friction_width)
        return force

    def energy(self, joint: Joint, limits: Limits, q: Array) -> Array:
        """Energy stored in spring and stops.

        Parameters
        ----------
        joint : Joint
            The joint.
        limits : Limits
            Its limits, where the stops are.
        q : array_like, shape (nq,)
            Its configuration.

        Returns
        -------
        ndarray, shape ()
            Energy [J].

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> joint = kt.joints.Revolute()
        >>> effects = kt.JointEffects(stiffness=2.0).of(joint, "joint")
        >>> effects.energy(joint, kt.Limits.none(joint), np.array([0.5]))
        np.float64(0.25)
        """
        total = np.zeros(())
        if is_present(self.stiffness):
            theta = joint.difference(self.rest, q)
            total = total + (self.stiffness * theta) @ theta / 2.0
        for _, p in self._beyond(joint, limits, q):
            (x, more), w = self._pressed(p), self.stop_width
            stored = w * w * (x * x * x * x * (0.25 - 0.1 * x)) + more * (more + w) / 2.0
            total = total + self.stop_stiffness @ stored
        return total

    def derivatives(self, joint: Joint, limits: Limits, q: Array, v: Array) -> tuple[Array, Array]:
        """Derivatives of conservative and dissipative forces.

        Parameters
        ----------
        joint : Joint
            The joint.
        limits : Limits
            Its limits, where the stops are.
        q : array_like, shape (nq,)
            Its configuration.
        v : array_like, shape (nv,)
            Its velocity [rad/s, m/s].

        Returns
        -------
        by_q : ndarray, shape (nv, nv)
            The derivative along q ⊕ ε.
        by_v : ndarray, shape (nv, nv)
            The derivative with respect to v.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> joint = kt.joints.Revolute()
        >>> effects = kt.JointEffects(stiffness=2.0, damping=0.1).of(joint, "joint")
        >>> effects.derivatives(joint, kt.Limits.none(joint), np.zeros(1), np.zeros(1))
        (array([[2.]]), array([[0.1]]))
        """
        by_q, by_v = np.zeros((joint.nv, joint.nv)), self._resistance(joint, limits, q)
        if is_present(self.stiffness):
            by_q = by_q + self.stiffness[:, None] * joint.difference_gradient(self.rest, q)
        if is_present(self.friction):
            by_v = by_v + coulomb_slope(self.friction, v, self.friction_width)
        for sign, p in self._beyond(joint, limits, q):
            x, _ = self._pressed(p)
            steeper = sign * 6.0 * (x - x * x) / self.stop_width  # of s'
            by_q = by_q + np.eye(joint.nv) * (self.stop_stiffness * _ramp(x) + self.stop_damping * steeper * v)
        return by_q, np.eye(joint.nv) * by_v

    def _resistance(self, joint: Joint, limits: Limits, q: Array) -> Array:
        """The factor of v (nv,)."""
        total = self.damping
        for _, p in self._beyond(joint, limits, q):
            total = total + self.stop_damping * _ramp(self._pressed(p)[0])
        return total

    def _beyond(self, joint: Joint, limits: Limits, q: Array) -> list[tuple[float, Array]]:
        """The directions of stops, and how far q is beyond them (nv,): negative where there is none."""
        if not joint.has_coordinates or not (is_present(self.stop_stiffness) or is_present(self.stop_damping)):
            return []
        sides = [(1.0, limits.upper), (-1.0, limits.lower)]
        return [
            (sign, where(np.isfinite(at), sign * (q - np.where(np.isfinite(at), at, 0.0)), -1.0))
            for sign, at in sides
            if np.isfinite(at).any()
        ]

    def _pressed(self, p: Array) -> tuple[Array, Array]:
        """x within [0, 1], and how far p is beyond the width."""
        p = maximum(p, 0.0)
        return minimum(p / self.stop_width, 1.0), maximum(p - self.stop_width, 0.0)


EFFECT_NUMBERS = tuple(name for name in field_names(JointEffects) if name not in EFFECT_LAWS)
"""Fields of `JointEffects` that are numbers."""


def coulomb(friction: Array, v: Array, width: Array) -> Array:
    """Coulomb friction f v / √(v² + w²), smoothed over the velocity w.

    >>> coulomb(2.0, np.array([0.01, 1.0]), 0.01).round(3)
    array([1.414, 2.   ])
    """
    return friction * v / sqrt(v * v + width * width)


def coulomb_slope(friction: Array, v: Array, width: Array) -> Array:
    """Derivative f w² / (v² + w²)^(3/2) of `coulomb` with respect to v.

    >>> coulomb_slope(2.0, np.array([0.0]), 0.01)
    array([200.])
    """
    w2 = width * width
    square = v * v + w2
    return friction * w2 / (square * sqrt(square))


def _ramp(x: Array) -> Array:
    """s'(p): from 0 to 1, with a continuous derivative."""
    return x * x * (3.0 - 2.0 * x)


def _check_directions(joint: Joint, given: dict[str, Array], what: str) -> None:
    """Raise an error for a rotor where v is not a rate of coordinates, or a spring that has no energy there."""
    if joint.has_coordinates:
        return
    e, kind = np.eye(joint.nv), type(joint).__name__
    brackets = np.array([[joint.bracket(a, b) for b in e] for a in e])
    if is_present(given["armature"]):
        raise ModelError(f"{what}: a {kind} joint has no rotor: its velocity is not the rate of coordinates")
    if given["stop_law"] == "hard":
        raise ModelError(f"{what}: a {kind} joint has no stops: it has no coordinates with limits")
    if is_concrete(given["stiffness"]):
        work = np.einsum("i,jki->ijk", given["stiffness"], brackets)
        if np.any(work + work.transpose(1, 0, 2)):
            raise ModelError(f"{what}: the stiffness of a {kind} joint must be one for all turns, and none for shifts")


def effects_of(body: Body) -> JointEffects:
    """The effects of a body's joint; zeros if it has none."""
    return JointEffects().of(body.joint, body.joint_name) if body.effects is None else body.effects


def per_velocity(model: Model, name: str) -> Array:
    """One field of `JointEffects` for each velocity (nv,), of the joints that have variables of their own.

    >>> import kinetrace as kt
    >>> per_velocity(kt.load("planar2r").model.with_joint_effects("joint2", damping=0.5), "damping")
    array([0. , 0.5])
    """
    return concatenate([np.zeros(0), *(getattr(effects_of(body), name) for body in model.independent_joints)])


def with_joint_effects(model: Model, *joints: str | Sequence[str], **values: Any) -> Model:
    """Model with other effects in some joints; those that are not named stay as they are.

    Parameters
    ----------
    model : Model
        The model.
    *joints : str or sequence of str
        Names of joints, one by one or as one sequence; all but spherical and free ones unless given.
    **values
        Fields of `JointEffects` by name.

    Returns
    -------
    Model
        The model with these effects.

    Raises
    ------
    ModelError
        If a value is not valid for the joint.
    InputError
        If a joint is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects("joint2", damping=0.5)
    >>> model.bodies[1].effects.damping
    array([0.5])
    """
    for name, value in values.items():
        if isinstance(value, Mapping):
            given = f"for each joint, with_joint_effects({next(iter(value), 'joint')!r}, {name}=...)"
            raise ModelError(f"{name} must be numbers, got a mapping; name joints before them, one call {given}")
    chosen = _joints_by_name(model, joints, [body for body in model.bodies if body.joint.has_coordinates])

    def changed(body: Body) -> JointEffects | None:
        if body.joint_name not in chosen:
            return body.effects
        return replace(effects_of(body), **values).of(body.joint, f"joint {body.joint_name!r}")

    return _with_effects(model, changed)


def with_laws(model: Model, friction_law: FrictionLaw | None = None, stop_law: StopLaw | None = None) -> Model:
    """The model with a law of friction in all joints that have friction, and one of stops in all that have limits."""

    def changed(body: Body) -> JointEffects | None:
        effects, found = effects_of(body), dict[str, str]()
        if friction_law is not None and is_present(effects.friction):
            found["friction_law"] = friction_law
        has_limits = np.isfinite([*body.limits.lower, *body.limits.upper]).any()
        if stop_law is not None and has_limits and body.joint.has_coordinates:
            found["stop_law"] = stop_law
        same = all(getattr(effects, name) == x for name, x in found.items())
        return body.effects if same else replace(effects, **found)

    for name, law in (("friction_law", friction_law), ("stop_law", stop_law)):
        if law is not None:
            one_of(EFFECT_LAWS[name], law, name)
    return _with_effects(model, changed)


def with_smooth_laws(model: Model) -> Model:
    """The model with smooth friction and soft stops: what all answer with but the steps that solve for the others."""
    usual = {name: laws[0] for name, laws in EFFECT_LAWS.items()}
    return _with_effects(model, lambda body: None if body.effects is None else replace(body.effects, **usual))


def without_joint_effects(model: Model, *joints: str | Sequence[str]) -> Model:
    """Model without effects in some joints.

    Parameters
    ----------
    model : Model
        The model.
    *joints : str or sequence of str
        Names of joints, one by one or as one sequence; all unless given.

    Returns
    -------
    Model
        The model without these effects.

    Raises
    ------
    InputError
        If a joint is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> model.with_joint_effects(damping=0.5).without_joint_effects() == model
    True
    """
    chosen = _joints_by_name(model, joints, model.bodies)
    return _with_effects(model, lambda body: None if body.joint_name in chosen else body.effects)


def _joints_by_name(model: Model, joints: tuple[str | Sequence[str], ...], default: Sequence[Body]) -> set[str]:
    """The joints that are named; those of `default` if none is."""
    given, names = as_names(joints), {body.joint_name: None for body in model.bodies}
    for name in given or ():
        lookup("joint", name, names)
    return {body.joint_name for body in default} if given is None else set(given)


def _with_effects(model: Model, change: Callable[[Body], JointEffects | None]) -> Model:
    return replace(model, bodies=tuple(replace(body, effects=change(body)) for body in model.bodies))


def with_rotors_alone(model: Model) -> Model:
    """The model without the forces of damping, friction, springs, stops, and those on links."""

    def rotor(body: Body) -> JointEffects | None:
        return JointEffects(armature=body.effects.armature).of(body.joint, "") if body.effects is not None else None

    if not has_effects(model):
        return model
    bodies = (replace(body, effects=rotor(body), link_effects=None) for body in model.bodies)
    return replace(model, bodies=tuple(bodies), fluid=None)


def armature(model: Model) -> Array:
    """Contribution of the rotors to the mass matrix (nv, nv): Σ Rᵀ A R, with a block for each joint with variables.

    It is diagonal, unless a joint follows several variables of another at once.
    """
    shares = model.split_v(np.eye(model.nv))
    each = [body.armature @ share for body, share in zip(model.bodies, shares, strict=True)]
    return read_only(model.gather(each).reshape(model.nv, model.nv))


def passive_forces(model: Model, q: Array, v: Array) -> Array:
    """Joint forces of damping, friction, springs and stops, and of what acts on links by itself (`link_effects`).

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.
    v : array, shape (nv,)
        Velocity [rad/s, m/s].

    Returns
    -------
    ndarray, shape (nv,)
        Joint forces that overcome them [N m, N].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects(damping=0.5)
    >>> model.passive_forces(np.zeros(2), np.array([1.0, 2.0]))
    array([0.5, 1. ])
    """
    if not has_effects(model):
        return np.zeros(model.nv)
    found = model.gather([body.passive_force(*x) for body, *x in _states(model, q, v)])
    return found + link_forces(model, q, v) if has_link_effects(model) else found


def passive_derivatives(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Derivatives of `passive_forces`.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.
    v : array, shape (nv,)
        Velocity [rad/s, m/s].

    Returns
    -------
    by_q : ndarray, shape (nv, nv)
        The derivative along q ⊕ ε.
    by_v : ndarray, shape (nv, nv)
        The derivative with respect to v.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects(damping=0.5)
    >>> model.passive_derivatives(np.zeros(2), np.zeros(2))[1]
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    if not has_effects(model):
        return (np.zeros((model.nv, model.nv)),) * 2
    shares = model.split_v(np.eye(model.nv))
    each = [body.passive_derivatives(*x) for body, *x in _states(model, q, v)]
    by_q, by_v = (model.gather([D[k] @ share for D, share in zip(each, shares, strict=True)]) for k in range(2))
    if not has_link_effects(model):
        return by_q, by_v
    of_links = link_force_derivatives(model, q, v)
    return by_q + of_links[0], by_v + of_links[1]


def stored_energy(model: Model, q: Array) -> Array:
    """Energy stored in springs and stops, and in what compensates weights.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.

    Returns
    -------
    ndarray, shape ()
        Energy [J].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects(stiffness=2.0)
    >>> model.stored_energy(np.array([0.5, 0.0]))
    np.float64(0.25)
    """
    each = zip(model.bodies, model.split_q(q), strict=True)
    lifted = lifted_energy(model, q) if has_link_effects(model) else np.zeros(())
    return sum((b.effects.energy(b.joint, b.limits, x) for b, x in each if b.effects is not None), start=lifted)


def dissipated_power(model: Model, q: Array, v: Array) -> Array:
    """Power that damping, friction, stops and a fluid take away; a wind may give some.

    Parameters
    ----------
    model : Model
        The model.
    q : array, shape (nq,)
        Configuration.
    v : array, shape (nv,)
        Velocity [rad/s, m/s].

    Returns
    -------
    ndarray, shape ()
        Power [W].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> model = kt.load("planar2r").model.with_joint_effects(damping=0.5)
    >>> model.dissipated_power(np.zeros(2), np.array([1.0, 2.0]))
    np.float64(2.5)
    """
    each = [(b, *x) for b, *x in _states(model, q, v) if b.effects is not None]
    fluid = link_forces(model, q, v, lifts=False) @ v if has_link_effects(model) else np.zeros(())
    return sum((b.effects.dissipative(b.joint, b.limits, x, y) @ y for b, x, y in each), start=fluid)


def has_effects(model: Model) -> bool:
    """Whether any joint has effects, or anything acts on links."""
    return any(body.effects is not None for body in model.bodies) or has_link_effects(model)


def _states(model: Model, q: Array, v: Array) -> Sequence[tuple[Body, Array, Array]]:
    return list(zip(model.bodies, model.split_q(q), model.split_v(v), strict=True))
