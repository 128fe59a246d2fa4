"""Adaptive tracking of Slotine and Li (1987): inertial parameters that are not known are found in motion.

    τ = Y_r(q, v, v_r, v̇_r) π̂ + K s,      Y_r π = M v̇_r + C(q, v) v_r + g          with v_r and s of `tracking`
    π̂˙ = γ Γ Y_rᵀ s

Y_r is linear in π and has Ploen's C, with Ṁ − 2C skew. For constant π, with π̃ = π − π̂,

    V = ½ sᵀ M s + π̃ᵀ Γ⁻¹ π̃ / 2γ,      V̇ = −sᵀ K s

"base" adapts the base parameters, with Γ the inverse of the natural metric of the robot's own bodies, so that units do
not matter. "bodies" adapts all parameters in the natural metric of the estimate, which stays physically possible; then
V = ½ sᵀ M s + D(π ‖ π̂) / γ has the same rate. Friction is that at v_r, and lets V fall faster.

Steps in time. At each call π̂ is advanced over the time since the last one, implicitly: along Y_rᵀ σ, with
(½ K + γ dt Y_r Γ Y_rᵀ) σ = ½ K s. The force that a step adds is at most half of K s in the metric of K⁻¹, in every
direction and however large γ is; for small steps σ = s. Bodies are bounded too.

The metric of inertial parameters. How far bodies are from each other, whatever the units:

    P = Σ_k π_k E_k                                 the pseudo-inertia (4, 4) of a body, π its ten parameters
    D(P ‖ P̂) = log (det P̂ / det P) + tr P̂⁻¹ P − 4      Bregman's divergence of −log det
    ½ tr (P⁻¹ dP)²                                  its second-order part: the natural metric

Lee, Kwon and Park (2018). A covector c, such as the derivative of a power by π, is the symmetric matrix S with
tr (S E_k) = c_k; its gradient in the metric is P S P.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import algorithms
from ..algorithms.closed.independent_velocities import velocity_map_and_rate
from ..arrays import Array, concatenate, log, maximum, sqrt, stack
from ..errors import InputError, lookup
from ..identify import base_parameters
from ..lie import inertia
from ..linalg import det, inv, solve
from ..model.effects.joint_effects import coulomb, per_velocity
from ..model.model import Model
from ..robot import Robot
from .controller import NO_CALL_TIME, Controller, Float, time_since_call
from .pickling import maker
from .plant import check_velocities, driven_forces, has_friction, independent_part, to_all_joints
from .reference import Reference, gains, number_of, reference_of
from .tracking import Tracking, sliding_energy, tracking

LARGEST_STEP_FORCE = 0.5
"""Part of K s that a step may add to the force."""
BASIS = inertia.pseudo_inertia(inertia.from_parameters(np.eye(10)))
"""E_k (10, 4, 4)."""
DUAL_BASIS = np.tensordot(np.linalg.inv(np.einsum("iab,jab->ij", BASIS, BASIS)), BASIS, 1)
"""Symmetric matrices (10, 4, 4) with tr (D_j E_k) = δ_jk, E the basis."""
LONGEST_STEP = 0.25
"""Length of a step of a body, in the metric, that is not exceeded."""
SMALLEST_SQUARE = 1e-24
"""Added to a square before its root is taken."""
LARGEST_MULTIPLE = 4.0
"""Largest mass, and second moments, of an estimated body, in those of all bodies of the robot together."""
ADDED_SHARE = 0.1
"""Share of a body of the robot's mean size that is added to each where the metric is taken."""


class ParameterSpace(NamedTuple):
    """How what is unknown is parametrised: an estimate (p,)."""

    start: Float
    """The robot's own parameters."""
    columns: Callable[[Array, Array], Array]
    """(Y (nv, 10 nb), v) → the matrix (nv, p) whose product with the estimate is the force."""
    step: Callable[[Array, Array, Array], Array]
    """(estimate, covector, size) → the estimate after a step along the gradient."""
    product: Callable[[Array, Array], Array]
    """(estimate, covectors (n, p)) → their products (n, n) in the metric, Y Γ Yᵀ."""
    distance: Callable[[Array, Array], Array]
    """(true value, estimate) → ½ |π̃|², or what stands for it."""
    of: Callable[[Robot], Float]
    """The parameters of another robot."""


