"""Building a model: declare links, joints and frames in any order, then `build`.

`build` checks the tree, attaches its root to the world, folds links on fixed joints into the body that
carries them, numbers the bodies, rounds near-trivial constants and looks at the inertias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import HarmlessWarning, InputError, ModelError, ModelWarning, value_text
from ...errors.unknown_names import hint
from ...support.conversion import as_text
from ...support.keywords import known_keywords
from ..actuation.described import ActuatedBuilder
from ..body import WORLD, Geometry, Limits
from ..checks import (
    Check,
    as_placement,
    bound_of,
    check_inertias,
    check_of,
    complain,
    numbers,
    one_of,
    pose,
    sane,
    text,
)
from ..closures import Coupling, Description, Loop
from ..configurations import many_turns_hint, start_of
from ..constraints import Constraint
from ..contact.checks import check_shape
from ..contact.contacts import ContactRules
from ..contact.names import COLLISION
from ..couplings import check_followers
from ..effects.idle_laws import check_laws
from ..effects.joint_effects import JointEffects
from ..effects.link_effects import Fluid, LinkEffects
from ..joints import Fixed, Free, Joint
from ..joints.checks import check_joint, check_sizes
from ..model import Model
from ..named_states import home_from, velocities
from ..record import as_it_is
from .connections import (
    ROOT_JOINT,
    Connection,
    checked_effects,
    checked_limits,
    checked_mimic,
    free_q,
    link_inertia,
    root_of,
    with_free_base,
)
from .massless import check_massless
from .specialisation import rounded
from .tree import Tree

Base = Literal["fixed", "free"]
GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of the earth [m/s²], with z upwards."""


