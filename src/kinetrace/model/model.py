"""The robot as data: a frozen tree of rigid bodies.

Bodies are numbered base → tips, parents before children; the world is -1. Body i hangs on its parent p by

    X_pi = X_pj · placement(q_i) · X_ji        (Park et al.'s f_{p,i} = M_i exp(S_i q_i))

where j is the joint's own frame. Links on fixed joints are part of the body that carries them; they remain as
named frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import pairwise
from operator import matmul
from types import MappingProxyType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..arrays import Array, concatenate, known, stack
from ..errors import InputError, ModelError, is_hashable, unknown
from ..lie import Ad_inv, inertia, se3
from ..support.lazy import cached_property
from ..support.plain import plain_list
from . import parameters
from .checks import LARGEST, Check, frozen, numbers, pose
from .joints import Joint
from .massless import Massless, massless_motions
from .pack import UnknownPartError, key, packed, unpacked
from .path import Path, path

WORLD = -1
_BATCHES = "an algorithm takes one state; for batches use Robot, compile, or jax.vmap"
VELOCITIES = ("v", "a", "tau", "u", "nu", "dq", "dv", "da", "dtau", "du", "dnu")
"""What arguments with nv entries are called, in functions of a model."""


@dataclass(frozen=True)
class Mimic:
    """A joint without variables of its own: its q is ratio · q_source + offset, joint by joint."""

    source: int
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Limits:
    """Bounds on a joint: position [rad or m] (nq,), velocity and effort (nv,); infinite where there is none.

    Some programs write the largest number they know for no bound: what is beyond 1e30 becomes infinite.
    """

    lower: Array
    upper: Array
    velocity: Array
    effort: Array

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            array = numbers(value, f"limits: {name}")
            if known(array) and np.any(np.isnan(array)):
                raise ModelError(f"limits: {name} must be numbers or infinite, got {value!r}")
            if known(array):
                array = np.where(np.abs(array) <= LARGEST, array + 0.0, np.copysign(np.inf, array))  # -0.0 becomes 0.0
            object.__setattr__(self, name, frozen(np.atleast_1d(array)))
        both = known(self.lower) and known(self.upper) and self.lower.shape == self.upper.shape
        if both and np.any(self.lower > self.upper):
            raise ModelError(f"limits: lower {self.lower.tolist()} must not exceed upper {self.upper.tolist()}")

    def __reduce__(self) -> Any:
        return Limits, tuple(vars(self).values())

    @staticmethod
    def none(joint: Joint) -> Limits:
        """No bounds."""
        unbounded = np.full(joint.nq, np.inf)
        return Limits(-unbounded, unbounded, np.full(joint.nv, np.inf), np.full(joint.nv, np.inf))


@dataclass(frozen=True)
class Geometry:
    """A shape on a link, kept for viewers: `kind` is box, cylinder, sphere, capsule or mesh."""

    kind: str
    size: tuple[float, ...]
    frame: str
    placement: Array = field(compare=False)
    role: str = "visual"
    mesh: str | None = None
    color: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, eq=False)
class Body:
    """One body and the joint that carries it."""

    index: int
    name: str
    parent: int
    joint_name: str
    joint: Joint
    X_pj: Array
    """(4, 4) joint frame in the parent body."""
    X_ji: Array
    """(4, 4) body frame in the moved joint frame."""
    J: Array
    """(6, 6) spatial inertia about and in the body frame, Park et al. (21)."""
    limits: Limits
    mimic: Mimic | None = None

    def __reduce__(self) -> Any:
        return Body, tuple(getattr(self, f.name) for f in fields(self))  # without what was computed since

    @cached_property
    def P(self) -> Array:
        """(4, 4) the pseudo-inertia of J, about and in the body frame; what rounding leaves of a zero is a zero."""
        P = inertia.pseudo_inertia(self.J)
        if known(P):
            second = np.pad(np.ones((3, 3), bool), (0, 1))
            P = np.where(second & (np.abs(P) <= 1e-15 * np.abs(self.J[:3, :3]).max()), 0.0, P)
        return frozen(P)

    @cached_property
    def _path(self) -> Path:
        return path(self.X_pj, self.joint, self.X_ji, self.parent == WORLD)

    def paths(self, q: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """X_pi as two paths: up to the joint's motion and with it, and the constant rest."""
        before, zero, after, full = self._path
        X_q = self.joint.placement(q + zero if zero else q)
        return ((reduce(matmul, before) @ X_q,) if full else (*before, X_q)), after

    def placement(self, q: Array) -> tuple[Array, ...]:
        """X_pi as a path: its factors, in the grouping that is cheapest to apply to six-vectors."""
        before, after = self.paths(q)
        return before + after

    def subspace(self, q: Array) -> Array:
        """S_i (6, nv), in the body frame."""
        return self._in_body(self.joint.subspace(q))

    def subspace_rate(self, q: Array, v: Array) -> Array:
        """Sdot_i (6, nv), in the body frame."""
        return self._in_body(self.joint.subspace_rate(q, v))

    def bias(self, q: Array, v: Array) -> Array:
        """Sdot_i v_i (6,), in the body frame."""
        return self._in_body(self.joint.bias(q, v))

    def bias_gradient(self, q: Array, v: Array) -> Array:
        """The derivative (6, nv) of the bias along q_i ⊕ ε, in the body frame."""
        return self._in_body(self.joint.bias_gradient(q, v))

    def _in_body(self, columns: Array) -> Array:
        for X in self._path.after:
            columns = Ad_inv(X, columns.T).T
        return columns


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a body (or to the world, -1)."""

    name: str
    body: int
    X_bf: Array
    """(4, 4) pose of the frame in its body."""


@dataclass(frozen=True, eq=False)
class Model:
    """A tree of bodies, its named frames, and gravity [m/s²] in the world frame."""

    name: str
    bodies: tuple[Body, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    geometry: tuple[Geometry, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        for body in self.bodies:
            for array in (body.X_pj, body.X_ji, body.J):
                frozen(array)
        shapes = (shape.placement for shape in self.geometry)
        for array in (*(frame.X_bf for frame in self.frames.values()), self.gravity, *shapes):
            frozen(array)

    @cached_property
    def independent_joints(self) -> tuple[Body, ...]:
        """The bodies whose joints have variables of their own, that is, all but mimics."""
        return tuple(body for body in self.bodies if body.mimic is None)

    @cached_property
    def nq(self) -> int:
        """Number of configuration variables."""
        return sum(body.joint.nq for body in self.independent_joints)

    @cached_property
    def nv(self) -> int:
        """Number of degrees of freedom."""
        return sum(body.joint.nv for body in self.independent_joints)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Joints with variables, in the order of `q` and `v`."""
        return tuple(body.joint_name for body in self.independent_joints)

    @cached_property
    def coupled_joints(self) -> tuple[str, ...]:
        """Joints that mimic others."""
        return tuple(body.joint_name for body in self.bodies if body.mimic is not None)

    @cached_property
    def limits(self) -> Limits:
        """The bounds of all joints: position (nq,), velocity and effort (nv,)."""
        each = [body.limits for body in self.independent_joints] or [Limits(*[np.zeros(0)] * 4)]
        fields = ("lower", "upper", "velocity", "effort")
        return Limits(*(np.concatenate([getattr(limits, name) for limits in each]) for name in fields))

    @cached_property
    def _slices(self) -> dict[int, tuple[slice, slice]]:
        """Body index → where its own variables stand in q and in v."""
        slices, iq, iv = {}, 0, 0
        for body in self.independent_joints:
            slices[body.index] = (slice(iq, iq + body.joint.nq), slice(iv, iv + body.joint.nv))
            iq, iv = iq + body.joint.nq, iv + body.joint.nv
        return slices

    def frame(self, name: str) -> Frame:
        """The frame of that name."""
        if not is_hashable(name) or name not in self.frames:
            raise unknown("frame", name, self.frames, "robot.frame_names")
        return self.frames[name]

    def with_frames(self, frames: Sequence[Array] | str) -> Model:
        """The same robot in other body frames: Q_i (4, 4) a body, the old frame in the new; or "center_of_mass".

        Screws, inertias and placements change as Ploen and Park (15)–(26) say; nothing that is measured does.
        """
        if isinstance(frames, str):
            if frames != "center_of_mass":
                raise unknown("frames", frames, ("center_of_mass",))
            frames = [se3.pose(np.eye(3), -inertia.center_of_mass(body.J)) for body in self.bodies]
        frames = plain_list("frames", frames, "one pose for each body, or 'center_of_mass'")
        if len(frames) != len(self.bodies):
            raise InputError(f"frames must be one pose a body, {len(self.bodies)} in all; got {len(frames)}")
        Q = {i: pose(X, f"frame of body {self.bodies[i].name!r}") for i, X in enumerate(frames)} | {WORLD: np.eye(4)}
        bodies = tuple(
            replace(
                b,
                X_pj=Q[b.parent] @ b.X_pj,
                X_ji=b.X_ji @ se3.inverse(Q[b.index]),
                J=inertia.change_frame(Q[b.index], b.J),
            )
            for b in self.bodies
        )
        named = {name: replace(f, X_bf=Q[f.body] @ f.X_bf) for name, f in self.frames.items()}
        return Model(self.name, bodies, named, self.gravity, self.geometry)

    def with_parameters(self, *, check: Check = "warn", **values: Array) -> Model:
        """The same robot with other numbers: see `parameters` for their names, shapes and frames.

        Values may be of any scalar; those that are known are checked. `check` says what to do about inertias that no
        body can have and joints that move no mass: "warn", "error" or "ignore".

        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_parameters(gravity=[0, 0, -1.62]).gravity.tolist()
        [0.0, 0.0, -1.62]
        """
        return parameters.replaced(self, check, **values)

    @cached_property
    def is_known(self) -> bool:
        """Whether all its numbers are plain real ones, as `Robot` and `compile` need them."""
        bodies = [x for b in self.bodies for x in (b.X_pj, b.X_ji, b.J, *vars(b.joint).values())]
        couplings = [x for b in self.bodies if b.mimic is not None for x in (b.mimic.ratio, b.mimic.offset)]
        return all(map(known, [*bodies, *couplings, *(f.X_bf for f in self.frames.values()), self.gravity]))

    @cached_property
    def massless(self) -> list[Massless]:
        """The joints that can move without moving any mass, which makes the mass matrix singular."""
        return massless_motions(self)

    def ancestors(self, body: int) -> frozenset[int]:
        """The body itself and all bodies between it and the world."""
        found = set()
        while body != WORLD:
            found.add(body)
            body = self.bodies[body].parent
        return frozenset(found)

    def joint_slices(self, name: str) -> tuple[slice, slice]:
        """Where the joint's variables stand in q and in v."""
        for body in self.bodies:
            if body.joint_name == name and body.mimic:
                source = self.bodies[body.mimic.source].joint_name
                raise InputError(f"joint {name!r} mimics {source!r} and has no variables of its own")
            if body.joint_name == name:
                return self._slices[body.index]
        raise unknown("joint", name, self.joint_names, "robot.joint_names")

    # -- one place for variables: joints ↔ vectors, and the couplings of mimic joints --------------------------

    def split_q(self, q: Array) -> list[Array]:
        """q (nq,) as one array a body; a mimic joint gets ratio · q_source + offset."""
        if np.shape(q) != (self.nq,):
            raise InputError(f"q must have shape ({self.nq},), got {np.shape(q)}; {_BATCHES}")
        own = {index: q[sq] for index, (sq, _) in self._slices.items()}
        return [
            own[b.index] if b.mimic is None else b.mimic.ratio * own[b.mimic.source] + b.mimic.offset
            for b in self.bodies
        ]

    def split_v(self, v: Array) -> list[Array]:
        """v (nv,), or a matrix (nv, k), as one array a body; a mimic joint gets ratio · v_source."""
        if np.shape(v)[:1] != (self.nv,):
            raise InputError(f"v, a and tau must have shape ({self.nv},), got {np.shape(v)}; {_BATCHES}")
        own = {index: v[sv] for index, (_, sv) in self._slices.items()}
        return [own[b.index] if b.mimic is None else b.mimic.ratio * own[b.mimic.source] for b in self.bodies]

    def gather(self, forces: Sequence[Array]) -> Array:
        """The transpose of `split_v`: joint forces (nv_i, ...) of every body as one array (nv, ...)."""
        own = {b.index: f for b, f in zip(self.bodies, forces, strict=True) if b.mimic is None}
        for b, f in zip(self.bodies, forces, strict=True):
            if b.mimic is not None:
                own[b.mimic.source] = own[b.mimic.source] + b.mimic.ratio * f
        return concatenate([own[b.index] for b in self.independent_joints], axis=0) if own else np.zeros(0)

    def gather_blocks(self, rows: Sequence[Mapping[int, Array]]) -> Array:
        """A symmetric matrix (nv, nv) from its blocks rows[i][j] (nv_i, nv_j), j at or beyond i; others are zero."""
        full = [
            concatenate(
                [
                    rows[i][j] if j in rows[i] else rows[j][i].T if i in rows[j] else np.zeros((b.joint.nv, c.joint.nv))
                    for j, c in enumerate(self.bodies)
                ]
            )
            for i, b in enumerate(self.bodies)
        ]
        if not full:
            return np.zeros((0, 0))
        ends = np.cumsum([0, *(b.joint.nv for b in self.bodies)])
        half = self.gather(full)  # (nv, joints of all bodies)
        return inertia.symmetric(self.gather([half[:, a:b].T for a, b in pairwise(ends)]))

    # -- the configuration manifold ----------------------------------------------------------------------------

    def _each(self, function: Callable[..., Array], qs: Sequence[Array], vs: Sequence[Array] = ()) -> Array:
        """Apply a joint's method to every joint's own variables, and join the results."""
        parts = [
            function(body, *(q[sq] for q in qs), *(v[sv] for v in vs))
            for body in self.independent_joints
            for sq, sv in [self._slices[body.index]]
        ]
        return concatenate(parts) if parts else np.zeros(0)

    def neutral(self) -> Array:
        """The configuration (nq,) with every joint at its zero."""
        return self._each(lambda b: b.joint.neutral(), ())

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> Array:
        """Configurations (*shape, nq) within the joint limits."""
        if not self.independent_joints:
            return np.zeros((*shape, 0))
        return self._each(lambda b: b.joint.random(rng, (b.limits.lower, b.limits.upper), shape), ())

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ v (nq,): where the velocity v leads in unit time; quaternions stay on their sphere."""
        return self._each(lambda b, q, v: b.joint.integrate(q, v), (q,), (v,))

    def difference(self, q0: Array, q1: Array) -> Array:
        """q1 ⊖ q0 (nv,): the velocity that leads from q0 to q1 in unit time."""
        return self._each(lambda b, q0, q1: b.joint.difference(q0, q1), (q0, q1))

    def tangent(self, q: Array) -> Array:
        """The derivative (nq, nv) of q ⊕ ε at ε = 0: qdot = tangent(q) v."""
        if np.shape(q) != (self.nq,):
            raise InputError(f"q must have shape ({self.nq},), got {np.shape(q)}; {_BATCHES}")
        columns = []
        for e in np.eye(self.nv):
            columns.append(self._each(lambda b, q, v: b.joint.tangent(q) @ v, (q,), (e,)))
        return stack(columns) if columns else np.zeros((0, 0))

    def bracket(self, u: Array, w: Array) -> Array:
        """[u, w] (nv,), the bracket of the motions that keep the velocities u and w: zero but for quaternions."""
        return self._each(lambda b, u, w: b.joint.bracket(u, w), (), (u, w))

    def normalise(self, q: Array) -> Array:
        """q (nq,) with every quaternion scaled to unit length."""
        return self._each(lambda b, q: b.joint.normalise(q), (q,))

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv})"

    def __reduce__(self) -> Any:
        parts = self.name, self.bodies, dict(self.frames), self.gravity, self.geometry
        try:
            return _unpacked, packed(parts)
        except UnknownPartError:
            return Model, parts


_in_use: WeakValueDictionary[bytes, Model] = WeakValueDictionary()


def _unpacked(structure: Any, numbers: Array) -> Model:
    """A model that was pickled; the same one for the same content, while there is one, as it never changes."""
    name = key(structure, numbers)
    found = _in_use.get(name)
    return _in_use.setdefault(name, Model(*unpacked(structure, numbers))) if found is None else found
