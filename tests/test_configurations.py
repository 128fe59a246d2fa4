"""Valid configurations: home, checks, robots that check, energy, and what a robot says of itself."""

import json
import pickle
import re

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import algorithm_of
from kinetrace.model import zoo

PANDA = kt.load("panda")
FLYING = kt.load("quadruped", base="free")
BAR = kt.load("four_bar")


@pytest.mark.parametrize("name", ["panda", "ur5e", "quadruped", "planar2r"])
def test_home_is_within_the_limits_and_zero_where_it_can_be(name):
    """Of a file that has none; zero that is barely inside of the limits, as the Panda's, counts as outside."""
    robot = kt.load(zoo.path(name), base="free")
    q, lower, upper = robot.home(), robot.limits.lower, robot.limits.upper
    robot.check(q)
    zero = (lower <= 0) & (upper >= 0) & (lower != PANDA.limits.lower[5])
    np.testing.assert_array_equal(q[zero], robot.neutral()[zero])
    np.testing.assert_allclose(q[~zero], (lower[~zero] + upper[~zero]) / 2)


def test_a_joint_with_one_limit_is_at_home_there():
    builder = kt.Builder("slide")
    builder.link("box", np.eye(6))
    limits = kt.Limits([0.2], [np.inf], [1.0], [np.inf])
    builder.joint("x", kt.joints.Prismatic([1, 0, 0]), parent="base", child="box", limits=limits)
    assert kt.Robot(builder.build()).home() == [0.2]


def test_limits_of_mimic_joints_count():
    builder, slide = kt.Builder("gripper"), kt.joints.Prismatic([1, 0, 0])
    for name, limits, mimic in (
        ("a", kt.Limits(-1.0, 1.0, 1.0, 1.0), None),
        ("b", kt.Limits(-0.1, 0.2, 1.0, 1.0), ("a", -2.0, 0.4)),  # 0.1 ≤ a ≤ 0.25
    ):
        builder.link(f"finger_{name}", np.eye(6))
        builder.joint(name, slide, parent="hand", child=f"finger_{name}", limits=limits, mimic=mimic)
    robot = kt.Robot(builder.build())
    np.testing.assert_allclose(robot.home(), [0.175])
    q = robot.random(100, seed=0)
    assert np.all((q >= 0.1) & (q <= 0.25)) and robot.check(q) is None
    robot.check([0.1]), robot.check(np.array([0.25], np.float32)), robot.check([0.0], limits=False)
    for call, message in (
        (
            lambda: robot.check([[0.2], [0.0]]),
            r"q\[1\]: joint 'b', which mimics 'a', is at 0.4, above its upper limit 0.2",
        ),
        (
            lambda: robot.check([0.2], [0.6]),
            "v: joint 'b', which mimics 'a', moves at -1.2, beyond its velocity limit 1",
        ),
        (
            lambda: robot.locked({"a": 0.3}),
            "locked: joint 'b', which mimics 'a', is at -0.2, below its lower limit -0.1",
        ),
    ):
        with pytest.raises(kt.InputError, match=message):
            call()


def changed(q, at, value):
    q = np.array(q)
    q[at] = value
    return q


