"""Every road that a model takes goes through its fields: one added tomorrow is not lost, and counts as content."""

import copy
import pickle
import sys
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.equivalent_models.frames import aligned, denavit_hartenberg
from kinetrace.analysis.equivalent_models.search import _part
from kinetrace.engine.compilation import trace_cache
from kinetrace.model import Body, Frame, Geometry, Limits, Mesh, Mimic, Model, generalised, random_tree
from kinetrace.model import joints as j
from kinetrace.model.build.specialisation import with_nonrotating_frames
from kinetrace.model.joints import Joint
from kinetrace.model.record import Record, leaves, map_leaves


@dataclass(frozen=True)
class Spring(Record):
    stiffness: float
    zero: Any


@dataclass(frozen=True)  # with an equality that @dataclass would make itself, if it was let
class SprungBody(Body):
    springs: tuple[Spring, ...] = ()
    damping: Any = field(default_factory=lambda: np.zeros(1))


@dataclass(frozen=True)
class SprungModel(Model):
    loops: MappingProxyType = field(default_factory=lambda: MappingProxyType({}))
    note: str = ""


OURS = (Spring, SprungBody, SprungModel)


@pytest.fixture(autouse=True)
def part_of_the_library(monkeypatch):
    """The classes as if the library had them: only of its own ones is it known what decides a trace."""
    for kind in OURS:
        monkeypatch.setattr(kind, "__module__", "kinetrace.model.model")
        monkeypatch.setattr(sys.modules["kinetrace.model.model"], kind.__name__, kind, raising=False)


def content(x):
    return {f.name: getattr(x, f.name) for f in fields(x)}


def sprung(name="ur5e"):
    """A robot with springs: fields that a model and its bodies do not have today."""
    model = kt.load(name).model
    springs = [(Spring(10.0 + b.index, np.full(b.joint.nq, 0.1)),) for b in model.bodies]
    each = zip(model.bodies, springs, strict=True)
    bodies = tuple(SprungBody(**content(b), springs=x, damping=np.full(2, b.index)) for b, x in each)
    return SprungModel(
        **content(model) | {"bodies": bodies}, loops=MappingProxyType({"loop": np.arange(6.0)}), note="a note"
    )


def added(model):
    """What the further fields hold: that of the model, and that of each body by its name."""
    assert type(model) is SprungModel and {type(b) for b in model.bodies} == {SprungBody}
    assert type(model.loops) is MappingProxyType
    own = [model.note, *model.loops, *model.loops.values()]
    return own, {b.joint_name: [*leaves(b.springs), b.damping] for b in model.bodies}


def assert_kept(new, old, bodies=None):
    """The further fields are as they were, in all bodies or in those that are left."""
    (own, each), (own_before, before) = added(new), added(old)
    np.testing.assert_equal(own, own_before)
    assert len(each) == len(before) if bodies is None else set(each) == bodies
    np.testing.assert_equal(each, {name: before[name] for name in each})


ROADS = {
    "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": replace,
    "map": lambda m: map_leaves(lambda leaf: leaf, m),
    "with_link_frames": lambda m: m.with_link_frames("center_of_mass"),
    "gravity": lambda m: m.with_parameters(gravity=[0, 0, -1.62]),
    "inertial": lambda m: m.with_parameters(inertial=1.5 * kt.model.parameters.get(m, "inertial")),
    "screws": lambda m: m.with_parameters(screws=kt.model.parameters.get(m, "screws")),
    "placements": lambda m: m.with_parameters(placements=kt.model.parameters.get(m, "placements")),
    "generalised": generalised,
    "aligned": lambda m: denavit_hartenberg(aligned(m)),
    "nonrotating": with_nonrotating_frames,
    "robot": lambda m: pickle.loads(pickle.dumps(kt.Robot(m))).model,
    "robot.with_link_frames": lambda m: kt.Robot(m).with_link_frames("center_of_mass").model,
    "robot.with_parameters": lambda m: kt.Robot(m).with_parameters(gravity=[0, 0, 0]).model,
}


@pytest.mark.parametrize("road", ROADS)
def test_a_field_survives(road):
    model = sprung()
    assert_kept(ROADS[road](model), model)


def test_a_field_survives_optimisation():
    robot = kt.Robot(sprung("planar2r"))
    found = robot.optimise("gravity")
    assert found.dynamics_model is not robot.model
    assert_kept(found.dynamics_model, robot.model)
    assert found.model is robot.model


def test_a_field_is_there_when_a_part_is_judged():
    model = sprung()
    assert_kept(_part(model, 5), model, {b.joint_name for b in model.bodies})
    assert_kept(_part(model, 0), model, {b.joint_name for b in model.bodies[:2]})


def test_a_customised_model_has_all_that_the_model_has():
    model = kt.load("ur5e").model
    for new, old in zip(model.customised.bodies, model.bodies, strict=True):
        assert type(new) is not type(old) and [f.name for f in fields(new)] == [f.name for f in fields(old)]
        assert all(getattr(new, f.name) is getattr(old, f.name) for f in fields(old))
    assert_kept(sprung().customised, sprung())


