"""The identities of mechanics and of the papers, on any robot: does the library tell the truth about it?

Each identity is a small function of a random state that computes one thing in two ways and returns how far they are
apart, relative to the size of the terms. Rounding leaves some 1e-15, and a mistake much more. The first line of a
function's docstring is its equation and, in brackets, where it comes from:

    Park et al.       Park, Bobrow and Ploen (1995)
    Ploen & Park      Ploen and Park (1999)
    Ploen             Ploen, A skew-symmetric form of the recursive Newton–Euler algorithm
    Rodriguez         Rodriguez and Kreutz (1988)

Everything runs on plain floats, but for the group "compiled". Derivatives are complex steps along q ⊕ εv: the
imaginary part of f(q ⊕ ihv) over h = 1e-40 is exact to rounding, since nothing is subtracted. What is called "poses"
is multiplied out here, body by body, without the library's sweeps.

>>> import kinetrace as kt
>>> from kinetrace.verify import verify
>>> all(result.holds(1e-9) for result in verify(kt.load("planar2r"), states=1))
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from . import algorithms as alg
from .arrays import Array, concatenate
from .errors import InputError
from .lie import Ad_inv_dual, inertia, se3, so3
from .model.model import WORLD, Model
from .operators import GlobalMatrices, SpatialOperators, global_matrices, spatial_operators
from .robot import Robot

STEP = 1e-40
AXES = ("body", "space", "aligned")
FORMS = ("newton", "skew", "christoffel")
SINGULAR = 1e-13
"""Smallest eigenvalue, of the mass matrix scaled to a unit diagonal, that is not taken for zero."""


@dataclass(frozen=True, eq=False)
class State:
    """A robot in a random motion, with whatever else an identity may want."""

    robot: Robot
    q: Array
    v: Array
    a: Array
    u: Array
    """(nv,) a second velocity, or a force."""
    F: Array
    """(6,) a wrench on the frame."""
    frame: str
    """A frame that moves."""
    Q: list[Array]
    """(4, 4) a body: other link frames."""

    @property
    def model(self) -> Model:
        """The robot's model."""
        return self.robot.model

    @cached_property
    def M(self) -> Array:
        """The mass matrix (nv, nv)."""
        return alg.mass_matrix(self.model, self.q)

    @cached_property
    def tau(self) -> Array:
        """The forces (nv,) of this motion."""
        return alg.inverse_dynamics(self.model, self.q, self.v, self.a)

    @cached_property
    def bias(self) -> Array:
        """The forces (nv,) of this velocity without acceleration."""
        return alg.inverse_dynamics(self.model, self.q, self.v, self.zero)

    @cached_property
    def J(self) -> Array:
        """The Jacobian (6, nv) of the frame, in its own axes."""
        return alg.jacobian(self.model, self.q, frame=self.frame)

    @cached_property
    def W(self) -> Array:
        """The root (nv, nv) of M, column by column."""
        return np.array([alg.mass_root_product(self.model, self.q, e) for e in np.eye(self.model.nv)]).T

    @cached_property
    def inertial(self) -> float:
        """The size of M's entries times that of velocities: Coriolis forces are sums of such terms."""
        return _largest(self.M) * max(_largest(self.v), 1.0) ** 2

    @cached_property
    def moved(self) -> Model:
        """The same robot in other link frames."""
        return self.robot.with_frames(self.Q).model

    @cached_property
    def globals(self) -> GlobalMatrices:
        """Ploen and Park's matrices."""
        return global_matrices(self.model, self.q, self.v)

    @cached_property
    def spatial(self) -> SpatialOperators:
        """Rodriguez and Kreutz's operators."""
        return spatial_operators(self.model, self.q, self.v)

    @property
    def zero(self) -> Array:
        """No velocity, acceleration or force (nv,)."""
        return np.zeros(self.model.nv)

    def rate(self, f: Callable[[Array, Array], Array]) -> Array:
        """df/dt of f(q, v) in this motion."""
        q = self.model.integrate(self.q, 1j * STEP * self.v)
        return np.imag(f(q, self.v + 1j * STEP * self.a)) / STEP

    def gradient(self, f: Callable[[Array], Array]) -> Array:
        """∂f/∂q (nv, ...) of f(q), in the tangent space."""
        steps = 1j * STEP * np.eye(self.model.nv)
        return np.array([np.imag(f(self.model.integrate(self.q, step))) / STEP for step in steps])


Check: TypeAlias = Callable[[State], float]