def linear(
    start: Float, columns: Callable[[Array, Array], Array], gain: Float, of: Callable[[Robot], Float]
) -> ParameterSpace:
    """Parameters with a constant metric, the inverse of the gain (p, p)."""
    metric = np.linalg.inv(gain)
    return ParameterSpace(
        start,
        columns,
        lambda x, c, size: x + size * (gain @ c),
        lambda x, Y: Y @ gain @ Y.T,
        lambda truth, x: 0.5 * ((truth - x) @ (metric @ (truth - x))),
        of,
    )


def base_space(robot: Robot) -> ParameterSpace:
    """Base parameters, with the natural metric of the robot's own bodies."""
    base = base_parameters(robot)
    gain = base.regrouping @ natural_gain(robot) @ base.regrouping.T

    def of(other: Robot) -> Float:
        return base.of(other.parameters("inertial"))

    return linear(of(robot), lambda Y, v: Y[:, base.columns], gain, of)


def body_space(robot: Robot) -> ParameterSpace:
    """All parameters of all bodies, with the natural metric of the estimate."""
    n, largest = len(robot.model.bodies), largest_body(robot)

    def rows(x: Array) -> Array:
        return x.reshape(n, 10)

    def of(other: Robot) -> Float:
        return strict_bodies(other).ravel()

    return ParameterSpace(
        of(robot),
        lambda Y, v: Y,
        lambda x, c, size: concatenate(list(natural_step(rows(x), rows(c), size, largest))),
        lambda x, Y: gradient_products(rows(x), [rows(c) for c in Y]),
        lambda truth, x: divergence(rows(truth), rows(x)),
        of,
    )


def friction_space(robot: Robot, size: Float) -> ParameterSpace:
    """Viscous and Coulomb friction (2 nv,) beyond that of the model, of about this size (nv,)."""
    width = per_velocity(robot.model, "friction_width")

    def columns(Y: Array, v: Array) -> Array:
        return concatenate([np.eye(robot.nv) * v, np.eye(robot.nv) * coulomb(1.0, v, width)])

    def of(other: Robot) -> Float:
        return _friction(other) - _friction(robot)

    return linear(np.zeros(2 * robot.nv), columns, np.diag(np.tile(size, 2) ** 2), of)


def _friction(robot: Robot) -> Float:
    """Viscous and Coulomb friction of all velocities."""
    return np.concatenate([per_velocity(robot.model, name) for name in ("damping", "friction")])


def both(a: ParameterSpace, b: ParameterSpace) -> ParameterSpace:
    """Two spaces, one after the other."""
    n = len(a.start)
    return ParameterSpace(
        np.concatenate([a.start, b.start]),
        lambda Y, v: concatenate([a.columns(Y, v), b.columns(Y, v)]),
        lambda x, c, size: concatenate([a.step(x[:n], c[:n], size), b.step(x[n:], c[n:], size)]),
        lambda x, Y: a.product(x[:n], Y[:, :n]) + b.product(x[n:], Y[:, n:]),
        lambda truth, x: a.distance(truth[:n], x[:n]) + b.distance(truth[n:], x[n:]),
        lambda robot: np.concatenate([a.of(robot), b.of(robot)]),
    )


SPACES: dict[str, Callable[[Robot], ParameterSpace]] = {"base": base_space, "bodies": body_space}


