"""Long runs of bodies, which compiled functions sweep in loops: the numbers of plain floats, in every way to run.

The bodies from which that pays are many; here a run begins with two.
"""

from __future__ import annotations

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.algorithms.sweeps import long_chains
from kinetrace.algorithms.sweeps import tree as sweeps
from kinetrace.engine.compilation.program import program
from kinetrace.engine.trace import check
from kinetrace.model import Builder, Model, joints, random_chain
from kinetrace.model.zoo.random import random_axis, random_inertia, random_pose

MOTION = {"base_velocity": np.linspace(-0.4, 0.6, 6), "base_acceleration": np.linspace(0.3, -0.2, 6)}
POLE = {"tip": np.linspace(-1.0, 2.0, 6)}


@pytest.fixture
def short(monkeypatch):
    """Runs of two bodies are long."""
    monkeypatch.setattr(long_chains, "LOOP_FROM_BODIES", 2)


def tree(*kinds, mimic=(), seed=0, base="fixed") -> Model:
    """A trunk and arms on its end, of one kind of joint each; some mimic the second, by their numbers."""
    rng, builder, number, carrier = np.random.default_rng(seed), Builder("tree"), 0, "link0"
    builder.link(carrier, random_inertia(rng))
    for k, (kind, count) in enumerate(kinds):
        last = carrier
        for _ in range(count):
            number += 1
            builder.link(f"link{number}", random_inertia(rng))
            follows = ("joint2", 0.5 * number, 0.1) if number in mimic else None
            ends = {"parent": last, "child": f"link{number}", "placement": random_pose(rng), "mimic": follows}
            builder.joint(f"joint{number}", kind(rng), **ends)
            last = f"link{number}"
        carrier = last if k == 0 else carrier
    builder.frame("tip", last, random_pose(rng))
    return builder.build(base)


def revolute(rng):
    return joints.Revolute(random_axis(rng))


def cable(links: int, *axes) -> Model:
    """All links alike, but the first stands elsewhere, and the joints' axes take turns."""
    builder, inertia = Builder("cable"), random_inertia(np.random.default_rng(0))
    builder.link("link0", inertia)
    for i in range(1, links + 1):
        builder.link(f"link{i}", inertia)
        placement = np.eye(4) + np.outer([0.2, 0.3, 1.0, 0.0] if i == 1 else [0.0, 0.0, -0.1, 0.0], [0, 0, 0, 1])
        ends = {"parent": f"link{i - 1}", "child": f"link{i}", "placement": placement}
        builder.joint(f"joint{i}", joints.Revolute(np.eye(3)[axes[i % len(axes)]]), **ends)
    builder.frame("tip", f"link{links}", np.eye(4))
    return builder.build()


def strand(links: int) -> Model:
    """Hinges that all follow the three variables of one joint, by matrices."""
    builder, rng = Builder("strand"), np.random.default_rng(1)
    for i in range(links):
        builder.link(f"link{i}", random_inertia(rng))
        follows = ("joint0", rng.normal(size=(1, 3)), 0.1 * i) if i else None
        kind, parent = revolute(rng) if i else joints.Planar(random_axis(rng)), f"link{i - 1}" if i else "base"
        ends = {"parent": parent, "child": f"link{i}", "placement": random_pose(rng), "mimic": follows}
        builder.joint(f"joint{i}", kind, **ends)
    builder.frame("tip", f"link{links - 1}", random_pose(rng))
    return builder.build()


def with_effects(model: Model) -> Model:
    for k, name in enumerate(model.joint_names):
        model = model.with_joint_effects(name, armature=0.1 * k, damping=0.2, stiffness=0.3 * k)
    return model


TREE = tree((revolute, 3), (lambda rng: joints.Prismatic(random_axis(rng)), 3), (revolute, 4))
MODELS = {
    "branches": TREE,
    "one kind after another": random_chain(
        12, 1, [joints.Spherical()] * 5 + [joints.Helical([0, 0, 1], 0.3)] * 7
    ).build(),
    "free base": tree((revolute, 6), base="free"),
    "mimics": tree((revolute, 5), (revolute, 6), mimic=(7, 8, 9, 10, 11), seed=1),
    "matrices": strand(10),
    "joint effects": with_effects(random_chain(7, 2).build()),
    "cable": cable(8, 0),
    "turns": cable(9, 0, 1),
}


def passes(made):
    return [region.length for region in made.loops.regions]


def assert_as_on_floats(function, model, static, tolerance=1e-11):
    """The program with its loops; it is checked with NumPy."""
    made = program(function, model, static, rolls=True)
    check(made)
    rng = np.random.default_rng(5)
    inputs = [model.random(rng) if a.shape == (model.nq,) else rng.normal(size=a.shape) for a in made.inputs]
    wanted = function(model, *inputs, **static)
    for x, y in zip(made.evaluate(*inputs), wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * max(1.0, np.abs(y).max(initial=0.0)))
    return made


UNROLLED = {"mass_matrix", "reduced_mass_matrix", "power", "passive_forces", "dissipated_power", "velocity_map"}
UNROLLED |= {"actuator_forces"}
"""Their states have entries for all bodies before, or they sweep nothing."""
WITHOUT = {
    "closed",
    "closure",
    "second",
    "linearise",
    "motor",
    "riemann",
    "ricci",
    "scalar",
    "sectional",
    "christoffel",
}
"""Words in the names of functions that are about closures, are made of others that are here, or are large."""


