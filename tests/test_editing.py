"""Robots made of robots move as the whole does: checked on trees with every joint, mimics and closed loops."""

import copy
import enum
import pickle
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.lie import se3, so3
from kinetrace.model import WORLD

TREES = [kt.random_tree(10, seed=seed, base=base).model for seed, base in ((1, "fixed"), (4, "free"))]


def near(x, y):
    np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12 * np.abs(y).max(initial=1.0))


def state(model, rng):
    return model.random(rng), *rng.normal(size=(2, model.nv))


def with_effects(model):
    return kt.Robot(model).with_joint_effects(armature=0.3, damping=0.2, stiffness=2.0, rest=0.1)


@pytest.mark.parametrize("model", TREES, ids=("fixed", "free"))
def test_a_robot_with_locked_joints_moves_as_one_whose_joints_rest(model):
    rng, robot = np.random.default_rng(0), with_effects(model)
    leader = model.bodies[next(b.mimic.source for b in model.bodies if b.mimic)].joint_name
    several = [b.joint_name for b in model.independent_joints if b.joint.nq > 1]
    for names in ({leader, several[0], several[-1]}, set(model.joint_names[::2]), set(model.joint_names)):
        q, v, a = state(model, rng)
        made = robot.locked({name: q[robot.q_slice(name)] for name in names}).model
        at_q, at_v = (
            [k for x in model.joint_names if x not in names for k in range(n)[model.joint_slices(x)[i]]]
            for i, n in enumerate((model.nq, model.nv))
        )
        for x in (v, a):
            x[[k for k in range(model.nv) if k not in at_v]] = 0.0
        rest = q[at_q], v[at_v], a[at_v]
        near(alg.inverse_dynamics(made, *rest), alg.inverse_dynamics(robot.model, q, v, a)[at_v])
        near(alg.mass_matrix(made, rest[0]), alg.mass_matrix(robot.model, q)[np.ix_(at_v, at_v)])
        assert list(made.frames) == list(model.frames)
        for frame in made.frames:
            near(alg.pose(made, rest[0], frame=frame), alg.pose(model, q, frame=frame))


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_energies_of_joined_robots_are_those_of_both(base):
    """Of the other as it flies: so mass matrix, Coriolis forces and gravity are right, and the mass of its root."""
    rng, first = np.random.default_rng(1), with_effects(kt.random_tree(8, seed=2).model)
    other, flying = (kt.random_tree(9, seed=3, base=x) for x in (base, "free"))
    X = se3.pose(so3.exp(rng.normal(size=3)), rng.normal(size=3))
    for frame in ("link4", "tip", "base"):
        both = first.joined(other, frame, X, prefix="b_").model
        q1, v1, _ = state(first.model, rng)
        q2, v2, _ = state(flying.model, rng)
        mount = alg.pose(first.model, q1, frame=frame) @ X
        on = first.with_frame("mount", frame, X).model
        q2[:7] = [*mount[:3, 3], *so3.to_quaternion(mount[:3, :3])]
        v2[:6] = alg.velocity(on, q1, v1, frame="mount")
        q, v = np.concatenate([q1, q2[7:]]), np.concatenate([v1, v2[6:]])
        assert both.joint_names == (*first.joint_names, *(f"b_{x}" for x in flying.joint_names[1:]))
        T = alg.kinetic_energy(first.model, q1, v1) + alg.kinetic_energy(flying.model, q2, v2)
        U = alg.potential_energy(first.model, q1) + alg.potential_energy(flying.model, q2)
        root = flying.model.bodies[0].J * (frame == "base")  # which rests with the world
        T -= v2[:6] @ root @ v2[:6] / 2
        U += root[5, 5] * first.model.gravity @ (mount @ [*kt.lie.inertia.center_of_mass(root), 1.0])[:3]
        near(alg.kinetic_energy(both, q, v), T)
        near(alg.potential_energy(both, q), U)
        near(alg.total_energy(both, q, v), T + U)
        near(alg.pose(both, q, frame="b_tip"), alg.pose(flying.model, q2, frame="tip"))