def test_arrays_of_a_field_are_read_only():
    model = sprung()
    for x in (model.loops["loop"], model.bodies[0].damping, model.bodies[0].springs[0].zero):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1.0


def spring_force(model, q):
    """A function of the new fields, as an algorithm of tomorrow."""
    parts = zip(model.bodies, model.split_q(q), strict=True)
    forces = [sum(s.stiffness * (q_i - s.zero) for s in b.springs) + b.damping[0] for b, q_i in parts]
    return model.loops["loop"][1] * model.gather(forces) + model.gravity[2]


def test_a_field_is_seen_by_functions_that_are_traced_and_differentiated():
    model, q = sprung(), np.linspace(-0.5, 0.5, 6)
    expected = (10.0 + np.arange(6)) * (q - 0.1) + np.arange(6) - 9.81
    np.testing.assert_allclose(kt.compile(spring_force, model)(q), expected, rtol=1e-14)
    slope = kt.jacobian(spring_force, ("q", "gravity", "inertial"))
    for by_q, by_gravity, by_inertial in (slope(model, q), kt.compile(slope, model)(q)):
        np.testing.assert_allclose(by_q, np.diag(10.0 + np.arange(6)), rtol=1e-14)
        np.testing.assert_allclose(by_gravity, np.tile([0.0, 0.0, 1.0], (6, 1)), rtol=1e-14)
        assert not by_inertial.any()


def test_numbers_of_a_field_may_be_of_any_scalar():
    """A complex step in a field goes through a derivative, as one in a number that the library has."""
    model, q, step = sprung(), np.linspace(-0.5, 0.5, 6), 1e-30
    stiffer = [replace(b.springs[0], stiffness=b.springs[0].stiffness + 1j * step) for b in model.bodies]
    each = zip(model.bodies, stiffer, strict=True)
    stepped = replace(model, bodies=tuple(replace(b, springs=(spring,)) for b, spring in each))
    assert model.is_concrete and not stepped.is_concrete
    with pytest.raises(kt.InputError):
        kt.Robot(stepped)
    rate = kt.jacobian(spring_force)(stepped, q)
    np.testing.assert_allclose(rate.imag / step, np.eye(6), atol=1e-14)
    assert_kept(copy.copy(stepped), stepped)
    assert_kept(pickle.loads(pickle.dumps(stepped)), stepped)


def variants(model):
    """The model with one thing changed in one of the further fields."""
    first, *others = model.bodies
    (spring,) = first.springs
    for springs in (
        (),
        (spring, spring),
        (replace(spring, stiffness=11.5),),
        (replace(spring, stiffness=10),),  # an int
        (replace(spring, zero=np.full(1, 0.2)),),
        (replace(spring, zero=np.full(1, 0.1, np.float32)),),
        (replace(spring, zero=np.full((1, 1), 0.1)),),
    ):
        yield replace(model, bodies=(replace(first, springs=springs), *others))
    yield replace(model, bodies=(replace(first, damping=np.array([0.0, -0.0])), *others))
    yield replace(model, bodies=(replace(first, damping=np.array([0.0, np.nan])), *others))
    yield replace(model, note="another note")
    yield replace(model, loops=MappingProxyType({}))
    yield replace(model, loops=MappingProxyType({"pool": np.arange(6.0)}))
    yield replace(model, loops=MappingProxyType({"loop": np.arange(1.0, 7.0)}))


def test_a_field_counts_in_keys_and_equality():
    models = [sprung(), *variants(sprung()), kt.load("ur5e").model]
    for make in (trace_cache.digest, hash, lambda m: trace_cache.key(kt.algorithms.inverse_dynamics, m)):
        keys = [make(m) for m in models]
        assert None not in keys and len(set(keys)) == len(keys)
        assert [make(m) for m in (sprung(), *variants(sprung()))] == keys[:-1]
    for k, a in enumerate(models):
        assert [a == b for b in models] == [i == k for i in range(len(models))]
    assert [a == b for a, b in zip(variants(sprung()), variants(sprung()), strict=True)] == [True] * (len(models) - 2)


def test_an_attribute_of_a_joint_that_is_no_dataclass_is_content():
    class Slope(Joint):
        nq = nv = 1

        def __init__(self, angle):
            self.angle = angle

        placement = j.Revolute().placement
        subspace = j.Revolute().subspace

    assert Slope(0.5) == Slope(0.5) != Slope(0.6) and Slope(0.5) != j.Revolute()
    assert copy.copy(Slope(0.5)) == Slope(0.5)
    model = kt.load("planar2r").model

    def with_slope(angle):
        return replace(model, bodies=(replace(model.bodies[0], joint=Slope(angle)), model.bodies[1]))

    first, last = with_slope(0.5), with_slope(0.6)
    assert first == replace(first) != last and first.is_concrete
    assert trace_cache.digest(first) is None  # nobody knows what its methods do
    assert not with_slope(1j).is_concrete


