"""A four-bar against MuJoCo, whose closures are soft: as stiff as it takes them, it agrees to four digits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.lie import se3
from kinetrace.lie.inertia import from_mass_com

mujoco = pytest.importorskip("mujoco")

LENGTHS, GROUND, Y = (0.5, 1.2, 0.9), 1.3, [0.0, 1.0, 0.0]
MOMENTS = (0.03, 0.04, 0.02)
BODY = """<inertial mass="1.5" pos="0 0.1 {half}" diaginertia="0.03 0.04 0.02"/><joint name="{name}" axis="0 1 0"/>"""
TEXT = f"""
<mujoco>
  <option gravity="0 0 -9.81" timestep="1e-5"/>
  <worldbody>
    <body name="crank">{BODY.format(half=LENGTHS[0] / 2, name="crank")}
      <body name="coupler" pos="0 0 {LENGTHS[0]}">{BODY.format(half=LENGTHS[1] / 2, name="coupler")}</body>
    </body>
    <body name="rocker" pos="{GROUND} 0 0">{BODY.format(half=LENGTHS[2] / 2, name="rocker")}</body>
  </worldbody>
  <equality>
    <connect body1="coupler" body2="rocker" anchor="0 0 {LENGTHS[1]}" solimp="0.9999 0.9999 0.001" solref="2e-5 1"/>
  </equality>
</mujoco>"""


def up(z, x=0.0):
    return se3.pose(np.eye(3), np.array([x, 0.0, z]))


def four_bar() -> kt.Robot:
    b = kt.Builder("four_bar")
    for name, length, parent, X in (
        ("crank", LENGTHS[0], "base", up(0.0)),
        ("coupler", LENGTHS[1], "crank", up(LENGTHS[0])),
        ("rocker", LENGTHS[2], "base", up(0.0, GROUND)),
    ):
        b.link(name, from_mass_com(1.5, [0, 0.1, length / 2], np.diag(MOMENTS)))
        b.joint(name, kt.joints.Revolute(Y), parent=parent, child=name, placement=X)
    b.close("coupler", "rocker", kt.joints.Spherical(), placement_a=up(LENGTHS[1]), placement_b=up(LENGTHS[2]))
    return kt.Robot(b.build(gravity=(0, 0, -9.81)), backend="numpy")


def test_accelerations_of_a_four_bar(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where MuJoCo writes its warnings
    robot = four_bar()
    q = robot.assemble()
    model = mujoco.MjModel.from_xml_string(TEXT)
    model.eq_data[0, 3:6] = [0.0, 0.0, LENGTHS[2]]  # the anchor in the rocker; MuJoCo takes it from its zero
    data = mujoco.MjData(model)
    order = [model.joint(name).qposadr[0] for name in robot.joint_names]
    for speed, torque in ((0.0, 0.0), (2.0, 0.0), (-1.0, 3.0)):
        v, tau = robot.velocity_map(q)[:, 0] * speed, np.array([torque, 0.0, 0.0])
        data.qpos[order], data.qvel[order], data.qfrc_applied[order] = q, v, tau
        mujoco.mj_forward(model, data)
        ours = robot.forward_dynamics(q, v, tau)
        np.testing.assert_allclose(ours, data.qacc[order], rtol=0, atol=1e-4 * np.abs(ours).max())
        free = kt.algorithms.forward_dynamics(replace(robot.model, closures=(), assembly=None), q, v, tau)
        assert np.abs(free - ours).max() > 0.1 * np.abs(ours).max()
