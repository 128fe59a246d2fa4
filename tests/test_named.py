"""States by the names of joints: there and back, what is missing, what is refused; another home."""

import numpy as np
import pytest

import kinetrace as kt


def gripper():
    b = kt.Builder("gripper")
    for name, mimic in (("left", None), ("right", ("left", -2.0, 0.1))):
        b.link(name, inertia=np.eye(6))
        b.joint(
            f"{name}_slide", kt.joints.Prismatic(), parent="palm", child=name, mimic=mimic and ("left_slide", -2.0, 0.1)
        )
    return kt.Robot(b.build(), backend="numpy")


@pytest.mark.parametrize("shape", [(), (3,), (2, 1)])
@pytest.mark.parametrize("seed", range(3))
def test_there_and_back(shape, seed):
    """Trees with joints of every kind, mimics among them, one state and batches."""
    robot = kt.random_tree(9, seed, base="free", backend="numpy")
    q, v = robot.random(shape, seed=seed), np.random.default_rng(seed).normal(size=(*shape, robot.nv))
    by_joint = robot.q_by_joint(q)
    assert tuple(by_joint) == robot.joint_names == tuple(robot.v_by_joint(v))
    np.testing.assert_array_equal(robot.q_from(by_joint), q)
    np.testing.assert_array_equal(robot.v_from(robot.v_by_joint(v)), v)
    np.testing.assert_allclose(robot.q_from(robot.q_by_joint(q, degrees=True), degrees=True), q, atol=1e-15)
    for name, value in by_joint.items():
        part = q[..., robot.q_slice(name)]
        assert np.shape(value) == (shape if part.shape[-1] == 1 else part.shape)
        assert shape or part.shape[-1] > 1 or type(value) is float


def test_joints_that_are_not_named():
    robot = kt.load("panda", backend="numpy")
    q = robot.q_from({"panda_joint2": [0.1, 0.2], "panda_joint4": -1.0})
    assert q.shape == (2, 7) and q[:, 1].tolist() == [0.1, 0.2] and np.all(q[:, 3] == -1.0)
    np.testing.assert_array_equal(np.delete(q[0], [1, 3]), np.delete(robot.home(), [1, 3]))
    other = robot.random((5, 1), seed=0)
    assert robot.q_from({"panda_joint2": [0.1, 0.2]}, other).shape == (5, 2, 7)
    assert robot.q_from({}, other)[..., 2].tolist() == other[..., 2].tolist()
    assert robot.v_from({"panda_joint2": 1}).tolist() == [0, 1, 0, 0, 0, 0, 0]
    single = kt.load("panda", dtype="float32", backend="numpy")
    assert single.q_from({"panda_joint2": np.float32(0.1)}).dtype == np.float64
    assert kt.load("planar2r").q_from({"joint1": 90, "joint2": -90}, degrees=True).tolist() == [np.pi / 2, -np.pi / 2]


def test_rotations_and_poses():
    b = kt.Builder("camera")
    b.link("camera", inertia=np.eye(6))
    b.joint("ball", kt.joints.Spherical(), parent="base", child="camera")
    ball, dog = kt.Robot(b.build(), backend="numpy"), kt.load("quadruped", base="free", backend="numpy")
    R = kt.lie.so3.exp(np.random.default_rng(0).normal(size=(4, 3)))
    q = ball.q_from({"ball": R})
    np.testing.assert_allclose(ball.pose(q, "camera")[:, :3, :3], R, atol=1e-12)
    X = kt.lie.se3.pose(R, np.arange(12.0).reshape(4, 3))
    np.testing.assert_allclose(dog.pose(dog.q_from({"floating_base": X}), "trunk"), X, atol=1e-12)
    np.testing.assert_array_equal(dog.q_from({"floating_base": [1, 2, 3]})[:7], [1, 2, 3, 1, 0, 0, 0])
    with pytest.raises(kt.InputError, match="q: joint 'ball': its rotation is not orthonormal"):
        ball.q_from({"ball": -np.eye(3)})
    with pytest.raises(kt.InputError, match="last row of a pose"):
        dog.q_from({"floating_base": np.ones((4, 4))})


def test_a_mimic_joint_is_where_its_leader_puts_it():
    robot = gripper()
    both = {"left_slide": [0.02, 0.03], "right_slide": [0.06, 0.04]}
    assert robot.q_from(both).tolist() == [[0.02], [0.03]]
    assert robot.v_from({"left_slide": 1.0, "right_slide": -2.0}).tolist() == [1.0]
    for call, told in (
        (
            lambda: robot.q_from({**both, "right_slide": 0.06}),
            "'right_slide' mimics 'left_slide', which puts it at 0.04, not 0.06",
        ),
        (
            lambda: robot.q_from({"right_slide": 0.06}),
            "'right_slide' mimics 'left_slide': give the value of 'left_slide'",
        ),
        (lambda: robot.v_from({"left_slide": 1.0, "right_slide": 2.0}), "v: joint 'right_slide' mimics 'left_slide'"),
    ):
        with pytest.raises(kt.InputError, match=told):
            call()


