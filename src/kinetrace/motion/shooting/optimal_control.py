"""Optimal control of batches of motions: iLQR and DDP with bounds on forces and multiple shooting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...algorithms.registry.choices import StepMethod
from ...algorithms.time.methods import check_joint_laws, method_for
from ...engine.compilation.program import checked_inputs, checked_shapes
from ...errors import InputError, unknown_name_error
from ...model.arguments import ShapeSource, argument_shapes
from ...model.parameters import PARAMETERS
from ...robot import Robot
from ...robot.common import exact_robot, state_of
from ...robot.types import Float
from ...support.conversion import as_array, as_count, as_flag, broadcast, finite, positive
from ...support.functions import name_of, unknown_shape
from ...support.keywords import known_keywords
from ...support.progress import Progress, progress_callback, progress_context
from ..arguments import bounds_of
from .costs import Cost, CostSum
from .iteration import CONVERGED, IterationKernels, Motions, Policies, ShootingOutcome, iterate_batch
from .solution import OptimalControlSolution
from .sweeps import Backward, FinalCostKernel, Forward, Misses, ShootingProblem, Stepping

BATCH_PROBLEMS = 1024
"""Problems that are iterated together: their gains stay in the cache."""


class OptimalControl:
    """Optimal control of a robot over a fixed time, for batches of problems: iLQR or DDP in compiled kernels.

    The cost of a motion of `steps` steps is Σ dt · running(q_k, v_k, τ_k) + final(q, v). Motions obey `Robot.step`.
    Costs are plain array code of one state: running(model, q, v, tau, ...) and final(model, q, v, ...). They return a
    number, whose derivatives are exact, or a vector of residuals r, which stands for ½ rᵀ r with Gauss and Newton's
    Hessian. Further arguments of theirs are parameters, given to `solve` for all problems or for each; `t` is the time.

    Only joints with motors have forces (`Robot.with_motors`); a free base has none. Closed chains move in all
    coordinates of their spanning tree; loops are closed after each step, as in `Robot.rollout`.

    Parameters
    ----------
    robot : Robot
        Robot to control.
    running : callable or sequence of callable
        Cost per second along the motion; several are added.
    final : callable or sequence of callable
        Cost of the last state; several are added.
    steps : int
        Number of steps in time.
    dt : float
        Time step [s].
    method : StepMethod, default "semi-implicit"
        Integrator, as in `Robot.step`.
    effort : bool, array_like of shape () or (nv,), or tuple of two, default False
        Limits of joint forces [N m, N]: True for those of the robot, `robot.limits.effort`; sizes; or a tuple of lower
        and upper limits. There are none unless given: with limits each step in time is a quadratic program, several
        times slower than the equations without, and gains of forces at their limits are zero.
    second_order : bool, default False
        Whether the second derivatives of the dynamics are used (DDP, quadratic convergence) or not (iLQR).
    stabilisation : tuple of float, optional
        Frequency [1/s] and damping ratio of Baumgarte's stabilisation of closures, instead of closing loops after each
        step.
    inputs : str or sequence of str, optional
        Parameters of the robot that differ between problems, such as "inertial", as in `kinetrace.compile`.
    shapes : mapping of str to tuple of int, optional
        Shapes of parameters of the costs, without batch axes, as in `kinetrace.compile`.

    Raises
    ------
    InputError
        If a cost has other arguments, the shape of a parameter is not known, a setting is not valid or no joint has a
        motor.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def final(model, q, v, target):
    ...     away = kt.algorithms.pose(model, q, frame="tip")[:3, 3] - target
    ...     return 500.0 * away @ away + 5.0 * v @ v

    >>> control = kt.motion.OptimalControl(
    ...     robot, kt.motion.EffortCost(0.01), final, steps=20, dt=0.05, shapes={"target": (3,)}, effort=30.0
    ... )
    >>> targets = np.array([[1.0, 0.0, 1.0], [0.5, 0.0, 1.2]])
    >>> found = control.solve([0.0, 0.5], [0.0, 0.0], parameters={"target": targets})
    >>> found.success, robot.pose(found.q[:, -1], "tip")[:, [0, 2], 3].round(2)
    (array([ True,  True]), array([[1. , 1. ],
           [0.5, 1.2]]))
    """

    @known_keywords
    def __init__(
        self,
        robot: Robot,
        running: Cost | Sequence[Cost],
        final: Cost | Sequence[Cost],
        steps: int,
        dt: float,
        *,
        method: StepMethod = "semi-implicit",
        effort: bool | npt.ArrayLike | tuple[Any, Any] = False,
        second_order: bool = False,
        stabilisation: tuple[float, float] | None = None,
        inputs: str | Sequence[str] = (),
        shapes: Mapping[str, Any] | None = None,
    ) -> None:
        robot = exact_robot(robot)
        self.robot, self.steps, self.dt = robot, as_count("steps", steps, 1), positive("dt", dt)
        method_for(robot.model, method)
        check_joint_laws(robot.model, method)
        if not robot.model.driven:
            raise InputError(
                f"no joint of {robot.name!r} has a motor, so there is nothing to choose: with_motors names them"
            )
        how = Stepping(method, None if stabilisation is None else tuple(finite("stabilisation", stabilisation, 2)))
        along, last = CostSum(_costs("running", running), False, self.dt), CostSum(_costs("final", final), True)
        lower, upper = bounds_of(robot, "effort", effort)
        self._limits = (lower, upper) if np.isfinite([lower, upper]).any() else None
        self._problem = ShootingProblem(
            running=along,
            final=last,
            dt=self.dt,
            how=how,
            limited=self._limits is not None,
            second_order=as_flag("second_order", second_order),
        )
        self.method, self.stabilisation, self.inputs = how.method, how.stabilisation, checked_inputs(inputs)
        self._shapes = self._parameter_shapes(shapes)
        self._kernels = dict[str, Any]()

    def __repr__(self) -> str:
        kind = "DDP" if self._problem.second_order else "iLQR"
        return f"OptimalControl({self.robot.name!r}, {self.steps} steps of {self.dt:g} s, {kind})"

    def _parameter_shapes(self, shapes: Mapping[str, Any] | None) -> dict[str, tuple[int, ...]]:
        """Name → shape of all parameters of the costs."""
        model, given = self.robot.model, checked_shapes(shapes)
        found: dict[str, tuple[int, ...]] = {}
        for sum_of in (self._problem.running, self._problem.final):
            for cost in sum_of.costs:
                known: dict[str, Any] = {**argument_shapes(model), **given}
                if isinstance(cost, ShapeSource):
                    known = {**known, **cost.argument_shapes(model, known), **given}
                for name in CostSum((cost,), sum_of.at_end).parameter_names:
                    if name != "t":
                        if name not in known:
                            raise unknown_shape(name, name_of(cost), known)
                        found[name] = tuple(known[name])
        for name in given:
            if name not in found:
                raise unknown_name_error("parameter of the costs", name, found)
        return found

    def _kernel(self, name: str) -> Any:
        """One of the kernels, made when it is first needed."""
        if name not in self._kernels:
            nv, nu = self.robot.nv, len(self.robot.model.driven)
            rows = {"q": ("t", self.robot.nq), "v": ("t", nv), "u": ("t", nu), "gap": ("t", 2 * nv), "times": ("t",)}
            bounds = {"bounds": {"lower": (nu,), "upper": (nu,)}}
            function: Any
            shapes: dict[str, Any]
            if name in ("backward", "first_order"):
                of = replace(self._problem, second_order=name == "backward")
                function, shapes = Backward(of), {**rows, "v1": (nv,), "end": (), "mu": (), "bend": (), **bounds}
            elif name == "forward":
                function, gains = Forward(self._problem), {"k": ("t", nu), "K": ("t", nu, 2 * nv)}
                shapes = {"v0": (nv,), **rows, **gains, "end": (), "alpha": (), **bounds}
            elif name == "misses":
                function, shapes = Misses(self._problem), {"u": (nu,), "v1": (nv,), "time": ()}
            else:
                function, shapes = FinalCostKernel(self._problem), {"time": ()}
            if self._shapes:
                shapes["parameters"] = self._shapes
            self._kernels[name] = self.robot.kernel(function, inputs=self.inputs, shapes=shapes)
        return self._kernels[name]

    def warm_up(self) -> None:
        """Compile all kernels now, those for guesses of states too, so that no later `solve` waits for it.

        Examples
        --------
        >>> import kinetrace as kt
        >>> costs = kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0)
        >>> control = kt.motion.OptimalControl(kt.load("planar2r"), *costs, 20, 0.05)
        >>> control.warm_up()
        """
        names = ("backward",) if self._problem.second_order else ()
        for name in (*names, "first_order", "forward", "misses", "last"):
            kernel = self._kernel(name)
            batch = kernel.batch  # code is compiled when it is first read
            _ = batch.gufunc, batch.code_for_one.gufunc if batch.program.dims else kernel.call
        for states in (1, 100):  # few states have code of their own
            self.robot.normalise(np.tile(self.robot.neutral(), (states, 1)))

    @known_keywords
    def solve(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        *,
        states: tuple[Any, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        iterations: int = 100,
        tolerance: float = 1e-9,
        time: float = 0.0,
        progress: Progress | bool | None = None,
    ) -> OptimalControlSolution:
        """Find the motions of least cost from these states.

        A problem has converged if the next step is expected to decrease its cost by less than `tolerance`, as a part of
        it. With `states`, the first motions need not obey the dynamics: steps close their gaps.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            First configurations.
        v : array_like, shape (..., nv)
            First velocities [rad/s, m/s].
        tau : array_like, shape (..., steps, nv) or (..., 1, nv), optional
            First guess of the joint forces [N m, N]; zero unless given.
        states : tuple of array_like, shapes (..., steps + 1, nq) and (..., steps + 1, nv), optional
            First guess of the states; the motions under `tau` unless given. Row 0 is replaced by q and v.
        parameters : mapping of str to array_like, optional
            Parameters of the costs and those of `inputs`, with or without batch axes.
        iterations : int, default 100
            Maximum number of Newton steps.
        tolerance : float, default 1e-9
            Expected decrease, as a part of the cost, at which a problem has converged.
        time : float, default 0.0
            Time at the beginning [s], for costs that depend on it.
        progress : bool or callable, optional
            Whether to draw a line, or a function of (done, of), as in `Robot.simulate`.

        Returns
        -------
        OptimalControlSolution
            Motions, forces, feedback, and what has been reached.

        Raises
        ------
        InputError
            If a parameter is missing or unknown, or the shape of an array does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> costs = kt.motion.EffortCost(0.1), kt.motion.StateCost(10.0, 1.0)
        >>> control = kt.motion.OptimalControl(robot, *costs, steps=20, dt=0.05, second_order=True)
        >>> found = control.solve([0.0, 0.0], [0.0, 0.0], parameters={"goal": [0.5, 0.5]})
        >>> str(found.status), round(float(found.cost), 4), found.q[-1].round(2)
        ('converged', 8.0722, array([0.41, 0.49]))
        """
        robot, (first_q, first_v) = self.robot, state_of(self.robot, q, v)
        given = self._given(parameters)
        forces = finite("tau", np.zeros((1, robot.nv)) if tau is None else tau, robot.nv)
        rows = [] if states is None else self._states(states)
        for name, x, length in (("tau", forces, self.steps), *(("states", x, self.steps + 1) for x in rows)):
            if x.ndim < 2 or x.shape[-2] not in (1, length):
                raise InputError(f"{name} must have {length} rows (..., {length}, {x.shape[-1]}), got shape {x.shape}")
        sizes = {"q": first_q.shape[:-1], "tau": forces.shape[:-2]}
        sizes |= {name: x.shape[:-2] for name, x in zip(("states: q", "states: v"), rows, strict=False)}
        sizes |= {name: x.shape[: x.ndim - len(shape)] for name, (x, shape) in given.items()}
        batch = broadcast(sizes)
        flat = _BatchFlattener(batch)
        driven = np.array(self.robot.model.driven)
        u = flat(forces, 2, self.steps)[..., driven]
        lower, upper = (
            (np.full(len(driven), -np.inf), np.full(len(driven), np.inf))
            if self._limits is None
            else (x[driven] for x in self._limits)
        )
        u = np.clip(u, lower, upper)
        start = flat(first_q, 1), flat(first_v, 1)
        guess = [flat(x, 2, self.steps + 1) for x in rows]
        numbers = [flat(x, len(shape)) for x, shape in given.values()]
        count, most, found = len(u), as_count("iterations", iterations), list[ShootingOutcome]()
        bar = progress_callback(progress)
        with progress_context(bar), np.errstate(all="ignore"):
            for begin in range(0, max(count, 1), BATCH_PROBLEMS):
                part = slice(begin, begin + BATCH_PROBLEMS)
                run = _BatchRun(self, [x[part] for x in start], [x[part] for x in numbers], lower, upper, time)
                first = run.first(u[part], [x[part] for x in guess])
                report = bar if count <= BATCH_PROBLEMS or bar is None else _later(bar, begin, count, most)
                found.append(iterate_batch(run.kernels, first, positive_or_zero(tolerance), most, report))
        return self._solution(batch, found, time)

    def _given(self, parameters: Mapping[str, Any] | None) -> dict[str, tuple[Float, tuple[int, ...]]]:
        """Parameters as arrays, with their shapes, in the order of the kernels' arguments."""
        given, model = dict(parameters or {}), self.robot.model
        wanted = {**self._shapes, **{name: tuple(PARAMETERS[name].shape(model)) for name in self.inputs}}
        for name in given:
            if name not in wanted:
                raise unknown_name_error("parameter", name, wanted)
        found: dict[str, tuple[Float, tuple[int, ...]]] = {}
        for name, shape in wanted.items():
            if name not in given:
                raise InputError(f"parameters: {name!r} is missing, of shape (..., {', '.join(map(str, shape))})")
            array = as_array(name, given[name])
            if array.dtype.kind not in "biuf" or array.shape[max(array.ndim - len(shape), 0) :] != shape:
                told = f"(..., {', '.join(map(str, shape))})" if shape else "(...)"
                raise InputError(f"parameter {name!r} must be numbers of shape {told}, got shape {array.shape}")
            if not np.isfinite(array).all():
                where = np.argwhere(~np.isfinite(array))[0].tolist()
                raise InputError(f"parameter {name!r} must be finite; entry {where} is {array[tuple(where)]}")
            found[name] = array.astype(float), shape
        return found

    def _states(self, states: Any) -> list[Float]:
        if not (isinstance(states, tuple | list) and len(states) == 2):
            raise InputError(
                "states must be a pair: configurations (..., steps + 1, nq), velocities (..., steps + 1, nv)"
            )
        return [finite("states: q", states[0], self.robot.nq), finite("states: v", states[1], self.robot.nv)]

    def _solution(self, batch: tuple[int, ...], parts: list[ShootingOutcome], time: float) -> OptimalControlSolution:
        """Solution in the shape of the batch."""
        nv, driven = self.robot.nv, np.array(self.robot.model.driven)

        def joined(of: Any) -> Any:
            found = of(parts[0]) if len(parts) == 1 else np.concatenate([of(part) for part in parts])
            return found.reshape((*batch, *found.shape[1:]))

        def spread(x: Any, axis: int) -> Any:
            """Rows of motors among those of all velocities."""
            if len(driven) == nv:
                return x
            found = np.zeros((*x.shape[: x.ndim + axis], nv, *x.shape[x.ndim + axis + 1 :]))
            np.moveaxis(found, axis, 0)[driven] = np.moveaxis(x, axis, 0)
            return found

        status = joined(lambda x: x.status.astype(str))
        return OptimalControlSolution(
            q=joined(lambda x: np.concatenate([x.motions.q, x.motions.q1[:, None]], axis=1)),
            v=joined(lambda x: np.concatenate([x.motions.v, x.motions.v1[:, None]], axis=1)),
            tau=spread(joined(lambda x: x.motions.u), -1),
            K=spread(joined(lambda x: -x.gains), -2),
            cost=joined(lambda x: x.motions.cost),
            success=status == CONVERGED,
            status=status,
            iterations=joined(lambda x: x.iterations),
            gradient=joined(lambda x: x.gradient),
            gap=joined(lambda x: x.gap),
            control=self,
            time=time,
        )