@dataclass(frozen=True)
class Identity:
    """Something that must be true of every robot that has what it needs."""

    name: str
    group: str
    equation: str
    source: str
    needs: tuple[str, ...]
    """Of "tree" (no mimic joints), "inverse" (of M) and "root" (M positive definite)."""
    check: Check


@dataclass(frozen=True)
class Result:
    """What came of an identity on a robot: the worst residual of all states, or why there is none."""

    identity: Identity
    residual: float = float("nan")
    skipped: str | None = None
    error: str | None = None
    """What the computation stumbled on, if it did: the identity does not hold then."""

    def holds(self, tolerance: float) -> bool:
        """Whether the residual is within the tolerance, if there is one; NaN never is."""
        return self.skipped is not None or self.residual <= tolerance


IDENTITIES: list[Identity] = []


def identity(group: str, *needs: str) -> Callable[[Check], Check]:
    """Enter a function into the list of identities; its docstring is "equation [source]"."""

    def enter(check: Check) -> Check:
        line = re.fullmatch(r"(.*\S)\s*\[(.*)\]", (check.__doc__ or "").strip().splitlines()[0])
        if line is None:
            raise ValueError(f"the docstring of {check.__name__} must be 'equation [source]'")
        IDENTITIES.append(Identity(check.__name__, group, line[1], line[2], needs, check))
        return check

    return enter


# -- running them ----------------------------------------------------------------------------------------------------


def verify(robot: Robot, *, states: int = 10, seed: int = 0) -> Iterator[Result]:
    """Check every identity on random states of a robot; one result after the other, as in `IDENTITIES`."""
    if robot.nv == 0:
        raise InputError(f"{robot.name!r} has no moving joint, so there is nothing to verify")
    if states < 1:
        raise InputError(f"states must be at least 1, got {states}")
    drawn = random_states(robot, states, seed)
    with np.errstate(all="ignore"):
        missing = lacks(drawn)
    for each in IDENTITIES:
        reasons = [missing[need] for need in each.needs if need in missing]
        yield Result(each, skipped=reasons[0]) if reasons else _result(each, drawn)


def _result(identity: Identity, states: list[State]) -> Result:
    try:
        with np.errstate(all="ignore"):  # what overflows or is not a number shows in the residual
            return Result(identity, float(np.max([identity.check(s) for s in states])))
    except Exception as error:  # whatever it is, it is news about this identity, and the others are still wanted
        return Result(identity, error=f"{type(error).__name__}: {error}")


def random_states(robot: Robot, count: int, seed: int) -> list[State]:
    """States with positions within the limits, and velocities and accelerations of about one."""
    rng, model = np.random.default_rng(seed), robot.model
    moving = [name for name, frame in model.frames.items() if frame.body != WORLD]
    return [
        State(
            robot=robot,
            q=model.random(rng),
            v=rng.normal(size=model.nv),
            a=rng.normal(size=model.nv),
            u=rng.normal(size=model.nv),
            F=rng.normal(size=6),
            frame=moving[rng.integers(len(moving))],
            Q=[se3.exp(rng.normal(size=6) * [1, 1, 1, 0.3, 0.3, 0.3]) for _ in model.bodies],
        )
        for _ in range(count)
    ]


def lacks(states: list[State]) -> dict[str, str]:
    """Which of "tree", "inverse" and "root" the robot does not have, and why."""
    model, found = states[0].model, {}
    mimics = [body.joint_name for body in model.bodies if body.mimic is not None]
    if mimics:
        found["tree"] = f"not for mimic joints ({', '.join(mimics)})"
    unit = [unit_diagonal(s.M) for s in states]
    if not np.all(np.isfinite(unit)):
        return found  # the identities of M will tell
    eigenvalues = np.linalg.eigvalsh(unit)
    if eigenvalues.min() < -SINGULAR * model.nv:
        found["root"] = "the mass matrix is not positive definite: some inertia is not physical"
    if np.abs(eigenvalues).min() <= SINGULAR * model.nv:
        idle = [name for name in model.joint_names if _moves_nothing(states, model.joint_slices(name)[1])]
        why = f"{', '.join(idle)} can move without moving any mass" if idle else "some motion moves no mass"
        found["inverse"] = f"the mass matrix is singular: {why}"
    return found


def _moves_nothing(states: list[State], own: slice) -> bool:
    return any(np.diag(s.M)[own].min() <= SINGULAR**2 * np.diag(s.M).max() for s in states)


# -- how far two results are apart -----------------------------------------------------------------------------------


def relative(x: Array, y: Array, *terms: Array) -> float:
    """The largest difference over the largest number in x, y and the terms they are sums of.

    >>> relative(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    0.5
    """
    return _over(_largest(np.asarray(x) - np.asarray(y)), worst(map(_largest, (x, y, *terms))))


