"""Which parameters joint forces depend on, joint by joint: no sampling of the robot, no case per type of joint.

No force depends on π exactly if the mass matrix and the gravity that it makes vanish everywhere. In composite bodies,
with π^c_k the parameters of all that joint k carries, these are

    Vᵀ J(π^c_k) s = 0      s a screw of joint k; V one of joint k or before, or (0, g): gravity pulls like a joint

for all q. V depends on the joints before k alone, s and the transport of V over joint k on q_k, and π^c_k on the joints
beyond: π^c_k = π_k + Σ_c Φ_c(q_c) π^c_c, where Φ (10, 10) changes frames. As these vary independently, an outward sweep
over four spaces finds everything; with spans over all q_k,

    R_k = span { Ad_{X⁻¹} R_p, S_k }                       twists (6,) that body k can have, and gravity
    N_k = span { Vᵀ J(·) s: V of Ad_{X⁻¹} R_p or S_k }      what the force of joint k depends on: rows (10,)
    A_k = N_k + span { D_p (Φ_k(q) − Φ_k(q°)) }            ... and those of the joints before it, as q_k changes
    D_k = A_k + D_p Φ_k(q°)                                everything that any force depends on, of body k

A row of A_k can be identified by itself. What A_k does not see moves with the parent as if the joint were locked at any
q°: it is regrouped there. So there are Σ dim A_k base parameters, and their rows are A_k on body k and A_k Φ(q°) …
Φ(q°) on the bodies beyond. A revolute joint leaves three parameters to its parent, a prismatic one six, unless the
parent cannot move enough for them to matter (Gautier and Khalil 1990; Mayeda, Yoshida and Osuka 1990: by cases, for
arms).

The inertia of a rotor adds to one diagonal entry of the mass matrix, so rows have a further entry for each velocity. It
adds nothing to the forces that body-fixed angular velocities (of quaternions) bring, which are rows of their own then.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ..algorithms.sweeps.tree import outward
from ..arrays import Array
from ..lie import inertia
from ..model import Body, Model
from ..model.joints import Joint
from ..support.conversion import as_rng

JOINT_SAMPLES = 16
"""Configurations of one joint; eleven in general position span whatever ten parameters can show."""
_UNITS = inertia.from_parameters(np.eye(10))


class IdentifiableSpaces(NamedTuple):
    """The spaces of a body, as orthonormal rows, and how clearly their dimensions are determined."""

    R: Array
    D: Array
    A: Array = None
    lock: Array = None
    """Φ(q°) (10, 10)."""
    gap: float = np.inf


def identifiable_spaces(
    model: Model, *, rotor: bool = False, seed: int = 0, tol: float = 1e-9
) -> list[IdentifiableSpaces]:
    """The spaces of every body, mimic joints taken as joints of their own; `rotor` says whether rotors have rows too.

    Singular values below `tol` times the largest are taken for rounding; `seed` is that of the samples.

    >>> import kinetrace as kt
    >>> [len(spaces.A) for spaces in identifiable_spaces(kt.load("planar2r").model)]
    [3, 3]
    """
    step = partial(propagate_spaces, rng=as_rng(seed), rotor=rotor, tol=tol)
    return outward(model, step, world_spaces(model))


def propagate_spaces(
    body: Body, parent: IdentifiableSpaces, rng: np.random.Generator, rotor: bool, tol: float
) -> IdentifiableSpaces:
    """The spaces of a body from its parent's."""
    nv, lock = body.joint.nv, _change_of_frame(body, body.joint.neutral())
    rotors = np.eye(nv)[:, : nv if rotor and body.mimic is None else 0]
    twists, own, seen = [], [], [parent.D[:0]]
    for q in anywhere(body.joint, rng, JOINT_SAMPLES):
        S, carried = body.subspace(q).T, body.placement(q).Ad_inv(parent.R)
        twists += [S, carried]
        own.append(_rows(carried, S, np.zeros((len(carried), 1, 1)) * rotors))
        own.append(_rows(S, S, np.eye(nv)[:, :, None] * rotors))
        own.append(_bracket_rows(body.joint, S, rotors))
        seen.append(parent.D @ (_change_of_frame(body, q) - lock))
    changing = np.concatenate(seen)
    A, gap_A = span([*own, np.concatenate([changing, np.zeros((len(changing), rotors.shape[1]))], axis=1)], tol)
    D, gap_D = span([A[:, :10], parent.D @ lock], tol)
    R, gap_R = span(twists, tol)
    return IdentifiableSpaces(R, D, A, lock, min(gap_A, gap_D, gap_R))


