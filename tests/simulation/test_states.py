"""What goes on from step to step, whatever cuts a motion into parts."""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.derivatives import varied_system
from kinetrace.algorithms.dynamics.external_inputs import ExternalInputs
from kinetrace.algorithms.time import (
    constrained_steps,
    integrators,
    linearly_implicit,
    methods,
    rkmk,
    runge_kutta,
    variational,
)
from kinetrace.algorithms.time.runge_kutta import Evaluation, step_acceleration
from kinetrace.algorithms.time.state import State
from kinetrace.arrays import tree_leaves
from kinetrace.model.arguments import ARGUMENTS, MAPPINGS
from kinetrace.simulation import engines, integration, recorder, request


def _adams_bashforth(model, state, dt, inputs):
    """Of order two, by the rates of this step and the last, which it keeps; at rest before the first."""
    rate = np.concatenate([state.v, step_acceleration(model, state.q, state.v, 0.0, inputs)])
    begun, last = state.kept["begun"], state.kept["rate"]
    ahead = rate + begun * 0.5 * (rate - last)
    q, v = model.integrate(state.q, dt * ahead[: model.nv]), state.v + dt * ahead[model.nv :]
    return State(q, v, {"rate": rate, "begun": 1.0 + 0.0 * begun}), Evaluation(state.q, 0.0)


@pytest.fixture
def keeping(monkeypatch):
    """A robot, of which "euler" is a method of two steps."""

    def initial(model):
        return {"rate": np.zeros(2 * model.nv), "begun": np.zeros(())}

    monkeypatch.setitem(methods.METHODS, "euler", methods.Method(_adams_bashforth, 2, initial))
    return kt.load("planar2r", backend="numpy")  # interpreted: programs of methods are not remembered


def test_what_a_method_keeps_goes_on(keeping, monkeypatch):
    """A method of two steps is of order two, and gives the same numbers however its motion is cut."""
    q, v = np.array([[0.3, -0.4], [0.1, 0.2]]), np.array([[1.0, 0.5], [0.0, -1.0]])
    exact = keeping.simulate(q, v, t=0.2, dt=2e-3, method="rkmk4").q[:, -1]
    ends = [keeping.simulate(q, v, t=0.2, dt=h, method="euler").q[:, -1] for h in (0.02, 0.01)]
    coarse, fine = (np.abs(x - exact).max() for x in ends)
    assert 1.8 < np.log2(coarse / fine) < 2.5
    base = {"base_velocity": np.arange(6.0), "base_acceleration": np.ones(6)}
    for further in ({}, {"controller": lambda t, q, v: -0.2 * v}, base):
        given = {"t": 0.2, "dt": 0.01, "method": "euler", **further}
        ways = [keeping.simulate(q, v, **given, compiled=x) for x in (True, False)]
        with monkeypatch.context() as short:
            short.setattr("kinetrace.simulation.recorder.CHUNK_NUMBERS", 1)
            ways.append(keeping.simulate(q, v, **given, compiled=True))
        for other in ways[1:]:
            assert np.array_equal(other.q, ways[0].q)
            assert np.array_equal(other.v, ways[0].v)


def test_rollouts_have_no_derivatives_where_results_depend_on_what_is_kept(keeping):
    with pytest.raises(kt.InputError, match="'euler' has no derivatives of rollouts: the method keeps 'begun', 'rate'"):
        kt.algorithms.rollout_derivatives(keeping.model, *np.zeros((2, 2)), np.zeros((3, 2)), 0.01, method="euler")


def _counting(t, q, v, state):
    """A controller with a state of its own, which depends on the time."""
    return -state["n"] * v + np.sin(7.0 * t), {"n": state["n"] + 1.0}


def _wind(model, t, q, v):
    return np.concatenate([np.zeros(3), -0.3 * v[:1], t * np.ones(1), [0.1]])


