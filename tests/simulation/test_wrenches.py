"""Wrenches that are functions of the time and the state: the same physics however they are written and run."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import SimulationWarning
from kinetrace.algorithms.time.methods import METHODS
from kinetrace.arrays import cos, maximum, sqrt, stack, where
from kinetrace.support.functions import only_computes


def chain(root):
    """A body on a joint, and a second one on a ball joint."""
    b = kt.Builder("chain")
    for k, joint in enumerate((root, kt.joints.Spherical())):
        b.link(f"link{k}", kt.lie.inertia.from_mass_com(2.0, [0.1, 0.0, 0.3], 0.1 * np.diag([1.0, 2.0, 1.5])))
        b.joint(f"joint{k}", joint, parent=f"link{k - 1}" if k else "stand", child=f"link{k}")
    return kt.Robot(b.build())


CASES = {
    "hinge": (lambda: chain(kt.joints.Revolute([0, 1, 0])), "link1"),
    "free": (lambda: chain(kt.joints.Free()), "link1"),
    "closed": (lambda: kt.load("four_bar"), None),
}


def case(name):
    """A robot, a frame, and a state with its loops closed."""
    make, frame = CASES[name]
    robot = make()
    if name == "closed":
        q = robot.assemble()
        return robot, robot.frame_names[-1], q, robot.velocity_map(q) @ [1.0]
    return robot, frame, robot.random(seed=1), 0.5 * np.random.default_rng(2).normal(size=robot.nv)


def pulled(frame):
    """A spring and a damper to a point of the world, that waxes and wanes, as a function of one state."""

    def law(model, t, q, v):
        X, V = (f(model, *x, frame=frame) for f, x in ((kt.algorithms.pose, (q,)), (kt.algorithms.velocity, (q, v))))
        f = X[:3, :3].T @ (np.array([0.3, -0.2, 0.4]) - X[:3, 3]) * 40.0 * (1.0 + 0.5 * cos(5.0 * t)) - 3.0 * V[3:]
        return stack([*(-0.1 * V[:3]), *f])

    return law


def called(robot, frame):
    """The same of numbers, for a batch."""

    def wrench(t, q, v):
        X, V = robot.pose(q, frame), robot.velocity(q, v, frame)
        to = np.array([0.3, -0.2, 0.4]) - X[..., :3, 3]
        f = np.einsum("...ji,...j->...i", X[..., :3, :3], to) * 40.0 * (1.0 + 0.5 * np.cos(5.0 * t)) - 3.0 * V[..., 3:]
        return np.concatenate([-0.1 * V[..., :3], f], axis=-1)

    return wrench


def off(robot, one, other):
    return max(np.abs(robot.difference(one.q[-1], other.q[-1])).max(), np.abs(one.v[-1] - other.v[-1]).max())


@pytest.mark.parametrize("name", CASES)
def test_methods_keep_their_order(name):
    """Functions that are compiled act within steps; those that are called, as in the middle of a step, to order two."""
    robot, frame, q, v = case(name)
    law, function, project = pulled(frame), called(robot, frame), {} if name != "closed" else {"project": False}
    true = robot.simulate(q, v, 0.4, 0.4, wrench={frame: law}, method="DOP853", rtol=1e-12, atol=1e-13)
    again = robot.simulate(q, v, 0.4, 0.4, wrench={frame: function}, method="DOP853", rtol=1e-12, atol=1e-13)
    assert off(robot, true, again) < 1e-9
    for method in METHODS if name == "hinge" else ("rkmk4", "implicit", "rosenbrock"):
        for given, order in ((law, METHODS[method].order), (function, min(METHODS[method].order, 2))):
            steps = (20, 40) if order == 4 else (80, 160)
            if order != METHODS[method].order or name == "hinge" or given is law:
                runs = [
                    robot.simulate(q, v, 0.4, 0.4 / n, wrench={frame: given}, method=method, **project) for n in steps
                ]
                coarse, fine = (off(robot, x, true) for x in runs)
                assert np.log2(coarse / fine) == pytest.approx(order, abs=0.35), (method, given is law)


@pytest.mark.parametrize("name", CASES)
def test_functions_of_nothing_are_constants(name):
    """The derivatives of J(q)ᵀ F are in the implicit methods either way."""
    robot, frame, q, v = case(name)
    F = np.array([0.3, -0.2, 0.5, 4.0, -6.0, 5.0])
    for method in ("implicit", "rkmk4", "variational") if name == "hinge" else ("implicit",):
        runs = [
            robot.simulate(q, v, 0.05, 0.01, method=method, wrench=w)
            for w in ({frame: F}, {frame: lambda model, t, q, v: F}, lambda t, q, v: {frame: F})
        ]
        for run in runs[1:]:
            assert off(robot, run, runs[0]) < 1e-12


def test_the_same_motion_in_every_way():
    """One function or several, with numbers beside, called or compiled, single or in a batch, on a moving base."""
    robot, frame, q, v = case("hinge")
    law, F = pulled(frame), np.array([0.0, 0.1, 0.0, 1.0, 0.0, 2.0])
    damper = kt.control.Controller(robot, lambda model, t, q, v: -0.2 * v)
    beside = {"t": 0.1, "dt": 0.01, "base_velocity": [0.1, 0, 0.4, 0, 0, 0]}
    found = robot.simulate(q, v, wrench={"link0": F, frame: law}, controller=damper, method="rkmk4", **beside)
    ways = [
        {"wrench": lambda model, t, q, v: {"link0": F, frame: law(model, t, q, v)}},
        {"wrench": lambda t, q, v: {frame: law(robot.model, t, q, v), "link0": F}, "compiled": True},
        {"wrench": {"link0": F, frame: law}, "controller": lambda t, q, v: -0.2 * v},
    ]
    for way in ways:
        again = robot.simulate(q, v, **{"controller": damper, "method": "rkmk4", **beside, **way})
        np.testing.assert_allclose(again.q, found.q, rtol=0, atol=1e-13)
    held = robot.simulate(q, v, controller=damper, wrench={"link0": F, frame: called(robot, frame)}, **beside)
    assert 0 < np.abs(held.q - found.q).max() < 1e-4
    for function in (law, called(robot, frame)):
        some = {"t": 0.1, "dt": 0.01, "wrench": {frame: function}}
        many = robot.simulate(np.stack([q, q]), np.stack([v, 0 * v]), **some)
        assert (many.q[0] == robot.simulate(q, v, **some).q).all()
    rows = robot.rollout(q, v, np.zeros((10, robot.nv)), 0.01, wrench={frame: law})
    assert (rows[0] == robot.simulate(q, v, t=0.1, dt=0.01, wrench={frame: law}).q[1:]).all()


def mass():
    b = kt.Builder("mass")
    b.link("mass", inertia=kt.lie.inertia.from_mass_com(1.0, np.zeros(3), np.eye(3)))
    b.joint("slide", kt.joints.Prismatic([1, 0, 0]), parent="base", child="mass")
    return kt.Robot(b.build())


def wall(x, K, D, compiled):
    """A spring and a damper for places below x, as a function that is compiled or called."""
    rest = x if x < 0 else 0.0

    def law(model, t, q, v):
        return stack([0, 0, 0, where(q[0] < x, -K * (q[0] - rest) - D * v[0], 0.0), 0, 0])

    def function(t, q, v):
        return np.where(q < x, -K * (q - rest) - D * v, 0.0) * np.array([0.0, 0, 0, 1, 0, 0])

    assert only_computes(function)
    return {"mass": law if compiled else function}


@pytest.mark.parametrize("method", ["euler", "semi-implicit", "rkmk4"])
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "called"])
def test_steps_too_long_are_told_if_and_only_if_motion_grows(method, compiled):
    """A mass on a spring and a damper of the environment, met at once, or later: then it is told after the run."""
    robot, h, wrong = mass(), 0.01, []
    for k, d in ((0.0, 0.3), (0.5, 0.9), (0.5, 3.5), (1.5, 1.5), (3.5, 0.3), (6.0, 0.9), (12.0, 0.3)):
        for x in (1e300, -1.0):
            given = {"wrench": wall(x, k / h**2, d / h, compiled), "method": method}
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                motion = robot.simulate([1e-3 if x > 0 else -0.99], [0.1 if x > 0 else -0.5], 300 * h, h, **given)
            size = np.abs(motion.q) + h * np.abs(motion.v)
            grows = size[-50:].max() > 10 * size[:50].max() or bool(motion.failures)
            if x < 0:
                grows = (motion.q < x).any() and _grows_inside(robot, given, h)
            if any("too long for the wrenches" in str(w.message) for w in told) != grows:
                wrong.append((k, d, x, grows))
    assert not wrong


def _grows_inside(robot, given, h):
    """Whether motion grows in the wall, seen by the linear map of one step."""
    at = np.array([-1.001, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = [robot.simulate([x], [u], h, h, **given) for x, u in (at, *(at + 1e-6 * np.eye(2)))]
    base, *moved = (np.array([m.q[-1, 0], m.v[-1, 0]]) for m in ends)
    A = np.stack([(m - base) / 1e-6 for m in moved], axis=1)
    return np.abs(np.linalg.eigvals(A)).max() > 1.01


def test_stiff_wrenches_that_are_compiled_are_continued():
    robot, z = mass(), [0.0]
    wall = {"mass": lambda model, t, q, v: stack([0, 0, 0, -1e8 * q[0] - 1e4 * v[0], 0, 0])}
    motion = robot.simulate([1e-3], z, t=0.1, dt=0.01, wrench=wall)
    assert motion.method == "implicit" and abs(motion.q[-1, 0]) < 1e-9
    exact = robot.simulate([1e-3], z, t=0.1, dt=0.01, wrench=wall, method="Radau")
    assert np.abs(motion.q[1:] - exact.q[1:]).max() < 1e-4
    for method in ("rosenbrock", "variational"):
        assert np.abs(robot.simulate([1e-3], z, t=0.1, dt=0.01, wrench=wall, method=method).q).max() < 1.1e-3


def test_functions_are_called_at_the_beginning_and_in_the_middle():
    robot, times = mass(), []

    def logged(t, q, v):
        times.append(t)
        return np.zeros(6)

    robot.simulate([0.0], [0.0], t=0.03, dt=0.01, wrench={"mass": logged})
    assert times == pytest.approx([0.0, 0.005, 0.01, 0.015, 0.02, 0.025])
    times.clear()
    robot.simulate([0.0], [0.0], t=0.03, dt=0.01, wrench={"mass": logged}, method="semi-implicit")
    assert times == pytest.approx([0.0, 0.01, 0.02])


def named(t, q, v):
    return {"mass": np.zeros(6)} if t < 0.02 else {}


BAD = {
    r"wrench\['mass'\] must be a function of \(t, q, v\), or of \(model, t, q, v\) to be compiled: too many": {
        "wrench": {"mass": lambda t: np.zeros(6)}
    },
    "unknown frame 'hand'": {"wrench": {"hand": lambda t, q, v: np.zeros(6)}},
    "unknown frame 'foot'": {"wrench": lambda t, q, v: {"foot": np.zeros(6)}},
    r"wrench\['mass'\] must be \(..., 6\), moment and force; its function returned at t = 0 s shape \(3,\)": {
        "wrench": {"mass": lambda t, q, v: np.zeros(3)}
    },
    r"its function returned at t = 0 s None: is a `return` missing": {"wrench": {"mass": lambda t, q, v: None}},
    r"wrench\['mass'\] must be \(6,\), moment and force, for one state; its function returned shape \(3,\)": {
        "wrench": {"mass": lambda model, t, q, v: np.zeros(3)}
    },
    r"must return wrenches by the names of frames": {"wrench": lambda t, q, v: np.zeros(6)},
    r"return all of them always, zeros where nothing acts": {"wrench": named},
    r"the function wrench\['mass'\] is not plain array code of one state": {
        "wrench": {"mass": lambda t, q, v: np.zeros(6) if q[0] > 0 else np.ones(6)},
        "compiled": True,
    },
    r"write all of them with the model": {
        "wrench": {"mass": lambda model, t, q, v: np.zeros(6), "base": lambda t, q, v: np.zeros(6)}
    },
}


@pytest.mark.parametrize("message", BAD)
def test_functions_that_do_not_fit(message):
    with pytest.raises(kt.InputError, match=message):
        mass().simulate([0.0], [0.0], t=0.1, dt=0.01, **BAD[message])


def test_elsewhere_functions_are_refused_in_words():
    robot, z = mass(), [0.0]
    for wrench in ({"mass": lambda t, q, v: np.zeros(6)}, lambda t, q, v: {}):
        with pytest.raises(kt.InputError, match="simulate and rollout take functions"):
            robot.step(z, z, z, 0.01, wrench=wrench)
        with pytest.raises(kt.InputError, match="rollout_derivatives takes wrenches that are numbers"):
            robot.rollout_derivatives(z, z, [z], 0.01, wrench=wrench)


@pytest.mark.parametrize("method", ["DOP853", "rkmk4", "implicit"])
def test_wrenches_that_are_not_finite_are_named(method):
    """By the frame, called or compiled, whether the time or the state is the cause; other failures name a joint."""
    ways = [
        lambda t, q, v: np.full(6, 1.0 if t < 0.05 else np.nan),
        lambda model, t, q, v: stack([0, 0, 0, sqrt(0.055 - t), 0, 0]),
        lambda model, t, q, v: stack([0, 0, 0, sqrt(0.055 - q[0]), 0, 0]),
    ]
    for wrong in ways:
        with pytest.warns(SimulationWarning, match="the wrench on frame 'mass'.* is not finite"):
            motion = mass().simulate([0.0], [1.0], t=0.1, dt=0.01, method=method, wrench={"mass": wrong})
        (failure,) = motion.failures
        assert failure.joint is None and failure.frame == "mass" and not failure.by_controller
        assert 0.03 < failure.t < 0.07


def test_a_floor_holds_slows_and_takes_energy():
    """That of docs/howto/contact.md, on a puck: it sinks by m g / k, slides with −µ g, and only loses energy."""
    b, (k, loss, mu, slip, m, g) = kt.Builder("puck"), (2e4, 2.0, 0.6, 1e-2, 2.0, 9.81)
    b.link("puck", inertia=kt.lie.inertia.from_mass_com(m, np.zeros(3), 0.01 * np.eye(3)))
    b.joint("free", kt.joints.Free(), parent="world", child="puck")
    puck = kt.Robot(b.build())

    def floor(model, t, q, v):
        X, V = kt.algorithms.pose(model, q, frame="puck"), kt.algorithms.velocity(model, q, v, frame="puck")
        u = X[:3, :3] @ V[3:]
        normal = k * maximum(-X[2, 3], 0.0) * maximum(1.0 - loss * u[2], 0.0)
        drag = mu * normal / sqrt(u[0] ** 2 + u[1] ** 2 + slip**2)
        return stack([0, 0, 0, *(X[:3, :3].T @ stack([-drag * u[0], -drag * u[1], normal]))])

    on, given = [0, 0, -m * g / k, 1, 0, 0, 0], {"wrench": {"puck": floor}}
    slid = puck.simulate(on, [0, 0, 0, 1.0, -0.5, 0], t=0.05, dt=1e-3, method="rkmk4", **given)
    lost = np.linalg.norm(slid.v[0, 3:]) - np.linalg.norm(slid.v[-1, 3:])
    assert lost / 0.05 == pytest.approx(mu * g, rel=1e-4) and slid.q[-1, 2] == pytest.approx(-m * g / k, rel=1e-6)
    still = puck.simulate([0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0.3, 0, 0], t=2.0, dt=1e-3, method="implicit", **given)
    assert still.q[-1, 2] == pytest.approx(-m * g / k, rel=1e-6) and np.abs(still.v[-1]).max() < 1e-6
    fall = puck.simulate([0, 0, 0.05, 1, 0, 0, 0], [0, 0, 0, 0.3, 0, 0], t=0.5, dt=1e-4, method="rkmk4", **given)
    energy = fall.energy() + 0.5 * k * np.maximum(-fall.q[:, 2], 0.0) ** 2
    assert np.diff(energy).max() < 1e-6 and energy[0] - energy[-1] > 0.5  # of 1 J; 1e-6 at the moments of touch
