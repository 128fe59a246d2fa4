"""Motions that move no mass: where there are any, the mass matrix is singular, and no force determines an acceleration.

M = Σ J_iᵀ I_i J_i is singular if and only if some velocity v ≠ 0 leaves every body without momentum, I_i V_i = 0. If
every I_i is positive definite there is none: the first body from the base that v moves has V_i = S_i v_i ≠ 0. So only
bodies without mass, or without a moment of inertia about some line, are suspect, with all beyond them; and those of
joints of a user's class with S_i v_i = 0 for some v_i.

There the articulated-body recursion runs tips → base at a random configuration, on square roots: I = LᵀL, the rows of L
are joined by those of the bodies beyond, and a joint is eliminated by projecting them onto the complement of L S. The
pivots |L S|² are those of the factorisation of M; their roots keep twice the digits. A pivot that vanishes at random
configurations vanishes at all of them. Velocities that mimic joints share stay as columns beside the twist's six, and
are eliminated last. A rotor resists its joint's velocity alone: one more row, √A, which no body moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Array
from ...errors import name_list
from ...lie import Ad_inv, Ad_inv_dual, inertia, so3
from ..checks import Check, complain
from ..joints.checks import sampled_limits
from ..record import is_own

if TYPE_CHECKING:
    from ..body import Body
    from ..model import Model

POINT = 1e-13
"""A principal moment beside the numbers that it is computed from, of I about the body frame and of m c², those of other
axes not among them: smaller ones are rounding."""
MOMENT_ROUNDING = 1e-14
"""A principal moment beside the largest entry of I: smaller ones may be what changes of the frame have left of it."""
PIVOT_ROUNDING = 1e-8
"""Root of a pivot beside that of all inertia the joint carries: below, the pivot is less than the rounding of M."""
VELOCITY_SHARE = 1e-6
"""Velocity of a joint beside the largest one of a motion: those that are larger are named."""
CONFIGURATION_SEEDS = (11, 12)
"""Seeds of the random configurations; the second confirms the result of the first."""
MAX_SHARED_VELOCITIES = 100
"""Velocities that mimic joints share and that are looked at."""
NAMES_IN_MESSAGE = 5
"""Joints that get a message of their own."""


@dataclass(frozen=True, eq=False)
class Massless:
    """A joint that can move without moving any mass, and why."""

    joint: str
    directions: Array
    """(k, nv) such velocities of the joint, at one configuration."""
    reason: str

    def __str__(self) -> str:
        (k, n), where = np.shape(self.directions), ""
        if k < n:
            v = self.directions[0]
            v = np.round(v / v[np.argmax(np.abs(v))], 6)
            where = f" with v = ({', '.join(f'{x + 0.0:.3g}' for x in v)})" if k == 1 else f" in {k} of {n} directions"
        return f"joint {self.joint!r} moves no mass{where}: {self.reason}"


def check_massless(model: Model, check: Check, file: str = "") -> None:
    """Warn, or raise an error, about joints that can move without moving any mass."""
    for each in [] if check == "ignore" else massless_messages(model.massless):
        complain(f"{each}, so the mass matrix is singular", check, file=file)


def massless_messages(found: list[Massless]) -> list[str]:
    """Messages about such joints: the first few by name, then the number of the others."""
    others = len(found) - NAMES_IN_MESSAGE
    return [*map(str, found[:NAMES_IN_MESSAGE]), *([f"{others} more joints move no mass"] if others > 0 else [])]


def massless_motions(model: Model) -> list[Massless]:
    """The joints that can move without moving any mass, of a model whose numbers are known.

    Where whole subtrees have no inertia, only the first joint of each is listed.

    >>> import kinetrace as kt
    >>> massless_motions(kt.load("panda").model)
    []
    """
    if not (model.bodies and model.is_concrete):
        return []
    J = _semidefinite(np.array([body.J for body in model.bodies]))
    roots, definite = _roots(J)
    suspect: set[int] = set()
    for body in model.bodies:
        if not definite[body.index] or body.parent in suspect or _is_idle(body):
            suspect.add(body.index)
    found = _Elimination(model, J, roots, suspect, CONFIGURATION_SEEDS[0]).massless() if suspect else []
    again = (
        {each.joint for each in _Elimination(model, J, roots, suspect, CONFIGURATION_SEEDS[1]).massless()}
        if found
        else set()
    )
    return [each for each in found if each.joint in again]


def _semidefinite(J: Array) -> Array:
    """J (n, 6, 6) with impossible inertias replaced by definite ones: the motions found do not depend on them."""
    m, h, size = inertia.mass(J), np.abs(so3.vee(J[:, :3, 3:])).max(axis=1), np.abs(J).max(axis=(1, 2))
    off = np.abs(J - inertia.from_parameters(inertia.to_parameters(J))).max(axis=(1, 2))
    moments = np.linalg.eigvalsh(_about_centre(J))
    wrong = (m < 0) | ((m == 0) & (h > 0)) | (off > POINT * size)
    wrong |= moments[:, 0] < -POINT * np.abs(J[:, :3, :3]).max(axis=(1, 2))
    return np.where(wrong[:, None, None], size[:, None, None] * np.eye(6), J)


def _about_centre(J: Array) -> Array:
    """The moments of inertia (n, 3, 3) about the centres of mass."""
    c = so3.hat(inertia.center_of_mass(J))
    return J[:, :3, :3] + inertia.mass(J)[:, None, None] * c @ c


def _roots(J: Array) -> tuple[Array, Array]:
    """L (n, 6, 6) of J = LᵀL: the velocity of the centre of mass, then the turn about it; and (n,) where J > 0."""
    m, I, c = inertia.mass(J), J[:, :3, :3], so3.hat(inertia.center_of_mass(J))
    moments, axes = np.linalg.eigh(_about_centre(J))
    numbers = np.abs(I) + m[:, None, None] * np.abs(c) @ np.abs(c)
    own = np.einsum("nik,nij,njk->nk", np.abs(axes), numbers, np.abs(axes))
    moments = np.where(moments <= POINT * own + MOMENT_ROUNDING * np.abs(I).max(axis=(1, 2))[:, None], 0.0, moments)
    root = np.sqrt(m)[:, None, None]
    velocity = np.concatenate([-root * c, root * np.eye(3)], axis=2)
    turn = np.concatenate([np.sqrt(moments)[:, :, None] * axes.swapaxes(1, 2), 0 * c], axis=2)
    return np.concatenate([velocity, turn], axis=1), (m > 0) & np.all(moments > 0, axis=1)


@dataclass(frozen=True)
class _Carried:
    """All that a joint carries, in the body's frame: mass, first moment (3,) and ∫|r|² over it."""

    mass: float
    first: Array
    second: float

    def seen_from(self, X: Array) -> _Carried:
        """The same in a frame in which the old one is at X."""
        turned, p = X[:3, :3] @ self.first, X[:3, 3]
        return _Carried(self.mass, turned + self.mass * p, self.second + 2 * p @ turned + self.mass * p @ p)

    def __add__(self, other: _Carried) -> _Carried:
        return _Carried(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def sizes(self, S: Array) -> Array:
        """Bounds (nv,) of |L S|, to which its rounding is relative."""
        turn, shift = np.linalg.norm(S[:3], axis=0), np.linalg.norm(S[3:], axis=0)
        return np.sqrt(abs(self.second)) * turn + np.sqrt(abs(self.mass)) * shift


@dataclass(frozen=True)
class _Eliminated:
    """A joint whose velocity is the one that moves least mass."""

    X: Array
    S: Array
    gain: Array
    """(nv, 6): this velocity is −gain times the twist that the parent gives the body."""
    idle: Array
    """(k, nv) velocities that move no mass."""


class _Elimination:
    """The joints of suspect bodies, eliminated tips → base at a random configuration; all others rest."""

    def __init__(self, model: Model, J: Array, roots: Array, suspect: set[int], seed: int) -> None:
        self.model, self.suspect = model, suspect
        self.mimicked = {body.mimic.source for body in model.bodies if body.mimic is not None}
        self.shared, self.width = _mimicked_bodies(model, suspect)
        self.rows = {i: [np.hstack([roots[i], np.zeros((6, self.width))])] for i in suspect}
        self.carried = {i: _carry_rows(J[i]) for i in suspect}
        self.joints: dict[int, _Eliminated] = {}
        self.last, self.sizes = [np.zeros((0, self.width))], np.zeros(self.width)
        for body, q in zip(reversed(model.bodies), reversed(_random(model, J, seed)), strict=True):
            if body.index in suspect:
                self._eliminate(body, q)
            elif body.mimic is not None and body.mimic.source in self.shared:
                self._hold(
                    body, roots[body.index] @ body.subspace(q), _carry_rows(J[body.index]).sizes(body.subspace(q))
                )

    def _hold(self, body: Body, moved: Array, sizes: Array) -> None:
        """What is left of shared velocities: they must not move a body that is not suspect, and moves by them alone."""
        assert body.mimic is not None
        own, rotor = self.shared[body.mimic.source], np.sqrt(body.armature)
        rows = np.zeros((len(moved) + len(rotor), self.width))
        rows[:, own] = np.vstack([moved, rotor]) @ body.mimic.ratio
        self.last.append(rows)
        self.sizes[own] += np.abs(body.mimic.ratio).T @ (sizes + rotor.diagonal())

    def _eliminate(self, body: Body, q: Array) -> None:
        """Eliminate the joint of a body, and add the remaining rows to its parent's."""
        i, L, carried = body.index, _stack_rows(self.rows[body.index], 6 + self.width), self.carried[body.index]
        X, S = body.X_pj @ body.joint.placement(q) @ body.X_ji, body.subspace(q)
        source, ratio = (i, np.eye(body.joint.nv)) if body.mimic is None else (body.mimic.source, body.mimic.ratio)
        rotor = np.sqrt(body.armature)
        if source in self.shared:
            own = self.shared[source]
            moves = ratio @ np.eye(self.width)[own]
            L = np.hstack([L[:, :6], L[:, 6:] + L[:, :6] @ S @ moves])
            L = np.vstack([L, np.hstack([np.zeros((len(rotor), 6)), rotor @ moves])])
            self.sizes[own] += np.abs(ratio).T @ (carried.sizes(S) + rotor.diagonal())
        elif source not in self.mimicked:
            L = np.vstack([L, np.zeros((len(rotor), 6 + self.width))])
            resisted = np.vstack([L[: -len(rotor), :6] @ S, rotor])
            onto, inverse, idle = _range_and_kernel(resisted, carried.sizes(S) + rotor.diagonal())
            self.joints[i] = _Eliminated(X, S, inverse @ L[:, :6], idle)
            L = L - onto @ (onto.T @ L)
        L = np.hstack([Ad_inv_dual(X, L[:, :6]), L[:, 6:]])
        if body.parent in self.suspect:
            self.rows[body.parent].append(L)
            self.carried[body.parent] = self.carried[body.parent] + carried.seen_from(X)
        else:
            self.last.append(L[:, 6:])

    def massless(self) -> list[Massless]:
        """The joints with velocities that move no mass, base → tips, then those that others mimic."""
        empty = {i for i in self.joints if self.carried[i].mass == self.carried[i].second == 0}
        tops = [(self.model.bodies[i], at) for i, at in sorted(self.joints.items()) if len(at.idle)]
        idle = empty & {body.index for body, _ in tops}
        tops = [(body, at) for body, at in tops if not (body.index in idle and body.parent in idle)]
        found = [Massless(body.joint_name, at.idle, self._reason(body, at, body.index in empty)) for body, at in tops]
        return found + [
            self._shared_motion(v) for v in _range_and_kernel(_stack_rows(self.last, self.width), self.sizes)[2]
        ]

    def _reason(self, body: Body, at: _Eliminated, empty: bool) -> str:
        beyond = f"link {body.name!r} and all beyond it have no inertia"
        if _is_idle(body):
            return f"{type(body.joint).__name__}.placement(q) does not move link {body.name!r} then"
        if empty:
            return beyond
        undoing = self._undoing(body, at)
        return _undone_by(undoing) if undoing else f"{beyond} {'about its axis' if body.joint.nv == 1 else 'there'}"

    def _undoing(self, body: Body, at: _Eliminated) -> list[str]:
        """The joints beyond that must move if this one does and no mass moves."""
        twists, names = {body.index: at.idle @ at.S.T}, []
        for b in self.model.bodies[body.index + 1 :]:
            if b.parent in twists and b.index in self.joints:
                beyond = self.joints[b.index]
                twist = Ad_inv(beyond.X, twists[b.parent])
                v = -twist @ beyond.gain.T
                twists[b.index] = twist + v @ beyond.S.T
                if np.abs(v).max() > VELOCITY_SHARE * np.abs(at.idle).max():
                    names.append(b.joint_name)
        return names

    def _shared_motion(self, v: Array) -> Massless:
        involved = [i for i, own in self.shared.items() if np.abs(v[own]).max() > VELOCITY_SHARE * np.abs(v).max()]
        first, *others = (self.model.bodies[i].joint_name for i in involved)
        reason = "neither the links beyond it nor those beyond its mimics have any inertia that it could move"
        return Massless(first, v[None, self.shared[involved[0]]], _undone_by(others) if others else reason)


def _stack_rows(parts: list[Array], width: int) -> Array:
    """All rows, or as few as there are columns, R of L = QR, whose products LᵀL = RᵀR are the same."""
    L = np.vstack(parts)
    return np.asarray(np.linalg.qr(L, mode="r")) if len(L) > width else L


def _undone_by(joints: list[str]) -> str:
    return f"{name_list(joints)} can undo what it does to every link that has inertia"


def _mimicked_bodies(model: Model, suspect: set[int]) -> tuple[dict[int, slice], int]:
    """Bodies whose joints others mimic → where their velocities stand beside the twist's; and how many there are.

    Without those that cannot move unless a body that is not suspect does: they are zero in every motion that moves no
    mass. More than MAX_SHARED_VELOCITIES are left at rest, and no motion of theirs is found: each body would have a
    column for each of them.
    """
    matrices: dict[int, list[Array]] = {}
    for body in model.bodies:
        if body.mimic is not None:
            held = matrices.setdefault(body.mimic.source, [])
            held += [body.mimic.ratio] if body.index not in suspect else []
    resting = {i for i, held in matrices.items() if i not in suspect or _has_full_rank(held, model.bodies[i].joint.nv)}
    found, start = {}, 0
    for i in sorted(matrices.keys() - resting):
        found[i] = slice(start, start + model.bodies[i].joint.nv)
        start = found[i].stop
    return (found, start) if start <= MAX_SHARED_VELOCITIES else ({}, 0)


def _has_full_rank(matrices: list[Array], columns: int) -> bool:
    return bool(matrices) and int(np.linalg.matrix_rank(np.vstack(matrices))) == columns


def _within_limits(body: Body, rng: np.random.Generator) -> Array:
    """A configuration of a joint within its limits."""
    lower, upper = sampled_limits(body.limits.lower, body.limits.upper)
    return np.asarray(body.joint.random(rng, (lower, upper)), dtype=float)


def _is_idle(body: Body) -> bool:
    """Whether some velocities of a joint of a user's class do not move the link, wherever it is."""
    rng = np.random.default_rng(CONFIGURATION_SEEDS[0])
    if not is_own(body.joint) or body.joint.nv == 0:
        return False
    each = [np.asarray(body.joint.subspace(_within_limits(body, rng)), dtype=float) for _ in CONFIGURATION_SEEDS]
    return all(np.isfinite(S).all() and np.linalg.matrix_rank(S, tol=PIVOT_ROUNDING) < body.joint.nv for S in each)


def _random(model: Model, J: Array, seed: int) -> list[Array]:
    """A configuration of every body's joint: angles of up to half a turn, lengths of up to three times the robot's."""
    rng, q = np.random.default_rng(seed), []
    points = [inertia.center_of_mass(J), *(np.array([X[:3, 3] for X in (b.X_pj, b.X_ji)]) for b in model.bodies)]
    reach = max(float(np.abs(p).max()) for p in points)
    for body in model.independent_joints:
        if is_own(body.joint):
            q.append(_within_limits(body, rng))
            continue
        neutral = body.joint.neutral()
        turning = np.any(body.joint.subspace(neutral)[:3], axis=0)
        v = rng.uniform(-np.pi, np.pi, body.joint.nv) * np.where(turning, 1.0, reach or 1.0)
        q.append(body.joint.integrate(neutral, v))
    return model.split_q(np.concatenate(q))


def _carry_rows(J: Array) -> _Carried:
    return _Carried(float(inertia.mass(J)), so3.vee(J[:3, 3:]), float(np.trace(J[:3, :3])) / 2)


def _range_and_kernel(C: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """A basis (m, r) of the range of C (m, n), its pseudo-inverse (n, m), and the v (k, n) with C v = 0."""
    scale = np.where(sizes > 0, sizes, 1.0)
    short = max(0, C.shape[1] - len(C))  # rows of zeros, so that all of V is there without all of U
    U, sigma, Vt = np.linalg.svd(np.vstack([C / scale, np.zeros((short, C.shape[1]))]), full_matrices=False)
    r, U = int(np.sum(sigma > PIVOT_ROUNDING)), U[: len(C)]
    return U[:, :r], (Vt[:r].T / sigma[:r]) @ U[:, :r].T / scale[:, None], Vt[r:] / scale
