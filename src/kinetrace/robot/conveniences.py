"""Methods of a robot that call the applications: simulation, inverse kinematics, geometry, checks, formulas.

These applications stand above robots and import `Robot`. Each method imports its own when it is first called, so that
`import kinetrace` loads none of them; of the other modules of this package, only `pictures` does the same.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy.typing as npt

from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.registry.choices import ExpressedIn, Frames, GoalAxes, Measure, Rows, StepMethod
from ..algorithms.registry.declaration import ALGORITHMS, algorithm_named
from ..engine.compilation.compile import model_of
from ..engine.compilation.program import checked_inputs, checked_shapes, program
from ..engine.runtime.kernel import Kernel
from ..errors import InputError, PhysicsWarning, warn
from ..model.build import edits
from ..model.checks import Check
from ..model.model import Model
from ..support.conversion import as_flag
from ..support.keywords import known_keywords, renamed_keyword
from ..support.threads import importing
from .base import RobotBase
from .checked_calls import drives_nothing
from .methods.configurations import positive
from .types import Array, Drives, Float, Threads, Wrenches, WrenchesOrFunctions

if TYPE_CHECKING:
    from ..analysis.compare import Difference
    from ..analysis.doctor import Report
    from ..analysis.geometry import Geodesic
    from ..analysis.verify import Verification
    from ..inverse_kinematics import InverseKinematics, InverseVelocity, Reachability
    from ..simulation import Trajectory
    from ..symbolic import Symbolic
    from ..worlds import World
    from .robot import Robot


def as_robot(x: Any) -> Robot:
    """A robot under its own type: whatever has these methods is a `Robot`."""
    return x


class Conveniences(RobotBase):
    """Methods that call the applications."""

    _searches: dict[Any, Any]
    """Kernels of inverse kinematics for further calls of the same kind."""

    @abstractmethod
    def _exact(self) -> Self:
        """This robot in float64, for computations that float32 is too coarse for."""

    @abstractmethod
    def _with_model(self, model: Model, dynamics_model: Model | None = None) -> Robot:
        """A robot of another model with the settings of this one."""

    @renamed_keyword("traced", "compiled")
    @known_keywords
    def simulate(
        self,
        q: Array,
        v: Array,
        t: float,
        dt: float,
        *,
        tau: Array | None = None,
        controller: Callable[..., Any] | None = None,
        control: Array | Callable[..., Any] | None = None,
        state: Any = None,
        parameters: Mapping[str, Any] | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: WrenchesOrFunctions = None,
        drive: Drives = None,
        method: str | None = None,
        record: int = 1,
        project: bool | None = None,
        stabilisation: Array | None = None,
        contact: Mapping[str, Array] | None = None,
        world: World | None = None,
        events: Any = None,
        rtol: float | None = None,
        atol: float | None = None,
        compiled: bool | None = None,
        progress: Callable[[int, int], object] | bool | None = None,
    ) -> Trajectory:
        """Motion from a state until the time t, as a `Trajectory`.

        Steps are equal; if t is not a multiple of dt, all are shorter, so that the last one ends at t: 11 steps of
        0.00955 s for t=0.105 and dt=0.01 (`Trajectory.dt` tells). A dt longer than t is a `SimulationWarning`. Adaptive
        methods, by SciPy, are for one state: forces act continuously, and dt is the time between rows. Closed loops are
        closed at the beginning, with a `SimulationWarning` if that changes q or v by more than 1e-6, and by default
        again after each step. Ctrl-C returns the motion so far. See docs/simulation.md.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations at time 0 and velocities at time 0 [rad/s, m/s].
        t : float
            Time at the end [s].
        dt : float
            Length of a step [s].
        tau : array_like, shape (..., nv), optional
            Constant joint forces [N m, N]; zero unless given.
        controller : callable, optional
            Controller of `kinetrace.control`, which is compiled into the loop, or a function `controller(t, q, v)` that
            returns joint forces (..., nv); called in each step with the whole batch, its forces are held until the
            next. With a `state` it is called as `controller(t, q, v, state, **parameters)` and returns (tau, state).
        control : array_like or callable, optional
            Controls of the actuators instead of joint forces, in the order of `actuator_names`: constant (..., nu), a
            row for each step (..., T, nu), or a function of (t, q, v) that returns (..., nu) and is called in each step
            with the whole batch. One of (model, t, q, v), plain array code of one state, is compiled into the loop.
        state : object, optional
            The controller's own state at the beginning; a controller of `kinetrace.control` has one of its own. With
            `control`, that of the actuators, such as {"activation": ...}.
        parameters : mapping of str to object, optional
            Further keywords of the controller.
        base_velocity : array_like, shape (..., 6), optional
            Twist of the base at the beginning [rad/s, m/s], when the base has the axes of the world; q, v and energies
            are relative to the base.
        base_acceleration : array_like, shape (..., 6), optional
            Constant rate of the components of the base's twist [rad/s², m/s²].
        wrench : mapping of str to array_like or callable, or callable, optional
            External wrenches by frame name, as in `step`: constant, or functions of (t, q, v) that return (..., 6) and
            are called in each step with the whole batch, to order two; or one function that returns such a mapping.
            Functions of (model, t, q, v), plain array code of one state, are compiled into the loop, and act within
            steps: the implicit methods differentiate them.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures at the beginning, as in `step`, which go on with constant accelerations; not
            with adaptive methods.
        method : str, optional
            Integrator of `step`, or adaptive: "DOP853", "RK45", "RK23", "Radau", "BDF" or "LSODA" (the last two not
            with closed loops). By default "rkmk4", "semi-implicit" for robots with dry friction or hard stops, or
            "implicit" if a controller that is compiled reacts too fast for steps of dt that hold its forces;
            `Trajectory.method` tells. A `SimulationWarning` tells before the run if steps are too long for the method.
        record : int, default 1
            Number of steps per row of the result; the last step always has a row.
        project : bool, optional
            Whether to close loops after each step; by default true, unless `stabilisation` is given.
        stabilisation : array_like, shape (..., 2), optional
            As in `forward_dynamics`.
        contact : mapping of str to array_like, optional
            Of robots in a world, numbers instead of the world's: "friction" (..., pairs), and of shapes that are fixed
            to the world their name with ".pose" (..., 7), ".size" or ".heights"; see docs/contact.md.
        world : World, optional
            What the robot stands on and meets. The state is the robot's, and objects begin at their own; results are
            those of the robot, with `objects` and `contacts`. It takes "semi-implicit", the default, and "implicit".
        events : callable, sequence or mapping, optional
            Functions of (t, q, v) for adaptive methods, of which zeros are recorded: one, several, or several by name.
            One with a true attribute `terminal` ends the motion, or with a number n, at its n-th zero: the last row is
            the state there.
        rtol : float, optional
            Relative tolerance of adaptive methods, 1e-9 unless given.
        atol : float, optional
            Absolute tolerance of adaptive methods, 1e-10 unless given.
        compiled : bool, optional
            Whether the loop runs in a kernel, with the controller and functions of wrenches, which must then be plain
            array code of one state, compiled into it. By default a function is called from Python, controllers of
            `kinetrace.control` are compiled, and constant forces run in a kernel from 2,000 steps on, of closed
            loops from the first.
        progress : callable or bool, optional
            Function of (steps done, steps in all), or whether to show a line on stderr; by default it is shown if that
            is a terminal.

        Returns
        -------
        Trajectory
            Times, states and joint forces, with events and failures.

        Raises
        ------
        InputError
            If an argument is unknown, does not fit in shape or cannot be combined with the method.

        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.5, 0.0], [0.0, 0.0], t=1.0, dt=0.01, controller=lambda t, q, v: -2.0 * v)
        >>> motion.q[-1].round(3), motion.energy()[[0, -1]].round(3)
        (array([-1.933, -0.181]), array([ 9.406, -4.948]))
        """
        with importing("kinetrace.simulation"):
            from .. import simulation

        request = simulation.SimulationRequest(
            q=q,
            v=v,
            t=t,
            dt=dt,
            tau=tau,
            controller=controller,
            control=control,
            state=state,
            parameters=parameters,
            inputs=ExternalInputs.of(locals()),
            method=method,
            record=record,
            project=project,
            events=events,
            rtol=rtol,
            atol=atol,
            compiled=compiled,
            progress=progress,
        )
        robot = as_robot(self._on_checked(q, v, closed=drives_nothing(drive)))
        if world is not None:
            return simulation.scenes.simulate(robot, request, world)
        return simulation.simulate(robot, request)

    @known_keywords
    def rollout(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        *,
        method: StepMethod | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: WrenchesOrFunctions = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        contact: Mapping[str, Array] | None = None,
        world: World | None = None,
        project: bool | None = None,
    ) -> tuple[Float, Float]:
        """States after each of T steps under given joint forces, with the loop in a kernel.

        Closed loops are closed after each step, as in `simulate`, but not before the first: `project` and `assemble`
        close those of a state. With `project=False` and without `stabilisation` they open slowly.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations at the beginning and velocities at the beginning [rad/s, m/s].
        tau : array_like, shape (..., T, nv)
            Joint forces in each step [N m, N].
        dt : float
            Length of a step [s].
        method : str, optional
            Integrator, as in `step`: "rkmk4" unless given, "semi-implicit" with dry friction or hard stops.
        base_velocity : array_like, shape (6,) or (..., T, 6), optional
            Twist of the base at the beginning, as in `simulate`, or at the beginning of each step.
        base_acceleration : array_like, shape (6,) or (..., T, 6), optional
            Rate of the components of `base_velocity`, constant or in each step.
        wrench : mapping of str to array_like or callable, or callable, optional
            External wrenches by frame name, as in `simulate`; functions are compiled into the loop.
        drive : mapping of str to array_like, shapes (3, k) or (..., T, 3, k), optional
            Prescribed motions of closures by name, at the beginning, as in `simulate`, or at that of each step.
        stabilisation : array_like, shape (..., 2), optional
            As in `forward_dynamics`.
        contact : mapping of str to array_like, optional
            Of robots in a world, numbers instead of the world's: "friction" (..., pairs), and of shapes that are fixed
            to the world their name with ".pose" (..., 7), ".size" or ".heights"; see docs/contact.md.
        world : World, optional
            What the robot stands on and meets, as in `simulate`.
        project : bool, optional
            Whether to close loops after each step; by default true, unless `stabilisation` is given.

        Returns
        -------
        q : ndarray, shape (..., T, nq)
            Configurations after each step.
        v : ndarray, shape (..., T, nv)
            Velocities after each step [rad/s, m/s].

        Raises
        ------
        InputError
            If an argument does not fit, or a motion becomes NaN that began with open loops.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> q, v = kt.load("planar2r").rollout([0.0, 0.0], [0.0, 0.0], np.zeros((5, 2)), 0.01)
        >>> v[[0, -1]].round(3)
        array([[-0.126,  0.168],
               [-0.63 ,  0.84 ]])
        """
        with importing("kinetrace.simulation"):
            from .. import simulation

        robot = as_robot(self._on_checked(q, v, closed=drives_nothing(drive)))
        if world is not None:
            inputs = ExternalInputs.of(locals())
            chosen: dict[str, Any] = {"method": method, "inputs": inputs, "project": project}
            return simulation.scenes.rollout(robot, world, q, v, tau, dt, **chosen)
        return simulation.rollout(robot, q, v, tau, dt, method, ExternalInputs.of(locals()), project)

    @known_keywords
    def rollout_derivatives(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        *,
        method: StepMethod | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        contact: Mapping[str, Array] | None = None,
        project: bool | None = None,
    ) -> tuple[Float, Float]:
        """Derivatives of the last state of a `rollout` with respect to the first state and to the forces.

        States are (δq, δv), with δq along q ⊕ δq. Memory is nq + nv numbers per step, for up to 64 states per thread at
        a time. Closed loops must be closed at the beginning, as for `rollout`. Derivatives with respect to the robot's
        parameters are in docs/simulation.md.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations at the beginning and velocities at the beginning [rad/s, m/s].
        tau : array_like, shape (..., T, nv)
            Joint forces in each step [N m, N].
        dt : float
            Length of a step [s].
        method : str, optional
            Integrator, as in `step`: "rkmk4" unless given, "semi-implicit" with dry friction or hard stops.
        base_velocity : array_like, shape (6,) or (..., T, 6), optional
            Twist of the base, as in `rollout`.
        base_acceleration : array_like, shape (6,) or (..., T, 6), optional
            Rate of the components of `base_velocity`, as in `rollout`.
        wrench : mapping of str to array_like, optional
            External wrenches by frame name; constant.
        drive : mapping of str to array_like, shapes (3, k) or (..., T, 3, k), optional
            Prescribed motions of closures by name, as in `rollout`.
        stabilisation : array_like, shape (..., 2), optional
            As in `forward_dynamics`.
        contact : mapping of str to array_like, optional
            Of robots in a world, numbers instead of the world's: "friction" (..., pairs), and of shapes that are fixed
            to the world their name with ".pose" (..., 7), ".size" or ".heights"; see docs/contact.md.
        project : bool, optional
            Whether loops are closed after each step, as in `rollout`.

        Returns
        -------
        by_state : ndarray, shape (..., 2 nv, 2 nv)
            The derivative with respect to the first state.
        by_tau : ndarray, shape (..., T, 2 nv, nv)
            The derivative with respect to the joint forces of each step.

        Raises
        ------
        InputError
            If an argument does not fit, or a motion becomes NaN that began with open loops.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> by_state, by_tau = robot.rollout_derivatives([0.0, 0.0], [0.0, 0.0], np.zeros((5, 2)), 0.01)
        >>> by_tau[0].round(4)
        array([[ 0.0008, -0.0019],
               [-0.0019,  0.0062],
               [ 0.0171, -0.0428],
               [-0.0427,  0.1368]])
        """
        with importing("kinetrace.simulation"):
            from .. import simulation

        robot = as_robot(self._on_checked(q, v, closed=drives_nothing(drive)))
        return simulation.rollout_derivatives(robot, q, v, tau, dt, method, ExternalInputs.of(locals()), project)

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

        Returns
        -------
        InverseKinematics
            Configurations `q`, with `success`, `status` and `residual` of each target.

        Raises
        ------
        InputError
            If a name is unknown, a target is no pose or not finite, a shape does not fit, a joint is held beyond its
            limits, `q0` or `rest` is far beyond them, limits contradict each other, or no joint moves.

        >>> robot = kt.load("planar2r")
        >>> found = robot.inverse_kinematics([1.2, 0.0, 0.9], "tip", q0=[0.1, 0.3])
        >>> found.q.round(3), robot.pose(found.q, "tip")[:3, 3].round(5)
        (array([-0.079,  1.445]), array([1.2, 0. , 0.9]))
        >>> robot.inverse_kinematics([[1.2, 0.0, 0.9], [2.1, 0.0, 0.0]], "tip").status
        array(['converged', 'unreachable'], dtype='<U11')
        """
        with importing("kinetrace.inverse_kinematics"):
            from .. import inverse_kinematics

        robot = as_robot(self if q0 is None else self._on_checked(q0, what="q0", closed=False))._exact()
        options = inverse_kinematics.SearchOptions(
            axes=axes,
            expressed_in=expressed_in,
            weights=weights,
            limits=limits,
            rest=rest,
            rest_weight=rest_weight,
            hold=hold,
            tolerance=tolerance,
            restarts=restarts,
            iterations=iterations,
            seed=seed,
            threads=threads,
        )
        return inverse_kinematics.inverse_kinematics(robot, self._searches, target, frame, q0, options)

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

        Returns
        -------
        InverseVelocity
            Velocities `v` and configurations `q` after the step, with `status`, `missing` and the `smallest` singular
            value of each state; with targets, whether the frames have `arrived`, and the `residual`.

        >>> robot = kt.load("planar2r")
        >>> step = robot.inverse_velocity([0.3, 0.8], [0.1, 0.2], "tip", axes=(3, 5), expressed_in="aligned")
        >>> step.v.round(3), step.success, step.smallest.round(3)
        (array([ 0.312, -0.527]), True, np.float64(0.347))
        >>> robot.inverse_velocity([0.3, 0.0], [1.0, 0.0], "tip", axes=(3, 5)).status
        'singular'
        """
        with importing("kinetrace.inverse_kinematics"):
            from .. import inverse_kinematics

        robot = as_robot(self._on_checked(q))._exact()
        options = inverse_kinematics.StepOptions(
            target=target,
            gain=gain,
            axes=axes,
            expressed_in=expressed_in,
            weights=weights,
            damping=damping,
            limits=limits,
            rest=rest,
            rest_gain=rest_gain,
            keep_direction=keep_direction,
            tolerance=tolerance,
            threads=threads,
        )
        return inverse_kinematics.inverse_velocity(robot, self._searches, q, twist, frame, dt, options)

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

        >>> found = kt.load("planar2r").reachability("tip", 1000)
        >>> found
        Reachability('tip', 1000 poses from [-1.996, 0.0, -1.994] to [1.99, 0.0, 1.988] m)
        """
        with importing("kinetrace.inverse_kinematics"):
            from .. import inverse_kinematics

        return inverse_kinematics.reachability(as_robot(self._exact()), frame, n, seed, axes, measure)

    def riemann(self, q: Array, *, threads: Threads = None) -> Float:
        """Riemann curvature tensor of the mass matrix.

        R_ijkl = <R(E_k, E_l) E_j, E_i> of Park et al. (66), so that R_ijij is positive on a sphere. A state has nv⁴
        numbers, 18 MB for 39 degrees of freedom; `sectional_curvature` computes single ones.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv, nv)
            Entry [i, j, k, l] is R_ijkl.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        >>> kt.load("planar2r").riemann([0.0, 0.5])[0, 1].round(3)
        array([[ 0.   ,  0.339],
               [-0.339,  0.   ]])
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        return geometry.riemann(as_robot(self._on_checked(q)), q, threads)

    def ricci(self, q: Array, *, threads: Threads = None) -> Float:
        """Ricci tensor of the mass matrix.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            Entry [j, l] is Σ_ik (M⁻¹)_ik R_ijkl.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        >>> kt.load("planar2r").ricci([0.0, 0.5]).round(3)
        array([[3.421, 1.038],
               [1.038, 0.448]])
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        return geometry.ricci(as_robot(self._on_checked(q)), q, threads)

    def scalar_curvature(self, q: Array, *, threads: Threads = None) -> Float:
        """Scalar curvature of the mass matrix, Σ_jl (M⁻¹)_jl Ric_jl.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (...)
            The curvature; with two degrees of freedom, twice the Gaussian curvature.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        >>> kt.load("planar2r").scalar_curvature([[0.0, 0.5], [0.0, 1.0]]).round(3)
        array([2.689, 0.761])
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        return geometry.scalar_curvature(as_robot(self._on_checked(q)), q, threads)

    def is_flat(self, *, tol: float = 1e-09, seed: int = 0) -> bool:
        """Whether the mass matrix is a flat metric: then it is constant in suitable coordinates (Spong 1992).

        It is flat if the Christoffel symbols vanish identically. Otherwise the curvature of random planes is computed
        in 64 random states within the limits, in float64, and compared with the accelerations that it is made of. A
        curved metric is recognised with certainty but for rounding, a flat one with probability one.

        Parameters
        ----------
        tol : float, default 1e-09
            Largest relative curvature that counts as zero.
        seed : int, default 0
            Seed of the random states and planes.

        Returns
        -------
        bool
            Whether the metric is flat.

        Raises
        ------
        InputError
            If `tol` is not positive, or the robot has closed loops.

        >>> kt.load("planar2r").is_flat()
        False
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        return geometry.is_flat(as_robot(self._exact()), tol, seed)

    def geodesic(self, q: Array, v: Array, t: Array, *, tol: float = 1e-10) -> tuple[Float, Float]:
        """Motion without joint forces and gravity from a state: a geodesic of the mass matrix.

        Closed loops stay closed, if they are and `v` is a velocity that they allow: then it is a geodesic of
        `reduced_mass_matrix`, on the surface of the configurations that close them. Step sizes are common to the batch.
        A motion that reaches a singular mass matrix, which massless links allow, is NaN from there on.

        Parameters
        ----------
        q, v, t : array_like, shapes (..., nq), (..., nv), (k,)
            Configurations at time 0, velocities at time 0 [rad/s, m/s] and times in order [s], which may be negative.
        tol : float, default 1e-10
            Error per step, relative to 1 + the largest number of a state.

        Returns
        -------
        q : ndarray, shape (..., k, nq)
            Configurations at these times.
        v : ndarray, shape (..., k, nv)
            Velocities at these times [rad/s, m/s]; the kinetic energy is constant.

        Raises
        ------
        InputError
            If `t` is not in order, or the shape of an array does not fit.

        >>> q, v = kt.load("planar2r").geodesic([0.0, 1.0], [1.0, -2.0], [0.0, 0.5, 1.0])
        >>> q.round(3)
        array([[ 0.   ,  1.   ],
               [ 0.614, -0.372],
               [ 1.132, -1.42 ]])
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        return geometry.geodesic(as_robot(self._on_checked(q, v)), q, v, t, tol)

    def geodesic_between(self, q0: Array, q1: Array, *, samples: int = 51, tol: float = 1e-09) -> Geodesic:
        """Geodesic of the mass matrix from q0 to q1, in unit time.

        It needs no joint forces, gravity left out: Park et al.'s minimum-energy path, which makes ∫ vᵀ M v dt
        stationary, and minimal if it is short. It is found by Newton's method on the initial velocity, starting from
        `difference(q0, q1)`, which also decides which way angles turn. Joint limits are ignored. Closed loops, which q0
        and q1 must close, stay closed. The computation is in float64 for every robot.

        Parameters
        ----------
        q0, q1 : array_like, shape (nq,)
            Configuration at the beginning and configuration at the end.
        samples : int, default 51
            Number of times at which the geodesic is returned.
        tol : float, default 1e-09
            Largest distance from q1 at the end, relative to the velocity.

        Returns
        -------
        Geodesic
            Named tuple of times `t` (samples,), `q` (samples, nq), `v` (samples, nv) and the `length` ∫ √(vᵀ M v) dt.

        Raises
        ------
        InputError
            If Newton's method does not converge, or the shape of an array does not fit.

        >>> found = kt.load("planar2r").geodesic_between([0.0, 0.5], [1.0, 1.5], samples=3)
        >>> found.q.round(3), round(found.length, 3)
        (array([[0.   , 0.5  ],
               [0.293, 1.514],
               [1.   , 1.5  ]]), 1.832)
        """
        with importing("kinetrace.analysis.geometry"):
            from ..analysis import geometry

        self._on_checked(q0, what="q0")
        self._on_checked(q1, what="q1")
        return geometry.geodesic_between(as_robot(self._exact()), q0, q1, samples, tol)

    @known_keywords
    def doctor(self) -> Report:
        """Errors and oddities of the robot, the gravest first, each with a remedy: as `kinetrace doctor` prints them.

        A robot as it was loaded from URDF is examined together with its file, which is read again. What loading said
        about the file is not repeated; the command does. docs/doctor.md lists all findings.

        Returns
        -------
        Report
            Sequence of findings, with `severity` ("error", "warning" or "note"), `kind`, `where`, `what`, `why`,
            `remedy`. Its text lists them, and `changes_motion` tells whether there are errors or warnings.

        >>> report = kt.load("four_bar").doctor()
        >>> report.changes_motion, report[0].kind
        (False, 'redundant closures')
        """
        with importing("kinetrace.analysis.doctor"):
            from ..analysis.doctor import examine

        return examine(self.model)

    @known_keywords
    def verify(self, *, states: int | None = None, seed: int = 0, tolerance: float = 1e-9) -> Verification:
        """Check that the laws of mechanics hold on this robot, as `kinetrace verify` does.

        It is for robots with joints of your own above all: commands do not know these (docs/building.md). Each identity
        computes a quantity in two ways on random states within the limits: velocities and the derivatives of poses,
        forces and the rate of energy, the mass matrix and its factors, compiled code and plain floats. A residual is
        the largest difference relative to the size of the terms, about 1e-15 by rounding.

        Parameters
        ----------
        states : int, optional
            Number of random states; ten unless given, fewer for robots of many joints.
        seed : int, default 0
            Seed of the random states.
        tolerance : float, default 1e-9
            Largest residual that passes.

        Returns
        -------
        Verification
            Sequence of results, with `identity` (its `name`, `group`, `equation`, `source`), `residual`, `skipped` and
            `error`; whether it `holds`, and the list of those that are `wrong`, the `worst` residual, and those
            `skipped` by the reason. It is true if all hold, and its text says so.

        Raises
        ------
        InputError
            If nothing of the robot moves, or an argument is no such number.

        >>> found = kt.load("planar2r").verify(states=1)
        >>> found.holds, found.worst < 1e-13, found.skipped
        (True, True, {})
        """
        with importing("kinetrace.analysis.verify"):
            from ..analysis.verify import examine

        return examine(as_robot(self), states=states, seed=seed, tolerance=tolerance)

    @known_keywords
    def repaired(self) -> Robot:
        """The same robot with everything fixed that `doctor` can fix.

        Moments of inertia that no body has become the nearest possible ones, with the same mass and centre; ranges and
        velocities in degrees are converted; limits of effort and velocity of zero are dropped. Of a robot as it was
        loaded from URDF, the file is read again: masses in grams and `rpy` in degrees are converted, and ranges whose
        lower end is above the upper one are swapped. docs/doctor.md says when.

        Returns
        -------
        Robot
            The repaired robot; one that was optimised no longer is.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> b = kt.Builder("odd")
        >>> b.link("bob", inertia=np.diag([1.0, 1.0, 5.0, 1.0, 1.0, 1.0]))
        >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
        >>> robot = kt.Robot(b.build(check="ignore"))
        >>> robot.doctor()[0].what
        'principal moments 1, 1, 5 about the centre of mass break the triangle inequality: 1 + 1 < 5'
        >>> robot.repaired().parameters("inertial")[0, 4:].round(3)
        array([2.5, 0. , 0. , 2.5, 0. , 5. ])
        """
        with importing("kinetrace.analysis.doctor"):
            from ..analysis.doctor import repaired

        return self._with_model(repaired(self.model)[0])

    @known_keywords
    def with_payload(
        self,
        mass: float,
        frame: str,
        *,
        com: npt.ArrayLike = (0.0, 0.0, 0.0),
        inertia: npt.ArrayLike | None = None,
        check: Check = "warn",
    ) -> Robot:
        """The same robot with a rigid body fixed to a frame.

        Parameters
        ----------
        mass : float
            Mass of the payload [kg].
        frame : str
            Frame that it is fixed to; `robot.frame_names` lists them.
        com : array_like, shape (3,), default (0, 0, 0)
            Centre of mass in that frame [m].
        inertia : array_like, shape (3, 3), optional
            Rotational inertia about the centre of mass, in the axes of the frame [kg m²], symmetric to 1e-9 of its
            largest entry. Zero unless given.
        check : {"warn", "error", "ignore"}, default "warn"
            What to do about an inertia that no body can have. Unless it is "ignore", a mass of more than 20 kg and ten
            times the robot's, and a centre more than 5 m and ten times its length away, are doubted by a
            `PhysicsWarning`: they may be in g and mm.

        Returns
        -------
        Robot
            The robot with the payload.

        >>> robot = kt.load("planar2r")
        >>> loaded = robot.with_payload(0.5, "tip")
        >>> (loaded.gravity([0.0, 0.0]) - robot.gravity([0.0, 0.0])).round(3)
        array([9.81 , 4.905])
        """
        loaded = edits.with_payload(self.model, mass, frame, com, inertia, check)
        if check != "ignore" and self.model.is_concrete:
            with importing("kinetrace.analysis.doctor.units"):
                from ..analysis.doctor.units import doubts

            for doubt in doubts(self.model, mass, com):
                warn(doubt, PhysicsWarning)
        return self._with_model(loaded)

    @known_keywords
    def difference_to(self, other: RobotBase, *, tolerance: float = 1e-9) -> Difference:
        """Differences from this robot to another, part by part: as `kinetrace diff` prints them.

        Links and joints are matched by their names, and those that were renamed by where they are in the tree. Compared
        are topology, order and kinds of joints, placements and axes, limits, joint effects, mimics, masses, centres
        and moments, frames, closures, motors, gravity, base and home, the fluid, and what acts on links. Joint forces
        at random states tell whether both move in the same way, as robots in other link frames or other formats do.
        The difference of two configurations of one robot is `difference`.

        Parameters
        ----------
        other : Robot
            The robot to compare with, of any topology.
        tolerance : float, default 1e-9
            What differs by less is the same: relative to the larger number, and in m and rad for lengths and angles.

        Returns
        -------
        Difference
            Sequence of changes, with `subject`, `name`, `what`, `before` and `after`; empty, and so false, if nothing
            differs. `same_motion` is None where joints are in one of the two only; `verdict` says it in words.

        Raises
        ------
        InputError
            If `other` is not a robot, or `tolerance` is not a positive number.

        >>> robot = kt.load("panda")
        >>> print(robot.difference_to(robot.with_payload(1.5, "panda_link7")))
        panda, panda: 3 differences
        ...
        >>> bool(robot.difference_to(robot))
        False
        """
        with importing("kinetrace.analysis.compare"):
            from ..analysis.compare import differences

        if not isinstance(other, RobotBase):
            raise InputError(f"difference_to: expected a Robot, as kinetrace.load returns, got {type(other).__name__}")
        return differences(self.model, other.model, positive("tolerance", tolerance))

    def optimise(
        self,
        algorithm: str = "inverse_dynamics",
        *,
        frames: bool = True,
        regroup: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Robot:
        """Robot with joint-space dynamics that take fewer operations.

        The result's `dynamics_model` has the body frames and the regrouped inertial parameters for which the algorithm
        takes the fewest operations; its joint forces are compared with those of `model` on random states. All
        algorithms that depend on τ(q, v, a) alone run on it, unless the base moves; everything else runs on `model`,
        which stays as it is. `with_frame` and `renamed` keep it; all other edits drop it. See docs/optimise.md.

        Parameters
        ----------
        algorithm : str, default "inverse_dynamics"
            Algorithm of which the operations are counted.
        frames : bool, default True
            Whether to search for body frames.
        regroup : bool, default True
            Whether to regroup inertial parameters.
        progress : callable, optional
            Function of (bodies done, bodies at most).

        Returns
        -------
        Robot
            The same robot with another `dynamics_model`.

        Raises
        ------
        InputError
            If the algorithm is unknown or depends on more than joint forces.

        >>> robot = kt.load("planar2r")
        >>> robot.count("inverse_dynamics").flops, robot.optimise().count("inverse_dynamics").flops
        (33, 24)
        """
        names = {name: says for name, says in ALGORITHMS.items() if says.keeps_forces is not None}
        function = algorithm_named(algorithm, names).function

        def cost(model: Model) -> tuple[int, int]:
            count = program(function, model).count()
            return count.flops, count.mul

        chosen = {"frames": as_flag("frames", frames), "regroup": as_flag("regroup", regroup)}
        with importing("kinetrace.analysis.equivalent_models"):
            from ..analysis import equivalent_models

        found = equivalent_models.cheapest(self.model, cost, **chosen, progress=progress)
        return self._with_model(self.model, found)

    def symbolic(
        self,
        algorithm: str | Callable[..., Any],
        *,
        inputs: str | Sequence[str] = (),
        symbols: Mapping[str, str] | None = None,
        shapes: Mapping[str, Any] | None = None,
        rational: bool = False,
        most: int | None = 2000,
        **static: Any,
    ) -> Symbolic:
        """Formulas of an algorithm, or of any function of (model, q, ...), by SymPy.

        The function is traced for this robot, and its operations become expressions with common sub-expressions: for
        papers and for teaching, of small robots. Needs the extra *symbolic*.

        Parameters
        ----------
        algorithm : str or callable
            Name of an algorithm, or a function; derivatives such as `kt.jacobian(f)` are functions too.
        inputs : str or sequence of str, optional
            Parameters of the robot that become symbols instead of numbers, but where they are zero. "inertial": of body
            k the mass mk, the centre of mass c_kx, c_ky, c_kz and the moments I_kxx, I_kxy, … about it, in its frame.
            "placements": the way l_kx, l_ky, l_kz from body k to the next one, l_k_jx, … to body j if there are
            several; k is 0 at the base. "gravity": g_x, g_y, g_z. "closures": where closure k is on the bodies of its
            frames, d_kax, …, d_kbx, …. If a vector is along one axis, its symbol has no letter for the axis: ck, lk, g.
            Others: name and place, as damping1.
        symbols : mapping of str to str, optional
            Words for the symbols of arrays, which places from 1 on follow: {"q": "theta"} makes theta1, theta2. The
            array's name unless given. SymPy shows {"v": "qdot"} as dots over q.
        shapes : mapping of str to tuple of int, optional
            Shapes of further arguments, as in `compile`.
        rational : bool, default False
            Whether numbers that differ from simple fractions, or their square roots, by rounding alone become these.
        most : int or None, default 2000
            Number of operations beyond which formulas are refused; None allows any.
        **static
            Choices of the algorithm, such as `frame`.

        Returns
        -------
        Symbolic
            The formulas: `result` in terms of `subexpressions`; `expanded()` and `simplified()` are plain SymPy.

        Raises
        ------
        InputError
            If SymPy is missing, a name is unknown, there are too many operations, or the function iterates until it has
            converged or takes arrays of any length.

        >>> robot = kt.load("planar2r")
        >>> robot.symbolic("mass_matrix", rational=True).simplified()
        Matrix([
        [  cos(q2) + 5/3, cos(q2)/2 + 1/3],
        [cos(q2)/2 + 1/3,             1/3]])
        >>> M = robot.symbolic("mass_matrix", inputs=("inertial", "placements"))
        >>> M.simplified()[0, 1]
        I_2yy + c2**2*m2 + c2*l1*m2*cos(q2)
        >>> robot.symbolic("potential_energy", inputs="gravity", rational=True, symbols={"q": "theta"}).simplified()
        3*g*sin(theta1)/2 + g*sin(theta1 + theta2)/2
        """
        with importing("kinetrace.symbolic.formulas"):
            from ..symbolic.formulas import symbolic

        if isinstance(algorithm, Kernel):
            raise InputError(f"{algorithm.__name__} is a kernel already: give symbolic its name, or the function")
        function = self._function(algorithm)
        given = {**static, **checked_shapes(shapes), **dict.fromkeys(checked_inputs(inputs))}
        return symbolic(
            function,
            model_of(self._settings, function, given),
            inputs=inputs,
            symbols=symbols,
            shapes=shapes,
            rational=as_flag("rational", rational),
            most=most,
            static=static,
        )
