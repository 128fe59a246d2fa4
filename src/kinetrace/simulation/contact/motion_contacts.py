"""Contacts along a motion: forces, gaps, points, what touches, by slots and by names.

Row k is of the step that begins at t[k], as joint forces are: its forces act from there on, along the axes where the
step begins; the last row is of the step that ended there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...algorithms.contact.slots import slot_names, slot_places, slot_rows
from ...errors import InputError, unknown_name_error
from ...model.contact import Contacts
from ...robot import Robot
from ...robot.types import Float
from ...support.attributes import cached_property
from ...worlds.checks import scene_points

if TYPE_CHECKING:
    from ..trajectory import Trajectory

FORCES, RESIDUAL = "contact_forces", "contact_residual"
"""What trajectories keep: along the axes of each slot (..., n, slots, rows) [N, N m]; and [m/s]."""


@dataclass(frozen=True, eq=False)
class MotionContacts:
    """Contacts of n rows of a motion, in slots: the places where two shapes may touch.

    The normal of a slot pushes the first shape of its pair, and so do the forces.

    Parameters
    ----------
    names : tuple of str
        Names of the slots: those of the two shapes, "foot-ground", with numbers where a pair has several.
    forces : ndarray, shape (..., n, slots, 3)
        Forces on the first shape of each pair, in the axes of the world [N]; on the second one they are opposite.
    residual : ndarray, shape (..., n)
        How far velocities are from what the law of contact demands [m/s].

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("quadruped", base="free")
    >>> found = robot.simulate(robot.home(), np.zeros(18), 0.01, 1e-3, world=kt.World(pairs="feet")).contacts
    >>> found.force_on("FL_foot").shape, found.touching.shape
    ((11, 3), (11, 4))
    """

    _robot: Robot = field(repr=False)
    """That of the scene."""
    _q: Float = field(repr=False)
    _inputs: Mapping[str, Float] = field(repr=False)
    _axial: Float = field(repr=False)
    """Forces and moments (..., n, slots, rows) along the axes of the slots."""
    residual: Float

    def __repr__(self) -> str:
        return f"MotionContacts({len(self.names)} slots: {', '.join(self.names[:4])}{', …' * (len(self.names) > 4)})"

    @property
    def _contacts(self) -> Contacts:
        found = self._robot.model.contacts
        assert found is not None
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the slots."""
        return slot_names(self._contacts)

    @cached_property
    def _points(self) -> tuple[Float, Float, Float]:
        inputs = {name: np.expand_dims(x, _rows_axis(self._robot, name, x)) for name, x in self._inputs.items()}
        return scene_points(self._robot, self._q, inputs)

    @property
    def gaps(self) -> Float:
        """Distances of the shapes (..., n, slots) [m], negative where they overlap."""
        return self._points[0]

    @property
    def points(self) -> Float:
        """Points (..., n, slots, 3) midway between the shapes, in the world [m]."""
        return self._points[1]

    @property
    def frames(self) -> Float:
        """Axes (..., n, slots, 3, 3) of the slots as rows: two tangents and the normal, in the world."""
        return self._points[2]

    @cached_property
    def _rows(self) -> tuple[npt.NDArray[np.intp], Float]:
        """The number of rows of each slot (slots,), and rows of force (..., n, slots, 3), tangents and normal."""
        rows, x = np.array(slot_rows(self._contacts)), self._axial
        full = np.zeros((*x.shape[:-1], 3))
        full[..., : x.shape[-1]] = x[..., :3]
        alone = rows == 1
        full[..., alone, 2], full[..., alone, 0] = x[..., alone, 0], 0.0
        return rows, full

    @property
    def normal_forces(self) -> Float:
        """Forces (..., n, slots) along the normals [N]."""
        return self._rows[1][..., 2]

    @cached_property
    def forces(self) -> Float:
        """Forces (..., n, slots, 3) on the first shape of each pair, in the axes of the world [N]."""
        return np.asarray((np.swapaxes(self.frames, -1, -2) @ self._rows[1][..., None])[..., 0])

    @cached_property
    def moments(self) -> Float:
        """Moments (..., n, slots, 3) of friction against spinning and rolling, in the axes of the world [N m]."""
        rows, _ = self._rows
        local = np.zeros((*self._axial.shape[:-1], 3))
        if self._axial.shape[-1] > 3:
            local[..., 2] = np.where(rows > 3, self._axial[..., 3], 0.0)
        if self._axial.shape[-1] > 4:
            local[..., :2] = np.where((rows > 4)[:, None], self._axial[..., 4:6], 0.0)
        return np.asarray((np.swapaxes(self.frames, -1, -2) @ local[..., None])[..., 0])

    @property
    def touching(self) -> npt.NDArray[np.bool_]:
        """Whether shapes push each other (..., n, slots)."""
        return np.asarray(self.normal_forces > 0.0)

    def force_on(self, name: str) -> Float:
        """Sum of the contact forces on a shape, a link or an object.

        Parameters
        ----------
        name : str
            Name of a shape, of a link, of an object of the world, "ground", or "robot", which is all of it.

        Returns
        -------
        ndarray, shape (..., n, 3)
            Forces in the axes of the world [N].

        Raises
        ------
        InputError
            If no contact is of that name.
        """
        return self._sum(self.signs(name))

    def force_between(self, a: str, b: str) -> Float:
        """Sum of the contact forces on one shape, link or object by another.

        Parameters
        ----------
        a : str
            What the forces act on.
        b : str
            What they come from.

        Returns
        -------
        ndarray, shape (..., n, 3)
            Forces in the axes of the world [N].

        Raises
        ------
        InputError
            If the two have no contact with each other.
        """
        signs = np.where(self.signs(a) == -self.signs(b), self.signs(a), 0.0)
        if not signs.any():
            raise InputError(f"{a!r} and {b!r} have no contact with each other; there are {', '.join(self.names)}")
        return self._sum(signs)

    def touches(self, name: str, other: str | None = None) -> npt.NDArray[np.bool_]:
        """Whether a shape, a link or an object is touched, by anything or by another one.

        Parameters
        ----------
        name : str
            Name of a shape, of a link, or of an object of the world.
        other : str, optional
            Name of what touches it.

        Returns
        -------
        ndarray of bool, shape (..., n)
            Whether it is touched.

        Raises
        ------
        InputError
            If there is no such contact.
        """
        signs = self.signs(name)
        if other is not None:
            signs = np.where(signs == -self.signs(other), signs, 0.0)
        return np.asarray((self.touching & (signs != 0.0)).any(axis=-1))

    def wrench_on(self, name: str) -> Float:
        """Moment about the origin of the world and force (..., n, 6) of all contacts of a shape, link or object.

        Parameters
        ----------
        name : str
            Name of a shape, of a link, or of an object of the world.

        Returns
        -------
        ndarray, shape (..., n, 6)
            Wrenches in the axes of the world [N m, N].

        Raises
        ------
        InputError
            If no contact is of that name.
        """
        return self._wrench(self.signs(name))

    def wrench_on_bodies(self, bodies: Sequence[int]) -> Float:
        """Moment about the origin of the world and force (..., n, 6) of all contacts of bodies of the scene.

        Parameters
        ----------
        bodies : sequence of int
            Indices of bodies; contacts of two of them do not count.

        Returns
        -------
        ndarray, shape (..., n, 6)
            Wrenches in the axes of the world [N m, N].
        """
        contacts, found = self._contacts, list[float]()
        inside = [x.body in bodies for x in contacts.shapes]
        for pair, n in zip(contacts.pairs, _slots_of_pairs(contacts), strict=True):
            found += [float(inside[pair.a]) - float(inside[pair.b])] * n
        return self._wrench(np.array(found))

    def signs(self, name: str) -> Float:
        """1 for slots (slots,) whose forces act on a shape, link or object, −1 on what it touches, else 0.

        Parameters
        ----------
        name : str
            Name of a shape, of a link, or of an object of the world.

        Returns
        -------
        ndarray, shape (slots,)
            The signs; 0 also for contacts of two shapes of that name.

        Raises
        ------
        InputError
            If no contact is of that name.
        """
        contacts, found = self._contacts, list[float]()
        names = [{x.name, x.link, x.owner} - {""} for x in contacts.shapes]
        if all(name not in x for x in names):
            raise unknown_name_error("shape, link or object of contacts", name, set().union(*names))
        for pair, n in zip(contacts.pairs, _slots_of_pairs(contacts), strict=True):
            found += [float(name in names[pair.a]) - float(name in names[pair.b])] * n
        return np.array(found)

    def _wrench(self, signs: Float) -> Float:
        moments = self.moments + np.cross(self.points, self.forces)
        both = np.concatenate([moments, self.forces], axis=-1)
        return np.asarray((signs[:, None] * both).sum(axis=-2))

    def _sum(self, signs: Float) -> Float:
        return np.asarray((signs[:, None] * self.forces).sum(axis=-2))