@pytest.mark.parametrize("name", kt.robot_names(closed=False))
def test_a_model_that_is_loaded_twice_is_equal(name):
    a, b = kt.load(name).model, kt.load(name).model
    assert a is not b and a == b and hash(a) == hash(b) and len({a, b}) == 1
    assert a != kt.load(name, base="free").model
    for x, y in zip(a.bodies, b.bodies, strict=True):
        assert (x.joint, x.limits, x) == (y.joint, y.limits, y)
    assert a == pickle.loads(pickle.dumps(a)) == copy.deepcopy(a)
    assert a.massless == b.massless  # what is computed is no content
    assert a == b and a != object() and (a == 1) is False


def test_models_that_differ_in_anything_are_not_equal():
    model = random_tree(4, seed=3).build()
    first, *others = model.bodies
    name, frame = next(iter(model.frames.items()))
    infinite = np.full(first.joint.nq, np.inf)
    effort = np.full(first.joint.nv, 3.0)

    def with_first(**changes):
        return replace(model, bodies=(replace(first, **changes), *others))

    changed = [
        replace(model, name="another"),
        replace(model, gravity=np.array([0.0, 0.0, -1.62])),
        replace(model, gravity=model.gravity.astype(np.float32)),
        replace(model, bodies=model.bodies[:-1]),
        replace(model, frames={}),
        replace(model, frames={**model.frames, name: replace(frame, X_bf=2 * frame.X_bf)}),
        replace(model, frames={**model.frames, name: replace(frame, body=frame.body + 1)}),
        replace(model, frames=dict([*model.frames.items()][::-1])),
        replace(model, geometry=(Geometry("box", (1.0, 1.0, 1.0), name, np.eye(4)),)),
        replace(model, geometry=(Geometry("box", (1.0, 1.0, 1.0), name, -np.eye(4)),)),
        replace(model, geometry=(Geometry("box", (1.0, 1.0, 1.0), name, np.eye(4), "collision"),)),
        with_first(J=first.J * (1 + 2**-52)),
        with_first(limits=Limits(-infinite, infinite, effort, effort)),
        with_first(limits=Limits(-infinite, infinite, effort, 2 * effort)),
        with_first(joint=j.Fixed()),
        with_first(mimic=Mimic(1)),
        with_first(mimic=Mimic(1, 2.0)),
    ]
    models = [model, *changed]
    moving = [m for m in models if not m.geometry]
    assert len(set(models)) == len(models)
    assert len({trace_cache.digest(m) for m in models}) == len(moving)  # no program has shapes in it
    assert all((a == b) is (a is b) for a in models for b in models)
    assert model == replace(model, bodies=(replace(first, J=first.J.copy()), *others))


def test_a_model_with_numbers_that_are_not_known_is_equal_to_itself_alone():
    model, seen = kt.load("planar2r").model, []

    def function(model, q, g):
        a, b = (model.with_parameters(gravity=[0.0, 0.0, g]) for _ in range(2))
        seen.append([a == a, a == b, b == a, a == model, model == a, hash(a) == hash(b), a in {b, model}, a in {a}])
        return kt.algorithms.gravity(a, q)

    kt.compile(function, model, shapes={"g": ()})
    assert seen == [[True, False, False, False, False, False, False, True]]


def test_roads_of_a_frame_and_a_shape_keep_what_they_have():
    shape, frame = Geometry("mesh", (), "hand", np.eye(4), mesh="hand.stl"), Frame("hand", 0, np.eye(4))
    for x in (shape, frame, Limits.none(j.Free()), Mimic(2, -1.0, 0.5), j.Helical(pitch=0.3), j.Universal()):
        again = pickle.loads(pickle.dumps(x))
        assert again == x == copy.copy(x) and hash(again) == hash(x) and again != frame.name


def test_meshes_of_equal_robots_that_arrive_by_pickle_are_kept_and_kernels_leave_them_out():
    arm = kt.load("planar2r", backend="numpy")
    meshes = [Mesh(k * np.eye(3), [[0, 1, 2]]) for k in (1.0, 2.0)]
    shapes = [Geometry("mesh", (1.0, 1.0, 1.0), "link1", np.eye(4), "visual", mesh) for mesh in meshes]
    robots = [kt.Robot(replace(arm.model, geometry=(shape,)), backend="numpy") for shape in shapes]
    again = [pickle.loads(pickle.dumps(robot)) for robot in robots]
    assert [robot.model.geometry[0].mesh for robot in again] == meshes and meshes[0] != meshes[1]
    kernels = [pickle.dumps(robot.kernel("mass_matrix")) for robot in (arm, robots[0])]
    assert len(kernels[0]) == len(kernels[1])
