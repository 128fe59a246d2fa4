"""Steps of a robot in a world: its state and what acts on it become those of the scene, and the motion its part.

The robot's variables are the first of the scene's. Joint forces of objects are zero; controllers and functions of
wrenches are called with the robot's part of q and v.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...algorithms.dynamics.external_inputs import ExternalInputs
from ...algorithms.time.state import State
from ...arrays import asarray, concatenate
from ...errors import InputError, unknown_name_error
from ...model import Model
from ...robot import Robot
from ...robot.common import state_of
from ...robot.types import Float
from ...support.conversion import broadcast, finite
from ...worlds import World
from ...worlds.checks import warn_of_overlaps
from ...worlds.scene import Scene, bound_scene, world_of
from .. import integration
from ..forces import Law, check_controller
from ..metadata import ScenePart
from ..request import SimulationRequest
from ..trajectory import Trajectory

STEP_METHODS = ("semi-implicit", "implicit")
"""Methods that solve for contacts."""


def simulate(robot: Robot, request: SimulationRequest, world: Any) -> Trajectory:
    """See `Robot.simulate`: the motion of the robot, with that of the scene."""
    check_method(request.method)
    scene = bound_scene(robot, world_of(world))
    q, v = state_in_scene(scene, robot, request.q, request.v)
    inputs = inputs_in_scene(scene, robot, request.inputs)
    batch = broadcast({"q": q.shape[:-1], **_batches(scene)})
    warn_of_overlaps(scene.robot, q, scene.contact)
    lifted = request._replace(
        q=np.broadcast_to(q, (*batch, q.shape[-1])),
        v=np.broadcast_to(v, (*batch, v.shape[-1])),
        tau=forces_in_scene(scene, request.tau),
        controller=controller_in_scene(scene, request.controller, request.state is not None, request.parameters),
        control=_function_of_part(scene, robot.model, request.control),
        inputs=inputs,
    )
    return part_of(integration.simulate(scene.robot, lifted), robot, scene.world)


def rollout(robot: Robot, world: Any, q: Any, v: Any, tau: Any, dt: Any, **given: Any) -> tuple[Float, Float]:
    """See `Robot.rollout`; `given` are further arguments of `integration.rollout`."""
    check_method(given["method"])
    scene = bound_scene(robot, world_of(world))
    q, v = state_in_scene(scene, robot, q, v)
    given["inputs"] = inputs_in_scene(scene, robot, given["inputs"])
    q, v = integration.rollout(scene.robot, q, v, forces_in_scene(scene, tau), dt, **given)
    return q[..., : scene.part[0]], v[..., : scene.part[1]]


def step(robot: Robot, world: Any, q: Any, v: Any, tau: Any, dt: Any, **given: Any) -> tuple[Float, Float]:
    """See `Robot.step`: from rest of all that steps keep."""
    check_method(given.get("method"))
    scene = bound_scene(robot, world_of(world))
    q, v = state_in_scene(scene, robot, q, v)
    inputs = ExternalInputs(**{name: given.pop(name, None) for name in ExternalInputs._fields})
    lifted = inputs_in_scene(scene, robot, inputs)
    external = {name: x for name, x in lifted._asdict().items() if x is not None}
    after = scene.robot.step(q, v, forces_in_scene(scene, tau), dt, **external, **given)
    return after[0][..., : scene.part[0]], after[1][..., : scene.part[1]]


def check_method(method: Any) -> None:
    """An error if a method cannot step in a world."""
    if method is not None and method not in STEP_METHODS:
        can = " and ".join(map(repr, STEP_METHODS))
        raise InputError(f"method {method!r} cannot step in a world, where contacts are solved for: {can} can")


def _batches(scene: Scene) -> dict[str, tuple[int, ...]]:
    """Batch axes of the world's numbers by name."""
    model, found = scene.robot.model, {"objects": scene.q.shape[:-1]}
    from ...model.contact.inputs import contact_input_shape

    for name, x in scene.contact.items():
        found[f"world: {name}"] = x.shape[: x.ndim - len(contact_input_shape(model, name))]
    return {name: x for name, x in found.items() if x}


def state_in_scene(scene: Scene, robot: Robot, q: Any, v: Any) -> tuple[Float, Float]:
    """The state of the scene where the robot's is given."""
    q, v = state_of(robot, q, v)
    if scene.is_whole:
        return q, v
    batch = broadcast({"q, v": q.shape[:-1], "objects of the world": scene.q.shape[:-1]})
    parts = ((q, scene.q), (v, scene.v))
    q, v = (np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in part], axis=-1) for part in parts)
    return q, v


def forces_in_scene(scene: Scene, tau: Any) -> Any:
    """Joint forces (..., nv) of the scene; None if there are none."""
    if tau is None or callable(tau) or scene.is_whole:
        return tau
    return _padded(scene, finite("tau", tau, scene.part[1]))


def _padded(scene: Scene, tau: Any) -> Any:
    """Forces (..., nv) of the robot with zeros for the objects, of any scalar."""
    tau = asarray(tau)
    return concatenate([tau, np.zeros((*tau.shape[:-1], scene.robot.nv - scene.part[1]))], axis=-1)


def inputs_in_scene(scene: Scene, robot: Robot, given: ExternalInputs) -> ExternalInputs:
    """External inputs of the scene; those of contacts that are given beside the world replace its own."""
    if given.moves_base:
        raise InputError("a robot in a world has no base_velocity or base_acceleration: the world rests with the base")
    contact = dict(scene.contact)
    for name, x in (given.contact or {}).items():
        if name not in contact:
            raise unknown_name_error("contact input of this world", name, contact)
        contact[name] = x
    return given._replace(wrench=_wrench(scene, robot.model, given.wrench), contact=contact or None)


