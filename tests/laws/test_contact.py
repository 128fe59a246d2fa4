"""Laws of contact, by closed forms: friction that sticks and slips, rolling, spinning, bounces, stacks, grasps.

All with the default solver, tolerances and laws, and double precision unless a test says another.
"""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import so3

G = 9.81


def tilted(angle, **law):
    """A plane through the origin that falls along x."""
    return kt.World(ground=kt.worlds.Plane(normal=[np.sin(angle), 0.0, np.cos(angle)]), **law)


def body(*shapes, mass=1.0, inertia=None):
    """A free body with shapes (kind, size), uniform like the first unless its inertia is given."""
    b = kt.Builder("body")
    kind, size = shapes[0]
    if inertia is None:
        x = np.asarray(size, dtype=float)
        inertia = np.eye(3) * 0.4 * x[0] ** 2 if kind == "sphere" else np.diag((x**2).sum() - x**2) / 12.0
    b.link("body", inertia=kt.lie.inertia.from_mass_com(mass, np.zeros(3), mass * np.asarray(inertia)))
    b.joint("free", kt.joints.Free(), parent="world", child="body")
    for kind, size in shapes:
        b.geometry(kt.model.Geometry(kind, tuple(size), "body", np.eye(4), "collision"))
    return kt.Robot(b.build())


def on_slope(angle, height):
    """q of a body on the tilted plane."""
    turn = so3.quaternion_exp(np.array([0.0, angle, 0.0]))
    return np.concatenate([height * np.array([np.sin(angle), 0.0, np.cos(angle)]), turn])


BOX, BALL = body(("box", (0.2, 0.2, 0.2))), body(("sphere", (0.1,)))
REST = np.zeros(6)


def test_a_box_sticks_on_a_slope_and_slips_on_a_steeper_one():
    mu = 0.6
    below, above = np.arctan(mu) * 0.95, np.arctan(mu) * 1.1
    stuck = BOX.simulate(on_slope(below, 0.1), REST, t=1.0, dt=2e-3, world=tilted(below, friction=mu))
    assert np.linalg.norm(stuck.q[-1, :3] - stuck.q[0, :3]) < 1e-6
    slips = BOX.simulate(on_slope(above, 0.1), REST, t=1.0, dt=2e-3, world=tilted(above, friction=mu))
    rate = np.linalg.norm(slips.v[-1, 3:])
    np.testing.assert_allclose(rate, G * (np.sin(above) - mu * np.cos(above)), rtol=1e-4)
    assert stuck.contacts.residual.max() < 1e-4 and slips.contacts.residual.max() < 1e-4


