"""Closed chains against closed forms and published numbers, built from their data and simulated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kinetrace as kt
from kinetrace.algorithms.closed.mobility import with_assembly
from kinetrace.lie import se3
from kinetrace.lie.inertia import from_mass_com

from ..laws.simulation import simulated

Y, Z = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0):
    return se3.pose(np.eye(3), np.array([x, y, z]))


def bar(length: float = 1.0, mass: float = 1.0):
    """A slender bar along z from the origin."""
    return from_mass_com(mass, [0, 0, length / 2], np.diag([1.0, 1.0, 0.0]) * mass * length**2 / 12)


def point(mass: float):
    return from_mass_com(mass, [0.0, 0.0, 0.0], np.zeros((3, 3)))


def test_four_bar_against_its_equation_in_the_crank_angle():
    """M(θ) θ̈ + ½ M′ θ̇² + U′ = τ with the coupler's and the rocker's angle in closed form, of two circles that meet."""
    ground, (l1, l2, l3), g = 1.3, (0.5, 1.2, 0.9), 9.81
    b = kt.Builder("four_bar")
    for name, length, parent, X in (
        ("crank", l1, "base", at()),
        ("coupler", l2, "crank", at(z=l1)),
        ("rocker", l3, "base", at(x=ground)),
    ):
        b.link(name, bar(length, 1.0 + length))
        b.joint(f"{name} joint", kt.joints.Revolute(Y), parent=parent, child=name, placement=X)
    b.close("coupler", "rocker", kt.joints.Revolute(Y), placement_a=at(z=l2), placement_b=at(z=l3))
    robot = kt.Robot(b.build(), backend="numpy")

    def angles(theta):
        """Absolute angles from the vertical: of the bars from (0, 0), from the crank's tip, from (ground, 0)."""
        tip = l1 * np.array([np.sin(theta), np.cos(theta)])
        to = np.array([ground, 0.0]) - tip
        d = np.sqrt(to @ to)
        along = (d * d + l2 * l2 - l3 * l3) / (2 * d)
        meet = tip + (along * to + np.sqrt(l2 * l2 - along * along) * np.array([-to[1], to[0]])) / d
        coupler, rocker = meet - tip, meet - np.array([ground, 0.0])
        return np.array([theta, np.arctan(coupler[0] / coupler[1]), np.arctan(rocker[0] / rocker[1])])

    def slopes(theta, h=1e-30):
        return angles(theta + 1j * h).imag / h

    def inertia_and_potential(theta, s):
        m, length, (a, c, r) = 1.0 + np.array([l1, l2, l3]), np.array([l1, l2, l3]), angles(theta)
        moving = m * length**2 / 3 * s * s
        carried = m[1] * (l1 * l1 * s[0] ** 2 + l1 * l2 * s[0] * s[1] * np.cos(a - c))
        height = m[0] * l1 * np.cos(a) / 2 + m[1] * (l1 * np.cos(a) + l2 * np.cos(c) / 2) + m[2] * l3 * np.cos(r) / 2
        return moving.sum() + carried, g * height

    for theta, rate, torque in ((0.3, 1.0, 2.0), (-0.7, -2.0, 0.0), (1.1, 0.5, -1.0)):
        h = 1e-4  # fourth-order differences, of closed forms
        weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
        M, _ = inertia_and_potential(theta, slopes(theta))
        dM, dU = (
            sum(w * inertia_and_potential(theta + k * h, slopes(theta + k * h))[i] for k, w in weights.items()) / h
            for i in range(2)
        )
        a, c, r = angles(theta)
        s = slopes(theta)
        q, v = np.array([a, c - a, r]), rate * np.array([s[0], s[1] - s[0], s[2]])
        assert np.abs(robot.closure_residual(q)).max() < 1e-14
        found = robot.forward_dynamics(q, v, np.array([torque, 0.0, 0.0]))[0]
        assert found == pytest.approx((torque - dU - dM * rate**2 / 2) / M, rel=1e-10)


