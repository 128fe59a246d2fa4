"""Impacts of joints on hard stops, within steps that solve for rows; the equations of `constrained_steps` go on.

Problems as (1) are solved for the motion without impacts, in which joints at their stops stay there, for where the step
leads, and for how fast it ends.

    u ≥ 0            of joints that are at stops and do not move into them, free elsewhere                      (2)
    q⁺ = q ⊕ h w,    w ≥ (lower − q) / h                                                                        (3)
    v⁺ ≥ max(0, r)   where (3) presses against the stop, free elsewhere                                         (4)

A joint that moves with w lands on its stop, and passes none. With restitution e it moves back in the rest of the step.
Let a h = u − v be the change of velocity by (2), and θ the part of the step before the impact. As these methods have
the velocities of the middle of steps, the impact is at the velocity u_θ, and the joint leaves it with r, if r is
extrapolated to the middle, too:

    u_θ = u + (θ − ½) a h,    r = −e u_θ + (½ − θ) a⁺ h,    θ = (q − lower) / (−u h)                            (5)
    w is increased by W⁻¹ Kᵀ y,  y = (1 − θ) r / G_kk                                                           (6)

Friction has the other direction then: a⁺ h = a h − 2 G_kk f h. A joint that would be back within two steps,
r ≤ |a⁺| h, stays at the stop: so bouncing ends. The error of an impact is of order h². Upper stops are mirror images.

Stops of several joints that are hit in one step are hit at once, each at its own u_θ (Newton's law). With x₁, u₁ of
(4), and x₀, u₀ of r = 0, which loses energy, the step has the largest share s of restitution with which impulses add
no more energy than the extrapolations in (5) do:

    x = x₀ + s (x₁ − x₀),    ½ xᵀ (u + g) ≤ Σ |½ − θ| (|a⁺| + e |a|) h r / G_kk,    0 ≤ s ≤ 1                 (7)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...arrays import Array, abs, indices, less, maximum, minimum, sqrt, stack, where
from ...linalg.scalar_sets import RowImpulses, ScalarSets, solve_scalar_sets
from ...model.model import Model
from ..constraints.joint_rows import JointRows
from ..registry.forms import Forms

MAY_BE_REDUNDANT = Forms(tree=False, closed=True)
"""Rows of joints depend on each other in loops alone."""
TINY = 1e-30
"""Speed that keeps quotients finite [rad/s, m/s]."""


class RowVelocities(NamedTuple):
    """Rows K (n, nv), and what impulses along them do."""

    K: Array
    v: Array
    """Velocity (nv,) without them."""
    Z: Array
    """W⁻¹ Kᵀ (nv, n)."""
    G: Array
    D: Array
    """The diagonal of G."""
    redundant: bool

    @classmethod
    def of(cls, rows: JointRows, v: Array, respond: Callable[[Array], Array], model: Model) -> RowVelocities:
        """Those of the rows of joints."""
        Kt, places = rows.columns(model.nv), indices(rows.velocities)
        Z = respond(Kt)
        G = Z[places]
        return cls(Kt.T, v, Z, G, stack([G[k, k] for k in range(len(rows.velocities))]), MAY_BE_REDUNDANT.of(model))

    def along(self, v: Array) -> Array:
        """The rows' velocities (n,)."""
        return self.K @ v

    def solved(self, sets: ScalarSets, start: Array | None) -> RowImpulses:
        """The impulses that keep velocities in sets."""
        return solve_scalar_sets(self.G, self.along(self.v), sets, start, self.redundant)

    def velocity(self, found: RowImpulses) -> Array:
        """(1); that of held rows exactly."""
        after = self.v + self.Z @ found.x
        return after + self.K.T @ (found.at.held * (found.u - self.along(after)))


