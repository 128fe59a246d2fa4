"""Motions in worlds: states of robots and objects, contacts, files, lanes, and what compiles nothing."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import inertia
from kinetrace.model import WORLD, Geometry
from kinetrace.model.contact import ContactLaw, ContactPair, Contacts, ContactShape
from kinetrace.robot.settings import RobotSettings
from kinetrace.simulation.contact import motion_contacts

w = kt.worlds
MASS, RADIUS, DT = 2.0, 0.1, 2e-3
G = np.array([0.0, 0.0, -9.81])


@pytest.fixture(scope="module")
def ball() -> kt.Robot:
    """A robot that is a ball."""
    b = kt.Builder("ball")
    b.link("ball", inertia=inertia.from_mass_com(MASS, np.zeros(3), 0.4 * MASS * RADIUS**2 * np.eye(3)))
    b.geometry(Geometry("sphere", (RADIUS,), "ball", np.eye(4), "collision"))
    return kt.Robot(b.build(base="free", check="ignore"))


def at(*p: float) -> np.ndarray:
    return np.array([*p, 1.0, 0.0, 0.0, 0.0])


def moving(*v: float) -> np.ndarray:
    return np.array([0.0, 0.0, 0.0, *v])


def billiard(x: object = 0.6, friction: object = 0.3, **more: object) -> kt.World:
    """A ball that rests, and a wall behind it."""
    objects = {"other": w.Sphere(RADIUS, mass=1.0, pose=[0.35, 0, RADIUS]), "wall": w.Box([0.1, 1, 1], pose=places(x))}
    return kt.World(objects=objects, friction=friction, restitution=0.5, **more)


def places(x: object) -> np.ndarray:
    return np.stack([np.asarray(x, float), np.zeros(np.shape(x)), np.full(np.shape(x), 0.5)], axis=-1)


def test_objects_fall_freely_where_nothing_touches():
    """And the robot moves as without a world, to rounding; objects may be robots, too."""
    robot, q, v = kt.load("planar2r"), np.array([0.4, 0.2]), np.array([1.0, -1.0])
    arm = w.OtherRobot(robot, pose=[5, 0, 0], q=q, v=v)
    thrown = w.Box([0.1, 0.2, 0.3], mass=1.0, pose=[9, 0, 7], velocity=moving(1.0, 2.0, 3.0))
    world = kt.World(objects={"thrown": thrown, "arm": arm, "wall": w.Box([1, 1, 1], pose=[20, 0, 0])})
    motion = robot.simulate(q, v, 0.2, DT, world=world)
    alone = robot.simulate(q, v, 0.2, DT, method="semi-implicit")
    assert np.allclose(motion.q, alone.q, rtol=0, atol=1e-13) and motion.method == "semi-implicit"
    n = np.arange(len(motion))[:, None]
    falls = [9, 0, 7] + n * DT * [1.0, 2.0, 3.0] + G * DT**2 * n * (n + 1) / 2.0
    found = motion.objects
    assert np.allclose(found["thrown"].pose, np.concatenate([falls, np.tile([1.0, 0, 0, 0], (len(n), 1))], axis=1))
    assert np.allclose(found["arm"].q, alone.q, rtol=0, atol=1e-13) and (found["wall"].pose == at(20, 0, 0)).all()
    assert found["arm"].pose.tolist() == [at(5, 0, 0).tolist()] * len(n)
    assert not motion.contacts.forces.any() and not motion.contacts.touching.any()
    moved = robot.simulate(q, v, 0.02, DT, world=world, contact={"wall.pose": [at(21, 0, 0), at(22, 0, 0)]})
    assert moved.objects["wall"].pose[:, :, 0].tolist() == [[21.0] * 11, [22.0] * 11]


def test_velocities_alone_may_have_lanes():
    """Beside one pose and one q; axes that do not go together are named with their objects."""
    robot, z = kt.load("planar2r"), np.zeros(2)
    ball = w.Sphere(0.1, mass=1.0, pose=[3, 0, 1], velocity=[moving(1, 0, 0), moving(2, 0, 0)])
    world = kt.World(objects={"ball": ball, "arm": w.OtherRobot(robot, v=np.zeros((2, 2)))})
    motion = robot.simulate(z, z, 0.02, DT, world=world)
    assert np.allclose(motion.objects["ball"].pose[:, -1, 0], [3.02, 3.04]) and motion.q.shape == (2, 11, 2)
    with pytest.raises(kt.InputError, match=r"do not broadcast: .*ball: velocities \(2,\), arm: velocities \(3,\)"):
        objects = {"ball": ball, "arm": w.OtherRobot(robot, v=np.zeros((3, 2)))}
        robot.simulate(z, z, 0.02, DT, world=kt.World(objects=objects))


def test_hulls_keep_their_momentum_and_move_alike_in_any_frame(ball):
    """Where the origin is does not matter: steps keep the velocity of the centre of mass, of hulls that tumble."""
    robot = kt.Robot(replace(ball.model, gravity=np.zeros(3)))
    turn, shift = np.full(4, 0.5), np.array([0.2, 0.1, -0.3])
    points = 0.1 * np.random.default_rng(0).normal(size=(9, 3))
    spin, v = np.array([3.0, 5.0, -2.0]), np.array([0.4, 0.1, -1.0])
    R = kt.lie.so3.from_quaternion(turn)

    def thrown(robot: kt.Robot, shift: np.ndarray, height: float) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the centre of mass, and momenta."""
        pose = np.concatenate([[2.0, 0, height] - R @ shift, turn])
        velocity = np.concatenate([spin, v - np.cross(spin, shift)])
        hull = w.Hull(points + shift, mass=1.0, pose=pose, velocity=velocity)
        world = kt.World(objects={"hull": hull}, friction=0.5)
        found = robot.simulate(at(0, 0, 3), np.zeros(6), 0.5, 1e-3, world=world).objects["hull"]
        assert np.allclose(found.pose[0], pose, rtol=0, atol=1e-15)
        assert np.allclose(found.twist[0], velocity, rtol=0, atol=1e-14)
        c, X = hull.center_of_mass, found.matrix
        local = found.twist[:, 3:] + np.cross(found.twist[:, :3], c)
        return X[:, :3, 3] + X[:, :3, :3] @ c, (X[:, :3, :3] @ local[..., None])[..., 0]

    momentum = thrown(robot, shift, 9.0)[1]
    assert np.abs(momentum - momentum[0]).max() < 1e-12 * np.linalg.norm(momentum[0])
    (x, p), (y, r) = (thrown(ball, s, 0.4) for s in (shift, np.zeros(3)))
    assert np.ptp(p[:, 2]) > 1.0  # it hits the ground
    assert np.allclose(x, y, rtol=0, atol=1e-6) and np.allclose(p, r, rtol=0, atol=1e-3)


