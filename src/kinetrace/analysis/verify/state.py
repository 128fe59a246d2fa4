"""A robot in a random motion, and how far two results are apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

import numpy as np

from ... import algorithms as alg
from ...algorithms.operators import GlobalMatrices, SpatialOperators, global_matrices, spatial_operators
from ...algorithms.registry.choices import CoriolisForm
from ...arrays import Array, concatenate
from ...lie import inertia, so3
from ...model import WORLD, Model
from ...robot import Robot
from ...support.attributes import cached_property

CORIOLIS_FORMS: tuple[CoriolisForm, ...] = get_args(CoriolisForm)
STEP = 1e-40
"""Of complex derivatives."""
SINGULAR_EIGENVALUE = 1e-13
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
    """(4, 4) per body: other link frames."""
    base: Array
    """(2, 6) velocity and acceleration of a base that moves."""

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

    @property
    def rigid(self) -> Model:
        """The same robot without passive forces, of which rigid bodies know nothing."""
        return self.model.without_passive_forces

    @cached_property
    def passive(self) -> Array:
        """The forces (nv,) of these."""
        return alg.passive_forces(self.model, self.q, self.v)

    @cached_property
    def J(self) -> Array:
        """The Jacobian (6, nv) of the frame, in its own axes."""
        return alg.jacobian(self.model, self.q, frame=self.frame)

    @cached_property
    def W(self) -> Array:
        """The sizes (nv, nv) of the entries of M's root, from M alone: what products with it are sums of."""
        size = np.sqrt(np.diag(self.M))
        return np.abs(size[:, None] * np.linalg.cholesky(unit_diagonal(self.M)[::-1, ::-1])[::-1, ::-1])

    @property
    def frames(self) -> tuple[str, str]:
        """The frame, and the robot's first: fixed to the world, if the base is."""
        return self.frame, next(iter(self.model.frames))

    @property
    def wrenches(self) -> dict[str, Array]:
        """Wrenches (6,) on two frames; on one, if it is the robot's last."""
        return {list(self.model.frames)[-1]: self.base[0] - self.F, self.frame: self.F}

    @property
    def acting(self) -> dict[str, Any]:
        """Inputs that may act on a robot: a base that moves, and wrenches."""
        return {"base_velocity": self.base[0], "base_acceleration": self.base[1], "wrench": self.wrenches}

    @cached_property
    def M_inverse(self) -> Array:
        """The inverse (nv, nv) of the mass matrix, from M alone."""
        return np.linalg.inv(self.M)

    @cached_property
    def M_rate(self) -> Array:
        """dM/dt (nv, nv) in this motion."""
        return self.rate(lambda q, v: alg.mass_matrix(self.model, q))

    @cached_property
    def coriolis(self) -> dict[CoriolisForm, Array]:
        """C (nv, nv), in every form."""
        return {form: alg.coriolis_matrix(self.model, self.q, self.v, form=form) for form in CORIOLIS_FORMS}

    @cached_property
    def poses(self) -> list[Array]:
        """X_0i (4, 4) of every body: `body_poses`."""
        return body_poses(self.model, self.q)

    @cached_property
    def twists(self) -> list[Array]:
        """V_i (6,) of every body in its own frame: the rates of the poses."""
        rates = self.rate(lambda q, v: np.array(body_poses(self.model, q)))
        return [twist(X, dX) for X, dX in zip(self.poses, rates, strict=True)]

    @cached_property
    def lever(self) -> float:
        """Σ |m_i c_i|, about the world's origin: weights have moments of its size times that of gravity."""
        return float(np.linalg.norm(mass_moments(self.model, self.poses), axis=-1).sum())

    @cached_property
    def inertial(self) -> float:
        """The size of M's entries times that of velocities: Coriolis forces are sums of such terms."""
        return largest(self.M) * max(largest(self.v), 1.0) ** 2

    @cached_property
    def inertial_by_joint(self) -> Array:
        """The same (nv,) of each joint's own entries, |M_ij| ≤ √(M_ii M_jj): what its forces are sums of."""
        d = np.abs(np.diag(self.M))
        return np.sqrt(d * d.max()) * max(largest(self.v), 1.0) ** 2

    @cached_property
    def moved(self) -> Model:
        """The same robot in other link frames."""
        return self.robot.with_link_frames(self.Q).model

    @cached_property
    def globals(self) -> GlobalMatrices:
        """Ploen and Park's matrices."""
        return global_matrices(self.model, self.q, self.v)

    @cached_property
    def spatial(self) -> SpatialOperators:
        """Rodriguez and Kreutz's operators."""
        return spatial_operators(self.model, self.q, self.v)

    @cached_property
    def uncoupled(self) -> State:
        """The same motion of the robot whose mimic joints move on their own, without rotors: the operators' tree."""
        model = self.model
        if not model.coupled_joints and not model.armature.any():
            return self
        tree = replace(model, bodies=tuple(replace(body, mimic=None, effects=None) for body in model.bodies))
        v, a, u = (np.concatenate(model.split_v(x)) for x in (self.v, self.a, self.u))
        return replace(self, robot=Robot(tree), q=np.concatenate(model.split_q(self.q)), v=v, a=a, u=u)

    @property
    def zero(self) -> Array:
        """No velocity, acceleration or force (nv,)."""
        return np.zeros(self.model.nv)

    def rate(self, f: Callable[[Array, Array], Array]) -> Array:
        """df/dt of f(q, v) in this motion."""
        q = self.model.integrate(self.q, 1j * STEP * self.v)
        return np.imag(f(q, self.v + 1j * STEP * self.a)) / STEP

    def along(self, w: Array, f: Callable[[Array], Array]) -> Array:
        """∂f/∂q · w of f(q), along q ⊕ εw."""
        return np.imag(f(self.model.integrate(self.q, 1j * STEP * w))) / STEP