def step_with_stops(
    rows: JointRows, at: RowVelocities, q: Array, v: Array, dt: Array, start: Array | None
) -> tuple[Array, RowImpulses]:
    """The velocity w (nv,) along which a step from q and v goes, and the impulses by which it ends.

    What friction holds from the beginning to the end does not move at all.
    """
    lower, upper = rows.distances(q)
    smooth = at.solved(_resting_sets(rows, lower, upper, at.along(v), dt), start)  # (2)
    h = where(less(abs(dt), TINY), TINY, dt)
    landing = ScalarSets(lower / h, upper / h, dt * rows.friction)
    there = at.solved(landing, smooth.x)  # (3)
    bounces = [_bounce(s, at, landing, there, smooth, v, e) for s, e in zip((1.0, -1.0), rows.restitution, strict=True)]
    found, share = _rebound(rows, at, landing, there, bounces)  # (4)
    w = at.velocity(there) + share * (at.Z @ sum(bounce.displacing / at.D for bounce in bounces))  # (6)
    along = at.along(w)
    both_still = less(0.5, there.at.still * found.at.still)
    w = w + at.K.T @ (where(both_still, 0.0, minimum(maximum(along, landing.lower), landing.upper)) - along)
    return w, found


class Bounce(NamedTuple):
    """What stops of one side do: (n,) for each row."""

    hit: Array
    """1 where the step presses against the stop."""
    speed: Array
    """v⁺ (4), positive away from the stop."""
    displacing: Array
    """The part (1 − θ) r of the velocity w."""
    energy: Array
    """What (7) allows."""


def _resting_sets(rows: JointRows, lower: Array, upper: Array, v: Array, dt: Array) -> ScalarSets:
    """The sets of (2), from distances to stops and velocities of the rows."""
    below = where(less(0.0, -lower), -np.inf, where(less(v, 0.0), -np.inf, 0.0))
    above = where(less(0.0, upper), np.inf, where(less(0.0, v), np.inf, 0.0))
    return ScalarSets(below, above, dt * rows.friction)


def _bounce(
    s: float,
    at: RowVelocities,
    landing: ScalarSets,
    there: RowImpulses,
    smooth: RowImpulses,
    v: Array,
    e: Array,
) -> Bounce:
    """The bounce of lower stops, s = 1, or of upper ones, s = −1, with restitution e."""
    hit = there.at.lower if s > 0 else there.at.upper
    bound = landing.lower if s > 0 else landing.upper
    u = s * smooth.u
    change = u - s * at.along(v)
    gap = where(less(0.5, hit), -s * bound, 0.0)
    theta = minimum(maximum(gap, 0.0) / maximum(-u, TINY), 1.0)
    impact = minimum(u + (theta - 0.5) * change, 0.0)  # (5)
    after = change - 2.0 * at.D * landing.friction
    r = -e * impact + (0.5 - theta) * after
    speed = where(less(abs(after), r), hit * r, 0.0)
    energy = abs(0.5 - theta) * (abs(after) + e * abs(change)) * speed / at.D
    return Bounce(hit, speed, s * (1.0 - theta) * speed, energy)


def _rebound(
    rows: JointRows, at: RowVelocities, landing: ScalarSets, there: RowImpulses, bounces: list[Bounce]
) -> tuple[RowImpulses, Array]:
    """The impulses of (4), and the share s of restitution that several stops have."""
    found = at.solved(_after_impact(landing, bounces), there.x)
    if len(rows.with_stops) < 2:
        return found, np.array(1.0)
    plastic = at.solved(_after_impact(landing, [x._replace(speed=0.0 * x.speed) for x in bounces]), there.x)
    x_0, u_0, g = plastic.x, plastic.u, at.along(at.v)
    dx, du = found.x - x_0, found.u - u_0
    lost, added, bend = 0.5 * (x_0 @ (u_0 + g)), 0.5 * (found.x @ (found.u + g)), 0.5 * (dx @ du)
    allowed = sum(x.energy for x in bounces) @ np.ones(len(g))
    slope, room = added - lost - bend, allowed - lost
    root = sqrt(maximum(slope * slope + 4.0 * bend * room, 0.0))
    share = where(less(allowed, added), minimum(2.0 * room / maximum(slope + root, TINY), 1.0), 1.0)  # (7)
    x, u = (where(less(share, 1.0), y + share * dy, z) for y, dy, z in ((x_0, dx, found.x), (u_0, du, found.u)))
    return RowImpulses(x, u, found.at), share


def _after_impact(landing: ScalarSets, bounces: list[Bounce]) -> ScalarSets:
    below, above = bounces
    lower = where(less(0.5, below.hit), below.speed, -np.inf)
    upper = where(less(0.5, above.hit), -above.speed, np.inf)
    return ScalarSets(lower, upper, landing.friction)
