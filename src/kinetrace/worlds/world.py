"""`World`: what a robot stands on and meets, and which shapes may touch.

A world does not know the robot. `scene.bound_scene` brings both together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

import numpy.typing as npt

from ..errors import InputError, unknown_name_error, value_text
from ..model.contact import ContactLaw
from ..model.contact.resolve import check_choice
from ..model.record import Record, read_only
from .objects import Placed, Plane, Shape, number_text
from .values import check_one_lane, checked_array

GROUND, ROBOT = "ground", "robot"
"""Names of the ground, and of all shapes of the robot."""
Solver = Literal["automatic", "sweeps", "newton"]
Rule = Literal["world", "feet", "self", "all", "rules"]
"""Ways to choose pairs."""
Names: TypeAlias = tuple[str, str]
"""Names of shapes, links or objects; a name alone goes with an empty one, which stands for all others."""
LINE = ",\n    "
"""Between the parts of a text that does not fit on one line."""
_FLAT = (True, "flat", "ground")


@dataclass(frozen=True, eq=False, repr=False)
class World(Record):
    """What a robot stands on and meets.

    Numbers of fixed objects (poses, sizes, heights, the ground's normal and height) and friction may have batch axes,
    one for each motion; they are inputs of the compiled steps, and other numbers compile nothing.

    Parameters
    ----------
    ground : "flat", Plane, Heights or None, default "flat"
        The ground: z = 0, another plane, a height field, or none.
    objects : mapping of str to object, optional
        Objects of `kinetrace.worlds` by name: free bodies if they have a mass, else fixed; `OtherRobot`s.
    pairs : str or sequence, optional
        Which shapes may touch: "world", those of the robot with all of the world, and objects among themselves; "feet",
        of the robot only those at the ends of limbs; "self", those of the robot with each other; "all", both; "rules",
        as the robot's file says; or pairs of names of shapes, links or objects; or several of these. "world" unless
        given. See `worlds.pairs` for what can never touch.
    friction : float, array_like, shape (...), or mapping, optional
        Coefficients of friction of all pairs, or by a name or pair of names; those of the surfaces unless given.
    restitution : float or mapping, optional
        Speed after an impact relative to that before it, of all pairs, or by names.
    laws : ContactLaw or mapping, optional
        All numbers of contact of all pairs, or by names; friction and restitution replace theirs.
    meshes : str, mapping of str to str, or None, default "hull"
        What collision meshes of robots become, all or by the names of shapes: "hull", a convex hull of at most 32
        points, "points", of 8, the smallest "sphere", "box" or "capsule", convex "pieces" by coacd, "capsules" around
        these, or None, nothing.
    solver : {"automatic", "sweeps", "newton"}, default "automatic"
        How steps solve for contacts; by default, the number of slots and what touches decide.

    Examples
    --------
    >>> import kinetrace as kt
    >>> world = kt.World(objects={"box": kt.worlds.Box([0.2, 0.2, 0.2], mass=1.0, pose=[0.5, 0, 0.1])}, friction=0.7)
    >>> world
    World(ground='flat',
        objects={'box': Box(lengths=[0.2, 0.2, 0.2], pose=[0.5, 0, 0.1, 1, 0, 0, 0], mass=1)},
        friction=0.7)
    >>> world == kt.World.from_json(world.to_json())
    True
    """

    ground: Any = "flat"
    objects: Mapping[str, Placed] = field(default_factory=dict)
    pairs: Any = None
    friction: Any = None
    restitution: Any = None
    laws: Any = None
    meshes: Any = "hull"
    solver: Solver = "automatic"

    def __post_init__(self) -> None:
        for name, made in (
            ("ground", _ground(self.ground)),
            ("objects", _objects(self.objects)),
            ("pairs", None if self.pairs is None else _pairs(self.pairs)),
            ("friction", _by_names("friction", self.friction, _friction)),
            ("restitution", _by_names("restitution", self.restitution, _restitution)),
            ("laws", _by_names("laws", self.laws, _law)),
        ):
            object.__setattr__(self, name, made)
        for x in self.meshes.values() if isinstance(self.meshes, Mapping) else [self.meshes]:
            check_choice(x)
        if isinstance(self.meshes, Mapping):
            object.__setattr__(self, "meshes", MappingProxyType(dict(self.meshes)))
        if self.solver not in get_args(Solver):
            raise unknown_name_error("solver", self.solver, get_args(Solver))

    def __repr__(self) -> str:
        ground = "'flat'" if isinstance(self.ground, Plane) and self.ground.is_flat else repr(self.ground)
        told = [f"ground={ground}"]
        if self.objects:
            told.append(f"objects={dict(self.objects)!r}")
        if self.pairs is not None:
            told.append(f"pairs={self.pairs[0] if len(self.pairs) == 1 else list(self.pairs)!r}")
        for name in ("friction", "restitution", "laws"):
            given = getattr(self, name)
            if given:
                told.append(f"{name}={_names_text(given)}")
        if self.meshes != "hull":
            told.append(f"meshes={dict(self.meshes) if isinstance(self.meshes, Mapping) else self.meshes!r}")
        if self.solver != "automatic":
            told.append(f"solver={self.solver!r}")
        line = f"World({', '.join(told)})"
        return line if len(line) < 100 else f"World({LINE.join(told)})"

    @property
    def placed(self) -> dict[str, Placed]:
        """All objects by name, the ground first."""
        ground = {} if self.ground is None else {GROUND: self.ground}
        return {**ground, **self.objects}

    def save(self, path: str | Path) -> None:
        """Write the world to a file .json, every digit of it.

        Parameters
        ----------
        path : str or Path
            Path of the file.

        Raises
        ------
        InputError
            If the suffix is another.

        Examples
        --------
        >>> import pathlib, tempfile, kinetrace as kt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     kt.World(friction=0.5).save(pathlib.Path(folder) / "world.json")
        ...     kt.World.load(pathlib.Path(folder) / "world.json")
        World(ground='flat', friction=0.5)
        """
        from .world_file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> World:
        """Read a file that `save` wrote.

        Parameters
        ----------
        path : str or Path
            Path of the file.

        Returns
        -------
        World
            The world.

        Raises
        ------
        InputError
            If the file holds no world.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.World.load("world.json")  # doctest: +SKIP
        World(ground='flat', friction=0.5)
        """
        from .world_file import load

        return load(Path(path))

    def to_json(self) -> str:
        """The world as JSON text.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.World(ground=None).to_json()
        '{"format": "kinetrace.world", "version": 1}'
        """
        from .world_file import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> World:
        """The world of such a text.

        Parameters
        ----------
        text : str
            What `to_json` made.

        Returns
        -------
        World
            The world.

        Raises
        ------
        InputError
            If it is no such text.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.World.from_json('{"format": "kinetrace.world", "version": 1}')
        World(ground=None)
        """
        from .world_file import from_json

        return from_json(text)


def _ground(x: Any) -> Placed | None:
    if x is None or x is False:
        return None
    if x is True or (isinstance(x, str) and x in _FLAT):
        return Plane()
    if not isinstance(x, Shape) or not x.is_fixed:
        raise InputError(
            f"ground must be 'flat', None, or a fixed object, as kt.worlds.Plane and Heights; got {value_text(x)}"
        )
    return x


def _objects(given: Any) -> Mapping[str, Placed]:
    if not isinstance(given, Mapping):
        raise InputError(f"objects must map names to objects of kt.worlds, got {value_text(given)}")
    for name, x in given.items():
        if not isinstance(name, str) or not name or name in (GROUND, ROBOT):
            raise InputError(
                f"the name of an object must be text, and not {GROUND!r} or {ROBOT!r}; got {value_text(name)}"
            )
        if not isinstance(x, Placed):
            hint = "; kt.worlds.OtherRobot(robot, pose=...) places a robot" if hasattr(x, "model") else ""
            raise InputError(f"object {name!r} must be one of kt.worlds, as Box, got {value_text(x)}{hint}")
    return MappingProxyType(dict(given))


def _pairs(given: Any) -> tuple[Any, ...]:
    """Rules and pairs of names."""
    parts = [given] if isinstance(given, str) else given
    if isinstance(parts, tuple) and len(parts) == 2 and all(isinstance(x, str) and x not in _RULES for x in parts):
        parts = [parts]  # one pair
    if not isinstance(parts, Sequence):
        raise InputError(f"pairs must be {_RULES_TEXT}, or a list of pairs of names; got {value_text(given)}")
    found = list[Any]()
    for x in parts:
        if isinstance(x, str):
            if x not in _RULES:
                raise unknown_name_error("pairs", x, _RULES)
            found.append(x)
        elif isinstance(x, Sequence) and len(x) == 2 and all(isinstance(name, str) for name in x):
            found.append(tuple(x))
        else:
            raise InputError(f"pairs must be {_RULES_TEXT}, or pairs of names as ('hand', 'box'); got {value_text(x)}")
    if not found:
        raise InputError(f"pairs is empty, so that nothing may touch: give {_RULES_TEXT}, or pairs of names")
    return tuple(found)


_RULES = get_args(Rule)
_RULES_TEXT = ", ".join(map(repr, _RULES))


def _by_names(what: str, given: Any, checked: Any) -> tuple[tuple[Names, Any], ...]:
    """((name, name), value) for each that is given; of all pairs, names are empty."""
    if given is None:
        return ()
    if isinstance(given, tuple) and all(isinstance(x, tuple) and len(x) == 2 for x in given):
        given = dict(given)  # as it is kept
    if not isinstance(given, Mapping):
        return ((("", ""), checked(what, given)),)
    found = []
    for key, x in given.items():
        names = (key, "") if isinstance(key, str) else key
        if not (isinstance(names, tuple) and len(names) == 2 and all(isinstance(y, str) for y in names)):
            raise InputError(f"{what} must be by a name or a pair of names, as ('hand', 'box'); got {value_text(key)}")
        found.append((names, checked(f"{what}[{key!r}]", x)))
    return tuple(found)


def _friction(what: str, x: npt.ArrayLike) -> Any:
    found = checked_array(x, (), what)
    if (found < 0.0).any():
        raise InputError(f"{what} must not be negative, got {number_text(found.min())}")
    return read_only(found)


def _restitution(what: str, x: npt.ArrayLike) -> Any:
    found = checked_array(x, (), what)
    if found.ndim or not 0.0 <= found <= 1.0:
        raise InputError(f"{what} must be a number from 0 to 1, got {number_text(found)}")
    return float(found)


def _law(what: str, x: Any) -> Any:
    if not isinstance(x, ContactLaw):
        raise InputError(f"{what} must be a kt.worlds.ContactLaw, got {value_text(x)}")
    check_one_lane(x, what)
    return x


def _names_text(given: tuple[tuple[Names, Any], ...]) -> str:
    if len(given) == 1 and given[0][0] == ("", ""):
        return number_text(given[0][1])
    told = (f"{(a if not b else (a, b))!r}: {number_text(x)}" for (a, b), x in given)
    return "{" + ", ".join(told) + "}"