@maker
def adaptive(
    robot: Robot,
    reference: Any,
    rates: npt.ArrayLike,
    damping: npt.ArrayLike,
    adaptation: float,
    *,
    parameters: str = "base",
    friction: npt.ArrayLike | None = None,
    leakage: float = 0.0,
    radius: float | None = None,
    truth: Robot | None = None,
) -> Controller:
    """Adaptive tracking control of Slotine and Li: τ = Y_r π̂ + K s, with π̂ adapted by γ Γ Y_rᵀ s.

    Masses, centres of mass and inertias may be wrong: V = ½ sᵀ M s + π̃ᵀ Γ⁻¹ π̃ / 2γ falls as V̇ = −sᵀ K s, so that s and
    the errors of tracking vanish. The estimate tends to the true parameters only if the motion excites them. The
    geometry and the joint effects of the model are taken to be right.

    The state has the `estimate`, which starts at the robot's own numbers, and the `time` of the last call. The estimate
    is that of the base parameters of `kinetrace.identify`, or of (nb, 10) inertial parameters one after the other; then
    of viscous and of Coulomb friction, if they are adapted.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses, with the parameters to start from; motors must drive all its motions.
    reference : array_like, shape (nq,), or callable, Spline, Trajectory or OptimalMotion
        Configuration to hold, or motion: a function of time that returns q, v and a, or what stands for one. In a
        closed chain it must be closed.
    rates : array_like, shape () or (nv,)
        Rates Λ at which errors decay where s = 0 [1/s].
    damping : array_like, shape () or (nv,)
        Gains K [N m s/rad, N s/m], positive; those for the robot with the payload that is expected. In a closed chain
        those of independent velocities count.
    adaptation : float
        Gain γ [1/J]: bodies that are wrong by half store about 1/γ each.
    parameters : {"base", "bodies"}, default "base"
        Base parameters, or those of all bodies, which then remain physically possible, each at most 4 times as heavy as
        all bodies of the model together.
    friction : array_like, shape () or (nv,), optional
        Typical size of friction beyond that of the model, viscous [N m s/rad, N s/m] and Coulomb's [N m, N], to be
        adapted too; none unless given.
    leakage : float, default 0.0
        Rate [1/s] at which estimates return to the robot's own numbers, against drift by noise; V then falls only while
        it is large.
    radius : float, optional
        How far a base estimate may be from the robot's own numbers, in the metric of Γ⁻¹, in which one body that is
        wrong by half is about 1 away; no bound unless given. V falls if the true parameters are within.
    truth : Robot, optional
        Robot with the true parameters, for the storage function, which is stated only then.

    Returns
    -------
    Controller
        The controller, with parameters `rates`, `damping`, `adaptation`, `leakage` and, for a configuration to hold,
        `goal`, and the state {"estimate", "time"}.

    Raises
    ------
    InputError
        If an argument does not fit the robot, or a motion has no motor, as that of a free base.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> light = robot.with_parameters(inertial=0.5 * robot.parameters("inertial"))
    >>> controller = kt.control.adaptive(light, [1.0, -0.5], rates=5.0, damping=20.0, adaptation=10.0)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=8.0, dt=0.005, controller=controller)
    >>> motion.q[-1].round(2)
    array([ 1. , -0.5])
    """
    check_velocities(robot, "adaptive")
    motion = reference_of(robot, reference, closed=True)
    space = lookup("parameters", parameters, SPACES)(robot)
    if friction is not None:
        space = both(space, friction_space(robot, gains(robot, "friction", friction, positive=True)))
    if radius is not None and parameters != "base":
        raise InputError('radius bounds base parameters; those of parameters="bodies" are bounded by physics')
    bound = None if radius is None else float(number_of("radius", radius, positive=True))
    law = AdaptiveLaw(motion, space, bound, truth)
    own = {
        "rates": gains(robot, "rates", rates),
        "damping": gains(robot, "damping", damping, positive=True),
        "adaptation": number_of("adaptation", adaptation, positive=True),
        "leakage": number_of("leakage", leakage),
    }
    start = {"estimate": space.start, "time": NO_CALL_TIME}
    return Controller(
        robot=robot,
        law=law.law,
        name="adaptive",
        initial_state=start,
        parameters={**own, **motion.parameters},
        storage=None if truth is None else law.storage,
        includes_friction=has_friction(robot),
        nonnegative=tuple(own),
    )