def test_bodies_go_with_all_that_hangs_from_them():
    model = TREES[0]
    name = next(b.name for b in model.bodies if b.parent != WORLD and not any(c.mimic for c in model.bodies[b.index :]))
    robot = with_effects(model)
    less = robot.without_bodies(name, check="ignore").model
    left = {b.name for b in less.bodies}
    gone = {b.index for b in model.bodies if b.name not in left}
    assert gone == {b.index for b in model.bodies if model.frames[name].body in model.ancestors(b.index)}
    assert set(less.frames) == {f.name for f in model.frames.values() if f.body not in gone}
    empty = tuple(replace(b, J=b.J * (b.index not in gone)) for b in robot.model.bodies)
    massless = replace(robot.model, bodies=empty)
    rng = np.random.default_rng(5)
    q, v, a = state(model, rng)
    at = [(model.joint_slices(x), less.joint_slices(x)) for x in less.joint_names]
    q2, v2, a2 = np.zeros(less.nq), np.zeros(less.nv), np.zeros(less.nv)
    for (sq, sv), (tq, tv) in at:
        q2[tq], v2[tv], a2[tv] = q[sq], v[sv], a[sv]
    full, part = alg.inverse_dynamics(massless, q, v, a), alg.inverse_dynamics(less, q2, v2, a2)
    for (_, sv), (_, tv) in at:
        near(part[tv], full[sv])


def test_closures_follow():
    bar, arm = kt.load("four_bar"), kt.load("planar2r")
    q = bar.assemble()
    held = bar.locked({"crank": q[bar.q_slice("crank")]})
    assert held.dof == 0 and np.abs(held.closure_residual(held.assemble())).max() < 1e-9
    assert not bar.locked(dict(zip(bar.joint_names, q, strict=True))).closure_names
    with pytest.raises(kt.ModelError, match=r"closure 'coupler-rocker' is open by"):
        bar.locked(dict(zip(bar.joint_names, q + 0.1 * np.eye(3)[0], strict=True)))
    both = arm.joined(bar.with_motors("crank"), "tip", prefix="p_")
    assert both.dof == 3 and both.closure_names == ("p_coupler-rocker",)
    assert both.motor_names == ("joint1", "joint2", "p_crank")
    near(both.closure_residual([0.3, 0.2, *q]), 0.0)
    assert bar.without_closures(bar.closure_names).dof == bar.without_closures(*bar.closure_names).dof == 3
    with pytest.raises(kt.ModelError, match=r"closure 'coupler-rocker' holds on to 'rocker'.*without_closures"):
        bar.without_bodies("rocker")
    geared = arm.with_closures(kt.closures.gear("joint1", "joint2", 2.0, offset=0.1)).locked({"joint1": 0.2})
    near(geared.assemble(), [0.5])


def test_names_come_one_by_one_or_as_one_sequence():
    arm = kt.load("planar2r")
    damped = arm.with_joint_effects(damping=0.1)
    for call in (
        lambda *names: arm.with_motors(*names),
        lambda *names: arm.with_joint_effects(*names, damping=0.1),
        lambda *names: damped.without_joint_effects(*names),
    ):
        assert call("joint1", "joint2") == call(["joint1", "joint2"]) == call(arm.joint_names)
        assert call("joint2") == call(("joint2",)) != call("joint1") != call([])
    assert arm.with_joint_effects([], damping=0.1) == arm and damped.without_joint_effects([]) == damped
    assert arm.without_bodies(["link2"]) == arm.without_bodies("link2") and arm.without_bodies([]) == arm
    assert arm.without_closures(arm.closure_names) == arm


def test_loops_that_close_elsewhere_are_a_warning():
    bar = kt.load("four_bar")
    with pytest.warns(kt.ModelWarning, match=r"do not close from where its joints were; .* with joint '.*' \d.* away"):
        held = bar.locked({"crank": -2.25})
    assert np.abs(held.closure_residual(held.assemble())).max() < 1e-9


def test_a_point_is_a_frame_without_a_name():
    rng, robot = np.random.default_rng(2), kt.Robot(TREES[0], backend="numpy")
    p = rng.normal(size=3)
    named = robot.with_frame("point", "tip", p).model
    q, v, a = state(robot.model, rng)
    for f, given in ((alg.pose, ()), (alg.velocity, (v,)), (alg.acceleration, (v, a)), (alg.jacobian, ()),
                     (alg.pose_derivative, ()), (alg.jacobian_derivative, ()), (alg.velocity_derivatives, (v,)),
                     (alg.acceleration_derivatives, (v, a))):  # fmt: skip
        choices = [{}] if f.__name__.startswith("pose") else [{"expressed_in": x} for x in ("body", "space", "aligned")]
        for choice in choices:
            found = f(robot.model, q, *given, frame="tip", point=p, **choice)
            wanted = f(named, q, *given, frame="point", **choice)
            for x, y in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, wanted)), strict=True):
                near(x, y)
    arm, points = kt.load("planar2r"), rng.normal(size=(3, 1, 3))
    found = arm.pose(arm.random(4, seed=0), "tip", point=points)
    assert found.shape == (3, 4, 4, 4)
    near(found[2, 1], arm.with_frame("p", "tip", points[2, 0]).pose(arm.random(4, seed=0)[1], "p"))
    with pytest.raises(kt.InputError, match=r"point must have shape \(\.\.\., 3\)"):
        arm.pose([0.0, 0.0], "tip", point=[1.0, 2.0])


