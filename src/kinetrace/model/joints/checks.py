"""What the methods of a joint class must agree on: looked at when a user's own joint is first used in a process.

    Ẋ = X hat(S v),   q̇ = T v,   (q ⊕ v) ⊖ q = v,   Ṡ = dS/dt,   bias = Ṡ v,   bias_gradient = ∂(Ṡ v)/∂q
    [u, w] = (q ⊕ u ⊕ w) ⊖ (q ⊕ w ⊕ u) to second order,    q ⊕ (θ + ε w) = (q ⊕ ε dexp_θ w) ⊕ θ,   and their duals
    normalise is the identity on configurations, and maps all other numbers to some

Where two methods contradict each other, a third one tells which is wrong. Derivatives are exact, by dual numbers; that
of the bracket is a difference. What concerns displacements alone is in `displacement_checks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ModelError, value_text
from ...lie import Ad_inv, se3, so3
from ..constraints.checks import ARRAY_CODE, MEANINGS, Comparison, check_constraint, own_parts, row_note
from ..constraints.checks import comparisons as comparisons_of_constraint
from ..dual import derivative_along
from ..record import is_known, is_own
from .base import Joint
from .displacement_checks import EXACT, agree, of_axes, of_displacements, of_normalise, of_validity, rate_of
from .form_checks import (
    closing_fault,
    coordinates_note,
    method_fault,
    random_fault,
    scalar_fault,
    symbol_fault,
    unfinished_fault,
)

DIFFERENCE_TOLERANCE = 1e-4
"""Of second differences, as EXACT is of all else."""
SAMPLED_CONFIGURATIONS, SAMPLES_AT_MOST = 3, 100


def check_sizes(joint: Joint, what: str) -> None:
    """An error unless the numbers of variables and velocities are numbers."""
    for name in ("nq", "nv"):
        n = getattr(joint, name)
        if not isinstance(n, int | np.integer) or n < 0:
            told = f"{name} must be a whole number, not below 0, got {value_text(n)}"
            raise ModelError(f"{what}: {type(joint).__name__}.{told}")


def check_joint(joint: Joint, what: str, lower: Array, upper: Array, *, everywhere: bool = True) -> None:
    """An error if methods of a joint of a user's class contradict each other; joints of the library are tested.

    Configurations are within the limits (nq,), or between -1 and 1 where there are none. Its placement must be finite
    `everywhere` there: of a joint that closes a loop, which has no limits, where it is.
    """
    if not (is_own(joint) and is_known(joint)):
        return
    low, high = sampled_limits(lower, upper)
    fault = _first_fault(joint, tuple(low.tolist()), tuple(high.tolist()), everywhere)
    if fault is not None:
        raise ModelError(f"{what}: {type(joint).__name__}.{fault}")


def sampled_limits(lower: Array, upper: Array) -> tuple[Array, Array]:
    """Limits (nq,) within which configurations of users' joints are tried: between -1 and 1 where there are none."""
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0, -1.0))
    return low, np.where(np.isfinite(upper), upper, low + 2.0)


@lru_cache(maxsize=256)
def _first_fault(joint: Joint, lower: tuple[float, ...], upper: tuple[float, ...], everywhere: bool) -> str | None:
    rng, limits, left = np.random.default_rng(0), (np.array(lower), np.array(upper)), SAMPLED_CONFIGURATIONS
    with np.errstate(all="ignore"):
        fault = random_fault(joint, rng, limits) or (unfinished_fault(joint, limits) if everywhere else None)
        if fault is not None:
            return fault
        for _ in range(SAMPLES_AT_MOST):
            q = np.asarray(joint.random(rng, limits), dtype=float)
            fault, gap = method_fault(joint, q)
            if fault is None and gap is None:
                fault = scalar_fault(joint, q) or symbol_fault(joint) or closing_fault(joint, q)
                fault = fault or _fault_at(joint, q, limits, *rng.normal(size=(2, joint.nv)))
                left -= 1
            if fault is not None or not left:
                return fault
    return "placement(q) is not finite at any configuration that was tried: give limits= within which it is"


