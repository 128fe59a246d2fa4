"""`simulate(control=)`: the same motion whatever way controls are given, cut or kept; and what is refused."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main

A = kt.Actuator
Q, V = [0.3, -0.2], [0.1, 0.4]


@pytest.fixture(scope="module")
def robot():
    """Servos with an activation and a delay that is no multiple of steps."""
    return kt.load("planar2r").with_actuators(
        A.position("joint1", 100.0, 5.0, force_range=(-80, 80)),
        A.position("joint2", 50.0, 3.0, dynamics="filter", time_constant=0.1, delay=0.005, interpolation="linear"),
    )


@pytest.fixture(scope="module")
def plain():
    """Servos without a state, and no motor law that adaptive methods could not follow."""
    return kt.load("planar2r").with_actuators(A.position("joint1", 100.0, 9.0), A.motor("joint2", 2.0))


def law(t):
    return np.array([0.5 * np.cos(3.0 * t), 0.4])


@pytest.mark.parametrize("method", ["rkmk4", "implicit"])
def test_ways_to_give_controls(robot, method):
    """Compiled and called, rows and functions, chunks and batches: the same numbers."""
    times = 0.002 * np.arange(60)
    given = {"t": 0.12, "dt": 0.002, "method": method}
    rows = np.stack([law(t) for t in times])
    motion = robot.simulate(Q, V, **given, control=rows)
    called = {"control": lambda t, q, v: law(t)}
    ways = [
        robot.simulate(Q, V, **given, **called, compiled=True),
        robot.simulate([Q, Q], V, **given, control=[rows] * 2),
    ]
    if method != "implicit":  # which holds forces of what is called
        ways += [robot.simulate(Q, V, **given, **called), robot.simulate(Q, V, **given, control=rows, compiled=False)]
    ways += [
        robot.simulate(Q, V, **given, control=lambda model, t, q, v: np.stack([0.5 * kt.arrays.cos(3.0 * t), 0.4]))
    ]
    for other in ways:
        assert np.allclose(
            np.broadcast_to(other.q, (*other.q.shape[:-2], *motion.q.shape)), motion.q, rtol=0, atol=1e-13
        )
        assert other.states.keys() == {"activation", "history"} and other.tau.shape[-1] == 2
    state = {"activation": motion.states["activation"][0]}
    assert np.array_equal(robot.simulate(Q, V, **given, control=rows, state=state).q, motion.q)


def test_joint_forces_are_those_of_the_actuators(plain):
    motion = plain.simulate(Q, V, t=0.1, dt=0.005, control=[0.3, -1.0])
    tau = plain.actuator_forces(motion.q[:-1], motion.v[:-1], [0.3, -1.0])
    assert np.allclose(motion.tau[:-1], tau, rtol=1e-13)
    by_hand = plain.simulate(Q, V, 0.1, 0.005, controller=lambda t, q, v: plain.actuator_forces(q, v, [0.3, -1.0]))
    assert np.allclose(by_hand.q, motion.q, rtol=0, atol=1e-14)


def test_adaptive_methods_follow_actuators(plain):
    exact = plain.simulate(Q, V, t=0.5, dt=0.1, control=[0.3, -1.0], method="DOP853")
    fine = plain.simulate(Q, V, t=0.5, dt=5e-5, control=[0.3, -1.0], record=2000)
    assert np.abs(exact.q - fine.q).max() < 1e-3  # forces are held over steps there


def test_implicit_steps_continue_servos(plain):
    """Damping that is far too stiff for held forces; chosen without a method, it is the implicit one."""
    stiff = plain.with_actuators(A.position("joint1", 1e5, 3e3), A.position("joint2", 1e5, 3e3))
    motion = stiff.simulate([0.2, 0.1], [0.0, 0.0], t=1.0, dt=0.005, control=[0.2, 0.1])
    assert motion.method == "implicit" and np.abs(motion.q - [0.2, 0.1]).max() < 1e-3
    with pytest.warns(kt.SimulationWarning, match="too long"):
        stiff.simulate(Q, V, t=0.02, dt=0.005, control=[0.2, 0.1], method="semi-implicit")


def test_motions_go_on(robot, tmp_path):
    """As one motion: with constant controls by themselves, from files too, and with controls given again."""
    whole = robot.simulate(Q, V, t=0.12, dt=0.002, control=[0.4, 0.2])
    first = robot.simulate(Q, V, t=0.05, dt=0.002, control=[0.4, 0.2])
    assert np.array_equal(first.resume(0.07).q, whole.q[25:])
    for suffix in ("npz", "parquet"):
        first.save(tmp_path / f"motion.{suffix}")
        again = kt.Trajectory.load(tmp_path / f"motion.{suffix}", robot=robot)
        assert np.array_equal(again.resume(0.07).q, whole.q[25:])
    rows = np.stack([law(0.002 * k) for k in range(60)])
    by_rows, together = (robot.simulate(Q, V, 0.002 * n, 0.002, control=rows[:n]) for n in (25, 60))
    assert np.array_equal(by_rows.resume(0.07, control=rows[25:]).q, together.q[25:])
    with pytest.raises(kt.InputError, match="give controller= or control= again"):
        by_rows.resume(0.07)
    lanes = robot.simulate([Q, Q], V, t=0.05, dt=0.002, control=[[0.4, 0.2], [0.0, 0.0]])
    assert np.array_equal(lanes.lane(0).resume(0.07).q, whole.q[25:])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"control": [0.0]}, "control must have shape"),
        ({"control": np.zeros((7, 2))}, r"controls \(2,\), or \(10, 2\) with a row for each step"),
        ({"control": [0.0, np.nan]}, "control"),
        ({"control": [0.0, 0.0], "tau": [0.0, 0.0]}, "give control=, of the actuators, or tau or a controller"),
        ({"control": [0.0, 0.0], "controller": lambda t, q, v: v}, "not both"),
        ({"control": [0.0, 0.0], "parameters": {"a": 1.0}}, "parameters are a controller's"),
        ({"control": [0.0, 0.0], "state": {"activaton": [1.0]}}, "state of actuators is a mapping with 'activation'"),
        ({"control": lambda t, q, v: None}, "must return controls .* is a `return` missing"),
        ({"control": lambda t, q: q}, r"control must be a function of \(t, q, v\)"),
        ({"control": [0.0, 0.0], "method": "DOP853"}, "takes no actuators with activations or delays"),
    ],
)
def test_what_is_wrong_is_named(robot, given, said):
    with pytest.raises(kt.InputError, match=said):
        robot.simulate(Q, V, 0.01, 0.001, **given)


def test_robots_without_actuators_and_long_delays_are_refused(plain):
    with pytest.raises(kt.InputError, match=r"'planar2r' has no actuators .*with_actuators\(kt.Actuator.position"):
        kt.load("planar2r").simulate(Q, V, 0.01, 0.001, control=[0.0, 0.0])
    late = plain.with_actuators(A.motor("joint1", delay=1.0))
    with pytest.raises(kt.InputError, match="the delay of 1 s of actuator 'joint1' is 1000 steps"):
        late.simulate(Q, V, 0.01, 0.001, control=[0.0])


def test_the_command_begins_in_a_keyframe(plain, tmp_path, capsys):
    """Servos hold it; without a control, a keyframe is a state alone."""
    robot = plain.with_actuators(A.position("joint1", 4e4, 400.0), A.position("joint2", 4e4, 400.0))
    robot = robot.with_keyframe("home", [0.5, -1.0], control=[0.5, -1.0])
    robot.save(tmp_path / "robot.json")
    place = str(tmp_path / "robot.json")
    assert main(["simulate", place, "--keyframe", "home", "--time", "0.5", "-o", str(tmp_path / "a.npz")]) == 0
    held = kt.Trajectory.load(tmp_path / "a.npz")
    assert np.abs(held.q - [0.5, -1.0]).max() < 1e-3
    assert main(["simulate", place, "--keyframe", "home", "--control", "0,0", "--time", "1", "--json"]) == 0
    assert '"method": ' in capsys.readouterr().out
    assert main(["info", place]) == 0 and "keyframes: home" in capsys.readouterr().out
    assert main(["simulate", place, "--keyframe", "hom"]) == 2 and "did you mean 'home'" in capsys.readouterr().err