def contacts_of(motion: Trajectory) -> MotionContacts:
    """See `Trajectory.contacts`."""
    whole = motion if motion.scene is None else motion.scene
    if FORCES not in whole.reported:
        these = "simulate(..., world=kt.World(...)) has, and simulate of robot.with_world(world)"
        raise InputError(f"the motion has no contacts: {these}")
    robot = whole._robot("contacts")
    forces, residual = (whole.reported[name] for name in (FORCES, RESIDUAL))
    return MotionContacts(robot, whole.q, whole.contact_inputs, forces, residual)


def reported_forces(rows: dict[str, Float], dt: float) -> dict[str, Float]:
    """What trajectories keep of what steps report: forces instead of impulses in a step of dt."""
    if "contact_impulses" not in rows:
        return rows
    others = {name: x for name, x in rows.items() if name != "contact_impulses"}
    return {FORCES: rows["contact_impulses"] / dt, **others}


def _slots_of_pairs(contacts: Contacts) -> Sequence[int]:
    return [len(places) for places in slot_places(contacts)]


def _rows_axis(robot: Robot, name: str, x: Float) -> int:
    """The axis of the rows, behind those of the batch."""
    from ...model.contact.inputs import contact_input_shape

    return x.ndim - len(contact_input_shape(robot.model, name))