def _gust(t, q, v):
    size = np.sum(q, axis=-1, keepdims=True)
    return np.concatenate([np.zeros((*v.shape[:-1], 4)), -0.3 * v[..., :1], t + 0.1 * size], axis=-1)


def _observed(robot):
    """A tracking law that is held between samples, with an observer of what acts besides."""
    q = np.array([1.0, 2.0])
    law = kt.control.computed_torque(robot, lambda t: (q * t**2, 2.0 * q * t, 2.0 * q), 30.0, 8.0)
    return kt.control.observed(kt.control.sampled(law, 0.03), kt.control.momentum_observer(robot, 20.0))


def _driven():
    robot = kt.load("four_bar")
    drive = np.zeros((3, 6))
    drive[2, :3] = robot.model.bodies[0].joint.subspace(np.zeros(1))[:3, 0]
    return robot, {"drive": {robot.closure_names[0]: drive}, "method": "semi-implicit"}


MOVED = {"base_velocity": np.arange(6.0) / 5.0, "base_acceleration": np.ones(6), "wrench": {"tip": np.ones(6)}}
CASES = {
    "plain": lambda: (kt.load("planar2r"), {}, {}),
    "floating": lambda: (kt.load("planar2r", base="free"), {"method": "semi-implicit"}, {}),
    "float32": lambda: (kt.load("planar2r", dtype="float32"), MOVED, {}),
    "moved": lambda: (kt.load("planar2r"), MOVED, {}),
    "driven": lambda: (*_driven(), {}),
    "stabilised": lambda: (_driven()[0], {**_driven()[1], "stabilisation": [20.0, 1.0]}, {}),
    "law": lambda: (kt.load("planar2r"), {}, {"controller": _observed(kt.load("planar2r"))}),
    "controller": lambda: (kt.load("planar2r"), {"state": {"n": np.zeros(1)}, **MOVED}, {"controller": _counting}),
    "compiled wrench": lambda: (kt.load("planar2r"), MOVED, {"wrench": {"tip": _wind}}),
    "called wrench": lambda: (kt.load("planar2r", base="free"), {}, {"wrench": {"tip": _gust}}),
}


WAYS = [(name, way) for name in CASES for way in (True, False) if (name, way) != ("called wrench", True)]


@pytest.mark.parametrize(("name", "compiled"), WAYS)
def test_a_resumed_motion_is_the_uninterrupted_one(name, compiled, tmp_path):
    """To the same bits, of one state and of a batch, straight away and from a file."""
    robot, given, again = CASES[name]()
    given, again = {"dt": 0.01, **given, **again}, {**again, "compiled": compiled}
    q = robot.assemble() if robot.model.closures else robot.home()
    for lanes in ((), (2,)):
        v = np.zeros((*lanes, robot.nv))
        if "controller" in again:
            v = v + (np.arange(2.0)[:, None] if lanes else 1.0)
        else:
            again["tau"] = np.ones(robot.nv) * (np.array([[0.3], [-0.2]]) if lanes else 0.5)
        whole = robot.simulate(q, v, t=0.12, **{**given, **again})
        first = robot.simulate(q, v, t=0.05, **{**given, **again})
        first.save(tmp_path / "first.npz")
        for begun in (first, kt.Trajectory.load(tmp_path / "first.npz", robot)):
            rest = begun.resume(0.03, **again).resume(0.04, **again)
            for x in ("t", "q", "v", "tau"):
                n = {"t": np.s_[8:]}.get(x, np.s_[..., 8:, :])
                assert np.array_equal(getattr(rest, x), getattr(whole, x)[n]), x
            for x, y in zip(tree_leaves(rest.state), tree_leaves(whole.state), strict=True):
                assert np.array_equal(x, y)
            if lanes and begun is first and "controller" not in again:
                alone = first.lane(1).resume(0.07, **{**again, "tau": again["tau"][1]})
                np.testing.assert_allclose(
                    alone.q[-1], whole.q[1, -1], rtol=0, atol=1e-12 if name != "float32" else 1e-5
                )