def worst(residuals: Iterable[float]) -> float:
    """The largest of some numbers; NaN if any is, which Python's `max` may lose.

    >>> worst([1.0, float("nan")])
    nan
    """
    return float(np.max(list(residuals)))


def _largest(x: Array) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def _over(error: Array, scale: Array) -> float:
    """The largest error over its scale; an infinite scale excuses nothing."""
    ratio = np.abs(error) / np.where(np.isfinite(scale), np.where(scale == 0, 1.0, scale), np.nan)
    return float(np.max(np.where((error == 0) & np.isfinite(scale), 0.0, ratio)))


def entrywise(A: Array, B: Array, M: Array) -> float:
    """The difference of two mass matrices, each entry over √(M_ii M_jj): joints of every size and unit count alike."""
    return _over(A - B, _sizes(M))


def unit_diagonal(M: Array) -> Array:
    """M with each entry over √(M_ii M_jj)."""
    return M / _sizes(M)


def _sizes(M: Array) -> Array:
    d = np.abs(np.diag(M))
    root = np.sqrt(np.where(d > SINGULAR**2 * d.max(), d, d.max() or 1.0))
    return np.outer(root, root)


def as_forces(s: State, x: Array, y: Array, *terms: Array) -> float:
    """The difference of two accelerations as the forces M (x − y), each over the terms of that joint's equation.

    How far M⁻¹ magnifies rounding says nothing about an algorithm, so it is taken out.
    """
    size = np.abs(s.M)
    return _by_joint(s.M @ (x - y), size @ np.abs(x), size @ np.abs(y), *map(np.abs, terms))


def _by_joint(error: Array, *terms: Array) -> float:
    return _over(error, np.sum(terms, axis=0))


# -- poses, without the library's sweeps -----------------------------------------------------------------------------


def body_poses(model: Model, q: Array) -> list[Array]:
    """X_0i (4, 4) of every body, straight from X_0i = X_0p X_pj placement(q_i) X_ji."""
    X: dict[int, Array] = {WORLD: np.eye(4)}
    for b, q_i in zip(model.bodies, model.split_q(q), strict=True):
        X[b.index] = X[b.parent] @ b.X_pj @ b.joint.placement(q_i) @ b.X_ji
    return [X[b.index] for b in model.bodies]


def body_twists(s: State) -> list[Array]:
    """V_i (6,) of every body in its own frame: the rates of the poses."""
    poses = body_poses(s.model, s.q)
    rates = s.rate(lambda q, v: np.array(body_poses(s.model, q)))
    return [twist(X, dX) for X, dX in zip(poses, rates, strict=True)]


def twist(X: Array, dX: Array, expressed_in: str = "body") -> Array:
    """The twist (6,) of a pose with rate dX, from its definition."""
    R, p = X[:3, :3], X[:3, 3]
    w, at_origin = so3.vee(dX[:3, :3] @ R.T), dX[:3, 3]
    if expressed_in == "body":
        return concatenate([R.T @ w, R.T @ at_origin])
    return concatenate([w, at_origin - (so3.cross(w, p) if expressed_in == "space" else 0)])


def mass_moments(model: Model, q: Array) -> Array:
    """m_i c_i (n, 3) of every body, c_i its centre of mass in the world."""
    poses = zip(model.bodies, body_poses(model, q), strict=True)
    return np.array([inertia.mass(b.J) * X[:3, 3] + X[:3, :3] @ so3.vee(b.J[:3, 3:]) for b, X in poses])


def potential(model: Model, q: Array) -> Array:
    """−Σ m_i g·c_i."""
    return -(mass_moments(model, q).sum(axis=0) @ model.gravity)


# -- kinematics ------------------------------------------------------------------------------------------------------


@identity("kinematics")
def pose_is_a_product(s: State) -> float:
    """X_0F = Π X_pi X_bF [Ploen & Park (1)]"""
    F = s.model.frame(s.frame)
    return relative(alg.pose(s.model, s.q, frame=s.frame), body_poses(s.model, s.q)[F.body] @ F.X_bf)


@identity("kinematics")
def velocity_is_the_rate_of_the_pose(s: State) -> float:
    """V = X⁻¹ dX/dt, and in other axes [Ploen & Park (2)]"""
    X, dX = alg.pose(s.model, s.q, frame=s.frame), s.rate(lambda q, v: alg.pose(s.model, q, frame=s.frame))
    found = [alg.velocity(s.model, s.q, s.v, frame=s.frame, expressed_in=axes) for axes in AXES]
    return worst(relative(V, twist(X, dX, axes), s.v) for V, axes in zip(found, AXES, strict=True))


