"""Simulations: the same numbers in every way to run, controllers, events, motions that are lost and how it is told."""

from __future__ import annotations

import inspect
from functools import partial

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.errors import SimulationWarning
from kinetrace.simulation import recorder


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def states():
    rng = np.random.default_rng(4)
    return rng.normal(size=(5, 2)), rng.normal(size=(5, 2))


def damped(t, q, v, gain=1.0):
    return kt.arrays.sin(t) - gain * v


def test_rows_are_steps(robot, states):
    q, v = states[0][0], states[1][0]
    motion = robot.simulate(q, v, t=0.05, dt=0.01, tau=[0.3, -0.1])
    assert motion.q.shape == (6, 2) and motion.dt == 0.01 and (motion.tau == [0.3, -0.1]).all()
    for k in range(5):
        q, v = robot.step(q, v, [0.3, -0.1], 0.01, method="rkmk4")
        assert (motion.q[k + 1] == q).all() and (motion.v[k + 1] == v).all()
    np.testing.assert_allclose(motion.t, 0.01 * np.arange(6), rtol=1e-15)
    tau = np.tile([0.3, -0.1], (5, 1))
    found = robot.rollout(states[0][0], states[1][0], tau, 0.01)
    assert (found[0] == motion.q[1:]).all() and (found[1] == motion.v[1:]).all()


@pytest.mark.parametrize("method", ["rkmk4", "semi-implicit", "variational"])
def test_bits_do_not_depend_on_the_way_to_run(robot, states, method):
    """Step by step or in a kernel, one state or a batch, any number of threads, again and again."""
    given = {"t": 0.1, "dt": 0.01, "tau": [0.2, 0.1], "method": method}
    found = robot.simulate(*states, **given, compiled=True)
    plain = robot.simulate(*states, **given, compiled=False)
    many = robot.simulate(*(np.tile(x, (60, 1)) for x in states), **given, compiled=True)
    one = robot.simulate(states[0][3], states[1][3], **given)
    for name in ("q", "v", "tau"):
        x = getattr(found, name)
        assert (getattr(plain, name) == x).all() and (getattr(many, name)[:5] == x).all()
        assert (getattr(many, name)[-5:] == x).all()
    assert (one.q == found.q[3]).all() and (found.lane(3).v == one.v).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_batch_and_threads(dtype):
    """Rollouts and motions of the first so many of 200 states; fewer than a block of lanes are one thread's."""
    q, v = np.random.default_rng(7).normal(size=(2, 200, 2))
    tau = np.random.default_rng(8).normal(size=(200, 6, 2))
    wanted = None
    for threads in (1, 2, 3):
        robot = kt.load("planar2r", dtype=dtype, threads=threads)
        for n in (200, 1, 3, 4, 33):
            motion = robot.simulate(q[:n], v[:n], t=0.06, dt=0.01, tau=tau[:n, 0], compiled=True)
            found = (*robot.rollout(q[:n], v[:n], tau[:n], 0.01), motion.q, motion.v)
            wanted = found if wanted is None else wanted
            assert all(np.array_equal(x, y[:n]) for x, y in zip(found, wanted, strict=True))
    assert np.ptp(wanted[0]) > 0.1 and np.isfinite(wanted[0]).all()


def test_every_kth_step_is_recorded_and_the_last(robot, states):
    for in_kernel in (False, True):
        full = robot.simulate(*states, t=0.1, dt=0.01, controller=damped, compiled=in_kernel)
        part = robot.simulate(*states, t=0.1, dt=0.01, controller=damped, compiled=in_kernel, record=4)
        rows = [0, 4, 8, 10]
        assert (part.t == full.t[rows]).all() and (part.q == full.q[:, rows]).all()
        assert (part.tau[:, :3] == full.tau[:, rows[:3]]).all()


def test_a_controller_is_the_same_compiled_or_called(robot, states):
    called, compiled = (
        robot.simulate(*states, t=0.2, dt=0.01, controller=damped, parameters={"gain": 2.0}, compiled=in_kernel)
        for in_kernel in (False, True)
    )
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(compiled.tau, called.tau, rtol=0, atol=1e-14)


