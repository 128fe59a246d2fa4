"""Objects of a world: shapes that are fixed or fall freely, the ground, and other robots.

An object without a mass is fixed to the world; one with a mass is a free body, of uniform density unless its inertia is
given. Its frame is that of its shape, in the middle. Poses (..., 7), twists (..., 6), and sizes and heights of fixed
objects may have batch axes: then each lane has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ModelError, value_text
from ..lie import inertia as inertias
from ..model import Model
from ..model.checks import symmetric
from ..model.contact import Surface
from ..model.record import Record, read_only
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_reals
from .solids import uniform_inertia
from .values import check_one_lane, checked_array, checked_mass, checked_pose, pose_on

FLAT = (0.0, 0.0, 1.0)
"""The normal of flat ground."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Placed(Record):
    """What stands in a world."""

    pose: Float = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    """(..., 7) position [m] and unit quaternion (w, x, y, z); also given as (4, 4), or as a position (3,)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", read_only(checked_pose(self.pose, f"{self.label}: pose")))

    @property
    def label(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @property
    def is_fixed(self) -> bool:
        """Whether nothing of it moves."""
        return True

    def __repr__(self) -> str:
        own = sorted(fields(self), key=lambda x: bool(x.kw_only))
        told = [f"{x.name}={number_text(y)}" for x in own if not _is_default(y := getattr(self, x.name), x)]
        return f"{type(self).__name__}({', '.join(told)})"


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Shape(Placed):
    """An object of one shape."""

    kind: ClassVar[str]
    """As of `Geometry`, or "points" and "heights"."""
    mass: float | None = None
    """[kg]; None: it is fixed to the world."""
    inertia: Float | None = None
    """(3, 3) about the centre of mass, in the axes of the shape [kg m²]; None: of uniform density."""
    velocity: Float | None = None
    """(..., 6) twist at the beginning, in its own frame [rad/s, m/s]; None: at rest."""
    friction: float | None = None
    """Coefficient of friction; None: that of what it touches."""
    restitution: float | None = None
    surface: Surface | None = None
    """All of its surface: friction against spinning and rolling, compliance, belts, groups."""
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, from 0 to 1, in pictures."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mass is not None:
            object.__setattr__(self, "mass", checked_mass(self.mass, f"{self.label}: mass"))
        for name, axes in (("velocity", (6,)), ("inertia", ())):
            x = getattr(self, name)
            if x is not None:
                if self.mass is None:
                    raise InputError(f"{self.label}: {name} is of objects with a mass; without one it is fixed")
                object.__setattr__(self, name, read_only(checked_array(x, axes, f"{self.label}: {name}")))
        if self.inertia is not None and self.inertia.shape != (3, 3):
            raise InputError(f"{self.label}: inertia must have shape (3, 3), got {self.inertia.shape}")
        check_one_lane(self, self.label, ("friction", "restitution"))
        if self.surface is not None and not isinstance(self.surface, Surface):
            raise InputError(f"{self.label}: surface must be a kt.worlds.Surface, got {value_text(self.surface)}")
        if self.surface is not None:
            check_one_lane(self.surface.law, f"{self.label}: surface")
        if self.color is not None:
            object.__setattr__(self, "color", tuple(map(float, checked_array(self.color, (4,), "color"))))
        _ = self.touching_surface  # which checks its numbers
        self._check_size()
        if self.mass is not None:
            self._check_free()

    def _check_free(self) -> None:
        """An error unless one rigid body can have its size and inertia."""
        if self.size.ndim > (2 if self.kind == "points" else 1):
            raise InputError(
                f"{self.label}: only fixed objects have a size for each lane, got an array {self.size.shape} beside a "
                "mass; leave out mass, or give all lanes one size"
            )
        if self.inertia is None:
            return
        object.__setattr__(self, "inertia", read_only(symmetric(self.inertia, f"{self.label}: inertia")))
        wrong = inertias.violations(self.spatial_inertia)
        if not wrong and not self.inertia.any():
            wrong = ["it must not be zero"]
        if wrong:
            raise InputError(f"{self.label}: inertia: {'; '.join(wrong)}")

    def _check_size(self) -> None:
        size = checked_array(self.size, np.shape(self.size)[-1:], f"{self.label}: size")
        if not (size > 0.0).all():
            raise InputError(f"{self.label}: its size must be positive, got {number_text(size)}")

    @property
    def size(self) -> Float:
        """As of `Geometry`, with batch axes."""
        raise NotImplementedError

    @property
    def is_fixed(self) -> bool:
        """Whether it is fixed to the world."""
        return self.mass is None

    @property
    def touching_surface(self) -> Surface | None:
        """The surface with the friction and restitution that are given beside it; None if nothing is."""
        given = {name: x for name in ("friction", "restitution") if (x := getattr(self, name)) is not None}
        if not given:
            return self.surface
        surface = Surface() if self.surface is None else self.surface
        try:
            return replace(surface, law=replace(surface.law, **given))
        except ModelError as error:
            raise InputError(f"{self.label}: {error}") from None

    @property
    def center_of_mass(self) -> Float:
        """(3,) in the frame of the shape."""
        return uniform_inertia(self.kind, self.size, 1.0)[0]

    @property
    def spatial_inertia(self) -> Float:
        """(6, 6) in the frame of the shape."""
        assert self.mass is not None
        com, I = uniform_inertia(self.kind, self.size, self.mass)
        if self.inertia is not None:
            I = self.inertia
        return np.asarray(inertias.from_mass_com(self.mass, com, I))


@dataclass(frozen=True, eq=False, repr=False)
class Box(Shape):
    """A box.

    >>> import kinetrace as kt
    >>> kt.worlds.Box([0.2, 0.2, 0.1], mass=1.0, pose=[0, 0, 0.5], friction=0.6)
    Box(lengths=[0.2, 0.2, 0.1], pose=[0, 0, 0.5, 1, 0, 0, 0], mass=1, friction=0.6)
    """

    kind: ClassVar[str] = "box"
    lengths: npt.ArrayLike
    """(..., 3) along x, y and z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", read_only(checked_array(self.lengths, (3,), "Box: lengths")))
        super().__post_init__()

    @property
    def size(self) -> Float:
        """(..., 3)"""
        return np.asarray(self.lengths)


