"""Robots that the laws are checked on, and kinematics written without the library's sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from kinetrace.arrays import concatenate
from kinetrace.lie import so3
from kinetrace.model import WORLD, Mimic, Model, load_model, random_tree

STEP = 1e-40
ROBOTS: dict[str, Callable[[], Model]] = {
    **{f"tree{seed} fixed": lambda seed=seed: random_tree(9, seed).build() for seed in range(3)},
    **{f"tree{seed} free": lambda seed=seed: random_tree(9, seed).build("free") for seed in range(4, 6)},
    "panda": lambda: load_model("panda"),
    "stanford": lambda: load_model("stanford"),
    "humanoid": lambda: load_model("humanoid", base="free"),
    "weightless": lambda: load_model("ur5e", gravity=(0.0, 0.0, 0.0)),
    "sideways": lambda: load_model("puma560", gravity=(3.0, -5.0, 7.0)),
}


def without_mimics(model: Model) -> Model:
    """The tree whose mimic joints move on their own."""
    return replace(model, bodies=tuple(replace(body, mimic=None) for body in model.bodies))


def mimic_of_each(source: int, n: int, ratio: float = 1.0, offset: float = 0.0) -> Mimic:
    """That of a joint with n variables, each of which is ratio · q + offset of one of as many."""
    return Mimic(source, ratio * np.eye(n), np.full(n, offset))


def with_mimics(model: Model, seed: int) -> Model:
    """The tree with couplings of many kinds: several mimics of one joint, of joints of one and of more degrees of
    freedom, whose sources are before, beyond or in other branches."""
    rng, bodies = np.random.default_rng(seed), list(without_mimics(model).bodies)
    for nv, mimics in ((1, 3), (1, 1), (2, 1)):
        free = [b.index for b in bodies if b.joint.nq == b.joint.nv == nv and b.mimic is None]
        sources = {b.mimic.source for b in bodies if b.mimic is not None}
        source, *chosen = map(int, rng.permutation([i for i in free if i not in sources])[: mimics + 1])
        for i in chosen:
            bodies[i] = replace(
                bodies[i], mimic=mimic_of_each(source, nv, float(rng.uniform(-2, 2)), float(rng.normal()))
            )
    return replace(model, bodies=tuple(bodies))


def with_matrix_mimics(model: Model, seed: int) -> Model:
    """The tree with joints that follow others by full matrices, of as many rows and columns as they have variables."""
    rng, bodies = np.random.default_rng(seed), list(without_mimics(model).bodies)
    free = [b.index for b in bodies if b.joint.has_coordinates]
    several = [i for i in free if bodies[i].joint.nv > 1]
    sources = list(map(int, rng.permutation(several)[:2]))
    followers = [i for i in map(int, rng.permutation(free)) if i not in sources][:5]
    for k, i in enumerate(followers):
        source = sources[k % 2]
        R = rng.uniform(-1, 1, (bodies[i].joint.nv, bodies[source].joint.nv))
        bodies[i] = replace(bodies[i], mimic=Mimic(source, R, rng.normal(size=len(R))))
    return replace(model, bodies=tuple(bodies))


COUPLED: dict[str, Callable[[], Model]] = {
    "tree1 coupled": ROBOTS["tree1 fixed"],
    **{f"tree{n} mimics": lambda n=n: with_mimics(random_tree(14, n).build(), n) for n in range(2)},
    **{f"tree{n} mimics free": lambda n=n: with_mimics(random_tree(12, n).build("free"), n) for n in range(3, 4)},
    **{f"tree{n} matrices": lambda n=n: with_matrix_mimics(random_tree(16, n).build(), n) for n in range(2)},
    "tree2 matrices free": lambda: with_matrix_mimics(random_tree(14, 2).build("free"), 2),
    "quadruped mimics": lambda: with_legs_in_step(load_model("quadruped", base="free")),
}
"""Robots with mimic joints."""


def with_legs_in_step(model: Model) -> Model:
    """The second joint of each leg follows that of the first leg: branches of the tree that meet at its base."""
    first, *others = [b.index for b in model.bodies if b.joint.nv == 1 and model.bodies[b.parent].parent == 0]
    bodies = [replace(b, mimic=Mimic(first, -0.5, 0.2)) if b.index in others else b for b in model.bodies]
    return replace(model, bodies=tuple(bodies))


def body_poses(model: Model, q: Any) -> list[Any]:
    """Every body's pose in the world, straight from X_0i = X_0p X_pj placement(q_i) X_ji."""
    X: dict[int, Any] = {WORLD: np.eye(4)}
    for b, q_i in zip(model.bodies, model.split_q(q), strict=True):
        X[b.index] = X[b.parent] @ b.X_pj @ b.joint.placement(q_i) @ b.X_ji
    return [X[b.index] for b in model.bodies]


def frame_pose(model: Model, q: Any, frame: str) -> Any:
    """One frame's pose in the world, the same way."""
    F = model.frames[frame]
    return (np.eye(4) if F.body == WORLD else body_poses(model, q)[F.body]) @ F.X_bf


def twist(X: Any, dX: Any) -> Any:
    """vee(X^-1 dX): the body twist of a moving pose."""
    Rt = X[:3, :3].T
    return concatenate([so3.vee(Rt @ dX[:3, :3]), Rt @ dX[:3, 3]])


def body_twists(model: Model, q: Any, v: Any) -> list[Any]:
    """Every body's twist, by a complex step of its pose along q ⊕ εv."""
    moved = body_poses(model, model.integrate(q, 1j * STEP * v))
    return [twist(X.real, X.imag / STEP) for X in moved]


def assert_near(actual: Any, expected: Any, tol: float = 1e-12) -> None:
    """Equal up to `tol` times the largest number in either."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    scale = max(1e-3, abs(actual).max(initial=0), abs(expected).max(initial=0))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * scale)


@dataclass(frozen=True)
class Mechanics:
    """The independent formulas, as a fixture hands them to tests."""

    body_poses = staticmethod(body_poses)
    body_twists = staticmethod(body_twists)
    frame_pose = staticmethod(frame_pose)
    twist = staticmethod(twist)
    assert_near = staticmethod(assert_near)
    step = STEP


@pytest.fixture(scope="session")
def mechanics() -> Mechanics:
    return Mechanics()


@pytest.fixture(params=ROBOTS)
def model(request: pytest.FixtureRequest) -> Model:
    return _built(request.param)


@pytest.fixture(params=COUPLED)
def coupled(request: pytest.FixtureRequest) -> Model:
    return _built(request.param, COUPLED)


_cache: dict[tuple[int, str], Model] = {}


def _built(name: str, robots: dict[str, Callable[[], Model]] = ROBOTS) -> Model:
    if (id(robots), name) not in _cache:
        _cache[id(robots), name] = robots[name]()
    return _cache[id(robots), name]


@dataclass(frozen=True)
class State:
    q: Any
    v: Any
    a: Any


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1995)


@pytest.fixture
def state(model: Model, rng: np.random.Generator) -> State:
    return State(model.random(rng), *rng.normal(size=(2, model.nv)))
