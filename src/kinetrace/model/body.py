"""Parts of a model: bodies with the joints that carry them, named frames, shapes.

Body i is attached to its parent p by

    X_pi = X_pj · placement(q_i) · X_ji        (Park et al.'s f_{p,i} = M_i exp(S_i q_i))

where j is the joint's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import ModelError
from ..lie import Pose, inertia, se3
from ..support.attributes import cached_property
from .checks import MAX_NUMBER, is_present, numbers, real, sane
from .contact.surface import Surface
from .effects.joint_effects import JointEffects
from .effects.link_effects import LinkEffects
from .joints import Joint
from .record import Record, field_names, read_only

WORLD = -1


@dataclass(frozen=True, eq=False)
class Mimic(Record):
    """A joint without variables of its own: it follows others by q = R q_source + r, v = R v_source.

    Parameters
    ----------
    source : int
        Index of the body whose joint has the variables; both joints have v = q̇.
    ratio : array_like, shape (n, n_source) or (), default 1.0
        The matrix R; a number of joints with one variable.
    offset : array_like, shape (n,) or (), default 0.0
        The offset r.

    Examples
    --------
    >>> from kinetrace.model import Mimic
    >>> Mimic(0, [[0.5, 0.0], [1.0, -1.0]], [0.0, 0.1]).position([0.2, 0.4])
    array([ 0.1, -0.1])
    """

    source: int
    ratio: Array = 1.0
    offset: Array = 0.0

    def __post_init__(self) -> None:
        ratio = np.atleast_2d(numbers(self.ratio, "ratio"))
        offset = np.atleast_1d(numbers(self.offset, "offset"))
        for x, name in ((ratio, "ratio"), (offset, "offset")):
            if is_concrete(x) and not sane(x):
                raise ModelError(f"{name} must be finite numbers, at most {MAX_NUMBER:g}, got {x.tolist()}")
            object.__setattr__(self, name, read_only(x))
        if ratio.ndim != 2 or offset.shape != ratio.shape[:1]:
            raise ModelError(f"ratio (n, k) and offset (n,) do not fit: {ratio.shape} and {offset.shape}")

    @property
    def same_for_each(self) -> tuple[float, float] | None:
        """Ratio and offset as numbers, if each variable follows one of as many by the same; otherwise None."""
        R, r = self.ratio, self.offset
        same = len(R) == R.shape[1] and np.array_equal(R, R[0, 0] * np.eye(len(R))) and np.all(r == r[0])
        return (float(R[0, 0]), float(r[0])) if same else None

    def followed_variable(self, i: int) -> tuple[int, float | None]:
        """The variable of the source that variable i follows, and its ratio, which is None if it follows several."""
        (places,) = np.nonzero(self.ratio[i])
        k = int(places[0]) if len(places) else min(i, self.ratio.shape[1] - 1)
        return k, float(self.ratio[i, k]) if len(places) < 2 else None

    @property
    def numbers(self) -> tuple[Any, Any]:
        """Ratio and offset as plain numbers: two if they are the same for each variable, else nested lists."""
        return self.same_for_each or (self.ratio.tolist(), self.offset.tolist())

    def text(self, source: str, digits: int = 4) -> str:
        """What the variables are, for people.

        >>> Mimic(0, -2.0, 0.5).text("elbow"), Mimic(0, [[1.0, 2.0]]).text("motors")
        ('-2 · elbow + 0.5', '[[1, 2]] · motors')
        """
        ratio, offset = self.numbers
        return mimic_text(source, ratio, offset, digits)

    def position(self, q: Array) -> Array:
        """R q + r (..., n), of configurations (..., n_source) of the source."""
        return q @ self.ratio.T + self.offset

    def velocity(self, v: Array) -> Array:
        """R v (n, ...), of velocities, or rows, (n_source, ...) of the source."""
        return _times(self.ratio, v)

    def force(self, f: Array) -> Array:
        """Rᵀ f (n_source, ...): the joint forces of the source that do the work of f (n, ...)."""
        return _times(self.ratio.T, f)


MOST_ENTRIES_IN_TEXT = 6
"""Of a matrix that a text gives."""


def mimic_text(source: str, ratio: Any, offset: Any, digits: int = 4) -> str:
    """What the variables of a mimic joint are, for people, from the numbers of `Mimic.numbers`.

    >>> mimic_text("motors", [[1.0, 2.0]], [-0.5])
    '[[1, 2]] · motors + [-0.5]'
    """
    added = f" {'−' if offset < 0 else '+'} {abs(offset):.{digits}g}" if offset and np.ndim(offset) == 0 else ""
    if np.ndim(ratio) == 0:
        return f"{ratio:.{digits}g} · {source}{added}"
    added = f" + {_text(offset, digits)}" if np.any(offset) else ""
    if np.size(ratio) > MOST_ENTRIES_IN_TEXT:
        ratio, added = f"({' × '.join(map(str, np.shape(ratio)))} matrix)", " + offset" if added else ""
    return f"{ratio if isinstance(ratio, str) else _text(ratio, digits)} · {source}{added}"


def _text(x: Any, digits: int) -> str:
    return f"[{', '.join(_text(y, digits) for y in x)}]" if isinstance(x, list) else f"{x:.{digits}g}"


def _times(R: Array, x: Array) -> Array:
    """R x (n, ...) of a matrix (n, m) and an array (m, ...)."""
    return R @ x if x.ndim <= 2 else (R @ x.reshape(len(x), -1)).reshape(len(R), *x.shape[1:])


@dataclass(frozen=True, eq=False)
class Limits(Record):
    """Bounds of a joint, or of all joints of a robot; infinite where there is none.

    Numbers beyond 1e30, which some programs write for no bound, become infinite.

    Parameters
    ----------
    lower : array_like, shape (nq,)
        Lower bounds of the position [rad, m].
    upper : array_like, shape (nq,)
        Upper bounds of the position [rad, m].
    velocity : array_like, shape (nv,), default inf
        Bounds of the speed [rad/s, m/s].
    effort : array_like, shape (nv,), default inf
        Bounds of the joint force [N m, N].

    Raises
    ------
    ModelError
        If a bound is NaN, or `lower` exceeds `upper`.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.Limits(lower=-1.5, upper=1.5, velocity=10.0).effort
    array([inf])
    """

    lower: Array
    upper: Array
    velocity: Array = np.inf
    effort: Array = np.inf

    def __post_init__(self) -> None:
        for name in field_names(Limits):
            value = getattr(self, name)
            array = numbers(value, f"limits: {name}")
            if is_concrete(array) and np.any(np.isnan(array)):
                raise ModelError(f"limits: {name} must be numbers or infinite, got {value!r}")
            if is_concrete(array):
                array = np.where(
                    np.abs(array) <= MAX_NUMBER, array + 0.0, np.copysign(np.inf, array)
                )  # -0.0 becomes 0.0
            object.__setattr__(self, name, read_only(np.atleast_1d(array)))
        both = is_concrete(self.lower) and is_concrete(self.upper) and self.lower.shape == self.upper.shape
        if both and np.any(self.lower > self.upper):
            raise ModelError(f"limits: lower {self.lower.tolist()} must not exceed upper {self.upper.tolist()}")

    @staticmethod
    def none(joint: Joint) -> Limits:
        """Limits without bounds.

        Parameters
        ----------
        joint : Joint
            Joint whose sizes they have.

        Returns
        -------
        Limits
            The limits, all infinite.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.Limits.none(kt.joints.Revolute()).upper
        array([inf])
        """
        unbounded = np.full(joint.nq, np.inf)
        return Limits(-unbounded, unbounded, np.full(joint.nv, np.inf), np.full(joint.nv, np.inf))


@dataclass(frozen=True, eq=False)
class Mesh(Record):
    """A surface of triangles, in memory: in single precision, as graphics processors have it.

    Parameters
    ----------
    vertices : array_like, shape (n, 3)
        Points in the frame of the shape [m].
    faces : array_like, shape (m, 3)
        Triangles, by the indices of their vertices, counterclockwise seen from outside.

    Raises
    ------
    ModelError
        If the shapes do not fit, a number is not finite, or a face names a vertex that does not exist.

    Examples
    --------
    >>> from kinetrace.model import Mesh
    >>> Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]).faces
    array([[0, 1, 2]], dtype=int32)
    """

    vertices: Array
    faces: Array

    def __post_init__(self) -> None:
        vertices, faces = real(self.vertices, "mesh: vertices"), real(self.faces, "mesh: faces")
        for name, array in (("vertices", vertices), ("faces", faces)):
            if array.ndim != 2 or array.shape[1] != 3:
                raise ModelError(f"mesh: {name} must have shape (n, 3), got {array.shape}")
        if not np.all(np.isfinite(vertices)):
            raise ModelError("mesh: vertices must be finite")
        if faces.size and not (np.all(faces == np.floor(faces)) and faces.min() >= 0 and faces.max() < len(vertices)):
            raise ModelError(f"mesh: faces must be indices of the {len(vertices)} vertices, from 0")
        object.__setattr__(self, "vertices", read_only(np.array(vertices, dtype=np.float32)))
        object.__setattr__(self, "faces", read_only(np.array(faces, dtype=np.int32)))

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


@dataclass(frozen=True)
class Geometry(Record):
    """A shape on a link, for viewers or for contact.

    | kind | size |
    |---|---|
    | box | lengths along x, y, z |
    | sphere | radius |
    | cylinder | radius, length along z |
    | capsule | radius, length along z without the caps |
    | ellipsoid | half axes along x, y, z |
    | plane | lengths along x, y, its normal being z; 0 if it has no end |
    | mesh | scale along x, y, z of the file or `Mesh` |
    | heights | lengths along x, y of the grid `heights`, thickness below zero |

    Those with the role "collision" count in contacts: a model names them, and refuses those without extent.
    """

    kind: str
    size: tuple[float, ...]
    frame: str
    placement: Array
    role: str = "visual"
    """"visual" or "collision"."""
    mesh: str | Mesh | None = None
    """The path of a file, or the surface itself."""
    color: tuple[float, float, float, float] | None = None
    name: str = ""
    surface: Surface | None = None
    """How it touches others, of collision shapes; None: its source does not say."""
    heights: Array | None = None
    """Of a height field, a grid (nx, ny) [m] along x and y, centred at the shape's frame."""

    @cached_property
    def grid(self) -> Mesh | None:
        """The surface of a height field; None of other shapes."""
        if self.kind != "heights" or self.heights is None:
            return None
        nx, ny = self.heights.shape
        x, y = (np.linspace(-length / 2, length / 2, n) for length, n in zip(self.size[:2], (nx, ny), strict=True))
        points = np.stack([*np.meshgrid(x, y, indexing="ij"), self.heights], axis=-1).reshape(-1, 3)
        corner = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
        halves = [corner[:, None] + [0, ny, ny + 1], corner[:, None] + [0, ny + 1, 1]]
        return Mesh(points, np.concatenate(halves))