def test_a_controller_with_a_state(robot, states):
    def integral(t, q, v, state, gain):
        total, count = state["total"] + q, state["count"] + 1
        return -gain * total - v, {"total": total, "count": count}

    given = {"t": 0.2, "dt": 0.01, "controller": integral, "parameters": {"gain": 2.0}}
    state = {"total": np.zeros(2), "count": np.zeros(())}
    called, compiled = (
        robot.simulate(*states, **given, state=state, compiled=in_kernel) for in_kernel in (False, True)
    )
    np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(compiled.state["total"], called.state["total"], rtol=0, atol=1e-13)
    assert np.all(np.asarray(compiled.state["count"]) == 20) and np.all(np.asarray(called.state["count"]) == 20)
    np.testing.assert_allclose(called.tau[:, 1], -2 * (called.q[:, 0] + called.q[:, 1]) - called.v[:, 1], atol=1e-14)


def test_a_controller_is_called_unless_a_kernel_is_asked_for(robot, states, monkeypatch):
    """Also in long simulations: this one counts, and couples the states of the batch."""
    monkeypatch.setattr("kinetrace.simulation.integration.KERNEL_FROM_STEPS", 1)
    seen = []

    def together(t, q, v):
        seen.append(t)
        return -np.broadcast_to(v.mean(axis=0), v.shape)

    motion = robot.simulate(*states, t=0.05, dt=0.01, controller=together)
    assert len(seen) == 5 and (motion.tau == motion.tau[:1]).all()


def test_python_that_cannot_be_traced_is_called(robot, states):
    seen = []

    def bang_bang(t, q, v):
        seen.append(t)
        return np.where(q > 0, -1.0, 1.0) if float(t) < 1 else 0 * q

    motion = robot.simulate(*states, t=0.05, dt=0.01, controller=bang_bang)
    assert seen[-5:] == [0.01 * k for k in range(5)] and set(np.unique(motion.tau)) == {-1.0, 1.0}
    with pytest.raises(kt.InputError, match="not plain array code"):
        robot.simulate(*states, t=0.05, dt=0.01, controller=bang_bang, compiled=True)


