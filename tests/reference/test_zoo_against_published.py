"""The bundled robots against numbers printed in the literature, or that follow from them by hand.

Sources are named at each test; the files in `kinetrace/model/zoo/robots` say where their numbers come from.
"""

import numpy as np
import pytest

import kinetrace as kt

GRAVITY = 9.81
RIGHT = np.pi / 2


def gravity_torque(robot, q):
    zero = np.zeros(robot.nv)
    return robot.inverse_dynamics(np.asarray(q, float), zero, zero)


def mass_matrix(robot, q):
    """Column i is what the acceleration e_i takes beyond gravity."""
    q, zero = np.asarray(q, float), np.zeros(robot.nv)
    return (robot.inverse_dynamics(q, zero, np.eye(robot.nv)) - gravity_torque(robot, q)).T


def position(robot, q, frame):
    return robot.pose(np.asarray(q, float), frame)[:3, 3]


# planar2r: uniform rods of 1 m and 1 kg, in closed form


@pytest.mark.parametrize("q1, q2", [(0.0, 0.0), (0.4, -1.1), (-2.0, 0.7)])
def test_planar2r_closed_form(q1, q2):
    robot = kt.load("planar2r")
    q = np.array([q1, q2])
    c1, c2, c12 = np.cos(q1), np.cos(q2), np.cos(q1 + q2)
    coupling = 1 / 3 + c2 / 2
    np.testing.assert_allclose(mass_matrix(robot, q), [[5 / 3 + c2, coupling], [coupling, 1 / 3]], rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        gravity_torque(robot, q), GRAVITY * np.array([1.5 * c1 + 0.5 * c12, 0.5 * c12]), rtol=0, atol=1e-13
    )
    np.testing.assert_allclose(
        position(robot, q, "tip"), [c1 + c12, 0, np.sin(q1) + np.sin(q1 + q2)], rtol=0, atol=1e-14
    )


# puma560: Armstrong, Khatib and Burdick, ICRA 1986. They count with g = 9.8 m/s^2, and print three digits.


def akb_gravity(q, g1, g2, g3, g4, g5):
    """Their explicit gravity torques; q1 and q6 do not enter."""
    _, q2, q3, q4, q5, _ = q
    s23, c23 = np.sin(q2 + q3), np.cos(q2 + q3)
    wrist = g5 * (s23 * np.cos(q5) + c23 * np.cos(q4) * np.sin(q5))
    forearm = g2 * s23 + g4 * c23 + wrist
    return np.array(
        [
            0,
            g1 * np.cos(q2) + g3 * np.sin(q2) + forearm,
            forearm,
            -g5 * s23 * np.sin(q4) * np.sin(q5),
            g5 * (c23 * np.sin(q5) + s23 * np.cos(q4) * np.cos(q5)),
            0,
        ]
    )


AKB_G = (-37.2, -8.44, 1.02, 0.249, -0.0282)


def test_puma560_akb1986_gravity_constants():
    robot = kt.load("puma560")
    at = {
        name: gravity_torque(robot, q) * 9.8 / GRAVITY
        for name, q in {
            "zero": [0, 0, 0, 0, 0, 0],
            "stretched": [0, 0, RIGHT, 0, 0, 0],
            "upper arm down": [0, RIGHT, 0, 0, 0, 0],
        }.items()
    }
    measured = (
        at["zero"][1] - at["zero"][2],
        at["stretched"][2] - at["stretched"][4],
        at["upper arm down"][1] - at["upper arm down"][2],
        at["zero"][2],
        at["stretched"][4],
    )
    one_in_the_last_digit = (0.1, 0.01, 0.01, 0.001, 0.0001)
    for name, value, printed, tolerance in zip(
        ("g1", "g2", "g3", "g4", "g5"), measured, AKB_G, one_in_the_last_digit, strict=True
    ):
        assert value == pytest.approx(printed, abs=tolerance), name


def test_puma560_akb1986_gravity_torques_everywhere():
    robot = kt.load("puma560")
    for q in np.random.default_rng(0).uniform(-3, 3, (50, 6)):
        # 0.02 N m: what rounding g1 .. g5 to three digits can do.
        np.testing.assert_allclose(gravity_torque(robot, q) * 9.8 / GRAVITY, akb_gravity(q, *AKB_G), rtol=0, atol=0.02)
        # The same formula with the constants written out from their definitions is exact.
        wrist, forearm = 0.82 + 0.34 + 0.09, 4.8 + 0.82 + 0.34 + 0.09
        exact = GRAVITY * np.array(
            [
                -(forearm * 0.4318 + 17.4 * 0.068),
                4.8 * -0.070 - wrist * 0.4331 - 0.82 * -0.019,
                17.4 * 0.006,
                -wrist * -0.0203,
                -0.09 * 0.032,
            ]
        )
        np.testing.assert_allclose(gravity_torque(robot, q), akb_gravity(q, *exact), rtol=0, atol=1e-12)


