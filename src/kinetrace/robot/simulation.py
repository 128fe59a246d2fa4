"""Motions in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import simulate
from ..algorithms.choices import StepMethod
from ..simulate import Trajectory
from .closed_dynamics import ClosedDynamics
from .momentum import Momentum
from .types import Array, Drives, Float, Wrenches


class Simulation(ClosedDynamics, Momentum):
    """Motions in time."""

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
        wrench: Wrenches = None,
        drive: Drives = None,
        method: str = "rkmk4",
        record: int = 1,
        project: bool | None = None,
        stabilisation: Array | None = None,
        events: Any = None,
        rtol: float | None = None,
        atol: float | None = None,
        traced: bool | None = None,
        progress: Callable[[int, int], object] | bool | None = None,
    ) -> Trajectory:
        """The motion from q (..., nq), v (..., nv) until the time t [s], in equal steps of dt.

        If t is not a multiple of dt, steps are shorter, so that the last one ends at t.

        Joint forces are `tau` (..., nv), constant, or what a `controller(t, q, v)` returns: it is called once in each
        step with the whole batch, and its forces are held until the next. One with a `state` of its own is called as
        `controller(t, q, v, state, **parameters)` and returns (tau, state).

        `wrench` is that of `step`, constant. So is `base_acceleration` (..., 6), the rate of the base's twist, which is
        `base_velocity` at the beginning, when the base has the axes of the world; gravity turns in its axes, and q, v
        and energies are relative to it. `drive` of closures is that of the beginning, too, and goes on at its constant
        rates; adaptive methods take none.

        `method` is one of `step`, or adaptive, by SciPy, for one state: "DOP853", "RK45", "RK23", "Radau", "BDF" or
        "LSODA" (the last two not with closed loops), with the tolerances `rtol` (1e-9) and `atol` (1e-10); then dt is
        the time between rows, forces act continuously, and `events` (functions of (t, q, v), by name) are noted where
        they pass zero; one with an attribute `terminal` that is true ends the motion, or a number n, at its n-th zero.

        With `traced=True` the loop runs in a kernel, and a controller, which must then be plain array code of one
        state, is compiled into it (docs/simulation.md); otherwise a controller is called, and known forces run in a
        kernel from 2,000 steps on. Every `record`-th step has a row in the result, and the last. Closed loops are
        closed at the beginning, with a `SimulationWarning` if that changes q or v by more than 1e-6, and again after
        each step, unless `project` is false or `stabilisation` is given. Ctrl-C returns what there
        is so far. `progress` is a function of (steps done, steps in all), or True for a line on stderr, which is there
        by default if that is a terminal.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> motion = robot.simulate([0.5, 0.0], [0.0, 0.0], t=1.0, dt=1e-2, controller=lambda t, q, v: -2.0 * v)
        >>> motion.q.shape, bool(motion.energy()[-1] < motion.energy()[0])
        ((101, 2), True)
        """
        return simulate.simulate(
            self._on_checked(q, v, drive),
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
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
    ) -> tuple[Float, Float]:
        """q (..., T, nq) and v (..., T, nv) after each of T steps of dt [s], under joint forces tau (..., T, nv).

        What acts besides is that of `simulate`; `base_velocity` and `base_acceleration` are (6,), or (..., T, 6), as
        they are when each step begins. The loops of a closed chain are not projected after a step, as `simulate` does:
        without stabilisation they open slowly.

        >>> import numpy as np, kinetrace as kt
        >>> q, v = kt.load("planar2r").rollout([0.0, 0.0], [0.0, 0.0], np.zeros((5, 2)), 0.01)
        >>> q.shape, v[0].round(3)
        ((5, 2), array([-0.126,  0.168]))
        """
        around = simulate.Around(base_velocity, base_acceleration, wrench, drive, stabilisation)
        return simulate.rollout(self._on_checked(q, v, drive), q, v, tau, dt, method, around)

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
        """How the last state of a `rollout` changes: (..., 2 nv, 2 nv) with the first, (..., T, 2 nv, nv) with tau.

        States are (δq, δv), δq along q ⊕ δq. It keeps nq + nv numbers for each step of the states that it works on at
        once, up to 64 for each thread. Arguments and defaults are those of `rollout`. Loops of closed chains are not
        projected, as in `rollout`. Derivatives by the robot's own numbers are in docs/simulation.md.

        >>> import numpy as np, kinetrace as kt
        >>> robot, z = kt.load("planar2r"), np.zeros(2)
        >>> by_state, by_tau = robot.rollout_derivatives(z, z, np.zeros((5, 2)), 0.01)
        >>> by_state.shape, by_tau.shape
        ((4, 4), (5, 4, 2))
        """
        around = simulate.Around(base_velocity, base_acceleration, wrench, drive, stabilisation)
        return simulate.rollout_derivatives(self._on_checked(q, v, drive), q, v, tau, dt, method, around)
