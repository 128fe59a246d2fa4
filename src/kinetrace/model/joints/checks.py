"""What the methods of a joint class must agree on: looked at when a user's own is given to a Builder.

    Ẋ = X hat(S v),   q̇ = T v,   (q ⊕ v) ⊖ q = v,   Ṡ = dS/dt,   bias = Ṡ v,   bias_gradient = ∂(Ṡ v)/∂q
    [u, w] = (q ⊕ u ⊕ w) ⊖ (q ⊕ w ⊕ u) to second order,    q ⊕ (θ + ε w) = (q ⊕ ε dexp_θ w) ⊕ θ,   and their duals

Derivatives are exact, by dual numbers; that of the bracket is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...lie import se3, so3
from .base import Joint
from .dual import derivative_along

DIFFERENCE_STEP = 1e-3
"""Of the second differences of the bracket."""
TOLERANCE, DIFFERENCE_TOLERANCE = 1e-8, 1e-4
"""Relative to the largest entry, or to 1."""
SAMPLED_CONFIGURATIONS, SAMPLES_AT_MOST = 3, 100


def check_joint(joint: Joint, what: str, lower: Array, upper: Array) -> None:
    """An error if methods of a joint of a user's class contradict each other; joints of the library are tested.

    Configurations are within the limits (nq,), or between -1 and 1 where there are none, with a finite placement.
    """
    if type(joint).__module__.startswith("kinetrace."):
        return
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - 2.0, -1.0))
    high = np.where(np.isfinite(upper), upper, low + 2.0)
    fault = _first_fault(joint, tuple(low.tolist()), tuple(high.tolist()))
    if fault is not None:
        raise ModelError(f"{what}: {type(joint).__name__}.{fault}")


@lru_cache(maxsize=256)
def _first_fault(joint: Joint, lower: tuple[float, ...], upper: tuple[float, ...]) -> str | None:
    rng, limits, left = np.random.default_rng(0), (np.array(lower), np.array(upper)), SAMPLED_CONFIGURATIONS
    with np.errstate(all="ignore"):
        for _ in range(SAMPLES_AT_MOST):
            q = np.asarray(joint.random(rng, limits), dtype=float)
            fault, is_finite = _shape_fault(joint, q)
            if fault is None and is_finite:
                fault = _fault_at(joint, q, *rng.normal(size=(2, joint.nv)))
                left -= 1
            if fault is not None or not left:
                return fault
    return "placement(q) is not finite at any configuration that was tried: give limits= within which it is"


def _shape_fault(joint: Joint, q: Array) -> tuple[str | None, bool]:
    """Of the two methods that a class must have, and whether q is a configuration of the joint."""
    shapes = {"placement": (4, 4), "subspace": (6, joint.nv)}
    for name, shape in shapes.items():
        try:
            found = np.asarray(getattr(joint, name)(q), dtype=float)
        except Exception as error:  # whatever the user's code raises
            return f"{name}(q) raises {type(error).__name__}: {error}", False
        if found.shape != shape:
            return f"{name}(q) must have shape {shape}, got {found.shape}", False
        if not np.isfinite(found).all():
            return None, False
    return None, True


def _fault_at(joint: Joint, q: Array, v: Array, w: Array) -> str | None:
    name = "placement(q)"
    try:
        for name, found, wanted in _comparisons(joint, q, v, w):
            found = np.asarray(found, dtype=float)
            if found.shape != wanted.shape:
                return f"{name} must have shape {wanted.shape}, got {found.shape}"
            off = float(np.abs(found - wanted).max(initial=0.0))
            tolerance = DIFFERENCE_TOLERANCE if name == "bracket(v, w)" else TOLERANCE
            if not off <= tolerance * max(1.0, float(np.abs(wanted).max(initial=0.0))):
                return f"{name} is off by {off:.2g} at q = {q.round(3).tolist()}: it must be {_MEANINGS[name]}"
    except Exception as error:  # of code that takes no other scalars than floats, or of shapes
        told = "methods must be plain array code with the functions of kinetrace.arrays"
        return f"{name}, or what is compared with it next, raises {type(error).__name__}: {error}; {told}"
    return None


_MEANINGS = {
    "placement(q)": "a pose, a rotation and a shift",
    "subspace(q)": "the twists in the moved frame, angular rows first, that unit velocities cause by placement(q)",
    "tangent(q)": "the derivative of integrate(q, v) by v at v = 0",
    "advance(q, v)": "integrate(q, v) to first order in v",
    "difference(q, integrate(q, v))": "v",
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
    "axis_rate(v)": "minus the rate of turn_axes(t v, v) at t = 0",
}
"""Method → what it must be."""


def _comparisons(joint: Joint, q: Array, v: Array, w: Array) -> Iterator[tuple[str, Array, Array]]:
    """A method, what it gives, and what the others say."""
    X, unit, T = np.asarray(joint.placement(q), dtype=float), np.eye(joint.nv), joint.tangent(q)
    R, last = X[:3, :3], np.array([[0.0, 0.0, 0.0, 1.0]])
    third = so3.cross(R[:, 0], R[:, 1])[:, None]  # of a rotation, and not of a reflection
    pose = np.concatenate([np.concatenate([np.eye(3), third], axis=1), last])
    yield "placement(q)", np.concatenate([np.concatenate([R @ R.T, R[:, 2:]], axis=1), X[3:]]), pose
    yield "tangent(q)", T @ v, _rate(partial(joint.integrate, q), v)
    rate = se3.inverse(X) @ derivative_along(joint.placement, q, T @ v)
    twist = np.concatenate([[rate[2, 1], rate[0, 2], rate[1, 0]], rate[:3, 3]]).astype(float)
    yield "subspace(q)", joint.subspace(q) @ v, twist
    yield "advance(q, v)", _rate(partial(joint.advance, q), v), T @ v
    yield "difference(q, integrate(q, v))", joint.difference(q, joint.integrate(q, 0.1 * v)), 0.1 * v
    yield "subspace_rate(q, v)", joint.subspace_rate(q, v), derivative_along(joint.subspace, q, T @ v)
    yield "bias(q, v)", joint.bias(q, v), joint.subspace_rate(q, v) @ v
    if type(joint).bias_gradient is not Joint.bias_gradient:
        slopes = [derivative_along(lambda x: joint.bias(x, v), q, T @ e) for e in unit]
        yield "bias_gradient(q, v)", joint.bias_gradient(q, v), _columns(slopes, 6)
    yield from _of_manifold(joint, q, 0.3 * v, w, unit)


def _of_manifold(joint: Joint, q: Array, v: Array, w: Array, unit: Array) -> Iterator[tuple[str, Array, Array]]:
    """Those of the methods that say how displacements follow each other."""
    q1 = joint.integrate(q, v)

    def from_q(e: Array) -> Array:
        return joint.difference(q, joint.integrate(q1, e))

    slopes = [_rate(from_q, e) for e in unit]
    yield "difference_gradient(q, q1)", joint.difference_gradient(q, q1), _columns(slopes, joint.nv)

    def commutator(h: float) -> Array:
        there, back = (joint.integrate(joint.integrate(q, h * a), h * b) for a, b in ((v, w), (w, v)))
        return joint.difference(back, there) / (h * h)

    mean = 0.5 * (commutator(DIFFERENCE_STEP) + commutator(-DIFFERENCE_STEP))
    yield "bracket(v, w)", joint.bracket(v, w), mean
    yield "coadjoint(v, p)", joint.coadjoint(v, w), np.array([w @ joint.bracket(v, e) for e in unit]).reshape(joint.nv)
    before = joint.dexp(v, w)
    moved = _rate(lambda e: joint.difference(q1, joint.integrate(joint.integrate(q, e), v)), before)
    same = _rate(lambda e: joint.difference(q1, joint.integrate(q, v + e)), w)
    yield "dexp(v, w)", moved, same
    yield "dexp_inv(v, dexp(v, w))", joint.dexp_inv(v, before), w
    for name, dual, function in (
        ("dexp_dual(v, p)", joint.dexp_dual, joint.dexp),
        ("dexp_inv_dual(v, p)", joint.dexp_inv_dual, joint.dexp_inv),
    ):
        yield name, dual(v, w), np.array([w @ function(v, e) for e in unit]).reshape(joint.nv)
    yield "axis_rate(v)", joint.axis_rate(v), -_rate(lambda e: joint.turn_axes(e, v), v)


def _columns(columns: list[Array], rows: int) -> Array:
    return np.stack(columns, axis=-1).astype(float) if columns else np.zeros((rows, 0))


def _rate(function: Callable[[Array], Array], v: Array) -> Array:
    """The derivative of a function of a displacement along v, at none."""
    return np.asarray(derivative_along(function, np.zeros(len(v)), np.asarray(v, dtype=float)), dtype=float)
