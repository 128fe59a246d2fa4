"""Configurations of a robot: `home`, by names of joints, checks; `info`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ... import algorithms
from ...algorithms.registry.declaration import algorithm_of
from ...errors import InputError, LimitWarning, value_text, warn
from ...model import configurations, named_states
from ...model.configurations import degrees_hint
from ...support.conversion import as_flag
from ...support.keywords import known_keywords
from ..base import RobotBase
from ..checked_calls import check_closed
from ..info import Info
from ..types import Array, Float


def positive(name: str, x: Any) -> float:
    """A positive finite number."""
    is_number = isinstance(x, int | float | np.integer | np.floating) and not isinstance(x, bool)
    if not is_number or not 0 < x < np.inf:
        raise InputError(f"{name} must be a positive number, got {value_text(x)}")
    return float(x)


class ConfigurationMethods(RobotBase):
    """Configurations: `home`, by names of joints, checks of them and of velocities; `info`."""

    @known_keywords
    def home(self) -> Float:
        """Configuration to begin with, within the limits and with closed loops.

        It is the one that the source of the robot begins with (`robot.model.start`), such as the keyframe "home" of
        MJCF; joints beyond their limits are at them. Bundled robots have one: they stand or reach out without touching
        themselves or the floor, on which free bases stand, and the Panda is in its maker's ready pose. If the source
        has none, each joint is at zero, or in the middle of its limits if zero is outside of them, or inside by less
        than a hundredth of their distance; a joint with one limit is at that limit if zero is beyond it. Limits of
        mimic joints count. With closures, it is the configuration in which loops were closed, `robot.assemble()`: near
        the source's own, unless another guess was given. `neutral` has all joints at zero, within their limits or not.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration.

        >>> kt.load("panda").home().round(3)
        array([ 0.   , -0.785,  0.   , -2.356,  0.   ,  1.571,  0.785])
        """
        return np.asarray(configurations.home(self.model))

    @known_keywords
    def q_from(self, joints: Mapping[str, Array], others: Array | None = None, *, degrees: bool = False) -> Float:
        """Configurations from the values of joints, by name; joints that are not named are at `home`.

        Batch axes of the values broadcast. Limits may be passed, and loops open: `check` tells, `assemble` closes them.
        A `LimitWarning` tells of angles that look like degrees.

        Parameters
        ----------
        joints : mapping of str to array_like
            Values [rad, m] by the names of joints: shape (...) of a joint with one variable, (..., nq_i) of one with
            several, as they are in q. A spherical joint may have a rotation (..., 3, 3), and a free one, such as
            "floating_base", a pose (..., 4, 4) or a position (..., 3). A joint that mimics another one may be named
            beside that one, and must then be where that one puts it, to 1e-6.
        others : array_like, shape (..., nq), optional
            Configurations that have the values of all other joints; `home` unless given.
        degrees : bool, default False
            Whether angles are in degrees. Quaternions, rotations, poses and shifts are as ever.

        Returns
        -------
        ndarray, shape (..., nq)
            The configurations, in double precision.

        Raises
        ------
        InputError
            If a joint is unknown, a shape does not fit, or a value is not a configuration of its joint.

        See Also
        --------
        q_by_joint : The way back.
        v_from : The same for velocities, accelerations and joint forces.

        >>> robot = kt.load("planar2r")
        >>> robot.q_from({"joint1": 90.0, "joint2": 0.0}, degrees=True).round(3)
        array([1.571, 0.   ])
        >>> robot.q_from({"joint2": [0.1, 0.2]}).round(3)
        array([[1.047, 0.1  ],
               [1.047, 0.2  ]])
        >>> dog = kt.load("quadruped", base="free")
        >>> dog.q_from({"floating_base": [0, 0, 0.5], "FL_knee": -1.2})[:7]
        array([0. , 0. , 0.5, 1. , 0. , 0. , 0. ])
        """
        rest = configurations.home(self.model) if others is None else others
        q = named_states.q_from(self.model, joints, rest, degrees=as_flag("degrees", degrees))
        hint = "" if degrees else degrees_hint(self.model, q, alone=True)
        if hint:
            warn(f"q_from: {hint}; q_from(..., degrees=True) takes degrees", LimitWarning)
        return q

    @known_keywords
    def q_by_joint(self, q: Array, *, degrees: bool = False) -> dict[str, Any]:
        """Values of the joints in configurations, by name.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        degrees : bool, default False
            Whether to give angles in degrees; shifts and quaternions are as ever.

        Returns
        -------
        dict of str to float or ndarray
            Values [rad, m] by the names of joints, in the order of `joint_names`: of a joint with one variable an array
            of shape (...), of one configuration a number; of a joint with several, shape (..., nq_i). Joints that mimic
            others are left out.

        See Also
        --------
        q_from : The way back.

        >>> kt.load("planar2r").q_by_joint([0.5, 1.0])
        {'joint1': 0.5, 'joint2': 1.0}
        """
        return named_states.q_by_joint(self.model, q, degrees=as_flag("degrees", degrees))

    @known_keywords
    def v_from(self, joints: Mapping[str, Array], others: Array | None = None) -> Float:
        """Velocities, accelerations or joint forces from those of joints, by name; zero for joints that are not named.

        Parameters
        ----------
        joints : mapping of str to array_like
            Entries by the names of joints: shape (...) of a joint with one velocity, (..., nv_i) of one with several,
            as they are in v: of a free joint the twist, angular part first. A joint that mimics another one may be
            named beside that one, with what follows from that one.
        others : array_like, shape (..., nv), optional
            Rows that have the entries of all other joints; zero unless given.

        Returns
        -------
        ndarray, shape (..., nv)
            The rows, in double precision.

        See Also
        --------
        v_by_joint : The way back.

        >>> kt.load("planar2r").v_from({"joint2": 0.1})
        array([0. , 0.1])
        """
        return named_states.v_from(self.model, joints, np.zeros(self.nv) if others is None else others)

    @known_keywords
    def v_by_joint(self, v: Array) -> dict[str, Any]:
        """Entries of the joints in velocities, accelerations or joint forces, by name.

        Parameters
        ----------
        v : array_like, shape (..., nv)
            Velocities, accelerations or joint forces.

        Returns
        -------
        dict of str to float or ndarray
            Entries by the names of joints, in the order of `joint_names`: of a joint with one velocity an array of
            shape (...), of one row a number; of a joint with several, shape (..., nv_i).

        See Also
        --------
        v_from : The way back.

        >>> robot = kt.load("planar2r")
        >>> robot.v_by_joint(robot.gravity([0.0, 0.0]).round(3))
        {'joint1': 19.62, 'joint2': 4.905}
        """
        return named_states.v_by_joint(self.model, v)

    @known_keywords
    def check(
        self,
        q: Array,
        v: Array | None = None,
        *,
        limits: bool = True,
        closed: bool = True,
        tolerance: float | None = None,
    ) -> None:
        """An error about the first number that makes q no configuration of this robot, or v no velocity.

        The message names the joint, the state of the batch and the bound. Shapes must be right, numbers finite,
        quaternions of length 1 to 1e-6, positions and velocities, those of mimic joints too, within the limits to 1e-9,
        and loops closed to 1e-6 [m, rad]. If numbers are given in single precision, or the robot computes in it, the
        last two are 1e-6 of the limit and 1e-4; in half precision (float16), the three are 1e-3, 1e-3 of the limit and
        1e-2. Batch axes of q and v must fit.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv), optional
            Velocities.
        limits : bool, default True
            Whether positions and velocities must be within the limits of the joints.
        closed : bool, default True
            Whether loops must be closed.
        tolerance : float, optional
            How far from closed loops may be [m, rad]; 1e-6, 1e-4 in single and 1e-2 in half precision, unless given.

        Raises
        ------
        InputError
            If something is wrong, or `tolerance` is not a positive number.

        See Also
        --------
        checked : A robot whose methods do this before they run.

        >>> robot = kt.load("panda")
        >>> robot.check(robot.home(), [0.1] * 7)
        >>> robot.check([robot.home(), robot.neutral()])
        Traceback (most recent call last):
        kinetrace.errors.InputError: q[1]: joint 'panda_joint4' is at 0, above its upper limit -0.0698
        """
        limits, closed = as_flag("limits", limits), as_flag("closed", closed)
        most = None if tolerance is None else positive("tolerance", tolerance)
        self._check(q, v, limits=limits, closed=closed, tolerance=most)

    def _check(
        self, q: Any, v: Any, *, limits: bool, closed: bool, tolerance: float | None = None, what: str = "q"
    ) -> None:
        single = self._settings.dtype != "float64"
        configurations.check_q(self.model, q, limits=limits, what=what, single=single)
        if v is not None:
            configurations.check_v(self.model, v, limits=limits, single=single)
            configurations.check_batches(q, v, what)
        if closed:
            check_closed(self.model, self._kernels_of(algorithm_of(algorithms.closure_residual)), q, tolerance, what)

    @known_keywords
    def checked(self, check: bool = True) -> Self:
        """The same robot, of the same class, whose methods do what `check` does before they run.

        Methods that take q or v check them, on one state and on batches; `simulate` and `rollout` check the first
        state. Methods that close or measure open loops take open ones; `assemble` and `project` take positions beyond
        limits, too. `integrate` and `sectional_curvature` take any v, and `normalise` quaternions of any length but
        zero. Kernels (`robot.kernel`, `kt.compile`) do not check. It costs some microseconds for
        each call; robots that do not check are as fast as ever. `kt.Robot(model, check=True)` is the same.

        Parameters
        ----------
        check : bool, default True
            Whether to check; False gives the robot that does not.

        Returns
        -------
        Robot
            The robot that checks, with the attributes that a subclass adds. Robots that are made of it check, too.

        >>> robot = kt.load("panda").checked()
        >>> robot.gravity(robot.home())[:4].round(2)
        array([ 0.  , -3.9 , -0.64, 21.88])
        >>> robot.gravity([0.0] * 7)
        Traceback (most recent call last):
        kinetrace.errors.InputError: q: joint 'panda_joint4' is at 0, above its upper limit -0.0698
        """
        same = as_flag("check", check) == self._settings.check
        return self if same else self._with_settings(check=bool(check))

    @known_keywords
    def info(self) -> Info:
        """Bodies, joints, limits and frames of the robot, as text and as data: as `kinetrace info` prints them.

        Returns
        -------
        Info
            Its text, plain and at most 100 characters wide, has sizes, the tree of bodies and joints, limits, what
            joints do by themselves, inertias, frames and closures. Its entries, and `info.data`, hold the same as
            dicts, lists, numbers and texts, as `kinetrace info --json` prints them.

        >>> found = kt.load("planar2r").info()
        >>> print(found)
        planar2r
          nq 2 configuration variables, nv 2 degrees of freedom
          2 moving bodies, 2 kg moving; 4 frames
        ...
        >>> found["joints"][1]["name"], found["bodies"][1]["mass"]
        ('joint2', 1.0)
        """
        return Info(self.model)

    def _on_checked(self, q: Any, v: Any = None, *, what: str = "q", limits: bool = True, closed: bool = True) -> Self:
        if not self._settings.check:
            return self
        self._check(q, v, limits=limits, closed=closed, what=what)
        return self._unchecked()

    @abstractmethod
    def _with_settings(self, **settings: Any) -> Self:
        """The same robot with other settings, of the same class and with its own attributes."""