@identity("kinematics")
def jacobian_gives_the_velocity(s: State) -> float:
    """J v = V [Park et al. (18-20)]"""

    def residual(axes: str) -> float:
        where = {"frame": s.frame, "expressed_in": axes}
        J = alg.jacobian(s.model, s.q, **where)
        return relative(J @ s.v, alg.velocity(s.model, s.q, s.v, **where), np.abs(J) @ np.abs(s.v))

    return worst(map(residual, AXES))


@identity("kinematics")
def acceleration_is_the_rate_of_the_velocity(s: State) -> float:
    """Vdot = dV/dt [Ploen & Park (3)]"""

    def residual(axes: str) -> float:
        where = {"frame": s.frame, "expressed_in": axes}
        dV = s.rate(lambda q, v: alg.velocity(s.model, q, v, **where))
        return relative(alg.acceleration(s.model, s.q, s.v, s.a, **where), dV, s.a)

    return worst(map(residual, AXES))


@identity("kinematics")
def acceleration_by_the_jacobian(s: State) -> float:
    """Vdot = J a + Jdot v [Ploen & Park (7)]"""

    def residual(axes: str) -> float:
        where = {"frame": s.frame, "expressed_in": axes}
        dJ = s.rate(lambda q, v: alg.jacobian(s.model, q, **where))
        terms = alg.jacobian(s.model, s.q, **where) * s.a, dJ * s.v
        dV = alg.acceleration(s.model, s.q, s.v, s.a, **where)
        return relative(dV, sum(x.sum(axis=1) for x in terms), *terms)

    return worst(map(residual, AXES))


@identity("kinematics")
def difference_undoes_integrate(s: State) -> float:
    """(q ⊕ v) ⊖ q = v [definition]"""
    v = s.v / max(1.0, _largest(s.v))  # turns of less than π
    return relative(s.model.difference(s.q, s.model.integrate(s.q, v)), v, s.q)


# -- inverse dynamics ------------------------------------------------------------------------------------------------


@identity("inverse dynamics")
def forces_are_affine_in_acceleration(s: State) -> float:
    """τ(a) = M a + τ(0) [Ploen & Park (10)]"""
    return relative(s.tau, s.M @ s.a + s.bias, s.M * s.a, s.bias)


@identity("inverse dynamics")
def velocity_forces_are_quadratic(s: State) -> float:
    """c(q, −3 v) = 9 c(q, v) [Ploen & Park (12)]"""
    g, fast = (alg.inverse_dynamics(s.model, s.q, v, s.zero) for v in (s.zero, -3 * s.v))
    return relative(fast - g, 9 * (s.bias - g), g, s.inertial)


@identity("inverse dynamics")
def gravity_is_the_gradient_of_the_potential(s: State) -> float:
    """τ(q, 0, 0) = ∂U/∂q, U of poses [Park et al. (58-59)]"""
    moments = s.gradient(lambda q: mass_moments(s.model, q))  # (nv, n, 3)
    weights = np.linalg.norm(moments, axis=-1).sum(axis=-1) * np.linalg.norm(s.model.gravity)
    tau = alg.inverse_dynamics(s.model, s.q, s.zero, s.zero)
    return relative(tau, -(moments.sum(axis=1) @ s.model.gravity), weights)


@identity("inverse dynamics")
def gravity_is_a_base_that_accelerates(s: State) -> float:
    """gravity g = base acceleration −g [Park et al. (22-27)]"""
    lift = np.concatenate([np.zeros(3), -s.model.gravity])
    weightless = replace(s.model, gravity=np.zeros(3))
    return relative(alg.inverse_dynamics(weightless, s.q, s.v, s.a, base_acceleration=lift), s.tau)


@identity("inverse dynamics")
def wrenches_enter_by_the_jacobian(s: State) -> float:
    """τ(F) − τ(0) = −Jᵀ F [Ploen & Park (10)]"""
    pushed = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench={s.frame: s.F})
    return relative(pushed - s.tau, -s.J.T @ s.F, s.tau, s.J.T * s.F)


@identity("inverse dynamics")
def power_is_the_rate_of_energy(s: State) -> float:
    """τ·v + F·V = d/dt (½ v·M v + U) [Newton]"""

    def energy(q: Array, v: Array) -> Array:
        return v @ alg.mass_matrix(s.model, q) @ v / 2 + potential(s.model, q)

    work = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench={s.frame: s.F}) * s.v
    pushed = s.F * alg.velocity(s.model, s.q, s.v, frame=s.frame)
    terms = np.abs(work).sum() + np.abs(pushed).sum() + np.abs(s.v) @ np.abs(s.M) @ np.abs(s.a)
    return relative(work.sum() + pushed.sum(), s.rate(energy), terms)


