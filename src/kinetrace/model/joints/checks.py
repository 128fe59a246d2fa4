"""What the methods of a joint class must agree on, looked at by differences when one of a user's own is first used.

Ẋ = X hat(S v),   q̇ = T v,   (q ⊕ ε v) ⊖ q = ε v,   Ṡ = dS/dt,   bias = Ṡ v,   bias_gradient = ∂(Ṡ v)/∂q
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ...lie import se3
from .base import Joint

DIFFERENCE_STEP = 1e-5
"""Change of q along a velocity, for central differences."""
TOLERANCE = 1e-6
"""Relative to the largest entry, or to 1: errors of the differences are 1e-9 or so."""
SAMPLES = 3
"""Configurations that are looked at."""


def check_joint(joint: Joint, what: str) -> None:
    """An error if methods of a joint of a user's class contradict each other; joints of the library are tested."""
    if not type(joint).__module__.startswith("kinetrace."):
        fault = _first_fault(joint)
        if fault is not None:
            raise ModelError(f"{what}: {type(joint).__name__}.{fault}")


@lru_cache(maxsize=256)
def _first_fault(joint: Joint) -> str | None:
    rng = np.random.default_rng(0)
    free = (np.full(joint.nq, -1.0), np.full(joint.nq, 1.0))
    for _ in range(SAMPLES):
        q, v = np.asarray(joint.random(rng, free), dtype=float), rng.normal(size=joint.nv)
        for name, found, wanted in _comparisons(joint, q, v):
            found = np.asarray(found, dtype=float)
            if found.shape != wanted.shape:
                return f"{name} must have shape {wanted.shape}, got {found.shape}"
            off = float(np.abs(found - wanted).max(initial=0.0))
            if not off <= TOLERANCE * max(1.0, float(np.abs(wanted).max(initial=0.0))):
                return f"{name} is off by {off:.2g} at q = {q.round(3).tolist()}: it must be {_MEANINGS[name]}"
    return None


_MEANINGS = {
    "placement(q)": "a pose, a rotation and a shift",
    "subspace(q)": "the twists in the moved frame, angular rows first, that unit velocities cause by placement(q)",
    "tangent(q)": "the derivative of integrate(q, v) by v at v = 0",
    "difference(q, integrate(q, v))": "v",
    "subspace_rate(q, v)": "the rate of subspace(q); leave it out, and it follows from subspace",
    "bias(q, v)": "subspace_rate(q, v) @ v; leave it out, and it follows from subspace",
    "bias_gradient(q, v)": "the derivative of bias(q, v) along q; leave it out, and it follows from subspace",
}
"""Method → what it must be."""


def _comparisons(joint: Joint, q: Array, v: Array) -> Iterator[tuple[str, Array, Array]]:
    """A method, what it gives, and what the others say."""
    X, n = np.asarray(joint.placement(q), dtype=float), joint.nv
    R, rigid = X[:3, :3], np.eye(4)
    rigid[:3, 3] = X[:3, 3]
    yield "placement(q)", np.block([[R @ R.T, X[:3, 3:]], [X[3:]]]), rigid
    rate = se3.inverse(X) @ _along(joint, joint.placement, q, v)
    yield "subspace(q)", joint.subspace(q) @ v, np.concatenate([[rate[2, 1], rate[0, 2], rate[1, 0]], rate[:3, 3]])
    yield "tangent(q)", joint.tangent(q) @ v, _along(joint, lambda x: x, q, v)
    yield "difference(q, integrate(q, v))", joint.difference(q, joint.integrate(q, 0.1 * v)), 0.1 * v
    yield "subspace_rate(q, v)", joint.subspace_rate(q, v), _along(joint, joint.subspace, q, v)
    yield "bias(q, v)", joint.bias(q, v), joint.subspace_rate(q, v) @ v
    slopes = [_along(joint, lambda x: joint.bias(x, v), q, e) for e in np.eye(n)]
    yield "bias_gradient(q, v)", joint.bias_gradient(q, v), np.stack(slopes, axis=-1) if n else np.zeros((6, 0))


def _along(joint: Joint, function: Callable[[Array], Array], q: Array, v: Array) -> Array:
    """The derivative of a function along q ⊕ ε v."""
    ahead, behind = (
        np.asarray(function(joint.integrate(q, h * v)), dtype=float) for h in (DIFFERENCE_STEP, -DIFFERENCE_STEP)
    )
    return (ahead - behind) / (2.0 * DIFFERENCE_STEP)