def test_what_cannot_be_resumed_says_why(tmp_path):
    robot, z = kt.load("planar2r"), np.zeros(2)
    motion = robot.simulate(z, z, t=0.1, dt=0.01)
    for t in (0.015, 0.0, -1.0, np.nan):
        with pytest.raises(kt.InputError, match=r"multiple of the motion's steps|t must"):
            motion.resume(t)
    motion.save(tmp_path / "a.csv")
    for other in (
        robot.simulate(z, z, t=0.1, dt=0.01, method="DOP853"),
        kt.Trajectory.load(tmp_path / "a.csv", robot),
        motion[:5],
        motion.resample([0.0, 0.05]),
    ):
        with pytest.raises(kt.InputError, match="no state at its end"):
            other.resume(0.1)
    assert motion[5:].resume(0.1).t[0] == motion.t[-1]
    with pytest.raises(kt.InputError, match=r"unknown keyword of resume 'method'.* Valid: .*controller"):
        motion.resume(0.1, method="rk4")
    motion.save(tmp_path / "a.npz")
    with pytest.raises(kt.InputError, match="needs the robot"):
        kt.Trajectory.load(tmp_path / "a.npz").resume(0.1)
    for acting in ({"controller": _counting, "state": {"n": np.zeros(1)}}, {"controller": lambda t, q, v: -v}):
        with pytest.raises(kt.InputError, match="give controller="):
            robot.simulate(z, z, t=0.1, dt=0.01, **acting).resume(0.1)
    with pytest.raises(kt.InputError, match="give wrench= again"):
        robot.simulate(z, z, t=0.1, dt=0.01, wrench={"tip": _gust}).resume(0.1)


def test_constant_joint_forces_go_on(tmp_path):
    """Without being given again, of a motion, of one of its lanes and of a file."""
    robot, z, tau = kt.load("planar2r"), np.zeros((2, 2)), np.array([[1.0, 0.2], [-2.0, 0.5]])
    whole, part = (robot.simulate(z, z, t=t, dt=0.01, tau=tau) for t in (0.1, 0.04))
    part.save(tmp_path / "a.npz")
    read = kt.Trajectory.load(tmp_path / "a.npz", robot)
    for rest in (part.resume(0.06), read.resume(0.03).resume(0.03)):
        assert np.array_equal(rest.q[:, -1], whole.q[:, -1]) and np.array_equal(rest.tau[:, -1], tau)
    assert np.array_equal(part.lane(1).resume(0.06).q, whole.lane(1).q[4:])
    assert not part.resume(0.02, tau=np.zeros(2)).tau[:, 1:].any()


def test_a_motion_of_a_robot_with_other_laws_is_refused(tmp_path):
    """What its steps kept does not fit: both are named."""
    plain, z = kt.load("planar2r"), np.zeros(2)
    dry = plain.with_joint_effects(friction=0.5, friction_law="dry")
    for maker, other in ((plain, dry), (dry, plain), (plain.with_joint_effects("joint1", friction=1.0), dry)):
        motion = maker.simulate(z, z, t=0.02, dt=0.01, method="semi-implicit")
        motion.save(tmp_path / "a.npz")
        with pytest.raises(kt.InputError, match=r"other laws of friction and stops: its steps kept .*impulses \(2,\)"):
            kt.Trajectory.load(tmp_path / "a.npz", other).resume(0.01)


def test_an_interrupted_motion_is_resumed():
    """From the step that it had reached, between two rows that are kept."""
    robot, z, calls = kt.load("planar2r"), np.zeros(2), []

    def stopping(t, q, v):
        calls.append(t)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return -v

    with pytest.warns(kt.SimulationWarning, match="interrupted"):
        part = robot.simulate(z, z, t=0.2, dt=0.01, controller=stopping, record=5)
    assert (part.t[-1], part.end.step) == (0.05, 7)
    rest, whole = (
        x(controller=lambda t, q, v: -v)
        for x in (lambda **c: part.resume(0.13, **c), lambda **c: robot.simulate(z, z, t=0.2, dt=0.01, **c))
    )
    assert np.array_equal(rest.q, whole.q[7:])


