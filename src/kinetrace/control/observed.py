"""Controllers with an observer beside them, and control that compensates what the observer finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array, clip
from ..errors import InputError
from ..model.model import Model
from ..simulate.inputs import finite
from ..support.plain import plain_flag
from .combination import checked
from .controller import Controller, informed
from .making import maker
from .momentum import stages
from .observer import Observer
from .plant import check_motors, driven_forces


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
    controller = checked(controller, "observed")
    _check_pair(controller, observer)
    if plain_flag("compensate", compensate):
        check_motors(controller.robot, "compensation")
    true = None if disturbance is None else finite("disturbance", disturbance, controller.robot.nv)
    if true is not None:
        _check_falls(controller, compensate)
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
            if controller.is_limited:
                tau = clip(tau, -of_controller["limits"], of_controller["limits"])
        kept = {"controller": after} if has_state else {}
        return tau, acting({**kept, "observer": watched, "tau": tau}, tau)

    def acting(state: Any, tau: Array) -> Any:
        kept = {"controller": informed(controller, state["controller"], tau)} if has_state else {}
        return {**state, **kept, "tau": tau}

    def storage(model: Model, t: Array, q: Array, v: Array, state: Any, **parameters: Array) -> Array:
        of_controller, of_observer = own(parameters)
        assert controller.storage is not None
        stored = controller.storage(model, t, q, v, *inner(state), **of_controller)
        if controller.dissipation is None or true is None:
            return stored
        gain = of_controller[controller.dissipation] * of_observer["bandwidth"]
        for x in stages(state["observer"]):
            stored = stored + 0.5 * ((true - x) / gain) @ (true - x)
        return stored

    kept = {"controller": controller.initial_state} if has_state else {}
    state = {**kept, "observer": observer.initial_state, "tau": np.zeros(controller.robot.nv)}
    return Controller(
        controller.robot,
        law,
        f"observed_{controller.name}",
        state,
        {**controller.parameters, **observer.parameters},
        storage if controller.storage is not None and not (compensate and true is None) else None,
        None if compensate else controller.dissipation,
        controller.keeps_storage and not compensate,
        acting,
        controller.is_limited,
        controller.includes_friction,
    )


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
    if controller.robot.model.closures:
        raise InputError(f"{what}: it is one of trees, and {controller.robot.name!r} has closed loops")
    if controller.storage is None or controller.dissipation is None:
        raise InputError(
            f"{what}: its own V is not one that falls at least as −sᵀ K s, with a gain K for each velocity"
        )
    if not np.all(controller.parameters[controller.dissipation] > 0):
        raise InputError(f"{what}: its {controller.dissipation!r} must be positive")