# -- mass matrix -----------------------------------------------------------------------------------------------------


@identity("mass matrix")
def forces_of_unit_accelerations_are_columns(s: State) -> float:
    """M e_j = τ(q, 0, e_j), no gravity [Ploen & Park (10-11)]"""
    weightless = replace(s.model, gravity=np.zeros(3))
    columns = [alg.inverse_dynamics(weightless, s.q, s.zero, e) for e in np.eye(s.model.nv)]
    return entrywise(np.array(columns).T, s.M, s.M)


@identity("mass matrix")
def mass_matrix_is_symmetric(s: State) -> float:
    """M = Mᵀ [Park et al. (51)]"""
    return entrywise(s.M, s.M.T, s.M)


@identity("mass matrix", "inverse")
def mass_matrix_is_positive_definite(s: State) -> float:
    """u·M u > 0 for all u [Park et al. (51)]"""
    return worst([0.0, -float(np.linalg.eigvalsh(unit_diagonal(s.M))[0])])


@identity("mass matrix")
def mass_matrix_is_the_kinetic_energy(s: State) -> float:
    """v·M v = Σ V·J V, V of poses [Park et al. (40)]"""
    energies = [V @ b.J @ V for b, V in zip(s.model.bodies, body_twists(s), strict=True)]
    return relative(s.v @ s.M @ s.v, sum(energies), *energies)


@identity("mass matrix")
def mass_matrix_by_jacobians(s: State) -> float:
    """M = Σ J_kᵀ J J_k [Park et al. (40)]"""
    return entrywise(alg.mass_matrix(s.model, s.q, method="jacobians"), s.M, s.M)


@identity("mass matrix", "tree", "inverse")
def mass_matrix_by_factors(s: State) -> float:
    """M = N Ω Nᵀ [Ploen & Park Prop. 1]"""
    return entrywise(alg.mass_matrix(s.model, s.q, method="factors"), s.M, s.M)


# -- factors ---------------------------------------------------------------------------------------------------------


def _undone(A: Array, x: Array, y: Array) -> float:
    """A x = y, each row over its terms."""
    return _by_joint(A @ x - y, np.abs(A) @ np.abs(x), np.abs(y))


@identity("factors", "tree", "inverse")
def solving_undoes_the_mass_matrix(s: State) -> float:
    """M M⁻¹ b = b [Ploen & Park Prop. 2]"""
    return _undone(s.M, alg.solve_mass(s.model, s.q, s.u), s.u)


@identity("factors", "tree", "inverse", "root")
def root_times_its_transpose(s: State) -> float:
    """W Wᵀ = M [Rodriguez (4.11)]"""
    return entrywise(s.W @ s.W.T, s.M, s.M)


@identity("factors", "tree", "inverse", "root")
def root_solve_undoes_the_root(s: State) -> float:
    """W W⁻¹ y = y [Rodriguez (4.16)]"""
    return _undone(s.W, alg.mass_root_solve(s.model, s.q, s.u), s.u)


@identity("factors", "tree", "inverse", "root")
def root_transposed_solve_undoes_its_transpose(s: State) -> float:
    """Wᵀ W⁻ᵀ x = x [Rodriguez (4.16)]"""
    return _undone(s.W.T, alg.mass_root_transposed_solve(s.model, s.q, s.u), s.u)


@identity("factors", "tree", "inverse", "root")
def pivots_give_the_determinant(s: State) -> float:
    """log det M = Σ log Ω_i [Rodriguez (4.11)]"""
    logs = np.log(alg.mass_pivots(s.model, s.q))
    return relative(logs.sum(), np.linalg.slogdet(s.M)[1], np.abs(logs).sum(), float(s.model.nv))


# -- forward dynamics ------------------------------------------------------------------------------------------------


def _there_and_back(s: State, method: str | None) -> float:
    """FD∘ID = 1, without and with a wrench."""
    plain = alg.forward_dynamics(s.model, s.q, s.v, s.tau, method=method)
    wrench = {s.frame: s.F}
    tau = alg.inverse_dynamics(s.model, s.q, s.v, s.a, wrench=wrench)
    pushed = alg.forward_dynamics(s.model, s.q, s.v, tau, method=method, wrench=wrench)
    push = np.abs(s.J.T) @ np.abs(s.F)
    return worst([as_forces(s, plain, s.a, s.tau, s.bias), as_forces(s, pushed, s.a, tau, s.bias, push)])


