"""Which rows count: mechanisms whose rank is easily misjudged, and rows of which no fixed choice is good everywhere."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.closed.mobility import with_assembly
from kinetrace.lie import inertia, se3

from .systems import OnFloats

METHODS = ("sweeps", "factors", "quasi", "dense", "independent")
Y = [0, -1, 0]


def along(x):
    return se3.pose(np.eye(3), np.array([x, 0.0, 0.0]))


def rod(length):
    return inertia.from_mass_com(1.0, np.array([length / 2, 0, 0]), np.diag([1e-6, length**2 / 12, length**2 / 12]))


def cranks(count, length, spacing):
    """Equal cranks on one coupling rod, at zero in line."""
    b = kt.Builder("locomotive")
    b.link("rod", inertia.from_mass_com(2.0, np.array([spacing / 2, 0, 0]), 0.05 * np.eye(3)))
    for i in range(count):
        b.link(f"crank{i}", rod(length))
        b.joint(f"wheel{i}", kt.joints.Revolute(Y), parent="base", child=f"crank{i}", placement=along(spacing * i))
    b.joint("pin", kt.joints.Revolute(Y), parent="crank0", child="rod", placement=along(length))
    for i in range(1, count):
        X = {"placement_a": along(spacing * i), "placement_b": along(length)}
        b.close("rod", f"crank{i}", kt.joints.Revolute(Y), **X)
    return b.build()


def dense(model, q, v, tau):
    """The accelerations with all rows, by the pseudoinverse."""
    K, M = alg.closure_jacobian(model, q), alg.mass_matrix(model, q)
    free = np.linalg.solve(M, tau - alg.inverse_dynamics(model, q, v, np.zeros(model.nv)))
    root = np.linalg.inv(np.linalg.cholesky(M)).T
    return free - root @ np.linalg.pinv(K @ root, rcond=1e-9) @ (K @ free + alg.closure_bias(model, q, v))


@pytest.mark.parametrize(("count", "length", "spacing"), [(3, 0.3, 0.25), (3, 0.3, 0.6), (4, 0.1, 0.3)])
def test_cranks_that_are_in_line_at_zero_have_one_degree_of_freedom(count, length, spacing):
    model = with_assembly(cranks(count, length, spacing))
    assert len(model.independent) == 1
    q = np.array([0.8, -0.8, *[0.8] * (count - 1)])
    assert np.abs(alg.closure_residual(model, q)).max() < 1e-15
    v, tau = np.array([2.0, -2.0, *[2.0] * (count - 1)]), np.linspace(0.1, 0.5, count + 1)
    for method in METHODS:
        np.testing.assert_allclose(
            alg.forward_dynamics(model, q, v, tau, method=method), dense(model, q, v, tau), atol=1e-10
        )


def test_a_ball_holds_the_tip_on_the_base_whatever_way_the_arm_points():
    """Its rows turn with the tip; in some directions one of them asks for nothing, in others another."""
    b = kt.Builder("folded")
    for i, parent in enumerate(("base", "link0")):
        b.link(f"link{i}", rod(1.0))
        b.joint(f"j{i}", kt.joints.Revolute([0, 0, 1]), parent=parent, child=f"link{i}", placement=along(float(i)))
    b.close("link1", "world", kt.joints.Spherical(), placement_a=along(1.0))
    model = with_assembly(b.build(), guess=[0.3, 3.0])
    assert len(model.independent) == 1 and len(model.independent_rows) == 1
    v, tau = np.array([1.0, 0.0]), np.array([0.3, 0.2])
    for angle in np.linspace(0.0, np.pi, 9):
        q = np.array([angle, np.pi])
        for method in METHODS:
            np.testing.assert_allclose(
                alg.forward_dynamics(model, q, v, tau, method=method), dense(model, q, v, tau), atol=1e-9
            )


def test_a_coupling_that_is_driven_away_from_where_links_are_in_line_holds():
    robot = kt.Robot(cranks(2, 0.3, 0.5), backend="numpy").with_closures(
        kt.closures.Coupling({"wheel0": 1.0}, name="angle"), guess=np.zeros(3)
    )
    drive = {"angle": np.array([[0.7], [0.0], [0.0]])}
    q, z = robot.assemble([0.7, -0.7, 0.7], drive=drive), np.zeros(3)
    assert robot.dof == 0
    np.testing.assert_allclose(OnFloats(robot).forward_dynamics(q, z, z, drive=drive), 0.0, atol=1e-12)


def test_rows_of_couplings_count_whatever_their_factors():
    b = kt.Builder("four")
    for i in range(4):
        b.link(f"l{i}", rod(1.0))
        b.joint(f"j{i}", kt.joints.Revolute([0, 0, 1]), parent="base", child=f"l{i}")
    b.couple({"j0": 1e8, "j1": 1e8}, name="large")
    b.couple({"j2": 1.0, "j3": -1.0}, name="small")
    robot = kt.Robot(b.build())
    a = OnFloats(robot).forward_dynamics(np.zeros(4), np.zeros(4), np.array([3.0, 0.0, 3.0, 0.0]))
    assert robot.dof == 2
    np.testing.assert_allclose(a, [4.5, -4.5, 4.5, 4.5], atol=1e-9)


def test_what_a_robot_keeps():
    """Other motors, or no further closures, leave coordinates and what `linearise` means as they were."""
    robot = kt.load("four_bar").with_closures(independent=["rocker"])
    q = robot.assemble()
    v = OnFloats(robot).velocity_map(q) @ [2.0]
    expected = OnFloats(robot).linearise(q, v, 0 * v)[0]
    for same in (
        robot.with_motors("crank"),
        robot.with_closures(),
        robot.with_parameters(closures=robot.parameters("closures")),
    ):
        assert same.independent == robot.independent and same.model.assembly.places == robot.model.assembly.places
        np.testing.assert_allclose(OnFloats(same).linearise(q, v, 0 * v)[0], expected, atol=1e-9)
        np.testing.assert_allclose(same.assemble(), q, atol=1e-9)
    assert kt.load("stewart", closures=[]).motor_names == kt.load("stewart").motor_names


@pytest.mark.parametrize("near", [1e-2, 1e-5])
def test_forces_near_where_links_are_in_line(near):
    """λ grows like 1/δ there; of five rows three ask for nothing."""
    robot = OnFloats(kt.Robot(with_assembly(cranks(2, 0.3, 0.5), guess=[0.7, -0.7, 0.7])))
    q, v, tau = np.array([near, -near, near]), np.array([1.0, -1.0, 1.0]), np.array([0.3, -0.2, 0.5])
    a, K = robot.forward_dynamics(q, v, tau), robot.closure_jacobian(q)
    f = robot.mass_matrix(q) @ a + robot.inverse_dynamics(q, v, 0 * v) - tau
    expected = np.linalg.lstsq(K.T, f, rcond=1e-12)[0]
    np.testing.assert_allclose(robot.closure_forces(q, v, tau), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_limits_of_a_mimic_joint_are_limits_of_what_it_follows():
    b, free = kt.Builder("mimic"), kt.Limits([-4.0], [4.0], [9.0], [9.0])
    for i, more in enumerate(
        ({"limits": free}, {"limits": kt.Limits([-0.2], [0.2], [9.0], [9.0]), "mimic": ("j0", 2.0, 0.1)})
    ):
        b.link(f"l{i}", rod(1.0))
        b.joint(f"j{i}", kt.joints.Revolute([0, 0, 1]), parent="base", child=f"l{i}", **more)
    b.couple({"j0": 1.0}, 0.04, name="angle")
    assert kt.Robot(b.build()).assemble() == pytest.approx([0.04])
    far = kt.Builder("far")
    for i, more in enumerate(
        ({"limits": free}, {"limits": kt.Limits([-0.2], [0.2], [9.0], [9.0]), "mimic": ("j0", 2.0, 0.1)})
    ):
        far.link(f"l{i}", rod(1.0))
        far.joint(f"j{i}", kt.joints.Revolute([0, 0, 1]), parent="base", child=f"l{i}", **more)
    far.couple({"j0": 1.0}, 1.5, name="angle")
    with pytest.raises(kt.ModelError, match="closure 'angle' stays open"):
        kt.Robot(far.build())
