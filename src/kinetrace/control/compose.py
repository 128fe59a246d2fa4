"""Controllers made of controllers: sums, limits of the forces, lower rates, observers beside them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..algorithms.registry.declaration import check_tree
from ..arrays import Array, clip, less, minimum, tree_map, where
from ..errors import InputError, name_list
from ..model.model import Model
from ..robot import Robot
from ..support.conversion import as_flag, as_reals, finite, positive
from .controller import NO_CALL_TIME, Controller, latest, rounded_up, state_after_force
from .observer import Observer, stages
from .pickling import maker
from .plant import check_motors, driven_forces
from .reference import rows_of


@maker
def total(first: Controller, second: Controller) -> Controller:
    """The sum of two controllers of one robot; a parameter that both have gets the name of its controller before it.

    The storage function of one holds in the sum only if the other says so.
    """
    _check_addable(first, second)
    parts, both = (first, second), first.parameters.keys() & second.parameters.keys()
    renamed = tuple({name: f"{c.name}_{name}" if name in both else name for name in c.parameters} for c in parts)
    known = [k for k, c in enumerate(parts) if c.storage is not None and parts[1 - k].keeps_storage]
    law = ControllerSum(parts, renamed, known[0] if len(known) == 1 else None)
    return Controller(
        robot=first.robot,
        law=law.law,
        name=f"{first.name}_{second.name}",
        initial_state=tuple(c.initial_state for c in parts if c.initial_state is not None) or None,
        parameters={renamed[k][name]: x for k, c in enumerate(parts) for name, x in c.parameters.items()},
        storage=None if law.with_storage is None else law.storage,
        keeps_storage=first.keeps_storage and second.keeps_storage,
        acting=law.acting if any(c.acting is not None for c in parts) else None,
        includes_friction=first.includes_friction or second.includes_friction,
        period=None if not any(c.period for c in parts) else min(c.period or 0.0 for c in parts),
    )


def _check_addable(first: Controller, second: Controller) -> None:
    """An error unless two controllers are of one robot, and their parameters can be told apart."""
    if first.robot is not second.robot and first.robot.model != second.robot.model:
        raise InputError(f"controllers of different robots cannot be added: {_difference(first.robot, second.robot)}")
    if first.includes_friction and second.includes_friction:
        told = "the sum would count it twice; friction_compensation is for laws such as pd, which leave it out"
        raise InputError(f"both {first.name!r} and {second.name!r} overcome the friction of the model's joints: {told}")
    both = first.parameters.keys() & second.parameters.keys()
    if both and first.name == second.name:
        raise InputError(
            f"both controllers are named {first.name!r} and have {name_list(sorted(both))}; give one a name="
        )


class ControllerSum(NamedTuple):
    """Law and storage function of a sum; its state has those of the parts that have one."""

    parts: tuple[Controller, ...]
    renamed: tuple[dict[str, str], ...]
    """Of each part: name of a parameter → its name in the sum."""
    with_storage: int | None
    """The part whose storage function holds in the sum."""

    def law(self, model: Model, t: Array, q: Array, v: Array, state: Any = (), **given: Any) -> Any:
        """Joint forces, and the next state if there is one."""
        results = [self._of(k, c.law, model, (t, q, v), state, given) for k, c in enumerate(self.parts)]
        has_state = [c.initial_state is not None for c in self.parts]
        forces = [x[0] if has else x for x, has in zip(results, has_state, strict=True)]
        after = tuple(x[1] for x, has in zip(results, has_state, strict=True) if has)
        tau = forces[0] + forces[1]
        return (tau, self.acting(after, tau)) if after else tau

    def acting(self, state: Any, tau: Array) -> Any:
        """The states, once the joint forces that act are known."""
        with_state = [c for c in self.parts if c.initial_state is not None]
        return tuple(state_after_force(c, x, tau) for c, x in zip(with_state, state, strict=True))

    def storage(self, model: Model, t: Array, q: Array, v: Array, state: Any = (), **given: Any) -> Any:
        """That of the part which has one."""
        assert self.with_storage is not None
        return self._of(self.with_storage, self.parts[self.with_storage].storage, model, (t, q, v), state, given)

    def _of(self, k: int, function: Any, model: Model, at: tuple[Any, ...], state: Any, given: dict[str, Any]) -> Any:
        """A function of part k, with its own state and parameters."""
        before = sum(c.initial_state is not None for c in self.parts[:k])
        inner = [state[before]] if self.parts[k].initial_state is not None else []
        return function(model, *at, *inner, **{name: given[new] for name, new in self.renamed[k].items()})


@maker
def saturated(controller: Controller, limits: npt.ArrayLike | None = None) -> Controller:
    """Controller whose joint forces stay within limits: each is cut off at its own.

    What a law proves holds as long as no limit is reached; its storage function is kept, to look at. An observer in the
    controller (`observed`) is told the forces within the limits: they are those that act.

    Parameters
    ----------
    controller : Controller
        Controller of any kind.
    limits : array_like, shape () or (nv,), optional
        Largest size of each joint force [N m, N], may be infinite; those of the robot, `robot.limits.effort`, unless
        given.

    Returns
    -------
    Controller
        The controller, with the further parameter `limits`.

    Raises
    ------
    InputError
        If limits are negative or have another shape, or the robot has none.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> controller = kt.control.pd(robot, [1.0, 0.0], stiffness=500.0, damping=10.0)
    >>> kt.control.saturated(controller, limits=[100.0, 20.0])(0.0, [0.0, 0.0], [0.0, 0.0]).round(3)
    array([100.   ,   4.905])
    """
    controller = controller_of(controller, "saturated")
    nv = controller.robot.nv
    given = as_reals("limits", controller.robot.limits.effort if limits is None else limits)
    if limits is None and not np.isfinite(given).any():
        raise InputError(f"saturated: {controller.robot.name!r} has no limits of joint forces; give limits=")
    bounded = np.where(np.isposinf(given), 1e300, given)  # parameters are finite numbers
    if "limits" in controller.parameters:
        raise InputError(f"saturated: {controller.name!r} has limits already; with_parameters(limits=...) changes them")

    def law(model: Model, t: Array, q: Array, v: Array, *state: Any, limits: Array, **given: Any) -> Any:
        result = controller.law(model, t, q, v, *state, **given)
        tau = clip(result[0] if state else result, -limits, limits)
        return (tau, state_after_force(controller, result[1], tau)) if state else tau

    def storage(model: Model, t: Array, q: Array, v: Array, *state: Any, limits: Array, **given: Any) -> Any:
        assert controller.storage is not None
        return controller.storage(model, t, q, v, *state, **given)

    return Controller(
        robot=controller.robot,
        law=law,
        name=f"{controller.name}_saturated",
        initial_state=controller.initial_state,
        parameters={**controller.parameters, "limits": rows_of("limits", bounded, nv)},
        storage=None if controller.storage is None else storage,
        acting=controller.acting,
        is_limited=True,
        includes_friction=controller.includes_friction,
        period=controller.period,
    )


@maker
def sampled(controller: Controller, period: float) -> Controller:
    """Controller that computes its forces once per period, at its multiples, and holds them in between.

    For simulations in finer steps than the controller's own: the motion between two samples is then accurate, whatever
    the period.

    Parameters
    ----------
    controller : Controller
        Controller of any kind; if it has a state, this changes once per period too.
    period : float
        Time between two samples [s]; a multiple of the simulation's time step. A law is called once per step: with a
        shorter period it runs at every step.

    Returns
    -------
    Controller
        The controller, whose state has the forces that it holds and the time of the next sample.

    Raises
    ------
    InputError
        If the period is not positive.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> slow = kt.control.sampled(kt.control.pd(robot, [1.0, 0.0], 20.0, 2.0), period=0.02)
    >>> motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=1.0, dt=0.005, controller=slow)
    >>> motion.tau[:6, 0].round(1)
    array([39.6, 39.6, 39.6, 39.6, 38.1, 38.1])
    """
    controller = controller_of(controller, "sampled")
    every, has_state = positive("period", period), controller.initial_state is not None

    def law(model: Model, t: Array, q: Array, v: Array, state: dict[str, Any], **given: Any) -> Any:
        result = controller.law(model, t, q, v, *([state["inner"]] if has_state else []), **given)
        tau, inner = result if has_state else (result, None)
        ahead = state["next"] - rounded_up(t, every)
        waits = less(0.0, minimum(ahead, 1.5 * every - ahead))  # not if the clock was set back
        after: dict[str, Any] = {
            "held": where(waits, state["held"], tau),
            "next": where(waits, state["next"], latest(t, every) + every)[()],
        }
        if has_state:
            after["inner"] = tree_map(lambda x, y: where(waits, x, y)[()], state["inner"], inner)
        return after["held"], after

    def storage(model: Model, t: Array, q: Array, v: Array, state: dict[str, Any], **given: Any) -> Any:
        assert controller.storage is not None
        return controller.storage(model, t, q, v, *([state["inner"]] if has_state else []), **given)

    def acting(state: dict[str, Any], tau: Array) -> dict[str, Any]:
        return {**state, "inner": state_after_force(controller, state["inner"], tau)}

    first: dict[str, Any] = {"held": np.zeros(controller.robot.nv), "next": NO_CALL_TIME}
    if has_state:
        first["inner"] = controller.initial_state
    return Controller(
        robot=controller.robot,
        law=law,
        name=f"{controller.name}_sampled",
        initial_state=first,
        parameters=controller.parameters,
        storage=None if controller.storage is None else storage,
        acting=None if controller.acting is None else acting,
        is_limited=controller.is_limited,
        includes_friction=controller.includes_friction,
        period=every,
    )


@maker
def observed(
    controller: Controller,
    observer: Observer,
    *,
    compensate: bool = False,
    disturbance: npt.ArrayLike | None = None,
) -> Controller:
    """Controller with an observer beside it, which is fed with the joint forces that act.

    These are the forces that the controller returns, after the limits of `saturated`, and together with those of
    controllers that are added, before or after. Compensation stays within the limits of a controller that has some, and
    does not wind up there.

    The state has that of the `controller`, if it has one, that of the `observer` and the joint forces `tau` of the last
    call, so that `Trajectory.states["observer"]["residual"]` has the estimates along a motion.

    With `compensate`, the estimate is subtracted from the joint forces, which then act like integral control against
    constant and slow disturbances: the error d − r of a constant d decays as e^(−Lt) whatever the motion. If V of the
    controller falls at least as −sᵀ K s − sᵀ (d − r), as those of `gravity_compensation`, `pd`, `joint_impedance`,
    `passivity_based` and of `cartesian_impedance` with damping of the joints do, then V + ½ Σ (d − r)² / (K L) has the
    rate −sᵀ K s − sᵀ (d − r) − (d − r)ᵀ K⁻¹ (d − r) at most, and falls as well. (If the observer is of the second
    order, with a sum over its two stages.)

    Parameters
    ----------
    controller : Controller
        Controller.
    observer : Observer
        Observer of the same robot; models may differ.
    compensate : bool, default False
        Whether to subtract the estimate from the joint forces; motors must drive all motions of the robot.
    disturbance : array_like, shape (nv,), optional
        True disturbance [N m, N], for the storage function with `compensate`, which is stated only then; the robot must
        be a tree, and the controller one of those named above, with positive gains K.

    Returns
    -------
    Controller
        The controller, with the parameters of both.

    Raises
    ------
    InputError
        If the two do not fit, or no storage function is known for a disturbance that is given.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> pd, observer = kt.control.pd(robot, [0.5, 0.5], 50.0, 20.0), kt.control.momentum_observer(robot, 20.0)
    >>> loaded = robot.with_payload(0.5, "tip")  # that the model does not know
    >>> for controller in (pd, kt.control.observed(pd, observer, compensate=True)):
    ...     motion = loaded.simulate([0.5, 0.5], [0.0, 0.0], t=5.0, dt=0.002, controller=controller)
    ...     print(np.abs(motion.q[-1] - 0.5).max().round(4))
    0.1633
    0.0
    """
    controller = controller_of(controller, "observed")
    _check_pair(controller, observer)
    if as_flag("compensate", compensate):
        check_motors(controller.robot, "compensation")
    true = None if disturbance is None else finite("disturbance", disturbance, controller.robot.nv)
    if true is not None:
        _check_falls(controller, compensate)
    law = ObservedLaw(controller, observer, compensate, true)
    has_storage = controller.storage is not None and not (compensate and true is None)
    return Controller(
        robot=controller.robot,
        law=law.law,
        name=f"observed_{controller.name}",
        initial_state=law.state(controller.initial_state, observer.initial_state, np.zeros(controller.robot.nv)),
        parameters={**controller.parameters, **observer.parameters},
        storage=law.storage if has_storage else None,
        dissipation=None if compensate else controller.dissipation,
        keeps_storage=controller.keeps_storage and not compensate,
        acting=law.acting,
        is_limited=controller.is_limited,
        includes_friction=controller.includes_friction,
    )


class ObservedLaw(NamedTuple):
    """Law and storage function of a controller with an observer beside it."""

    controller: Controller
    observer: Observer
    compensate: bool
    disturbance: Any
    """The true one (nv,), or None."""

    def state(self, of_controller: Any, of_observer: Any, tau: Array) -> dict[str, Any]:
        """The state: that of the controller, if it has one, that of the observer, and the last joint forces."""
        inner = {} if self.controller.initial_state is None else {"controller": of_controller}
        return {**inner, "observer": of_observer, "tau": tau}

    def law(self, model: Model, t: Array, q: Array, v: Array, state: Any, **given: Array) -> tuple[Array, Any]:
        """Joint forces and the next state."""
        controller, observer, inner = self.controller, self.observer, self._inner(state)
        own, of_observer = self._split(given)
        r, watched = observer.law.law(observer.robot.model, t, q, v, state["observer"], state["tau"], **of_observer)
        result = controller.law(model, t, q, v, *inner, **own)
        tau, after = result if inner else (result, None)
        if self.compensate:
            tau = tau - driven_forces(model, q, r)
            if controller.is_limited:
                tau = clip(tau, -own["limits"], own["limits"])
        return tau, self.acting(self.state(after, watched, tau), tau)

    def acting(self, state: Any, tau: Array) -> Any:
        """The state, once the joint forces that act are known."""
        after = [state_after_force(self.controller, x, tau) for x in self._inner(state)]
        return self.state(after[0] if after else None, state["observer"], tau)

    def storage(self, model: Model, t: Array, q: Array, v: Array, state: Any, **given: Array) -> Array:
        """That of the controller, and ½ Σ (d − r)² / (K L) with a known disturbance."""
        controller, (own, of_observer) = self.controller, self._split(given)
        assert controller.storage is not None
        stored = controller.storage(model, t, q, v, *self._inner(state), **own)
        if controller.dissipation is None or self.disturbance is None:
            return stored
        gain = own[controller.dissipation] * of_observer["bandwidth"]
        for x in stages(state["observer"]):
            stored = stored + 0.5 * ((self.disturbance - x) / gain) @ (self.disturbance - x)
        return stored

    def _inner(self, state: Any) -> tuple[Any, ...]:
        """The state of the controller, if it has one."""
        return () if self.controller.initial_state is None else (state["controller"],)

    def _split(self, given: dict[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        """Parameters of the controller, and of the observer."""
        names = self.observer.parameters
        return {k: x for k, x in given.items() if k not in names}, {k: given[k] for k in names}


def _check_pair(controller: Controller, observer: Observer) -> None:
    """An error unless an observer can run beside a controller."""
    if not isinstance(observer, Observer):
        got = f"got {type(observer).__name__}; kt.control.momentum_observer makes one"
        raise InputError(f"observed takes an Observer beside the controller, {got}")
    if (controller.robot.nq, controller.robot.nv) != (observer.robot.nq, observer.robot.nv):
        raise InputError(f"{controller!r} and {observer!r} are of robots with other variables")
    shared = set(controller.parameters) & set(observer.parameters)
    if shared:
        raise InputError(f"both have parameters named {', '.join(sorted(shared))}")


def _check_falls(controller: Controller, compensate: bool) -> None:
    """An error unless a storage function of the controller and an observer is known."""
    what = f"disturbance= is for a storage function, which {controller.name!r} with an observer has not"
    if not compensate:
        raise InputError(f"{what}: it is that of compensate=True")
    check_tree("disturbance= with an observer", controller.robot.model, "its storage function is one of trees")
    if controller.storage is None or controller.dissipation is None:
        raise InputError(
            f"{what}: its own V is not one that falls at least as −sᵀ K s, with a gain K for each velocity"
        )
    if not np.all(controller.parameters[controller.dissipation] > 0):
        raise InputError(f"{what}: its {controller.dissipation!r} must be positive")


def _difference(a: Robot, b: Robot) -> str:
    """Difference between two robots, in words."""
    if a.name != b.name or (a.nq, a.nv) != (b.nq, b.nv):
        return f"{a.name!r} with {a.nv} velocities and {b.name!r} with {b.nv}"
    pairs = list(zip(a.model.bodies, b.model.bodies, strict=False))
    where = [x.name for x, y in pairs if x != y]
    if len(a.model.bodies) != len(b.model.bodies):
        what = "other numbers of bodies"
    elif where:
        what = f"other bodies or joints: {name_list(where)} (inertia, limits or joint effects)"
    else:
        what = f"other {name_list([x.name for x in fields(a.model) if _differs(a.model, b.model, x.name)])}"
    return f"two models named {a.name!r} have {what}"


def _differs(a: Model, b: Model, name: str) -> bool:
    x, y = getattr(a, name), getattr(b, name)
    return not np.array_equal(x, y) if isinstance(x, np.ndarray) else bool(x != y)


def controller_of(controller: Any, what: str) -> Controller:
    """The controller, or that of something that has one, such as a regulator; an error if it is neither."""
    controller = getattr(controller, "controller", controller)
    if not isinstance(controller, Controller):
        raise InputError(f"{what} takes a Controller, got {type(controller).__name__}; kt.control.Controller makes one")
    return controller