def relative(x: Array, y: Array, *terms: Array) -> float:
    """The largest difference over the largest number in x, y and the terms they are sums of.

    >>> relative(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    0.5
    """
    return _over(largest(np.asarray(x) - np.asarray(y)), worst(map(largest, (x, y, *terms))))


def worst(residuals: Iterable[float]) -> float:
    """The largest of some numbers; NaN if any is, which Python's `max` may lose.

    >>> worst([1.0, float("nan")])
    nan
    """
    return float(np.max(list(residuals)))


def largest(x: Array) -> float:
    """The largest magnitude."""
    return float(np.max(np.abs(x), initial=0.0))


def _over(error: Array, scale: Array) -> float:
    """The largest error over its scale; NaN for an infinite scale."""
    ratio = np.abs(error) / np.where(np.isfinite(scale), np.where(scale == 0, 1.0, scale), np.nan)
    return float(np.max(np.where((error == 0) & np.isfinite(scale), 0.0, ratio), initial=0.0))


def entrywise(A: Array, B: Array, M: Array) -> float:
    """The difference of two mass matrices, each entry over √(M_ii M_jj): joints of every size and unit count alike."""
    return _over(A - B, _sizes(M))


def product(x: Array, M: Array, u: Array) -> float:
    """The difference of a vector from M u; rows are judged as `entrywise` does entries, times those of u.

    A matrix that is not M has another product with a random vector, but for vectors of measure zero.
    """
    return _over(x - M @ u, _sizes(M) @ np.abs(u))


def unit_diagonal(M: Array) -> Array:
    """M with each entry over √(M_ii M_jj)."""
    return M / _sizes(M)


def _sizes(M: Array) -> Array:
    d = np.abs(np.diag(M))
    root = np.sqrt(np.where(d > SINGULAR_EIGENVALUE**2 * d.max(), d, d.max() or 1.0))
    return np.outer(root, root)


def as_forces(s: State, x: Array, y: Array, *terms: Array) -> float:
    """The difference of two accelerations as the forces M (x − y), each over the terms of that joint's equation.

    How far M⁻¹ magnifies rounding says nothing about an algorithm, so it is taken out.
    """
    size = np.abs(s.M)
    return by_joint(s.M @ (x - y), size @ np.abs(x), size @ np.abs(y), *map(np.abs, terms))


def by_joint(error: Array, *terms: Array) -> float:
    """The worst joint's error, over the sizes of its own terms."""
    return _over(error, np.sum(terms, axis=0))