@dataclass(frozen=True, eq=False, repr=False)
class Sphere(Shape):
    """A ball.

    >>> import kinetrace as kt
    >>> kt.worlds.Sphere(0.1, mass=0.5)
    Sphere(radius=0.1, mass=0.5)
    """

    kind: ClassVar[str] = "sphere"
    radius: npt.ArrayLike
    """(...) [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", read_only(checked_array(self.radius, (), "Sphere: radius")))
        super().__post_init__()

    @property
    def size(self) -> Float:
        """(..., 1)"""
        return np.asarray(self.radius)[..., None]


@dataclass(frozen=True, eq=False, repr=False)
class _Round(Shape):
    """A shape around an axis."""

    radius: npt.ArrayLike
    """(...) [m]."""
    length: npt.ArrayLike
    """(...) along z [m]; of a capsule without its caps."""

    def __post_init__(self) -> None:
        for name in ("radius", "length"):
            x = checked_array(getattr(self, name), (), f"{self.label}: {name}")
            object.__setattr__(self, name, read_only(x))
        super().__post_init__()

    @property
    def size(self) -> Float:
        """(..., 2)"""
        return np.stack(np.broadcast_arrays(self.radius, self.length), axis=-1)


@dataclass(frozen=True, eq=False, repr=False)
class Capsule(_Round):
    """A cylinder along z with half balls at its ends.

    >>> import kinetrace as kt
    >>> kt.worlds.Capsule(0.05, 0.2)
    Capsule(radius=0.05, length=0.2)
    """

    kind: ClassVar[str] = "capsule"


@dataclass(frozen=True, eq=False, repr=False)
class Cylinder(_Round):
    """A cylinder along z.

    >>> import kinetrace as kt
    >>> kt.worlds.Cylinder(0.05, 0.2, mass=1.0)
    Cylinder(radius=0.05, length=0.2, mass=1)
    """

    kind: ClassVar[str] = "cylinder"


@dataclass(frozen=True, eq=False, repr=False)
class Ellipsoid(Shape):
    """An ellipsoid.

    >>> import kinetrace as kt
    >>> kt.worlds.Ellipsoid([0.1, 0.1, 0.05], mass=1.0).size
    array([0.1 , 0.1 , 0.05])
    """

    kind: ClassVar[str] = "ellipsoid"
    half_axes: npt.ArrayLike
    """(..., 3) along x, y and z [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "half_axes", read_only(checked_array(self.half_axes, (3,), "Ellipsoid: half_axes")))
        super().__post_init__()

    @property
    def size(self) -> Float:
        """(..., 3)"""
        return np.asarray(self.half_axes)


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Shape):
    """The convex hull of points.

    >>> import kinetrace as kt
    >>> kt.worlds.Hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], pose=[0, 0, 1]).size.shape
    (4, 3)
    """

    kind: ClassVar[str] = "points"
    points: npt.ArrayLike
    """(k, 3) at least four that are not in a plane [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", read_only(checked_array(self.points, (None, 3), "Hull: points")))
        super().__post_init__()

    def _check_size(self) -> None:
        x = self.size
        if x.ndim != 2:
            raise InputError(f"Hull: points must have shape (k, 3), got {x.shape}: lanes have the same points")
        spread = np.linalg.svd(x - x.mean(axis=0), compute_uv=False)
        if len(x) < 4 or not spread[-1] > 1e-9 * spread[0]:
            raise InputError("Hull: points must be at least four that are not in a plane")

    @property
    def size(self) -> Float:
        """(k, 3)"""
        return np.asarray(self.points)


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Shape):
    """A half space, which is never left upwards along its normal.

    >>> import kinetrace as kt
    >>> kt.worlds.Plane(normal=[0.1, 0, 1], height=0.2)
    Plane(normal=[0.0995, 0, 0.995], height=0.2)
    """

    kind: ClassVar[str] = "plane"
    normal: npt.ArrayLike = FLAT
    """(..., 3) towards what stands on it, of any length."""
    height: npt.ArrayLike = 0.0
    """(...) of its point on the z axis [m]."""

    def __post_init__(self) -> None:
        n = checked_array(self.normal, (3,), "Plane: normal")
        length = np.linalg.norm(n, axis=-1, keepdims=True)
        if not (length > 0.0).all():
            raise InputError("Plane: its normal must not be zero")
        object.__setattr__(self, "normal", read_only(n / length))
        object.__setattr__(self, "height", read_only(checked_array(self.height, (), "Plane: height")))
        if self.mass is not None:
            raise InputError("Plane: it is fixed, and has no mass")
        if not np.array_equal(self.pose, Placed().pose):
            raise InputError("Plane: it takes a normal and a height instead of a pose")
        object.__setattr__(self, "pose", pose_on(np.asarray(self.normal), np.asarray(self.height)))
        super().__post_init__()

    def _check_size(self) -> None:
        """It has none."""

    def __repr__(self) -> str:
        if self.is_flat:
            return super().__repr__()
        return f"Plane(normal={number_text(self.normal)}, height={number_text(self.height)})"

    @property
    def is_flat(self) -> bool:
        """Whether it is z = 0 in all lanes."""
        return bool(np.all(self.normal == np.array(FLAT)) and np.all(self.height == 0.0))

    @property
    def size(self) -> Float:
        """(0,)"""
        return np.zeros(0)


@dataclass(frozen=True, eq=False, repr=False)
class Heights(Shape):
    """A height field: a grid of heights along x and y, its middle at the pose, linear in triangles between.

    >>> import numpy as np, kinetrace as kt
    >>> kt.worlds.Heights(np.zeros((20, 30)), lengths=[2.0, 3.0]).size.shape
    (20, 30)
    """

    kind: ClassVar[str] = "heights"
    heights: npt.ArrayLike
    """(..., nx, ny) [m]; the first is at the lower ends of x and y."""
    lengths: npt.ArrayLike
    """(2,) of the grid along x and y [m]."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", read_only(checked_array(self.heights, (None, None), "Heights: heights")))
        object.__setattr__(self, "lengths", read_only(checked_array(self.lengths, (2,), "Heights: lengths")))
        if np.ndim(self.lengths) != 1:
            raise InputError(f"Heights: lengths must have shape (2,), got {np.shape(self.lengths)}")
        if self.mass is not None:
            raise InputError("Heights: a height field is fixed, and has no mass")
        super().__post_init__()

    def _check_size(self) -> None:
        if min(np.shape(self.heights)[-2:]) < 2 or not (np.asarray(self.lengths) > 0.0).all():
            raise InputError("Heights: there must be at least 2 × 2 heights, over lengths above zero")

    @property
    def size(self) -> Float:
        """(..., nx, ny)"""
        return np.asarray(self.heights)

    def __repr__(self) -> str:
        nx, ny = np.shape(self.heights)[-2:]
        return f"Heights({nx} × {ny} over {number_text(self.lengths)} m)"

    @classmethod
    def from_image(
        cls, path: str | Path, lengths: Sequence[float], highest: float, *, lowest: float = 0.0, **more: Any
    ) -> Heights:
        """Heights of a grey image: black is the lowest, white the highest; its lower left corner is at −x, −y.

        Parameters
        ----------
        path : str or Path
            Image that matplotlib reads, such as .png.
        lengths : array_like, shape (2,)
            Lengths along x and y [m].
        highest : float
            Height of white [m].
        lowest : float, default 0.0
            Height of black [m].
        **more
            Pose, friction and the like of the height field.

        Returns
        -------
        Heights
            The height field.

        Raises
        ------
        InputError
            If the file is no image.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.worlds.Heights.from_image("hills.png", [10, 10], 0.5)  # doctest: +SKIP
        Heights(256 × 256 over [10, 10] m)
        """
        from ..support.optional import require_package

        image = require_package("matplotlib.image", "an image of heights")
        try:
            x = np.asarray(image.imread(str(path)), dtype=float)
        except (OSError, ValueError, SyntaxError) as error:
            raise InputError(f"{str(path)!r} is no image: {error}") from None
        x = x[..., :3].mean(axis=-1) if x.ndim == 3 else x
        x = x / 255.0 if x.max(initial=0.0) > 1.0 else x
        return cls(lowest + (highest - lowest) * x[::-1].T, np.asarray(lengths, dtype=float), **more)