def test_a_scene_is_the_robot_that_one_would_build(ball):
    """With the bodies of the objects, and contacts of the shapes: to the bit."""
    world = kt.World(objects={"other": w.Sphere(0.05, mass=0.5, pose=[0, 0, 0.3])}, friction=0.4)
    J = inertia.from_mass_com(0.5, np.zeros(3), 0.4 * 0.5 * 0.05**2 * np.eye(3))
    second = replace(ball.model.bodies[0], index=1, name="other", joint_name="other", J=J)
    shapes = (
        ContactShape("ball", "sphere", np.array([RADIUS]), 0, np.eye(4), link="ball", owner="robot"),
        ContactShape("ground", "plane", np.zeros(0), WORLD, np.eye(4), owner="ground"),
        ContactShape("other", "sphere", np.array([0.05]), 1, np.eye(4), link="other", owner="other"),
    )
    law = ContactLaw(0.4)
    pairs = (("ball-ground", 0, 1), ("ball-other", 0, 2), ("other-ground", 2, 1))
    contacts = Contacts(shapes, tuple(ContactPair(*x, law) for x in pairs))
    built = kt.Robot(replace(ball.model, bodies=(ball.model.bodies[0], second), contacts=contacts, start=None))
    scene = ball.with_world(world)
    rng = np.random.default_rng(0)
    q, v = np.concatenate([at(0, 0, 0.09), at(0, 0.01, 0.235)]), rng.normal(size=12)
    for method in ("semi-implicit", "implicit"):
        found, wanted = (each.step(q, v, np.zeros(12), DT, method=method) for each in (scene, built))
        assert all(np.array_equal(x, y) for x, y in zip(found, wanted, strict=True))
    assert {x.name for x in scene.model.contacts.pairs} == {x[0] for x in pairs}


