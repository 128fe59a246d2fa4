"""Equivalent models with fewer operations: everything that exists only to shorten programs.

`rounded` takes constants that are nearly 0 and ±1 for these, by the rule of `checks`; it is part of building a model.
`customised` makes a model whose bodies compute the same in another form, for tracing:

- **Placements.** Three things leave X_pi = X_pj · placement(q) · X_ji as it is and change what it costs: a turn about
  the joint's axis may pass into q, a shift along it may pass the joint, and a constant pose is a shift and a turn in
  either order. Factors that are the identity go; a rotation that is no turn about one coordinate axis is multiplied
  with the joint's.
- **Inertias.** Moments that cancel are zero, and pairs of equal ones are marked, which saves operations in rotations.
- **Structural zeros.** An articulated inertia, projected at its joint, has no part along it.

`alike` does so for many bodies that one loop is to sweep, where numbers that differ are symbols.

Bodies with numbers that are not known (traced, complex, mpmath's, JAX's) stay as they are, and so do bodies of other
classes than `Body`.

`with_nonrotating_frames` is about last bodies that are symmetric about their joint's axis: wheels, rotors, flanges.
Joint forces depend on how fast such a body turns, not on how far, so its frame need not turn with it, and no sine,
cosine or rotation is left of the joint. A wrench on a frame of the body does turn with it; for those,
`with_rotating_frames` undoes this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from ...arrays import Array, is_concrete
from ...lie import Pose, inertia, se3, so3
from ...support.attributes import cached_property
from ..body import WORLD, Body
from ..checks import ACCUMULATED, ROUNDING, snap, zero_rounding
from ..joints import Joint, Revolute
from ..record import field_names, read_only

if TYPE_CHECKING:
    from ..model import Model

_EYE, _ZERO = np.eye(3), np.zeros(3)


def rounded(model: Model, bound: float = ROUNDING) -> Model:
    """The model with near-trivial numbers in placements, axes and inertias rounded.

    >>> import kinetrace as kt
    >>> builder = kt.Builder("one")
    >>> builder.joint("j", kt.joints.Revolute([0, 6e-17, 1]), parent="base", child="b")
    >>> rounded(builder.build(check="ignore", snap_constants=False)).bodies[0].joint.axis.tolist()
    [0.0, 0.0, 1.0]
    """
    return replace(model, bodies=tuple(rounded_body(body, bound) for body in model.bodies))


def rounded_body(body: Body, bound: float = ROUNDING) -> Body:
    """The body with what rounding left of trivial numbers rounded."""
    near = partial(snap, bound=bound)
    J = without_noise(body.J, min(bound, ROUNDING))
    return replace(body, joint=body.joint.snapped(near), X_pj=near(body.X_pj), X_ji=near(body.X_ji), J=J)


def without_noise(J: Array, bound: float = ROUNDING) -> Array:
    """An inertia whose first and second moments are zero if negligible beside the largest of their kind."""
    if not is_concrete(J):
        return J
    pi = inertia.to_parameters(J)
    sizes = np.repeat([0.0, np.abs(pi[1:4]).max(), np.abs(pi[4:]).max()], (1, 3, 6))
    return inertia.from_parameters(zero_rounding(pi, sizes, bound))


def pseudo_inertia(J: Array) -> Array:
    """The pseudo-inertia (4, 4) of J (6, 6), with zeros for second moments that cancel.

    >>> rod = inertia.from_mass_com(1.0, np.zeros(3), np.diag([0.3, 0.3 + 1e-16, 0.0]))
    >>> pseudo_inertia(rod).diagonal().tolist()
    [0.0, 0.0, 0.30000000000000004, 1.0]
    """
    P = inertia.pseudo_inertia(J)
    second = np.pad(np.ones((3, 3)), (0, 1))
    return zero_rounding(P, second * np.abs(J[:3, :3]).max()) if is_concrete(P) else P


def customised(model: Model) -> Model:
    """The same model, of bodies whose placements, inertias and zeros cost least.

    >>> import numpy as np, kinetrace as kt
    >>> model, q = kt.load("panda").model, np.ones(7)
    >>> np.allclose(kt.algorithms.gravity(customised(model), q), kt.algorithms.gravity(model, q))
    True
    """
    return replace(model, bodies=tuple(map(_customised, model.bodies)))


def _customised(body: Body) -> Body:
    if type(body) is not Body:  # subclasses of Body have forms of their own
        return body
    known: dict[str, Any] = vars(body)  # models that share a body share what was found out about it
    if "_customised" not in known:
        known["_customised"] = CustomisedBody(**{name: getattr(body, name) for name in field_names(Body)})
    customised: Body = known["_customised"]
    return customised


def alike(bodies: Sequence[Any]) -> Sequence[Any]:
    """The same bodies in the form in which one step for all of them takes fewest operations.

    If both the axes of their joints and the poses after the joints differ, all joints rotate about z and the constant
    poses before and after them absorb the rest: a general pose costs the same, whichever it is.
    """
    if any(type(body) is not CustomisedBody for body in bodies):
        return bodies
    axes = [body.joint.commuting_translation for body in bodies if body.joint.along_z() is not None]
    about_z = len(axes) == len(bodies) and _differ(axes) and _differ([body.X_ji for body in bodies])
    return [_of_run(body, n) for body, n in zip(bodies, axes if about_z else [None] * len(bodies), strict=True)]


def _differ(arrays: Sequence[Array]) -> bool:
    """Whether arrays are known numbers, and not all the same."""
    return all(map(is_concrete, arrays)) and any(not np.array_equal(x, arrays[0]) for x in arrays)


def _of_run(body: CustomisedBody, n: Array) -> BodyOfRun:
    """The body as one of a run; if its joint's axis n is given, with a joint about z."""
    fields, joint = {name: getattr(body, name) for name in field_names(Body)}, body.joint.along_z()
    if n is not None:
        y = so3.cross(n, _EYE[np.argmin(np.abs(n))])
        y = y / np.linalg.norm(y)
        turn = se3.pose(np.stack([so3.cross(y, n), y, n], axis=-1), _ZERO)
        fields |= {"joint": joint, "X_pj": body.X_pj @ turn, "X_ji": turn.T @ body.X_ji}
    return BodyOfRun(**fields)


