"""A step that is linearly implicit in velocities and positions: stable however stiff springs, dampers and laws are.

The backward rule of Euler, with h the time step and the joint forces τ + T_q δq + T_v δv of a law that goes on acting
during the step (`Feedback`; T_q = T_v = 0 if they are held),

    q⁺ = q ⊕ h v⁺,      v⁺ = v + h a,      ID(q⁺, v⁺, a) = τ + T_q h v⁺ + T_v h a

is solved for a by one step of Newton's method from constant velocity, a = 0, q₁ = q ⊕ h v, with q⁺ ≈ q₁ ⊕ h² a in the
matrix: exact but for quaternions, where dexp makes a difference of order h³. With the derivatives of inverse dynamics
at (q₁, v, 0), those of `tree_derivatives` in one direction per velocity,

    (M + h (∂_v ID − T_v) + h² (∂_q ID − T_q)) a = τ + h T_q v − ID(q₁, v, 0)

It is of order one, and L-stable. What acts from outside is taken at the end of the step; wrenches that are functions of
the state are joint forces Σ Jᵀ F, with their derivatives at (q₁, v), beside those of the law. With closures the same is
done with v̇ = F(q, v, τ), in which the closures' forces are; Baumgarte's stabilisation is in F and not in its
derivatives:

    (1 − h (∂_v F + ∂_τ F T_v) − h² (∂_q F + ∂_τ F T_q)) a = F(q₁, v, τ + h T_q v)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..arrays import Array
from ..linalg import solve
from ..linalg.sparse import tree_solve
from ..model.model import Model
from .acting import Acting
from .dynamics_derivatives import forward_dynamics_derivatives
from .explicit import Pair
from .external import body_wrenches
from .tree_derivatives import along_step, changes


def implicit(model: Model, q: Array, v: Array, dt: Array, acting: Acting) -> Pair:
    """q and v after the time dt."""
    a = (closed_acceleration if model.closures else tree_acceleration)(model, q, v, dt, acting)
    after = v + dt * a
    return model.integrate(q, dt * after), after


def tree_acceleration(model: Model, q: Array, v: Array, h: Array, acting: Acting) -> Array:
    """a (nv,) of a system that is as sparse as M, unless a law couples branches, and near M for short steps."""
    there, given, tau = model.integrate(q, h * v), acting.given.later(model, h), acting.predicted(h, v)
    wrenches, still = body_wrenches(model, given.wrench), np.zeros(model.nv)
    found = changes(
        model, there, v, still, wrenches, given.base_velocity, given.base_acceleration, partial(along_step, h=h), 1
    )
    passive_q, passive_v = model.passive_derivatives(there, v)
    outer, T_q, T_v = acting.linearised(model, there, v, h)
    W = found.along[0] + model.armature + h * (passive_v - T_v) + h * h * (passive_q - T_q)
    return tree_solve(W, tau + outer - found.tau - model.passive_forces(there, v))


def closed_acceleration(model: Model, q: Array, v: Array, h: Array, acting: Acting) -> Array:
    """a (nv,) of the closed robot."""
    tau, given, there = acting.predicted(h, v), acting.given.later(model, h), model.integrate(q, h * v)
    outer, T_q, T_v = acting.linearised(model, there, v, h)
    later = Acting(tau + outer, given, acting.stabilisation)
    dq, dv, dtau = forward_dynamics_derivatives(model, there, v, later.tau, **given._asdict())
    W = np.eye(model.nv) - h * (dv + dtau @ T_v) - h * h * (dq + dtau @ T_q)
    return solve(W, later.acceleration(model, there, v, 0.0))
