"""Inverse kinematics, steps towards goals, manipulability and what frames can reach."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from .. import algorithms, reach
from ..algorithms.choices import ExpressedIn, Frames, GoalAxes, Measure, Rows
from ..reach import InverseKinematics, InverseVelocity, Reachability
from ..support.keywords import known_keywords
from .closures import Closures
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Reaching(Closures):
    """Inverse kinematics, steps towards goals, manipulability and what frames can reach."""

    _searches: dict[Any, Any]
    """What inverse kinematics keeps for further calls of the same kind."""

    @abstractmethod
    def _exact(self) -> Reaching:
        """This robot in float64."""

    @known_keywords
    def inverse_kinematics(
        self,
        target: Array | Mapping[str, Array] | Sequence[Array],
        frame: Frames | None = None,
        q0: Array | None = None,
        *,
        axes: Rows | Mapping[str, Rows] | None = None,
        expressed_in: GoalAxes = "body",
        weights: Array | Mapping[str, Array] | None = None,
        limits: bool = True,
        rest: Array | None = None,
        rest_weight: Array | None = None,
        hold: str | Sequence[str] = (),
        tolerance: Array = 1e-6,
        restarts: int = 200,
        iterations: int = 48,
        seed: int = 0,
        threads: Threads = None,
    ) -> InverseKinematics:
        """Configurations that bring one frame or several to goals, for many targets at once.

        Damped least squares on the manifold of configurations, in a compiled kernel, within the joint limits, those of
        mimic joints too, and with closed loops. A target that is not reached from one start is tried again from others,
        the nearest of many random configurations. What is found for a target does not depend on the other targets of
        the batch. See docs/inverse_kinematics.md.

        Parameters
        ----------
        target : array_like or mapping of str to array_like
            Goals: poses, shape (..., 4, 4), or positions, shape (..., 3), in the world [m]; with axes="orientation"
            also rotations, shape (..., 3, 3). For several frames, a mapping by their names, or a sequence in the order
            of `frame`.
        frame : str or sequence of str, optional
            Name of the frame, or several; not with a mapping.
        q0 : array_like, shape (..., nq), optional
            Configurations to start from. Unless given, it is `rest`, or a start that is chosen like the others.
        axes : {"pose", "position", "orientation"} or sequence of int, optional
            Rows of the error that count: all six, the last three, the first three, or indices from 0 to 5 (rotation x,
            y, z, then translation x, y, z). For several frames, one choice for all, a sequence, or a mapping by name.
            Unless given, all that a target determines.
        expressed_in : {"body", "aligned"}, default "body"
            Axes of the rows: those of the frame or of the world; it matters for some of three rows only.
        weights : float, array_like, shape (6,), or mapping of str to these, optional
            Weights of the rows, by frame: they decide what is given up if not all goals can be met.
        limits : bool, default True
            Whether joints stay within their limits.
        rest : array_like, shape (..., nq), optional
            Preferred configurations: of the solutions near by, the one at the least distance from it is taken; others
            farther off may be nearer to it. Where `iterations` are too few for that, status is "preference". Targets
            that a search with the preference misses are solved without it at first.
        rest_weight : array_like, shape (nv,), optional
            Weights of the squares in that distance, zero for joints that do not matter; one unless given.
        hold : str or sequence of str, optional
            Names of joints that stay where `q0` has them, or at `home` unless that is given.
        tolerance : float or array_like, shape (2,), default 1e-6
            Largest distance from the goal: one number, or position [m] and angle [rad].
        restarts : int, default 200
            Number of further starts for targets that are not reached, unless they are proven to be too far away.
        iterations : int, default 48
            Largest number of steps from a start; from others than `q0` no more than 12, unless only the preference
            `rest` is not met. After a search without success, up to twice as many lead from the best configuration to a
            local minimum.
        seed : int, default 0
            Seed of the random configurations.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        InverseKinematics
            Configurations `q`, with `success`, `status` and `residual` of each target.

        Raises
        ------
        InputError
            If a name is unknown, a target is no pose or not finite, a shape does not fit, a joint is held beyond its
            limits, `q0` or `rest` is far beyond them, limits contradict each other, or no joint moves.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> found = robot.inverse_kinematics([1.2, 0.0, 0.9], "tip", q0=[0.1, 0.3])
        >>> found.q.round(3), robot.pose(found.q, "tip")[:3, 3].round(5)
        (array([-0.079,  1.445]), array([1.2, 0. , 0.9]))
        >>> robot.inverse_kinematics([[1.2, 0.0, 0.9], [2.1, 0.0, 0.0]], "tip").status
        array(['converged', 'unreachable'], dtype='<U11')
        """
        robot = self._exact() if q0 is None else self._on_checked(q0, what="q0", closed=False)._exact()
        options = reach.Options(
            axes, expressed_in, weights, limits, rest, rest_weight, hold, tolerance, restarts, iterations, seed, threads
        )
        return reach.inverse_kinematics(robot, self._searches, target, frame, q0, options)

    @known_keywords
    def inverse_velocity(
        self,
        q: Array,
        twist: Array | None,
        frame: Frames | None = None,
        *,
        dt: float = 0.01,
        target: Array | Mapping[str, Array] | Sequence[Array] | None = None,
        gain: float = 0.5,
        axes: Rows | None = None,
        expressed_in: ExpressedIn = "body",
        weights: Array | Mapping[str, Array] | None = None,
        damping: float | None = None,
        limits: bool = True,
        rest: Array | None = None,
        rest_gain: float = 1.0,
        keep_direction: bool = False,
        tolerance: Array = 1e-6,
        threads: Threads = None,
    ) -> InverseVelocity:
        """Velocities that move frames as asked, or towards targets: one step of differential inverse kinematics.

        The inverse of `velocity`: damped least squares between the limits of speeds and positions, which the joints do
        not pass within dt; a quadratic program for each state, in a kernel. Velocities stay bounded near singular
        configurations, and the result says what is missing there. With closures, they are velocities that these allow.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        twist : array_like, shape (..., k), or None
            Rows of the twists that are asked for [rad/s, m/s]: six for one frame, or as many as `axes` choose, frame by
            frame. None if there is a `target`.
        frame : str or sequence of str, optional
            Name of the frame, or several; not with a mapping of targets.
        dt : float, default 0.01
            Length of the step [s].
        target : array_like or mapping of str to array_like, optional
            Goals instead of twists, as in `inverse_kinematics`.
        gain : float, default 0.5
            Part of the way to the target that is asked for in this step.
        axes : {"pose", "position", "orientation"} or sequence of int, optional
            Rows of the twist: all six, the last three, the first three, or indices from 0 to 5 (rotation x, y, z, then
            translation x, y, z). For several frames, one choice for all or a sequence with one for each.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twists: those of the frame, of the world, or the world's axes at the frame's origin.
        weights : float, array_like, shape (6,), or mapping of str to these, optional
            Weights of the rows, by frame: they decide what is given up if not all can be had.
        damping : float, optional
            Number λ: λ² weighs the square of the velocity against that of what is missing. Unless given, it is 1e-4,
            and up to 0.01 where the smallest singular value is below 0.01.
        limits : bool, default True
            Whether velocities and positions stay within the limits. A joint that is beyond a limit of its position may
            return at any speed allowed, and does not go farther.
        rest : array_like, shape (..., nq), optional
            Preferred configurations, approached by motions that do not move the frames.
        rest_gain : float, default 1.0
            Rate of that approach [1/s].
        keep_direction : bool, default False
            Whether limits of speeds shorten the twist as a whole. Unless asked for, the frames come as near as can be
            to the twist, in another direction if need be.
        tolerance : float or array_like, shape (2,), default 1e-6
            Distance from the target at which a frame has arrived: one number, or position [m] and angle [rad].
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        InverseVelocity
            Velocities `v` and configurations `q` after the step, with `status`, `missing` and the `smallest` singular
            value of each state; with targets, whether the frames have `arrived`, and the `residual`.

        Raises
        ------
        InputError
            If a name is unknown, a number is not finite or a shape does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> step = robot.inverse_velocity([0.3, 0.8], [0.1, 0.2], "tip", axes=(3, 5), expressed_in="aligned")
        >>> step.v.round(3), step.success, step.smallest.round(3)
        (array([ 0.312, -0.527]), True, np.float64(0.347))
        >>> robot.inverse_velocity([0.3, 0.0], [1.0, 0.0], "tip", axes=(3, 5)).status
        'singular'
        """
        options = reach.StepOptions(
            target,
            gain,
            axes,
            expressed_in,
            weights,
            damping,
            limits,
            rest,
            rest_gain,
            keep_direction,
            tolerance,
            threads,
        )
        return reach.inverse_velocity(self._on_checked(q)._exact(), self._searches, q, twist, frame, dt, options)

    @compiled(algorithms.manipulability)
    def manipulability(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        measure: Measure = "volume",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Manipulability of frames: how well they can be moved, as one number.

        The singular values of J are the half-axes of the ellipsoid of twists that velocities of unit length allow; if
        there are more rows than velocities, of what these can move. With closures, velocities are those that they
        allow. `kt.jacobian(kt.algorithms.manipulability)` is the exact derivative.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes : {"pose", "position", "orientation"} or sequence of int, default "pose"
            Rows of the twist: all six, the last three, the first three, or indices from 0 to 5 (rotation x, y, z, then
            translation x, y, z). For several frames, one choice for all or a sequence with one for each.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twists: those of the frame, of the world, or the world's axes at the frame's origin.
        measure : {"volume", "smallest", "condition", "dynamic"}, default "volume"
            Product of the singular values, Yoshikawa's √det(J Jᵀ), or √det(Jᵀ J) if there are more rows than
            velocities; the smallest one; its ratio to the largest, from 0
            to 1; or √det(J M⁻¹ Jᵀ), the product for velocities of unit kinetic energy, zero if there are more rows than
            degrees of freedom.
        out : ndarray, optional
            Array for the result.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (...)
            The measure; zero at singular configurations.

        Raises
        ------
        InputError
            If a name is unknown or the shape of an array does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.manipulability([[0.3, 0.0], [0.3, 0.5], [0.3, 1.5]], "tip", axes=(3, 5)).round(3)
        array([0.   , 0.479, 0.997])
        >>> robot.manipulability([0.3, 1.5], "tip", axes=(3, 5), measure="condition").round(3)
        np.float64(0.358)
        """

    @known_keywords
    def reachability(
        self, frame: str, n: int = 10_000, *, seed: int = 0, axes: Rows = "position", measure: Measure = "volume"
    ) -> Reachability:
        """Poses that a frame takes at random configurations within the joint limits, and its manipulability there.

        Parameters
        ----------
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        n : int, default 10000
            Number of configurations; with closures, of guesses, some of which may not close.
        seed : int, default 0
            Seed of the random configurations.
        axes : {"pose", "position", "orientation"} or sequence of int, default "position"
            Rows of the twist that manipulability is about.
        measure : {"volume", "smallest", "condition", "dynamic"}, default "volume"
            Measure of manipulability, as in `manipulability`.

        Returns
        -------
        Reachability
            Configurations, poses and manipulability; its method `draw` shows them.

        Raises
        ------
        InputError
            If a name is unknown or n is not a whole number, at least one.

        Examples
        --------
        >>> import kinetrace as kt
        >>> found = kt.load("planar2r").reachability("tip", 1000)
        >>> found
        Reachability('tip', 1000 poses from [-1.996, 0.0, -1.994] to [1.99, 0.0, 1.988] m)
        """
        return reach.reachability(self._exact(), frame, n, seed, axes, measure)