def test_a_ball_rolls_and_a_sliding_one_begins_to_roll():
    angle = 0.3
    rolls = BALL.simulate(on_slope(angle, 0.1), REST, t=1.0, dt=2e-3, world=tilted(angle, friction=0.6))
    np.testing.assert_allclose(np.linalg.norm(rolls.v[-1, 3:]), 5.0 / 7.0 * G * np.sin(angle), rtol=1e-9)
    thrown = BALL.simulate(on_slope(0.0, 0.1), np.r_[0, 0, 0, 1.0, 0, 0], t=1.0, dt=1e-3, world=kt.World(friction=0.3))
    R = so3.from_quaternion(thrown.q[-1, 3:])
    np.testing.assert_allclose(R @ thrown.v[-1, 3:], [5.0 / 7.0, 0.0, 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(R @ thrown.v[-1, :3], [0.0, 5.0 / 7.0 / 0.1, 0.0], rtol=0, atol=1e-8)


def test_spinning_and_rolling_balls_stop():
    """At the rates μ_t m g / I and μ_r m g / (I + m r²), exactly, and then they rest."""
    length, inertia = 0.002, 0.4 * 0.01
    ground = kt.World(laws=kt.worlds.ContactLaw(friction=0.8, torsion=length, rolling=length))
    spins = BALL.simulate(on_slope(0.0, 0.1), np.r_[0, 0, 5.0, 0, 0, 0], t=2.0, dt=1e-3, world=ground)
    k = 400
    np.testing.assert_allclose(spins.v[k, 2], 5.0 - length * G / inertia * spins.t[k], rtol=1e-9)
    assert np.abs(spins.v[-1]).max() < 1e-12
    rolls = BALL.simulate(on_slope(0.0, 0.1), np.r_[0, 1.0, 0, 0.1, 0, 0], t=2.0, dt=1e-3, world=ground)
    rate = length * G / (inertia + 0.01)
    speed = np.linalg.norm(rolls.v[:, :3], axis=1)
    np.testing.assert_allclose(speed[k], 1.0 - rate * rolls.t[k], rtol=1e-6)
    assert speed[-1] < 1e-12


@pytest.mark.parametrize("solver", ("sweeps", "newton"))
def test_a_turntable_spins_a_ball_up_and_a_turning_surface_rolls_it(solver):
    """At the rates of the test above, to the twist of the surface."""
    length, inertia = 0.002, 0.4 * 0.01
    laws = {"friction": 0.8, "torsion": length, "rolling": length}

    def moves(velocity, t):
        surface = kt.worlds.Surface(kt.worlds.ContactLaw(**laws), velocity=velocity)
        world = kt.World(ground=kt.worlds.Plane(surface=surface), solver=solver)
        return BALL.simulate(on_slope(0.0, 0.1), REST, t=t, dt=1e-3, world=world)

    spins = moves([0, 0, 5.0, 0, 0, 0], 1.5)
    np.testing.assert_allclose(spins.v[400, 2], length * G / inertia * spins.t[400], rtol=1e-6)
    np.testing.assert_allclose(spins.v[-1], [0, 0, 5.0, 0, 0, 0], rtol=0, atol=1e-6)
    # A surface that turns about x at the point, where it rests, takes the ball along by friction against rolling alone.
    rolls = moves([1.0, 0, 0, 0, 0, 0], 0.2)
    np.testing.assert_allclose(rolls.v[-1, 0], length * G / (inertia + 0.01) * rolls.t[-1], rtol=1e-3)


def test_a_ball_bounces_to_lower_and_lower_heights():
    e, h = 0.8, 5e-4
    q = on_slope(0.0, 1.1)
    motion = BALL.simulate(q, REST, t=3.0, dt=h, world=kt.World(restitution=e))
    z = motion.q[:, 2] - 0.1
    peaks = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    np.testing.assert_allclose(peaks[:3], e ** (2.0 * np.arange(1, 4)), rtol=0, atol=10.0 * h)
    assert z.min() > -1e-9


def test_thrown_boxes_never_gain_more_than_a_thousandth(rng):
    """Of the energy of the impact, in any step."""
    lanes = 64
    q = np.tile(on_slope(0.0, 0.5), (lanes, 1))
    q[:, 3:] = so3.quaternion_exp(rng.normal(size=(lanes, 3)).T).T if False else _random_turns(rng, lanes)
    v = rng.normal(size=(lanes, 6)) * np.r_[4.0, 4, 4, 2, 2, 2]
    motion = BOX.simulate(q, v, t=2.0, dt=2e-3, world=kt.World(friction=0.5))
    energy = motion.energy()
    impact = energy[:, :1] - energy.min(axis=1, keepdims=True)
    gain = np.diff(energy, axis=1).max(axis=1) / impact[:, 0]
    assert gain.max() < 1e-3
    assert np.isfinite(motion.q).all() and motion.contacts.residual.max() < 1e-3


def _random_turns(rng, lanes):
    x = rng.normal(size=(lanes, 4))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("solver", ("sweeps", "newton"))
def test_forces_of_pairs_with_and_without_friction(solver):
    """Beside each other: what they push is told of both."""
    balls = {"slick": kt.worlds.Sphere(0.1, mass=1.0, pose=[1, 0, 0.1])}
    world = kt.World(objects=balls, friction={"slick": 0.0}, solver=solver)
    motion = BALL.simulate(on_slope(0.0, 0.1), REST, t=0.05, dt=1e-3, world=world)
    for name in ("body", "slick"):
        np.testing.assert_allclose(motion.contacts.force_on(name)[-1], [0.0, 0.0, G], rtol=0, atol=1e-6)


def stack_of(masses, side=0.2):
    """A box, and others on it, with room of a nanometre."""
    objects = {
        f"box{k}": kt.worlds.Box([side] * 3, mass=m, pose=[0, 0, (k + 1.5) * side]) for k, m in enumerate(masses[1:])
    }
    robot = body(("box", (side,) * 3), mass=masses[0])
    return robot, on_slope(0.0, side / 2.0), kt.World(objects=objects, friction=0.6)


@pytest.mark.parametrize("masses", ([1.0] * 3, [1.0] * 5, [1.0, 100.0]), ids=("three", "five", "heavy on light"))
def test_stacks_stand(masses):
    robot, q, world = stack_of(masses)
    motion = robot.simulate(q, REST, t=20.0, dt=2e-3, world=world, record=1000)
    poses = [motion.q, *(motion.objects[name].pose for name in world.objects)]
    for x in poses:
        assert np.abs(x[-1, :2] - x[0, :2]).max() < 1e-6
        assert abs(x[-1, 2] - x[0, 2]) < 1e-4
    assert motion.contacts.gaps[-1].min() > -1e-4


def grasp(mass=0.2, finger=0.1):
    """Two fingers on sliders along x with two balls each, one above the other... beside each other along y."""
    b = kt.Builder("gripper")
    for name, side in (("left", -1.0), ("right", 1.0)):
        b.link(name, inertia=kt.lie.inertia.from_mass_com(finger, np.zeros(3), np.eye(3) * 1e-4))
        b.joint(f"{name}_slide", kt.joints.Prismatic([1, 0, 0]), parent="world", child=name)
        for y in (-0.01, 0.01):
            X = np.eye(4)
            X[:3, 3] = side * 0.04, y, 0.0
            b.geometry(kt.model.Geometry("sphere", (0.01,), name, X, "collision"))
    world = kt.World(ground=None, objects={"box": kt.worlds.Box([0.06] * 3, mass=mass, friction=0.8)}, friction=0.8)
    return kt.Robot(b.build()), world


def test_a_grasp_by_two_points_a_finger_holds_and_shares_the_load():
    robot, world = grasp()
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], t=10.0, dt=2e-3, tau=[5.0, -5.0], world=world, record=500)
    pose = motion.objects["box"].pose
    assert np.abs(pose[-1] - pose[1]).max() < 1e-6
    normal = np.abs(motion.contacts.forces[-1, :, 0])
    np.testing.assert_allclose(normal, 2.5, rtol=0.1)