@pytest.mark.parametrize("n", [2, 5])
def test_iftomm_four_bars_in_a_row_through_their_singular_positions(n):
    """N + 1 cranks and N couplers: ((N+1)/3 + N) θ̈ = ((N+1)/2 + N) g sin θ; flat, they have N + 1 degrees of freedom.

    Steps of equal size: where the loops are flat to 1e-6, rounding of 1e-16 moves bars by 1e-10, which an integrator
    that asks for less would not pass.
    """
    b, hinge = kt.Builder("four bars"), kt.joints.Revolute(Y)
    for k in range(n + 1):
        b.link(f"crank{k}", bar())
        b.joint(f"c{k}", hinge, parent="base", child=f"crank{k}", placement=at(x=float(k)))
        if k < n:
            b.link(f"coupler{k}", bar())
            b.joint(f"h{k}", hinge, parent=f"crank{k}", child=f"coupler{k}", placement=at(z=1.0))
    for k in range(n):
        b.close(f"coupler{k}", f"crank{k + 1}", hinge, placement_a=at(z=1.0), placement_b=at(z=1.0))
    model = b.build(gravity=(0, 0, -9.81))
    couplers = np.array([name.startswith("h") for name in model.joint_names])
    robot = kt.Robot(with_assembly(model, guess=np.where(couplers, np.pi / 2, 0.0)))
    flat = robot.mobility(np.where(couplers, 0.0, np.pi / 2))
    assert robot.dof == 1 and flat.dof == n + 1 and flat.is_singular
    v = np.where(couplers, -1.0, 1.0)
    q, v = simulated(robot, robot.assemble(), v, 10.0, step=0.02, every=1)
    k = model.joint_names.index("c0")
    x = np.array([np.sin(q[k]), np.cos(q[k]), v[k] * np.cos(q[k]), -v[k] * np.sin(q[k])])
    if n == 2:
        published = [0.328458111535, 0.944518538181, 1.423051470193, -0.494868845472]
    else:
        slope = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81
        exact = solve_ivp(
            lambda t, y: [y[1], slope * np.sin(y[0])], (0, 10), [0, 1.0], "DOP853", rtol=3e-14, atol=1e-14
        )
        th, w = exact.y[:, -1]
        published = [np.sin(th), np.cos(th), w * np.cos(th), -w * np.sin(th)]
    np.testing.assert_allclose(x, published, rtol=0, atol=1e-8 if n == 2 else 1e-7)  # 2e-9 and 1e-8 here


def test_car_axis_of_the_ivp_test_set():
    """Two masses on springs, one on a line that turns with the road, and a rod between them: B7, at t = 3."""
    k, spring, r, w = 10 * 1e-4 / 2, 0.5, 0.1, 10.0
    b = kt.Builder("car axis")
    for side in ("left", "right"):
        b.link(side, point(k))
        b.joint(f"{side} x", kt.joints.Prismatic([1, 0, 0]), parent="base", child=f"{side} slide")
        b.joint(f"{side} y", kt.joints.Prismatic([0, 1, 0]), parent=f"{side} slide", child=side)
    b.close("world", "left", kt.closures.FrictionlessPoint([1, 0, 0]), name="line")
    b.close("right", "left", kt.closures.Rod(1.0), name="rod")
    start = np.array([0.0, 0.5, 1.0, 0.5])
    model = b.build(gravity=(0, -1.0, 0), check="ignore")
    robot = kt.Robot(with_assembly(model, guess=start))

    def drive(t):
        """The line turns by asin(r sin wt): its rate and acceleration."""
        s, ds, dds = r * np.sin(w * t), r * w * np.cos(w * t), -r * w * w * np.sin(w * t)
        c = np.sqrt(1 - s * s)
        turn = np.array([np.arcsin(s), ds / c, dds / c + s * ds * ds / c**3])
        return {"line": turn[:, None] * np.eye(6)[2]}

    def forces(t, q, v):
        yb = r * np.sin(w * t)
        left, right = q[:2], q[2:] - [np.sqrt(1 - yb * yb), yb]
        return np.concatenate([(spring / np.linalg.norm(x) - 1) * x for x in (left, right)])

    q, v = simulated(robot, start, np.array([-0.5, 0, -0.5, 0]), 3.0, forces=forces, drive=drive, tol=1e-13)
    expected_q = [0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257]
    expected_v = [-0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222, 0.770341043779251976]
    np.testing.assert_allclose(q, expected_q, rtol=0, atol=1e-11)
    np.testing.assert_allclose(v, expected_v, rtol=0, atol=1e-9)
    force = robot.closure_forces(q, v, forces(3.0, q, v), drive=drive(3.0))
    expected = [-0.473688659084893325e-2, 2 * -0.110468033125734369e-2]
    np.testing.assert_allclose(force, expected, rtol=0, atol=1e-10)


