"""Valid configurations of a robot: `home`, checks of configurations and velocities, and `info`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from .. import algorithms
from ..model import configurations
from ..model.checks import number
from ..support.plain import plain_flag
from .base import RobotBase
from .checked_calls import check_closed
from .info import Info
from .types import Array, Float


class Configurations(RobotBase):
    """Valid configurations: `home`, checks of configurations and velocities, and `info`."""

    def home(self) -> Float:
        """Configuration within the limits: each joint at zero, or in the middle of its limits if these exclude zero.

        A joint with one limit is at that limit if zero is beyond it. Limits of mimic joints count. `neutral` has all
        joints at zero, within their limits or not. Loops are not closed: `robot.assemble(robot.home())` closes them
        near it.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("panda").home().round(3)
        array([ 0.   ,  0.   ,  0.   , -1.571,  0.   ,  0.   ,  0.   ])
        """
        return np.asarray(configurations.home(self.model))

    def check(self, q: Array, v: Array | None = None, *, limits: bool = True, closed: float | bool = True) -> None:
        """An error about the first number that makes q no configuration of this robot, or v no velocity.

        The message names the joint, the state of the batch and the bound. Shapes must be right, numbers finite,
        quaternions of length 1 to 1e-6, positions and velocities within the limits to 1e-9 (numbers of single precision
        to 1e-6 of the limit), those of mimic joints too, and loops closed.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv), optional
            Velocities.
        limits : bool, default True
            Whether positions and velocities must be within the limits of the joints.
        closed : float or bool, default True
            Whether loops must be closed, to 1e-6 [m, rad], or 1e-4 in single precision; a number is another tolerance.

        Raises
        ------
        InputError
            If something is wrong.

        See Also
        --------
        checked : A robot whose methods do this before they run.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("panda")
        >>> robot.check(robot.home(), [0.1] * 7)
        >>> robot.check([robot.home(), robot.neutral()])
        Traceback (most recent call last):
        kinetrace.errors.InputError: q[1]: joint 'panda_joint4' is at 0, above its upper limit -0.0698
        """
        configurations.check(self.model, q, v, limits=plain_flag("limits", limits))
        exactly = isinstance(closed, bool | np.bool_)
        if not exactly or closed:
            tolerance = None if exactly else float(number(closed, "closed"))
            check_closed(self.model, self._kernels_of(algorithms.closure_residual), q, tolerance)

    def checked(self, check: bool = True) -> Self:
        """The same robot, of the same class, whose methods do what `check` does before they run.

        Methods that take q or v look at them, on one state and on batches; `simulate` and `rollout` look at the first
        state, and methods that find or measure open loops do not ask for closed ones. `integrate` takes any v, and
        `normalise` any quaternion. Kernels (`robot.kernel`, `kt.compile`) do not check. It costs some microseconds for
        each call; robots that do not check are as fast as ever. `kt.Robot(model, check=True)` is the same.

        Parameters
        ----------
        check : bool, default True
            Whether to check; False gives the robot that does not.

        Returns
        -------
        Robot
            The robot that checks, with the attributes that a subclass adds. Robots that are made of it check, too.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("panda").checked()
        >>> robot.gravity(robot.home())[:4].round(2)
        array([  0.  , -25.26,   0.  ,  17.97])
        >>> robot.gravity([0.0] * 7)
        Traceback (most recent call last):
        kinetrace.errors.InputError: q: joint 'panda_joint4' is at 0, above its upper limit -0.0698
        """
        same = plain_flag("check", check) == self._source.check
        return self if same else self._with_settings(check=bool(check))

    def info(self) -> Info:
        """What the robot is made of, as text and as data: what `kinetrace info` prints.

        Returns
        -------
        Info
            Its text, plain and at most 100 characters wide, has sizes, the tree of bodies and joints, limits, what
            joints do by themselves, inertias, frames and closures. Its entries, and `info.data`, hold the same as
            dicts, lists, numbers and texts, as `kinetrace info --json` prints them.

        Examples
        --------
        >>> import kinetrace as kt
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

    def _on_checked(self, q: Any, v: Any = None, drive: Any = None) -> Self:
        if not self._source.check:
            return self
        self.check(q, v, closed=drive is None)
        return self._unchecked()

    @abstractmethod
    def _with_settings(self, **settings: Any) -> Self:
        """The same robot with other settings, of the same class and with its own attributes."""