@dataclass(frozen=True, eq=False)
class CustomisedBody(Body):
    """A body in the form that takes the fewest operations."""

    @cached_property
    def _factors(self) -> PlacementFactors:
        return factors(self.X_pj, self.joint, self.X_ji, self.parent == WORLD)

    def joint_placement(self, q: Array) -> Pose:
        """The pose of the moved joint frame, which may be shifted along the joint's axis, in the parent body."""
        before, zero, _, premultiply = self._factors
        X_q = self.joint.placement(q + zero if zero else q)
        return Pose(before.matrix @ X_q) if premultiply else before @ Pose(X_q)

    @property
    def from_joint(self) -> Pose:
        """The pose of the body frame in that frame: constant."""
        return self._factors.after

    @cached_property
    def pseudo_inertia(self) -> Array:
        """(4, 4) the pseudo-inertia of J, without what rounding leaves of zeros."""
        return read_only(pseudo_inertia(self.J))

    @cached_property
    def _balanced(self) -> tuple[bool, ...]:
        """For each axis, whether the second moments along the two others are equal or opposite."""
        x = np.abs(self.pseudo_inertia.diagonal()) if is_concrete(self.pseudo_inertia) else np.arange(3)
        return tuple(bool(x[(k + 1) % 3] == x[(k + 2) % 3]) for k in range(3))

    def newton_euler(self, w: Array, dw: Array, a: Array) -> Array:
        """The wrench (6,) of this motion."""
        return inertia.newton_euler(self.pseudo_inertia, w, dw, a, self._balanced)

    def zero_joint_directions(self, P: Array) -> Array:
        """P (6, 6), with the zeros of P S = 0 written in if S is constant, picks coordinates and has no rotor."""
        S = self.subspace(self.joint.neutral())
        if self.has_rotor or not (self.joint.has_constant_subspace and is_concrete(S)):
            return P
        if not np.all(np.isin(S, (0.0, 1.0, -1.0))) or np.any(np.abs(S).sum(axis=0) != 1):
            return P
        kept = np.eye(6) - S @ S.T
        return kept @ P @ kept


