"""Robots that stand on flat ground: position servos hold a posture, feet press on a plane.

The same robot goes to other libraries as MJCF: the shapes that may touch, rotors, servos and the bounds of their
forces. Joints have no stops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..algorithms.actuation.actuator_forces import actuator_forces
from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.registry.choices import StepMethod
from ..algorithms.time.contact_steps import CONTACT_RESIDUAL
from ..algorithms.time.integrators import state_after
from ..algorithms.time.methods import initial_kept
from ..algorithms.time.state import State
from ..algorithms.time.step_inputs import StepInputs
from ..arrays import Array, scan
from ..model import Actuator, Geometry, Model
from ..robot import Robot
from ..worlds import World

GROUND_FRICTION, GROUND_DT = 0.8, 2e-3
"""Of feet and ground, in any library; seconds of a step."""
METHOD: StepMethod = "semi-implicit"


@dataclass(frozen=True)
class Stance:
    """How a robot stands."""

    feet: tuple[str, ...]
    """Collision shapes that touch the ground."""
    kp: float
    """Of all servos [N m/rad]."""
    kv: float
    """Of all servos [N m s/rad]."""
    rotor: float
    """Armature of all joints [kg m²]."""
    height: float
    """Of the base above the ground, where the feet touch it [m]."""
    posture: tuple[float, ...] = (0.0,)
    """Joint positions, again and again."""
    sway: float = 0.0
    """Of the positions that servos follow [rad]."""
    balls: Mapping[str, float] | None = None
    """Feet of a robot without collision shapes: frame → radius."""

    def posture_of(self, robot: Robot) -> Array:
        """Joint positions (nu,)."""
        return np.resize(self.posture, robot.nv - 6)

    def robot(self, bare: Robot, all_shapes: bool = False, **settings: Any) -> Robot:
        """The robot with rotors, servos and feet, or all its collision shapes, and no others."""
        model = bare.with_joint_effects(armature=self.rotor).model
        shapes = tuple(x for x in model.geometry if x.role == "collision" and (all_shapes or x.name in self.feet))
        balls = (
            Geometry("sphere", (r,), at, np.eye(4), name=at, role="collision") for at, r in (self.balls or {}).items()
        )
        servos = (Actuator.position(name, kp=self.kp, kv=self.kv) for name in model.joint_names[1:])
        return Robot(replace(model, geometry=(*shapes, *balls)).with_actuators(*servos), **settings)

    def start(self, robot: Robot, batch: int, seed: int = 0) -> tuple[Any, Any]:
        """q (batch, nq) near the posture and v (batch, nv)."""
        rng = np.random.default_rng(seed)
        q = np.tile(robot.neutral(), (batch, 1))
        q[:, 2] = self.height + 0.002 * rng.random(batch)
        q[:, 7:] = self.posture_of(robot) + 0.02 * rng.normal(size=(batch, robot.nq - 7))
        return q, 0.1 * rng.normal(size=(batch, robot.nv))

    def controls(self, robot: Robot, batch: int, steps: int) -> Any:
        """Positions (batch, steps, nu) that the servos follow."""
        moving = self.sway * np.sin(0.1 * np.arange(steps))[:, None]
        return np.ascontiguousarray(np.broadcast_to(self.posture_of(robot) + moving, (batch, steps, robot.nv - 6)))


STANCES: Mapping[str, Stance] = {
    "quadruped": Stance(("FL_foot", "FR_foot", "RL_foot", "RR_foot"), 60.0, 2.0, 0.01, 0.3126, (0.0, 0.8, -1.6), 0.05),
    "humanoid": Stance(("left_foot", "right_foot"), 800.0, 16.0, 0.02, 0.94),
    "planar2r": Stance((), 20.0, 1.0, 0.01, 0.05, (0.3,), 0.05, {"link1": 0.05, "tip": 0.05}),
}
"""Robot → how it stands on a free base."""


SETTLED = 100
"""Steps after which robots stand."""


def on_ground(robot: Robot) -> Robot:
    """The robot on flat ground, as one robot."""
    return robot.with_world(World(friction=GROUND_FRICTION))


def ground_step(model: Model, state: State, control: Array, dt: Array) -> State:
    """The state after a step under controls (nu,); without actuators, forces."""
    forces = actuator_forces(model, *state[:2], control) if model.actuators else control
    return state_after(model, state, dt, METHOD, StepInputs(forces, ExternalInputs()), False)


def ground_rollout(model: Model, q: Array, v: Array, control: Array, dt: Array) -> tuple[Array, Array, Array]:
    """q (t, nq), v (t, nv) and residuals (t,) after each step under controls (t, nu); without actuators, forces."""

    def one(now: State, control: Array) -> Any:
        after = ground_step(model, now, control, dt)
        return after, (*after[:2], after.kept[CONTACT_RESIDUAL])

    rows: tuple[Array, Array, Array] = scan(one, State(q, v, initial_kept(model, METHOD)), control)[1]
    return rows


def control_shapes(robot: Robot) -> dict[str, Any]:
    """Shapes of the inputs of `ground_rollout` that its robot does not know."""
    return {"control": ("t", len(robot.model.actuators) or robot.nv)}