HOME, BATCH, FLOAT = PANDA.home(), np.tile(PANDA.home(), (2, 3, 1)), FLYING.home()
UPPER = PANDA.limits.upper
WRONG = {
    "shape": (PANDA, (HOME[:3],), r"q must have shape \(\.\.\., 7\), got \(3,\)"),
    "type": (PANDA, ("home",), "q must hold real numbers"),
    "complex": (PANDA, (HOME + 0j,), "q must hold real numbers"),
    "nan": (PANDA, (changed(BATCH, (1, 2, 4), np.nan),), r"q\[1, 2\]: joint 'panda_joint5' is nan"),
    "infinite": (FLYING, (changed(FLOAT, 1, np.inf),), "q: variable 1 of joint 'floating_base' is inf"),
    "above": (PANDA, (changed(HOME, 3, 0.1),), "q: joint 'panda_joint4' is at 0.1, above its upper limit -0.0698"),
    "below": (PANDA, (changed(BATCH, (1, 0, 0), -3),), r"q\[1, 0\]: joint 'panda_joint1' is at -3, below its lower"),
    "many": (PANDA, (changed(BATCH, (1, slice(0, 2), 0), -3),), r"q\[1, 0\]: .* \(2 states of 6 are like that\)"),
    "zero": (FLYING, (changed(FLOAT, slice(3, 7), 0),), "q: joint 'floating_base' has the quaternion 0"),
    "long": (FLYING, (changed(FLOAT, 3, 2),), "'floating_base' has a quaternion of length 2, which must be 1"),
    "shape of v": (PANDA, (HOME, [0.0]), r"v must have shape \(\.\.\., 7\)"),
    "nan v": (PANDA, (HOME, changed(HOME, 2, np.nan)), "v: joint 'panda_joint3' is nan"),
    "fast": (PANDA, (HOME, [0, 0, -9, 0, 0, 0, 0]), "v: joint 'panda_joint3' moves at -9, beyond its velocity limit"),
    "batches": (PANDA, (BATCH, np.zeros((2, 7))), r"batch axes \(2, 3\) of q and \(2,\) of v do not fit"),
    "nearly": (PANDA, (changed(HOME, 0, UPPER[0] + 3e-8),), "is at 2.89730003, above its upper limit 2.8973$"),
    "nearly 1": (FLYING, (changed(FLOAT, 3, 1 + 2e-6),), "quaternion of length 1.000002, which must be 1;"),
    "bytes": (FLYING, (changed(FLOAT, 3, 127).astype(np.int8),), "quaternion of length 127"),  # 127² is 1 in int8
    "open": (BAR, (BAR.assemble() + 0.01,), "q: closure 'coupler-rocker' is open by 0.003.* more than 1e-06"),
}
ALWAYS = ("shape", "type", "nan", "zero", "long", "nan v")


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name):
    robot, given, message = WRONG[name]
    with pytest.raises(kt.InputError, match=message):
        robot.check(*given)
    if name in ALWAYS:
        with pytest.raises(kt.InputError, match=message):
            robot.check(*given, limits=False)
    elif name in ("above", "below", "fast"):
        robot.check(*given, limits=False)


def test_what_is_right_passes():
    rng = np.random.default_rng(0)
    for robot in (PANDA, FLYING, kt.random_tree(12, seed=3)):
        q = robot.random((2, 5), rng)
        assert robot.check(q, np.zeros(robot.nv)) is None
        robot.check(q.astype(np.float32)), robot.check(q.astype(np.float16))
        robot.check(np.zeros((0, robot.nq)))
    PANDA.check(UPPER + 5e-10), PANDA.check(UPPER.astype(np.float32))
    with pytest.raises(kt.InputError, match="above"):
        PANDA.check(UPPER + 1e-8)
    BAR.check(BAR.assemble())
    BAR.check(BAR.assemble() + 0.01, closed=False)
    BAR.check(BAR.assemble() + 0.01, tolerance=0.1)


def test_tolerances():
    """Those of limits and of closures are for single precision if numbers are, or the robot."""
    ajar = BAR.assemble() + 1e-5
    for robot, q in ((BAR, ajar.astype(np.float32)), (kt.Robot(BAR.model, dtype="float32"), ajar)):
        robot.check(q)
        robot.check(q, tolerance=1e-4)
        with pytest.raises(kt.InputError, match=r"open by .* more than 1e-07"):
            robot.check(q, tolerance=1e-7)
    for q, robot in (
        (UPPER.astype(np.float32), PANDA),
        (UPPER + 3e-7 * abs(UPPER), kt.Robot(PANDA.model, dtype="float32")),
    ):
        robot.check(q)
    q = {name: x for name, x in zip(PANDA.joint_names, UPPER.astype(np.float32), strict=True)}
    assert PANDA.locked(q).nq == 0
    with pytest.raises(kt.InputError, match="above its upper limit"):
        PANDA.locked({name: float(x) for name, x in q.items()})
    with pytest.raises(kt.InputError, match=r"open by .* more than 1e-06"):
        BAR.check(ajar)
    for bad in (0.0, -1.0, np.nan, np.inf, True, "1", [1.0]):
        with pytest.raises(kt.InputError, match="tolerance must be a positive number"):
            BAR.check(ajar, tolerance=bad)
    with pytest.raises(kt.InputError, match="closed must be True or False, got 1"):
        BAR.check(ajar, closed=1)


