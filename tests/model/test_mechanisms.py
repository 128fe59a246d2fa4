"""The bundled mechanisms: they close, have the freedom that they should, move by the laws, and are as published."""

import pickle

import numpy as np
import pytest

import kinetrace as kt

FREEDOM = {
    # name: (nv, rows, dof, redundant rows)
    "four_bar": (3, 5, 1, {"coupler-rocker": 3}),
    "five_bar": (4, 5, 2, {"tips": 3}),
    "slider_crank": (3, 5, 1, {"rod-slider": 3}),
    "stewart": (24, 18, 6, {}),
    "delta": (21, 18, 3, {}),
    "two_pandas_beam": (20, 12, 8, {}),
    "three_fingers_ball": (18, 12, 6, {}),
    "free_two_arms": (24, 12, 12, {}),
    "bicycle": (9, 6, 3, {}),
}
METHODS = ("sweeps", "factors", "quasi", "dense", "independent")


@pytest.fixture(scope="module")
def robots():
    """Interpreted: compiled code is tested elsewhere."""
    return {name: kt.load(name, backend="numpy", check="error") for name in FREEDOM}


def moving(robot, seed=0):
    """A configuration near that of the assembly, with a velocity that the closures allow, and joint forces."""
    rng = np.random.default_rng(seed)
    q = robot.assemble(robot.integrate(robot.assemble(), 0.05 * rng.normal(size=robot.nv)))
    y, tau = rng.normal(size=robot.dof), rng.normal(size=robot.nv)
    return q, robot.velocity_map(q) @ y, tau


def test_none_is_missing():
    assert set(kt.robot_names(closed=True)) == set(FREEDOM)
    assert set(kt.robot_names()) == set(FREEDOM) | set(kt.robot_names(closed=False))


@pytest.mark.parametrize("name", FREEDOM)
def test_it_closes_and_has_its_degrees_of_freedom(name, robots):
    robot = robots[name]
    found = robot.mobility()
    assert (robot.nv, found.rows, found.dof, dict(found.redundant)) == FREEDOM[name]
    assert robot.dof == found.dof and robot.mobility(robot.assemble()).smallest > 0.05
    assert np.abs(robot.closure_residual(robot.assemble())).max() < 1e-15
    assert np.abs(robot.closure_residual(moving(robot)[0])).max() < 1e-12
    assert robot.model.geometry and {x.frame for x in robot.model.geometry} >= {b.name for b in robot.model.bodies}


@pytest.mark.parametrize("name", FREEDOM)
def test_its_chosen_velocities_are_good_coordinates(name, robots):
    robot = robots[name]
    G = robot.velocity_map(robot.assemble())
    np.testing.assert_allclose(G[list(robot.independent)], np.eye(robot.dof), rtol=0, atol=1e-12)
    assert np.linalg.norm(G, 2) < 60  # nothing is near a place where it would be infinite


@pytest.mark.parametrize("name", FREEDOM)
def test_all_methods_agree_and_power_is_the_rate_of_energy(name, robots):
    robot = robots[name]
    q, v, tau = moving(robot)
    a = {method: kt.algorithms.forward_dynamics(robot.model, q, v, tau, method=method) for method in METHODS}
    scale = 1 + np.abs(a["dense"]).max()
    for method in METHODS:
        np.testing.assert_allclose(a[method], a["dense"], rtol=0, atol=1e-9 * scale, err_msg=method)
    assert np.abs(robot.closure_jacobian(q) @ a["dense"] + robot.closure_bias(q, v)).max() < 1e-10 * scale
    # dE/dt = vᵀ (M a + ½ Ṁ v + g) = vᵀ (M a + c + g): closures do no work.
    power = v @ robot.inverse_dynamics(q, v, a["dense"])
    assert abs(power - v @ tau) < 1e-9 * (1 + np.abs(v * tau).sum()) * scale


@pytest.mark.parametrize("name", ["four_bar", "stewart", "bicycle"])
def test_it_survives_pickling_and_other_frames(name, robots):
    robot = robots[name]
    q, v, tau = moving(robot)
    expected = robot.forward_dynamics(q, v, tau)
    for other in (pickle.loads(pickle.dumps(robot)), robot.with_link_frames("center_of_mass")):
        assert other.closure_names == robot.closure_names and other.independent == robot.independent
        np.testing.assert_allclose(other.forward_dynamics(q, v, tau), expected, rtol=1e-9, atol=1e-9)


def test_the_crank_of_the_four_bar_turns_all_the_way_round(robots):
    robot, q = robots["four_bar"], robots["four_bar"].assemble()
    for _ in range(64):
        q = robot.assemble(robot.integrate(q, robot.velocity_map(q)[:, 0] * (2 * np.pi / 64)))
    assert q[0] > 2 * np.pi
    lengths = robot.pose(q, "coupler")[:3, :3] @ [0.5, 0, 0] + robot.pose(q, "coupler")[:3, 3]
    assert np.linalg.norm(lengths - [0.5, 0, 0]) == pytest.approx(0.4, abs=1e-12)


