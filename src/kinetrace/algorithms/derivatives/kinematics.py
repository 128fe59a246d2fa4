"""Derivatives of the motion of a frame F along q ⊕ ε, v and a, in O(depth); of its Jacobian, in O(depth²).

With V the twist of F, J_i the columns of its Jacobian that belong to joint i, V_p the twist of the body before that
joint, all expressed as V is, and D, relative and shared of `TwistAxes`:

    ∂J_j/∂q_i = [relative J_i, J_j]  (+ ∂S, if j = i)        for j at or beyond i: Park et al. (1995), Proposition 1
    ∂J_j/∂q_i = −[shared J_i, J_j]                     for j before i
    ∂V/∂q_i   = D(J_i, V, V_p) + ∂S v

where ∂S is the joint's own, if S depends on q. The rate of the last, dots being rates of components, is

    ∂V̇/∂q_i  = D(R_i, V, V_p) + D(J_i, V̇, V̇_p) + the rate of ∂S v
    ∂V̇/∂v_i  = ∂V/∂q_i + J̇_i                            J̇_i w = R_i w + J_i [v, w]
    V̇_i      = V̇_p + J_i a + R_i v                      R_i = [relative V_p, J_i] − [shared (V − V_p), J_i] + ∂S v

[v, w] is the bracket of velocities of one joint, zero where they are rates of coordinates. All brackets are taken with
columns of F's own Jacobian, so nothing but sums is carried from body to body. Columns are kept as rows (k, 6).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate, stack
from ...errors import lookup
from ...lie import ad, se3, so3
from ...model import WORLD, Body, Frame, Model
from ..kinematics.forward_kinematics import frame_pose
from ..kinematics.jacobian import TWIST_AXES, Carry, TwistAxes
from ..registry.choices import ExpressedIn
from ..registry.declaration import algorithm
from ..sweeps.tree import outward

AT_REST = np.zeros(6)


class LinkColumns(NamedTuple):
    """A body and the columns of its joint in F's Jacobian, expressed as F's twist is."""

    V: Array
    V_p: Array = None
    J: Array = None
    dS_v: Array = None
    carry: Any = None


class LinkRates(NamedTuple):
    """The rates of a link in a motion."""

    dV: Array
    dV_p: Array = None
    R: Array = None


def own_change(body: Body, carry: Carry, q: Array, u: Array) -> Array:
    """∂S u along every direction of the joint: (k, 6); for several u (k, m), (k, m, 6)."""
    return carry(stack([(body.subspace_rate(q, e) @ u).T for e in np.eye(body.joint.nv)], axis=0))


def link_columns(body: Body, parent: LinkColumns, carry: Carry, q: Array, v: Array) -> LinkColumns:
    """A joint's columns of F's Jacobian, and the twist of its body."""
    J = carry(body.subspace(q).T)
    return LinkColumns(parent.V + v @ J, parent.V, J, own_change(body, carry, q, v), carry)


def link_rates(
    body: Body, parent: LinkRates, at: LinkColumns, v: Array, a: Array, axes: TwistAxes, V: Array
) -> LinkRates:
    """Rate of the columns by the motion of the parent, and of the twist."""
    R = axes.attached(at.J, V, at.V_p) + at.dS_v
    return LinkRates(parent.dV + a @ at.J + v @ R, parent.dV, R)


def velocity_along(at: LinkColumns, axes: TwistAxes, V: Array) -> Array:
    """∂V/∂q_i (k, 6)."""
    return axes.displaced(at.J, V, at.V_p) + at.dS_v


def acceleration_along(
    body: Body, at: LinkColumns, rate: LinkRates, q: Array, v: Array, a: Array, axes: TwistAxes, V: Array, dV: Array
) -> tuple[Array, Array]:
    """∂V̇/∂q_i and ∂V̇/∂v_i, each (k, 6)."""
    own = own_change(body, at.carry, q, a) + at.carry(body.bias_gradient(q, v).T) + axes.attached(at.dS_v, V, at.V)
    dq = axes.displaced(rate.R, V, at.V_p) + axes.displaced(at.J, dV, rate.dV_p) + own
    dJ = rate.R - body.joint.bracket(np.eye(body.joint.nv), v) @ at.J
    return dq, velocity_along(at, axes, V) + dJ


@algorithm(returns="(4, 4, nv) ∂X/∂q, the direction being the last axis.")
def pose_derivative(model: Model, q: Array, *, frame: str, point: Array | None = None) -> Array:
    """Derivative of the pose X of a frame along q ⊕ ε.

    Its slice k is X [J_k], where J_k is a column of the body Jacobian.

    >>> kt.algorithms.pose_derivative(kt.load("planar2r").model, np.zeros(2), frame="tip")[2, 3].round(3)
    array([2., 1.])
    """
    F = model.frame(frame, point)
    J = _columns(model, [J_i for J_i, _ in _screws(model, q, F, TWIST_AXES["aligned"])]).T
    R = se3.rotation(frame_pose(model, q, F))
    top = concatenate([so3.hat(J[:, :3]) @ R, J[:, 3:, None]])  # Park et al. (18)–(20)
    return concatenate([top, np.zeros((model.nv, 1, 4))], axis=-2).transpose(1, 2, 0)


@algorithm(returns="(6, nv, nv) ∂J/∂q, the direction being the last axis.")
def jacobian_derivative(
    model: Model, q: Array, *, frame: str, expressed_in: ExpressedIn = "body", point: Array | None = None
) -> Array:
    """Derivative of the Jacobian of a frame along q ⊕ ε.

    >>> kt.algorithms.jacobian_derivative(kt.load("planar2r").model, np.ones(2), frame="tip")[5].round(3)
    array([[ 0.   , -0.841],
           [ 0.   ,  0.   ]])
    """
    axes, F, n = lookup("expressed_in", expressed_in, TWIST_AXES), model.frame(frame, point), model.nv
    screws, path = _screws(model, q, F, axes), model.ancestors(F.body)

    def change(i: int, j: int) -> Array:
        """∂J_j/∂q_i (k_j, k_i, 6)."""
        (J_i, own), (J_j, _) = screws[i], screws[j]
        if not {i, j} <= path:
            return np.zeros((len(J_j), *J_i.shape))
        if j < i:
            return -ad(axes.shared(J_i), J_j[:, None])
        return ad(axes.relative(J_i), J_j[:, None]) + (own if i == j else 0)

    bodies = range(len(screws))
    along = [model.gather([change(i, j) for j in bodies]).swapaxes(0, 1) for i in bodies]
    return model.gather(along).reshape(n, n, 6).transpose(2, 1, 0)


@algorithm(returns={"dq": "(6, nv) ∂V/∂q, along q ⊕ ε.", "dv": "(6, nv) ∂V/∂v, the Jacobian of the frame."})
def velocity_derivatives(
    model: Model, q: Array, v: Array, *, frame: str, expressed_in: ExpressedIn = "body", point: Array | None = None
) -> tuple[Array, Array]:
    """Derivatives of the twist V of a frame by q and v.

    >>> model = kt.load("planar2r").model
    >>> x = np.ones(2)
    >>> dV_dq, dV_dv = kt.algorithms.velocity_derivatives(model, x, x, frame="tip")
    >>> dV_dq[3:].round(3)
    array([[ 0.   ,  0.54 ],
           [ 0.   ,  0.   ],
           [ 0.   , -0.841]])
    """
    axes = lookup("expressed_in", expressed_in, TWIST_AXES)
    links, V = _all_link_columns(model, q, v, model.frame(frame, point), axes)
    return _columns(model, [velocity_along(at, axes, V) for at in links]), _columns(model, [at.J for at in links])


@algorithm(
    returns={
        "dq": "(6, nv) ∂A/∂q, along q ⊕ ε.",
        "dv": "(6, nv) ∂A/∂v.",
        "da": "(6, nv) ∂A/∂a, the Jacobian of the frame.",
    }
)
def acceleration_derivatives(
    model: Model,
    q: Array,
    v: Array,
    a: Array,
    *,
    frame: str,
    expressed_in: ExpressedIn = "body",
    point: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Derivatives of the acceleration A of a frame by q, v and a.

    >>> model = kt.load("planar2r").model
    >>> x = np.ones(2)
    >>> dA_dq, dA_dv, dA_da = kt.algorithms.acceleration_derivatives(model, x, x, x, frame="tip")
    >>> dA_dv[3:].round(3)
    array([[ 0.54 ,  0.54 ],
           [ 0.   ,  0.   ],
           [-0.841, -0.841]])
    """
    axes, F = lookup("expressed_in", expressed_in, TWIST_AXES), model.frame(frame, point)
    qs, vs, rates_of_v = model.split_q(q), model.split_v(v), model.split_v(a)
    links, V = _all_link_columns(model, q, v, F, axes)
    rates = outward(model, partial(link_rates, axes=axes, V=V), LinkRates(AT_REST), links, vs, rates_of_v)
    along = partial(acceleration_along, axes=axes, V=V, dV=AT_REST if F.body == WORLD else rates[F.body].dV)
    changes = [along(*each) for each in zip(model.bodies, links, rates, qs, vs, rates_of_v, strict=True)]
    dq, dv = (_columns(model, [change[k] for change in changes]) for k in range(2))
    return dq, dv, _columns(model, [at.J for at in links])


def _screws(model: Model, q: Array, F: Frame, axes: TwistAxes) -> list[tuple[Array, Array]]:
    """Every joint's columns (k, 6) of F's Jacobian, and ∂S (k, k, 6), the directions being the second axis."""
    return [
        (carry(body.subspace(q_i).T), own_change(body, carry, q_i, np.eye(body.joint.nv)).swapaxes(0, 1))
        for body, carry, q_i in zip(model.bodies, axes.carries(model, q, F), model.split_q(q), strict=True)
    ]


def _all_link_columns(model: Model, q: Array, v: Array, F: Frame, axes: TwistAxes) -> tuple[list[LinkColumns], Array]:
    """All links, and the twist of F."""
    carries = axes.carries(model, q, F)
    links = outward(model, link_columns, LinkColumns(AT_REST), carries, model.split_q(q), model.split_v(v))
    return links, AT_REST if F.body == WORLD else links[F.body].V


def _columns(model: Model, rows: list[Array]) -> Array:
    return model.gather(rows).reshape(model.nv, 6).T
