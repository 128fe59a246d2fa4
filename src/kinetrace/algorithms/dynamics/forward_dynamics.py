"""Forward dynamics: the acceleration that forces produce.

    v̇ = M⁻¹ (τ − c(q, v) − g(q) + Σ J_fᵀ F_f)

Rodriguez and Kreutz (1988) give four O(n) algorithms on the factors of M, which differ in where the bias goes:

    "FD1"    subtract it from τ (Newton–Euler with v̇ = 0), then filter and smooth: (4.17)–(4.18). Four sweeps. This is
             also Ploen and Park (1999), (47)–(68).
    "FD2"    the same with the bodies' accelerations, (5.5)–(5.7): `forward_acceleration`
    "FD3"    bias accelerations ζ = φᵀa first, their forces Mζ + b into the filter: (5.8)–(5.10). Three sweeps.
    "FD4"    bias accelerations straight into filter and smoother: (5.13)–(5.17). Three sweeps; Featherstone's
             articulated-body algorithm (ABA). Here without linear velocities: as in `inverse_dynamics`, accelerations
             are those of the bodies' origins
    "solve"  M by composite bodies (CRBA), factored densely

and for closed chains those of `closed_dynamics`.

Twists and wrenches are in body frames. Gravity is an acceleration of the base by −g.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, concatenate
from ...errors import lookup
from ...lie import so3
from ...linalg import dense
from ...model import Body, Frame, Model, elimination_tree
from ..closed.closed_dynamics import CLOSED_METHODS, closed_method, closed_motion, depth_in_velocities
from ..closed.closure_paths import Drive
from ..kinematics.forward_kinematics import acceleration, express_acceleration, link_acceleration, link_velocities
from ..registry.choices import ExpressedIn, ForwardMethod
from ..registry.declaration import algorithm
from ..registry.forms import Forms, by_form
from ..sweeps.tree import inward, outward
from .articulated_body import articulate, filter_and_smooth, innovation, smoother, solve_mass
from .external_inputs import ExternalInputs
from .external_wrenches import FrameWrenches, body_wrenches, gravity_as_base_acceleration
from .inverse_dynamics import OriginMotion, inverse_dynamics, origin_motion
from .mass_matrix import mass_factors
from .momentum import body_wrench


class Bias(NamedTuple):
    """The bias motion of a body, when its parent turns but does not accelerate and its joint keeps its velocity."""

    w: Array
    """Its angular velocity (3,)."""
    c: Array
    """Its acceleration (6,): angular, and of its origin."""
    f: Array
    """The wrench (6,) that its rotation requires, with the origin at rest."""


def link_bias(body: Body, parent: Bias, q: Array, v: Array) -> Bias:
    """(5.13) without linear velocities, as in `inverse_dynamics`."""
    rest = np.zeros(3)
    at = origin_motion(body, OriginMotion(parent.w, rest, rest), q, v, np.zeros(body.joint.nv))
    return Bias(at.w, concatenate([at.dw, at.a]), body.newton_euler(at.w, rest, rest))


def _fd1(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> Array:
    return solve_mass(model, q, tau - given.bias(model, q, v))  # (4.17), (4.18)


def _fd3(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> Array:
    velocities = link_velocities(model, q, v, given.base_velocity)
    rest = [np.zeros(body.joint.nv) for body in model.bodies]
    dV_0 = gravity_as_base_acceleration(model, given.base_acceleration)
    zeta = outward(model, link_acceleration, dV_0, velocities, rest)  # (5.8)
    f = [
        body_wrench(body.J, at.V, z) - F
        for body, z, at, F in zip(model.bodies, zeta, velocities, body_wrenches(model, given.wrench), strict=True)
    ]
    none = [np.zeros(6)] * len(model.bodies)
    return filter_and_smooth(model, q, tau - model.passive_forces(q, v), f, none, np.zeros(6))  # (5.9), (5.10)


def _fd4(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> Array:
    V_0 = np.zeros(6) if given.base_velocity is None else given.base_velocity
    moving = outward(model, link_bias, Bias(V_0[:3], None, None), model.split_q(q), model.split_v(v))  # (5.13)
    f = [at.f - F for at, F in zip(moving, body_wrenches(model, given.wrench), strict=True)]
    dV_0 = gravity_as_base_acceleration(model, given.base_acceleration)
    base = dV_0 + concatenate([np.zeros(3), so3.cross(V_0[:3], V_0[3:])])
    tau = tau - model.passive_forces(q, v)
    return filter_and_smooth(model, q, tau, f, [at.c for at in moving], base)  # (5.14)–(5.17)


def _solve(model: Model, q: Array, v: Array, tau: Array, given: ExternalInputs) -> Array:
    return dense.solve(mass_factors(model, q), tau - given.bias(model, q, v))


def default_method(model: Model) -> str:
    """The method with about the fewest operations: "solve" for shallow trees, "FD1" for deep ones.

    Shallow are those with up to eight degrees of freedom before any body; fifteen with mimic joints, whose velocities
    make the O(n) sweeps wider. FD4 has a sweep less than FD1 and about as many operations: on bundled robots 1 to
    5 % more, on chains with general numbers 3 % fewer.
    """
    return "solve" if depth_in_velocities(model) <= (15 if model.coupled_joints else 8) else "FD1"


Solver = Callable[[Model, Array, Array, Array, ExternalInputs], Array]
_TREE_METHODS: dict[str, Solver] = {"FD1": _fd1, "FD3": _fd3, "FD4": _fd4, "solve": _solve}


def _of_closed_chain(name: str) -> Solver:
    return lambda model, q, v, tau, given: closed_motion(model, q, v, tau, given, name)[0]


_CLOSED: dict[str, Solver] = {name: _of_closed_chain(name) for name in CLOSED_METHODS}
_METHODS: dict[str, Solver] = {**_TREE_METHODS, **_CLOSED}
"""All methods: a tree may take those of closed chains too."""


class Solution(NamedTuple):
    """How a kind of robot solves for accelerations."""

    methods: Mapping[str, Solver]
    default: Callable[[Model], str]
    beside_derivatives: Callable[[Model], Any]
    """The method that shares most with `forward_dynamics_derivatives`."""


SOLUTIONS = Forms(
    Solution(_METHODS, default=default_method, beside_derivatives=lambda model: "solve"),
    Solution(_CLOSED, default=closed_method, beside_derivatives=closed_method),
)


@algorithm(
    aliases=("aba",),
    keeps_forces=("wrench", "method"),
    honours_closures=True,
    arguments={"method": "Algorithm, as in `Robot.forward_dynamics`; chosen by the model unless given."},
    returns="(nv,) Accelerations v̇ [rad/s², m/s²].",
)
def forward_dynamics(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    method: ForwardMethod | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> Array:
    """Accelerations v̇ that joint forces produce.

    With closures, the methods are those that `Robot.forward_dynamics` lists for them.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> kt.algorithms.forward_dynamics(model, z, z, z).round(3)
    array([-12.613,  16.817])
    >>> kt.algorithms.forward_dynamics(model, z, z, kt.algorithms.inverse_dynamics(model, z, z, np.ones(2))).round(12)
    array([1., 1.])
    """
    given = ExternalInputs.of(locals())
    of_robot = SOLUTIONS.of(model)
    solved = lookup("method", of_robot.default(model) if method is None else method, of_robot.methods)
    return solved(model, q, v, tau, given)


def _fd2(
    model: Model, q: Array, v: Array, tau: Array, wrench: FrameWrenches | None, F: Frame, axes: ExpressedIn
) -> Array:
    at, velocities = articulate(model, q), link_velocities(model, q, v)
    bias = inverse_dynamics(model, q, v, np.zeros(model.nv), wrench=wrench)  # (5.5)
    tree, rest = elimination_tree(model), [np.zeros(body.joint.nv) for body in model.bodies]
    nothing = np.zeros(tree.width)
    none = [nothing] * len(tree.bodies)
    nu = inward(tree, innovation, nothing, at, tree.split_v(tau - bias), none, none)
    smooth = outward(tree, smoother, (nothing, None), at, nu, none)
    zeta = outward(model, link_acceleration, np.zeros(6), velocities, rest)
    lam = tree.without_shared([a for a, _ in smooth])
    alpha = [x + z for x, z in zip(lam, zeta, strict=True)]  # (5.6)
    return express_acceleration(model, q, velocities, alpha, F, axes)  # (5.7)


def _of_joints(
    model: Model, q: Array, v: Array, tau: Array, wrench: FrameWrenches | None, F: Frame, axes: ExpressedIn
) -> Array:
    a = forward_dynamics(model, q, v, tau, wrench=wrench)
    return acceleration(model, q, v, a, frame=F.name, expressed_in=axes)


_frame_acceleration = by_form(tree=_fd2, closed=_of_joints)


@algorithm(
    honours_closures=True,
    returns=("(6,) Angular [rad/s²], then linear acceleration [m/s²], as `acceleration` gives it for a motion."),
)
def forward_acceleration(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    *,
    frame: str,
    expressed_in: ExpressedIn = "body",
    wrench: Mapping[str, Array] | None = None,
) -> Array:
    """Acceleration of a frame that joint forces produce: the algorithm FD2.

    >>> model = kt.load("planar2r").model
    >>> z = np.zeros(2)
    >>> kt.algorithms.forward_acceleration(model, z, z, z, frame="tip").round(3)
    array([ 0.   , -4.204,  0.   ,  0.   ,  0.   , -8.409])
    """
    return _frame_acceleration(model, q, v, tau, wrench, model.frame(frame), expressed_in)