@pytest.mark.parametrize("name", [x for x in ALGORITHMS if not WITHOUT & {*x.split("_")}])
def test_every_algorithm_on_a_tree_of_runs(name, short):
    static = {"frame": "tip"} if "frame" in ALGORITHMS[name].parameters else {}
    made = assert_as_on_floats(ALGORITHMS[name].function, TREE, static)
    assert bool(passes(made)) == (name not in UNROLLED)


METHODS = [
    *(("inverse_dynamics", method) for method in ("classical", "spatial")),
    *(("forward_dynamics", method) for method in ("FD1", "FD3", "FD4")),
]


@pytest.mark.alternates(2, "model", "method")
@pytest.mark.parametrize(("name", "method"), METHODS)
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_dynamics_of_every_kind_of_run(model, name, method, short):
    given = {"method": method, "wrench": POLE, **MOTION}
    assert passes(assert_as_on_floats(getattr(alg, name), model, given, 1e-10))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-4)])
def test_machine_code_for_one_state_and_many(dtype, tolerance, short):
    rng, model = np.random.default_rng(3), tree((revolute, 4), (revolute, 4))
    kernel = kt.compile(alg.forward_dynamics, model, method="FD1", wrench=POLE, dtype=dtype)
    given = [0.3 * rng.normal(size=(9, model.nv)) for _ in range(3)]
    wanted = np.stack([alg.forward_dynamics(model, *x, method="FD1", wrench=POLE) for x in zip(*given, strict=True)])
    many = kernel(*(x.astype(dtype) for x in given))
    np.testing.assert_allclose(many, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())
    assert np.array_equal(kernel(*(x[4].astype(dtype) for x in given)), many[4])


def test_the_numbers_of_a_robot_may_be_inputs(short):
    model, rng = MODELS["branches"], np.random.default_rng(4)
    kernel = kt.compile(alg.inverse_dynamics, model, inputs=("inertial", "placements", "gravity"), backend="numpy")
    given = [rng.normal(size=model.nv) for _ in range(3)]
    numbers = [kt.model.parameters.PARAMETERS[x].get(model) for x in ("inertial", "placements", "gravity")]
    assert passes(kernel.program)
    np.testing.assert_allclose(kernel(*given, *numbers), alg.inverse_dynamics(model, *given), rtol=1e-10)


def test_loops_over_bodies_stand_in_loops_over_time(short):
    model = tree((revolute, 5))
    kernel = kt.compile(alg.rollout, model, shapes={"tau": ("t", 5)})
    given = np.full(5, 0.2), np.zeros(5), 0.1 * np.random.default_rng(0).normal(size=(6, 5)), 1e-3
    assert set(passes(kernel.program)) == {3, "t"}
    for x, y in zip(kernel(*given), alg.rollout(model, *given), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11)


def test_derivatives_of_what_loops_made(short):
    model = MODELS["cable"]

    def function(model, q, v, tau):
        a = alg.forward_dynamics(model, q, v, tau, method="FD1")
        return kt.jvp(alg.inverse_dynamics, wrt="a")(model, q, v, a, da=a)

    assert passes(assert_as_on_floats(function, model, {}, 1e-10))


def test_a_step_that_asks_where_it_is_gets_an_answer(short):
    """By its place, its name or what it is the parent of; and with states that grow."""

    def by_place(model, q):
        return sum(sweeps.outward(model, lambda b, p, x: p + (b.index + 1) * x, np.zeros(1), model.split_q(q)))

    def by_name(model, q):
        return sum(sweeps.outward(model, lambda b, p, x: p + len(b.name) * x, np.zeros(1), model.split_q(q)))

    def growing(model, q):
        return sweeps.outward(model, lambda b, p, x: np.concatenate([p, x]), np.zeros(1), model.split_q(q))[-1]

    def collected(model, q):
        results = sweeps.inward(model, lambda b, p, x: (p, {**p, b.name: x}), {}, model.split_q(q))
        return np.concatenate([*results[0].values()])

    for function in (by_place, by_name, growing, collected):
        assert not passes(assert_as_on_floats(function, MODELS["cable"], {}))


def test_a_mistake_in_a_step_is_told():
    with pytest.raises(ValueError, match="matmul"):
        program(
            lambda model, q: sweeps.outward(model, lambda b, p, x: p @ x, np.eye(3), model.split_q(q))[-1],
            random_chain(200, 0).build(),
            rolls=True,
        )


def test_what_all_links_have_in_common_is_known(short):
    """So a link of a cable costs what it does in a straight line, but for what two sweeps share there."""

    def of_links(*axes, **rolls):
        counts = [program(alg.inverse_dynamics, cable(n, *axes), **rolls).count() for n in (11, 11 + len(axes))]
        return np.diff([sum(vars(count).values()) for count in counts])[0]

    for axes, length in (((0,), 8), ((0, 1), 4)):
        assert passes(program(alg.inverse_dynamics, cable(11, *axes), rolls=True)) == [length, length]
        assert of_links(*axes, rolls=True) <= 4 * len(axes) + of_links(*axes)


def test_a_long_chain_is_a_short_program():
    model = random_chain(200, 0).build()
    q, v, a = 0.1 * np.random.default_rng(0).normal(size=(3, 200))
    tau = alg.inverse_dynamics(model, q, v, a)
    kernel = kt.compile(alg.forward_dynamics, model)
    missing = alg.inverse_dynamics(model, q, v, kernel(q, v, tau)) - tau
    assert np.linalg.norm(missing) < 1e-13 * np.linalg.norm(tau)  # 4e-15, as on floats
    assert kernel.program.size < 6000


def test_robots_of_some_bodies_are_straight_lines():
    assert not passes(program(alg.inverse_dynamics, random_chain(100, 0).build(), rolls=True))