def test_checks_are_about_what_arguments_are():
    robot, q = PANDA.checked(), PANDA.home()
    for call, message in (
        (lambda: robot.difference(HOME, UPPER + 1), "q1: joint 'panda_joint1'"),
        (lambda: robot.geodesic_between(HOME, UPPER + 1), "q1: joint 'panda_joint1'"),
        (lambda: robot.normalise(np.nan * q), "q: joint 'panda_joint1' is nan"),
        (lambda: robot.project(np.nan * q), "q: joint 'panda_joint1' is nan"),
        (lambda: robot.project(q, np.nan * q), "v: joint 'panda_joint1' is nan"),
        (lambda: robot.assemble([q, np.nan * q]), r"guess\[1\]: joint 'panda_joint1' is nan"),
        (lambda: FLYING.checked().normalise(0 * FLOAT), "'floating_base' has the quaternion 0"),
        (lambda: BAR.checked().mobility(BAR.assemble() + 0.01), "q: closure 'coupler-rocker' is open"),
    ):
        with pytest.raises(kt.InputError, match=message):
            call()
    arm = kt.load("planar2r").checked()
    arm.sectional_curvature([0.0, 1.0], [1.0, 0.0], [0.0, 99.0])  # a direction, which has no limit
    robot.project(UPPER + 1), robot.normalise(UPPER + 1)


def test_methods_share_the_kernel_that_measures_open_loops():
    bar, q = BAR.checked(), BAR.assemble()
    bar.gravity(q), bar.mass_matrix(q)
    residual = bar._kernels_of(algorithm_of(kt.algorithms.closure_residual))
    assert bar.gravity._residual is bar.mass_matrix._residual is residual


def test_a_checked_robot_checks_and_another_does_not():
    plain = kt.random_chain(2)
    robot, q, v = plain.checked(), plain.home(), np.zeros(2)
    bad = changed(q, 1, 3.0)
    for call in (
        lambda r: r.gravity(bad),
        lambda r: r.gravity(q=bad),
        lambda r: r.gravity([q, bad]),
        lambda r: r.pose(bad, "tip"),
        lambda r: r.inverse_dynamics(bad, v, v, wrench={"tip": np.zeros(6)}),
        lambda r: r.difference(q, bad),
        lambda r: r.log_det_mass(bad),
        lambda r: r.simulate(bad, v, 0.01, 0.01),
        lambda r: r.rollout(bad, v, np.zeros((1, 2)), 0.01),
    ):
        for _ in range(2):  # the second call of another robot is answered by compiled code
            with pytest.raises(kt.InputError, match="joint 'joint2' is at 3, above"):
                call(robot)
            call(plain)
    for _ in range(2):
        with pytest.raises(kt.InputError, match="velocity limit"):
            robot.kinetic_energy(q, 9 + v)
        np.testing.assert_array_equal(robot.gravity(q), plain.gravity(q))
    robot.integrate(q, 99 + v), robot.kernel("gravity")(bad)
    FLYING.checked().normalise(2 * FLOAT)
    moving = robot.simulate(plain.limits.upper, 0.5 + v, 0.01, 0.01)  # leaves the limits on the way
    assert (moving.q[-1] > plain.limits.upper).any() and np.isfinite(moving.energy()).all()


def test_a_checked_robot_stays_one():
    robot = PANDA.checked()
    assert robot == kt.Robot(PANDA.model, check=True) == PANDA.checked() != PANDA == robot.checked(False)
    for other in (pickle.loads(pickle.dumps(robot)), robot.with_payload(1.0, "panda_hand"), robot.renamed(prefix="a"),
                  robot.with_parameters(gravity=[0, 0, -1.6]), robot.locked({"panda_joint7": 0.1})):  # fmt: skip
        assert "check=True" in repr(other)
        with pytest.raises(kt.InputError, match="above its upper limit"):
            other.gravity([0.0] * other.nq)
    with pytest.raises(kt.InputError, match="above its upper limit"):
        pickle.loads(pickle.dumps(robot.gravity))([0.0] * 7)
    with pytest.raises(kt.InputError, match=r"what to do about an odd file.*\.checked\(\)"):
        kt.load("panda", check=True)
    with pytest.raises(kt.InputError, match="check must be True or False"):
        kt.Robot(PANDA.model, check="warn")


def test_a_checked_robot_of_a_subclass_is_one():
    class Falling(kt.Robot):
        share = 1.0

        def gravity(self, q, **more):
            return self.share * super().gravity(q, **more)

    plain = Falling(kt.load("planar2r").model)
    plain.gain = 2.0
    robot = plain.checked()
    assert type(robot) is Falling and robot.gain == 2.0 and robot.checked(False) == plain
    assert type(robot._unchecked()) is Falling and robot._unchecked().gain == 2.0
    robot.share = 0.5
    assert robot._unchecked().gravity([0.0, 0.0])[0] == robot.gravity([0.0, 0.0])[0] == plain.gravity([0.0, 0.0])[0] / 2
    del robot.share
    assert robot._unchecked().share == 1.0 and type(robot.with_frame("a", "tip")) is kt.Robot