def world_spaces(model: Model) -> IdentifiableSpaces:
    """The spaces of a base at rest: gravity alone."""
    g = np.concatenate([np.zeros(3), model.gravity])
    gravity = [g / np.linalg.norm(g)] if g.any() else []
    return IdentifiableSpaces(np.reshape(gravity, (-1, 6)), np.zeros((0, 10)))


def _change_of_frame(body: Body, q: Array) -> Array:
    """Φ (10, 10): the parameters of a load, from the body's frame to the parent's."""
    return body.placement(q).change_frame_parameters(np.eye(10)).T


def _rows(V: Array, S: Array, rotor: Array) -> Array:
    """The rows of Vᵀ J s, for all twists V (k, 6) and screws s of S (nv, 6); those of rotors (k, nv, ...) appended."""
    entries = np.einsum("va,iab,sb->vsi", V, _UNITS, S)
    return np.concatenate([entries, rotor], axis=-1).reshape(-1, 10 + rotor.shape[-1])


def _bracket_rows(joint: Joint, S: Array, rotors: Array) -> Array:
    """Rows of the forces by velocities that are no rates of coordinates: their brackets, of bodies but not of rotors.

    The coefficient of v_j v_k in the force i is that of Hamel's equations, c_ij^l M_lk + c_ik^l M_lj.
    """
    e = np.eye(joint.nv)
    c = np.array([[joint.bracket(x, y) for y in e] for x in e])
    half = np.einsum("ijl,lkp->ijkp", c, _rows(S, S, np.zeros((len(e), 1, 1)) * rotors).reshape(joint.nv, joint.nv, -1))
    return (half + half.transpose(0, 2, 1, 3)).reshape(-1, half.shape[-1])


def anywhere(joint: Joint, rng: np.random.Generator, n: int) -> Array:
    """Configurations (n, nq) of a joint, whatever its limits: forces are analytic in q."""
    unlimited = np.full(joint.nq, np.inf)
    return joint.random(rng, (-unlimited, unlimited), (n,))


def span(rows: list[Array], tol: float) -> tuple[Array, float]:
    """Orthonormal rows that span these, and the ratio of the least singular value kept to the largest left out."""
    stacked = np.concatenate(rows)
    if not stacked.size:
        return stacked[:0], np.inf
    _, s, Vt = np.linalg.svd(stacked, full_matrices=False)
    rank = int(np.sum(s > tol * max(s[0], 1e-3)))
    left_out = s[rank] if rank < len(s) else 0.0
    return Vt[:rank], float(s[rank - 1] / left_out) if rank and left_out else np.inf


def structural_rows(model: Model, rotor: bool, seed: int, tol: float) -> tuple[Array, float]:
    """The rows (count, p) that span the identifiable combinations of all parameters; see `identifiable_spaces`."""
    bodies = identifiable_spaces(model, rotor=rotor, seed=seed, tol=tol)
    rows = [
        np.zeros((0, 10 * len(bodies) + rotor * model.nv)),
        *map(partial(_locked_rows, model, bodies, rotor), model.bodies),
    ]
    return np.concatenate(rows), min((at.gap for at in bodies), default=np.inf)


def _locked_rows(model: Model, bodies: list[IdentifiableSpaces], rotor: bool, body: Body) -> Array:
    """A body's rows on all parameters, with the joints beyond it locked."""
    A = bodies[body.index].A
    beyond = {body.index: A[:, :10]}
    for b in model.bodies:
        if b.parent in beyond:
            beyond[b.index] = beyond[b.parent] @ bodies[b.index].lock
    rotors = np.zeros((len(A), rotor * model.nv))
    if A.shape[1] > 10:
        rotors[:, model.joint_slices(body.joint_name)[1]] = A[:, 10:]
    nothing = np.zeros((len(A), 10))
    return np.concatenate([*(beyond.get(b.index, nothing) for b in model.bodies), rotors], axis=1)