@pytest.mark.parametrize("q3", [0.0, RIGHT, -RIGHT, 0.8])
def test_puma560_akb1986_kinetic_energy_matrix(q3):
    """Elements with the wrist straight, less the motors' inertias, which are not in the links.

    a11 is left out: its constants I1 = 1.43 and I3 = 1.38 do not follow from the paper's own link tables,
    which give 1.55 and 1.60 (see puma560.urdf).
    """
    robot = kt.load("puma560", joint_effects=False)
    I2, I4, I5, I6, I8, I9 = 1.75, 0.690, 0.372, 0.333, -0.134, 0.0238
    I12, I13, I14, I15, I16, I17, I20, I23 = (
        -0.0110,
        -0.00379,
        0.00164,
        0.00125,
        0.00124,
        0.000642,
        -0.000202,
        4e-5,
    )
    s3, c3 = np.sin(q3), np.cos(q3)
    # Three digits are printed of each, so of 1.75 the third decimal is open; the others are good to 1e-3.
    for q2 in (0.0, 0.9, -RIGHT):
        s2, c2, s23, c23 = np.sin(q2), np.cos(q2), np.sin(q2 + q3), np.cos(q2 + q3)
        M = mass_matrix(robot, np.array([0.3, q2, q3, 0, 0, 0]))
        assert M[0, 1] == pytest.approx(I4 * s2 + I8 * c23 + I9 * c2 + I13 * s23, abs=1e-3)
        assert M[0, 2] == pytest.approx(I8 * c23 + I13 * s23, abs=1e-3)
        assert M[1, 1] == pytest.approx(I2 + I6 + 2 * (I5 * s3 + I12 * c3 + I15 + I16 * s3), abs=3e-3)
        assert M[1, 2] == pytest.approx(I6 + I5 * s3 + I12 * c3 + I16 * s3 + 2 * I15, abs=1e-3)
        assert M[2, 2] == pytest.approx(I6 + 2 * I15, abs=1e-3)
        assert M[3, 3] == pytest.approx(I14, abs=1e-5)
        assert M[4, 4] == pytest.approx(I17, abs=1e-6)
        assert M[5, 5] == pytest.approx(I23, abs=1e-8)
        bent = mass_matrix(robot, np.array([0.3, q2, q3, 0, RIGHT, 0]))
        assert bent[3, 3] == pytest.approx(I14 - I20, abs=1e-5)


@pytest.mark.parametrize(
    "q, wrist_centre",
    [
        ([0, 0, 0, 0, 0, 0], (0.4115, 0.1501, 0.4331)),
        ([0, -RIGHT, RIGHT, 0, 0, 0], (-0.0203, 0.1501, 0.8649)),
        ([0, 0, RIGHT, 0, 0, 0], (0.8649, 0.1501, 0.0203)),
    ],
    ids=["zero", "ready", "stretched"],
)
def test_puma560_wrist_centre(q, wrist_centre):
    """By hand from the modified DH table: a2 = 0.4318, a3 = -0.0203, d2 + d3 = 0.1501, d4 = 0.4331."""
    np.testing.assert_allclose(position(kt.load("puma560"), q, "link6"), wrist_centre, rtol=0, atol=1e-14)


# stanford: Paul 1981, tables 6.5 and 6.6 (centres of mass in cm there; moments about the DH frames' origins)


def test_stanford_paul1981_boom_inertia():
    """D33 = 7.252 kg, of which 0.782 kg is the motor; it does not depend on q."""
    robot = kt.load("stanford")
    for q in np.random.default_rng(1).uniform(-1, 1, (5, 6)):
        assert mass_matrix(robot, q)[2, 2] == pytest.approx(7.252, abs=1e-13)
        assert mass_matrix(robot.without_joint_effects(), q)[2, 2] == pytest.approx(7.252 - 0.782, abs=1e-13)


@pytest.mark.parametrize("r", [0.3048, 0.6, 1.27])
def test_stanford_paul1981_shoulder_inertia(r):
    """D22, wrist straight: moments about the frame origins as printed, plus m r (r + 2 z) of each link."""
    robot = kt.load("stanford", joint_effects=False)
    moments = 0.018 + 2.51 + 0.001 + 0.003 + 0.013
    boom = 4.25 * r * (r - 2 * 0.6447) + 1.08 * r * (r - 2 * 0.0092)
    hand = 0.63 * r * (r + 2 * 0.0566) + 0.51 * r * (r + 2 * 0.1554)
    M = mass_matrix(robot, np.array([0.2, 0.5, r, 0, 0, 0]))
    # 1e-9: the file gives the moments about the centres of mass with ten decimals.
    assert M[1, 1] == pytest.approx(moments + boom + hand, abs=1e-9)


