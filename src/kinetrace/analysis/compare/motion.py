"""Whether two robots move in the same way: joint forces, places of masses and displacements of links, at the same
random states.

Forces do not depend on where link frames are, nor do masses in the world. A robot that stands elsewhere needs the same
forces; its masses and its links tell. A balanced wheel that turns the other way has the same forces and masses; its
displacement from one state to another, X(q₁) X(q₀)⁻¹ in the world, tells, and depends on no link frame either.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import algorithms
from ...algorithms.kinematics.forward_kinematics import body_poses
from ...arrays import Array
from ...errors import name_list
from ...lie import inertia, se3
from ...model.body import WORLD, Body
from ...model.configurations import home
from ...model.model import Model
from .changes import same_kind
from .result import MOTION_TOLERANCE, MotionComparison

COMPARED_STATES = 4
"""Random states at which forces are compared."""
CLOSED_GAP, ZERO_SINGULAR_VALUE = 1e-8, 1e-7
"""By how much a closed loop may be open [m, rad], and singular values that count as zero."""


def compare_motions(a: Model, b: Model, pairs: dict[int, int]) -> MotionComparison:
    """How forces and poses compare, joint by joint; in their own words if they cannot."""
    if a == b:
        return MotionComparison(True, "the same motion: all is equal", 0.0)
    if not (a.is_concrete and b.is_concrete):
        return MotionComparison(None, "not compared as motion: numbers of one of them are symbols")
    alone = [x.joint_name for x in a.independent_joints if x.index not in pairs]
    alone += [y.joint_name for y in b.independent_joints if y.index not in pairs.values()]
    if alone:
        return MotionComparison(None, f"not comparable as motion: only one of them has {_joints(alone)}")
    both = [(a.bodies[i], b.bodies[j]) for i, j in pairs.items()]
    other = [x.joint_name for x, y in both if not same_kind(x, y) or (x.mimic is None) != (y.mimic is None)]
    if other:
        return MotionComparison(None, f"not comparable as motion: {_joints(other)} have other variables")
    if not a.nv:
        return MotionComparison(True, "the same motion: nothing moves", 0.0)
    return _at_random_states(a, b, both)


@dataclass
class _Agreement:
    """How far two robots are apart over the random states that were compared."""

    errors: Array
    """Largest difference of each joint force (nv,)."""
    largest_force: float
    apart: dict[str, float]
    """Frame that both have → largest difference of its poses."""
    moved_otherwise: dict[str, None]
    """Links and frames whose displacements differ."""
    same_masses: bool = True
    centers: float = 0.0
    """Largest distance between centres of mass [m]."""

    @property
    def error(self) -> float:
        """The largest difference of joint forces, relative to the largest force."""
        largest = float(self.errors.max(initial=0.0))
        return largest / self.largest_force if self.largest_force > 0.0 else float(largest > 0.0)

    @property
    def frames(self) -> frozenset[str]:
        """Frames with the same poses."""
        return frozenset(name for name, x in self.apart.items() if x <= MOTION_TOLERANCE)


def _at_random_states(a: Model, b: Model, both: list[tuple[Body, Body]]) -> MotionComparison:
    joints = [(x, y) for x, y in both if x.mimic is None]
    found = _agreement(a, b, both, joints)
    error, frames = found.error, found.frames
    if not np.isfinite(error):
        return MotionComparison(None, "not compared as motion: forces are not finite", None, frames)
    if error > MOTION_TOLERANCE:
        at = int(np.argmax(found.errors))
        worst = next(x.joint_name for x in a.independent_joints if at in range(a.nv)[a.slices[x.index][1]])
        text = f"forces differ by up to {_percent(error)} the largest, most at joint {worst!r}"
        return MotionComparison(False, f"another motion: at random states, {text}", error, frames)
    agree = f"at random states, forces agree to {max(error, 1e-16):.0e} of the largest"
    if not _close_alike(a, b, joints):
        text = f"another motion: with open loops, {agree}, but loops close otherwise"
        return MotionComparison(False, text, error, frames)
    if not found.same_masses and any(x.name in found.apart and x.name not in frames for x, _ in both):
        moved = f"links are up to {1e3 * found.centers:.3g} mm elsewhere, by their centres of mass"
        return MotionComparison(False, f"the same forces, but other places: {agree}, and {moved}", error, frames)
    if found.moved_otherwise:
        names = list(found.moved_otherwise)
        moved = f"{name_list(names, of_names=False)} move{'s'[: len(names) == 1]} otherwise"
        return MotionComparison(False, f"the same forces, but another motion: {agree}, and {moved}", error, frames)
    return MotionComparison(True, f"the same motion: {agree}", error, frames, found.same_masses)


def _agreement(a: Model, b: Model, both: list[tuple[Body, Body]], joints: list[tuple[Body, Body]]) -> _Agreement:
    """Forces, poses, displacements and masses of both, compared at the same random states."""
    shared = [name for name in a.frames if name in b.frames]
    found = _Agreement(np.zeros(a.nv), 0.0, dict.fromkeys(shared, 0.0), {})
    carriers = _carriers(a, b, both)
    rng, starts = np.random.default_rng(0), dict[str, tuple[Array, Array]]()
    for _ in range(COMPARED_STATES):
        q_a, (v_a, a_a) = a.random(rng), rng.normal(size=(2, a.nv))
        q_b, v_b, a_b = _state_in_other(a, b, joints, q_a, v_a, a_a)
        with np.errstate(all="ignore"):
            tau = np.asarray(algorithms.inverse_dynamics(a, q_a, v_a, a_a), dtype=float)
            other = _back(a, b, joints, np.asarray(algorithms.inverse_dynamics(b, q_b, v_b, a_b), dtype=float))
        found.errors = np.maximum(found.errors, np.abs(tau - other))
        found.largest_force = max(found.largest_force, float(np.abs(tau).max(initial=0.0)))
        X, Y = body_poses(a, q_a), body_poses(b, q_b)
        for name in shared:
            distance = float(np.abs(_frame(a, X, name) - _frame(b, Y, name)).max())
            found.apart[name] = max(found.apart[name], distance)
        for label, (i, j) in carriers.items():
            now = X[i], Y[j]
            D, E = (x @ se3.inverse(x_0) for x, x_0 in zip(now, starts.setdefault(label, now), strict=True))
            if np.abs(D - E).max() > MOTION_TOLERANCE * max(1.0, np.abs(D).max()):
                found.moved_otherwise[label] = None
        for x, y in both:
            J, K = (inertia.change_frame(Z[body.index], body.J) for Z, body in ((X, x), (Y, y)))
            found.same_masses &= bool(np.abs(J - K).max() <= MOTION_TOLERANCE * np.abs(J).max())
            distance = float(np.abs(inertia.center_of_mass(J) - inertia.center_of_mass(K)).max())
            found.centers = max(found.centers, distance)
    return found


def _carriers(a: Model, b: Model, both: list[tuple[Body, Body]]) -> dict[str, tuple[int, int]]:
    """Label of a link, or of a frame on links that are not matched → its body in both robots."""
    links = {f"link {x.name!r}": (x.index, y.index) for x, y in both}
    matched = {(WORLD, WORLD), *links.values()}
    bodies = {name: (a.frames[name].body, b.frames[name].body) for name in a.frames if name in b.frames}
    return links | {f"frame {name!r}": pair for name, pair in bodies.items() if pair not in matched}


def _frame(model: Model, poses: dict[int, Array], name: str) -> Array:
    """The pose (4, 4) of a frame in the world."""
    frame = model.frames[name]
    return poses[frame.body] @ frame.X_bf


def _state_in_other(a: Model, b: Model, joints: list[tuple[Body, Body]], q: Array, *vectors: Array) -> list[Array]:
    """A state of `a` in the variables of `b`."""
    found = [np.zeros(b.nq), *(np.zeros(b.nv) for _ in vectors)]
    for x, y in joints:
        (q_x, v_x), (q_y, v_y) = a.slices[x.index], b.slices[y.index]
        found[0][q_y] = q[q_x]
        for new, old in zip(found[1:], vectors, strict=True):
            new[v_y] = old[v_x]
    return found


def _back(a: Model, b: Model, joints: list[tuple[Body, Body]], tau: Array) -> Array:
    """Forces of `b` in the order of `a`."""
    found = np.zeros(a.nv)
    for x, y in joints:
        found[a.slices[x.index][1]] = tau[b.slices[y.index][1]]
    return found


def _close_alike(a: Model, b: Model, joints: list[tuple[Body, Body]]) -> bool:
    """Whether loops of both are closed where those of one are, and allow the same velocities there."""
    if a.needs_assembly or b.needs_assembly:
        return False
    back = [(y, x) for x, y in joints]
    there = [
        (home(a), _state_in_other(a, b, joints, home(a))[0]),
        (_state_in_other(b, a, back, home(b))[0], home(b)),
    ]
    for q_a, q_b in there:
        open_by = [np.abs(algorithms.closure_residual(m, q)).max(initial=0.0) for m, q in ((a, q_a), (b, q_b))]
        J, K = (np.asarray(algorithms.closure_jacobian(m, q), dtype=float) for m, q in ((a, q_a), (b, q_b)))
        K = np.array([_back(a, b, joints, row) for row in K]).reshape(-1, a.nv)
        ranks = {int(np.linalg.matrix_rank(x, tol=ZERO_SINGULAR_VALUE)) for x in (J, K, np.concatenate([J, K]))}
        if max(open_by) > CLOSED_GAP or len(ranks) > 1:
            return False
    return True


def _joints(names: list[str]) -> str:
    return f"joint{'s'[: len(names) != 1]} {name_list(names)}"


def _percent(error: float) -> str:
    return f"{100 * error:.2g} % of" if error < 0.995 else f"{error:.3g} times"
