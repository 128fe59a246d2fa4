"""The identities that `kinetrace verify` checks on any robot, on robots of every kind.

Each law is stated once, in `kinetrace.analysis.verify`; here are the robots: random trees of every joint, with and
without mimic joints, on fixed and free bases, arms, legs, joints that do something by themselves, and closed loops of
every kind. Tests of one robot share its state, and a worker of pytest-xdist (see `tests/conftest.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.analysis.verify import IDENTITIES, Identity, State, closed_states, identities_of, lacks, random_states
from kinetrace.model import Model, load_model, random_tree

from .closing import CLOSERS
from .conftest import COUPLED, ROBOTS, without_mimics
from .effective import with_all_effects
from .systems import KINDS, SYSTEMS, analysed_robot, one_closure, several_closures

TOLERANCE = 2e-13
"""Residuals are some 1e-15, up to 1e-14 of products of global matrices."""
TIGHTER = {
    "pose_is_a_product": 1e-14,
    "mass_matrix_is_symmetric": 0.0,
    "mass_matrix_is_positive_definite": 0.0,
    "diagonal_coriolis_does_no_work": 1e-14,
    "regressor_has_what_joints_carry": 0.0,
}
EFFECTS = {"armature": 0.3, "damping": 0.2, "friction": 0.1, "stiffness": 1.5, "friction_width": 0.3}

UNCOUPLED = ("tree0 fixed", "tree2 fixed", "tree4 free")
OPEN: dict[str, Callable[[], Model]] = {
    **ROBOTS,
    **{f"{name} uncoupled": lambda name=name: without_mimics(ROBOTS[name]()) for name in UNCOUPLED},
    **{name: COUPLED[name] for name in COUPLED if name != "tree1 coupled"},  # which is tree1
    "effects, free, mimics": lambda: with_all_effects(random_tree(8, 0).build("free"), 0, True),
    "effects, fixed": lambda: with_all_effects(random_tree(9, 1).build(), 1, False),
    "ur5e free": lambda: load_model("ur5e", base="free"),
    "puma560": lambda: load_model("puma560"),
    "quadruped free": lambda: load_model("quadruped", base="free"),
    "planar2r": lambda: load_model("planar2r"),
}
COMPILED = ("tree0 fixed", "tree4 free", "tree2 fixed uncoupled", "effects, free, mimics", "effects, fixed", "planar2r")
"""Robots that the identities of compiled code are checked on; `test_modes.py` has more."""
STEPPED = ("tree0 fixed", "effects, free, mimics", "puma560", "planar2r")
"""Robots that steps in time are checked on; `tests/simulate` has more."""
FEW: dict[str, Callable[[], Model]] = {
    "planar2r": OPEN["planar2r"],
    "planar2r free": lambda: load_model("planar2r", base="free"),
    "three joints": lambda: random_tree(3, 2).build(),
}
"""Robots of few velocities; `test_curvature.py` has more."""
CLOSED: dict[str, Callable[[], kt.Robot]] = {
    **{name: lambda name=name: kt.load(name, backend="numpy") for name in kt.robot_names(closed=True)},
    **{
        f"{name} with effects": lambda name=name: kt.load(name, backend="numpy").with_joint_effects(**EFFECTS)
        for name in ("four_bar", "slider_crank", "stewart")
    },
    **{f"{name} on a tree": lambda name=name: analysed_robot(name) for name in KINDS},
}
DRIVEN = (*(f"{name} with effects" for name in ("four_bar", "slider_crank", "stewart")), "delta", "three_fingers_ball")
"""Robots whose motors drive all that moves."""
OF_CLOSURES = {
    *(f"closure_{x}" for x in ("bias", "forces", "jacobian", "jacobian_rate", "residual", "velocity", "wrenches")),
    *(f"reduced_{x}" for x in ("coriolis_matrix", "gravity", "jacobian", "mass_matrix", "regressor")),
    *("closed_acceleration", "motor_forces", "motor_forces_derivatives", "project", "velocity_map"),
}
"""Algorithms that say nothing about a robot without closures."""
IN_LOOPS = [each for each in IDENTITIES if "closures" in each.needs]
OF_ROWS = [each for each in IN_LOOPS if each.name.startswith(("residual_", "bias_", "rows_"))]
"""What is true of rows alone, whatever is independent."""


@cache
def in_a_tree(name: str) -> State:
    (state,) = random_states(kt.Robot({**OPEN, **FEW}[name]()), 1, seed=1995)
    assert not lacks([state])
    return state


@cache
def in_a_loop(name: str) -> State:
    robot = CLOSED[name]()
    tree = kt.Robot(replace(robot.model, closures=(), assembly=None))
    (state,) = closed_states(robot, random_states(tree, 1, seed=1995))
    assert not lacks([state])
    return state


@cache
def at_one_closure(kind: str, base: str) -> State:
    """A state in which it holds, with any velocity: but for rows that only together hold a position."""
    at = one_closure(kind, base)
    return _given(at.model, at.q, at.v if kind == "position rows" else at.tau)


@cache
def at_several_closures(name: str) -> State:
    at = several_closures(name)
    return _given(at.model, at.q, at.v)


def _given(model: Model, q, v) -> State:
    tree = kt.Robot(replace(model, closures=(), assembly=None))
    (state,) = random_states(tree, 1, seed=1995)
    closed = SimpleNamespace(model=model, with_link_frames=lambda Q: SimpleNamespace(model=model.with_link_frames(Q)))
    return replace(state, robot=closed, q=q, v=v)


def assert_hold(identities: list[Identity], state: State, tolerance: float = TOLERANCE) -> None:
    """All of them; one test for a robot, as it takes longer to report a test than to check an identity."""
    residuals = {each.name: each.check(state) for each in identities}
    assert residuals
    assert not {k: x for k, x in residuals.items() if not x <= min(tolerance, TIGHTER.get(k, tolerance))}


def every_second(robots: Iterable[str], of: int = 2) -> list[Any]:
    """By day a run takes every second of these robots (or every third)."""
    return [pytest.param(x, marks=pytest.mark.part(k, of)) for k, x in enumerate(robots)]


@pytest.mark.parametrize("robot", every_second(OPEN, of=3))
def test_on_trees(robot):
    assert_hold(
        [each for each in IDENTITIES if not {"closures", "compiler", "few"} & {*each.needs} and each.group != "steps"],
        in_a_tree(robot),
    )


@pytest.mark.parametrize("robot", STEPPED)
def test_of_steps(robot):
    assert_hold([each for each in IDENTITIES if each.group == "steps"], in_a_tree(robot))


@pytest.mark.parametrize("robot", FEW)
def test_of_small_trees(robot):
    assert_hold([each for each in IDENTITIES if "few" in each.needs], in_a_tree(robot))


@pytest.mark.parametrize("robot", every_second(COMPILED))
def test_of_compiled_code(robot):
    assert_hold([each for each in IDENTITIES if "compiler" in each.needs], in_a_tree(robot))


@pytest.mark.parametrize("robot", every_second(CLOSED, of=3))
def test_in_closed_loops(robot):
    assert_hold(
        [each for each in IN_LOOPS if "motors" not in each.needs], in_a_loop(robot), 1e-11
    )  # the condition of K M⁻¹ Kᵀ


@pytest.mark.parametrize("robot", [*DRIVEN])
def test_of_motors(robot):
    assert_hold([each for each in IN_LOOPS if "motors" in each.needs], in_a_loop(robot), 1e-11)


@pytest.mark.parametrize("robot", every_second(SYSTEMS))
def test_of_several_closures(robot):
    assert_hold([each for each in IN_LOOPS if "motors" not in each.needs], at_several_closures(robot), 1e-12)


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("robot", CLOSERS)
def test_of_every_closure(robot, base):
    assert_hold(OF_ROWS, at_one_closure(robot, base))


def _spoilt(result, by):
    return tuple(_spoilt(x, by) for x in result) if isinstance(result, tuple) else result * by


@pytest.mark.parametrize("name", ["planar2r", "four_bar"])
def test_an_algorithm_off_by_a_millionth_breaks_an_identity(monkeypatch, name):
    """No algorithm is beyond them: whichever is wrong, at least one identity that calls it does not hold."""
    robot = kt.load(name, backend="numpy").with_joint_effects(**EFFECTS)
    (tree,) = random_states(kt.Robot(replace(robot.model, closures=(), assembly=None), backend="numpy"), 1, seed=0)
    state = {True: closed_states(robot, [tree])[0] if robot.model.closures else tree, False: tree}
    true = {each: getattr(alg, each) for each in (*alg.__all__, "rollout", "rollout_derivatives")}
    users = {each: [] for each in true}

    def check(identity: Identity) -> float:
        return identity.check(replace(state["closures" in identity.needs]))  # a new one, of which nothing is known yet

    called: set[str] = set()
    for each, f in true.items():
        monkeypatch.setattr(alg, each, lambda *x, each=each, f=f, **of: [called.add(each), f(*x, **of)][1])
    for identity in (each for each in identities_of(robot) if "compiler" not in each.needs):
        called.clear()
        assert check(identity) <= 1e-11
        for each in called:
            users[each].append(identity)
    for each, f in true.items():
        monkeypatch.setattr(alg, each, f)
    unseen = set()
    for each, f in true.items():
        monkeypatch.setattr(alg, each, lambda *x, f=f, **of: _spoilt(f(*x, **of), 1 + 1e-6))
        if all(check(identity) <= 1e-9 for identity in users[each]):
            unseen.add(each)
        monkeypatch.setattr(alg, each, f)
    without = {"actuator_forces"}  # these robots have none: zeros, which no factor spoils; MuJoCo is their reference
    assert unseen == without | (set() if robot.model.closures else OF_CLOSURES)


def test_no_bundled_robot_is_forgotten():
    here = " ".join(OPEN)
    assert {name for name in kt.robot_names(closed=False) if name not in here} <= {"ur5e"}  # weightless