def test_faults_of_a_compiler_are_not_the_controllers(robot, states, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no compiler")

    monkeypatch.setattr("kinetrace.simulation.engines.controlled_rollout", broken)
    with pytest.raises(RuntimeError, match="no compiler"):
        robot.simulate(*states, t=0.05, dt=0.01, controller=damped, compiled=True)


def test_compiled_controllers_that_return_something_else(robot, states):
    given = {"t": 0.05, "dt": 0.01, "compiled": True}
    with pytest.raises(kt.InputError, match=r"must return forces \(2,\) for one state, got shape \(1,\)"):
        robot.simulate(*states, **given, controller=lambda t, q, v: q[:1])
    with pytest.raises(kt.InputError, match=r"must return \(tau, state\)"):
        robot.simulate(*states, **given, controller=lambda t, q, v, s: q, state=np.zeros(2))
    with pytest.raises(kt.InputError, match="state and parameters are those of one motion, without batch axes"):
        robot.simulate(*states, **given, controller=lambda t, q, v, s: (s - q, s + q), state=np.zeros((5, 2)))


def test_newtons_method_without_a_solution_is_a_failure(robot):
    """A step of two seconds, many turns long; the other lane is at rest where it hangs."""
    q, v = np.array([[1.0, 2.0], [-np.pi / 2, 0.0]]), np.array([[30.0, -200.0], [0.0, 0.0]])
    for in_kernel in (False, True):
        with pytest.warns(SimulationWarning, match="lane 0"):
            motion = robot.simulate(q, v, t=4.0, dt=2.0, method="variational", compiled=in_kernel)
        assert [x.lane for x in motion.failures] == [(0,)] and np.isnan(motion.q[0, 1:]).all()
        np.testing.assert_allclose(motion.q[1], q[[1, 1, 1]], rtol=0, atol=1e-9)


def test_rollouts_and_their_derivatives_have_the_same_defaults():
    for owner, usual in ((kt.Robot, None), (kt.algorithms, "rkmk4")):  # a robot's is that of its laws
        defaults = [
            inspect.signature(getattr(owner, name)).parameters["method"].default
            for name in ("rollout", "rollout_derivatives")
        ]
        assert defaults == [usual, usual]


def test_wrenches_act(robot, states):
    wrench = {"tip": [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]}
    q, v = states[0][0], states[1][0]
    for in_kernel in (False, True):
        motion = robot.simulate(q, v, t=0.02, dt=0.01, wrench=wrench, compiled=in_kernel)
        expected = robot.step(q, v, np.zeros(2), 0.01, method="rkmk4", wrench=wrench)
        np.testing.assert_allclose(motion.q[1], expected[0], rtol=0, atol=1e-15)
    adaptive = robot.simulate(q, v, t=0.02, dt=0.01, wrench=wrench, method="DOP853", rtol=1e-12)
    np.testing.assert_allclose(adaptive.q[-1], motion.q[-1], rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["DOP853", "Radau", "LSODA"])
def test_adaptive_methods_on_a_free_base(method):
    """θ passes beyond half a turn: its origin moves on. rkmk4 at small steps is the reference."""
    free = kt.Robot(kt.model.random_tree(1, 3).build("free"))
    q, v = free.neutral(), np.array([2.0, 3.0, 1.0, 0.1, 0.2, 0.3, 1.0])[: free.nv]
    v = np.concatenate([v, np.zeros(free.nv - len(v))])
    found = free.simulate(q, v, t=2.0, dt=0.1, method=method, rtol=1e-9, atol=1e-11)
    true = free.simulate(q, v, t=2.0, dt=1e-3, record=100, compiled=True)
    same = np.sign((found.q[:, 3:7] * true.q[:, 3:7]).sum(axis=-1))
    assert np.abs(free.difference(found.q, true.q)).max() < 1e-6 and len(same) == 21  # the solver's tolerance, summed


def test_events_are_found_and_may_end_the_motion():
    pendulum = kt.load("planar2r").with_closures(kt.closures.Coupling({"joint2": 1.0}))
    arm = kt.load("planar2r")

    def hangs(t, q, v):
        return q[0] + q[1]

    def stops(t, q, v):
        return 0.3 - t

    stops.terminal = True
    motion = arm.simulate([0.3, 0.0], [0.0, 0.0], t=1.0, dt=0.01, method="DOP853", events={"a": hangs, "b": stops})
    assert [event.name for event in motion.events][-1] == "b" and motion.t[-1] <= 0.3 < motion.t[-1] + 0.0101
    for event in motion.events:
        value = hangs(event.t, event.q, event.v) if event.name == "a" else stops(event.t, event.q, event.v)
        assert abs(value) < 1e-12
    assert pendulum.dof == 1
    with pytest.raises(kt.InputError, match="events are found by the adaptive methods"):
        arm.simulate([0.3, 0.0], [0.0, 0.0], t=1.0, dt=0.01, events=hangs)


def test_events_of_one_name_are_numbered(robot):
    events = [lambda t, q, v: t - 0.03, lambda t, q, v: t - 0.05]
    motion = robot.simulate([0.3, 0.0], [0.0, 0.0], t=0.1, dt=0.01, method="DOP853", events=events)
    assert [(x.name, round(x.t, 9)) for x in motion.events] == [("<lambda>", 0.03), ("<lambda> 2", 0.05)]


def test_events_begin_anew_where_a_state_is_projected():
    """How far a loop is open: coarse steps open it, and projections, which are no zeros passed, close it."""
    robot = kt.load("four_bar")
    q = robot.assemble()

    def is_open(t, q, v):
        return np.abs(robot.closure_residual(q)).max() - 1e-3

    given = {"method": "RK45", "rtol": 1e-2, "atol": 1e-2, "events": [is_open]}
    motion = robot.simulate(q, robot.velocity_map(q) @ [3.0], t=2.0, dt=0.1, **given)
    assert motion.events and all(abs(is_open(*x[1:])) < 1e-9 for x in motion.events)


def test_a_solver_that_gives_up_is_a_failure(robot):
    """Velocities that become infinite in a finite time."""
    given = {"t": 5.0, "dt": 1e-4, "method": "RK45", "controller": lambda t, q, v: 50 * v * np.abs(v)}
    with pytest.warns(SimulationWarning, match="RK45 gave up at t = 0.001"):
        motion = robot.simulate([0.0, 0.0], [1.0, 1.0], **given)
    (failure,) = motion.failures
    assert failure.step == len(motion) - 1 and motion.t[-1] <= failure.t < 0.002 and failure.joint in motion.names.v


@pytest.mark.parametrize("in_kernel", [False, True])
def test_an_empty_batch_has_all_rows(robot, in_kernel):
    motion = robot.simulate(np.zeros((0, 2)), np.zeros(2), t=0.1, dt=0.01, compiled=in_kernel)
    assert motion.q.shape == (0, 11, 2) and motion.t[-1] == pytest.approx(0.1)


def test_the_line_of_progress_is_taken_away(robot, monkeypatch, capsys):
    """Also if all lanes are lost."""
    monkeypatch.setattr("kinetrace.support.progress.LINE_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "CHUNK_SECONDS", 0.0)
    with pytest.warns(SimulationWarning, match="no longer finite"):
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01, tau=[1e200, 0.0], progress=True)
    shown = capsys.readouterr().err
    assert "of 10 steps" in shown and shown.endswith(" \r")


def test_closed_loops_stay_closed():
    robot = kt.load("four_bar")
    q = robot.assemble()
    v = robot.velocity_map(q) @ [3.0]
    projected = robot.simulate(q, v, t=0.5, dt=0.01)
    stabilised = robot.simulate(q, v, t=0.5, dt=0.01, stabilisation=[30.0, 1.0], compiled=True)
    loose = robot.simulate(q, v, t=0.5, dt=0.01, project=False)
    open_by = [np.abs(motion.closure_residual()).max() for motion in (projected, stabilised, loose)]
    assert open_by[0] < 1e-12 and open_by[1] < open_by[2] and 1e-9 < open_by[2] < 1e-5
    assert np.ptp(projected.energy()) < 1e-6 * projected.kinetic_energy().max()


def test_projections_keep_the_momentum_of_what_floats():
    """A four-bar in space, with motors at work; its loop opens by a millimetre if nothing closes it."""
    robot = kt.load("four_bar", base="free")
    robot = kt.Robot(robot.model.with_parameters(gravity=[0.0, 0.0, 0.0]))
    rng, q = np.random.default_rng(0), robot.assemble()
    v, tau = robot.velocity_map(q) @ rng.normal(size=robot.dof), np.r_[np.zeros(6), rng.normal(size=3)]
    projected, loose = (robot.simulate(q, v, 0.5, 0.005, tau=tau, method="rkmk2", project=x) for x in (True, False))
    h = robot.momentum(projected.q, projected.v)
    np.testing.assert_allclose(h, np.tile(h[0], (101, 1)), rtol=0, atol=1e-12 * np.abs(h).max())
    assert np.abs(projected.closure_residual()).max() < 1e-12 and np.abs(loose.closure_residual()).max() > 1e-3


def test_numbers_that_are_lost_are_named(robot):
    """A damper far too stiff for the step, in one lane of two; alone, it ends the motion."""

    def stiff(t, q, v):
        return -np.array([1e3, 0.0]) * v * np.array([[0.0], [1.0]]) ** 1

    q, v = np.zeros((2, 2)), np.array([[0.0, 0.1], [0.1, 0.1]])
    early = r"too long for the controller at joint 'joint1'"
    fast = r"'joint2' moves at .* rad/s at t = .* s, lane 1, more than 10 times its velocity limit 10"
    left = r"after step \d+ \(t = .* s\), lane 1, joint 'joint\d' left first"
    warns = partial(pytest.warns, SimulationWarning)
    with warns(match=early), warns(match=fast), warns(match=left):
        motion = robot.simulate(q, v, t=30.0, dt=0.1, controller=stiff)
    (failure,) = motion.failures
    assert failure.lane == (1,) and np.isnan(motion.q[1, failure.step + 1 :]).any(axis=-1).all()
    assert np.isfinite(motion.q[1, : failure.step + 1]).all() and len(motion) == 301
    for in_kernel in (False, True):
        with warns(match="too long"), warns(match="10 times"), warns(match="left first"):
            alone = robot.simulate(
                q[1],
                v[1],
                t=30.0,
                dt=0.1,
                controller=lambda t, q, v: -np.array([1e3, 0.0]) * v,
                compiled=in_kernel,
                method="rkmk4",
            )
        assert np.isfinite(alone.q).all() and len(alone) == failure.step + 1


@pytest.mark.parametrize("given", [{}, {"compiled": True}, {"method": "DOP853"}, {"method": "LSODA"}], ids=str)
def test_forces_of_a_controller_that_are_not_finite_are_its_own(robot, given):
    def blind(t, q, v):
        return kt.arrays.stack([0.0 * v[0], kt.arrays.where(kt.arrays.less(t, 0.035), 0.0 * v[1], np.inf)])

    with pytest.warns(SimulationWarning, match=r"the controller's force on joint 'joint2' is not finite at t = 0\.0"):
        motion = robot.simulate([0.1, 0.2], [0.0, 0.0], t=0.1, dt=0.01, controller=blind, **given)
    (failure,) = motion.failures
    assert failure.by_controller and failure.joint == "joint2" and 0.035 <= failure.t < 0.06
    assert np.isfinite(motion.q).all() and motion.t[-1] <= failure.t
    if not given:
        assert failure.step == 4 and len(motion) == 5


@pytest.mark.parametrize("in_kernel", [False, True])
def test_ctrl_c_returns_what_there_is(robot, monkeypatch, ctrl_c, in_kernel):
    monkeypatch.setattr(recorder, "CHUNK_SECONDS", 0.005)
    told = []

    def progress(done, of):
        told.append((done, of))
        if len(told) == 3:
            ctrl_c()

    with pytest.warns(SimulationWarning, match="interrupted at t ="):
        motion = robot.simulate(
            [0.1, 0.2], [0.0, 0.0], t=1e5, dt=1e-2, record=1000, compiled=in_kernel, progress=progress
        )
    assert motion.interrupted and np.isfinite(motion.q).all() and told[2][1] == 10_000_000
    assert len(motion) - 1 <= told[2][0] // 1000 + 1 and motion.t[-1] <= told[2][0] * 1e-2 + 1e-9


def test_single_precision():
    robot = kt.load("planar2r", dtype="float32")
    exact = kt.load("planar2r").simulate([0.1, 0.2], [0.0, 0.0], t=0.1, dt=0.01)
    for in_kernel in (False, True):
        found = robot.simulate([0.1, 0.2], [0.0, 0.0], t=0.1, dt=0.01, compiled=in_kernel)
        np.testing.assert_allclose(found.q, exact.q, rtol=0, atol=1e-5)


def test_a_controller_may_change_what_it_is_given():
    robot = kt.load("planar2r")

    def careless(t, q, v):
        q[...] = 99.0
        return 0.0 * v

    found = robot.simulate(np.zeros(2), np.zeros(2), t=0.05, dt=0.01, controller=careless)
    np.testing.assert_array_equal(found.q, robot.simulate(np.zeros(2), np.zeros(2), t=0.05, dt=0.01).q)


def test_rows_of_forces_are_for_rollout():
    robot = kt.load("planar2r")
    for rows in (5, 6, 3):
        with pytest.warns(kt.SimulationWarning, match=f"is {rows} motions, not a row for each step: that is rollout"):
            robot.simulate(np.zeros(2), np.zeros(2), t=0.05, dt=0.01, tau=np.zeros((rows, 2)))
        robot.simulate(np.zeros((rows, 2)), np.zeros(2), t=0.05, dt=0.01, tau=np.zeros((rows, 2)))


def test_velocities_that_open_a_loop_are_projected_first():
    robot = kt.load("four_bar")
    for method in ("rkmk4", "DOP853"):
        with pytest.warns(
            kt.SimulationWarning, match=r"loops are open at the beginning: projection changed v by up to"
        ):
            motion = robot.simulate(robot.assemble(), np.ones(robot.nv), t=0.01, dt=0.001, method=method)
        assert np.abs(robot.closure_jacobian(motion.q[0]) @ motion.v[0]).max() < 1e-12
    with pytest.warns(kt.SimulationWarning, match="projection changed q by up to"):
        robot.simulate(robot.assemble() + 0.1, np.zeros(robot.nv), t=0.01, dt=0.01)


@pytest.mark.parametrize("method", ["BDF", "LSODA"])
def test_methods_that_need_their_last_steps_are_not_for_closed_loops(method):
    robot = kt.load("four_bar")
    with pytest.raises(kt.InputError, match="take Radau or DOP853"):
        robot.simulate(robot.assemble(), np.zeros(robot.nv), t=0.1, dt=0.1, method=method)
    with pytest.raises(kt.InputError, match="projects closed loops: project=False goes with"):
        robot.simulate(robot.assemble(), np.zeros(robot.nv), t=0.1, dt=0.1, method="Radau", project=False)


@pytest.mark.parametrize(("terminal", "count"), [(True, 1), (1, 1), (2, 2), (0, 3), (False, 3)])
def test_an_event_may_end_the_motion_at_its_nth_zero(robot, terminal, count):
    def swings(t, q, v):
        return np.cos(20 * t)

    swings.terminal = terminal
    motion = robot.simulate([0.3, 0.0], [0.0, 0.0], t=0.5, dt=0.1, method="DOP853", events=swings, rtol=1e-12)
    assert len(motion.events) == count


def test_forces_of_recorded_steps_do_not_depend_on_the_chunks_of_the_loop(robot):
    """Row k is the force from then on, wherever a chunk ends."""
    given = {"t": 0.1, "dt": 1e-3, "record": 10, "controller": lambda t, q, v: -20 * q - 3 * v + 10 * t}
    called, compiled = (
        robot.simulate([0.3, -0.2], [0.0, 0.0], **given, compiled=in_kernel) for in_kernel in (False, True)
    )
    np.testing.assert_allclose(compiled.tau, called.tau, rtol=0, atol=1e-11)


def test_compiled_controllers_may_change_what_they_are_given(robot):
    def negated(t, q, v):
        q *= -3.0
        return q

    def careless(t, q, v, s, gain):
        s += q
        q *= -3.0
        v[0] = 0.0
        gain *= 2.0
        return gain * (q - v) - s, s

    state, gain, found = np.zeros(2), np.ones(2), []
    for in_kernel in (False, True):
        given = {"state": state, "parameters": {"gain": gain}, "compiled": in_kernel}
        found.append(robot.simulate([0.3, -0.2], [0.1, 0.2], t=0.02, dt=0.01, controller=negated, compiled=in_kernel))
        found.append(robot.simulate([0.3, -0.2], [0.1, 0.2], t=0.01, dt=0.01, controller=careless, **given))
        assert (state == 0).all() and (gain == 1).all()
    for called, compiled in zip(found[:2], found[2:], strict=True):
        np.testing.assert_allclose(compiled.q, called.q, rtol=0, atol=1e-14)
        np.testing.assert_allclose(compiled.tau, called.tau, rtol=0, atol=1e-14)


def test_steps_of_a_scan_may_change_what_they_are_given():
    def add(c, x):
        c += x
        x *= 0.0
        return c, c

    start, xs = np.zeros(2), np.ones((3, 2))
    last, rows = kt.arrays.scan(add, start, xs)
    assert rows[:, 0].tolist() == [1.0, 2.0, 3.0] and (last == 3).all() and (start == 0).all() and (xs == 1).all()


def test_the_last_row_is_the_state_of_a_terminal_event():
    """On a tree, on a closed chain, and at a time that has a row of its own."""
    hinge = kt.load("planar2r")
    for robot, q, v in (
        (hinge, np.array([0.2, 0.3]), np.zeros(2)),
        (four := kt.load("four_bar"), at := four.assemble(), four.velocity_map(at) @ [2.0]),
    ):

        def passed(t, q, v, begin=q):
            return abs(q[0] - begin[0]) - 0.05

        passed.terminal = True
        motion = robot.simulate(q, v, t=3.0, dt=0.03, method="DOP853", events=passed)
        (event,) = motion.events
        assert motion.t[-1] == event.t and (motion.q[-1] == event.q).all() and (motion.v[-1] == event.v).all()
        assert abs(passed(0.0, motion.q[-1], None)) < 1e-9 and (np.diff(motion.t) > 0).all()
        assert len(motion.t) == len(motion.q) == len(motion.tau) and motion.t[-2] == pytest.approx(
            0.03 * (len(motion) - 2)
        )

    def clock(t, q, v):
        return t - 0.06

    clock.terminal = True
    motion = hinge.simulate([0.2, 0.3], [0.0, 0.0], t=3.0, dt=0.03, method="DOP853", events=clock)
    assert len(motion) == 3 and motion.t[-1] == pytest.approx(0.06, abs=1e-12)


def test_traced_is_the_old_name_of_compiled():
    robot = kt.load("planar2r")
    given = {"t": 0.05, "dt": 0.01, "controller": lambda t, q, v: -v}
    with pytest.warns(DeprecationWarning, match="traced= is now compiled="):
        old = robot.simulate([0.3, -0.2], [0.0, 0.0], **given, traced=True)
    assert np.array_equal(old.q, robot.simulate([0.3, -0.2], [0.0, 0.0], **given, compiled=True).q)
    with pytest.raises(TypeError, match="got compiled twice"):
        robot.simulate([0.3, -0.2], [0.0, 0.0], **given, traced=True, compiled=True)
