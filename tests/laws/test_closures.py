"""Closures: what each kind holds and leaves free, redundant rows, drives and stabilisation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.closed.assembly import FloatClosures
from kinetrace.algorithms.closed.mobility import mobility, with_assembly
from kinetrace.lie import se3, so3
from kinetrace.model import Model
from kinetrace.model.zoo.random import random_pose

from .closing import CLOSERS, JOINTS, Closed
from .conftest import STEP, assert_near
from .systems import SYSTEMS, several_closures

METHODS = ("sweeps", "factors", "quasi", "dense", "independent")


def along(model: Model, q, v):
    """q a complex step further along v."""
    return model.integrate(q, 1j * STEP * v)


@pytest.mark.parametrize("kind", JOINTS)
def test_a_closure_allows_the_motions_of_its_joint_and_no_others(kind):
    rng = np.random.default_rng(1)
    joint = JOINTS[kind](rng).joint
    for _ in range(3):
        q = joint.integrate(joint.neutral(), rng.uniform(-2, 2, joint.nv))
        X, S, constraint = joint.placement(q), joint.subspace(q), joint.closing()
        N = constraint.rows(X)
        assert np.abs(constraint.residual(X)).max() < 1e-14
        assert np.abs(N @ S).max(initial=0.0) < 1e-14
        assert np.linalg.matrix_rank(N) == len(N) == 6 - joint.nv
        assert len(constraint.transmits) == len(constraint.holonomic) == len(N)


@pytest.mark.parametrize("kind", CLOSERS)
def test_the_points_that_a_closure_holds_together_are_one_where_it_holds(kind, rng):
    joint, X = CLOSERS[kind](rng)
    constraint = joint.closing() if isinstance(joint, kt.joints.Joint) else joint
    a, b = constraint.ends(X)
    assert np.linalg.norm(b - a) == pytest.approx(0.4 if kind == "Rod" else 0.0, abs=1e-14)
    d = rng.normal(size=3)  # after a shift, they are apart by the part of it that is not allowed
    N = constraint.rows(X)[list(constraint.holonomic), 3:] @ X[:3, :3].T
    moved = se3.pose(X[:3, :3], X[:3, 3] + d)
    if kind not in ("Rod", "Helical", "Screw"):  # whose rows turn with the shift, or stop at whole turns
        assert np.diff(constraint.ends(moved), axis=0)[0] == pytest.approx(np.linalg.pinv(N) @ N @ d, abs=1e-12)


def test_a_rolling_wheel_touches_the_plane_with_its_lowest_point_which_stands_still(rng):
    wheel, X = CLOSERS["Rolling"](rng)
    R, p, b, n = X[:3, :3], X[:3, 3], wheel.axle, wheel.normal
    contact = R.T @ (wheel.ends(X)[1] - p)
    assert np.linalg.norm(contact) == pytest.approx(wheel.radius) and contact @ b == pytest.approx(0.0, abs=1e-14)
    free = np.linalg.svd(wheel.rows(X))[2][3:]
    assert np.abs(free[:, 3:] + np.cross(free[:, :3], contact)).max() < 1e-14
    e = np.cross(b, contact)
    rim = [np.cos(t) * contact + np.sin(t) * e for t in np.linspace(0, 6, 50)]
    assert min(n @ (R @ x + p) for x in rim) == pytest.approx(0.0, abs=1e-14)


@pytest.fixture(params=SYSTEMS)
def system(request) -> Closed:
    return several_closures(request.param)


def test_forces_of_closures_do_not_depend_on_frames_of_bodies(system, rng):
    model, q, v, tau, _ = system
    moved = model.with_link_frames([random_pose(rng) for _ in model.bodies])
    for f in (alg.closure_forces, alg.closure_wrenches):
        assert_near(f(moved, q, v, tau), f(model, q, v, tau), 1e-9)  # the condition of M and of the closures


def bar(length: float, mass: float = 1.0):
    """A slender bar along z from the origin."""
    moment = np.diag([1.0, 1.0, 0.0]) * mass * length**2 / 12
    return kt.lie.inertia.from_mass_com(mass, [0, 0, length / 2], moment)


Y = [0.0, 1.0, 0.0]


def four_bar(ground=1.3, lengths=(0.5, 1.2, 0.9), last=None, **closing) -> Model:
    """Crank, coupler, rocker: hinges about y, and a joint that closes the loop in space."""
    b = kt.Builder("four_bar")
    before, at = "base", 0.0
    for name, length in zip(("crank", "coupler"), lengths[:2], strict=True):
        b.link(name, bar(length))
        b.joint(f"{name} joint", kt.joints.Revolute(Y), parent=before, child=name, placement=_up(at))
        before, at = name, length
    b.link("rocker", bar(lengths[2]))
    b.joint("rocker joint", kt.joints.Revolute(Y), parent="base", child="rocker", placement=_up(0.0, x=ground))
    for name in closing.pop("names", ("loop",)):
        b.close(
            "coupler",
            "rocker",
            last or kt.joints.Revolute(Y),
            name=name,
            placement_a=_up(at),
            placement_b=_up(lengths[2]),
        )
    return b.build()


def _up(z: float, x: float = 0.0):
    return se3.pose(np.eye(3), np.array([x, 0.0, z]))


GUESS = np.array([0.2, 1.0, 0.1])


def test_hinges_in_space_do_not_lock_a_planar_loop(rng):
    models = {
        "hinge": four_bar(),
        "cylinder": four_bar(last=kt.joints.Cylindrical(Y)),
        "ball": four_bar(last=kt.joints.Spherical()),
        "rows": four_bar(last=kt.closures.Rows(np.eye(6)[[3, 5]])),
        "doubled": four_bar(names=("one", "two")),
    }
    v, tau, found = rng.normal(size=3), rng.normal(size=3), {}
    for name, model in models.items():
        model = with_assembly(model, guess=GUESS)
        assert model.dof == 1
        q = model.assembly.q
        v = alg.velocity_map(model, q)[:, 0] * 2.0
        v *= np.sign(v[0])
        found[name] = [alg.forward_dynamics(model, q, v / v[0], tau, method=m) for m in METHODS]
    for each in found.values():
        assert_near(each, [found["ball"][3]] * len(METHODS), 1e-10)
    redundant = mobility(FloatClosures(with_assembly(models["doubled"], guess=GUESS))).redundant
    assert redundant == {"one": 3, "two": 5}


def test_equal_closures_share_their_load_evenly_and_change_nothing_else(rng):
    one, two = (with_assembly(four_bar(names=x), guess=GUESS) for x in (("a",), ("a", "b")))
    q, tau = one.assembly.q, rng.normal(size=3)
    v = alg.velocity_map(one, q)[:, 0]
    for method in METHODS:
        assert_near(*(alg.forward_dynamics(x, q, v, tau, method=method) for x in (one, two)), 1e-11)
        force, shared = (alg.closure_forces(x, q, v, tau, method=method) for x in (one, two))
        assert_near(shared, np.tile(force / 2, 2), 1e-10)


def test_forces_of_redundant_rows_are_of_least_norm(rng):
    model = with_assembly(four_bar(names=("a", "b")).with_closures(
        kt.closures.Loop("coupler", "rocker", kt.joints.Fixed().closing().parts[1], "ball", _up(1.2), _up(0.9)),
        kt.closures.Loop("crank", "world", kt.closures.FrictionlessPoint(Y), "in the plane", _up(0.3)),
    ), guess=GUESS)  # fmt: skip
    q, tau = model.assembly.q, rng.normal(size=3)
    v = alg.velocity_map(model, q)[:, 0]
    for method in METHODS:
        a = alg.forward_dynamics(model, q, v, tau, method=method)
        f = alg.mass_matrix(model, q) @ a + alg.inverse_dynamics(model, q, v, np.zeros(3)) - tau
        expected = np.linalg.lstsq(alg.closure_jacobian(model, q).T, f, rcond=1e-9)[0]
        assert_near(alg.closure_forces(model, q, v, tau, method=method), expected, 1e-10)


@pytest.mark.parametrize("turned", [0.0, 0.5], ids=["a row is zero", "rows are parallel"])
def test_where_a_parallelogram_is_flat(turned, rng):
    """Two degrees of freedom there, one elsewhere. What rows ask for twice is asked for once; of a row that is all but
    zero, what is left still says how the parallelogram goes on."""
    end = _up(1.0) @ se3.pose(so3.axis_angle(np.array(Y), turned), np.zeros(3))
    ball = kt.closures.Loop("coupler", "rocker", kt.joints.Spherical(), "ball", _up(1.0), end)
    opened = replace(four_bar(1.0, (1.0, 1.0, 1.0)), closures=())
    model = with_assembly(opened.with_closures(ball), guess=np.array([0.3, 1.27, 0.3]))
    q, v, tau = np.array([np.pi / 2, 0.0, np.pi / 2]), np.array([0.7, -0.7, 0.7]), np.array([0.3, 0.0, -0.3])
    found = mobility(FloatClosures(model), q)
    assert found.is_singular and found.dof == 2 and found.smallest < 1e-12
    assert mobility(FloatClosures(model)).dof == 1
    K, M = alg.closure_jacobian(model, q), alg.mass_matrix(model, q)
    bias, gamma = alg.inverse_dynamics(model, q, v, np.zeros(3)), alg.closure_bias(model, q, v)
    least = np.linalg.pinv(K @ np.linalg.solve(M, K.T), rcond=1e-9) @ (-gamma - K @ np.linalg.solve(M, tau - bias))
    goes_on = 2 * 9.81 / (1 + 2 / 3) * np.array([1.0, -1.0, 1.0])
    expected = np.linalg.solve(M, tau - bias + K.T @ least) if turned else goes_on
    for method in ("sweeps", "factors", "quasi"):
        assert_near(alg.forward_dynamics(model, q, v, tau, method=method), expected, 1e-12)
        force = alg.closure_forces(model, q, v, tau, method=method)
        if turned:
            assert_near(force, least, 1e-3)  # a few digits, as `closed_dynamics` says


class Moving:
    """A frame's prescribed motion: rotation vector and shift are quadratic in time."""

    first, second = np.array([0.3, -0.2, 0.1, 0.05, 0.1, -0.2]), np.array([0.1, 0.2, -0.3, 0.2, 0.1, 0.1])

    def twist(self, t):
        """In the moved frame."""
        x, dx = self.first * t + self.second * t * t, self.first + 2 * self.second * t
        return np.concatenate([so3.left_jacobian(-x[:3]) @ dx[:3], so3.exp(x[:3]).T @ dx[3:]])

    def drive(self, t):
        """Displacement, twist, and its rate."""
        rate = self.twist(t + 1j * STEP).imag / STEP
        return np.stack([self.first * t + self.second * t * t, self.twist(t), rate])