def test_lanes_are_what_they_are_alone(ball):
    """With friction, walls and starts of their own, in any batch and with any number of threads; to the bit."""
    x, friction = np.linspace(0.5, 0.7, 40), np.linspace(0.0, 1.0, 40)
    given = moving(2.0, 0, 0), 0.2, DT
    all_of_them = ball.simulate(at(0, 0, RADIUS), *given, world=billiard(x, friction))
    two = kt.Robot(ball.model, threads=2).simulate(at(0, 0, RADIUS), *given, world=billiard(x, friction))
    assert all_of_them.q.shape == (40, 101, 7) and np.array_equal(all_of_them.q, two.q)
    assert np.array_equal(all_of_them.contacts.forces, two.contacts.forces)
    for k in (3, 20, 39):
        one, lane = ball.simulate(at(0, 0, RADIUS), *given, world=billiard(x[k], friction[k])), all_of_them.lane(k)
        assert np.array_equal(one.q, lane.q) and np.array_equal(one.contacts.forces, lane.contacts.forces)
        assert np.array_equal(one.objects["other"].q, all_of_them.objects["other"].q[k])
        assert np.array_equal(one.contacts.gaps, lane.contacts.gaps) and one.world == lane.world
        assert np.array_equal(one.objects["wall"].pose, lane.objects["wall"].pose)


def test_other_numbers_compile_nothing(ball, monkeypatch):
    """Walls that are moved, resized, friction and slopes: the compiled steps of one structure serve all."""
    made = list[str]()
    compiled = RobotSettings.compile

    def counted(self, algorithm, *given):
        made.append(algorithm.name)
        return compiled(self, algorithm, *given)

    monkeypatch.setattr(RobotSettings, "compile", counted)
    robot, q, v = kt.Robot(ball.model), at(0, 0, 0.3), moving(1.0, 0, 0)

    def run(x: float, **more: object) -> kt.Trajectory:
        ground = w.Plane([0.1 * x, 0, 1], 0.01 * x)
        objects = {"wall": w.Box([x, 1, 1], pose=[1.5 + x, 0, 0.5])}
        world = kt.World(ground, objects, friction=x)
        robot.rollout(q, v, np.zeros((20, 6)), DT, world=world)
        robot.step(q, v, np.zeros(6), DT, world=world)
        motion = robot.simulate(q, v, 0.4, DT, world=world)
        assert len(motion.contacts.gaps) == len(motion)
        return motion

    first = run(0.1)
    before = made.copy()
    others = [run(x) for x in (0.2, 0.3)]
    assert made == before and len(made) > 2
    assert all(not np.array_equal(first.q, other.q) for other in others)


