"""Controllers made of controllers: sums, limits of the forces, lower rates."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array, clip, less, minimum, tree_map, where
from ..errors import InputError, listed
from ..model.model import Model
from ..robot import Robot
from ..simulate.inputs import positive
from ..support.plain import plain_reals
from .controller import Controller, informed
from .making import maker
from .reference import rows_of
from .sampling import NEVER, latest, rounded_up


@maker
def total(first: Controller, second: Controller) -> Controller:
    """The sum of two controllers of one robot; a parameter that both have gets the name of its controller before it.

    The storage function of one holds in the sum only if the other says so.
    """
    if first.robot is not second.robot and first.robot.model != second.robot.model:
        raise InputError(f"controllers of different robots cannot be added: {_difference(first.robot, second.robot)}")
    if first.includes_friction and second.includes_friction:
        told = "the sum would count it twice; friction_compensation is for laws such as pd, which leave it out"
        raise InputError(f"both {first.name!r} and {second.name!r} overcome the friction of the model's joints: {told}")
    both = first.parameters.keys() & second.parameters.keys()
    if both and first.name == second.name:
        raise InputError(f"both controllers are named {first.name!r} and have {listed(sorted(both))}; give one a name=")
    parts = (first, second)
    called = [{name: f"{c.name}_{name}" if name in both else name for name in c.parameters} for c in parts]
    kept = [c.initial_state is not None for c in parts]
    stated = [k for k, c in enumerate(parts) if c.storage is not None and parts[1 - k].keeps_storage]

    def own(k: int, given: dict[str, Any]) -> dict[str, Any]:
        return {name: given[new] for name, new in called[k].items()}

    def each(function: Any, k: int, model: Model, at: tuple[Any, ...], state: Any, given: dict[str, Any]) -> Any:
        return function(model, *at, *([state[sum(kept[:k])]] if kept[k] else []), **own(k, given))

    def law(model: Model, t: Array, q: Array, v: Array, state: Any = (), **given: Any) -> Any:
        found = [each(c.law, k, model, (t, q, v), state, given) for k, c in enumerate(parts)]
        forces = [x[0] if has else x for x, has in zip(found, kept, strict=True)]
        after = tuple(x[1] for x, has in zip(found, kept, strict=True) if has)
        tau = forces[0] + forces[1]
        return (tau, acting(after, tau)) if after else tau

    def acting(state: Any, tau: Array) -> Any:
        own = [c for c in parts if c.initial_state is not None]
        return tuple(informed(c, x, tau) for c, x in zip(own, state, strict=True))

    def storage(model: Model, t: Array, q: Array, v: Array, state: Any = (), **given: Any) -> Any:
        k = stated[0]
        return each(parts[k].storage, k, model, (t, q, v), state, given)

    return Controller(
        first.robot,
        law,
        f"{first.name}_{second.name}",
        tuple(c.initial_state for c in parts if c.initial_state is not None) or None,
        {called[k][name]: x for k, c in enumerate(parts) for name, x in c.parameters.items()},
        storage if len(stated) == 1 else None,
        keeps_storage=first.keeps_storage and second.keeps_storage,
        acting=acting if any(c.acting is not None for c in parts) else None,
        includes_friction=first.includes_friction or second.includes_friction,
        period=None if not any(c.period for c in parts) else min(c.period or 0.0 for c in parts),
    )


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
    controller = checked(controller, "saturated")
    nv = controller.robot.nv
    given = plain_reals("limits", controller.robot.limits.effort if limits is None else limits)
    if limits is None and not np.isfinite(given).any():
        raise InputError(f"saturated: {controller.robot.name!r} has no limits of joint forces; give limits=")
    finite = np.where(np.isposinf(given), 1e300, given)  # parameters are finite numbers
    if "limits" in controller.parameters:
        raise InputError(f"saturated: {controller.name!r} has limits already; with_parameters(limits=...) changes them")

    def law(model: Model, t: Array, q: Array, v: Array, *state: Any, limits: Array, **given: Any) -> Any:
        found = controller.law(model, t, q, v, *state, **given)
        tau = clip(found[0] if state else found, -limits, limits)
        return (tau, informed(controller, found[1], tau)) if state else tau

    def storage(model: Model, t: Array, q: Array, v: Array, *state: Any, limits: Array, **given: Any) -> Any:
        assert controller.storage is not None
        return controller.storage(model, t, q, v, *state, **given)

    own = {**controller.parameters, "limits": rows_of("limits", finite, nv)}
    stated = None if controller.storage is None else storage
    name = f"{controller.name}_saturated"
    return Controller(
        controller.robot,
        law,
        name,
        controller.initial_state,
        own,
        stated,
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
    controller = checked(controller, "sampled")
    every, has_state = positive("period", period), controller.initial_state is not None

    def law(model: Model, t: Array, q: Array, v: Array, state: dict[str, Any], **given: Any) -> Any:
        found = controller.law(model, t, q, v, *([state["inner"]] if has_state else []), **given)
        tau, inner = found if has_state else (found, None)
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
        return {**state, "inner": informed(controller, state["inner"], tau)}

    first: dict[str, Any] = {"held": np.zeros(controller.robot.nv), "next": NEVER}
    if has_state:
        first["inner"] = controller.initial_state
    stated = None if controller.storage is None else storage
    return Controller(
        controller.robot,
        law,
        f"{controller.name}_sampled",
        first,
        controller.parameters,
        stated,
        acting=None if controller.acting is None else acting,
        is_limited=controller.is_limited,
        includes_friction=controller.includes_friction,
        period=every,
    )


def _difference(a: Robot, b: Robot) -> str:
    """What tells two robots apart."""
    if a.name != b.name or (a.nq, a.nv) != (b.nq, b.nv):
        return f"{a.name!r} with {a.nv} velocities and {b.name!r} with {b.nv}"
    pairs = list(zip(a.model.bodies, b.model.bodies, strict=False))
    where = [x.name for x, y in pairs if x != y]
    if len(a.model.bodies) != len(b.model.bodies):
        what = "other numbers of bodies"
    elif where:
        what = f"other bodies or joints: {listed(where)} (inertia, limits or joint effects)"
    else:
        what = f"other {listed([x.name for x in fields(a.model) if _differs(a.model, b.model, x.name)])}"
    return f"two models named {a.name!r} have {what}"


def _differs(a: Model, b: Model, name: str) -> bool:
    x, y = getattr(a, name), getattr(b, name)
    return not np.array_equal(x, y) if isinstance(x, np.ndarray) else bool(x != y)


def checked(controller: Any, what: str) -> Controller:
    """The controller, or that of something that has one, such as a regulator; an error if it is neither."""
    controller = getattr(controller, "controller", controller)
    if not isinstance(controller, Controller):
        raise InputError(f"{what} takes a Controller, got {type(controller).__name__}; kt.control.Controller makes one")
    return controller
