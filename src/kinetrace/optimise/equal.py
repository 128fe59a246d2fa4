"""What two robots with the same joint forces have in common.

If τ(q, v, v̇) is the same for all motions on a resting base, so are M = ∂τ/∂v̇ and all that M and τ determine. Energy and
momentum of the bodies, what a moving base feels and what depends on the choice of frames need not be. What an algorithm
depends on is declared with it: see `algorithms.declaration`.
"""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..compilation.program import program
from ..errors import KinetraceError
from ..model.model import Model

STATES, TOLERANCE = 64, 1e-10
"""How many random states joint forces are compared on, and how much they may differ, as `difference` has it."""


def difference(a: Model, b: Model, seed: int = 0) -> float:
    """The largest difference of joint forces over random states, beside the largest joint force.

    Where forces should vanish, as of mass on a joint's axis, rounding is left of them; so they count as a thousandth
    of the largest entry of an inertia of a at least.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> difference(model, model.with_link_frames("center_of_mass")) < 1e-15
    True
    """
    rng = np.random.default_rng(seed)
    q, (v, dv) = a.random(rng, (STATES,)), rng.normal(size=(2, STATES, a.nv))
    x, y = (program(algorithms.inverse_dynamics, model).evaluate(q, v, dv)[0] for model in (a, b))
    least = 1e-3 * max((np.abs(body.J).max() for body in a.bodies), default=0.0)
    return float(np.abs(x - y).max(initial=0) / max(np.abs(x).max(initial=0), least, np.finfo(float).tiny))


def check_equal(a: Model, b: Model) -> None:
    """An error if two models have different joint forces."""
    off = difference(a, b)
    if not off < TOLERANCE:
        raise KinetraceError(
            f"model {a.name!r}: the joint forces of the optimised model are off by {off:.1e}; report it"
        )