@dataclass(frozen=True, eq=False)
class Body(Record):
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
    effects: JointEffects | None = None
    """Rotor, damping, friction, spring and stops of the joint; None if it has none."""
    link_effects: tuple[LinkEffects, ...] | None = None
    """Compensation of weight, and boxes that a fluid meets, of the links that the body is made of; None if none."""

    @property
    def armature(self) -> Array:
        """Inertia of the joint's rotor in the mass matrix (nv, nv)."""
        return np.eye(self.joint.nv) * (np.zeros(self.joint.nv) if self.effects is None else self.effects.armature)

    @property
    def has_rotor(self) -> bool:
        """Whether the armature may differ from zero."""
        return self.effects is not None and is_present(self.effects.armature)

    def passive_force(self, q: Array, v: Array) -> Array:
        """The force (nv,) of damping, friction, spring and stops; see `joint_effects`."""
        if self.effects is None:
            return np.zeros(self.joint.nv)
        at = self.joint, self.limits, q
        return self.effects.conservative(*at) + self.effects.dissipative(*at, v)

    def passive_derivatives(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The derivatives (nv, nv) of `passive_force` along q ⊕ ε and v."""
        nothing = np.zeros((self.joint.nv, self.joint.nv))
        return (nothing, nothing) if self.effects is None else self.effects.derivatives(self.joint, self.limits, q, v)

    def joint_placement(self, q: Array) -> Pose:
        """The pose of the moved joint frame in the parent body."""
        return self._to_joint @ Pose(self.joint.placement(q))

    @cached_property
    def _to_joint(self) -> Pose:
        return _pose(self.X_pj)

    @cached_property
    def from_joint(self) -> Pose:
        """The pose of the body frame in the moved joint frame: constant."""
        return _pose(self.X_ji)

    def placement(self, q: Array) -> Pose:
        """X_pi, the pose of the body in its parent."""
        return self.joint_placement(q) @ self.from_joint

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

    @cached_property
    def pseudo_inertia(self) -> Array:
        """(4, 4) the pseudo-inertia of J, about and in the body frame."""
        return read_only(inertia.pseudo_inertia(self.J))

    def newton_euler(self, w: Array, dw: Array, a: Array) -> Array:
        """The wrench (6,) that the body needs to turn with w (3,) and its rate dw, its origin accelerating by a."""
        return inertia.newton_euler(self.pseudo_inertia, w, dw, a)

    def zero_joint_directions(self, P: Array) -> Array:
        """P (6, 6), for which P S = 0 without a rotor; subclasses may write these zeros explicitly."""
        return P

    def _in_body(self, columns: Array) -> Array:
        return self.from_joint.Ad_inv(columns.T).T


def _pose(X: Array) -> Pose:
    """A constant pose; the identity has no factor."""
    return Pose() if is_concrete(X) and np.array_equal(X, np.eye(4)) else Pose(X)


@dataclass(frozen=True, eq=False)
class Frame(Record):
    """A named frame fixed to a body (or to the world, -1)."""

    name: str
    body: int
    X_bf: Array
    """(4, 4) pose of the frame in its body."""

    def at(self, point: Array | None) -> Frame:
        """The same frame with its origin at a point (3,) of it; itself, if there is none."""
        return self if point is None else replace(self, X_bf=self.X_bf @ se3.pose(np.eye(3), point))
