"""Simulation in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import simulate
from ..algorithms.choices import StepMethod
from ..simulate import Trajectory
from ..support.keywords import known_keywords
from .checked_calls import drives_nothing
from .closed_dynamics import ClosedDynamics
from .momentum import Momentum
from .types import Array, Drives, Float, Wrenches, WrenchesOrFunctions


class Simulation(ClosedDynamics, Momentum):
    """Simulation in time."""

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
        events: Any = None,
        rtol: float | None = None,
        atol: float | None = None,
        traced: bool | None = None,
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
        q : array_like, shape (..., nq)
            Configurations at time 0.
        v : array_like, shape (..., nv)
            Velocities at time 0 [rad/s, m/s].
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
        state : object, optional
            The controller's own state at the beginning; a controller of `kinetrace.control` has one of its own.
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
            with closed loops). By default "rkmk4", or "implicit" if a controller that is compiled reacts too fast for
            steps of dt that hold its forces; `Trajectory.method` tells. A `SimulationWarning` tells before the run if
            steps are too long for the method.
        record : int, default 1
            Number of steps per row of the result; the last step always has a row.
        project : bool, optional
            Whether to close loops after each step; by default true, unless `stabilisation` is given.
        stabilisation : array_like, shape (..., 2), optional
            Frequency [1/s] and damping ratio of Baumgarte's method, which closes loops that have drifted open; none
            unless given.
        events : callable, sequence or mapping, optional
            Functions of (t, q, v) for adaptive methods, of which zeros are recorded: one, several, or several by name.
            One with a true attribute `terminal` ends the motion, or with a number n, at its n-th zero: the last row is
            the state there.
        rtol : float, optional
            Relative tolerance of adaptive methods, 1e-9 unless given.
        atol : float, optional
            Absolute tolerance of adaptive methods, 1e-10 unless given.
        traced : bool, optional
            Whether the loop runs in a kernel, with the controller and functions of wrenches, which must then be plain
            array code of one state, compiled into it. By default a function is called from Python, controllers of
            `kinetrace.control` are compiled, and constant forces run in a kernel from 2,000 steps on. Where closed
            loops are projected, the kernel takes one step at a time.
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

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.5, 0.0], [0.0, 0.0], t=1.0, dt=0.01, controller=lambda t, q, v: -2.0 * v)
        >>> motion.q[-1].round(3), motion.energy()[[0, -1]].round(3)
        (array([-1.933, -0.181]), array([ 9.406, -4.948]))
        """
        return simulate.simulate(
            self._on_checked(q, v, closed=drives_nothing(drive)),
            q,
            v,
            t,
            dt,
            tau=tau,
            controller=controller,
            state=state,
            parameters=parameters,
            base_velocity=base_velocity,
            base_acceleration=base_acceleration,
            wrench=wrench,
            drive=drive,
            method=method,
            record=record,
            project=project,
            stabilisation=stabilisation,
            events=events,
            rtol=rtol,
            atol=atol,
            traced=traced,
            progress=progress,
        )

    @known_keywords
    def rollout(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        *,
        method: StepMethod = "rkmk4",
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: WrenchesOrFunctions = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
    ) -> tuple[Float, Float]:
        """States after each of T steps under given joint forces, with the loop in a kernel.

        The loops of closed chains are not projected after each step, as `simulate` does: without `stabilisation` they
        open slowly.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations at the beginning.
        v : array_like, shape (..., nv)
            Velocities at the beginning [rad/s, m/s].
        tau : array_like, shape (..., T, nv)
            Joint forces in each step [N m, N].
        dt : float
            Length of a step [s].
        method : str, default "rkmk4"
            Integrator, as in `step`.
        base_velocity : array_like, shape (6,) or (..., T, 6), optional
            Twist of the base at the beginning, as in `simulate`, or at the beginning of each step.
        base_acceleration : array_like, shape (6,) or (..., T, 6), optional
            Rate of the components of `base_velocity`, constant or in each step.
        wrench : mapping of str to array_like or callable, or callable, optional
            External wrenches by frame name, as in `simulate`; functions are compiled into the loop.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, as in `simulate`.
        stabilisation : array_like, shape (..., 2), optional
            Frequency [1/s] and damping ratio of Baumgarte's method, which closes loops that have drifted open; none
            unless given.

        Returns
        -------
        q : ndarray, shape (..., T, nq)
            Configurations after each step.
        v : ndarray, shape (..., T, nv)
            Velocities after each step [rad/s, m/s].

        Raises
        ------
        InputError
            If a name is unknown or the shape of an array does not fit.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> q, v = kt.load("planar2r").rollout([0.0, 0.0], [0.0, 0.0], np.zeros((5, 2)), 0.01)
        >>> v[[0, -1]].round(3)
        array([[-0.126,  0.168],
               [-0.63 ,  0.84 ]])
        """
        around = simulate.Around(base_velocity, base_acceleration, wrench, drive, stabilisation)
        return simulate.rollout(self._on_checked(q, v, closed=drives_nothing(drive)), q, v, tau, dt, method, around)

    @known_keywords
    def rollout_derivatives(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        *,
        method: StepMethod = "rkmk4",
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
    ) -> tuple[Float, Float]:
        """Derivatives of the last state of a `rollout` with respect to the first state and to the forces.

        States are (δq, δv), with δq along q ⊕ δq. Memory is nq + nv numbers per step, for up to 64 states per thread at
        a time. Loops of closed chains are not projected, as in `rollout`. Derivatives with respect to the robot's
        parameters are in docs/simulation.md.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations at the beginning.
        v : array_like, shape (..., nv)
            Velocities at the beginning [rad/s, m/s].
        tau : array_like, shape (..., T, nv)
            Joint forces in each step [N m, N].
        dt : float
            Length of a step [s].
        method : str, default "rkmk4"
            Integrator, as in `step`.
        base_velocity : array_like, shape (6,) or (..., T, 6), optional
            Twist of the base, as in `rollout`.
        base_acceleration : array_like, shape (6,) or (..., T, 6), optional
            Rate of the components of `base_velocity`, as in `rollout`.
        wrench : mapping of str to array_like, optional
            External wrenches by frame name; constant.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, as in `simulate`.
        stabilisation : array_like, shape (..., 2), optional
            Frequency [1/s] and damping ratio of Baumgarte's method, which closes loops that have drifted open; none
            unless given.

        Returns
        -------
        by_state : ndarray, shape (..., 2 nv, 2 nv)
            The derivative with respect to the first state.
        by_tau : ndarray, shape (..., T, 2 nv, nv)
            The derivative with respect to the joint forces of each step.

        Raises
        ------
        InputError
            If a name is unknown or the shape of an array does not fit.

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
        around = simulate.Around(base_velocity, base_acceleration, wrench, drive, stabilisation)
        return simulate.rollout_derivatives(
            self._on_checked(q, v, closed=drives_nothing(drive)), q, v, tau, dt, method, around
        )