@identity("forward dynamics", "inverse")
def forward_dynamics_by_solving(s: State) -> float:
    """FD(ID(a)) = a, "solve" [Ploen & Park (10)]"""
    return _there_and_back(s, "solve")


@identity("forward dynamics", "tree", "inverse")
def forward_dynamics_fd1(s: State) -> float:
    """FD(ID(a)) = a, "FD1" [Rodriguez (4.17-18)]"""
    return _there_and_back(s, "FD1")


@identity("forward dynamics", "tree", "inverse")
def forward_dynamics_fd2(s: State) -> float:
    """frame acceleration of ID(a), "FD2" [Rodriguez (5.5-7)]"""
    found = alg.forward_acceleration(s.model, s.q, s.v, s.tau, frame=s.frame)
    expected = alg.acceleration(s.model, s.q, s.v, s.a, frame=s.frame)
    forces = np.abs(s.M) @ np.abs(s.a) + np.abs(s.tau) + np.abs(s.bias)
    return relative(found, expected, np.abs(s.J) @ np.abs(np.linalg.inv(s.M)) @ forces)


@identity("forward dynamics", "tree", "inverse")
def forward_dynamics_fd3(s: State) -> float:
    """FD(ID(a)) = a, "FD3" [Rodriguez (5.8-10)]"""
    return _there_and_back(s, "FD3")


@identity("forward dynamics", "tree", "inverse")
def forward_dynamics_fd4(s: State) -> float:
    """FD(ID(a)) = a, "FD4" [Rodriguez (5.13-17)]"""
    return _there_and_back(s, "FD4")


# -- operational space -----------------------------------------------------------------------------------------------


@identity("operational space", "inverse")
def compliance_by_the_jacobian(s: State) -> float:
    """Λ⁻¹ = J M⁻¹ Jᵀ [Rodriguez (4.16)]"""
    inverse = np.linalg.inv(s.M)
    terms = np.abs(s.J) @ np.abs(inverse) @ np.abs(s.J.T)
    return relative(alg.operational_compliance(s.model, s.q, frame=s.frame), s.J @ inverse @ s.J.T, terms)


@identity("operational space", "inverse")
def a_wrench_accelerates_its_frame(s: State) -> float:
    """J (FD(F) − FD(0)) = Λ⁻¹ F [Rodriguez (4.16)]"""
    free, pushed = (alg.forward_dynamics(s.model, s.q, s.v, s.tau, wrench=w) for w in (None, {s.frame: s.F}))
    inverse = np.abs(np.linalg.inv(s.M))
    forces = np.abs(s.J.T) @ np.abs(s.F) + np.abs(s.tau) + np.abs(s.bias)
    compliance = alg.operational_compliance(s.model, s.q, frame=s.frame)
    return relative(s.J @ (pushed - free), compliance @ s.F, np.abs(s.J) @ inverse @ forces)


# -- Coriolis forces -------------------------------------------------------------------------------------------------


def _coriolis(s: State, form: str) -> Array:
    return alg.coriolis_matrix(s.model, s.q, s.v, form=form)


@identity("Coriolis")
def coriolis_matrix_gives_the_bias(s: State) -> float:
    """C v + g = τ(q, v, 0), every form [Ploen (25), (37)]"""
    g = alg.inverse_dynamics(s.model, s.q, s.zero, s.zero)
    matrices = [_coriolis(s, form) for form in FORMS]
    return worst(relative(C @ s.v + g, s.bias, C * s.v, g, s.inertial) for C in matrices)


@identity("Coriolis")
def mass_matrix_rate_is_the_derivative(s: State) -> float:
    """Mdot = dM/dt [Ploen (28)]"""
    dM = s.rate(lambda q, v: alg.mass_matrix(s.model, q))
    return relative(alg.mass_matrix_rate(s.model, s.q, s.v), dM, s.inertial)


@identity("Coriolis")
def mass_matrix_rate_less_twice_coriolis_is_skew(s: State) -> float:
    """Mdot − 2 C skew, but for "newton" [Ploen (37)]"""
    dM = s.rate(lambda q, v: alg.mass_matrix(s.model, q))
    matrices = [_coriolis(s, form) for form in ("skew", "christoffel")]
    return worst(relative(dM, C + C.T, C, s.inertial) for C in matrices)