def test_stanford_weight_of_the_boom():
    robot = kt.load("stanford")
    upright = gravity_torque(robot, [0, 0, 0.7, 0, 0, 0])
    assert upright[2] == pytest.approx(6.47 * GRAVITY, abs=1e-12)
    level = gravity_torque(robot, [0, RIGHT, 1.0, 0, 0, 0])
    arm = 4.25 * (1 - 0.6447) + 1.08 * (1 - 0.0092) + 0.63 * (1 + 0.0566) + 0.51 * (1 + 0.1554)
    assert level[1] == pytest.approx(-arm * GRAVITY, abs=1e-12)


def test_stanford_reach():
    robot = kt.load("stanford")
    np.testing.assert_allclose(
        position(robot, [0, RIGHT, 1.0, 0, 0, 0], "tool0"), (1.263, 0.154, 0.412), rtol=0, atol=1e-14
    )


# panda: pose of the hand that Franka's own "ready" configuration is known by


def test_panda_ready_pose():
    robot = kt.load("panda")
    X = robot.pose(np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, RIGHT, np.pi / 4]), "panda_hand_tcp")
    np.testing.assert_allclose(X[:3, :3], np.diag([1.0, -1, -1]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(X[:3, 3], (0.3069, 0, 0.4869), rtol=0, atol=5e-5)


def test_panda_stretched_up():
    """At q = 0: x = a7, z = d1 + d3 + d5 - flange - tcp."""
    expected = (0.088, 0, 0.333 + 0.316 + 0.384 - 0.107 - 0.1034)
    np.testing.assert_allclose(position(kt.load("panda"), np.zeros(7), "panda_hand_tcp"), expected, rtol=0, atol=1e-14)


# ur5e: the maker's DH table in closed form, seen from the controller's frame "base"


def ur_tool(q):
    """T = product of Rz(q) Tz(d) Tx(a) Rx(alpha), standard DH."""
    d = (0.1625, 0, 0, 0.1333, 0.0997, 0.0996)
    a = (0, -0.425, -0.3922, 0, 0, 0)
    alpha = (1, 0, 0, 1, -1, 0)
    T = np.eye(4)
    for qi, di, ai, quarter in zip(q, d, a, alpha, strict=True):
        c, s, ca, sa = np.cos(qi), np.sin(qi), 1 - abs(quarter), quarter
        T = T @ np.array([[c, -s * ca, s * sa, ai * c], [s, c * ca, -c * sa, ai * s], [0, sa, ca, di], [0, 0, 0, 1]])
    return T


def test_ur5e_dh_table():
    robot = kt.load("ur5e")
    for q in [np.zeros(6), *np.random.default_rng(2).uniform(-3, 3, (10, 6))]:
        tool_in_base = np.linalg.inv(robot.pose(q, "base")) @ robot.pose(q, "tool0")
        np.testing.assert_allclose(tool_in_base, ur_tool(q), rtol=0, atol=1e-13)


# All: masses, and mirror symmetry of the two that have it


@pytest.mark.parametrize(
    "name, joints, kilograms",
    [
        ("planar2r", 2, 3.0),
        ("puma560", 6, 56.45),
        ("stanford", 6, 30.77),
        ("panda", 7, 17.421901),
        ("ur5e", 6, 21.7),
        ("quadruped", 12, 15.0),
        ("humanoid", 33, 60.0),
    ],
)
def test_joints_and_mass(name, joints, kilograms):
    """Mass of the whole robot, base included: what a free base answers to a push."""
    robot = kt.load(name, base="free")
    assert robot.nv == joints + 6
    q = np.zeros(robot.nq)
    q[3] = 1
    np.testing.assert_allclose(mass_matrix(robot, q)[3:6, 3:6], kilograms * np.eye(3), rtol=0, atol=1e-9)


def mirror(robot, swap):
    """The matrix that maps joint coordinates to those of the mirror image in the x-z plane.

    Left and right change places; rotations about x and z (all but pitch, knee and elbow) turn the other way.
    """
    P = np.zeros((robot.nv, robot.nv))
    for name in robot.joint_names:
        about_y = name.endswith(("pitch", "knee", "elbow"))
        P[robot.v_slice(swap(name)), robot.v_slice(name)] = 1 if about_y else -1
    return P


def swap_words(name):
    return {"left": "right", "right": "left"}.get(name.split("_")[0], name.split("_")[0]) + "".join(
        "_" + word for word in name.split("_")[1:]
    )


def swap_letters(name):
    return name[0] + {"L": "R", "R": "L"}[name[1]] + name[2:]


@pytest.mark.parametrize("name, swap", [("quadruped", swap_letters), ("humanoid", swap_words)])
def test_left_and_right_are_mirror_images(name, swap):
    robot = kt.load(name)
    P = mirror(robot, swap)
    np.testing.assert_array_equal(P @ P, np.eye(robot.nv))
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-1, 1, (3, robot.nv))
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.inverse_dynamics(P @ q, P @ v, P @ a), P @ tau, rtol=0, atol=1e-11)