def test_driven_closures_have_the_rates_that_are_prescribed(rng):
    model, q, _, tau, _ = several_closures("universal and plane")
    moving, name, h = Moving(), model.closures[0].name, 1j * STEP
    at, later = ({name: moving.drive(t)} for t in (0.0, h))
    K, v = alg.closure_jacobian(model, q, drive=at), rng.normal(size=model.nv)
    v = v - np.linalg.pinv(K) @ alg.closure_velocity(model, q, v, drive=at)
    assert np.abs(v - np.linalg.pinv(K) @ (K @ v)).max() > 0.1
    assert np.abs(alg.closure_residual(model, along(model, q, v), drive=later).imag / STEP).max() < 1e-12
    for method in METHODS:
        a = alg.forward_dynamics(model, q, v, tau, method=method, drive=at)
        rate = alg.closure_velocity(model, along(model, q, v), v + h * a, drive=later).imag / STEP
        assert np.abs(rate).max() < 1e-12 * (np.abs(K) @ np.abs(a)).max()
    unlike = alg.closure_bias(model, q, v, drive=at) - alg.closure_bias(model, q, v)
    assert np.abs(unlike).max() > 0.01


def test_driven_couplings_have_the_rates_that_are_prescribed():
    tree = kt.random_chain(4, seed=2).model
    q, v, tau = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4)
    coupling = kt.closures.Coupling({"joint1": 2.0, "joint3": -1.0, "joint4": 0.5}, 0.2 - 0.3 + 0.2 + 0.7, "sum")
    model = tree.with_closures(coupling)
    given = {"sum": np.array([[-0.7], [1.0], [6.0]])}
    assert np.abs(alg.closure_residual(model, q, drive=given)).max() < 1e-15
    assert_near(alg.closure_velocity(model, q, v, drive=given), [2.0 - 3.0 + 2.0 - 1.0])
    for method in METHODS[:-1]:
        a = alg.forward_dynamics(model, q, v, tau, method=method, drive=given)
        assert_near([2 * a[0] - a[2] + 0.5 * a[3]], [6.0], 1e-12)
        force = alg.closure_forces(model, q, v, tau, method=method, drive=given)
        left = alg.inverse_dynamics(model, q, v, a) - tau
        assert_near(left, force[0] * np.array([2.0, 0.0, -1.0, 0.5]), 1e-11)