def test_tables_keep_what_a_motion_goes_on_with(tmp_path):
    """All of it but parts of them: some rows, or some motions of a batch."""
    for name in ("pandas", "xarray", "pyarrow"):
        pytest.importorskip(name)
    robot, z = kt.load("planar2r"), np.zeros((2, 2))
    motion = robot.simulate(z, z, t=0.1, dt=0.01, **MOVED)
    motion.save(tmp_path / "a.parquet")
    data, after = motion.to_xarray(), motion.resume(0.1).q
    for read in (
        kt.Trajectory.load(tmp_path / "a.parquet", robot),
        kt.Trajectory.from_pandas(motion.to_pandas(), robot),
        kt.Trajectory.from_xarray(data, robot),
    ):
        assert np.array_equal(read.resume(0.1).q, after)
    for part in (data.isel(lane=[0]), data.isel(t=slice(0, 5))):
        assert kt.Trajectory.from_xarray(part, robot).end is None


class _Log:
    """A state of no numbers."""


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (_Log(), "it is of type _Log"),
        ("off", "it is of type str"),
        ({"n": 0.0, "seen": {1}}, r"\['seen'\] is of type set"),
        ((1.0, "a"), r"\[1\] is of type str"),
        ({"by": {("a", 0): 1.0}}, r"\['by'\] has a key of type tuple"),
        ([np.array([1j])], r"\[0\] is of type ndarray, of complex128"),
    ],
)
def test_a_controllers_state_that_files_cannot_keep_is_named(state, told, tmp_path):
    """When it is saved, and when it is missed; all else is kept, and the motion goes on with the state given anew."""
    robot, z = kt.load("planar2r"), np.zeros(2)

    def law(t, q, v, state):
        return -v, state

    begun, whole = (
        robot.simulate(z, z, t=t, dt=0.01, controller=law, state=state, base_velocity=np.ones(6)) for t in (0.05, 0.1)
    )
    for name in ("a.npz", "b.npz"):  # also once more, after it has been lost
        with pytest.warns(kt.SimulationWarning, match=f"state at the end is not kept, as .*{told}; resume .*state="):
            begun.save(tmp_path / name)
        begun = kt.Trajectory.load(tmp_path / name, robot)
    with pytest.raises(kt.InputError, match=f"has not kept the controller's state, .*{told}.* give state="):
        begun.resume(0.05, controller=law)
    assert np.array_equal(begun.resume(0.05, controller=law, state=state).q, whole.q[5:])
    begun.save(tmp_path / "c.csv")  # keeps no end, and says nothing


def test_lists_of_a_controllers_state_come_back_as_lists(tmp_path):
    robot, z = kt.load("planar2r"), np.zeros(2)

    def law(t, q, v, state):
        return -v, [*state[:1], {"n": (state[1]["n"][0] + 1.0,)}, []]

    motion = robot.simulate(z, z, t=0.05, dt=0.01, controller=law, state=[np.ones(2), {"n": (0.0,)}, []])
    motion.save(tmp_path / "a.npz")
    one, other, empty = kt.Trajectory.load(tmp_path / "a.npz").state
    assert one.tolist() == [1.0, 1.0] and other == {"n": (5.0,)} and empty == []