def test_frames_on_the_world_leave_the_root_as_it_is():
    """A robot whose root floats floats with a frame on the world, too."""
    arm, dog = kt.load("planar2r"), kt.random_tree(3, seed=1, base="free")
    marked = dog.with_frame("marker", "world", [1.0, 0, 0]).renamed(prefix="d_")
    assert arm.joined(pickle.loads(pickle.dumps(marked)), "tip").nv == arm.nv + dog.nv - 6
    assert marked.info()["root"] == "world" and marked.model.root.body == 0
    held = dog.locked({"floating_base": [0, 0, 1, 1, 0, 0, 0]})
    assert held.info()["root"] == held.model.root.name == dog.model.bodies[0].name
    assert arm.with_frame("marker", "world").info()["root"] == arm.info()["root"] == "base_link"
    fixed = arm.with_frame("marker", "world").joined(held.with_frame("m", "world"), "tip", prefix="d_")
    assert fixed.model.root.name == "base_link" and fixed.nv == arm.nv + dog.nv - 6


def test_links_that_become_parts_of_the_world_do_not_count():
    arm, q = kt.load("planar2r"), np.array([0.3, 0.4])
    locked, second = arm.locked({"joint1": 0.3}), arm.without_bodies("link2")
    near(locked.gravity(q[1:]), arm.gravity(q)[1:])
    near(locked.potential_energy(q[1:]), arm.potential_energy(q) - second.potential_energy(q[:1]))
    near(2 * arm.center_of_mass(q), locked.center_of_mass(q[1:]) + second.center_of_mass(q[:1]))  # links weigh the same


def test_the_world_is_the_world():
    root, arm = ROOTED.model.frame("world"), kt.load("planar2r")
    assert root.body == WORLD and ROOTED.renamed(frames={"world": "a"}).frame_names[0] == "a"
    assert arm.with_frame("world", "base_link").model.frame("world").body == WORLD
    assert arm.joined(ROOTED, "tip", prefix="b_").model.frame("b_world").body == 1
    on = arm.renamed(prefix="a_").joined(ROOTED, "a_base_link")
    assert on.model.frame("world").body == WORLD


def test_inertias_of_payloads_may_be_asymmetric_by_rounding():
    arm, R = kt.load("planar2r"), so3.exp([0.3, 0.2, 0.1])
    I = R @ np.diag([0.01, 0.02, 0.025]) @ R.T
    I[0, 1] += 1e-17
    J = arm.with_payload(1.0, "link2", inertia=I).model.bodies[1].J
    np.testing.assert_array_equal(J, J.T)
    with pytest.raises(kt.InputError, match="payload: inertia must be symmetric, to 1e-09 of its largest entry"):
        arm.with_payload(1.0, "link2", inertia=I + 1e-9 * np.eye(3, k=1))


def test_numbers_that_an_edit_does_not_change_stay_to_the_bit():
    builder, X = kt.Builder("odd"), np.eye(4)
    X[0, 3], X[1, 2], X[2, 1] = 0.4, 3e-15, -3e-15
    for i in range(3):
        builder.link(f"l{i}", kt.lie.inertia.from_mass_com(1.0, [0.1, 1e-17, 0.0], np.diag([0.1, 0.2, 0.2])))
        joint, parent = kt.joints.Revolute([3e-15, 0, 1]), f"l{i - 1}" if i else "base"
        builder.joint(f"j{i}", joint, parent=parent, child=f"l{i}", placement=X, child_placement=X)
    builder.frame("eye", "l2", X)
    exact, arm = kt.Robot(builder.build(snap_constants=False)), kt.load("planar2r")
    old = {body.name: body for body in exact.model.bodies}
    for robot, moved in (
        (exact.with_payload(1.0, "l1", com=[0.0, 0.0, 0.1]), None),
        (exact.with_frame("a", "eye"), None),
        (exact.locked({"j0": 0.3}), "l1"),
        (arm.joined(exact, "tip"), "l0"),
        (arm.joined(exact, "base_link"), None),
    ):
        for body in (b for b in robot.model.bodies if b.name in old):
            before = old[body.name]
            assert body.joint == before.joint and np.array_equal(body.X_ji, X)
            assert np.array_equal(body.X_pj, X) or body.name == moved
            assert kt.lie.inertia.to_parameters(body.J)[2] == 1e-17
        assert np.array_equal(robot.model.frames["eye"].X_bf, X)
    assert np.array_equal(exact.with_frame("a", "eye").model.frames["a"].X_bf, X)


