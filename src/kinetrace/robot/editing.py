"""Editing: robots with further frames, another home, locked joints, removed or added bodies, other names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..algorithms.closed.assembly import FloatClosures, assemble
from ..algorithms.closed.loop_closing import CLOSED_RESIDUAL
from ..algorithms.closed.mobility import with_assembly
from ..errors import InputError, ModelError, ModelWarning, name_list, warn
from ..model import configurations
from ..model.actuation.records import Actuator
from ..model.build import edits
from ..model.build.names import rename
from ..model.checks import Check
from ..model.model import Model
from ..support.conversion import as_names
from ..support.keywords import known_keywords
from .base import RobotBase
from .types import Float

if TYPE_CHECKING:
    from .robot import Robot


class Editing(RobotBase):
    """Other robots made of this one, which stays as it is."""

    @abstractmethod
    def _with_model(self, model: Model, dynamics_model: Model | None = None) -> Robot:
        """A robot of another model with the settings of this one."""

    @known_keywords
    def with_frame(self, name: str, parent: str, pose: npt.ArrayLike | None = None) -> Robot:
        """The same robot with a further frame, fixed to another.

        For points that change from call to call, `pose`, `jacobian` and similar methods take the array `point`.

        Parameters
        ----------
        name : str
            Name of the new frame; "world" is that of the world alone.
        parent : str
            Frame that it is fixed to; `robot.frame_names` lists them, "world" is the world itself.
        pose : array_like, shape (4, 4) or (3,), optional
            Pose of the new frame in the parent frame, or its position [m] with the parent's axes. The identity unless
            given.

        Returns
        -------
        Robot
            The robot with the frame; an optimised one stays so.

        >>> robot = kt.load("planar2r").with_frame("camera", "tip", [0.1, 0, 0])
        >>> robot.pose([0.0, 0.0], "camera")[:3, 3].round(3)
        array([2.1, 0. , 0. ])
        """
        return self._edited(lambda model: edits.with_frame(model, name, parent, pose))

    @known_keywords
    def renamed(
        self,
        name: str | None = None,
        *,
        joints: Mapping[str, str] | None = None,
        frames: Mapping[str, str] | None = None,
        prefix: str = "",
    ) -> Robot:
        """The same robot under other names; motors and what closes loops follow.

        Parameters
        ----------
        name : str, optional
            Name of the robot.
        joints : mapping of str to str, optional
            New names of joints, by their old ones.
        frames : mapping of str to str, optional
            New names of frames, by their old ones. Links are frames.
        prefix : str, default ""
            Prefix for the names of all other joints, frames, closures and actuators.

        Returns
        -------
        Robot
            The robot under these names; an optimised one stays so.

        >>> kt.load("planar2r").renamed("arm", joints={"joint1": "shoulder"}, prefix="left_").joint_names
        ('shoulder', 'left_joint2')
        """
        return self._edited(lambda model: rename(model, name, joints, frames, prefix))

    @known_keywords
    def with_actuators(self, *actuators: Actuator | Sequence[Actuator]) -> Robot:
        """The same robot with these actuators instead of its own; `simulate(control=)` drives them.

        Keyframes keep the controls of actuators of the same names. Which joints have motors, for `motor_forces` and
        the laws of `kinetrace.control`, is another matter: `with_motors`.

        Parameters
        ----------
        *actuators : Actuator or sequence of Actuator
            Actuators, one by one or as one sequence; none for a robot without.

        Returns
        -------
        Robot
            The robot with the actuators; an optimised one stays so.

        Raises
        ------
        ModelError
            If a joint is unknown, a gear does not fit its joint, or a name is used twice.

        >>> robot = kt.load("planar2r").with_actuators(kt.Actuator.position("joint1", kp=100.0, kv=20.0))
        >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=2.0, dt=0.01, control=[0.5])
        >>> motion.q[-1].round(3)
        array([ 0.382, -1.255])
        """
        return self._edited(lambda model: model.with_actuators(*actuators))

    @known_keywords
    def with_keyframe(
        self,
        name: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None = None,
        control: npt.ArrayLike | None = None,
        activation: npt.ArrayLike | None = None,
    ) -> Robot:
        """The same robot with a named state, in `keyframes`.

        Parameters
        ----------
        name : str
            Name of the keyframe; one of that name is replaced.
        q : array_like, shape (nq,)
            Configuration.
        v : array_like, shape (nv,), optional
            Velocity [rad/s, m/s]; zero unless given.
        control : array_like, shape (controls,), optional
            Controls of the actuators; zero unless given.
        activation : array_like, shape (activations,), optional
            Activations of the actuators that have dynamics; zero unless given.

        Returns
        -------
        Robot
            The robot with the keyframe; an optimised one stays so.

        Raises
        ------
        ModelError
            If numbers do not fit the robot.

        >>> up = kt.load("planar2r").with_keyframe("up", [1.5, 0.0]).keyframes["up"]
        >>> up.q, up.control
        (array([1.5, 0. ]), array([], dtype=float64))
        """
        return self._edited(lambda model: model.with_keyframe(name, q, v, control, activation))

    @known_keywords
    def with_home(self, home: npt.ArrayLike | Mapping[str, npt.ArrayLike]) -> Robot:
        """The same robot that is at home elsewhere; see `home`.

        Parameters
        ----------
        home : array_like, shape (nq,), or mapping of str to array_like
            Configuration; or values of joints by name, as in `q_from`, the other joints being where they were at home.
            It must be within the limits, with unit quaternions. Loops are closed from there: the joints that are named
            stay, if loops close so.

        Returns
        -------
        Robot
            The robot with this home, which edits and .json files keep; an optimised one stays so.

        Raises
        ------
        InputError
            If it is not a configuration within the limits, or a joint is unknown.
        ModelError
            If loops do not close from there.

        >>> kt.load("planar2r").with_home({"joint2": 0.5}).home().round(3)
        array([1.047, 0.5  ])
        """
        model = edits.with_home(self.model, home)
        if not model.closures:
            return self._edited(lambda before: replace(before, start=model.start))
        own = [name for name in self.joint_names if isinstance(home, Mapping) and name in home]
        held = [k for name in own for k in range(self.nv)[self.v_slice(name)]]
        near, off = assemble(FloatClosures(model), np.array([model.start]), held=held)
        guess = near[0] if off[0] < CLOSED_RESIDUAL else model.start
        return self._with_model(with_assembly(model, None, guess, self.model.independent))

    @known_keywords
    def locked(self, joints: Mapping[str, npt.ArrayLike]) -> Robot:
        """The same robot with joints held: their bodies become parts of the bodies that carry them.

        Inertias are added, and frames keep their names. Joints that mimic a locked one are locked with it. What a
        locked joint does by itself (rotor, damping, friction, spring) goes with it. Links that only locked joints
        connect to the world become parts of it, and its mass does not count: `center_of_mass` and `potential_energy`
        are without them, while forces and motions of the other joints stay. Loops whose joints are all locked must be
        closed, and go; others are assembled anew, from where they were. If they do not close from there, they are
        closed from random guesses, possibly far away, with a `ModelWarning`.

        Parameters
        ----------
        joints : mapping of str to array_like
            Values [rad or m] by the names of joints: a number, or (nq_i,) for a joint with several variables, such as
            the position and the quaternion of a free base. They must be within the limits of the joints, to the
            tolerances of `check`.

        Returns
        -------
        Robot
            The robot without these joints in q and v.

        >>> robot = kt.load("planar2r").locked({"joint2": 0.5})
        >>> robot.joint_names, robot.mass_matrix([0.0]).round(3)
        (('joint1',), array([[2.544]]))
        """
        model = edits.lock(self.model, joints)
        return self._with_model(close_edited(model, self.model))

    @known_keywords
    def without_bodies(self, *names: str | Sequence[str], check: Check = "warn") -> Robot:
        """The same robot without some bodies, what hangs from them, and their frames.

        Parameters
        ----------
        *names : str or sequence of str
            Names of bodies, at least one, one by one or as one sequence. Links on fixed joints are parts of bodies, and
            no bodies of their own.
        check : {"warn", "error", "ignore"}, default "warn"
            What to do about joints that are left without any mass to move.

        Returns
        -------
        Robot
            The robot without them. Closures between removed bodies go with them.

        Raises
        ------
        ModelError
            If a joint that stays mimics one that goes, or a closure holds on to something that stays.
        InputError
            If nothing is named, or there is no body of a name.

        >>> kt.load("panda").without_bodies("panda_link6").joint_names[-1]
        'panda_joint5'
        """
        given = _given_names(names, "without_bodies: name a body, such as", [body.name for body in self.model.bodies])
        model = edits.without_bodies(self.model, given, check)
        return self._with_model(close_edited(model, self.model))

    @known_keywords
    def without_closures(self, *names: str | Sequence[str]) -> Robot:
        """The same robot without these closures.

        Parameters
        ----------
        *names : str or sequence of str
            Names of closures, at least one, one by one or as one sequence; `robot.closure_names` are all of them.

        Returns
        -------
        Robot
            The robot with these loops open.

        Raises
        ------
        InputError
            If nothing is named, or there is no closure of a name.

        >>> robot = kt.load("four_bar")
        >>> robot.without_closures(robot.closure_names).dof
        3
        """
        otherwise = "without_closures: name a closure; robot.closure_names are all, here"
        given = _given_names(names, otherwise, tuple(self.model.closure_slices))
        return self._with_model(close_edited(edits.without_closures(self.model, given), self.model))

    @known_keywords
    def joined(self, other: Robot, frame: str, pose: npt.ArrayLike | None = None, *, prefix: str = "") -> Robot:
        """This robot with another one fixed to a frame of it, such as a hand to an arm.

        Joints of the other follow those of this robot in q and v, with all that they have; gravity and settings are
        those of this robot. The root link of the other is rigidly fixed to the frame, with the mass of all that was
        fixed to the world; if it floats, as with `base="free"`, its floating joint goes. Keyframes are those that both
        have; if the other has none, it is at rest in this robot's, with controls of zero.

        Parameters
        ----------
        other : Robot
            The robot to be fixed to this one.
        frame : str
            Frame of this robot; `robot.frame_names` lists them, "world" is the world itself.
        pose : array_like, shape (4, 4) or (3,), optional
            Pose of the other's root link in that frame, or its position [m]. The identity unless given.
        prefix : str, default ""
            Prefix for the names of the other's joints, frames, closures and actuators.

        Returns
        -------
        Robot
            Both as one, under the name of this robot.

        Raises
        ------
        InputError
            If both have joints, frames or closures of the same name.

        >>> arm = kt.load("planar2r")
        >>> both = arm.joined(arm, "tip", prefix="second_")
        >>> both.pose([0.0] * 4, "second_tip")[:3, 3].round(3)
        array([4., 0., 0.])
        """
        if not isinstance(other, RobotBase):
            raise InputError(f"joined: expected a Robot, as kinetrace.load returns, got {type(other).__name__}")
        model = edits.join(self.model, other.model, frame, pose, prefix)
        return self._with_model(close_edited(model, self.model, rename(other.model, prefix=prefix)))

    def _edited(self, change: Callable[[Model], Model]) -> Robot:
        """A robot of a model that moves as this one does, and so does its `dynamics_model`."""
        model = change(self.model)
        return self._with_model(model, None if self.dynamics_model is self.model else change(self.dynamics_model))


def _given_names(given: tuple[str | Sequence[str], ...], otherwise: str, options: Sequence[str]) -> tuple[str, ...]:
    """The names that are given; an error with the options if nothing is."""
    names = as_names(given)
    if names is None:
        raise InputError(f"{otherwise} {name_list(options) or 'none'}")
    return names


def close_edited(model: Model, *before: Model) -> Model:
    """A model with other joints than before, closed near where these models were, with their independent velocities.

    If its loops do not close from there, it is closed from other guesses, with a warning.
    """
    q, free = dict[str, Any](), set[tuple[str, int]]()
    for old in before:
        at = configurations.home(old)
        for name in old.joint_names:
            sq, sv = old.joint_slices(name)
            q[name] = at[sq]
            free |= {(name, k) for k, i in enumerate(range(old.nv)[sv]) if i in old.independent}
    for body in model.independent_joints:
        own = body.joint.neutral() if model.start is None else model.start[model.slices[body.index][0]]
        q.setdefault(body.joint_name, own)
    slices = [(name, range(model.nv)[model.joint_slices(name)[1]]) for name in model.joint_names]
    rather = tuple(i for name, places in slices for k, i in enumerate(places) if (name, k) in free)
    guess = np.concatenate([np.zeros(0), *(q[name] for name in model.joint_names)])
    try:
        return with_assembly(model, None, guess, rather)
    except ModelError:
        found = with_assembly(model, None, None, rather)
    warn(_moved_by(found, guess), ModelWarning)
    return found


def _moved_by(model: Model, guess: Float) -> str:
    """A warning that a model is assembled elsewhere than near a guess, with the joint that moved most."""
    at = guess if model.assembly is None else model.assembly.q
    moved = np.abs(model.difference(guess, at))
    most = {name: float(moved[model.joint_slices(name)[1]].max(initial=0.0)) for name in model.joint_names}
    name = max(most, key=lambda x: most[x])
    return (
        f"the loops of {model.name!r} do not close from where its joints were; they were closed from another guess, "
        f"with joint {name!r} {most[name]:.3g} (rad or m) away. with_closures(guess=...) chooses where loops are closed"
    )
