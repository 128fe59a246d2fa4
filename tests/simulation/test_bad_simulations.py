"""Simulations and rollouts that cannot be: what is told, before anything is computed or written."""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.robot import common


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r")


def ends(t, q, v):
    return 1.0 - t


ends.terminal = 0.5

BAD = {
    "dt must be positive": {"dt": 0.0},
    "dt must be positive and finite, got -1": {"dt": -1},
    "dt must be positive and finite, got nan": {"dt": float("nan")},
    "dt must be a number": {"dt": "fast"},
    "t must be positive": {"t": 0},
    r"q must have shape \(..., 2\)": {"q": [0.0]},
    "q must be finite; entry": {"q": [0.0, np.nan]},
    "v must be finite": {"v": [np.inf, 0.0]},
    r"tau must have shape": {"tau": [1.0, 2.0, 3.0]},
    "tau must be finite": {"tau": [np.nan, 0.0]},
    "batch axes do not broadcast": {"q": np.zeros((3, 2)), "tau": np.zeros((4, 2))},
    r"unknown method 'RK4'; did you mean 'rk4'\?": {"method": "RK4"},
    "did you mean 'DOP853'": {"method": "dop853"},
    "unknown method 'simplectic'": {"method": "simplectic"},
    "compiled must be True, False or None, got 'yes'": {"compiled": "yes"},
    "compiled must be True, False or None, got 1": {"compiled": 1},
    "project must be True, False or None, got 'no'": {"project": "no"},
    "project must be True, False or None, got 3": {"project": 3, "method": "DOP853"},
    "rtol and atol are for the adaptive methods": {"rtol": 1e-3},
    "got bool, which passes no zero": {"method": "Radau", "events": lambda t, q, v: q[0] > 0},
    "terminal of event 'f' must be True": {"method": "Radau", "events": {"f": ends}},
    "record must be a whole number": {"record": 0},
    "give tau or a controller": {"tau": [0.0, 0.0], "controller": lambda t, q, v: -v},
    "state and parameters are a controller's": {"state": 1.0},
    "controller must be a function": {"controller": 3},
    r"must return forces \(..., 2\); at t = 0 s it returned shape \(3,\)": {"controller": lambda t, q, v: np.zeros(3)},
    "entries of type": {"controller": lambda t, q, v: ["a", "b"]},
    r"must return \(tau, state\)": {"controller": lambda t, q, v, s: q, "state": 1.0},
    "returned shape": {"controller": lambda t, q, v: np.zeros((3, 2))},
    r"take .* GB; there are": {"t": 1e12, "dt": 1e-3},
    "more than can be counted": {"t": 1e300, "dt": 1e-3},
    "wrench must map": {"wrench": [1.0]},
    "unknown frame": {"wrench": {"tpi": np.zeros(6)}},
    r"wrench\['tip'\] must be finite": {"wrench": {"tip": [np.nan] * 6}, "method": "RK45"},
    "progress must be": {"progress": 3},
    "chooses steps for one state": {"q": np.zeros((3, 2)), "method": "DOP853"},
    "rtol must be positive": {"method": "Radau", "rtol": 0.0},
    "event 'a' must be a function": {"method": "Radau", "events": {"a": 1}},
    "is called from Python: compiled=True goes with": {"method": "Radau", "compiled": True},
    "takes no state": {"method": "Radau", "controller": lambda t, q, v, s: (q, s), "state": 1.0},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(robot, message):
    given = {"q": [0.0, 0.0], "v": [0.0, 0.0], "t": 0.1, "dt": 0.01, **BAD[message]}
    with pytest.raises(kt.InputError, match=message):
        robot.simulate(**given)


def test_quaternions_of_length_zero_are_named():
    robot = kt.load("quadruped", base="free")
    q, v = robot.neutral(), np.zeros(robot.nv)
    q[3:7] = 0.0
    for make in (lambda: robot.simulate(q, v, 0.1, 0.01), lambda: robot.rollout(q, v, np.zeros((3, robot.nv)), 0.01)):
        with pytest.raises(kt.InputError, match=r"the quaternion of joint '.*' has length 0"):
            make()


def test_bad_rollouts(robot):
    z = np.zeros(2)
    for tau, message in ((np.zeros((0, 2)), "T > 0"), (z, r"\(..., T, 2\)"), (np.zeros((3, 1)), "must have shape")):
        with pytest.raises(kt.InputError, match=message):
            robot.rollout(z, z, tau, 0.01)
    for make in (robot.rollout, robot.rollout_derivatives):
        for dt in (0.0, -1.0, np.nan):
            with pytest.raises(kt.InputError, match="dt must be positive"):
                make(z, z, np.zeros((3, 2)), dt)
        with pytest.raises(kt.InputError, match="project must be True, False or None, got 'yes'"):
            make(z, z, np.zeros((3, 2)), 0.01, project="yes")
        with pytest.raises(kt.InputError, match=r"tau must be finite; entry \[1, 0\] is nan"):
            make(z, z, [[0.0, 0.0], [np.nan, 0.0]], 0.01)


def test_what_a_controller_raises_passes_with_the_time(robot):
    def breaks(t, q, v):
        if t > 0.03:
            raise RuntimeError("no sensor")
        return 0 * v

    for method in ("rkmk4", "DOP853"):
        with pytest.raises(RuntimeError, match="no sensor") as caught:
            robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01, controller=breaks, method=method)
        assert "in the controller, at t = 0.0" in caught.value.__notes__[0]