def edited():
    arm = kt.load("planar2r")
    return {
        "frame": arm.with_frame("eye", "tip", np.eye(4)),
        "payload": arm.with_payload(0.2, "tip", com=[0.1, 0, 0], inertia=0.01 * np.eye(3)),
        "locked": arm.locked({"joint1": 0.3}),
        "removed": arm.without_bodies("link2"),
        "joined": arm.joined(arm, "tip", [0.1, 0, 0], prefix="b_"),
        "renamed": arm.renamed("other", joints={"joint1": "hip"}, frames={"tip": "toe"}, prefix="x_"),
    }


def test_edited_robots_are_robots():
    """They are pickled, copied and compared by content, keep settings, and can be counted, optimised and simulated."""
    first, again = edited(), edited()
    assert len({*first.values(), *again.values()}) == len(first)
    for name, robot in first.items():
        assert robot == again[name] == pickle.loads(pickle.dumps(robot)) == copy.deepcopy(robot), name
        assert robot != kt.load("planar2r") and robot.model == again[name].model
    robot = first["joined"]
    assert robot.count("inverse_dynamics").flops > kt.load("planar2r").count("inverse_dynamics").flops
    motion = robot.simulate(robot.neutral(), [0.1] * 4, t=0.01, dt=1e-3)
    assert np.ptp(motion.energy()) < 1e-9
    single = kt.load("planar2r", dtype="float32", threads=1, backend="numpy").optimise()
    for made in (single.with_frame("a", "tip"), single.renamed(prefix="a"), single.locked({"joint1": 0.0})):
        assert made._settings.keywords == single._settings.keywords
    assert single.renamed(prefix="a").dynamics_model != single.renamed(prefix="a").model
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    wrench = {"new": np.arange(6.0)}
    near(*(
        x.with_frame("new", "tip", [0.1, 0.2, 0.3]).inverse_dynamics(q, v, a, wrench=wrench)
        for x in (kt.load("planar2r"), kt.load("planar2r").optimise())
    ))  # fmt: skip


def test_robots_of_a_subclass_are_equal_if_what_they_add_is():
    class Arm(kt.Robot):
        pass

    model = kt.load("planar2r").model
    a, b = Arm(model), Arm(model)
    assert a == b and hash(a) == hash(b) and a != kt.Robot(model)
    a.tool, b.tool = np.arange(3.0), np.arange(3.0)
    assert a == b
    b.tool = np.zeros(3)
    assert a != b and a != "a"
    assert kt.Robot(model) != kt.Robot(model, threads=1)


class Name(str, enum.Enum):  # noqa: UP042 (a StrEnum prints as its text, which hides the difference)
    """A text of a subclass; so is NumPy's."""

    CAMERA = "camera"


def test_names_of_a_subclass_of_text_and_arrays_of_names_are_names():
    robot, new, one = kt.load("planar2r"), Name.CAMERA, np.str_("joint1")
    for edited in (
        robot.with_frame(new, np.str_("tip")),
        robot.renamed(new, joints={one: new}, frames={"tip": new}, prefix=np.str_("a_")),
        robot.joined(robot, np.str_("tip"), prefix=new),
        robot.with_motors(np.array(["joint1"])),
        robot.with_closures(kt.closures.Coupling({one: 1.0, "joint2": -1.0}, name=new)),
    ):
        assert edited.model.is_concrete and edited.mass_matrix([0.0] * edited.nq).shape == (edited.nv, edited.nv)
    assert robot.without_bodies(np.array(["link1", "link2"])).nq == 0
    assert robot.with_motors(np.array("joint1")).motor_names == ("joint1",)
    builder = kt.Builder(new)
    builder.link(np.str_("a"), np.eye(6))
    builder.joint(new, kt.joints.Revolute(), parent=np.str_("base"), child=np.str_("a"))
    builder.frame(new, np.str_("a"))
    assert kt.Robot(builder.build()).joint_names == ("camera",)