def test_a_checked_robot_wants_closed_loops_where_they_matter():
    bar, zero = BAR.checked(), np.zeros(3)
    ajar = BAR.assemble() + 0.01
    for call in (lambda: bar.forward_dynamics(ajar, zero, zero), lambda: bar.simulate(ajar, zero, 0.01, 0.01)):
        with pytest.raises(kt.InputError, match="closure 'coupler-rocker' is open"):
            call()
    with pytest.raises(kt.InputError, match="closure 'coupler-rocker' is open"):
        bar.forward_dynamics(ajar, zero, zero, drive={})  # drives nothing
    bar.closure_residual(ajar), bar.closure_jacobian(ajar), bar.assemble(ajar), bar.mobility()
    bar.forward_dynamics(bar.project(ajar), zero, zero)
    single = kt.Robot(BAR.model, dtype="float32", check=True)
    single.forward_dynamics(BAR.assemble().astype(np.float32), zero, zero)


def test_total_energy_is_the_sum():
    robot = kt.load("planar2r").with_joint_effects(stiffness=3.0, armature=0.1)
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 5, 2))
    np.testing.assert_allclose(robot.total_energy(q, v), robot.kinetic_energy(q, v) + robot.potential_energy(q))
    motion = robot.simulate(q, v, 0.02, 0.001)
    np.testing.assert_allclose(motion.energy(), np.broadcast_to(robot.total_energy(q, v)[:, None], (5, 21)), rtol=1e-9)


def test_info_is_text_and_data(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    info = kt.load("panda").with_joint_effects(damping=0.1).info()
    assert repr(info) == str(info) and max(map(len, str(info).splitlines())) <= 100 and "\x1b" not in str(info)
    assert json.loads(json.dumps(info.data)) == info.data == dict(info)
    assert info["joints"][3]["upper"] == [UPPER[3]] and len(info["bodies"]) == 7 and "panda_hand" in str(info)


def test_info_shows_all_bounds_of_a_joint_that_differ():
    builder, inf = kt.Builder("gimbal"), np.inf
    builder.link("ball", np.eye(6))
    limits = kt.Limits([-1.0, -2.0], [1.0, 1.0], [3.0, inf], [inf, inf])
    builder.joint("u", kt.joints.Universal([1, 0, 0], [0, 1, 0]), parent="base", child="ball", limits=limits)
    line = next(x for x in str(kt.Robot(builder.build()).info()).splitlines() if x.split()[:3] == ["0:2", "0:2", "u"])
    assert line.split()[3:] == ["-1,", "-2", "1", "rad", "3,", "-", "-"]


def test_a_joint_that_its_mimic_holds_at_zero_is_drawn_there():
    """An upper bound of −0.0, from 0 over a negative ratio."""
    b = kt.Builder("held")
    prismatic, one = kt.joints.Prismatic([1, 0, 0]), kt.Limits(0.0, 1.0, 1.0, 1.0)
    b.joint("a", prismatic, parent="base", child="left", limits=one)
    b.joint("b", prismatic, parent="base", child="right", mimic=("a", -1.0, 0.0), limits=one)
    robot = kt.Robot(b.build(check="ignore"))
    assert np.signbit(robot.model.bounds.upper[0])
    assert robot.random(seed=0) == 0.0


def test_numbers_that_look_like_degrees_are_told_so():
    robot, told = kt.load("panda"), "the numbers look like degrees: q in radians is [0, -0.7854, 0, -2.356, 0, 1.571,"
    q = np.rad2deg(robot.home())
    for call in (robot.check, robot.checked().gravity):
        with pytest.raises(kt.InputError, match=re.escape(told)):
            call(q)
    with pytest.raises(kt.InputError, match=re.escape("q[1] in radians is [0, -0.7854")):
        robot.check([robot.home(), q])
    with pytest.raises(kt.InputError, match=r"90 looks like degrees: in radians it is 1\.571"):
        robot.locked({"panda_joint1": 90})
    with pytest.warns(kt.LimitWarning, match=r"45 looks like degrees: in radians it is 0\.7854; q_from.*degrees=True"):
        robot.q_from({"panda_joint1": 45})
    with pytest.raises(kt.InputError) as beyond:
        robot.check(robot.home() + 4.0)
    assert "degrees" not in str(beyond.value)
