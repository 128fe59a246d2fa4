"""The robot as data: a frozen tree of rigid bodies.

Bodies are numbered base → tips, parents before children; the world is -1. Links on fixed joints are part of the body
that carries them; they remain as named frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, NoneType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import InputError, ModelError, is_hashable, unknown
from ..lie import inertia, se3
from ..support.lazy import cached_property
from ..support.plain import plain_list
from . import couplings, customise, joint_effects, manifold, parameters
from .body import WORLD, Body, Frame, Geometry, Limits
from .checks import Check, pose
from .closure import Assembly, Closure
from .closures import Description
from .joints import Free
from .massless import Massless, massless_motions
from .record import Record, Structure, field_names, leaves, read_only, unpacked


@dataclass(frozen=True, eq=False)
class Model(Record):
    """A tree of bodies, its named frames, and gravity [m/s²] in the world frame.

    Models are equal if all that they hold is, to the bit; see `record`. A change is `dataclasses.replace`.

    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> model == kt.load("planar2r").model, model == model.with_parameters(gravity=[0, 0, -1.62])
    (True, False)
    """

    name: str
    bodies: tuple[Body, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    geometry: tuple[Geometry, ...] = ()
    closures: tuple[Closure, ...] = ()
    """What holds the tree together besides its joints."""
    motors: tuple[str, ...] | None = None
    """The joints that have motors; None: all but free ones."""
    assembly: Assembly | None = None
    """What was found out about the closures together; see `loops`."""
    resting: Array | None = None
    """(6, 6) inertia of all that is fixed to the world, in its frame: it counts when the robot is joined to another.
    None: nothing."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        for leaf in leaves(self):
            if type(leaf) is np.ndarray:
                read_only(leaf)

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
        bounds = field_names(Limits)
        each = [body.limits for body in self.independent_joints] or [Limits(**dict.fromkeys(bounds, np.zeros(0)))]
        return Limits(**{name: np.concatenate([getattr(limits, name) for limits in each]) for name in bounds})

    @cached_property
    def slices(self) -> dict[int, tuple[slice, slice]]:
        """Body index → where its own variables stand in q and in v."""
        slices, iq, iv = {}, 0, 0
        for body in self.independent_joints:
            slices[body.index] = (slice(iq, iq + body.joint.nq), slice(iv, iv + body.joint.nv))
            iq, iv = iq + body.joint.nq, iv + body.joint.nv
        return slices

    def frame(self, name: str, point: Array | None = None) -> Frame:
        """The frame of that name, with its origin at a point (3,) of it if one is given."""
        if not is_hashable(name) or name not in self.frames:
            raise unknown("frame", name, self.frames, "robot.frame_names")
        return self.frames[name].at(point)

    def with_link_frames(self, frames: Sequence[Array] | str) -> Model:
        """The same robot in other body frames: Q_i (4, 4) for each body, the old frame in the new; or "center_of_mass".

        Screws, inertias and placements change as Ploen and Park (15)–(26) say; nothing that is measured does.
        """
        if isinstance(frames, str):
            if frames != "center_of_mass":
                raise unknown("frames", frames, ("center_of_mass",))
            frames = [se3.pose(np.eye(3), -inertia.center_of_mass(body.J)) for body in self.bodies]
        frames = plain_list("frames", frames, "one pose for each body, or 'center_of_mass'")
        if len(frames) != len(self.bodies):
            raise InputError(f"frames must be one pose per body, {len(self.bodies)} in all; got {len(frames)}")
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
        closures = tuple(closure.with_link_frames(Q) for closure in self.closures)
        return replace(self, bodies=bodies, frames=named, closures=closures)

    def with_closures(self, *closures: Description) -> Model:
        """The same robot with further closures; see `closures` for what there is.

        >>> import kinetrace as kt
        >>> hinge = kt.closures.Loop("tip", "world", kt.joints.Revolute([0, 1, 0]))
        >>> kt.load("planar2r").model.with_closures(hinge).closure_rows
        5
        """
        made, names = list(self.closures), {closure.name for closure in self.closures}
        for x in closures:
            if not isinstance(x, Description):
                raise InputError(f"expected closures such as kinetrace.closures.Loop(...), got {x!r}")
            if x.name in names:
                raise ModelError(f"closure {x.name!r} is declared twice; give them names")
            names.add(x.name)
            made.append(x.of(self))
        return replace(self, closures=tuple(made), assembly=None)

    def with_motors(self, *names: str) -> Model:
        """The same robot with motors in these joints alone.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_motors("joint1").motor_names
        ('joint1',)
        """
        for name in names:
            self.joint_slices(name)
        if len(set(names)) < len(names):
            raise InputError(f"motors: each joint once, got {list(names)}")
        return replace(self, motors=tuple(n for n in self.joint_names if n in names), assembly=None)

    @cached_property
    def motor_names(self) -> tuple[str, ...]:
        """The joints that have motors."""
        if self.motors is not None:
            return self.motors
        return tuple(b.joint_name for b in self.independent_joints if not isinstance(b.joint, Free))

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """Where the velocities of joints with motors stand in v."""
        return tuple(k for name in self.motor_names for k in range(self.nv)[self.joint_slices(name)[1]])

    @cached_property
    def undriven(self) -> tuple[str, ...]:
        """The joints that move in a motion that no motor drives."""
        if self.assembly is not None:
            return self.assembly.undriven
        return tuple(name for name in self.joint_names if name not in self.motor_names)

    @cached_property
    def closure_rows(self) -> int:
        """Number of rows of all closures."""
        return sum(closure.size for closure in self.closures)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Where independent velocities stand in v; all of them, if nobody has chosen."""
        return tuple(range(self.nv)) if self.assembly is None else self.assembly.independent

    @property
    def dof(self) -> int:
        """Degrees of freedom that the closures leave."""
        return len(self.independent)

    def closure_slice(self, name: str) -> slice:
        """Where the rows of a closure stand among those of all."""
        if not is_hashable(name) or name not in self.closure_slices:
            raise unknown("closure", name, self.closure_slices, "robot.closure_names")
        return self.closure_slices[name]

    @cached_property
    def closure_slices(self) -> dict[str, slice]:
        """Name of a closure → where its rows stand among those of all."""
        ends = np.cumsum([0, *(closure.size for closure in self.closures)]).tolist()
        return {closure.name: slice(a, b) for closure, a, b in zip(self.closures, ends[:-1], ends[1:], strict=True)}

    @cached_property
    def closure_columns(self) -> list[frozenset[int]]:
        """For each row of the closures, where the velocities that it may be about stand in v."""
        found: list[frozenset[int]] = []
        for closure in self.closures:
            moving = self.ancestors(closure.a.body) ^ self.ancestors(closure.b.body)
            bodies = [self.bodies[i] for i in (*moving, *(term.body for term in closure.terms))]
            owners = [body.index if body.mimic is None else body.mimic.source for body in bodies]
            found += [frozenset(k for i in owners for k in range(*self.slices[i][1].indices(self.nv)))] * closure.size
        return found

    @cached_property
    def rows_hold_positions(self) -> tuple[bool, ...]:
        """For each row of the closures, whether it holds a position, and not a velocity alone."""
        return tuple(x for closure in self.closures for x in closure.constraint.holonomic)

    @cached_property
    def candidate_rows(self) -> tuple[int, ...]:
        """The rows of closures among which the independent ones are; all of them, if nobody has looked."""
        return tuple(range(self.closure_rows)) if self.assembly is None else self.assembly.candidates

    @cached_property
    def independent_rows(self) -> tuple[int, ...]:
        """The rows of closures that do not follow from others; all of them, if nobody has looked."""
        return tuple(range(self.closure_rows)) if self.assembly is None else self.assembly.rows

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
    def is_concrete(self) -> bool:
        """Whether all its numbers are plain real ones, as `Robot` and `compile` need them."""
        return all(is_concrete(x) for x in leaves(self) if type(x) not in (str, NoneType))

    @cached_property
    def massless(self) -> list[Massless]:
        """The joints that can move without moving any mass, which makes the mass matrix singular."""
        return massless_motions(self)

    @cached_property
    def armature(self) -> Array:
        """What the joints' rotors add to the mass matrix (nv, nv): a diagonal."""
        return joint_effects.armature(self)

    @cached_property
    def without_passive_forces(self) -> Model:
        """The same robot whose joints have their rotors alone: no damping, friction, springs and stops."""
        return joint_effects.with_rotors_alone(self)

    @cached_property
    def customised(self) -> Model:
        """The same robot, of bodies that answer in the form that takes fewest operations; see `customise`."""
        return customise.customised(self)

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
                return self.slices[body.index]
        raise unknown("joint", name, self.joint_names, "robot.joint_names")

    split_q, split_v = couplings.split_q, couplings.split_v
    gather, gather_blocks = couplings.gather, couplings.gather_blocks

    with_joint_effects, without_joint_effects = joint_effects.with_joint_effects, joint_effects.without_joint_effects
    passive_forces, passive_derivatives = joint_effects.passive_forces, joint_effects.passive_derivatives
    stored_energy, dissipated_power = joint_effects.stored_energy, joint_effects.dissipated_power

    neutral, random, normalise = manifold.neutral, manifold.random, manifold.normalise
    integrate, difference = manifold.integrate, manifold.difference
    tangent, bracket = manifold.tangent, manifold.bracket
    coadjoint, dexp_dual, dexp_inv_dual = manifold.coadjoint, manifold.dexp_dual, manifold.dexp_inv_dual

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv})"

    def __reduce__(self) -> Any:
        make, content = super().__reduce__()
        return (_arrived if make is unpacked else make), content


_in_use: WeakValueDictionary[Any, Model] = WeakValueDictionary()


def _arrived(structure: Structure, rest: tuple[Any, ...], numbers: Array) -> Model:
    """A model that was pickled; the same one for the same content, while there is one, as it never changes."""
    content = structure, rest, numbers.tobytes()
    found = _in_use.get(content)
    return _in_use.setdefault(content, unpacked(structure, rest, numbers)) if found is None else found