def test_stabilisation_has_the_frequency_and_damping_that_are_given():
    """An open loop closes as exp(-ζωt) cos(ω√(1 − ζ²) t), in every row."""
    robot = kt.Robot(with_assembly(four_bar(last=kt.joints.Spherical()), guess=GUESS))
    omega, zeta = 20.0, 0.3
    q = robot.assemble() + np.array([0.02, -0.01, 0.015])
    v, h = np.zeros(3), 1e-3
    first, history = robot.closure_residual(q), []

    def rates(x):
        q, v = x
        a = robot.forward_dynamics(q, v, np.zeros(3), stabilisation=np.array([omega, zeta]))
        return np.stack([v, a])

    x = np.stack([q, v])
    for _ in range(300):
        k1 = rates(x)
        k2 = rates(x + h / 2 * k1)
        k3 = rates(x + h / 2 * k2)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rates(x + h * k3))
        history.append(robot.closure_residual(x[0]))
    t, damped = h * np.arange(1, 301), omega * np.sqrt(1 - zeta**2)
    shape = np.exp(-zeta * omega * t) * (np.cos(damped * t) + zeta * omega / damped * np.sin(damped * t))
    # the rows turn with the frame, by a radian or so while they are open: first order in the error
    expected = shape[:, None] * first
    assert np.abs(history - expected).max() < 0.1 * np.abs(first).max()
    lengths = np.linalg.norm(history, axis=1)
    assert np.abs(lengths - np.abs(shape) * np.linalg.norm(first)).max() < 0.05 * np.linalg.norm(first)
