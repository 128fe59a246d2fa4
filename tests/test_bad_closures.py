"""Closures that cannot be: each is an error that says what is wrong, or a documented rule."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import se3
from kinetrace.lie.inertia import from_mass_com
from kinetrace.model.closures import Coupling, Loop, Rod, Rolling, Rows, gear
from kinetrace.model.joints import Fixed, Free, Revolute, Spherical

Y, Z = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]


def at(*p):
    return se3.pose(np.eye(3), np.array(p, dtype=float))


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r", backend="numpy")


@pytest.fixture(scope="module")
def four_bar():
    return kt.load("four_bar", backend="numpy")


WRONG = {
    "unknown frame": (
        lambda: Loop("tipp", "world", Fixed()),
        "closure 'tipp-world': unknown frame 'tipp'; did you mean 'tip'?",
    ),
    "no loop": (
        lambda: Loop("tip", "link2", Revolute(Z)),
        "'tip' and 'link2' are both fixed to body 'link2': no loop to close",
    ),
    "the world twice": (
        lambda: Loop("base_link", "world", Revolute(Z)),
        "are both fixed to the world: no loop to close",
    ),
    "free joint": (lambda: Loop("tip", "world", Free()), "a Free joint holds nothing, and closes no loop"),
    "a class": (lambda: Loop("tip", "world", Revolute), "expected a joint such as kinetrace.joints.Revolute"),
    "no pose": (
        lambda: Loop("tip", "world", Fixed(), placement_a=np.diag([2.0, 1, 1, 1])),
        "placement_a is not a rigid motion",
    ),
    "not a closure": (lambda: "tip", "expected closures such as kinetrace.closures.Loop"),
    "no length": (lambda: Rod(0.0), "length of Rod must be positive, got 0.0"),
    "no radius": (lambda: Rolling(-1.0), "radius of Rolling must be positive, got -1.0"),
    "no axle": (lambda: Rolling(1.0, axle=[0, 0, 0]), "axle of Rolling must be a finite and non-zero vector"),
    "five columns": (lambda: Rows(np.ones((2, 5))), "matrix of Rows must have shape (m, 6), got (2, 5)"),
    "a row of zeros": (lambda: Rows(np.zeros((1, 6))), "matrix of Rows must be finite, and no row zero"),
    "unknown joint": (lambda: Coupling({"join1": 1.0}), "unknown joint 'join1'; did you mean 'joint1'?"),
    "no factor": (lambda: Coupling({"joint1": 0.0}), "all factors are zero"),
    "no number": (lambda: Coupling({"joint1": np.nan}), "factor of 'joint1' must be a finite number"),
    "no mapping": (lambda: Coupling([("joint1", 1.0)]), "expected a mapping from joints to factors"),
    "drives itself": (lambda: gear("joint1", "joint1", 2.0), "gear: 'joint1' cannot drive itself"),
    "which variable": (lambda: Coupling({("joint1", 1): 1.0}), "joint 'joint1' has no variable 1; they are 0 to 0"),
    "out of reach": (
        lambda: Loop("tip", "world", Spherical(), placement_b=at(50, 0, 0)),
        "do not close from 65 guesses within the joint limits: closure 'tip-world' stays open by",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_closures_that_cannot_be(arm, case):
    make, message = WRONG[case]
    with pytest.raises(kt.KinetraceError, match=re.escape(message)):
        arm.with_closures(make())


def test_contradictory_closures_name_one_that_stays_open(arm):
    with pytest.raises(kt.ModelError, match=r"closure 'b' stays open by 0\.05"):
        arm.with_closures(Loop("tip", "world", Rod(1.0), "a"), Loop("tip", "world", Rod(1.1), "b"))
    with pytest.raises(kt.ModelError, match=r"closure '[ab]' stays open by 0\.25"):
        arm.with_closures(Coupling({"joint1": 1.0}, 0.0, "a"), Coupling({"joint1": 1.0}, 0.5, "b"))


def test_closures_have_names_of_their_own(arm):
    rod = Loop("tip", "world", Rod(1.0))
    with pytest.raises(kt.ModelError, match="closure 'tip-world' is declared twice"):
        arm.with_closures(rod, rod)


def test_guesses_and_independent_velocities_are_checked(four_bar):
    for guess, message in (
        ([1, 2], "guess must be 3 finite numbers"),
        ([np.nan] * 3, "guess must be 3 finite"),
        ("x", "real numbers"),
    ):
        with pytest.raises(kt.KinetraceError, match=message):
            four_bar.with_closures(guess=guess)
    with pytest.raises(kt.InputError, match="unknown joint 'nope'"):
        four_bar.with_closures(independent=["nope"])
    with pytest.raises(kt.InputError, match="has 1 degrees of freedom, got 3 velocities"):
        four_bar.with_closures(independent=list(four_bar.joint_names))
    with pytest.raises(kt.InputError, match=r"q must have shape \(\.\.\., 3\)"):
        four_bar.assemble([1.0, 2.0])
    assert np.all(np.isnan(four_bar.assemble([[np.nan] * 3, [0.0] * 3])[0]))


def test_an_assembly_out_of_the_limits_is_none():
    """A four-bar closes; the same does not if its crank may not turn to where it does."""
    narrow = kt.Limits(*(np.array([x]) for x in (2.9, 3.3, 1.0, 1.0)))
    for limits, closes in ((None, True), (narrow, False)):
        b, bar = kt.Builder("four_bar"), from_mass_com(1.0, [0, 0, 0.5], np.eye(3))
        b.link("crank", bar)
        b.joint("crank joint", Revolute(Y), parent="base", child="crank", limits=limits)
        b.link("rocker", bar)
        b.joint("rocker joint", Revolute(Y), parent="base", child="rocker", placement=at(1.3, 0, 0))
        b.close("crank", "rocker", Rod(0.9), placement_a=at(0, 0, 0.5), placement_b=at(0, 0, 0.2))
        if closes:
            assert kt.Robot(b.build()).dof == 1
        else:
            with pytest.raises(kt.ModelError, match="do not close"):
                kt.Robot(b.build())


def test_what_is_held_entirely_rests(arm):
    """No degree of freedom is left: no motion, forces that hold it, and empty matrices of what is independent."""
    held = arm.with_closures(
        Loop("world", "tip", Spherical(), placement_a=arm.pose([0.3, 0.4], "tip")), guess=[0.3, 0.4]
    )
    q, rest, tau = held.assemble(), np.zeros(2), np.array([1.0, 2.0])
    assert held.dof == 0 and held.mobility().redundant == {"world-tip": 1}
    assert held.reduced_mass_matrix(q).shape == (0, 0) and held.velocity_map(q).shape == (2, 0)
    for method in ("sweeps", "factors", "quasi", "dense", "independent"):
        np.testing.assert_allclose(held.forward_dynamics(q, rest, tau, method=method), 0.0, atol=1e-12)
    held_by = held.closure_jacobian(q).T @ held.closure_forces(q, rest, tau)
    np.testing.assert_allclose(held_by, arm.gravity(q) - tau, rtol=0, atol=1e-12)


def test_drives_and_stabilisation_are_checked(four_bar):
    q, rest = four_bar.assemble(), np.zeros(3)
    for given, message in (
        ({"drive": {"nope": np.zeros((3, 6))}}, "unknown closure 'nope'. Valid: coupler-rocker"),
        ({"drive": {"coupler-rocker": np.zeros((3, 5))}}, "must have shape (..., 3, 6), got (3, 5)"),
        ({"drive": np.zeros((3, 6))}, "drive must map closure names to arrays"),
        ({"stabilisation": [1.0]}, "stabilisation must have shape (..., 2), got (1,)"),
        ({"method": "FD1"}, "unknown method 'FD1'. Valid: dense, factors, independent, quasi, sweeps"),
    ):
        with pytest.raises(kt.InputError, match=re.escape(message)):
            four_bar.forward_dynamics(q, rest, rest, **given)
    with pytest.raises(kt.InputError, match="unknown closure 'nope'"):
        four_bar.closure_slice("nope")


def test_joints_that_move_no_mass_by_themselves_may_be_in_loops():
    """M is singular, the closed motion is not; projection moves what has no mass."""
    b, bar = kt.Builder("light coupler"), from_mass_com(1.0, [0, 0, 0.3], 0.03 * np.eye(3))
    b.link("crank", bar)
    b.joint("crank joint", Revolute(Y), parent="base", child="crank")
    b.joint("coupler joint", Revolute(Y), parent="crank", child="coupler", placement=at(0, 0, 0.5))
    b.link("rocker", bar)
    b.joint("rocker joint", Revolute(Y), parent="base", child="rocker", placement=at(1.3, 0, 0))
    b.close("coupler", "rocker", Revolute(Y), placement_a=at(0, 0, 1.2), placement_b=at(0, 0, 0.9))
    with pytest.warns(kt.PhysicsWarning, match="joint 'coupler joint' moves no mass"):
        model = b.build()
    robot = kt.Robot(model, backend="numpy")
    q = robot.assemble()
    v, tau = robot.velocity_map(q)[:, 0], np.array([1.0, 0.0, 0.5])
    a = robot.forward_dynamics(q, v, tau)
    left = (
        robot.mass_matrix(q) @ a
        + robot.bias(q, v)
        - tau
        - robot.closure_jacobian(q).T @ robot.closure_forces(q, v, tau)
    )
    np.testing.assert_allclose(left, 0.0, atol=1e-12)
    np.testing.assert_allclose(robot.closure_jacobian(q) @ a + robot.closure_bias(q, v), 0.0, atol=1e-12)
    near, speed = robot.project(q + np.array([1e-3, 0.0, -1e-3]), v + np.array([0.1, 0.0, 0.0]))
    assert np.abs(robot.closure_residual(near)).max() < 1e-14
    assert np.abs(robot.closure_velocity(near, speed)).max() < 1e-12


def test_a_wheel_that_lies_flat_does_not_roll():
    """It has no lowest point: a guess is an error, and without one, another configuration is found."""
    b = kt.Builder("disc")
    b.link("disc", from_mass_com(1.0, [0, 0, 0], np.diag([1.0, 1.0, 2.0])))
    b.close("world", "disc", Rolling(0.3, axle=Z, normal=Z), name="ground")
    model = b.build("free")  # flat at zero
    robot = kt.Robot(model, backend="numpy")
    assert robot.dof == 3 and np.all(np.isfinite(robot.closure_jacobian(robot.assemble())))
    with pytest.raises(kt.ModelError, match="do not close from this guess: a closure has no rows there"):
        robot.with_closures(guess=robot.neutral())
    with pytest.raises(kt.ModelError, match="a closure has no rows there, as a wheel that lies flat"):
        robot.assemble(robot.neutral())


def test_loops_close_in_double_precision_whatever_the_robot_has():
    robot = kt.load("four_bar", dtype="float32", backend="numpy")
    q, v = robot.project(robot.assemble() + 1e-3, np.ones(3))
    exact = kt.load("four_bar", backend="numpy")
    assert np.abs(exact.closure_residual(q)).max() < 1e-15
    assert np.abs(exact.closure_velocity(q, v)).max() < 1e-12


def test_a_loop_to_the_world_that_stays_open_says_how_to_place_it():
    robot = kt.load("panda")
    far = kt.closures.Loop("world", "panda_hand", kt.joints.Spherical(), placement_a=[5.0, 0.0, 0.0])
    with pytest.raises(kt.ModelError, match=r"open by .*; placement_a=robot\.pose\(q, 'panda_hand'\)\[:3, 3\] is"):
        robot.with_closures(far)
    there = robot.pose(robot.home(), "panda_hand")[:3, 3]
    robot.with_closures(kt.closures.Loop("world", "panda_hand", kt.joints.Spherical(), placement_a=there))