class AdaptiveLaw(NamedTuple):
    """Law and storage function of adaptive tracking."""

    motion: Reference
    space: ParameterSpace
    bound: float | None
    """How far the estimate may be from where it started."""
    truth: Robot | None

    def at(self, model: Model, t: Array, q: Array, v: Array, given: dict[str, Array]) -> Tracking:
        """Errors of tracking."""
        goal = {"goal": given["goal"]} if "goal" in given else {}
        return tracking(model, self.motion, t, q, v, given["rates"], np.zeros(model.nv), **goal)

    def regressor(self, model: Model, q: Array, v: Array, at: Tracking) -> tuple[Array, Array]:
        """Y_r (dof, p), and the forces (dof,) of rotors and joint effects, which are known."""
        G, dG = velocity_map_and_rate(model, q, v)
        u, du = G @ at.v_r, G @ at.a_r + dG @ at.v_r
        Y = self.space.columns(algorithms.coriolis_regressor(model, q, v, u, du), u)
        known = model.armature @ du + model.passive_forces(q, u)
        return G.T @ Y, G.T @ known

    def adapted(self, x: Array, Y: Array, s: Array, K: Array, dt: Array, given: dict[str, Array]) -> Array:
        """The estimate after the time dt, along the gradient of Yᵀ σ, with (½ K + γ dt Y Γ Yᵀ) σ = ½ K s."""
        space, gain = self.space, given["adaptation"] * dt
        half = LARGEST_STEP_FORCE * K
        sigma = solve(np.eye(len(s)) * half + gain * space.product(x, Y), half * s)
        x = space.step(x, Y.T @ sigma, gain)
        x = space.start + (x - space.start) / (1.0 + given["leakage"] * dt)
        if self.bound is None:
            return x
        far = 2.0 * space.distance(space.start, x) / self.bound**2
        return space.start + (x - space.start) / sqrt(maximum(far, 1.0))

    def law(
        self, model: Model, t: Array, q: Array, v: Array, state: dict[str, Array], **given: Array
    ) -> tuple[Array, dict[str, Array]]:
        """Joint forces and the next state."""
        at, K = self.at(model, t, q, v, given), independent_part(model, given["damping"])
        Y, known = self.regressor(model, q, v, at)
        x = self.adapted(state["estimate"], Y, at.s, K, time_since_call(t, state["time"]), given)
        h = to_all_joints(model, Y @ x + known + K * at.s)
        return driven_forces(model, q, h), {"estimate": x, "time": t}

    def storage(self, model: Model, t: Array, q: Array, v: Array, state: dict[str, Array], **given: Array) -> Array:
        """V, with the true parameters."""
        assert self.truth is not None
        energy = sliding_energy(self.truth.model, q, self.at(model, t, q, v, given).s)
        return energy + self.space.distance(self.space.of(self.truth), state["estimate"]) / given["adaptation"]


def matrix_sum(c: Array, matrices: Float) -> Array:
    """Σ_k c_k matrices_k."""
    return stack([stack([c @ matrices[:, i, j] for j in range(4)]) for i in range(4)], axis=0)


def parameters_of(P: Array) -> Array:
    """π (10,) of a pseudo-inertia."""
    return inertia.to_parameters(inertia.from_pseudo_inertia(P))


def natural_gain(robot: Robot) -> Float:
    """Inverse (10 nb, 10 nb) of the natural metric at the robot's own bodies, each a little enlarged."""
    P = inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial")))
    mass = max(float(P[:, 3, 3].mean()), 1e-9)
    size = max(float(np.trace(P[:, :3, :3], axis1=1, axis2=2).mean()) / mass, 1e-6)
    P = P + ADDED_SHARE * mass * np.diag([size / 3, size / 3, size / 3, 1.0])
    whole = np.zeros((10 * len(P), 10 * len(P)))
    for k, body in enumerate(P):
        columns = [parameters_of(body @ S @ body) for S in DUAL_BASIS]
        whole[10 * k : 10 * k + 10, 10 * k : 10 * k + 10] = np.stack(columns, axis=1)
    return whole