def _fault_at(joint: Joint, q: Array, limits: tuple[Array, Array], v: Array, w: Array) -> str | None:
    name = "placement(q)"
    try:
        for name, found, wanted in _comparisons(joint, q, limits, v, w):
            found, wanted = np.asarray(found, dtype=float), np.asarray(wanted, dtype=float)
            if found.shape != wanted.shape:
                return f"{name} must have shape {wanted.shape}, got {found.shape}"
            tolerance = DIFFERENCE_TOLERANCE if name == "bracket(v, w)" else EXACT
            if not agree(found, wanted, tolerance):
                off = float(np.abs(found - wanted).max(initial=0.0))
                said = f"{name} is off by {off:.2g} at q = {q.round(3).tolist()}: it must be {_MEANINGS[name]}"
                said += _column_note(joint, q) if name == "placement(q) or subspace(q)" else ""
                said += row_note(found, wanted, joint.placement(q)) if name == "closing().rows(X)" else ""
                return said + (coordinates_note(joint) if name.startswith("placement(q)") else "")
    except Exception as error:  # of code that takes no other scalars than floats, or of shapes
        return f"{name}, or what is compared with it next, raises {type(error).__name__}: {error}; {ARRAY_CODE}"
    return None


def _column_note(joint: Joint, q: Array) -> str:
    """The first column of the subspace that is not what the placement says, beside that; and what it may be."""
    X, S = np.asarray(joint.placement(q), dtype=float), np.asarray(joint.subspace(q), dtype=float)
    right = np.stack([_twist_along(joint, q, X, d) for d in np.asarray(joint.tangent(q), dtype=float).T], axis=1)
    k = int(np.argmax(np.abs(S - right).max(axis=0) > EXACT))
    given, wanted = (x[:, k].round(9) + 0.0 for x in (S, right))
    meant = ""
    if agree(S[[3, 4, 5, 0, 1, 2]], right):
        meant = ": linear rows stand first"
    elif agree(Ad_inv(X, S.T).T, right):
        meant = ": they are in the axes of the joint's frame, not in those of the moved one"
    return f". Column {k} is {given.tolist()}, by placement {wanted.tolist()}{meant}"