def length(model: Model) -> float:
    """The robot's own length: of placements and centres of mass, or else of what its inertias tell, or else 1."""
    mass = [float(inertia.mass(b.J)) for b in model.bodies]
    placed = [X[:3, 3] for b in model.bodies for X in (b.X_pj, b.X_ji)]
    centres = [so3.vee(b.J[:3, 3:]) / m for b, m in zip(model.bodies, mass, strict=True) if m > 0]
    turned = sum(largest(b.J[:3, :3]) for b in model.bodies)
    return largest([*placed, *centres]) or (np.sqrt(turned / sum(mass)) if sum(mass) > 0 else 0.0) or 1.0


def body_poses(model: Model, q: Array) -> list[Array]:
    """X_0i (4, 4) of every body, straight from X_0i = X_0p X_pj placement(q_i) X_ji."""
    X: dict[int, Array] = {WORLD: np.eye(4)}
    for b, q_i in zip(model.bodies, model.split_q(q), strict=True):
        X[b.index] = X[b.parent] @ b.X_pj @ b.joint.placement(q_i) @ b.X_ji
    return [X[b.index] for b in model.bodies]


def twist(X: Array, dX: Array, expressed_in: str = "body") -> Array:
    """The twist (6,) of a pose with rate dX, from its definition."""
    R, p = X[:3, :3], X[:3, 3]
    w, at_origin = so3.vee(dX[:3, :3] @ R.T), dX[:3, 3]
    if expressed_in == "body":
        return concatenate([R.T @ w, R.T @ at_origin])
    return concatenate([w, at_origin - (so3.cross(w, p) if expressed_in == "space" else 0)])


def mass_moments(model: Model, poses: list[Array]) -> Array:
    """m_i c_i (n, 3) of every body, c_i its centre of mass in the world."""
    each = zip(model.bodies, poses, strict=True)
    return np.array([inertia.mass(b.J) * X[:3, 3] + X[:3, :3] @ so3.vee(b.J[:3, 3:]) for b, X in each])


def potential(model: Model, q: Array) -> Array:
    """−Σ m_i g·c_i."""
    return -(mass_moments(model, body_poses(model, q)).sum(axis=0) @ model.gravity)


def undone(A: Array, x: Array, y: Array) -> float:
    """A x = y, each row over its terms."""
    return by_joint(A @ x - y, np.abs(A) @ np.abs(x), np.abs(y))


Check: TypeAlias = Callable[[State], float]


@dataclass(frozen=True)
class Identity:
    """Something that must be true of every robot that has what it needs."""

    name: str
    group: str
    equation: str
    source: str
    needs: tuple[str, ...]
    """Of "inverse" (of M), "tree" (one without couplings, too), "root" (M positive definite), "compiler", "closures",
    "motors" (that drive all that moves), and "few" (velocities, for tensors that grow with their fourth power)."""
    check: Check


@dataclass(frozen=True)
class Result:
    """Result of an identity on a robot: the worst residual of all states, or why there is none."""

    identity: Identity
    residual: float = float("nan")
    skipped: str | None = None
    error: str | None = None
    """Error of the computation, if there was one: the identity does not hold then."""

    def holds(self, tolerance: float) -> bool:
        """Whether the residual is within the tolerance, if there is one; NaN never is."""
        return self.skipped is not None or self.residual <= tolerance


IDENTITIES: list[Identity] = []
GROUPS = (
    "kinematics",
    "inverse dynamics",
    "mass matrix",
    "factors",
    "forward dynamics",
    "operational space",
    "Coriolis",
    "quasi-velocities",
    "energy and momentum",
    "derivatives",
    "curvature",
    "steps",
    "regressors",
    "coordinate invariance",
    "operators",
    "compiled",
    "closed chains",
)
"""Their groups, in the order of `IDENTITIES`."""


def identity(group: str, *needs: str) -> Callable[[Check], Check]:
    """Enter a function into the list of identities; its docstring is "equation [source]".

    Without docstrings, as under `python -OO`, its name stands for the equation.
    """

    def enter(check: Check) -> Check:
        doc = check.__doc__ or f"{check.__name__.replace('_', ' ')} []"
        line = re.fullmatch(r"(.*\S)\s*\[(.*)\]", doc.strip().splitlines()[0])
        if line is None:
            raise ValueError(f"the docstring of {check.__name__} must be 'equation [source]'")
        IDENTITIES.append(Identity(check.__name__, group, line[1], line[2], needs, check))
        IDENTITIES.sort(key=lambda each: GROUPS.index(each.group))
        return check

    return enter