class Builder(ActuatedBuilder):
    """Description of a robot in progress: links, joints and frames in any order, then `build`.

    Parameters
    ----------
    name : str
        Name of the robot.
    source : str, default ""
        Source of the description, such as a file, which errors and warnings of `build` name first.
    gravity : sequence of float, optional
        Gravity in the world's axes [m/s²] that the description has; (0, 0, -9.81) unless given.
    in_world : bool, default False
        Whether the root link is the world itself, in which the robot stands, as in MJCF. Then `base="free"` frees the
        one link that is fixed to it.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> b = kt.Builder("pendulum")
    >>> b.link("bob", mass=1.0, com=[0, 0, -0.5])
    >>> b.joint("hinge", kt.joints.Revolute("y"), parent="base", child="bob")
    >>> kt.Robot(b.build()).inverse_dynamics([np.pi / 2], [0.0], [0.0]).round(3)
    array([4.905])
    """

    def __init__(
        self, name: str, source: str = "", *, gravity: Sequence[float] = GRAVITY, in_world: bool = False
    ) -> None:
        """See the class."""
        if not isinstance(name, str):
            raise InputError(f"the robot's name must be text, got {value_text(name)}")
        self.name, self.source, self._gravity, self._in_world = as_text(name), source, gravity, in_world
        self._links: dict[str, Array] = {}
        self._joints: dict[str, Connection] = {}
        self._frames: dict[str, tuple[str, Array]] = {}
        self._geometry: list[Geometry] = []
        self._contact_rules: ContactRules | None = None
        self._link_effects: dict[str, LinkEffects] = {}
        self._fluid: Fluid | None = None
        self._closures: list[Description] = []
        self._start: dict[str, Array] = {}
        self._remarks: list[tuple[str, bool]] = []

    if not TYPE_CHECKING:  # type checkers see declared attributes alone

        def __getattr__(self, name: str) -> Any:
            """An error that says what a builder is for; only called for what is not there."""
            if name.startswith("_"):
                raise AttributeError(name)
            known = [x for x in dir(type(self)) if not x.startswith("_")]
            meant = hint("builder", name, known, f"it has {', '.join(known)}", prefix="builder.", most=1)
            message = f"a builder has no {name!r}; {meant}; kt.Robot(builder.build()) makes a robot of it"
            raise AttributeError(message, name=name, obj=None)

    def copy(self) -> Builder:
        """Builder with the same content.

        Returns
        -------
        Builder
            The copy: what is added to it is not added here.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("post")
        >>> b.copy().link("base")
        >>> b.link("base")
        """
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list):
                setattr(made, name, copy(value))
        return made

    def remark(self, message: str, *, harmless: bool = False) -> None:
        """Add a warning about the description, which `build` emits.

        Parameters
        ----------
        message : str
            Message.
        harmless : bool, default False
            Whether it cannot change the motion, and is never an error.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("post", source="post.urdf")
        >>> b.link("base")
        >>> b.remark("line 3: an unknown element is ignored")
        >>> b.build(check="error")
        Traceback (most recent call last):
        kinetrace.errors.ModelError: post.urdf: line 3: an unknown element is ignored
        """
        self._remarks.append((message, harmless))

    @known_keywords
    def link(
        self, name: str, inertia: Array | None = None, *, mass: float | None = None, com: Array | None = None
    ) -> None:
        """Declare a link, by its mass, centre of mass and moments of inertia, or by its spatial inertia.

        Parameters
        ----------
        name : str
            Name of the link; it is a frame of the robot.
        inertia : array_like, shape (3, 3), (3,) or (6, 6), optional
            With `mass`: rotational inertia about the centre of mass, in the axes of the link [kg m²], symmetric to 1e-9
            of its largest entry, or its diagonal; a point mass unless given. Without: spatial inertia about and in the
            link frame, angular rows first; massless unless given.
        mass : float, optional
            Mass [kg].
        com : array_like, shape (3,), optional
            Centre of mass in the link frame [m]; the origin of the link unless given.

        Raises
        ------
        ModelError
            If the name is used twice, numbers do not fit, or what is given does not go together.
        InputError
            If `inertia` is not symmetric.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("ball")
        >>> b.link("ball", mass=2.0, inertia=[0.1, 0.1, 0.1])
        >>> kt.Robot(b.build("free")).mass_matrix([0, 0, 0, 1, 0, 0, 0]).diagonal()
        array([0.1, 0.1, 0.1, 2. , 2. , 2. ])
        """
        name = text(name, "a link's name")
        if name in self._links:
            raise ModelError(f"link {name!r} is declared twice")
        self._links[name] = link_inertia(f"link {name!r}", inertia, mass, com)

    @known_keywords
    def joint(
        self,
        name: str,
        joint: Joint,
        *,
        parent: str,
        child: str,
        placement: Array | None = None,
        child_placement: Array | None = None,
        limits: Limits | None = None,
        mimic: tuple[str, Array | float, Array | float] | None = None,
        effects: JointEffects | None = None,
    ) -> None:
        """Connect two links by a joint; a link that is not declared otherwise is massless.

        Parameters
        ----------
        name : str
            Name of the joint.
        joint : Joint
            One of `kinetrace.joints`.
        parent : str
            Name of the parent link.
        child : str
            Name of the child link.
        placement : array_like, shape (4, 4) or (3,), optional
            Pose of the joint's frame in the parent link, or its position [m]; the identity unless given.
        child_placement : array_like, shape (4, 4) or (3,), optional
            Pose of the child link in the moved joint frame, or its position [m]; the identity unless given.
        limits : Limits, optional
            Bounds of the joint; none unless given.
        mimic : tuple, optional
            Triple (joint, ratio, offset), for q = ratio · q_joint + offset: numbers, or a matrix (n, k) and an array
            (n,) of a joint with n variables and one with k. Both need v = q̇: no quaternions.
        effects : JointEffects, optional
            Rotor, damping, friction, spring and stops; none unless given.

        Raises
        ------
        ModelError
            If the name is used twice or numbers do not fit.
        InputError
            If an argument has the wrong type.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("slider")
        >>> b.link("block", mass=2.0, inertia=[0.1, 0.1, 0.1])
        >>> b.joint("rail", kt.joints.Prismatic("x"), parent="base", child="block", placement=[0, 0, 0.3])
        >>> kt.Robot(b.build()).mass_matrix([0.0])
        array([[2.]])
        """
        name = text(name, "a joint's name")
        if name in self._joints:
            raise ModelError(f"joint {name!r} is declared twice")
        if not isinstance(joint, Joint):
            kind = f"the class; write {joint.__name__}(...)" if isinstance(joint, type) else value_text(joint)
            raise InputError(f"joint {name!r}: expected a joint such as kt.joints.Revolute('z'), got {kind}")
        joint = as_it_is(joint)
        parent, child = text(parent, f"joint {name!r}: parent"), text(child, f"joint {name!r}: child")
        X_pj = as_placement(placement, f"joint {name!r}: placement")
        X_ji = as_placement(child_placement, f"joint {name!r}: child_placement")
        mimic = None if mimic is None else checked_mimic(mimic, f"joint {name!r}")
        check_sizes(joint, f"joint {name!r}")
        limits = Limits.none(joint) if limits is None else checked_limits(limits, joint, f"joint {name!r}")
        check_joint(joint, f"joint {name!r}", limits.lower, limits.upper)
        effects = None if effects is None else checked_effects(effects, joint, f"joint {name!r}")
        self._joints[name] = Connection(name, joint, parent, child, X_pj, X_ji, limits, mimic, effects)

    @known_keywords
    def frame(self, name: str, link: str, placement: Array | None = None) -> None:
        """Declare a frame that is fixed to a link.

        Parameters
        ----------
        name : str
            Name of the frame.
        link : str
            Name of the link.
        placement : array_like, shape (4, 4) or (3,), optional
            Pose of the frame in the link, or its position [m]; the identity unless given.

        Raises
        ------
        ModelError
            If the name is used twice or the pose is not a rigid motion.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("post")
        >>> b.link("base")
        >>> b.frame("top", "base", [0, 0, 0.3])
        >>> b.build().frame("top").X_bf[:3, 3]
        array([0. , 0. , 0.3])
        """
        name = text(name, "a frame's name")
        if name in self._frames:
            raise ModelError(f"frame {name!r} is declared twice")
        self._frames[name] = (
            text(link, f"frame {name!r}: link"),
            as_placement(placement, f"frame {name!r}: placement"),
        )

    @known_keywords
    def close(
        self,
        frame_a: str,
        frame_b: str,
        joint: Joint | Constraint,
        *,
        name: str = "",
        placement_a: Array | None = None,
        placement_b: Array | None = None,
    ) -> None:
        """Close a loop: two frames are held together by a joint or a constraint.

        Parameters
        ----------
        frame_a : str
            Name of a link or frame, or "world".
        frame_b : str
            Name of another, or "world".
        joint : Joint or Constraint
            Joint, whose motion is that of b relative to a; or a constraint of `kinetrace.closures`.
        name : str, default ""
            Name of the closure; "frame_a-frame_b" unless given.
        placement_a : array_like, shape (4, 4) or (3,), optional
            Pose of the joint in frame a, or its position [m]; the identity unless given.
        placement_b : array_like, shape (4, 4) or (3,), optional
            Pose of the joint in frame b, or its position [m]; the identity unless given.

        Raises
        ------
        InputError
            If `joint` closes no loop.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("lever")
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="arm")
        >>> b.close("world", "arm", kt.closures.FrictionlessPoint())
        >>> b.build(check="ignore").closure_rows
        1
        """
        self._closures.append(Loop(frame_a, frame_b, joint, name, placement_a, placement_b))

    @known_keywords
    def couple(self, factors: Mapping[Any, float], offset: float = 0.0, *, name: str = "") -> None:
        """Couple joints by Σ factor · q = offset.

        Parameters
        ----------
        factors : mapping of str to float
            Factors by joint: its name, or (name, which of its variables).
        offset : float, default 0.0
            Value of the sum [rad, m].
        name : str, default ""
            Name of the closure; the names of the joints unless given.

        Raises
        ------
        InputError
            If `factors` is not a mapping.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("pair")
        >>> b.joint("left", kt.joints.Revolute(), parent="base", child="a")
        >>> b.joint("right", kt.joints.Revolute(), parent="base", child="b")
        >>> b.couple({"left": 1.0, "right": -2.0})
        >>> b.build(check="ignore").closure_slices
        {'left-right': slice(0, 1, None)}
        """
        self._closures.append(Coupling(factors, offset, name))

    def add_closures(self, *closures: Description) -> None:
        """Close loops, or couple joints, by descriptions of `kinetrace.closures`.

        Parameters
        ----------
        *closures : Loop or Coupling
            The descriptions.

        Examples
        --------
        >>> import kinetrace as kt
        >>> b = kt.Builder("pair")
        >>> b.joint("left", kt.joints.Revolute(), parent="base", child="a")
        >>> b.joint("right", kt.joints.Revolute(), parent="base", child="b")
        >>> b.add_closures(kt.closures.gear("left", "right", 2.0))
        >>> b.build(check="ignore").closure_rows
        1
        """
        self._closures += closures

    @known_keywords
    def start(self, values: Mapping[str, Any]) -> None:
        """Choose where joints begin: `Robot.home` is there, as far as limits and closures allow it.

        Parameters
        ----------
        values : mapping of str to array_like
            Configurations, each shape (nq_i,) [rad, m], by the names of joints; a number for a joint with one variable.
            Joints that are not named are where `Robot.home` would have them without a start. That of "floating_base" is
            for `base="free"`, and not used otherwise. `build(home=...)` is another way, which accepts no value beyond
            the limits.

        Raises
        ------
        InputError
            If `values` is not a mapping; `build` raises it for values that do not fit their joints.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("lever")
        >>> b.link("arm", inertia=np.eye(6))
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="arm")
        >>> b.start({"hinge": 0.5})
        >>> kt.Robot(b.build()).home()
        array([0.5])
        """
        if not isinstance(values, Mapping):
            raise InputError(f"start: expected joints and values, as {{'elbow': 0.5}}; got {type(values).__name__}")
        self._start.update(values)

    def geometry(self, shape: Geometry) -> None:
        """Add a shape for viewers, or with role="collision" one that counts in contacts.

        Parameters
        ----------
        shape : Geometry
            Shape; its `frame` is the name of the link that it belongs to. One that counts and has no name gets that of
            its link.

        Raises
        ------
        ModelError
            If its placement is not a rigid motion, or a shape that counts has no extent.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> from kinetrace.model import Geometry
        >>> b = kt.Builder("post")
        >>> b.link("base")
        >>> b.geometry(Geometry("box", (0.1, 0.1, 0.3), "base", np.eye(4)))
        >>> b.build().geometry[0].size
        (0.1, 0.1, 0.3)
        """
        if not isinstance(shape, Geometry):
            example = "kinetrace.model.Geometry('box', (0.1, 0.1, 0.3), 'link', np.eye(4))"
            raise InputError(f"geometry: expected a shape such as {example}, got {value_text(shape)}")
        X_ls = pose(shape.placement, f"a {shape.kind} on link {shape.frame!r}: placement")
        made = replace(shape, frame=as_text(shape.frame), name=as_text(shape.name), placement=X_ls)
        if made.role == COLLISION:
            check_shape(made)
        self._geometry.append(made)

    def contact_rules(self, rules: ContactRules | None) -> None:
        """Say which collision shapes touch by a law of their own, and which links do not touch.

        Parameters
        ----------
        rules : ContactRules or None
            Pairs and exclusions, whose names are checked by `build`; None: no rules.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> from kinetrace.model import Geometry
        >>> from kinetrace.model.contact import ContactLaw, ContactRules, PairRule
        >>> b = kt.Builder("post")
        >>> b.link("base")
        >>> for name in ("left", "right"):
        ...     b.geometry(Geometry("sphere", (0.1,), "base", np.eye(4), "collision", name=name))
        >>> b.contact_rules(ContactRules(pairs=(PairRule("left", "right", ContactLaw(friction=0.3)),)))
        >>> b.build().contact_rules.pairs[0].b
        'right'
        """
        if not isinstance(rules, ContactRules | None):
            raise InputError(f"contact_rules: expected kinetrace.model.contact.ContactRules, got {value_text(rules)}")
        self._contact_rules = rules

    def link_effects(self, effects: LinkEffects) -> None:
        """Compensate the weight of a link, or let a fluid act on it.

        Parameters
        ----------
        effects : LinkEffects
            Effects; their `placement` is in the link.

        Raises
        ------
        ModelError
            If the link has effects already.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> from kinetrace.model import LinkEffects
        >>> b = kt.Builder("lamp")
        >>> at = kt.lie.se3.pose(np.eye(3), np.array([0.5, 0.0, 0.0]))
        >>> b.link("arm", inertia=kt.lie.inertia.from_mass_com(2.0, at[:3, 3], 0.01 * np.eye(3)))
        >>> b.link_effects(LinkEffects("arm", at, 2.0, np.zeros(3), gravity_compensation=1.0))
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="arm")
        >>> kt.Robot(b.build()).bias([0.3], [0.0]).round(12)
        array([0.])
        """
        if not isinstance(effects, LinkEffects):
            raise InputError(f"link_effects: expected kinetrace.model.LinkEffects(...), got {value_text(effects)}")
        if effects.link in self._link_effects:
            raise ModelError(f"link {effects.link!r} has effects already")
        self._link_effects[effects.link] = effects

    def fluid(self, fluid: Fluid | None) -> None:
        """Put the robot into a fluid, which acts on the boxes of `link_effects`.

        Parameters
        ----------
        fluid : Fluid or None
            The fluid; None: none that acts on the robot.

        Examples
        --------
        >>> import kinetrace as kt
        >>> from kinetrace.model import Fluid
        >>> b = kt.Builder("post")
        >>> b.link("base")
        >>> b.fluid(Fluid(density=1.2))
        >>> b.build().fluid.density
        1.2
        """
        if not isinstance(fluid, Fluid | None):
            raise InputError(f"fluid: expected kinetrace.model.Fluid(...), got {value_text(fluid)}")
        self._fluid = fluid

    def find_meshes(self, find: Callable[[str], str]) -> None:
        """Replace the names of mesh files.

        Parameters
        ----------
        find : callable
            Function of a name that returns another, such as the path of the file.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> from kinetrace.model import Geometry
        >>> b = kt.Builder("post")
        >>> b.link("base")
        >>> b.geometry(Geometry("mesh", (1.0, 1.0, 1.0), "base", np.eye(4), mesh="post.stl"))
        >>> b.find_meshes(lambda name: f"meshes/{name}")
        >>> b.build().geometry[0].mesh
        'meshes/post.stl'
        """
        self._geometry = [replace(x, mesh=find(x.mesh)) if isinstance(x.mesh, str) else x for x in self._geometry]

    @known_keywords
    def build(
        self,
        base: Base = "fixed",
        *,
        gravity: Sequence[float] | None = None,
        home: Array | Mapping[str, Any] | None = None,
        motors: Sequence[str] | None = None,
        independent: Sequence[Any] | str | None = None,
        guess: Array | Mapping[str, Any] | None = None,
        snap_constants: bool | float = True,
        check: Check = "warn",
    ) -> Model:
        """Model of the robot, with its root link fixed to the world or free in it.

        Parameters
        ----------
        base : {"fixed", "free"}, default "fixed"
            Whether the root link is fixed; a free one has the joint "floating_base".
        gravity : sequence of float, optional
            Gravity in the world's axes [m/s²]; that of the builder, (0, 0, -9.81), unless given.
        home : array_like, shape (nq,), or mapping of str to array_like, optional
            Where the robot is at home: a configuration within the limits, or values of joints by name, as in
            `Robot.q_from`. Loops are closed from there. What `start` chose unless given.
        motors : sequence of str, optional
            Names of the joints that have motors; all but free ones unless given.
        independent : str or sequence, optional
            Independent velocities of a robot with closed loops, as in `Robot.with_closures`: names of joints, or (name,
            which of its velocities), as many as there are degrees of freedom beside those of a free base; chosen
            automatically unless given.
        guess : array_like, shape (nq,), or mapping of str to array_like, optional
            Where loops are closed from, as in `Robot.with_closures`, if not from `home`. It may be beyond limits; the
            robot is at home where the loops close.
        snap_constants : bool or float, default True
            Whether to round entries of placements and axes within 1e-14 of 0 and ±1, and moments of inertia within
            1e-14 of the largest of their kind of 0, which are rounding errors of double arithmetic. A number is another
            distance for placements and axes, such as 1e-10 for right angles written with twelve digits.
        check : {"warn", "error", "ignore"}, default "warn"
            Reaction to inertias that no body can have and joints that move no mass (a `PhysicsWarning`) and to
            irregularities of a file (a `ModelWarning`); those that cannot change the motion are never errors.

        Returns
        -------
        Model
            The model.

        Raises
        ------
        ModelError
            If the links are not a tree, or names or numbers are not valid.
        InputError
            If `base` or `check` is unknown, `home` is no configuration within the limits, a joint is unknown, or
            `guess` is given beside `home` or without loops.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("ball")
        >>> b.link("ball", mass=2.0, inertia=[0.1, 0.1, 0.1])
        >>> b.build("free")
        Model('ball', 1 bodies, nq=7, nv=6)

        A loop that is closed by a pin, moved by one crank:

        >>> b = kt.Builder("four_bar")
        >>> for name, parent, at, length in (("crank", "base", 0, 0.2), ("coupler", "crank", 0.2, 0.5),
        ...                                  ("rocker", "base", 0.6, 0.4)):
        ...     b.link(name, mass=length, com=[length / 2, 0, 0])
        ...     b.joint(f"{name}_pin", kt.joints.Revolute("-y"), parent=parent, child=name, placement=[at, 0, 0])
        >>> b.close("coupler", "rocker", kt.joints.Revolute("y"), placement_a=[0.5, 0, 0], placement_b=[0.4, 0, 0])
        >>> home = {"crank_pin": 1.0, "coupler_pin": -0.6, "rocker_pin": 1.4}
        >>> robot = kt.Robot(b.build(home=home, motors=["crank_pin"], independent="crank_pin", check="ignore"))
        >>> robot.dof, robot.motor_names, robot.home().round(2)
        (1, ('crank_pin',), array([ 0.99, -0.52,  1.69]))
        """
        one_of(get_args(Base), base, "base")
        check_of(check)
        gravity = self._gravity if gravity is None else gravity
        g = numbers(gravity, "gravity")
        if g.shape != (3,) or (is_concrete(g) and not sane(g)):
            told = f"gravity must be 3 finite numbers, such as (0, 0, -9.81); got {gravity!r}"
            raise ModelError(told)
        try:
            model = self._build(base, g, bound_of(snap_constants), check)
        except ModelError as error:
            error.file = error.file or self.source
            raise
        if motors is not None:
            model = model.with_motors(motors)
        if not model.closures:
            _check_open(model, independent, guess)
        if independent is not None:
            own = (independent,) if isinstance(independent, str) else tuple(independent)
            floats = ROOT_JOINT in model.joint_names and ROOT_JOINT not in own and base == "free"
            model = replace(model, wanted_independent=velocities(model, ((ROOT_JOINT,) if floats else ()) + own))
        if guess is not None and home is not None:
            raise InputError("guess is where loops are closed from: they are closed from home, which is given too")
        if guess is not None:
            start = home_from(model, guess, "guess", limits=False)
            if hint := many_turns_hint(model, start, "guess"):
                complain(f"guess of closures: {hint}", check, ModelWarning, self.source)
            return replace(model, start=start)
        return model if home is None else replace(model, start=home_from(model, home))

    def _build(self, base: Base, gravity: Array, bound: float, check: Check) -> Model:
        clash = self._joints.get(ROOT_JOINT)
        if base == "free" and clash is not None and not (isinstance(clash.joint, Fixed | Free) or self._in_world):
            raise ModelError(f"joint {ROOT_JOINT!r} has the name of the joint that base='free' adds")
        links = dict.fromkeys(self._links) | dict.fromkeys(
            x for j in self._joints.values() for x in (j.parent, j.child)
        )
        root = root_of(links, self._joints.values(), self._links)
        if base == "free" and clash is not None and isinstance(clash.joint, Free) and clash.parent == root:
            base = "fixed"  # it is free already
        attach = Free() if base == "free" and not self._in_world else Fixed()
        joints, start = self._joints, dict(self._start)
        if base == "fixed" and ROOT_JOINT not in joints:
            start.pop(ROOT_JOINT, None)  # that of a base that could float
        if base == "free" and self._in_world:
            joints, X_wb = with_free_base(root, self._joints)
            start = start if np.array_equal(X_wb, np.eye(4)) else {ROOT_JOINT: free_q(X_wb), **start}
        floating = (ROOT_JOINT, start[ROOT_JOINT]) if ROOT_JOINT in start else None
        first = Connection(ROOT_JOINT, attach, "", root, np.eye(4), np.eye(4), Limits.none(attach), None)
        for message, harmless in self._remarks:
            category = HarmlessWarning if harmless else ModelWarning
            complain(message, "warn" if harmless and check == "error" else check, category, self.source)
        check_inertias(self._links.items(), check, self.source)
        tree = Tree(self, joints.values())
        tree.add(first, WORLD, np.eye(4))
        model = rounded(tree.model(gravity), bound).with_closures(*self._closures)
        model = replace(model, start=start_of(model, start)) if start else model
        model = self._with_actuation(model, floating)
        check_massless(model, check, self.source)
        check_followers(model, check, self.source)
        check_laws(model, check, self.source)
        return model


def _check_open(model: Model, independent: Any, guess: Any) -> None:
    """An error if there is something for closed loops, of a model without."""
    if independent is not None:
        raise InputError(f"independent: {model.name!r} has no closures; all its velocities are independent")
    if guess is not None:
        raise InputError(f"guess is where loops are closed from: {model.name!r} has no closures")