@dataclass(frozen=True, eq=False, repr=False)
class OtherRobot(Placed):
    """Another robot, at a pose; its joints are free, and scenes leave its actuators out.

    >>> import kinetrace as kt
    >>> kt.worlds.OtherRobot(kt.load("planar2r"), pose=[0, 1, 0])
    OtherRobot(planar2r, pose=[0, 1, 0, 1, 0, 0, 0])
    """

    robot: Robot | Model
    """The robot, of which the model is kept."""
    q: Float | None = None
    """(..., nq) configuration at the beginning; home unless given."""
    v: Float | None = None
    """(..., nv) velocity at the beginning; at rest unless given."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pose.ndim != 1:
            raise InputError("OtherRobot: its pose has no batch axes: give q those of a robot that floats")
        model = getattr(self.robot, "model", self.robot)
        if not isinstance(model, Model):
            raise InputError(f"OtherRobot: expected a Robot, as kinetrace.load returns, got {value_text(self.robot)}")
        object.__setattr__(self, "robot", model)
        for name, n in (("q", model.nq), ("v", model.nv)):
            if (x := getattr(self, name)) is not None:
                object.__setattr__(self, name, read_only(checked_array(x, (n,), f"OtherRobot: {name}")))

    def __repr__(self) -> str:
        return f"OtherRobot({self.model.name}, pose={number_text(self.pose)})"

    @property
    def model(self) -> Model:
        """The robot as data."""
        assert isinstance(self.robot, Model)
        return self.robot

    @property
    def is_fixed(self) -> bool:
        """Whether nothing of it moves."""
        return self.model.nv == 0


KINDS: dict[str, type[Placed]] = {
    each.__name__: each for each in (Box, Sphere, Capsule, Cylinder, Ellipsoid, Hull, Plane, Heights, OtherRobot)
}
"""Name in files → class."""


def _is_default(x: Any, of: Any) -> bool:
    default = of.default_factory() if callable(of.default_factory) else of.default
    return x is default or (isinstance(x, np.ndarray) and np.array_equal(x, np.asarray(default, dtype=object)))


def number_text(x: Any) -> str:
    """Numbers in few characters."""
    if isinstance(x, np.ndarray) and x.size > 12:
        return f"array{x.shape}"
    if isinstance(x, np.ndarray | float | int | list):
        return str(np.vectorize(lambda y: f"{y:.3g}", otypes=[object])(as_reals("x", x)).tolist()).replace("'", "")
    return repr(x)