def strict_bodies(robot: Robot) -> Float:
    """The robot's bodies (nb, 10), with eigenvalues of the pseudo-inertias raised above zero."""
    values, vectors = np.linalg.eigh(inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial"))))
    values = np.maximum(values, np.maximum(1e-6 * values.max(axis=-1, keepdims=True), 1e-12))
    P = (vectors * values[..., None, :]) @ np.swapaxes(vectors, -1, -2)
    return np.asarray(inertia.to_parameters(inertia.from_pseudo_inertia(P)))


def largest_body(robot: Robot) -> Float:
    """Largest diagonal (4,) of the pseudo-inertia of a body: a multiple of all bodies of the robot together."""
    P = inertia.pseudo_inertia(inertia.from_parameters(robot.parameters("inertial")))
    second = max(float(np.trace(P[:, :3, :3], axis1=1, axis2=2).sum()), 1e-9)
    return LARGEST_MULTIPLE * np.array([second, second, second, max(float(P[:, 3, 3].sum()), 1e-9)])


def natural_step(pi: Array, c: Array, size: Array, largest: Float) -> Array:
    """Bodies (nb, 10) after a step of Ṗ = P S P over the time `size`, with S of the covectors c (nb, 10).

    With X = ½ size S P this is P (1 + X + ½X²)², which is positive definite for every size and equal to the exponential
    to the second order. Steps are shortened to less than `LONGEST_STEP`, and bodies kept within `largest` (4,).
    """
    return stack([_stepped(body, row, size, largest) for body, row in zip(pi, c, strict=True)], axis=0)


def _stepped(pi: Array, c: Array, size: Array, largest: Float) -> Array:
    P = matrix_sum(pi, BASIS)
    A = matrix_sum(c, DUAL_BASIS) @ P
    X = (0.5 * size) / (1.0 + size / LONGEST_STEP * sqrt((A * A.T).sum() + SMALLEST_SQUARE)) * A
    root = np.eye(4) + X + 0.5 * (X @ X)
    P = P @ root @ root
    for k, most in enumerate(largest):
        P = _within(P, k, most)
    return parameters_of(P)


def _within(P: Array, k: int, most: float) -> Array:
    """The nearest body, in Bregman's divergence D(· ‖ P), whose entry P_kk is at most so large.

    P⁻¹ + λ e_k e_kᵀ is its inverse. By Pythagoras' theorem of divergences it is nearer to all bodies within the bound
    than P is, so that V does not rise.
    """
    now = maximum(P[k, k], most)
    return P - ((now - most) / (now * now)) * (P[:, k, None] * P[k, None, :])


def gradient_products(pi: Array, covectors: Sequence[Array]) -> Array:
    """Σ tr (S_i P S_j P) over the bodies pi (nb, 10): the products (n, n) of n covectors (nb, 10)."""
    n = len(covectors)
    P = [matrix_sum(body, BASIS) for body in pi]
    A = [[matrix_sum(row, DUAL_BASIS) @ body for row, body in zip(c, P, strict=True)] for c in covectors]
    rows = [[sum((a * b.T).sum() for a, b in zip(A[i], A[j], strict=True)) for j in range(i + 1)] for i in range(n)]
    return stack([stack([rows[max(i, j)][min(i, j)] for j in range(n)]) for i in range(n)], axis=0)


def divergence(pi: Array, estimate: Array) -> Array:
    """Σ D(P ‖ P̂) of bodies (nb, 10)."""
    total = np.zeros(())
    for body, other in zip(pi, estimate, strict=True):
        A = inv(matrix_sum(other, BASIS)) @ matrix_sum(body, BASIS)
        total = total + (A[0, 0] + A[1, 1] + A[2, 2] + A[3, 3]) - log(det(A)) - 4.0
    return total