@identity("Coriolis")
def coriolis_products(s: State) -> float:
    """C u and Cᵀ u without C, every form [Ploen (37)]"""

    def residual(form: str) -> float:
        C, products = _coriolis(s, form), (alg.coriolis_product, alg.coriolis_transpose_product)
        found = [product(s.model, s.q, s.v, s.u, form=form) for product in products]
        return worst(relative(x, D @ s.u, D * s.u, s.inertial) for x, D in zip(found, (C, C.T), strict=True))

    return worst(map(residual, FORMS))


# -- energy and momentum ---------------------------------------------------------------------------------------------


@identity("energy and momentum")
def energies_of_poses(s: State) -> float:
    """T = Σ ½ V·J V, U = −Σ m g·c, of poses [Park et al. (58)]"""
    kinetic = [V @ b.J @ V / 2 for b, V in zip(s.model.bodies, body_twists(s), strict=True)]
    weights = mass_moments(s.model, s.q) * s.model.gravity
    T, U = alg.kinetic_energy(s.model, s.q, s.v), alg.potential_energy(s.model, s.q)
    return worst([relative(T, sum(kinetic)), relative(U, -weights.sum(), np.abs(weights).sum())])


@identity("energy and momentum")
def gravity_is_the_force_at_rest(s: State) -> float:
    """g(q) = τ(q, 0, 0) [Park et al. (59)]"""
    weights = np.linalg.norm(mass_moments(s.model, s.q), axis=-1).sum() * np.linalg.norm(s.model.gravity)
    tau = alg.inverse_dynamics(s.model, s.q, s.zero, s.zero)
    return relative(alg.gravity(s.model, s.q), tau, weights)


@identity("energy and momentum")
def momentum_of_poses(s: State) -> float:
    """h = Σ Ad* J V, of poses [Park et al. (10-11)]"""
    bodies = zip(s.model.bodies, body_poses(s.model, s.q), body_twists(s), strict=True)
    terms = [Ad_inv_dual(X, b.J @ V) for b, X, V in bodies]
    return relative(alg.momentum(s.model, s.q, s.v), sum(terms), *terms)


@identity("energy and momentum")
def centroidal_momentum_matrix_gives_the_momentum(s: State) -> float:
    """h_c = A v [Orin & Goswami 2008]"""
    A = alg.centroidal_momentum_matrix(s.model, s.q)
    about_origin = alg.momentum(s.model, s.q, s.v)
    return relative(alg.centroidal_momentum(s.model, s.q, s.v), A @ s.v, A * s.v, about_origin)


@identity("energy and momentum")
def momentum_rate_is_the_derivative(s: State) -> float:
    """momentum_rate = dh_c/dt [Park et al. (26)]"""
    dh = s.rate(lambda q, v: alg.centroidal_momentum(s.model, q, v))
    about_origin = s.rate(lambda q, v: alg.momentum(s.model, q, v))
    return relative(alg.momentum_rate(s.model, s.q, s.v, s.a), dh, about_origin)


# -- coordinate invariance -------------------------------------------------------------------------------------------


@identity("coordinate invariance")
def poses_in_other_link_frames(s: State) -> float:
    """X and J the same in any link frames [Ploen & Park (15-26)]"""
    pairs = [[f(m, s.q, frame=s.frame) for m in (s.moved, s.model)] for f in (alg.pose, alg.jacobian)]
    return worst(relative(*pair) for pair in pairs)


@identity("coordinate invariance")
def forces_in_other_link_frames(s: State) -> float:
    """τ the same in any link frames [Ploen & Park (34-38)]"""
    terms = _carried_wrenches(s)
    return relative(alg.inverse_dynamics(s.moved, s.q, s.v, s.a), s.tau, terms)


@identity("coordinate invariance")
def mass_matrix_in_other_link_frames(s: State) -> float:
    """M the same in any link frames [Ploen & Park (15-26)]"""
    return relative(alg.mass_matrix(s.moved, s.q), s.M)


@identity("coordinate invariance", "inverse")
def accelerations_in_other_link_frames(s: State) -> float:
    """FD(τ) the same in any link frames [Ploen & Park (47-68)]"""
    found, expected = (alg.forward_dynamics(m, s.q, s.v, s.u) for m in (s.moved, s.model))
    error = s.M @ (found - expected)
    return relative(error, 0 * error, np.abs(s.M) @ np.abs(expected), s.u, s.bias, _carried_wrenches(s))


@identity("coordinate invariance")
def christoffel_symbols_in_other_link_frames(s: State) -> float:
    """Christoffel C the same in any frames [Park et al. (52)]"""
    C = _coriolis(s, "christoffel")
    return relative(alg.coriolis_matrix(s.moved, s.q, s.v, form="christoffel"), C, s.inertial)