def test_forces_change_momentum(ball):
    """Row k is of the step that begins at t[k]: m Δv = (f + m g) Δt, and forces between two are opposite."""
    motion = ball.simulate(at(0, 0, RADIUS), moving(2.0, 0.3, 0), 0.3, DT, world=billiard())
    found, other = motion.contacts, motion.objects["other"]
    masses = {"ball": (MASS, motion.q, motion.v), "other": (1.0, other.q, other.v)}
    for name, (m, q, v) in masses.items():
        world_v = (rotations(q) @ v[:, 3:, None])[..., 0]
        force = found.force_on(name)[:-1] + m * G
        assert np.allclose(m * np.diff(world_v, axis=0), DT * force, rtol=0, atol=1e-7), name  # as steps are solved
    between = found.force_between("ball", "other")
    assert np.array_equal(between, -found.force_between("other", "ball")) and np.abs(between).max() > 100.0
    assert found.touches("ball", "other").any() and found.touches("wall").any()
    assert np.array_equal(found.touches("ball", "other"), np.abs(between).max(axis=-1) > 0.0)
    assert found.touches("ball", "ground").any() and found.gaps[:, found.names.index("ball-ground")].min() > -1e-6
    sums = sum(found.force_on(name) for name in ("ball", "other", "wall", "ground"))
    assert np.abs(sums).max() < 1e-10
    assert np.array_equal(found.force_on("robot"), found.force_on("ball"))
    with pytest.raises(kt.InputError, match="unknown shape, link or object of contacts 'bal'; did you mean 'ball'"):
        found.force_on("bal")


def rotations(q: np.ndarray) -> np.ndarray:
    return np.array([kt.lie.so3.from_quaternion(x) for x in q[:, 3:]])


def test_files_and_resumption_keep_all(ball, tmp_path):
    """To the bit, with a controller that has a state: in one run, in two, through files, of one lane."""
    world, q, v = billiard(np.array([0.5, 0.6])), at(0, 0, RADIUS), moving(2.0, 0, 0)

    def push(t, q, v, state):
        assert q.shape[-1] == 7 and v.shape[-1] == 6
        return np.concatenate([np.zeros_like(v[..., :3]), -state], axis=-1), state + 0.01 * v[..., 3:]

    given = {"controller": push, "record": 3}
    whole = ball.simulate(q, v, 0.24, DT, world=world, state=np.zeros((2, 3)), **given)
    half = ball.simulate(q, v, 0.12, DT, world=world, state=np.zeros((2, 3)), **given)
    for path in (None, tmp_path / "half.npz", tmp_path / "half.parquet"):
        if path is not None:
            half.save(path)
        first = half if path is None else kt.Trajectory.load(path, ball)
        assert first.world == world and np.array_equal(first.contacts.forces, half.contacts.forces)
        rest = first.resume(0.12, **given)
        for name in ("q", "v", "tau"):
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[:, 20:]), (path, name)
        assert np.array_equal(rest.objects["other"].pose, whole.objects["other"].pose[:, 20:])
        assert np.array_equal(rest.contacts.forces[:, :-1], whole.contacts.forces[:, 20:-1])
        assert np.array_equal(first.lane(1).resume(0.12, **given).q, whole.q[1, 20:])
    assert kt.Trajectory.load(tmp_path / "half.npz").q.shape == half.q.shape  # without the robot, too
    assert half[5:9].contacts.forces.shape == half.resample(half.t[5:9]).contacts.forces.shape == (2, 4, 5, 3)
    assert np.array_equal(half[5:9].contacts.forces, half.contacts.forces[:, 5:9])