@final
@dataclass(frozen=True, eq=False)
class BodyOfRun(CustomisedBody):
    """A body that stands for many, see `alike`: matrices are transformed by one general pose instead of two."""

    def placement(self, q: Array) -> Pose:
        """X_pi, the pose of the body in its parent, multiplied out if it is not known how its factors look."""
        X = super().placement(q)
        return X if is_concrete(self.X_pj) and is_concrete(self.X_ji) else Pose(X.matrix)


class PlacementFactors(NamedTuple):
    """X_pi = before · placement(q + zero) · after, before and after constant."""

    before: Pose
    zero: float
    after: Pose
    premultiply: bool
    """Whether to multiply the pose before the joint with the joint's motion."""


def factors(X_pj: Array, joint: Joint, X_ji: Array, root: bool) -> PlacementFactors:
    """The cheapest factors; on a `root` body, whose parent rests, no shift before the joint costs anything."""
    if not (is_concrete(X_pj) and is_concrete(X_ji)):
        return PlacementFactors(_shift_and_turn(X_pj), 0.0, _shift_and_turn(X_ji), _is_full_rotation(X_pj))
    X_pj, zero = _unturned(X_pj, joint.rotation_axis)
    d = np.zeros(3) if root else _passing(X_pj, joint.commuting_translation)
    before = se3.pose(X_pj[:3, :3], _beside(X_pj[:3, 3] - X_pj[:3, :3] @ d, X_pj[:3, 3]))
    after = _shift(d) @ X_ji if np.any(d) else X_ji
    return PlacementFactors(_shift_and_turn(before), zero, _shift_and_turn(after), _is_full_rotation(before))


def _unturned(X: Array, axis: Array | None) -> tuple[Array, float]:
    """X' and the angle with X = X' turn(angle), if that leaves at most a turn about a coordinate axis of X."""
    if axis is None or not is_concrete(axis) or not _is_full_rotation(X):
        return X, 0.0
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) != 1.0 or np.count_nonzero(axis) > 1:  # an axis that is tilted by 1e-9 has length 1 along k, too
        return X, 0.0
    R, n, i, j = X[:3, :3], X[:3, k], (k + 1) % 3, (k + 2) % 3
    for e in _EYE[np.abs(n) < ROUNDING]:  # n is perpendicular to e: the turn about e that leads there
        turned = np.zeros((3, 3))
        turned[:, i], turned[:, j], turned[:, k] = e, np.cross(n, e), n
        c, s = e @ R[:, i], np.cross(n, e) @ R[:, i]
        return se3.pose(snap(turned), X[:3, 3]), float(np.arctan2(s, c) * axis[k])
    return X, 0.0


def _passing(X: Array, axis: Array | None) -> Array:
    """The part of X's shift along the joint's axis, in its own frame, that is cheaper after the joint."""
    if axis is None or not is_concrete(axis):
        return _ZERO
    p, n = X[:3, 3], X[:3, :3] @ axis
    best, least = 0.0, np.count_nonzero(p)
    for i in np.flatnonzero(np.abs(n) > ROUNDING):
        left = np.count_nonzero(_beside(p - p[i] / n[i] * n, p)) + 1
        if left < least:
            best, least = p[i] / n[i], left
    return best * axis


def _beside(x: Array, whole: Array) -> Array:
    """A shift without entries that are negligible beside the shift that it was computed from."""
    return zero_rounding(x, np.linalg.norm(whole))