class SliderCrank:
    """Crank, slider and rod, with a spring and a damper between crank and rod: B8, the example of SUNDIALS' IDAS."""

    a, force = 0.5, 1.0

    def __init__(self) -> None:
        b, hinge = kt.Builder("slider-crank"), kt.joints.Revolute(Z)
        b.link("crank", from_mass_com(1.0, [0, 0, 0], np.eye(3)))
        b.joint("q", hinge, parent="base", child="crank")
        b.joint("x", kt.joints.Prismatic([1, 0, 0]), parent="base", child="slider")
        b.link("rod", from_mass_com(1.0, [0, 0, 0], 2.0 * np.eye(3)))  # the slider's mass, at its pin
        b.joint("p", hinge, parent="slider", child="rod")
        b.close("crank", "rod", hinge, placement_a=at(x=self.a), placement_b=at(x=-1.0))
        self.start = np.array([np.pi / 2, np.cos(np.arcsin(-self.a)), np.arcsin(-self.a)])
        model = b.build(gravity=(0, 0, 0))
        self.robot = kt.Robot(with_assembly(model, guess=self.start))

    def forces(self, y, k, c):
        """Of the spring, the damper and what pulls the slider, of any scalars."""
        (q, x, p), (dq, dx, dp), a = y[:3], y[3:6], self.a
        s1, c1, s2, c2, s21, c21 = np.sin(q), np.cos(q), np.sin(p), np.cos(p), np.sin(p - q), np.cos(p - q)
        length = np.sqrt(x * x - x * (c2 + a * c1) + (1 + a * a) / 4 + a * c21 / 2)
        slope = np.array([a * (s21 / 2 + x * s1), 2 * x - c2 - a * c1, x * s2 - a * s21 / 2]) / (2 * length)
        f = k * (length - 1.0) + c * (slope @ np.array([dq, dx, dp]))
        return -f * slope + self.force * np.array([0.0, 1.0, -s2])

    def rates(self, t, y):
        """Of q, v, the integral G of the kinetic energy, and of all their derivatives with respect to k and c."""
        q, v, y = y[:3], y[3:6], y.reshape(3, 7)
        tau, M = self.forces(y[0], 1.0, 1.0), np.diag([1.0, 1.0, 2.0])
        a = self.robot.forward_dynamics(q, v, tau)
        by_q, by_v, by_tau = self.robot.forward_dynamics_derivatives(q, v, tau)
        h, found = 1e-30, [np.concatenate([v, a, [v @ M @ v / 2]])]
        for dy, dk, dc in ((y[1], 1, 0), (y[2], 0, 1)):
            d_tau = self.forces(y[0] + 1j * h * dy, 1.0 + 1j * h * dk, 1.0 + 1j * h * dc).imag / h
            da = by_q @ dy[:3] + by_v @ dy[3:6] + by_tau @ d_tau
            found.append(np.concatenate([dy[3:6], da, [v @ M @ dy[3:6]]]))
        return np.concatenate(found)


def test_slider_crank_of_sundials_and_its_sensitivities():
    crank = SliderCrank()
    y = np.concatenate([crank.start, np.zeros(4 + 14)])
    times = [2.0, 4.0, 6.0, 8.0, 10.0]
    found = solve_ivp(crank.rates, (0, 10), y, "DOP853", times, rtol=1e-11, atol=1e-12).y.T
    table = [
        [5.7904e-01, 1.3803e00, -2.7714e-01],
        [-1.2064e00, 1.0623e00, 4.8609e-01],
        [-1.1080e00, 1.1176e00, 4.6386e-01],
        [6.4422e-01, 1.3536e00, -3.0500e-01],
        [1.2757e00, 1.0236e00, -4.9881e-01],
    ]
    np.testing.assert_allclose(found[:, :3], table, rtol=0, atol=6e-5)  # as printed, at a tolerance of 1e-5
    np.testing.assert_allclose(found[0, :3], [0.57903881, 1.38033527, -0.2771441], rtol=0, atol=1e-8)
    np.testing.assert_allclose(found[-1, :3], [1.27567585, 1.02357856, -0.49881305], rtol=0, atol=1e-8)
    assert found[-1, 6] == pytest.approx(3.33660680, abs=1e-8)
    np.testing.assert_allclose(found[-1, [13, 20]], [3.3346e-01, -3.6375e-01], rtol=1e-4)
    assert np.abs(crank.robot.closure_residual(found[-1, :3])).max() < 1e-9


def test_pendulum_of_sundials_comes_back_after_fifteen_periods():
    """A mass on a rod, in Cartesian coordinates: B14."""
    b = kt.Builder("pendulum")
    b.link("mass", point(1.0))
    b.joint("x", kt.joints.Prismatic([1, 0, 0]), parent="base", child="slide")
    b.joint("y", kt.joints.Prismatic([0, 1, 0]), parent="slide", child="mass")
    b.close("world", "mass", kt.closures.Rod(1.0))
    model = b.build(gravity=(0, -13.750371636040745654980191559621114395801712, 0), check="ignore")
    robot = kt.Robot(with_assembly(model, guess=np.array([1.0, 0.0])))
    q, v = simulated(robot, np.array([1.0, 0.0]), np.zeros(2), 30.0, tol=1e-11)
    np.testing.assert_allclose(q, [1.0, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(v, [0.0, 0.0], rtol=0, atol=1e-8)
    assert abs(robot.closure_residual(q)[0]) < 1e-15
