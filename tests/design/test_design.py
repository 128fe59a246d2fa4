"""Design by gradients: exact derivatives, rules that keep bodies physical, closed forms, and honest results."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import design
from kinetrace.design.objectives import BoundObjective, Evaluated
from kinetrace.design.variables import design_space


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


def test_gradients_are_exact_with_respect_to_all_variables():
    """By complex steps through the same functions on numbers."""
    robot, rng = kt.random_chain(3, seed=2), np.random.default_rng(0)
    q, (v, a) = robot.random(3, seed=0), rng.normal(size=(2, 3, 3))
    chosen = [
        design.Length("link1", axis=[1, 2, 3]),
        design.Length("link2", axis=[0, 1, 1], keep="mass"),
        design.Mass("link3"),
        design.Center("link2"),
        design.PointMass("tip", [0.1, 0.2, 0.3]),
        design.Mount("joint2", turn=True),
        design.Mount("tip", "xz"),
        design.Effect("stiffness", "joint1", 0, 5),
        design.Effect("armature", "joint2", 0, 5),
    ]
    parts, sizes, names, start, _, _ = design_space(robot, chosen, None)
    x = start + 0.05 * rng.random(len(start))
    assert len(names) == len(x) == 17 and names[3] == "centre of link2[0]"
    for objective in (design.effort(q, v, a), design.isotropy(q, "tip"), design.largest_torque(q, v, a)):
        found, plain = Evaluated(robot, parts, sizes, objective), BoundObjective(robot, parts, sizes, objective)
        rows = [
            [np.asarray(plain(None, x + 1e-30j * e, *z)).imag for e in np.eye(len(x))]
            for z in zip(*found.arrays.values(), strict=True)
        ]
        exact = np.moveaxis(np.array(rows) / 1e-30, 1, -1)
        np.testing.assert_allclose(found.slope(x, *found.arrays.values()), exact, atol=1e-11 * np.abs(exact).max())
        if objective.reduction == "mean":
            np.testing.assert_allclose(found(x)[1], exact.mean(axis=0), atol=1e-11 * np.abs(exact).max())


def test_a_stretched_rod_is_a_longer_rod(arm):
    """Uniform rods: mass ∝ length, moment ∝ its cube; with the mass kept, ∝ its square. What is on it moves."""
    for keep, power in (("density", 3), ("mass", 2)):
        longer = design.made(arm, [design.Length("link1", keep=keep)], [1.7])
        before, after = (r.parameters("inertial")[0] for r in (arm, longer))
        np.testing.assert_allclose(after[0], 1.7 ** (power - 2) * before[0])
        np.testing.assert_allclose(after[1], 1.7 ** (power - 1) * before[1])
        along = (before[[4, 7, 9]].sum() / 2 - before[4], after[[4, 7, 9]].sum() / 2 - after[4])  # ∫ x² dm
        np.testing.assert_allclose(along[1], 1.7**power * along[0])
        np.testing.assert_allclose(longer.pose([0.0, 0.0], "tip")[0, 3], 2.7)
        assert longer.doctor() is not None
    # the same robot in other body frames becomes the same longer robot
    moved = kt.Robot(arm.model.with_link_frames("center_of_mass"))
    other = design.made(moved, [design.Length("link1")], [1.7])
    longer = design.made(arm, [design.Length("link1")], [1.7])
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    np.testing.assert_allclose(other.inverse_dynamics(q, v, a), longer.inverse_dynamics(q, v, a))


def test_the_isotropic_arm_has_the_ratio_root_two(arm):
    for start in (0.6, 2.5):
        at = design.isotropy([[0.3, 0.75 * np.pi]], "tip", axes=(3, 5))
        found = design.improve(arm, at, [design.Length("link1", 0.5, 3.0)], x0=[start])
        assert found.success and abs(found.x[0] - np.sqrt(2)) < 1e-5 and abs(found.cost - 1) < 1e-9
        J = found.robot.jacobian([0.3, 0.75 * np.pi], "tip", expressed_in="aligned")[[3, 5]]
        assert abs(np.linalg.cond(J) - 1) < 1e-4


def test_counterweights_balance_gravity(arm):
    """m₂ c₂ of the second link, then all beyond the first joint: 1 · ½ / ¼ = 2 and (½ + 1 + 2) / ½ = 7 kg."""
    q = arm.random(30, seed=0)
    chosen = [design.PointMass("link2", [-0.25, 0, 0]), design.PointMass("link1", [-0.5, 0, 0])]
    for method in ("SLSQP", "L-BFGS-B"):
        found = design.improve(arm, design.effort(q), chosen, method=method, tolerance=1e-14)
        np.testing.assert_allclose(found.x, [2.0, 7.0], rtol=1e-5)
        assert found.success and np.abs(found.robot.gravity(q)).max() < 1e-3
    assert "mass on link2" in found.table() and found.table().count("\n") == 3


def test_constraints_hold_and_the_exact_maximum_is_reported(arm):
    q, v, a = arm.random(20, seed=1), *np.random.default_rng(0).normal(size=(2, 20, 2))

    def reach(model, q):
        return kt.algorithms.pose(model, q, frame="tip")[0, 3]

    far = design.Objective(reach, {"q": [[0.0, 0.0]]})
    chosen = [design.Length("link1"), design.Length("link2")]
    found = design.improve(
        arm, design.largest_torque(q, v, a, sharpness=200.0), chosen, requirements=[design.Requirement(far, lower=1.8)]
    )
    assert found.success and found.residual < 1e-4 and found.cost < found.cost0
    np.testing.assert_allclose(found.cost, np.abs(found.robot.inverse_dynamics(q, v, a)).max(), rtol=1e-9)
    np.testing.assert_allclose(found.x.sum(), 1.8, rtol=1e-6)
    parts, sizes, *_ = design_space(arm, chosen, None)
    every = Evaluated(arm, parts, sizes, design.largest_torque(q, v, a))  # all designs on the constraint
    assert found.cost <= min(every.exact(np.array([r, 1.8 - r])) for r in np.linspace(0.5, 1.3, 801)) * (1 + 1e-9)
    never = design.improve(arm, design.effort(q), chosen, requirements=[design.Requirement(far, lower=5.0)])
    assert never.status == "infeasible" and not never.success and "violated" in never.message
    short = design.improve(arm, design.effort(q), [*chosen, design.Center("link2", "x", -0.4, 0.4)], iterations=1)
    assert short.status == "iterations" and not short.success


def test_the_least_maximum_is_that_of_a_linear_program(arm):
    """Torques are affine in the mass, the stiffness k, and k times the rest: the optimum of all designs is known."""
    optimize = pytest.importorskip("scipy.optimize")
    q = np.stack(np.meshgrid(np.linspace(0.0, np.pi, 15), np.linspace(-2.0, 2.0, 15)), axis=-1).reshape(-1, 2)
    chosen = [
        design.PointMass("link2", [-0.3, 0.0, 0.0], upper=3.0),
        design.Effect("stiffness", "joint1", 0.0, 30.0),
        design.Effect("rest", "joint1", 0.0, 3.0),
    ]
    bare, heavier = arm.gravity(q), design.made(arm, chosen[:1], [1.0]).gravity(q)
    spring, rest = np.stack([q[:, 0], 0 * q[:, 0]], axis=1), np.array([[-1.0, 0.0]] * len(q))
    columns = np.stack([heavier - bare, spring, rest], axis=-1) / np.array([2.0, 1.0])[:, None]
    A, b = columns.reshape(-1, 3), (bare / [2.0, 1.0]).ravel()
    rows = np.vstack([np.hstack([A, -np.ones((len(A), 1))]), np.hstack([-A, -np.ones((len(A), 1))]), [0, -3, 1, 0]])
    bounds = [(0, 3), (0, 30), (0, 90), (None, None)]
    best = optimize.linprog([0, 0, 0, 1], rows, np.concatenate([-b, b, [0.0]]), bounds=bounds)
    for sharpness, method in ((5.0, "SLSQP"), (50.0, "L-BFGS-B"), (500.0, "SLSQP")):
        found = design.improve(
            arm, design.largest_torque(q, limit=[2.0, 1.0], sharpness=sharpness), chosen, method=method
        )
        assert found.success and found.cost == pytest.approx(best.fun, rel=1e-7), found
        np.testing.assert_allclose([*found.x[:2], found.x[1] * found.x[2]], best.x[:3], rtol=1e-4)


def test_results_do_not_depend_on_how_a_maximum_is_smoothed(arm):
    """Two maxima with weights and an effort beside them, a maximum to be made large, and more values than are taken."""
    q = np.random.default_rng(2).uniform([0.0, -2.0], [np.pi, 2.0], (400, 2))
    weight = design.PointMass("link2", [-0.3, 0.0, 0.0], upper=5.0)
    chosen = [weight, design.Effect("stiffness", "joint1", 0.0, 30.0), design.Effect("rest", "joint1", -1.0, 4.0)]

    def cost(sharpness, v):
        return [
            (1.0, design.largest_torque(q, sharpness=sharpness)),
            (0.3, design.largest_torque(q[:50], v, sharpness=sharpness)),
            (0.01, design.effort(q)),
        ]

    ways = [design.improve(arm, cost(x, np.full(2, 3.0)), chosen) for x in (3.0, 50.0)]
    assert all(one.success for one in ways) and ways[0].cost == pytest.approx(ways[1].cost, rel=1e-7)
    np.testing.assert_allclose(ways[0].x, ways[1].x, rtol=1e-4)
    torque = [design.largest_torque(q, sharpness=x) for x in (3.0, 300.0)]
    large = [design.Objective(x.function, x.arrays, "max", True, "torque", x.sharpness) for x in torque]
    ends = [design.improve(arm, x, [design.Length("link2", 0.5, 2.0)]) for x in large]
    assert ends[0].cost == pytest.approx(ends[1].cost, rel=1e-9) and ends[0].x[0] == pytest.approx(2.0)


def test_a_requirement_on_a_maximum_holds_for_the_exact_one(arm):
    """The smooth maximum is up to log(n)/β below it: with 40 states and a low sharpness, a tenth."""
    q, chosen = arm.random(40, seed=0), [design.Length("link1"), design.Length("link2")]
    torque = design.largest_torque(q, sharpness=5.0)
    reach = design.Objective(lambda model, q: kt.algorithms.pose(model, q, frame="tip")[0, 3], {"q": [[0.0, 0.0]]})
    far = design.Objective(reach.function, reach.arrays, maximise=True, name="reach")
    found = design.improve(arm, far, chosen, requirements=[design.Requirement(torque, upper=15.0)])
    most = np.abs(found.robot.gravity(q)).max()
    assert found.success and most <= 15.0 * (1 + 1e-6) and found.cost < 2.0
    assert most > 15.0 * (1 - 1e-4)  # longer arms would be better
    least = design.improve(arm, design.effort(q), chosen, requirements=[design.Requirement(torque, lower=12.0)])
    assert least.success and np.abs(least.robot.gravity(q)).max() >= 12.0 * (1 - 1e-6)
    assert least.cost < least.cost0


def test_more_rows_than_velocities(arm):
    """As `robot.manipulability` has it; an arm in a plane is as isotropic in space as it is there."""
    q, part = arm.random(5, seed=0), [design.Length("link1", 0.5, 3.0)]
    sizes = [len(part[0]._start(arm.model))]
    for axes in ("position", "pose", (3, 5)):
        found = Evaluated(arm, part, sizes, design.manipulability(q, "tip", axes=axes)).exact(np.ones(1))
        np.testing.assert_allclose(found, arm.manipulability(q, "tip", axes=axes).mean(), rtol=1e-9)
    found = design.improve(arm, design.isotropy([[0.3, 0.75 * np.pi]], "tip", length=2.0), part, x0=[0.6])
    assert found.success and abs(found.x[0] - np.sqrt(2)) < 1e-5 and abs(found.cost - 1) < 1e-9


def test_forces_of_closed_robots_are_those_of_their_motors():
    robot = kt.load("five_bar")
    q = robot.assemble()[None]
    tau = robot.motor_forces(q, 0 * q, 0 * q)[0]
    part = [design.Mass(robot.model.bodies[0].name)]
    for objective, value in ((design.effort(q), 0.5 * (tau**2).sum()), (design.largest_torque(q), np.abs(tau).max())):
        found = design.improve(robot, objective, part)
        np.testing.assert_allclose(found.cost0, value, rtol=1e-9)
        lighter = robot.with_parameters(check="ignore", inertial=found.robot.parameters("inertial"))
        np.testing.assert_allclose(
            lighter.motor_forces(q, 0 * q, 0 * q)[0], found.robot.motor_forces(q, 0 * q, 0 * q)[0]
        )
    longer = [design.Length(robot.model.bodies[0].name)]
    with pytest.raises(kt.InputError, match=r"leaves the loops of 'five_bar' open .* the design changes them"):
        design.improve(robot, design.effort(q), longer)
    with pytest.raises(kt.InputError, match="assemble closes them"):
        design.improve(robot, design.effort(q + 0.1), part)


def test_curvature_falls_along_its_gradient(arm):
    q = arm.random(10, seed=0)
    found = design.improve(arm, design.curvature(q), [design.Center("link2", "x", -0.45, 0.3)])
    assert found.success
    np.testing.assert_allclose(found.cost, np.mean(found.robot.scalar_curvature(q) ** 2))
    assert found.cost < found.cost0


def test_what_does_not_fit_is_named(arm):
    good, light = design.effort([[0.0, 0.0]]), [design.Mass("link1")]
    for call, told in (
        (lambda: design.improve(arm, good, [design.Length("link9")]), "unknown frame 'link9'"),
        (lambda: design.improve(arm, good, [design.Effect("stifness", "joint1", 0, 1)]), "did you mean 'stiffness'"),
        (lambda: design.improve(arm, good, [design.Mass("link1", 2.0, 1.0)]), "lower must be below upper"),
        (lambda: design.improve(arm, good, []), "variables is empty"),
        (lambda: design.improve(arm, design.effort([[0.0] * 3]), light), r"q of 'effort' must have"),
        (lambda: design.improve(arm, lambda model, q: q[0], light), "objective must be"),
        (lambda: design.improve(arm, good, light, method="BFGS"), "unknown method"),
        (lambda: design.Objective(max, {}), "arrays must map"),
        (lambda: design.improve(arm, design.isotropy([[0.0, 0.0]], "tip", axes=(7,)), light), "rows from 0 to 5"),
        (lambda: design.improve(arm, good, light, requirements=[good]), "requirements must be kt.design.Requirement"),
        (lambda: design.largest_torque([[0.0, 0.0]], limits=1.0), "did you mean 'limit'"),
    ):
        with pytest.raises(kt.InputError, match=told):
            call()


def test_no_design_allows_what_cannot_exist_and_what_has_no_effect_is_said(arm):
    q = arm.random(5, seed=0)
    at = design.isotropy(q, "tip", axes=(3, 5))
    for variable, told in (
        (design.Mass("link1", lower=-1.0), "lower of mass of link1 must be zero or more"),
        (design.Length("link1", lower=0.0), "lower of length of link1 must be positive"),
        (design.PointMass("link1", [0.1, 0, 0], lower=-1.0), "no point has a negative mass"),
        (design.Effect("armature", "joint1", -1.0, 1.0), "lower of armature of joint1 must be zero or more"),
    ):
        with pytest.raises(kt.InputError, match=told):
            design.improve(arm, design.effort(q), [variable])
    design.Effect("rest", "joint1", -1.0, 1.0)._bounds(arm.model)
    with pytest.raises(kt.InputError, match="value of mass of link1"):
        design.made(arm, [design.Mass("link1")], [-1.0])
    with pytest.raises(kt.InputError, match="no variable has an effect on 'isotropy of tip': mass of link1"):
        design.improve(arm, at, [design.Mass("link1")])
    found = design.improve(arm, at, [design.Mass("link1"), design.Length("link1")])
    assert found.success and "mass of link1: without effect" in found.message and found.x[0] == 1.0
    with pytest.raises(kt.InputError, match=r"Ask for axes=\(3,\)$"):
        design.improve(arm, design.isotropy(q, "tip", axes=(3, 4)), [design.Length("link1")])
    with pytest.raises(kt.InputError, match="isotropy of link2 is zero at the start"):
        design.improve(arm, design.isotropy(q, "link2"), [design.Length("link1")])
    with pytest.raises(kt.InputError, match="q of an objective has no states"):
        design.effort(np.zeros((0, 2)))