class ResidualWatch:
    """Looks for steps whose contacts are not solved well, of all steps, also those that have no row."""

    def __init__(self) -> None:
        self.worst, self.t = 0.0, 0.0
        self.lane: tuple[int, ...] = ()
        self._lost: Any = None

    def look(self, times: Float, rows: dict[str, Float] | Any, q: Float, v: Float) -> None:
        """Note the largest residual (..., n) of steps that begin at these times and end in q and v (..., n, ·).

        One that is not finite counts, but where the state is not either: that is told otherwise.
        """
        if RESIDUAL not in rows or not rows[RESIDUAL].size:
            return
        x, known = rows[RESIDUAL], np.isfinite(rows[RESIDUAL])
        if not known.all():
            going = np.isfinite(q).all(axis=-1) & np.isfinite(v).all(axis=-1)
            x = np.where(known, x, np.where(going, np.inf, 0.0))
        beyond = (x > LARGEST_RESIDUAL).any(axis=-1)
        self._lost = beyond if self._lost is None else self._lost | beyond
        at = np.unravel_index(int(np.argmax(x)), x.shape)
        if x[at] > self.worst:
            *lane, k = map(int, at)
            self.worst, self.t, self.lane = float(x[at]), float(times[k]), tuple(lane)

    @property
    def message(self) -> str:
        """What is told at the end; empty if contacts were solved well."""
        if self.worst <= LARGEST_RESIDUAL:
            return ""
        lane = f", lane {self.lane if len(self.lane) > 1 else self.lane[0]}" if self.lane else ""
        count = int(np.sum(self._lost))
        more = f"; {count} lanes have such steps" if count > 1 else ""
        residual = f"residual {self.worst:.2g} m/s" if np.isfinite(self.worst) else "the residual is not finite"
        what = f"contacts are not solved well: {residual} in the step from t = {self.t:g} s{lane}"
        return f"{what}{more}. World(solver='newton') solves stacks and mass ratios better; shorter steps help, too"


LARGEST_RESIDUAL = 1e-3
"""Residual of contacts that causes a warning [m/s]."""