@pytest.mark.parametrize("force", (12.0, 60.0))
def test_a_pinched_capsule_does_not_move(force):
    b = kt.Builder("pads")
    for name, side in (("left", -1.0), ("right", 1.0)):
        b.link(name, inertia=kt.lie.inertia.from_mass_com(0.1, np.zeros(3), np.eye(3) * 1e-4))
        b.joint(f"{name}_slide", kt.joints.Prismatic([1, 0, 0]), parent="world", child=name)
        X = np.eye(4)
        X[0, 3] = side * 0.03
        b.geometry(kt.model.Geometry("box", (0.02, 0.05, 0.05), name, X, "collision"))
    capsule = kt.worlds.Capsule(0.02, 0.06, mass=0.045)
    world = kt.World(ground=None, objects={"capsule": capsule}, friction=0.7)
    motion = kt.Robot(b.build()).simulate(
        [0.0, 0.0], [0.0, 0.0], t=10.0, dt=2e-3, tau=[force, -force], world=world, record=100
    )
    pose = motion.objects["capsule"].pose
    assert np.abs(pose[-1, :3] - pose[1, :3]).max() < 1e-9


@pytest.mark.parametrize("solver", ("sweeps", "newton"))
@pytest.mark.parametrize("friction", (0.3, 1.0))
def test_a_planar_arm_drags_its_tip_though_none_of_its_joints_moves_it_sideways(solver, friction):
    """The row of the tangent across the plane is zero, and with it the compliance of tangents singular."""
    b = kt.Builder("arm")
    for k, parent in enumerate(("world", "first")):
        child = ("first", "second")[k]
        b.link(child, mass=1.0, com=[0.25, 0, 0], inertia=[0.001, 0.02, 0.02])
        place = [0.0, 0.0, 0.5] if k == 0 else [0.5, 0.0, 0.0]
        b.joint(child, kt.joints.Revolute([0, 1, 0]), parent=parent, child=child, placement=place)
    tip = np.eye(4)
    tip[0, 3] = 0.5
    b.geometry(kt.model.Geometry("sphere", (0.05,), "second", tip, "collision"))
    robot = kt.Robot(b.build())
    lifted = np.array([[-0.5, 0.9], [-1.2, 2.0], [0.0, 0.5], [-0.3, 0.6]])
    world = kt.World(friction=friction, solver=solver)
    motion = robot.simulate(lifted, np.zeros((4, 2)), t=1.0, dt=2e-3, world=world)
    found = motion.contacts
    assert np.isfinite(motion.q).all() and np.isfinite(motion.v).all() and np.isfinite(found.forces).all()
    assert found.touching.any(axis=(1, 2)).all()
    assert found.residual.max() < 1e-3 and found.gaps.min() > -1e-3
    x, y, z = np.moveaxis(found.forces[:, :, 0], -1, 0)
    assert (
        (np.hypot(x, y) <= friction * z * (1.0 + 1e-9) + 1e-9).all()
        and np.abs(x).max() > 0.1
        and np.abs(y).max() < 1e-9
    )