def test_all_ways_to_step_agree(ball):
    """`simulate` called and compiled, `rollout`, and steps of the scene that keep what methods keep."""
    world, q, v = billiard(), at(0, 0, 0.2), moving(3.0, 0, 0)
    tau = np.array([0.0, 0.1, 0.0, 0.5, 0.0, 0.0])
    motion = ball.simulate(q, v, 0.2, DT, world=world, tau=tau, compiled=True)
    called = ball.simulate(q, v, 0.2, DT, world=world, controller=lambda t, q, v: tau)
    traced = ball.simulate(q, v, 0.2, DT, world=world, controller=lambda t, q, v: tau + 0.0 * v, compiled=True)
    rolled = ball.rollout(q, v, np.tile(tau, (100, 1)), DT, world=world)
    assert np.array_equal(motion.q, called.q) and np.array_equal(motion.q[1:], rolled[0])
    assert np.allclose(motion.q, traced.q, rtol=0, atol=1e-9)
    step = ball.step(q, v, tau, DT, world=world)
    assert np.array_equal(step[0], motion.q[1]) and np.array_equal(step[1], motion.v[1])
    scene = ball.with_world(world)
    start = np.concatenate([q, at(0.35, 0, RADIUS)]), np.concatenate([v, np.zeros(6)])
    of_scene = scene.simulate(*start, 0.2, DT, tau=np.concatenate([tau, np.zeros(6)]))
    assert (
        np.allclose(of_scene.q[:, :7], motion.q, rtol=0, atol=1e-9) and of_scene.contacts.names == motion.contacts.names
    )


@pytest.mark.parametrize("compiled", [False, True])
def test_what_acts_sees_the_robot_alone(ball, compiled):
    """Functions of wrenches, of (t, q, v) and of (model, t, q, v)."""
    seen = set[tuple[int, ...]]()

    def drag(t, q, v):
        seen.add((q.shape[-1], v.shape[-1]))
        return np.concatenate([0.0 * v[..., :3], -2.0 * v[..., 3:]], axis=-1)

    def of_model(model, t, q, v):
        seen.add((model.nq, q.shape[-1]))
        return kt.arrays.concatenate([0.0 * v[:3], -2.0 * v[3:]])

    world = kt.World(objects={"other": w.Sphere(0.1, mass=1.0, pose=[5, 0, 5])})
    wrench = {"ball": of_model if compiled else drag}
    motion = ball.simulate(at(0, 0, 5), moving(1.0, 0, 0), 0.1, DT, world=world, wrench=wrench)
    assert seen <= {(7, 6), (7, 7)} and seen
    assert np.isclose(motion.v[-1, 3], (1.0 - 2.0 * DT / MASS) ** 50, rtol=1e-9)


def test_controllers_of_control_act_on_the_robot_alone():
    """With states of their own, compiled into the loop of the scene; they go on to the bit."""
    robot, z = kt.load("planar2r"), np.zeros(2)
    world = kt.World(objects={"ball": w.Sphere(0.1, mass=1.0, pose=[3, 0, 1])})
    law = kt.control.sampled(kt.control.pd(robot, [0.3, 0.2], stiffness=50.0, damping=5.0), 0.01)
    given = {"dt": DT, "controller": law, "method": "semi-implicit"}
    motion, alone = (robot.simulate(z, z, 0.2, **given, **more) for more in ({"world": world}, {}))
    assert np.allclose(motion.q, alone.q, rtol=0, atol=1e-14) and motion.tau.shape == alone.tau.shape
    rest = robot.simulate(z, z, 0.1, **given, world=world).resume(0.1, controller=law)
    assert np.array_equal(rest.q, motion.q[50:]) and np.array_equal(rest.tau, motion.tau[50:])


def test_other_robots_have_names_and_no_actuators(ball):
    """Names of robots mean all of their shapes, as for pairs; controls are those of the robot."""
    slide = kt.Builder("slide")
    slide.link("foot", inertia=inertia.from_mass_com(1.0, np.zeros(3), 0.1 * np.eye(3)))
    slide.joint("lift", kt.joints.Prismatic([0, 0, 1]), parent="base", child="foot")
    slide.geometry(Geometry("sphere", (RADIUS,), "foot", np.eye(4), "collision"))
    other = slide.build(check="ignore").with_actuators(kt.Actuator.motor("lift"))
    robot = kt.Robot(other)
    objects = {"o": w.OtherRobot(other, pose=[1, 0, 0], q=[RADIUS])}
    motion = robot.simulate([RADIUS], [0.0], 0.02, DT, control=[2.0], world=kt.World(objects=objects))
    for name, force in (("robot", 9.81 - 2.0), ("o", 9.81), ("foot", 9.81 - 2.0), ("o/foot", 9.81)):
        assert np.allclose(motion.contacts.force_on(name)[:, 2], force, rtol=0, atol=1e-6), name
    assert motion.contacts.touches("o", "ground").all() and not motion.contacts.touches("o", "robot").any()