_MEANINGS = {
    "placement(q)": "a pose, a rotation and a shift",
    "quaternion": "the slice of q with a unit quaternion (w, x, y, z)",
    "neutral()": "a configuration: normalise(neutral()) == neutral()",
    "random(rng, limits)": "a configuration: normalise(q) == q",
    "normalise(q)": "q where q is a configuration, and a configuration near q otherwise; leave it out if nq == nv, or "
    "say by manifold = (kt.joints.Spherical(),) what q is",
    "placement(q) or subspace(q)": "so that subspace(q) are the twists in the moved frame, angular rows first, that "
    "unit velocities cause by placement(q); leave subspace out, and it follows from placement",
    "has_constant_subspace": "False, as subspace(q) depends on q; leave it out, and it follows from subspace",
    "has_coordinates": "False where tangent(q) is not the identity; leave it out, and it follows",
    "tangent(q)": "the derivative of integrate(q, v) by v at v = 0",
    "integrate(q, v)": "the configuration after unit time at the velocity v, that is, at the rate tangent(q) @ v: "
    "q for v = 0, and as far in two parts as in one",
    "advance(q, v)": "the configuration after unit time at the velocity turn_axes(t v, v), t from 0 to 1; "
    "integrate(q, v) to first order in v",
    "difference(q, integrate(q, v))": "v",
    "difference(q, q1)": "the v with integrate(q, v) == q1",
    "difference_gradient(q, q1)": "the derivative of difference(q, integrate(q1, e)) by e at e = 0",
    "subspace_rate(q, v)": "the rate of subspace(q); leave it out, and it follows from subspace",
    "bias(q, v)": "subspace_rate(q, v) @ v; leave it out, and it follows from subspace",
    "bias_gradient(q, v)": "the derivative of bias(q, v) along q; leave it out, and it follows from subspace",
    "bracket(v, w)": "the difference of moving by v then w, and by w then v, to second order; not zero for quaternions",
    "coadjoint(v, p)": "the products of p with bracket(v, e) for all unit velocities e",
    "dexp(v, w)": "the velocity before the displacement v that changes it to v + w, to first order in w",
    "dexp_inv(v, dexp(v, w))": "w",
    "dexp_dual(v, p)": "the products of p with dexp(v, e) for all unit velocities e",
    "dexp_inv_dual(v, p)": "the products of p with dexp_inv(v, e) for all unit velocities e",
    "turn_axes(v, w)": "the velocity of advance(q, v) there; leave out advance, axis_rate and turn_axes "
    "unless v is a twist",
    "axes_turn": "True where turn_axes(v, w) is not w; leave it out, and it follows",
    "axis_rate(v)": "minus the rate of turn_axes(t v, v) at t = 0",
    "rotates": "True, as subspace(q) has angular rows",
    "is_free": "True of joints alone whose subspace is the identity, and that integrate poses as X exp(v)",
    "commuting_translation": "a direction (3,) that the joint's rotation leaves as it is, or None",
    "rotation_axis": "the axis (3,) about which the joint turns by q[0] and does nothing else, or None",
    "travel(lower, upper)": "at least the distance of the moved frame's origin from the joint's frame",
    "along_z()": "the same joint about the z axis, with rotations and shifts of the same sizes, or None",
    "snapped(snap)": "the same joint, if snap changes nothing",
    "closing()": "a constraint of 6 - nv rows that allow the motion: residual(placement(q)) and "
    "rows(placement(q)) @ subspace(q) are zero",
    **{f"closing().{name}": meaning for name, meaning in MEANINGS.items()},
}
"""Method → what it must be."""


def _comparisons(joint: Joint, q: Array, limits: tuple[Array, Array], v: Array, w: Array) -> Iterator[Comparison]:
    yield from of_validity(joint, q, v)
    X = np.asarray(joint.placement(q), dtype=float)
    R, last = X[:3, :3], np.array([[0.0, 0.0, 0.0, 1.0]])
    third = so3.cross(R[:, 0], R[:, 1])[:, None]  # of a rotation, and not of a reflection
    pose = np.concatenate([np.concatenate([np.eye(3), third], axis=1), last])
    yield "placement(q)", np.concatenate([np.concatenate([R @ R.T, R[:, 2:]], axis=1), X[3:]]), pose
    yield from _of_motion(joint, q, X, v)
    yield from of_normalise(joint, q)
    yield from of_displacements(joint, q, 0.3 * v, w)
    yield from of_axes(joint, q, 0.3 * v)
    yield from _of_remarks(joint, q, X, limits)


