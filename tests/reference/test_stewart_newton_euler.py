"""The Stewart platform with its legs' inertias, by Newton's and Euler's laws, one leg after the other.

For a motion of the platform: how each leg turns (its universal joint does not let it spin about the normal of both
axes), the rate of its angular momentum about its foot, the force that the platform must exert on it; then the platform,
whose six equations give the six forces of the actuators. All rates are complex steps along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import so3

G = np.array([0.0, 0.0, -9.81])
H = 1e-30
CYLINDER, PISTON, PLATFORM = (2.5, 0.03, 0.4), (1.0, 0.015, 0.4), (10.0, 0.32, 0.03)
"""Mass, radius, length."""
HALF = 0.2
"""From the foot to the cylinder's centre, and from the ball back to the piston's."""


def moments(mass, radius, length):
    """Across and about the axis, at the centre."""
    return mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2


@dataclass(frozen=True)
class Motion:
    """The platform at a time: where it is, how fast (its turning in its own axes), and how that changes."""

    p: Any
    R: Any
    dp: Any
    w: Any
    ddp: Any
    dw: Any

    def later(self, t) -> Motion:
        turn = so3.exp(self.w * t + self.dw * t * t / 2)
        p, dp = self.p + self.dp * t + self.ddp * t * t / 2, self.dp + self.ddp * t
        return Motion(p, self.R @ turn, dp, self.w + self.dw * t, self.ddp, self.dw)

    def rate(self, f) -> Any:
        return f(self.later(1j * H)).imag / H


@dataclass(frozen=True)
class Leg:
    foot: Any
    first: Any
    """The axis of its universal joint that is fixed to the base."""
    ball: Any
    """In the platform."""

    def along(self, at: Motion):
        """Length and direction, their rates, and how the leg turns; and what its joint lets it not do."""
        s, ds = at.p + at.R @ self.ball - self.foot, at.dp + at.R @ np.cross(at.w, self.ball)
        length = np.sqrt(s @ s)
        n = s / length
        second = np.cross(n, self.first)
        second = second / np.sqrt(second @ second)
        normal = np.cross(self.first, second)
        turning = np.cross(n, ds) / length
        turning = turning - n * (normal @ turning) / (normal @ n)
        return length, n, n @ ds, turning, normal

    def angular_momentum(self, at: Motion):
        """About the foot."""
        length, n, _, w, _ = self.along(at)
        (across_c, about_c), (across_p, about_p) = moments(*CYLINDER), moments(*PISTON)
        across = across_c + across_p + CYLINDER[0] * HALF**2 + PISTON[0] * (length - HALF) ** 2
        return across * (w - n * (n @ w)) + (about_c + about_p) * n * (n @ w)

    def piston_velocity(self, at: Motion):
        length, n, rate, w, _ = self.along(at)
        return rate * n + np.cross(w, n) * (length - HALF)

    def force(self, at: Motion) -> tuple[Any, Any]:
        """That the platform exerts on the ball, if the actuator exerts none; and how one unit changes it."""
        length, n, _, _, normal = self.along(at)
        weight = (CYLINDER[0] * HALF + PISTON[0] * (length - HALF)) * np.cross(n, G)
        moment = at.rate(self.angular_momentum) - weight
        moment = moment - normal * (moment @ n) / (normal @ n)  # what the universal joint holds
        pushed = PISTON[0] * (at.rate(self.piston_velocity) - G) @ n
        return np.cross(moment / length, n) + pushed * n, -n


def actuators(legs: list[Leg], at: Motion, com) -> Any:
    """The six forces."""
    across, about = moments(*PLATFORM)
    I = np.diag([across, across, about])
    turning = at.rate(lambda x: x.R @ (I @ x.w))
    pushing = PLATFORM[0] * (at.rate(lambda x: x.dp + x.R @ np.cross(x.w, com)) - G)
    arms = [at.R @ (leg.ball - com) for leg in legs]
    forces = [leg.force(at) for leg in legs]
    left = np.concatenate([turning, pushing])
    for arm, (force, _) in zip(arms, forces, strict=True):
        left = left + np.concatenate([np.cross(arm, force), force])
    columns = [np.concatenate([np.cross(arm, unit), unit]) for arm, (_, unit) in zip(arms, forces, strict=True)]
    return np.linalg.solve(-np.stack(columns, axis=1), left)


@pytest.mark.parametrize("seed", range(2))
def test_the_platform_moves_as_newton_and_euler_say(seed):
    robot, rng = kt.load("stewart", backend="numpy"), np.random.default_rng(seed)
    model = robot.model
    q = robot.assemble(robot.integrate(robot.assemble(), 0.15 * rng.normal(size=robot.nv)))
    v = robot.velocity_map(q) @ rng.normal(size=6)
    X, own = robot.pose(q, "platform"), robot.v_slice("platform_motion")
    w, u = v[own][:3], v[own][3:]
    ddp, dw = rng.normal(size=(2, 3))
    at = Motion(X[:3, 3], X[:3, :3], X[:3, :3] @ u, w, ddp, dw)
    feet = {body.name: body.X_pj for body in model.bodies}
    balls = {closure.name: closure.b.X_bf[:3, 3] for closure in model.closures}
    legs = [
        Leg(feet[f"leg{i}_cylinder"][:3, 3], feet[f"leg{i}_cylinder"][:3, 0], balls[f"leg{i}"]) for i in range(1, 7)
    ]
    tau = np.zeros(robot.nv)
    for i, f in enumerate(actuators(legs, at, np.array([0.0, 0.0, 0.015])), start=1):
        tau[robot.v_slice(f"leg{i}_slider")] = f
    expected = np.concatenate([dw, X[:3, :3].T @ ddp - np.cross(w, u)])
    for method in (None, "independent"):
        a = robot.forward_dynamics(q, v, tau, method=method)
        np.testing.assert_allclose(a[own], expected, rtol=0, atol=1e-11 * np.abs(tau).max() / 10)
    np.testing.assert_allclose(robot.motor_forces(q, v, a)[0], tau, rtol=0, atol=1e-11 * np.abs(tau).max())