def test_arrays_are_no_names():
    robot, names = kt.load("planar2r"), np.array(["tip", "joint1"])
    for call in (
        lambda: robot.joined(robot, names, prefix="b_"),
        lambda: robot.with_payload(1.0, names),
        lambda: robot.q_slice(names),
        lambda: robot.q_slice(names[1:]),
        lambda: robot.without_bodies(names[None]),
    ):
        with pytest.raises(kt.InputError, match="must be a name"):
            call()
    for joints in (names, "", 0):
        with pytest.raises(kt.InputError, match="joints must map names to names"):
            robot.renamed(joints=joints)


def test_what_is_no_real_number_is_refused():
    robot, gear = kt.load("planar2r"), kt.closures.gear
    for x in (1 + 1j, np.complex64(1j), {}, object(), "a", None, [[1], [1, 2]]):
        for call in (
            lambda x: robot.locked({"joint1": x}),
            lambda x: gear("joint1", "joint2", x),
            lambda x: kt.closures.Coupling({"joint1": x, "joint2": 1.0}),
            lambda x: robot.with_closures(gear("joint1", "joint2", 2.0), guess=[x, 0.2]),
            lambda x: robot.with_closures(guess=[x, 0.2]),
            lambda x: robot.assemble([x, 0.2]),
            lambda x: robot.project([0.1, 0.2], [x, 0.2]),
        ):
            with pytest.raises(kt.KinetraceError, match=r"number|real"):
                call(x)
    for call in (
        lambda: robot.with_payload({}, "tip"),
        lambda: kt.closures.Rod(object()),
        lambda: kt.joints.Helical([0, 0, 1], pitch={}),
        lambda: robot.assemble(hold=object()),
        lambda: robot.project([0.1, 0.2], drive="x"),
        lambda: kt.compile(alg.operational_inertia, robot, frame="tip", axes=(3, 5), task_damping="a"),
        lambda: kt.compile(alg.operational_inertia, robot, frame="tip", axes=(3, 5), task_damping=np.ones(2)),
    ):
        with pytest.raises(kt.KinetraceError, match=r"number|must be a name|must map"):
            call()
    assert kt.closures.Rod(1 + 1e-20j).length.imag == 1e-20  # of a complex step
    for x in (mpmath.mpf(2), Fraction(1, 2), np.float32(2), 2**70):
        kt.joints.Helical([0, 0, 1], pitch=x)