def _shift(p: Array) -> Array:
    return se3.pose(_EYE, p)


def _trivial(x: Array) -> Array:
    """Entries that cost no multiplication."""
    return np.isin(x, (0.0, 1.0, -1.0)) if is_concrete(x) else np.zeros(np.shape(x), bool)


def _is_full_rotation(X: Array) -> bool:
    """Whether the rotation is more than one planar turn: then it pays to multiply it with the joint's."""
    return int(np.sum(~_trivial(X[:3, :3]))) > 4


def _shift_and_turn(X: Array) -> Pose:
    """A constant pose as shift and turn, in the order whose shift has fewer entries; identities left out."""
    if not is_concrete(X):
        return Pose(read_only(X))
    R, p = X[:3, :3], X[:3, 3]
    p_inner = _beside(R.T @ p, p)
    turn = se3.pose(R, _ZERO)
    pair = (turn, _shift(p_inner)) if np.count_nonzero(p_inner) < np.count_nonzero(p) else (_shift(p), turn)
    return Pose(*(read_only(factor) for factor in pair if not np.array_equal(factor, np.eye(4))))


@final
@dataclass(frozen=True, eq=False)
class AxisymmetricRevolute(Joint):
    """A joint that turns about an axis, seen from a frame that does not turn."""

    axis: Array

    nq = nv = 1

    def placement(self, q: Array) -> Array:
        """The identity, whatever q."""
        return np.eye(4)

    def subspace(self, q: Array) -> Array:
        """S (6, 1), a turn about the axis."""
        return Revolute(self.axis).subspace(q)


def with_nonrotating_frames(model: Model) -> Model:
    """The model with all such bodies in frames that do not turn.

    >>> import kinetrace as kt
    >>> model = with_nonrotating_frames(kt.load("puma560").model)
    >>> [type(b.joint).__name__ for b in model.bodies][-2:]
    ['Revolute', 'AxisymmetricRevolute']
    """
    carriers = {body.parent for body in model.bodies}

    def still(body: Body) -> Joint:
        symmetric = body.index not in carriers and _is_symmetric(body)
        return AxisymmetricRevolute(body.joint.rotation_axis) if symmetric else body.joint

    return _with_joints(model, still)


def with_rotating_frames(model: Model) -> Model:
    """The model with all frames turning; itself if they do.

    >>> import kinetrace as kt
    >>> model = kt.load("puma560").model
    >>> with_rotating_frames(model) is model
    True
    >>> back = with_rotating_frames(with_nonrotating_frames(model))
    >>> {type(b.joint).__name__ for b in back.bodies}
    {'Revolute'}
    """
    if not any(isinstance(b.joint, AxisymmetricRevolute) for b in model.bodies):
        return model

    def turned(body: Body) -> Joint:
        return Revolute(body.joint.axis) if isinstance(body.joint, AxisymmetricRevolute) else body.joint

    return _with_joints(model, turned)


def _with_joints(model: Model, joint: Callable[[Body], Joint]) -> Model:
    return replace(model, bodies=tuple(replace(b, joint=joint(b)) for b in model.bodies))


def _is_symmetric(body: Body) -> bool:
    """Whether a turn about the joint's axis leaves the inertia of a body as it is."""
    if body.joint.rotation_axis is None:
        return False
    turned = se3.inverse(body.X_ji) @ body.joint.placement(np.ones(1)) @ body.X_ji
    parameters = inertia.to_parameters(body.J)
    before, after = (
        inertia.pseudo_inertia(inertia.from_parameters(x))
        for x in (parameters, inertia.change_frame_parameters(turned, parameters))
    )
    moments = (slice(3, 4), slice(3, 4)), (slice(0, 3), slice(3, 4)), (slice(0, 3), slice(0, 3))  # of order 0, 1, 2
    return all(np.abs(before[k] - after[k]).max() <= ACCUMULATED * np.abs(before[k]).max() for k in moments)