FEET_KP, FEET_KD = 60.0, 2.0
STANCE = np.tile([0.0, 0.8, -1.6], 4)


def dog(dtype="float64"):
    return kt.load("quadruped", base="free", dtype=dtype).with_joint_effects(armature=0.01)


def servo(robot):
    def forces(model, t, q, v):
        return kt.arrays.concatenate([np.zeros(6), FEET_KP * (STANCE - q[7:]) - FEET_KD * v[6:]])

    return kt.control.Controller(robot, forces)


@pytest.mark.parametrize(("dtype", "creep"), (("float64", 1e-5), ("float32", 2e-4)))
def test_a_quadruped_stands_for_a_minute(dtype, creep):
    robot = dog(dtype)
    q = np.concatenate([[0, 0, 0.313, 1, 0, 0, 0], STANCE])
    motion = robot.simulate(
        q, np.zeros(18), t=66.0, dt=2e-3, controller=servo(robot), world=kt.World(pairs="feet"), record=1000
    )
    feet = motion.contacts.points[[3, -1]]  # from when it has come to rest
    assert np.abs(feet[1] - feet[0]).max() < creep
    assert motion.contacts.gaps[1:].min() > -1e-4
    np.testing.assert_allclose(motion.contacts.forces[-1, :, 2].sum(), G * robot.info()["moving_mass"], rtol=1e-4)
    assert motion.contacts.residual[1:].max() < 1e-4


def test_a_quadruped_stands_on_a_slope_for_a_minute():
    robot, angle = dog(), np.radians(15.0)
    q = np.concatenate([on_slope(angle, 0.313), STANCE])
    motion = robot.simulate(
        q, np.zeros(18), t=66.0, dt=2e-3, controller=servo(robot), world=tilted(angle, pairs="feet"), record=1000
    )
    feet = motion.contacts.points[[3, -1]]  # from when it has come to rest
    assert np.abs(feet[1] - feet[0]).max() < 1e-6


def test_cones_hold_and_random_states_stay_finite(rng):
    for dtype, violation in (("float64", 1e-12), ("float32", 1e-5)):
        robot = dog(dtype)
        lanes = 2000
        q = np.tile(np.concatenate([[0, 0, 0.2, 1, 0, 0, 0], STANCE]), (lanes, 1))
        q[:, 2] += rng.uniform(-0.5, 0.3, lanes)
        q[:, 3:7], q[:, 7:] = _random_turns(rng, lanes), STANCE + rng.normal(size=(lanes, 12))
        v = 10.0 * rng.normal(size=(lanes, 18))
        scene = robot.with_world(kt.World(pairs="feet", friction=0.8))
        with pytest.warns(kt.SimulationWarning):  # that they move too fast, and begin under the ground
            motion = scene.simulate(q, v, t=0.1, dt=2e-3, compiled=True)
        assert np.isfinite(motion.q).all() and np.isfinite(motion.v).all()
        x = np.asarray(motion.end.state.kept["contact_impulses"], dtype=float)
        tangential = np.linalg.norm(x[..., :2], axis=-1)
        assert (tangential <= 0.8 * x[..., 2] * (1.0 + violation) + 1e-30).all()