def _of_motion(joint: Joint, q: Array, X: Array, v: Array) -> Iterator[Comparison]:
    """Tangent, twists and their rates: what q̇ is, which two methods say, and which one the twists agree with."""
    T, unit = joint.tangent(q), np.eye(joint.nv)
    by_tangent, by_integrate = T @ v, rate_of(partial(joint.integrate, q), v)
    twist = _twist_along(joint, q, X, by_tangent)
    if not agree(by_tangent, by_integrate) and agree(joint.subspace(q) @ v, twist):
        yield "integrate(q, v)", by_integrate, by_tangent
    yield "tangent(q)", by_tangent, by_integrate
    yield "placement(q) or subspace(q)", joint.subspace(q) @ v, twist
    if joint.has_constant_subspace:
        there = np.asarray(joint.subspace(joint.integrate(q, 0.3 * v)), dtype=float)
        yield "has_constant_subspace", joint.subspace(q), np.where(np.isfinite(there), there, joint.subspace(q))
        slopes = [derivative_along(joint.subspace, q, T @ e) for e in unit]
        yield "has_constant_subspace", np.reshape(slopes, (joint.nv, 6, joint.nv)), np.zeros((joint.nv, 6, joint.nv))
    if joint.has_coordinates:
        yield "has_coordinates", T, np.eye(joint.nv)
    yield "subspace_rate(q, v)", joint.subspace_rate(q, v), derivative_along(joint.subspace, q, T @ v)
    yield "bias(q, v)", joint.bias(q, v), joint.subspace_rate(q, v) @ v
    if type(joint).bias_gradient is not Joint.bias_gradient:
        slopes = [derivative_along(lambda x: joint.bias(x, v), q, T @ e) for e in unit]
        yield "bias_gradient(q, v)", joint.bias_gradient(q, v), np.array(slopes, dtype=float).reshape(joint.nv, 6).T


def _twist_along(joint: Joint, q: Array, X: Array, rate: Array) -> Array:
    """The twist (6,) in the moved frame when q moves at a rate (nq,)."""
    found = se3.inverse(X) @ derivative_along(joint.placement, q, rate)
    return np.concatenate([[found[2, 1], found[0, 2], found[1, 0]], found[:3, 3]]).astype(float)


def _of_remarks(joint: Joint, q: Array, X: Array, limits: tuple[Array, Array]) -> Iterator[Comparison]:
    """Those of what a joint says about its motion, which saves operations or bounds reach."""
    S, p, n = np.asarray(joint.subspace(q), dtype=float), X[:3, 3], joint.nv
    if not joint.rotates:
        yield "rotates", S[:3], np.zeros((3, n))
    if joint.is_free:
        turn = 0.1 * np.arange(1.0, 7.0)
        yield "is_free", S if n == 6 else np.zeros((6, 6)), np.eye(6)
        yield "is_free", joint.placement(joint.integrate(q, turn)), X @ se3.exp(turn)
    if joint.commuting_translation is not None:
        yield "commuting_translation", X[:3, :3] @ joint.commuting_translation, joint.commuting_translation
    if joint.rotation_axis is not None:
        yield "rotation_axis", X, se3.pose(so3.axis_angle(joint.rotation_axis, q[0]), np.zeros(3))
    far, most = float(np.linalg.norm(p)), float(joint.travel(*limits))
    yield "travel(lower, upper)", min(far, most), far
    yield "snapped(snap)", joint.snapped(lambda x: x).placement(q), X
    turned = joint.along_z()
    if turned is not None:
        Z = turned.placement(q)
        yield "along_z()", [np.trace(Z), np.linalg.norm(Z[:3, 3])], [np.trace(X), far]
        yield "along_z()", Z[:3, 2], np.eye(3)[2]
    yield from _of_closing(joint, X, S)


def _of_closing(joint: Joint, X: Array, S: Array) -> Iterator[Comparison]:
    try:
        constraint = joint.closing()
    except ModelError:  # it closes no loop
        return
    yield "closing()", constraint.size, max(6 - joint.nv, 0)
    yield "closing()", constraint.residual(X), np.zeros(constraint.size)
    if any(own_parts(constraint)):
        for name, found, wanted in comparisons_of_constraint(constraint, X, np.cos(np.arange(6.0))):
            yield f"closing().{name}", found, wanted
    yield "closing()", constraint.rows(X) @ S, np.zeros((constraint.size, joint.nv))


def check_joints(model: Any) -> None:
    """The checks of all joints and closures of a model, which may be of classes that no builder has seen."""
    for body in model.bodies:
        check_joint(body.joint, f"joint {body.joint_name!r}", body.limits.lower, body.limits.upper)
    for closure in model.closures:
        check_constraint(closure.constraint, f"closure {closure.name!r}")