def test_the_platform_of_the_delta_robot_stays_level(robots):
    robot = robots["delta"]
    q = robot.assemble(robot.integrate(robot.assemble(), 0.2 * np.eye(robot.nv)[robot.v_slice("arm1").start]))
    X = robot.pose(q, "platform")
    assert np.linalg.norm(X[:3, 3] - [0, 0, -0.5]) > 0.01
    np.testing.assert_allclose(X[:3, :3], np.eye(3), rtol=0, atol=1e-12)
    np.testing.assert_allclose(robot.reduced_jacobian(q, "platform")[:3], 0.0, atol=1e-12)


def test_the_ball_moves_in_all_directions_with_its_fingers(robots):
    robot = robots["three_fingers_ball"]
    assert np.linalg.cond(robot.reduced_jacobian(robot.assemble(), "ball")) < 1.0001


def lean_and_steer(robot, speed):
    """d(lean, steer)¨/d(lean, steer, lean˙, steer˙) (2, 4) of the upright bicycle, steering to the right."""
    steering = robot.q_slice("steering")

    def accelerations(x):
        q = robot.neutral()
        q[3:7] = np.cos(x[0] / 2), np.sin(x[0] / 2), 0, 0
        q[steering] = -x[1]
        q = robot.project(q)
        a = robot.forward_dynamics(q, robot.velocity_map(q) @ [x[2], speed / 0.3, -x[3]], np.zeros(robot.nv))
        return np.array([a[0], -a[robot.v_slice("steering")][0]])

    h = 1e-5
    return np.stack([(accelerations(h * e) - accelerations(-h * e)) / (2 * h) for e in np.eye(4)], axis=-1)


def test_meijaard2007_benchmark_bicycle(robots):
    """M of Section 5, and the eigenvalues of Table 2: at rest, and at 5 m/s, where it is stable."""
    robot = robots["bicycle"]
    M = robot.reduced_mass_matrix(robot.assemble())[np.ix_([0, 2], [0, 2])] * [[1, -1], [-1, 1]]
    published = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
    np.testing.assert_allclose(M, published, rtol=0, atol=1e-13)
    at_5 = [-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.77534188219585 + 4.46486771378823j]
    eigenvalues = {
        0.0: [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393],
        5.0: [*at_5, -0.32286642900409],
    }
    for speed, expected in eigenvalues.items():
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [lean_and_steer(robot, speed)]])
        # Differences of steps of 1e-5 leave some nine digits.
        np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(A)), expected, rtol=1e-7)


def parallelogram():
    """Cranks of 1 m, 2 m apart, and a coupler of 2 m: at zero all links are in line."""
    b, shift = kt.Builder("parallelogram"), lambda x: kt.lie.se3.pose(np.eye(3), np.array([x, 0.0, 0.0]))
    for link, parent, x, length in (("crank", "base", 0, 1), ("coupler", "crank", 1, 2), ("rocker", "base", 2, 1)):
        moments = length**3 / 12 * np.diag([0.01, 1, 1])
        b.link(link, kt.lie.inertia.from_mass_com(length, [length / 2, 0, 0], moments))
        b.joint(link, kt.joints.Revolute([0, 1, 0]), parent=parent, child=link, placement=shift(x))
    b.close("coupler", "rocker", kt.joints.Revolute([0, 1, 0]), placement_a=shift(2), placement_b=shift(1))
    return kt.Robot(b.build(), backend="numpy")


def test_links_in_line_have_a_freedom_more_and_move_as_gauss_says():
    """A row vanishes there, to the bit; v̇ is that of least constraint."""
    robot, q = parallelogram(), np.zeros(3)
    assert (robot.mobility().dof, dict(robot.mobility().redundant)) == (1, {"coupler-rocker": 3})
    here = robot.mobility(q)
    assert here.is_singular and here.dof == 2 and here.smallest < 1e-15
    v, tau = np.array([1.0, -1.0, 1.0]), np.array([1.0, -0.3, 0.4])
    K, L = robot.closure_jacobian(q), np.linalg.inv(np.linalg.cholesky(robot.mass_matrix(q)))
    Z, free = L @ K.T, L @ (tau - robot.bias(q, v))
    back = np.linalg.pinv(Z, rcond=1e-9)
    expected = L.T @ (free - Z @ (back @ free) - back.T @ robot.closure_bias(q, v))
    for method in ("sweeps", "factors", "quasi"):
        found = robot.forward_dynamics(q, v, tau, method=method)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max(), err_msg=method)
        assert np.all(np.isfinite(robot.closure_forces(q, v, tau, method=method)))