def test_memory_is_asked_for_before_it_is_taken(robot, monkeypatch):
    monkeypatch.setattr(common, "available", lambda: 10_000)
    with pytest.raises(kt.InputError, match=r"1,001 rows of 1 states take 0.0 GB.*record=k"):
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=10.0, dt=0.01)
    robot.simulate([0.0, 0.0], [0.0, 0.0], t=1.0, dt=0.01, record=10)


def test_loops_that_open_end_the_motion_but_keep_its_rows():
    robot = kt.load("four_bar")
    goal = robot.assemble()
    start, _ = robot.project(robot.integrate(goal, 0.3 * robot.velocity_map(goal) @ [1.0]), np.zeros(3))
    controller = kt.control.pd(robot, goal, 100.0, 20.0)
    with (
        pytest.warns(kt.SimulationWarning, match="too long for the controller"),
        pytest.warns(kt.SimulationWarning, match="loops do not close.*lower gains"),
    ):
        motion = robot.simulate(start, np.zeros(3), t=2.0, dt=5e-3, controller=controller, method="rkmk4")
    (failure,) = motion.failures
    assert 0 < failure.t < 1 and len(motion) == failure.step + 1 and np.isfinite(motion.q).all()
    settled = robot.simulate(start, np.zeros(3), t=2.0, dt=5e-3, controller=controller)
    assert settled.method == "implicit" and np.abs(robot.closure_residual(settled.q)).max() < 1e-12
    assert np.abs(settled.q[-1] - goal).max() < 0.1 * np.abs(start - goal).max()


@pytest.mark.parametrize("drive", [None, np.zeros((3, 6)), np.zeros((4, 3, 6))], ids=["no", "constant", "rows"])
def test_rollouts_from_open_loops_name_the_closure(drive):
    """Where they end in NaN; from loops that are nearly closed, and of lanes that fail otherwise, they say nothing."""
    robot, z = kt.load("four_bar"), np.zeros(3)
    name, closed = robot.closure_names[0], robot.assemble()
    given = {} if drive is None else {"drive": {name: drive}}
    many, tau = np.stack([closed, z, closed + 1e-4]), np.zeros((4, robot.nv))
    for make in (robot.rollout, robot.rollout_derivatives):
        for q, where in ((z, "q"), (many, r"q\[1\]")):
            what = rf"closure '{name}' is open by [0-9.]+ \(m or rad\) at {where}, .*robot.project and robot.assemble"
            with pytest.raises(kt.InputError, match=what):
                make(q, z, tau, 1e-3, **given)
        assert np.isfinite(make(many[[0, 2]], z, tau, 1e-3, **given)[0]).all()
        if drive is None:
            assert np.isnan(make(closed, [1e9, 0.0, 0.0], tau, 1e-3)[0]).any()


def test_steps_are_shortened_alike_and_one_longer_than_the_motion_is_told():
    robot, zero = kt.load("planar2r"), np.zeros(2)
    motion = robot.simulate(zero, zero, t=0.105, dt=0.01)
    assert len(motion) == 12 and np.allclose([motion.t[-1], motion.dt], [0.105, 0.105 / 11])
    with pytest.warns(kt.SimulationWarning, match=r"dt = 1 s is longer than the motion, t = 0\.1 s: it is one step"):
        robot.simulate(zero, zero, t=0.1, dt=1.0)