def _wrench(scene: Scene, model: Model, wrench: Any) -> Any:
    """Wrenches whose functions get the robot's part of the state."""
    if scene.is_whole or wrench is None:
        return wrench
    if not isinstance(wrench, Mapping):
        return _function_of_part(scene, model, wrench)
    return {name: _function_of_part(scene, model, x) for name, x in wrench.items()}


def _function_of_part(scene: Scene, model: Model, x: Any) -> Any:
    """Numbers as they are; a function of the robot as one of the scene."""
    return _of_part(scene, model, x) if callable(x) and not scene.is_whole else x


def _of_part(scene: Scene, robot: Model, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of (t, q, v) or (model, t, q, v) of the robot, as one of the scene."""
    import inspect

    nq, nv = scene.part
    try:
        first = next(iter(inspect.signature(function).parameters), None)
    except (TypeError, ValueError):  # of C, perhaps
        first = None
    if first == "model":

        def of_model(model: Model, t: Any, q: Any, v: Any) -> Any:
            return function(replace(robot, gravity=model.gravity), t, q[..., :nq], v[..., :nv])

        return of_model
    return lambda t, q, v: function(t, q[..., :nq], v[..., :nv])


class _LawOfPart:
    """A controller of `control` for the robot, as one of the scene."""

    def __init__(self, scene: Scene, law: Law) -> None:
        self._scene, self._law = scene, law
        self.period = getattr(law, "period", None)

    @property
    def initial_state(self) -> Any:
        """That of the law."""
        return self._law.initial_state

    @property
    def parameters(self) -> Mapping[str, Float]:
        """Those of the law."""
        return self._law.parameters

    def __call__(self, t: Any, q: Any, v: Any, state: Any = None, /, **parameters: Any) -> Any:
        """τ of the scene, or τ and the next state."""
        nq, nv = self._scene.part
        given = (t, q[..., :nq], v[..., :nv])
        found = self._law(*given, **parameters) if state is None else self._law(*given, state, **parameters)
        return _forces_of(self._scene, found, state is not None)


def controller_in_scene(scene: Scene, controller: Any, has_state: bool, parameters: Mapping[str, Any] | None) -> Any:
    """A controller of the robot, as one of the scene."""
    if controller is None or scene.is_whole:
        return controller
    if isinstance(controller, Law):
        return _LawOfPart(scene, controller)
    check_controller(controller, has_state, parameters or {})
    nq, nv = scene.part

    def of_scene(t: Any, q: Any, v: Any, *state: Any, **named: Any) -> Any:
        return _forces_of(scene, controller(t, q[..., :nq], v[..., :nv], *state, **named), has_state)

    return of_scene


def _forces_of(scene: Scene, found: Any, has_state: bool) -> Any:
    """What a controller returns, with forces of the scene."""
    if has_state and not (isinstance(found, tuple) and len(found) == 2):
        return found  # which is told where it is used
    tau = found[0] if has_state else found
    shape = np.shape(tau)
    if tau is None or shape[-1:] != (scene.part[1],):
        got = "None: is a `return` missing?" if tau is None else f"shape {shape}"
        raise InputError(f"the controller must return forces (..., {scene.part[1]}); it returned {got}")
    tau = _padded(scene, tau)
    return (tau, found[1]) if has_state else tau


def read_part(kind: type[Trajectory], robot: Robot | None, fields: Mapping[str, Any], part: ScenePart) -> Trajectory:
    """The robot's part of the motion of a scene with these fields, which a file has kept."""
    scene = None if robot is None else bound_scene(robot, part.world).robot
    return part_of(kind(robot=scene, **fields), robot, part.world, part)


def part_of(motion: Trajectory, robot: Robot | None, world: World, read: ScenePart | None = None) -> Trajectory:
    """The robot's part of the motion of a scene; of a robot that is not known, what a file has read of it."""
    nq, nv = (robot.nq, robot.nv) if read is None or robot is not None else (read.nq, read.nv)  # type: ignore[union-attr]
    end = motion.end
    if end is not None:
        tau = None if end.tau is None else end.tau[..., :nv]
        end = end._replace(state=State(end.state.q[..., :nq], end.state.v[..., :nv], end.state.kept), tau=tau)
    of_both = motion.names
    names = type(of_both)(*(x[:n] for x, n in zip(of_both, (nq, nv, nq, nv, nv), strict=True)))
    return replace(
        motion,
        q=motion.q[..., :nq],
        v=motion.v[..., :nv],
        tau=motion.tau[..., :nv],
        names=names,
        robot_name=motion.robot_name if read is None else read.robot_name,
        robot=robot,
        events=(),
        end=end,
        reported={},
        scene=motion,
        world=world,
    )


def resume(motion: Trajectory, robot: Robot, t: Any, given: Mapping[str, Any]) -> Trajectory:
    """See `Trajectory.resume`: the motion of the scene goes on."""
    assert motion.scene is not None and motion.world is not None
    scene = bound_scene(robot, motion.world)
    tau, wrench = forces_in_scene(scene, given["tau"]), _wrench(scene, robot.model, given["wrench"])
    has_state = given["state"] is not None or (motion.end is not None and motion.end.controller is not None)
    controller = controller_in_scene(scene, given["controller"], has_state, given["parameters"])
    control = _function_of_part(scene, robot.model, given["control"])
    lifted = {**given, "tau": tau, "wrench": wrench, "controller": controller, "control": control}
    found = integration.resume(motion.scene, scene.robot, t, lifted)
    return part_of(found, robot, motion.world)