PANDA = kt.load("panda")
GRIPPER = kt.random_tree(8, seed=2)
ROOTED = kt.load("planar2r").renamed(frames={"base_link": "world"})
FOLLOWER = next(b for b in GRIPPER.model.bodies if b.mimic)
LEADER = GRIPPER.model.bodies[FOLLOWER.mimic.source].joint_name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.with_frame("panda_hand", "panda_link1"), "frame 'panda_hand' exists already"),
        (lambda r: r.with_frame("a", "panda_hnad"), "unknown frame 'panda_hnad'; did you mean 'panda_hand'"),
        (lambda r: r.with_frame("a", "panda_hand", 2 * np.eye(4)), "frame 'a': pose is not a rigid motion"),
        (lambda r: r.with_frame("a", "panda_hand", [1.0, np.nan, 0]), "frame 'a': pose must be finite"),
        (lambda r: r.with_frame("a", "panda_hand", [[1], [1, 2]]), "frame 'a': pose .* rows differ in length"),
        (lambda r: r.with_frame("a", "panda_hand", [1, 2]), r"shape \(4, 4\), or a position of shape \(3,\), got"),
        (lambda r: r.with_frame("a", "panda_hand", np.diag([1, 1, -1, 1])), "rotation part has determinant -1"),
        (lambda r: r.with_frame("world", "panda_hand"), "with_frame: 'world' is the name of the world"),
        (lambda r: r.renamed(frames={"panda_hand": "world"}), "renamed: 'world' is the name of the world"),
        (lambda r: r.joined(ROOTED, "panda_hand"), "joined: 'world' is the name of the world.*prefix="),
        (lambda r: r.with_frame("", "panda_hand"), "a frame's name must be a name"),
        (lambda r: r.with_frames, "with_frame adds a named frame, with_link_frames"),
        (lambda r: r.locked({"panda_joint": 0.0}), "unknown joint 'panda_joint'; did you mean 'panda_joint"),
        (lambda r: r.locked({"panda_joint4": 0.0}), "joint 'panda_joint4' is at 0, above its upper limit -0.0698"),
        (lambda r: r.locked({"panda_joint4": [0.0, 1.0]}), "joint 'panda_joint4' must be a number, got shape"),
        (lambda r: r.locked({"panda_joint4": np.nan}), "joint 'panda_joint4' is nan"),
        (lambda r: r.locked(["panda_joint4"]), "expected joints and their values"),
        (lambda r: GRIPPER.locked({FOLLOWER.joint_name: 0.1}), f"mimics '{LEADER}': lock that"),
        (lambda r: r.without_bodies("panda_hand"), "'panda_hand' is a fixed part of body 'panda_link7'"),
        (lambda r: r.without_bodies("panda_link0"), "fixed to the world"),
        (lambda r: r.without_bodies("panda_link9"), "unknown body 'panda_link9'"),
        (lambda r: r.without_bodies(), "without_bodies: name a body, such as 'panda_link1', .* more"),
        (lambda r: kt.load("four_bar").without_closures(), "robot.closure_names are all, here 'coupler-rocker'"),
        (lambda r: r.with_joint_effects(["panda_joint1", "panda_joint"], damping=0.1), "unknown joint 'panda_joint'"),
        (lambda r: r.joined(r, "panda_hand"), "both robots have joints 'panda_joint1'.*frames .*prefix="),
        (lambda r: r.joined(r.model, "panda_hand"), "expected a Robot"),
        (lambda r: r.renamed(joints={"a": "b"}), "unknown joint 'a'"),
        (lambda r: r.renamed(joints={"panda_joint1": "panda_joint2"}), "two joints would be called 'panda_joint2'"),
        (lambda r: r.with_payload(1.0, "panda_link0"), "fixed to the world"),
        (lambda r: r.with_payload(-1.0, "panda_hand", check="error"), "payload.*mass -1 is negative"),
        (lambda r: r.with_payload(1.0, "panda_hand", com=[0, 0]), "com must have shape"),
    ],
)
def test_errors_name_what_is_wrong(call, message):
    with pytest.raises((kt.KinetraceError, AttributeError), match=message):
        call(PANDA)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda r: r.with_payload(1.0, "panda_hand", [0, 0, 0.1]),
            TypeError,
            "^with_payload takes mass, frame without a",
        ),
        (lambda r: r.with_frame("a"), TypeError, "^with_frame needs parent$"),
        (lambda r: r.with_frame("a", "b", name="c"), TypeError, "^with_frame got name twice$"),
        (lambda r: r.renamed(links={}), kt.InputError, "keyword of renamed 'links'.*frames"),
        (lambda r: r.locked(panda_joint1=0), kt.InputError, "keyword of locked 'panda_joint1'. Valid: joints"),
        (lambda r: r.without_bodies(names="a"), kt.InputError, "keyword of without_bodies 'names'. Valid: check"),
        (lambda r: r.check(r.home(), limit=False), kt.InputError, "'limit'; did you mean 'limits'"),
        (lambda r: r.assemble(holds=()), kt.InputError, "'holds'; did you mean 'hold'"),
    ],
)
def test_arguments_are_named_as_users_do(call, error, message):
    with pytest.raises(error, match=message):
        call(PANDA)


def test_payloads_in_grams_and_millimetres_are_doubted_and_sane_ones_are_not():
    """The warning names the mass, the robot's, and what would be right."""
    arm = kt.load("panda")
    with pytest.warns(kt.PhysicsWarning, match=r"2000 kg .* 16\.\d kg; .* give 2 if it is 2000 g"):
        arm.with_payload(2000, "panda_hand")
    with pytest.warns(kt.PhysicsWarning, match=r"com is 100 m .* give \[0\.0, 0\.0, 0\.1\] if they are mm"):
        arm.with_payload(2, "panda_hand", com=[0, 0, 100])
    bare = kt.from_dh([(0, 0, 0, 0), (0.4, 0, 0, 0)], check="ignore")
    for robot, mass, frame, com in (
        *(
            (kt.load(name), 1.0 * k, kt.load(name).frame_names[-1], [0, 0, 0.3])
            for name in ("ur5e", "planar2r")
            for k in (1, 19)
        ),
        (kt.load("quadruped", base="free"), 40.0, "trunk", [0, 0, 0.5]),
        (bare, 100.0, "tip", [0, 0, 0.1]),  # the only mass there is
    ):
        robot.with_payload(mass, frame, com=com)  # warnings are errors
    arm.with_payload(2000, "panda_hand", check="ignore")