def test_overlaps_and_poor_solutions_are_told(ball, monkeypatch):
    world = kt.World(objects={"other": w.Sphere(RADIUS, mass=1.0, pose=[0, 0, 0.25])})
    with pytest.warns(kt.SimulationWarning, match=r"overlap at the beginning.*: ball-other by 0\.05 m$"):
        ball.simulate(at(0, 0, RADIUS), moving(0, 0, 0), 0.01, DT, world=world)
    monkeypatch.setattr(motion_contacts, "LARGEST_RESIDUAL", -1.0)
    told = r"contacts are not solved well: residual .* m/s in the step from t = [\d.e-]+ s, lane \d; 2 lanes have"
    with pytest.warns(kt.SimulationWarning, match=told):
        ball.simulate(np.stack([at(0, 0, RADIUS), at(1, 0, RADIUS)]), moving(1, 0, 0), 0.1, DT, world=kt.World())


def test_residuals_that_are_no_numbers_are_told():
    """Of lanes that go on; the others are told as motions that end."""
    states, residual = np.ones((3, 2, 7)), np.array([[0.0, 1e-9], [0.0, np.nan], [0.0, np.nan]])
    states[1, 1] = np.nan
    watch = motion_contacts.ResidualWatch()
    watch.look(np.array([0.1, 0.2]), {"contact_residual": residual}, states, states)
    assert watch.message.startswith("contacts are not solved well: the residual is not finite in the step from t = 0.2")
    assert watch.lane == (2,) and "lanes have" not in watch.message


def test_sensors_feel_weight_and_contact():
    """At rest on the ground: acceleration g upwards, and joints that carry what contacts do not."""
    b = kt.Builder("table")
    for k, (parent, z) in enumerate([("base", 0.0), ("plate1", 0.2)], 1):
        b.joint(f"slide{k}", kt.joints.Prismatic([0, 0, 1]), parent=parent, child=f"plate{k}", placement=[0, 0, z])
        b.link(f"plate{k}", inertia=inertia.from_mass_com(1.0 * k, np.zeros(3), 0.1 * np.eye(3)))
    b.geometry(Geometry("sphere", (0.1,), "plate1", np.eye(4), "collision"))
    robot = kt.Robot(b.build(check="ignore"))
    tau = np.array([5.0, 2.0 * 9.81])
    motion = robot.simulate([0.1, 0.0], [0.0, 0.0], 0.1, DT, tau=tau, world=kt.World())
    assert np.allclose(motion.imu("plate2").acceleration, [0, 0, 9.81], rtol=0, atol=1e-6)
    assert not motion.imu("plate2").angular_velocity.any()
    assert np.allclose(motion.force_torque("plate2"), [0, 0, 0, 0, 0, tau[1]], rtol=0, atol=1e-6)
    assert np.allclose(motion.force_torque("plate1")[..., 5], tau[0], rtol=0, atol=1e-6)
    assert np.allclose(motion.contacts.force_on("plate1"), [0, 0, 3 * 9.81 - 5.0], rtol=0, atol=1e-6)


def test_methods_that_no_world_can_have_refuse(ball):
    for method, world in itertools.product(("rk4", "euler"), (kt.World(),)):
        with pytest.raises(kt.InputError, match="cannot step in a world"):
            ball.rollout(at(0, 0, 1), moving(0, 0, 0), np.zeros((3, 6)), DT, world=world, method=method)
        with pytest.raises(kt.InputError, match="cannot step in a world"):
            ball.step(at(0, 0, 1), moving(0, 0, 0), np.zeros(6), DT, world=world, method=method)
