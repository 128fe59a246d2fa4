"""Closed chains over ten seconds: energy, momentum and closures stay, and a disc rolls as Euler's equations say."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.closed.mobility import with_assembly
from kinetrace.lie import se3, so3
from kinetrace.lie.inertia import from_mass_com
from kinetrace.model import Limits

from .simulation import simulated

X, Y, Z = np.eye(3)


def at(*p):
    return se3.pose(np.eye(3), np.array(p, dtype=float))


def bar(length: float, mass: float = 1.0):
    """A bar along x from the origin, with some thickness."""
    return from_mass_com(mass, [length / 2, 0, 0], np.diag([0.2, 1.0, 1.1]) * mass * length**2 / 12)


def energy(robot, q, v):
    return robot.kinetic_energy(q, v) + robot.potential_energy(q)


def spatial_loop() -> kt.Robot:
    """A crank about z, a coupler on a ball, a rocker about an axis askew, and a universal joint between the two."""
    b = kt.Builder("spatial four-bar")
    b.link("crank", bar(0.3))
    b.joint("crank joint", kt.joints.Revolute(Z), parent="base", child="crank")
    b.link("coupler", bar(1.0))
    b.joint("ball", kt.joints.Spherical(), parent="crank", child="coupler", placement=at(0.3, 0, 0))
    b.link("rocker", bar(0.8))
    b.joint(
        "rocker joint", kt.joints.Revolute([0.2, 1, 0.1]), parent="base", child="rocker", placement=at(0.7, 0.3, -0.2)
    )
    b.close("coupler", "rocker", kt.joints.Universal(Y, Z), placement_a=at(1, 0, 0), placement_b=at(0.8, 0, 0))
    return kt.Robot(b.build())


@pytest.mark.parametrize("make", [lambda: kt.load("four_bar"), spatial_loop], ids=["four_bar", "spatial"])
def test_energy_and_loops_over_ten_seconds(make):
    robot = make()
    q = robot.assemble()
    v = robot.velocity_map(q) @ np.full(robot.dof, 2.0)
    before = energy(robot, q, v)
    scale = robot.kinetic_energy(q, v) + 9.81 * 1.0
    q, v = simulated(robot, q, v, 10.0, tol=1e-10)
    assert abs(energy(robot, q, v) - before) < 1e-7 * scale
    assert np.abs(robot.closure_residual(q)).max() < 1e-14
    assert np.abs(robot.closure_velocity(q, v)).max() < 1e-12


def test_momentum_of_a_loop_on_a_free_base(rng):
    """Joints pass their limits on the way: these stop no motion."""
    b, limits = kt.Builder("satellite"), Limits(*(np.array([x]) for x in (-2.0, 2.0, 10.0, 10.0)))
    b.link("bus", from_mass_com(3.0, [0.1, 0, 0], np.diag([0.3, 0.4, 0.5])))
    b.link("crank", bar(0.4))
    b.joint("crank joint", kt.joints.Revolute(Y), parent="bus", child="crank", limits=limits)
    b.link("coupler", bar(1.1))
    b.joint("coupler joint", kt.joints.Revolute(Y), parent="crank", child="coupler", placement=at(0.4, 0, 0))
    b.link("rocker", bar(0.9))
    b.joint("rocker joint", kt.joints.Revolute(Y), parent="bus", child="rocker", placement=at(1.2, 0, 0))
    b.close("coupler", "rocker", kt.joints.Revolute(Y), placement_a=at(1.1, 0, 0), placement_b=at(0.9, 0, 0))
    robot = kt.Robot(b.build("free", gravity=(0, 0, 0)))
    q, crank = robot.assemble(), robot.v_slice("crank joint")
    v = rng.normal(size=robot.nv)
    v[crank] = 6.0
    v = robot.project(q, v)[1]
    before, energy_before = robot.momentum(q, v), robot.kinetic_energy(q, v)
    q, v = simulated(robot, q, v, 2.0, tol=1e-11)
    assert abs(q[robot.q_slice("crank joint")][0]) > 2.0
    np.testing.assert_allclose(robot.momentum(q, v), before, rtol=0, atol=1e-9 * np.abs(before).max())
    assert robot.kinetic_energy(q, v) == pytest.approx(energy_before, rel=1e-9)


def test_a_thin_disc_rolls_in_a_circle():
    """(I₃ + m r²) ω₃ Ω sin θ = I₁ Ω² sin θ cos θ − m g r cos θ, with θ the tilt of its axis and Ω its precession."""
    m, r, g, theta, Omega = 2.0, 0.4, 9.81, 1.1, -2.5
    I1, I3 = m * r * r / 4, m * r * r / 2
    b = kt.Builder("disc")
    b.link("disc", from_mass_com(m, [0, 0, 0], np.diag([I1, I1, I3])))
    b.close("world", "disc", kt.closures.Rolling(r, axle=Z, normal=Z))
    model = b.build("free", gravity=(0, 0, -g))
    w3 = (I1 * Omega**2 * np.sin(theta) - m * g * r) * np.cos(theta) / ((I3 + m * r * r) * Omega * np.sin(theta))
    R = so3.axis_angle(Y, theta)
    turn = Omega * Z + (w3 - Omega * np.cos(theta)) * R[:, 2]
    down = -(Z - np.cos(theta) * R[:, 2]) / np.sin(theta)
    velocity = -np.cross(turn, r * down)
    start = np.array([0.0, 0.0, r * np.sin(theta)])
    q = np.concatenate([start, so3.to_quaternion(R)])
    robot = kt.Robot(with_assembly(model, guess=q))
    assert robot.dof == 3
    q, v = simulated(robot, q, np.concatenate([R.T @ turn, R.T @ velocity]), 10.0, tol=1e-11)
    middle = start + np.cross(Z, velocity) / Omega
    turned = so3.axis_angle(Z, 10.0 * Omega)
    np.testing.assert_allclose(q[:3], middle + turned @ (start - middle), rtol=0, atol=1e-7)
    np.testing.assert_allclose(so3.from_quaternion(q[3:])[:, 2], turned @ R[:, 2], rtol=0, atol=1e-7)
    assert v[2] == pytest.approx(w3, abs=1e-9)
