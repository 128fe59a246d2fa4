"""Rows of velocity with sets: their solution, and the steps that solve for them, on all kinds of robots."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms
from kinetrace.algorithms.constraints.joint_rows import joint_rows
from kinetrace.algorithms.time.constrained_steps import _of_closed_chain
from kinetrace.linalg.contact.problem import Cone, ContactProblem, DenseCompliance
from kinetrace.linalg.contact.sweeps import solve_by_sweeps
from kinetrace.linalg.scalar_sets import ScalarSets, solve_scalar_sets

DRY = {"friction_law": "dry", "stop_law": "hard"}


@pytest.mark.parametrize("redundant", [False, True])
def test_impulses_satisfy_the_laws(rng, redundant):
    """Each row: within its bounds; its impulse is friction, against the motion, and of a bound only at this."""
    for case in range(60):
        n = 1 + case % 8
        rank = int(rng.integers(1, n + 1)) if redundant else n
        A = rng.normal(size=(n, rank))
        G, g = A @ A.T + (0.0 if redundant else 0.1) * np.eye(n), 2.0 * A @ rng.normal(size=rank)
        lower = np.where(rng.random(n) < 0.5, -np.inf, -rng.random(n))
        upper = np.where(rng.random(n) < 0.5, np.inf, rng.random(n))
        f = np.where(rng.random(n) < 0.3, 0.0, rng.random(n))
        if redundant:  # bounds of rows that depend on each other are tested with robots
            lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
        found = solve_scalar_sets(G, g, ScalarSets(lower, upper, f), redundant=redundant)
        u = G @ found.x + g
        np.testing.assert_allclose(found.u, u, rtol=0, atol=1e-10)
        assert (lower - 1e-10 <= u).all()
        assert (u <= upper + 1e-10).all()
        slope = 1e-6 if redundant else 1e-9  # impulses of redundant rows are not unique: the velocity is
        most = np.where(u > upper - 1e-10, np.inf, np.where(u < -1e-10, -f, f))
        least = np.where(u < lower + 1e-10, -np.inf, np.where(u > 1e-10, f, -f))
        assert (least - slope <= -found.x).all()
        assert (-found.x <= most + slope).all()
        again = solve_scalar_sets(G, g, ScalarSets(lower, upper, f), rng.normal(size=n), redundant)
        np.testing.assert_allclose(again.u, found.u, rtol=0, atol=1e-9)


def test_friction_and_stops_of_many_rows_in_few_velocities():
    """Fourteen joints of two arms that hold a beam, which has eight velocities to share among them and itself."""
    robot = kt.load("two_pandas_beam")
    model, rng, count = robot.model, np.random.default_rng(10), 0
    rows = [robot.v_slice(name).start for name in robot.joint_names if "panda_joint" in name]
    for q in robot.assemble(robot.integrate(robot.assemble(), 0.3 * rng.normal(size=(20, model.nv)))):
        G = _of_closed_chain(model, q, None)(np.eye(model.nv)[:, rows])[rows]
        for _ in range(10):
            g = (robot.velocity_map(q) @ rng.normal(size=robot.dof))[rows]
            most = rng.choice([0.01, 0.1, 1.0]) * np.abs(g).max()
            f = np.where(rng.random(14) < 0.2, 0.0, most * rng.random(14) / np.diag(G).mean())
            lower, upper = (
                np.where(rng.random(14) < 0.3, s * np.abs(g).max() * rng.random(14), s * np.inf) for s in (-1, 1)
            )
            found = solve_scalar_sets(G, g, ScalarSets(lower, upper, f), redundant=True)
            t = G @ found.x + g - np.diag(G) * found.x  # each row by itself, as the others are
            slid = t - np.clip(t, -np.diag(G) * f, np.diag(G) * f)
            np.testing.assert_allclose(
                np.clip(slid, lower, upper), G @ found.x + g, rtol=0, atol=1e-10 * np.abs(g).max()
            )
            count += 1
    assert count == 200


def _robots():
    tree = kt.random_tree(3, seed=2).with_joint_effects(friction=0.4, restitution=0.3, **DRY)
    floating = kt.random_tree(3, seed=4, base="free").with_joint_effects(friction=0.5, **DRY)
    return {
        "chain": kt.load("planar2r").with_joint_effects(friction=0.6, restitution=0.5, **DRY),
        "joints of several velocities": tree,
        "free base": floating,
        "closed": kt.load("five_bar").with_joint_effects(friction=0.02, friction_law="dry"),
        "mimics": _gripper().with_joint_effects(friction=0.3, **DRY),
    }


def _gripper():
    b, body = kt.Builder("gripper"), kt.lie.inertia.from_mass_com(0.3, [0.1, 0, 0.05], np.eye(3) * 1e-3)
    for name in ("palm", "left", "right"):
        b.link(name, inertia=body)
    wide = kt.Limits([-2.0], [2.0], [np.inf], [np.inf])
    b.joint("turn", kt.joints.Revolute([0, 1, 0]), parent="world", child="palm", limits=wide)
    b.joint("a", kt.joints.Prismatic([1, 0, 0]), parent="palm", child="left", limits=kt.Limits([-0.4], [0.4], [9], [9]))
    limits = kt.Limits([-0.1], [0.2], [9], [9])
    b.joint("b", kt.joints.Prismatic([1, 0, 0]), parent="palm", child="right", mimic=("a", -2.0, 0.0), limits=limits)
    return kt.Robot(b.build())


@pytest.fixture(scope="module", params=list(_robots()))
def robot(request):
    return _robots()[request.param]


def _states(robot, rng, n):
    q = robot.random(n, seed=1) if not robot.model.closures else np.stack([robot.assemble()] * n)
    v = rng.normal(size=(n, robot.nv))
    return q, (np.einsum("...ij,...j->...i", robot.velocity_map(q), v[:, : robot.dof]) if robot.model.closures else v)


@pytest.mark.parametrize("method", ["semi-implicit", "implicit"])
def test_motions_obey_the_laws(robot, rng, method):
    """No stop is passed, friction takes energy and never more than its bound, a batch is its states to the bit."""
    q, v = _states(robot, rng, 6)
    taken = robot.simulate(q, v, t=0.5, dt=1e-3, method=method, compiled=True)
    rows = joint_rows(robot.model)
    x = taken.q[..., list(rows.coordinates)]
    assert np.isfinite(taken.q).all()
    inside = np.isfinite(rows.lower) | np.isfinite(rows.upper)
    assert (x >= rows.lower)[..., inside].all()
    assert (x <= rows.upper)[..., inside].all()
    alone = robot.simulate(q[2], v[2], t=0.5, dt=1e-3, method=method, compiled=True)
    assert np.array_equal(alone.q, taken.q[2])
    if robot.model.closures:
        assert np.abs(taken.closure_residual()).max() < 1e-12


def test_derivatives_of_a_step_are_differences(robot, rng):
    """Of rows that stick, slide and are at stops; central differences of 1e-6, of what has no second derivative
    bounds."""
    q, v = _states(robot, rng, 4)
    v[:2] *= 1e-3  # much sticks
    n, h, dt = robot.nv, 1e-6, 2e-3
    tau = rng.normal(size=(4, n))
    for method in ("semi-implicit", "implicit") if robot.nv < 8 else ("semi-implicit",):
        A, B = robot.linearise_step(q, v, tau, dt, method=method)
        D = np.concatenate([A, B], axis=-1)

        def after(x, method=method):
            moved = robot.integrate(q, x[:n])
            return robot.step(moved, v + x[n : 2 * n], tau + x[2 * n :], dt, method=method)

        for k, e in enumerate(np.eye(3 * n)):
            (q1, v1), (q0, v0) = after(h * e), after(-h * e)
            found = np.concatenate([robot.difference(q0, q1), v1 - v0], axis=-1) / (2 * h)
            scale = 1.0 + np.abs(found).max()
            wrong = np.abs(D[..., k] - found).max(axis=-1) > 2e-5 * scale
            assert wrong.mean() <= 0.25  # a difference may cross from one region to another


def test_sums_over_joints_that_move_together():
    """Friction of a mimic joint counts |ratio| times, its limits bound the joint that it follows."""
    rows = joint_rows(_gripper().with_joint_effects(friction=0.3, **DRY).model)
    np.testing.assert_allclose(rows.friction, [0.3, 0.9], rtol=0, atol=1e-15)
    np.testing.assert_allclose([rows.lower, rows.upper], [[-2.0, -0.1], [2.0, 0.05]], rtol=0, atol=1e-15)


def test_closed_loops_stick():
    """Redundant friction of a four-bar holds it at rest."""
    robot = kt.load("four_bar").with_joint_effects(friction=20.0, friction_law="dry")
    q = robot.assemble()
    motion = robot.simulate(q, np.zeros(robot.nv), t=2.0, dt=1e-3)
    assert np.abs(motion.q - q).max() < 1e-12
    assert np.abs(motion.v).max() < 1e-15


def test_numbers_are_inputs_and_single_precision_works():
    robot = kt.load("planar2r").with_joint_effects(friction=1.0, restitution=0.5, **DRY)
    state = np.array([3.141, 0.5]), np.array([2.0, -1.0]), np.zeros(2), 1e-3
    kernel = kt.compile(algorithms.step, robot, inputs=("friction", "restitution"))
    other = np.array([3.0, 0.2]), np.array([0.9, 0.1])
    expected = robot.with_parameters(friction=other[0], restitution=other[1]).step(*state)
    for x, y in zip(kernel(*state, *other), expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-14)
    single = kt.Robot(robot.model, dtype="float32")
    stays = single.with_joint_effects(friction=30.0).simulate([0.3, 0.5], [0.0, 0.0], t=1.0, dt=1e-3)
    assert np.array_equal(stays.q[-1], stays.q[0])
    np.testing.assert_allclose(single.step(*state)[1], robot.step(*state)[1], rtol=0, atol=1e-5)  # of float32


@pytest.mark.parametrize("method", ["euler", "rk4", "rkmk2", "rkmk4", "variational", "rosenbrock", "DOP853", "Radau"])
def test_other_methods_refuse_by_name(method):
    robot = kt.load("planar2r").with_joint_effects(friction=1.0, friction_law="dry")
    with pytest.raises(kt.InputError, match=f"method '{method}' cannot step with dry friction .*'semi-implicit'"):
        robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01, method=method)


def test_what_is_wrong_is_named_before_anything_runs():
    for wrong, message in (
        ({"friction": -1.0}, "friction must be finite and not negative"),
        ({"friction": np.nan}, "friction must be finite and not negative"),
        ({"restitution": 1.2}, "restitution must be from 0 to 1"),
        ({"friction_law": "coulomb"}, "friction_law must be 'smooth' or 'dry'"),
        ({"stop_law": "rigid"}, "stop_law must be 'soft' or 'hard'"),
    ):
        with pytest.raises(kt.KinetraceError, match=message):
            kt.JointEffects(**wrong)
    with pytest.raises(kt.ModelError, match=r"lower \[1.0\] must not exceed upper"):
        kt.Limits([1.0], [0.0])
    model = _gripper().model
    b = [body if body.joint_name != "b" else _moved(body) for body in model.bodies]
    with pytest.raises(kt.ModelError, match=r"joint 'b'.*leave no place: lower 1 is above upper 0.4"):
        joint_rows(_with_bodies(model, b).with_joint_effects(stop_law="hard"))


def _moved(body):
    return replace(body, limits=kt.Limits([-9.0], [-2.0], [9], [9]))


def _with_bodies(model, bodies):
    return replace(model, bodies=tuple(bodies))


def test_contacts_obey_coulombs_law(rng):
    """In its cone, no pull, no impulse at a distance; sticks, or slips against the friction at the cone's surface.

    Sweeps end when velocities change by less than 1e-5 m/s.
    """
    stuck = slipping = apart = 0
    for case in range(40):
        n = 1 + case % 4
        A, mu = rng.normal(size=(3 * n, 3 * n + 2)), rng.uniform(0.2, 1.5, n)
        G, g = A @ A.T + np.eye(3 * n), 3.0 * rng.normal(size=3 * n)
        cones = tuple(Cone(3 * k, 3, mu[k]) for k in range(n))
        problem = ContactProblem(DenseCompliance(G), g, ScalarSets(*np.zeros((3, 0))), cones)
        x = solve_by_sweeps(problem, np.zeros(3 * n), np.zeros(n)).x.reshape(n, 3)
        u = (G @ x.ravel() + g).reshape(n, 3)
        size = np.linalg.norm(x[:, :2], axis=1)
        assert (x[:, 2] >= 0.0).all()
        assert (size <= mu * x[:, 2] * (1.0 + 1e-12)).all()
        assert (u[:, 2] >= -1e-5).all()
        np.testing.assert_allclose(x[:, 2] * u[:, 2], 0.0, rtol=0, atol=1e-5)
        slips = (np.linalg.norm(u[:, :2], axis=1) > 1e-4) & (x[:, 2] > 0.0)
        np.testing.assert_allclose(size[slips], (mu * x[:, 2])[slips], rtol=1e-4)
        along = u[:, :2] * size[:, None] + x[:, :2] * np.linalg.norm(u[:, :2], axis=1)[:, None]
        np.testing.assert_allclose(along[slips], 0.0, rtol=0, atol=1e-4)
        stuck, slipping = stuck + np.sum(~slips & (x[:, 2] > 0)), slipping + np.sum(slips)
        apart += np.sum(x[:, 2] == 0.0)
    assert min(stuck, slipping, apart) >= 5


def test_laws_are_part_of_the_model(tmp_path):
    """In files, copies, comparisons and edits."""
    plain = kt.load("planar2r").with_joint_effects(friction=0.5)
    robot = plain.with_joint_effects("joint2", friction_law="dry", stop_law="hard", restitution=0.3)
    robot.save(tmp_path / "arm.json")
    assert kt.load(tmp_path / "arm.json").model == robot.model == pickle.loads(pickle.dumps(robot)).model
    assert hash(robot.model) != hash(plain.model)
    assert robot.with_joint_effects(friction_law="smooth", stop_law="soft", restitution=0.0).model == plain.model
    told = str(plain.difference_to(robot))
    assert "friction law smooth → dry" in told
    assert "stop law soft → hard" in told
    plain.save(tmp_path / "plain.json")
    assert "restitution" not in (tmp_path / "plain.json").read_text()  # as files of before have it
    with pytest.raises(kt.ModelError, match="dry friction, which is read as smooth: 'joint2'; hard stops"):
        robot.save(tmp_path / "arm.urdf")
    assert kt.load("planar2r", stop_law="hard").model.bodies[1].effects.stop_law == "hard"


@pytest.mark.parametrize(("links", "restitution"), [(2, 1.0), (4, 0.9), (4, 0.5)])
def test_impacts_of_several_joints_add_no_energy(rng, links, restitution):
    """Stops of coupled joints that are hit in one step, at random, near each other or not."""
    b, parent, dt = kt.Builder("chain"), "base", 1e-5
    stop = kt.JointEffects(stop_law="hard", restitution=restitution)
    for k in range(links):
        b.link(f"link{k}", mass=1.0, com=[0.25, 0.0, 0.0], inertia=[0.01, 0.02, 0.03])
        placement, limits = [0.5 if k else 0.0, 0.0, 0.0], kt.Limits(-0.3, 0.3)
        b.joint(
            f"j{k}",
            kt.joints.Revolute("z"),
            parent=parent,
            child=f"link{k}",
            placement=placement,
            limits=limits,
            effects=stop,
        )
        parent = f"link{k}"
    robot, v = kt.Robot(b.build(gravity=(0, 0, 0))), 2.0 * rng.normal(size=(2000, links))
    side = np.where(rng.random(v.shape) < 0.5, 1.0, -1.0)
    q = side * (0.3 - rng.uniform(0.0, 2.0, v.shape) * np.abs(v) * dt)
    q[:500, 0] = 0.3 * side[:500, 0]  # some rest at their stops
    v[:500, 0] = 0.0
    for method in ("semi-implicit", "implicit"):
        after = robot.step(q, v, np.zeros(links), dt, method=method)
        assert (robot.kinetic_energy(*after) < (1.0 + 1e-3) * robot.kinetic_energy(q, v)).all()
    if links == 2:  # what rests leaves its stop, or stays: the impact of the other joint is not its own
        assert (side[:500, 0] * after[1][:500, 0] <= 1e-12).all()


def test_a_step_of_no_time_and_beyond_a_stop():
    slider = kt.Builder("slider")
    slider.link("block", mass=1.0, inertia=[0.1, 0.1, 0.1])
    stop = kt.JointEffects(stop_law="hard")
    slider.joint(
        "slide", kt.joints.Prismatic("x"), parent="base", child="block", limits=kt.Limits(0.0, 1.0), effects=stop
    )
    robot = kt.Robot(slider.build())
    for q, v, rest in ((0.5, -1.0, (0.5, -1.0)), (0.0, -1.0, (0.0, 0.0)), (-0.1, -1.0, (0.0, 0.0))):
        np.testing.assert_allclose(np.concatenate(robot.step([q], [v], [0.0], 0.0)), rest, rtol=0, atol=1e-12)
