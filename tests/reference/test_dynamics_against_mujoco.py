"""Every robot that MuJoCo takes against it: the mass matrix (mj_fullM) and the bias forces (qfrc_bias).

MuJoCo's bias is what inverse dynamics gives for its own accelerations zero. Where its velocities are not ours (a free
base), zero there is not zero here: the translation's drift says what ours is.
"""

import numpy as np
import pytest

from kinetrace.interop import mujoco as convert
from kinetrace.model import zoo

from .test_against_mujoco import CONVENTIONS, build, elsewhere  # noqa: F401 - a fixture that takes effect by its name

mujoco = pytest.importorskip("mujoco")


@pytest.fixture
def peer(urdf, base, case):
    kinds = {joint.kind for joint in case.joints if joint.name != "floating_base"}
    if kinds - {"revolute", "prismatic", "continuous"}:
        pytest.skip("MuJoCo's URDF has no planar joints, and floating ones at the root only")
    try:
        return build(urdf, base)
    except ValueError as error:
        pytest.skip(f"MuJoCo refuses it: {' '.join(str(error).split())}")


def full_mass_matrix(peer, data):
    """MuJoCo 3 takes the sparse matrix, MuJoCo 4 the data."""
    M = np.zeros((peer.nv, peer.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(peer, M, data.qM)
    else:
        mujoco.mj_fullM(peer, data, M)
    return M


def check_conversions(robot, peer, q, v, wanted, agree):
    """`kt.interop.mujoco` there and back, beside the translation that is made of the file alone."""
    qpos, qvel, qacc = convert.q(robot, peer, q), convert.v(robot, peer, q, v), convert.a(robot, peer, q, v, 0 * v)
    T = convert.velocity_map(robot, peer, q)
    for x, y, what in zip((qpos, qvel, qacc, T), wanted, ("qpos", "qvel", "qacc", "T"), strict=True):
        agree(x, y, f"conversion of {what}")
    agree(convert.from_q(robot, peer, qpos), q, "q back")
    agree(convert.from_v(robot, peer, qpos, qvel), v, "v back")
    agree(convert.from_a(robot, peer, qpos, qvel, qacc), 0 * v, "a back")
    tau = convert.tau(robot, peer, q, v)
    agree(convert.from_tau(robot, peer, qpos, tau), v, "tau back")


def test_mass_matrix_and_bias(urdf, case, peer, translation, agree):
    def places(joint):
        j = peer.joint(joint)
        return int(j.qposadr[0]), int(j.dofadr[0])

    translate = translation(case.robot, case.joints, CONVENTIONS, places, peer.nq, peer.nv)
    data, (q, v, _) = mujoco.MjData(peer), case.states()
    bundled = urdf.parent == zoo.path("panda").parent
    robots = {"": case.exact} | ({"compiled ": case.robot} if bundled else {})
    for way, robot in robots.items():
        M, bias = robot.mass_matrix(q), robot.inverse_dynamics(q, v, 0 * v)
        for k in range(len(q)):
            data.qpos[:], data.qvel[:], drift, T = translate(q[k], v[k], np.zeros(robot.nv))
            check_conversions(case.robot, peer, q[k], v[k], (data.qpos, data.qvel, drift, T), agree)
            data.qacc[:] = 0
            mujoco.mj_forward(peer, data)
            M_peer = full_mass_matrix(peer, data)
            agree(M[k], T.T @ M_peer @ T, f"{way}mass matrix")
            bias_peer = T.T @ (M_peer @ drift + data.qfrc_bias)
            agree(bias[k], bias_peer, f"{way}bias")