class _BatchFlattener:
    """Arrays with one batch axis."""

    def __init__(self, batch: tuple[int, ...]) -> None:
        self.batch, self.count = batch, int(np.prod(batch, dtype=int))

    def __call__(self, x: Float, axes: int, rows: int | None = None) -> Float:
        own = x.shape[x.ndim - axes :]
        own = own if rows is None else (rows, *own[1:])
        return np.ascontiguousarray(np.broadcast_to(x, (*self.batch, *own)).reshape((self.count, *own)))


class _BatchRun:
    """Kernels with the arrays of some problems."""

    def __init__(
        self, control: OptimalControl, start: list[Float], numbers: list[Float], lower: Float, upper: Float, time: float
    ) -> None:
        self.control, self.start, self.numbers, self.bounds = control, start, numbers, (lower, upper)
        self.times = time + control.dt * np.arange(control.steps)
        self.end = np.float64(time + control.dt * control.steps)
        self.no_gap = np.zeros((control.steps, 2 * control.robot.nv))
        self.kernels = IterationKernels(self.backward, self.forward, control._problem.second_order)

    def _numbers(self, which: Any, axes: int = 0) -> list[Float]:
        found = self.numbers if len(which) == len(self.start[0]) else [x[which] for x in self.numbers]
        return [x.reshape((len(x), *(1,) * axes, *x.shape[1:])) for x in found]

    def backward(self, m: Motions, mu: Float, bend: Float, which: Any) -> Policies:
        """Newton steps."""
        kernel = self.control._kernel("backward" if bend.any() else "first_order")
        gap = self.no_gap if m.gap is None else m.gap
        numbers = self._numbers(which)
        found = kernel(m.q, m.v, m.u, gap, self.times, m.q1, m.v1, self.end, mu, bend, *self.bounds, *numbers)
        return Policies(*found)

    def forward(self, m: Motions, k: Float, K: Float, alpha: Float, which: Any) -> Motions:
        """Motions after steps of the length alpha (n,), or of several lengths (n, ·)."""
        kernel, several = self.control._kernel("forward"), alpha.ndim - 1
        start = self.start if len(which) == len(self.start[0]) else [x[which] for x in self.start]
        arrays = [*start, m.q, m.v, m.u, k, K]
        gap = self.no_gap if m.gap is None else m.gap
        if several:
            arrays, gap = [x[:, None] for x in arrays], gap if m.gap is None else gap[:, None]
        first = [*arrays[:5], gap, *arrays[5:], self.times, self.end, alpha, *self.bounds]
        found = kernel(*first, *self._numbers(which, several))
        left = None if m.gap is None or (alpha == 1.0).all() else (1.0 - alpha)[..., None, None] * gap
        q, v, u, q1, v1, cost = found
        return Motions(q, v, u, q1, v1, cost, left)

    def first(self, u: Float, guess: list[Float]) -> Motions:
        """Motions under forces, or guessed ones with their gaps."""
        control, n = self.control, len(u)
        everyone = np.arange(n)
        if not guess:
            q, v = (np.broadcast_to(x[:, None], (n, control.steps, x.shape[-1])) for x in self.start)
            gains = np.zeros(u.shape[1:]), np.zeros((*u.shape[1:], 2 * control.robot.nv))
            guessed = Motions(q, v, u, self.start[0], self.start[1], np.zeros(n))
            return self.forward(guessed, *gains, np.ones(n), everyone)
        q, v = (x.copy() for x in guess)
        q[:, 0], v[:, 0] = self.start
        q[:, 1:] = control.robot.normalise(q[:, 1:])
        misses, last = control._kernel("misses"), control._kernel("last")
        gap, costs = misses(q[:, :-1], v[:, :-1], u, q[:, 1:], v[:, 1:], self.times, *self._numbers(everyone, 1))
        cost = costs.sum(axis=1) + last(q[:, -1], v[:, -1], self.end, *self._numbers(everyone))
        return Motions(q[:, :-1].copy(), v[:, :-1].copy(), u, q[:, -1].copy(), v[:, -1].copy(), cost, gap)


def _costs(name: str, given: Any) -> tuple[Cost, ...]:
    """Costs as a tuple."""
    found = tuple(given) if isinstance(given, tuple | list) else (given,)
    for cost in found:
        if not callable(cost):
            raise InputError(f"{name} must be a function of (model, q, v, ...), or several; got {cost!r}")
    if not found:
        raise InputError(f"{name} must be at least one cost")
    return found


def _later(bar: Progress, begin: int, count: int, most: int) -> Progress:
    """Progress of one part of a batch, as that of all."""
    return lambda done, of: bar(begin * most + min(BATCH_PROBLEMS, count - begin) * done, count * most)


def positive_or_zero(x: Any) -> float:
    """A tolerance."""
    found = float(as_array("tolerance", x))
    if not 0 <= found < 1:
        raise InputError(f"tolerance must be at least 0 and below 1, got {x!r}")
    return found