def _carried_wrenches(s: State) -> Array:
    """The wrench that moves the whole robot: what the joints' forces are small parts of."""
    forces = alg.momentum_rate(s.model, s.q, s.v, s.a)
    weight = sum(float(inertia.mass(b.J)) for b in s.model.bodies) * np.linalg.norm(s.model.gravity)
    return np.array([*forces, weight])


# -- global matrices -------------------------------------------------------------------------------------------------


@identity("operators")
def mass_matrix_by_global_matrices(s: State) -> float:
    """M = Sᵀ Gᵀ J G S [Ploen & Park (11)]"""
    GS = s.globals.G @ s.globals.S
    return entrywise(GS.T @ s.globals.J @ GS, s.M, s.M)


@identity("operators")
def mass_matrix_in_the_space_form(s: State) -> float:
    """M = Aᵀ Lᵀ D L A [Park et al. (46)]"""
    LA = s.globals.L @ s.globals.A
    return relative(LA.T @ s.globals.D @ LA, s.M, np.abs(LA.T) @ np.abs(s.globals.D) @ np.abs(LA))


@identity("operators", "tree", "inverse")
def proposition_1(s: State) -> float:
    """M = (I + Sᵀ Gᵀ Π) Ω (I + Sᵀ Gᵀ Π)ᵀ [Ploen & Park Prop. 1]"""
    g = s.globals
    N = np.eye(s.model.nv) + g.S.T @ g.G.T @ g.Pi
    return entrywise(N @ g.Omega @ N.T, s.M, s.M)


@identity("operators", "tree", "inverse")
def proposition_2(s: State) -> float:
    """M⁻¹ = (I − Sᵀ Y Π)ᵀ Ω⁻¹ (I − Sᵀ Y Π) [Ploen & Park Prop. 2]"""
    g = s.globals
    N_inv = np.eye(s.model.nv) - g.S.T @ g.Y @ g.Pi
    return _undone(s.M, N_inv.T @ np.linalg.solve(g.Omega, N_inv @ s.u), s.u)


@identity("operators")
def mass_matrix_by_spatial_operators(s: State) -> float:
    """M = H φ M φᵀ Hᵀ [Rodriguez (3.20)]"""
    o = s.spatial
    left = o.coupling.T @ o.H @ o.phi
    return entrywise(left @ o.M @ left.T, s.M, s.M)


@identity("operators", "tree", "inverse")
def spatial_innovations(s: State) -> float:
    """M = (I + H Φ L) D (I + H Φ L)ᵀ [Rodriguez (4.11)]"""
    o = s.spatial
    N = o.coupling.T @ (np.eye(s.model.nv) + o.H @ o.Phi @ o.L)
    return entrywise(N @ o.D @ N.T, s.M, s.M)


@identity("operators", "tree", "inverse")
def spatial_inverse(s: State) -> float:
    """M⁻¹ = (I − H Ψ L)ᵀ D⁻¹ (I − H Ψ L) [Rodriguez (4.16)]"""
    o = s.spatial
    N_inv = (np.eye(s.model.nv) - o.H @ o.Psi @ o.L) @ o.coupling
    return _undone(s.M, N_inv.T @ np.linalg.solve(o.D, N_inv @ s.u), s.u)


# -- compiled code ---------------------------------------------------------------------------------------------------


def _last_frame(s: State) -> str:
    """One frame for all states: each has a kernel of its own."""
    return [name for name, frame in s.model.frames.items() if frame.body != WORLD][-1]


@identity("compiled")
def compiled_kinematics(s: State) -> float:
    """pose and J, compiled = on floats [same source]"""
    frame = _last_frame(s)
    both = (alg.pose, alg.jacobian)
    return worst(relative(s.robot.kernel(f, frame=frame)(s.q), f(s.model, s.q, frame=frame)) for f in both)


@identity("compiled")
def compiled_inverse_dynamics(s: State) -> float:
    """τ, compiled = on floats [same source]"""
    return relative(s.robot.inverse_dynamics(s.q, s.v, s.a), s.tau, _carried_wrenches(s))


@identity("compiled")
def compiled_mass_matrix(s: State) -> float:
    """M, compiled = on floats [same source]"""
    return entrywise(s.robot.mass_matrix(s.q), s.M, s.M)


@identity("compiled", "inverse")
def compiled_forward_dynamics(s: State) -> float:
    """FD(τ), compiled = on floats [same source]"""
    expected = alg.forward_dynamics(s.model, s.q, s.v, s.u)
    return as_forces(s, s.robot.forward_dynamics(s.q, s.v, s.u), expected, s.u, s.bias)
