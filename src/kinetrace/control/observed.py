"""Controllers with an observer beside them, and control that compensates what the observer finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array
from ..errors import InputError
from ..model.model import Model
from .controller import Controller
from .observer import Observer
from .plant import check_motors, driven_forces


def observed(
    controller: Controller,
    observer: Observer,
    *,
    compensate: bool = False,
    disturbance: npt.ArrayLike | None = None,
) -> Controller:
    """Controller with an observer beside it, which is fed with the controller's own joint forces.

    The state has that of the `controller`, if it has one, that of the `observer` and the joint forces `tau` of the last
    call, so that `Trajectory.states["observer"]["residual"]` has the estimates along a motion.

    With `compensate`, the estimate is subtracted from the joint forces, which then act like integral control against
    constant and slow disturbances: the error d − r of a constant d decays as e^(−Lt) whatever the motion. If V of the
    controller falls as −sᵀ K s − sᵀ (d − r), as those of `passivity_based` and `pd` do, then
    V + ½ Σ (d − r)² / (K L) falls as well.

    Parameters
    ----------
    controller : Controller
        Controller.
    observer : Observer
        Observer of the same robot; models may differ.
    compensate : bool, default False
        Whether to subtract the estimate from the joint forces; motors must drive all motions of the robot.
    disturbance : array_like, shape (nv,), optional
        True disturbance [N m, N], for the storage function with `compensate`, which is stated only then, and for trees.

    Returns
    -------
    Controller
        The controller, with the parameters of both.

    Raises
    ------
    InputError
        If the two do not fit.

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
    if (controller.robot.nq, controller.robot.nv) != (observer.robot.nq, observer.robot.nv):
        raise InputError(f"{controller!r} and {observer!r} are of robots with other variables")
    shared = set(controller.parameters) & set(observer.parameters)
    if shared:
        raise InputError(f"both have parameters named {', '.join(sorted(shared))}")
    if compensate:
        check_motors(controller.robot, "compensation")
    true = None if disturbance is None else np.asarray(disturbance, dtype=float)
    if true is not None and (true.shape != (controller.robot.nv,) or not np.isfinite(true).all()):
        raise InputError(f"disturbance must be {controller.robot.nv} numbers, got {disturbance!r}")
    names, has_state = tuple(observer.parameters), controller.initial_state is not None

    def own(parameters: dict[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
        return {k: x for k, x in parameters.items() if k not in names}, {k: parameters[k] for k in names}

    def inner(state: Any) -> tuple[Any, ...]:
        return (state["controller"],) if has_state else ()

    def law(model: Model, t: Array, q: Array, v: Array, state: Any, **parameters: Array) -> tuple[Array, Any]:
        of_controller, of_observer = own(parameters)
        r, watched = observer.law.law(observer.robot.model, t, q, v, state["observer"], state["tau"], **of_observer)
        found = controller.law(model, t, q, v, *inner(state), **of_controller)
        tau, after = found if has_state else (found, None)
        if compensate:
            tau = tau - driven_forces(model, q, r)
        kept = {"controller": after} if has_state else {}
        return tau, {**kept, "observer": watched, "tau": tau}

    def storage(model: Model, t: Array, q: Array, v: Array, state: Any, **parameters: Array) -> Array:
        of_controller, of_observer = own(parameters)
        assert controller.storage is not None
        stored = controller.storage(model, t, q, v, *inner(state), **of_controller)
        if not compensate:
            return stored
        off = true - state["observer"]["residual"]
        return stored + 0.5 * (off / (of_controller["damping"] * of_observer["bandwidth"])) @ off

    kept = {"controller": controller.initial_state} if has_state else {}
    state = {**kept, "observer": observer.initial_state, "tau": np.zeros(controller.robot.nv)}
    stated = controller.storage is not None and (
        not compensate
        or (true is not None and "damping" in controller.parameters and not controller.robot.model.closures)
    )
    return Controller(
        controller.robot,
        law,
        f"observed_{controller.name}",
        state,
        {**controller.parameters, **observer.parameters},
        storage if stated else None,
    )