def test_what_is_refused():
    robot, dog = kt.load("panda", backend="numpy"), kt.load("quadruped", base="free", backend="numpy")
    for call, told in (
        (lambda: robot.q_from({"panda_joint": 0.1}), "unknown joint 'panda_joint'; did you mean 'panda_joint"),
        (lambda: robot.q_from([0.1] * 7), "q: expected joints and their values, as {'elbow': 0.5}; got list"),
        (lambda: robot.q_from({3: 0.1}), "joint must be a name"),
        (lambda: robot.q_from({"panda_joint1": np.nan}), "q: joint 'panda_joint1' is nan"),
        (lambda: robot.q_from({"panda_joint1": "a"}), "q: joint 'panda_joint1'"),
        (
            lambda: robot.q_from({"panda_joint1": [1, 2], "panda_joint2": [1, 2, 3]}),
            r"batch axes \(2,\) of 'panda_joint1'",
        ),
        (lambda: robot.q_from({}, np.zeros(6)), r"others must have shape \(..., 7\), got \(6,\)"),
        (
            lambda: dog.q_from({"floating_base": [1, 2]}),
            r"7 numbers, of shape \(..., 7\), a pose \(..., 4, 4\), or a pos",
        ),
        (lambda: dog.q_from({"floating_base": [0, 0, 0, 2, 0, 0, 0]}), "quaternion of length 2"),
        (lambda: dog.v_from({"floating_base": [0, 0]}), r"v: joint 'floating_base' must be 6 numbers"),
        (lambda: robot.v_from({"panda_joint1": np.inf}), "v: joint 'panda_joint1' is inf"),
        (lambda: robot.q_by_joint(np.zeros(6)), r"q must have shape \(..., 7\), got \(6,\)"),
        (lambda: robot.v_by_joint("abc"), "v"),
        (lambda: robot.with_home({"panda_joint9": 0.1}), "unknown joint 'panda_joint9'; did you mean"),
        (lambda: robot.with_home(np.zeros(7)), "home: joint 'panda_joint4' is at 0, above its upper limit"),
        (lambda: robot.with_home(np.zeros(6)), r"home must be one configuration of shape \(7,\), or joints and their"),
        (
            lambda: robot.with_home({"panda_joint1": [0.1, 0.2]}),
            r"home: joint 'panda_joint1' must be a number, got shape \(2,\)",
        ),
        (
            lambda: dog.with_home({"floating_base": np.ones((2, 3))}),
            r"home: joint 'floating_base' must be numbers of shape \(7,\), got shape \(2, 3\)",
        ),
    ):
        with pytest.raises(kt.InputError, match=told):
            call()


def test_another_home(tmp_path):
    robot = kt.load("panda", backend="numpy")
    moved = robot.with_home({"panda_joint1": 0.5})
    np.testing.assert_array_equal(moved.home(), [0.5, *robot.home()[1:]])
    assert moved == kt.load("panda", home=moved.home(), backend="numpy")
    for value in (0.5, [0.5]):  # one configuration of a joint, as Builder.start takes it
        assert moved == kt.load("panda", home={"panda_joint1": value}, backend="numpy")
    moved.save(tmp_path / "x.json")
    np.testing.assert_array_equal(kt.load(tmp_path / "x.json").home(), moved.home())
    assert moved.with_payload(1.0, "panda_hand").locked({"panda_joint2": 0.0}).home()[0] == 0.5
    fast = moved.optimise().with_home(robot.home())
    assert fast.dynamics_model is not fast.model and np.array_equal(fast.home(), robot.home())
    bar = kt.load("four_bar", backend="numpy")
    turned = bar.with_home({"crank": 2.0})  # which stays, and the others follow
    turned.check(turned.home())
    assert abs(turned.home()[0] - 2.0) < 1e-9 and turned.independent == bar.independent
    assert kt.load("four_bar", home={"crank": 2.0}, backend="numpy") == turned
    near = bar.with_home({"crank": 2.0, "coupler": -0.6, "rocker": 1.5}).home()  # open: near these
    bar.check(near)
    assert 0.0 < np.abs(near - [2.0, -0.6, 1.5]).max() < 0.6
