"""The robot as data: a frozen tree of rigid bodies.

Bodies are numbered base → tips, parents before children; the world is -1. Links on fixed joints are part of the body
that carries them; they remain as named frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

from ..arrays import Array, is_concrete
from ..errors import InputError, ModelError, is_hashable, unknown_name_error, value_text
from ..errors.unknown_names import hint
from ..lie import inertia, se3
from ..support.attributes import cached_property
from ..support.conversion import as_list, as_names
from ..support.threads import import_in_call
from . import couplings, manifold, parameters
from .actuation import methods as actuation
from .actuation.records import Actuator, Keyframe
from .body import WORLD, Body, Frame, Geometry, Limits
from .build import specialisation
from .build.massless import Massless, massless_motions
from .checks import Check, pose
from .closures import Assembly, Closure, Description
from .contact import ContactRules, Contacts
from .contact.edits import moved_contacts
from .contact.names import COLLISION
from .effects import joint_effects
from .effects.link_effects import Fluid, effects_in_frame
from .record import Record, Structure, field_names, leaves, read_only, unpack


@dataclass(frozen=True, eq=False)
class Model(Record):
    """Robot as data: a frozen tree of bodies, its named frames, and gravity.

    Bodies are numbered from the base to the tips, parents before children; the world is -1. Models are equal if all
    that they hold is, to the bit. They do not change; `dataclasses.replace` makes others. `Builder.build` and
    `kinetrace.load` make models, `Robot` compiles functions for them; functions of `kinetrace.algorithms` take them.

    Parameters
    ----------
    name : str
        Name of the robot.
    bodies : tuple of Body
        Bodies with the joints that carry them.
    frames : mapping of str to Frame
        Links and further frames by name, the root link first.
    gravity : ndarray, shape (3,)
        Gravity in the world frame [m/s²].
    geometry : tuple of Geometry, default ()
        Shapes for viewers, and those that count in contacts.
    closures : tuple of Closure, default ()
        Constraints that close loops, and couplings of joints.
    motors : tuple of str, optional
        Names of the joints that have motors; all but free ones unless given.
    assembly : Assembly, optional
        Closed configuration, independent rows and velocities of the closures, once they are found.
    resting : Array, shape (6, 6), optional
        Spatial inertia of everything that is fixed to the world, in the world frame; used when the robot is joined to
        another. Zero unless given.
    start : ndarray, shape (nq,), optional
        Configuration that the source of the model begins with, such as a keyframe, with unit quaternions; `Robot.home`
        is there, as far as limits and closures allow it.
    fluid : Fluid, optional
        Fluid around the robot, which acts on the boxes of `Body.link_effects`; none unless given.
    wanted_independent : tuple of int, optional
        Indices in v of the velocities that are to be independent, until the closures are analysed; any unless given.
    contacts : Contacts, optional
        Shapes and pairs that may touch in steps in time, of robots in a world; none unless given.
    contact_rules : ContactRules, optional
        Pairs of shapes with laws of their own, and links whose shapes do not touch, as the source of the model says.
    actuators : tuple of Actuator, default ()
        Laws that turn controls into joint forces; `with_actuators` checks them.
    keyframes : tuple of Keyframe, default ()
        States with controls that the source of the model names; `with_keyframe` adds one.

    Examples
    --------
    >>> import kinetrace as kt
    >>> model = kt.load("planar2r").model
    >>> model
    Model('planar2r', 2 bodies, nq=2, nv=2)
    >>> model == kt.load("planar2r").model, model == model.with_parameters(gravity=[0, 0, -1.62])
    (True, False)
    """

    name: str
    bodies: tuple[Body, ...]
    frames: Mapping[str, Frame]
    gravity: Array
    geometry: tuple[Geometry, ...] = ()
    closures: tuple[Closure, ...] = ()
    """Constraints besides the joints of the tree."""
    motors: tuple[str, ...] | None = None
    """The joints that have motors; None: all but free ones."""
    assembly: Assembly | None = None
    """Structure of all closures together; see `algorithms.closed.mobility`."""
    resting: Array | None = None
    """(6, 6) inertia of all that is fixed to the world, in its frame: it counts when the robot is joined to another.
    None: nothing."""
    start: Array | None = None
    """(nq,) configuration that the source begins with; None: it has none. No program depends on it."""
    fluid: Fluid | None = None
    """The fluid around the robot; None: none that acts on it."""
    wanted_independent: tuple[int, ...] | None = None
    """Velocities, by their places in v, that are to be independent: `algorithms.closed.mobility.with_assembly`
    makes an `assembly` in which they are. None: any."""
    contacts: Contacts | None = None
    """What may touch in steps in time; None: nothing."""
    contact_rules: ContactRules | None = None
    """What the source of the model says of contacts besides the surfaces of its shapes. No program depends on it."""
    actuators: tuple[Actuator, ...] = ()
    """Laws that turn controls into joint forces."""
    keyframes: tuple[Keyframe, ...] = ()
    """States with controls that the source names. No program depends on them."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        for leaf in leaves(self):
            if type(leaf) is np.ndarray:
                read_only(leaf)

    @cached_property
    def _hash(self) -> int:
        """Of all but shapes for viewers, whose meshes may be large; equality compares these too."""
        plain = replace(self, geometry=()) if self.geometry else self
        if plain._content is None:
            return object.__hash__(self)
        shapes = (hash(replace(shape, color=None)) for shape in self.collision_shapes)
        return hash((plain._content, *shapes))

    @cached_property
    def collision_shapes(self) -> tuple[Geometry, ...]:
        """Shapes that count in contacts.

        Examples
        --------
        >>> import kinetrace as kt
        >>> [shape.kind for shape in kt.load("quadruped").model.collision_shapes if "foot" in shape.name]
        ['sphere', 'sphere', 'sphere', 'sphere']
        """
        return tuple(shape for shape in self.geometry if shape.role == COLLISION)

    @property
    def root(self) -> Frame | None:
        """Frame of the root link, on the world or on the body that floats; None if the model has no frames.

        It is the first of `frames`: a builder begins with it, and edits add frames after all others.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").with_frame("marker", "world").model.root.name
        'base_link'
        """
        return next(iter(self.frames.values()), None)

    @cached_property
    def independent_joints(self) -> tuple[Body, ...]:
        """Bodies whose joints have variables of their own, that is, all but mimic joints.

        Examples
        --------
        >>> import kinetrace as kt
        >>> [body.joint_name for body in kt.load("planar2r").model.independent_joints]
        ['joint1', 'joint2']
        """
        return tuple(body for body in self.bodies if body.mimic is None)

    @cached_property
    def nq(self) -> int:
        """Number of configuration variables.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.nq
        2
        """
        return sum(body.joint.nq for body in self.independent_joints)

    @cached_property
    def nv(self) -> int:
        """Number of velocities.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.nv
        2
        """
        return sum(body.joint.nv for body in self.independent_joints)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints with variables, in the order of q and v.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.joint_names
        ('joint1', 'joint2')
        """
        return tuple(body.joint_name for body in self.independent_joints)

    @cached_property
    def coupled_joints(self) -> tuple[str, ...]:
        """Names of the joints that mimic others.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.coupled_joints
        ()
        """
        return tuple(body.joint_name for body in self.bodies if body.mimic is not None)

    @cached_property
    def limits(self) -> Limits:
        """Bounds of all joints: position (nq,), velocity and effort (nv,).

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.limits.velocity
        array([10., 10.])
        """
        bounds = field_names(Limits)
        each = [body.limits for body in self.independent_joints] or [Limits(**dict.fromkeys(bounds, np.zeros(0)))]
        return Limits(**{name: np.concatenate([getattr(limits, name) for limits in each]) for name in bounds})

    @cached_property
    def bounds(self) -> couplings.VariableBounds:
        """Bounds `lower`, `upper` (nq,) and `velocity` (nv,) within which mimic joints are within their limits, too.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("gripper")
        >>> b.joint("a", kt.joints.Prismatic([1, 0, 0]), parent="hand", child="left")
        >>> b.joint("b", kt.joints.Prismatic([1, 0, 0]), parent="hand", child="right", mimic=("a", -2.0, 0.0),
        ...         limits=kt.Limits(-0.1, 0.2, 1.0, 1.0))
        >>> model = b.build(check="ignore")
        >>> model.bounds.lower, model.bounds.upper, model.bounds.velocity
        (array([-0.1]), array([0.05]), array([0.5]))
        """
        return couplings.bounds(self)

    @cached_property
    def shared_limits(self) -> dict[int, couplings.SharedLimits]:
        """Limits of joints that follow several variables of another at once, by the index of the body of that one.

        They are inequalities lower ≤ A q_s ≤ upper, besides the bounds.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("wrist")
        >>> b.joint("motors", kt.joints.Cylindrical(), parent="arm", child="rotor")
        >>> b.joint("bend", kt.joints.Revolute("x"), parent="arm", child="hand", mimic=("motors", [[1.0, 2.0]], 0.0),
        ...         limits=kt.Limits(-0.5, 0.5))
        >>> b.build(check="ignore").shared_limits[0].A
        array([[1., 2.]])
        """
        return couplings.shared_limits(self)

    @cached_property
    def slices(self) -> dict[int, tuple[slice, slice]]:
        """Slices of each body's own variables in q and in v, by body index.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.slices[1]
        (slice(1, 2, None), slice(1, 2, None))
        """
        slices, iq, iv = {}, 0, 0
        for body in self.independent_joints:
            slices[body.index] = (slice(iq, iq + body.joint.nq), slice(iv, iv + body.joint.nv))
            iq, iv = iq + body.joint.nq, iv + body.joint.nv
        return slices

    def frame(self, name: str, point: Array | None = None) -> Frame:
        """Frame by name.

        Parameters
        ----------
        name : str
            Name of a link or a further frame.
        point : Array, shape (3,), optional
            Point of the frame that takes the place of its origin [m]; the origin unless given.

        Returns
        -------
        Frame
            The frame: its body, and its pose `X_bf` (4, 4) in that body.

        Raises
        ------
        InputError
            If there is no such frame.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.frame("tip").X_bf[:3, 3]
        array([1., 0., 0.])
        """
        if not is_hashable(name) or name not in self.frames:
            moved = [body.name for body in self.bodies if isinstance(name, str) and body.joint_name == name]
            told = unknown_name_error("frame", name, self.frames, "robot.frame_names")
            raise InputError(f"{told}. Joint {name!r} moves the frame {moved[0]!r}") if moved else told
        return self.frames[name].at(point)

    def with_link_frames(self, frames: Sequence[Array] | str) -> Model:
        """Model with other body frames: Ploen and Park's change of coordinates (15)–(26).

        Screws, inertias and placements change; physical results do not.

        Parameters
        ----------
        frames : sequence of array_like, shape (4, 4), or "center_of_mass"
            One pose per body, the old frame in the new one; or frames at the centres of mass.

        Returns
        -------
        Model
            The same robot in these frames.

        Raises
        ------
        InputError
            If there is not one pose per body.

        Examples
        --------
        >>> import kinetrace as kt
        >>> model = kt.load("planar2r").model.with_link_frames("center_of_mass")
        >>> model.frame("tip").X_bf[:3, 3]
        array([0.5, 0. , 0. ])
        """
        if isinstance(frames, str):
            if frames != "center_of_mass":
                raise unknown_name_error("frames", frames, ("center_of_mass",))
            frames = [se3.pose(np.eye(3), -inertia.center_of_mass(body.J)) for body in self.bodies]
        frames = as_list("frames", frames, "one pose for each body, or 'center_of_mass'")
        if len(frames) != len(self.bodies):
            raise InputError(f"frames must be one pose per body, {len(self.bodies)} in all; got {len(frames)}")
        Q = {i: pose(X, f"frame of body {self.bodies[i].name!r}") for i, X in enumerate(frames)} | {WORLD: np.eye(4)}
        bodies = tuple(
            replace(
                b,
                X_pj=Q[b.parent] @ b.X_pj,
                X_ji=b.X_ji @ se3.inverse(Q[b.index]),
                J=inertia.change_frame(Q[b.index], b.J),
                link_effects=effects_in_frame(b.link_effects, Q[b.index]),
            )
            for b in self.bodies
        )
        named = {name: replace(f, X_bf=Q[f.body] @ f.X_bf) for name, f in self.frames.items()}
        closures = tuple(closure.with_link_frames(Q) for closure in self.closures)
        contacts = moved_contacts(self.contacts, {i: (i, X) for i, X in Q.items()})
        return replace(self, bodies=bodies, frames=named, closures=closures, contacts=contacts)

    def with_closures(self, *closures: Description) -> Model:
        """Model with further closures.

        Parameters
        ----------
        *closures : Loop or Coupling
            Descriptions from `kinetrace.closures`.

        Returns
        -------
        Model
            The model, with no `assembly`: `Robot` finds one.

        Raises
        ------
        ModelError
            If a name is unknown or used twice.
        InputError
            If something is not a closure.

        Examples
        --------
        >>> import kinetrace as kt
        >>> hinge = kt.closures.Loop("tip", "world", kt.joints.Revolute([0, 1, 0]))
        >>> kt.load("planar2r").model.with_closures(hinge).closure_rows
        5
        """
        made, names = list(self.closures), {closure.name for closure in self.closures}
        for x in closures:
            if not isinstance(x, Description):
                raise InputError(f"expected closures such as kinetrace.closures.Loop(...), got {value_text(x)}")
            if x.name in names:
                raise ModelError(f"closure {x.name!r} is declared twice; give them names")
            names.add(x.name)
            made.append(x.of(self))
        return replace(self, closures=tuple(made), assembly=None)

    def with_motors(self, *joints: str | Sequence[str]) -> Model:
        """Model with motors in these joints alone.

        Parameters
        ----------
        *joints : str or sequence of str
            Names of joints, one by one or as one sequence.

        Returns
        -------
        Model
            The model with these motors.

        Raises
        ------
        InputError
            If a joint is unknown or named twice.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_motors("joint1").motor_names
        ('joint1',)
        """
        names = as_names(joints) or ()
        for name in names:
            self.joint_slices(name)
        if len(set(names)) < len(names):
            raise InputError(f"motors: each joint once, got {list(names)}")
        return replace(self, motors=tuple(n for n in self.joint_names if n in names), assembly=None)

    @cached_property
    def motor_names(self) -> tuple[str, ...]:
        """Names of the joints that have motors.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.motor_names
        ('joint1', 'joint2')
        """
        if self.motors is not None:
            return self.motors
        return tuple(b.joint_name for b in self.independent_joints if b.joint.has_motor)

    @cached_property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of controls.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_actuators(kt.Actuator.motor("joint2")).actuator_names
        ('joint2',)
        """
        return tuple(actuator.name for actuator in self.actuators)

    @cached_property
    def driven(self) -> tuple[int, ...]:
        """Indices in v of the velocities of joints with motors.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_motors("joint2").driven
        (1,)
        """
        return tuple(k for name in self.motor_names for k in range(self.nv)[self.joint_slices(name)[1]])

    @cached_property
    def undriven_entries(self) -> tuple[int, ...]:
        """Indices in v of the velocities of joints without motors.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_motors("joint2").undriven_entries
        (0,)
        """
        return tuple(k for k in range(self.nv) if k not in self.driven)

    @cached_property
    def undriven(self) -> tuple[str, ...]:
        """Names of the joints that move in motions that no motor drives.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_motors("joint2").undriven
        ('joint1',)
        """
        if self.assembly is not None:
            return self.assembly.undriven
        return tuple(name for name in self.joint_names if name not in self.motor_names)

    @cached_property
    def closure_rows(self) -> int:
        """Number of rows of all closures.

        Examples
        --------
        >>> import kinetrace as kt
        >>> hinge = kt.closures.Loop("tip", "world", kt.joints.Revolute([0, 1, 0]))
        >>> kt.load("planar2r").model.with_closures(hinge).closure_rows
        5
        """
        return sum(closure.size for closure in self.closures)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Indices in v of the independent velocities; all of them without an assembly.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.independent
        (0, 1)
        """
        return tuple(range(self.nv)) if self.assembly is None else self.assembly.independent

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Indices in v of the directions in which q is free to change; all of them without an assembly.

        They are as many as the independent velocities, unless closures constrain velocities alone.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.places
        (0, 1)
        """
        return tuple(range(self.nv)) if self.assembly is None else self.assembly.places

    @property
    def needs_assembly(self) -> bool:
        """Whether the closures are not analysed yet: `algorithms.closed.mobility.analysed` makes a model that is."""
        return bool(self.closures) and self.assembly is None

    @property
    def dof(self) -> int:
        """Degrees of freedom that the closures leave."""
        return len(self.independent)

    def closure_slice(self, name: str) -> slice:
        """Slice of a closure's rows among those of all closures.

        Parameters
        ----------
        name : str
            Name of a closure.

        Returns
        -------
        slice
            The rows.

        Raises
        ------
        InputError
            If there is no such closure.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gear = kt.closures.gear("joint1", "joint2", 2.0)
        >>> kt.load("planar2r").model.with_closures(gear).closure_slice(gear.name)
        slice(0, 1, None)
        """
        if not is_hashable(name) or name not in self.closure_slices:
            raise unknown_name_error("closure", name, self.closure_slices, "robot.closure_names")
        return self.closure_slices[name]

    @cached_property
    def closure_slices(self) -> dict[str, slice]:
        """Slices of the closures' rows among those of all, by name.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gear = kt.closures.gear("joint1", "joint2", 2.0)
        >>> kt.load("planar2r").model.with_closures(gear).closure_slices
        {'joint2-joint1': slice(0, 1, None)}
        """
        ends = np.cumsum([0, *(closure.size for closure in self.closures)]).tolist()
        return {closure.name: slice(a, b) for closure, a, b in zip(self.closures, ends[:-1], ends[1:], strict=True)}

    @cached_property
    def closure_columns(self) -> list[frozenset[int]]:
        """For each row of the closures, indices in v of the velocities that it may involve.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gear = kt.closures.gear("joint1", "joint2", 2.0)
        >>> [sorted(row) for row in kt.load("planar2r").model.with_closures(gear).closure_columns]
        [[0, 1]]
        """
        found: list[frozenset[int]] = []
        for closure in self.closures:
            moving = self.ancestors(closure.a.body) ^ self.ancestors(closure.b.body)
            bodies = [self.bodies[i] for i in (*moving, *(term.body for term in closure.terms))]
            owners = [body.index if body.mimic is None else body.mimic.source for body in bodies]
            found += [frozenset(k for i in owners for k in range(*self.slices[i][1].indices(self.nv)))] * closure.size
        return found

    @cached_property
    def rows_hold_positions(self) -> tuple[bool, ...]:
        """For each row of the closures, whether it constrains positions, and not velocities alone.

        Examples
        --------
        >>> import kinetrace as kt
        >>> wheel = kt.closures.Loop("world", "tip", kt.closures.Rolling(0.3))
        >>> kt.load("planar2r").model.with_closures(wheel).rows_hold_positions
        (False, False, True)
        """
        return tuple(x for closure in self.closures for x in closure.constraint.holonomic)

    @cached_property
    def candidate_rows(self) -> tuple[int, ...]:
        """Rows of closures among which the independent ones are; all of them without an assembly.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gear = kt.closures.gear("joint1", "joint2", 2.0)
        >>> kt.load("planar2r").model.with_closures(gear).candidate_rows
        (0,)
        """
        return tuple(range(self.closure_rows)) if self.assembly is None else self.assembly.candidates

    @cached_property
    def independent_rows(self) -> tuple[int, ...]:
        """Rows of closures that do not follow from others; all of them without an assembly.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gear = kt.closures.gear("joint1", "joint2", 2.0)
        >>> kt.load("planar2r").model.with_closures(gear).independent_rows
        (0,)
        """
        return tuple(range(self.closure_rows)) if self.assembly is None else self.assembly.rows

    @cached_property
    def rows_by_closures(self) -> tuple[frozenset[int], ...]:
        """Rows of each closure; those of closures whose rows follow from each other's are together.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gears = [kt.closures.gear("joint1", "joint2", 2.0, name=name) for name in "ab"]
        >>> kt.load("planar2r").model.with_closures(*gears).rows_by_closures
        (frozenset({0}), frozenset({1}))
        >>> kt.load("planar2r").with_closures(*gears).model.rows_by_closures
        (frozenset({0, 1}),)
        """
        each = tuple(frozenset(range(x.start, x.stop)) for x in self.closure_slices.values())
        if self.assembly is None or len(self.assembly.rows) == len(self.assembly.candidates):
            return each
        groups = self.assembly.groups or (0,) * len(each)
        return tuple(
            frozenset[int]().union(*(x for x, of in zip(each, groups, strict=True) if of == group))
            for group in sorted(set(groups))
        )

    def with_parameters(self, *, check: Check = "warn", **values: Array) -> Model:
        """Model with other parameters, by the names, shapes and frames of `Robot.parameters`.

        Values may be of any scalar type; concrete ones are checked.

        Parameters
        ----------
        check : {"warn", "error", "ignore"}, default "warn"
            Reaction to inertias that no body can have and joints that move no mass.
        **values
            Arrays by the name of their kind.

        Returns
        -------
        Model
            The model with these numbers.

        Raises
        ------
        InputError
            If a name is unknown or a shape does not fit.
        ModelError
            If inertias are impossible and check="error".

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_parameters(gravity=[0, 0, -1.62]).gravity
        array([ 0.  ,  0.  , -1.62])
        """
        return parameters.replaced(self, check, **values)

    @cached_property
    def is_concrete(self) -> bool:
        """Whether all numbers are plain real ones, as `Robot` and `compile` need them.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.is_concrete
        True
        """
        return all(is_concrete(x) for x in leaves(self) if type(x) not in (str, NoneType))

    @cached_property
    def massless(self) -> list[Massless]:
        """Joints that can move without moving any mass, which makes the mass matrix singular.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.massless
        []
        """
        return massless_motions(self)

    @cached_property
    def armature(self) -> Array:
        """Diagonal matrix (nv, nv) that the rotors of the joints add to the mass matrix.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.with_joint_effects(armature=0.1).armature
        array([[0.1, 0. ],
               [0. , 0.1]])
        """
        return joint_effects.armature(self)

    @cached_property
    def without_passive_forces(self) -> Model:
        """Model whose joints have their rotors alone, without all of `passive_forces`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> model = kt.load("planar2r").model.with_joint_effects(damping=0.1)
        >>> model.without_passive_forces.bodies[0].effects.damping
        array([0.])
        """
        return joint_effects.with_rotors_alone(self)

    @cached_property
    def customised(self) -> Model:
        """Model with bodies whose methods take the fewest operations for their numbers.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.customised
        Model('planar2r', 2 bodies, nq=2, nv=2)
        """
        return specialisation.customised(self)

    def ancestors(self, body: int) -> frozenset[int]:
        """Indices of a body and of all bodies between it and the world.

        Parameters
        ----------
        body : int
            Index of a body; -1 is the world.

        Returns
        -------
        frozenset of int
            The indices.

        Examples
        --------
        >>> import kinetrace as kt
        >>> sorted(kt.load("planar2r").model.ancestors(1))
        [0, 1]
        """
        found = set()
        while body != WORLD:
            found.add(body)
            body = self.bodies[body].parent
        return frozenset(found)

    def joint_slices(self, name: str) -> tuple[slice, slice]:
        """Slices of a joint's variables in q and in v.

        Parameters
        ----------
        name : str
            Name of a joint.

        Returns
        -------
        tuple of slice
            The slices in q and in v.

        Raises
        ------
        InputError
            If there is no such joint, or it mimics another.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").model.joint_slices("joint2")
        (slice(1, 2, None), slice(1, 2, None))
        """
        for body in self.bodies if isinstance(name, str) else ():
            if body.joint_name == name and body.mimic:
                source = self.bodies[body.mimic.source].joint_name
                raise InputError(f"joint {name!r} mimics {source!r} and has no variables of its own")
            if body.joint_name == name:
                return self.slices[body.index]
        raise unknown_name_error("joint", name, self.joint_names, "robot.joint_names")

    split_q, split_v = couplings.split_q, couplings.split_v
    gather, gather_blocks = couplings.gather, couplings.gather_blocks

    with_joint_effects, without_joint_effects = joint_effects.with_joint_effects, joint_effects.without_joint_effects
    passive_forces, passive_derivatives = joint_effects.passive_forces, joint_effects.passive_derivatives
    stored_energy, dissipated_power = joint_effects.stored_energy, joint_effects.dissipated_power

    with_actuators, with_keyframe = actuation.with_actuators, actuation.with_keyframe

    neutral, random, normalise = manifold.neutral, manifold.random, manifold.normalise
    integrate, difference = manifold.integrate, manifold.difference
    advance, axis_rate = manifold.advance, manifold.axis_rate
    tangent, bracket = manifold.tangent, manifold.bracket
    coadjoint, dexp, dexp_inv = manifold.coadjoint, manifold.dexp, manifold.dexp_inv
    dexp_dual, dexp_inv_dual = manifold.dexp_dual, manifold.dexp_inv_dual

    if not TYPE_CHECKING:  # for which there is nothing but what is declared

        def __getattr__(self, name: str) -> Any:
            """An error that names the function that was perhaps meant; only called for what is not there."""
            if name.startswith("_"):
                raise AttributeError(name)
            otherwise = f"algorithms are functions of it, as kt.algorithms.{name}(model, ...) would be"
            meant = hint("model", name, dir(self), otherwise, most=1, cutoff=0.8)
            # Without the object, Python adds no guess of its own.
            raise AttributeError(f"a model has no {name!r}; {meant}", name=name, obj=None)

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv})"

    def _repr_html_(self) -> str:
        of_model: Callable[[Model], str] = import_in_call(
            "kinetrace.view.html"
        ).of_model  # above this: for notebooks alone
        return of_model(self)

    def __reduce__(self) -> Any:
        make, content = super().__reduce__()
        return (_model_of_pickle if make is unpack else make), content


_in_use: WeakValueDictionary[Any, Model] = WeakValueDictionary()


def _model_of_pickle(structure: Structure, rest: tuple[Any, ...], numbers: Array) -> Model:
    """A model from a pickle; an existing one with the same content is reused, since models do not change."""
    content = structure, rest, numbers.tobytes()
    found = _in_use.get(content)
    return _in_use.setdefault(content, unpack(structure, rest, numbers)) if found is None else found