@pytest.mark.parametrize("compiled", [True, False])
def test_a_batch_goes_on_without_the_lanes_that_failed(compiled, tmp_path):
    robot = kt.load("planar2r")

    def law(t, q, v):
        return kt.arrays.sqrt(1.5 - q) - v

    acting = {"controller": law, "compiled": compiled}
    q = np.array([[0.0, 0.0], [1.4, 0.0], [0.0, 0.5]])
    v = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 0.0]])
    with pytest.warns(kt.SimulationWarning, match="lane 1"):
        whole, begun = (robot.simulate(q, v, t=t, dt=0.01, **acting) for t in (0.3, 0.2))
    assert [x.lane for x in begun.failures] == [(1,)]
    begun.save(tmp_path / "a.npz")
    for motion in (begun, kt.Trajectory.load(tmp_path / "a.npz", robot)):
        rest = motion.resume(0.1, **acting)  # warnings are errors: the failure is not told again
        assert np.array_equal(rest.q, whole.q[:, 20:], equal_nan=True) and rest.failures == whole.failures
        assert np.isnan(rest.q[1]).all() and np.isfinite(rest.q[[0, 2]]).all()
        with pytest.raises(kt.InputError, match=r"the motion failed, at t = 0\.\d+ s: there is no state to go on with"):
            motion.lane(1).resume(0.1, **acting)
        assert np.array_equal(motion.lane(2).resume(0.1, **acting).q[-1], whole.q[2, -1])


def test_what_a_motion_goes_on_with_is_described_where_one_looks():
    robot, z = kt.load("planar2r"), np.zeros(2)
    kind = type(robot.simulate(z, z, t=0.02, dt=0.01).end)
    with pytest.raises(AttributeError, match=r"help\(type\(motion.end\)\)"):
        kt.SimulationState  # noqa: B018
    assert all(f"\n    {name} : " in kind.__doc__ for name in kind._fields)


PUBLIC = (
    *(kt.algorithms.forward_dynamics, kt.algorithms.step, kt.algorithms.linearise_step),
    *(kt.algorithms.rollout, kt.algorithms.rollout_derivatives),
)
METHODS = (kt.Robot.step, kt.Robot.linearise_step, kt.Robot.simulate, kt.Robot.rollout, kt.Robot.rollout_derivatives)


@pytest.mark.parametrize("function", (*PUBLIC, *METHODS), ids=lambda f: f.__qualname__)
def test_public_functions_take_all_inputs(function):
    """Each field of the record is a keyword of what steps, with a shape that is known by its name."""
    solved = {"contact"} if function is kt.algorithms.forward_dynamics else set()  # by steps alone
    assert set(inspect.signature(function).parameters) >= set(ExternalInputs._fields) - solved
    assert {*ARGUMENTS, *MAPPINGS} >= set(ExternalInputs._fields)


RULES = {
    engines: set(),
    recorder: set(),
    runge_kutta: set(),
    variational: set(),
    varied_system: set(),
    integrators: set(),
    methods: set(),
    rkmk: {"wrench"},  # of what acts from outside, which alone changes momenta
    linearly_implicit: {"wrench"},  # as parts of derivatives in one direction per velocity
    constrained_steps: {"drive"},  # loops respond to impulses in the directions of then
    integration: {"wrench", "drive"},  # functions give wrenches; loops are closed before the first step
    request: {"wrench", "drive", "stabilisation"},  # the same; and adaptive methods refuse two
}
"""Modules that pass inputs on as a record: those inputs of which they know a rule, and what it is."""


def inputs_named(text: str) -> set[str]:
    """The inputs that a module names, but as parameters of functions and what declares them."""
    named, tree = set[str](), ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.decorator_list.clear()
    for node in ast.walk(tree):
        kinds = (ast.Attribute, "attr"), (ast.keyword, "arg"), (ast.Name, "id"), (ast.Constant, "value")
        named |= {getattr(node, field) for kind, field in kinds if isinstance(node, kind)} & {*ExternalInputs._fields}
    return named


@pytest.mark.parametrize("module", RULES, ids=lambda m: m.__name__)
def test_no_engine_and_no_method_lists_inputs(module):
    """They pass the record on, and name none but where a rule is about that input alone."""
    assert inputs_named("x = ExternalInputs(drive=y.wrench)") == {"drive", "wrench"}
    text = Path(module.__file__).read_text(encoding="utf-8")
    assert inputs_named(text) == RULES[module]
