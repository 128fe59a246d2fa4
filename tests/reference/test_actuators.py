"""Actuators and keyframes of MJCF beside MuJoCo: joint forces, steps, and files both ways."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.actuation.actuator_step import actuator_step, initial_state
from kinetrace.model import Gear
from kinetrace.model.files.save.mjcf import mjcf

mujoco = pytest.importorskip("mujoco")

EXACT = 1e-12
"""Relative to the largest force."""
STEP = 0.002

ARM = """<mujoco model="arm"><compiler angle="radian" autolimits="true"/>
<worldbody><body name="base" pos="0 0 1"><freejoint name="base"/><geom size=".1"/>
  <body name="a"><joint name="a" axis="0 1 0" actuatorfrcrange="-9 9"/><geom size=".1" pos=".2 0 0"/>
    <body name="b" pos="0 0 -.3"><joint name="b" axis="1 0 .5" pos="0 .1 0" ref=".2"/><geom size=".1" pos="0 .2 0"/>
      <body name="s" pos="0 0 -.3"><joint name="s" type="slide" axis="0 1 1"/><geom size=".1" pos=".1 0 0"/>
        <body name="n" pos="0 0 -.3" euler=".3 .2 .1"><joint name="n" type="ball" pos="0 0 .05"/>
          <geom type="box" size=".05 .1 .2"/></body></body></body></body></body></worldbody>
<tendon><fixed name="t"><joint joint="a" coef=".5"/><joint joint="b" coef="-1.5"/></fixed></tendon>
<actuator>{}</actuator>
<keyframe>{}</keyframe></mujoco>"""
ACTUATORS = (
    '<motor name="motor" joint="a" gear="20" ctrlrange="-1 1"/>',
    '<position name="position" joint="b" kp="50" kv="2" forcerange="-12 7"/>',
    '<velocity name="velocity" joint="s" kv="11"/>',
    '<intvelocity name="integrated" joint="a" kp="30" actrange="-.5 .5"/>',
    '<damper name="damper" joint="s" kv="3" ctrlrange="0 2"/>',
    '<cylinder name="cylinder" joint="s" timeconst=".03" area=".5" bias="1 2 3"/>',
    '<position name="filtered" joint="b" kp="50" dampratio="1" timeconst=".02"/>',
    '<general name="tendon" tendon="t" gear="3" gaintype="affine" gainprm="1 2 3" biastype="affine"'
    ' biasprm=".5 -2 -1" ctrlrange="-2 2"/>',
    '<general name="ball" joint="n" gear="1 2 3" gainprm="2" biastype="affine" biasprm=".1 -3 -.5"/>',
    '<general name="ball in parent" jointinparent="n" gear="1 -2 .5" biastype="affine" biasprm=".1 -3 -.5"/>',
    '<general name="free" joint="base" gear="1 2 3 .1 .2 .3" gainprm="2" biastype="affine" biasprm=".1 -3 -.5"/>',
    '<general name="free in parent" jointinparent="base" gear="1 2 3 .1 .2 .3" dyntype="filterexact" dynprm=".1"'
    ' actearly="true"/>',
    '<general name="late" joint="a" delay=".005" nsample="4" interp="linear"/>',
    '<general name="held" joint="s" delay=".005" nsample="4" gear="-2"/>',
)
KEYS = """<key name="moving" qpos="1 2 3 .5 .5 .5 .5 .1 .2 .3 1 0 0 0" qvel="1 2 3 4 5 6 7 8 9 10 11 12"
  ctrl="{}" act="{}"/><key name="home" qpos="0 0 1 1 0 0 0 .1 .2 .3 1 0 0 0"/>"""


def file_of(chosen):
    """A file with these actuators, and a keyframe with numbers of all kinds."""
    model = mujoco.MjModel.from_xml_string(ARM.format("".join(chosen), ""))
    numbers = (" ".join(str(0.1 * k + 0.1) for k in range(n)) for n in (model.nu, model.na))
    return ARM.format("".join(chosen), KEYS.format(*numbers))


def mujoco_forces(robot, model, q, v, control, activation):
    """qfrc_actuator, as joint forces of the robot; what was before the first control is zero."""
    data = mujoco.MjData(model)
    data.qpos, data.qvel = kt.interop.mujoco.q(robot, model, q), kt.interop.mujoco.v(robot, model, q, v)
    data.ctrl, data.act = control, activation
    mujoco.mj_forward(model, data)
    return kt.interop.mujoco.from_tau(robot, model, data.qpos, data.qfrc_actuator)


def check_forces(robot, model, rng):
    """Forces at a random state and random controls, some of them beyond their ranges."""
    size = len(robot.actuator_names)
    names = tuple(model.actuator(k).name or f"actuator{k}" for k in range(size))
    assert (size, robot.actuator_names) == (model.nu, names)
    q, v, control = robot.random(seed=rng), rng.normal(size=robot.nv), 2.0 * rng.normal(size=size)
    state = initial_state(robot.model, STEP)
    if state is not None:
        state = {name: rng.normal(size=x.shape) if name == "activation" else 0.0 * x for name, x in state.items()}
    activation = (state or {}).get("activation", np.zeros(0))
    ours, _ = actuator_step(robot.model, q, v, control, state, STEP, STEP)
    theirs = mujoco_forces(robot, model, q, v, control, activation)
    assert np.abs(ours - theirs).max() <= EXACT * max(1.0, np.abs(theirs).max())
    if not any(x.delay or x.acts_early for x in robot.model.actuators):
        given = {"activation": activation} if activation.size else {}
        assert np.allclose(robot.actuator_forces(q, v, control, **given), ours, rtol=EXACT, atol=EXACT)


@pytest.mark.parametrize("seed", range(6))
def test_forces_of_every_kind_and_files_both_ways(seed, tmp_path):
    """MJCF → robot → JSON → robot → MJCF: the same forces, and the same robot, actuators and keyframes."""
    rng = np.random.default_rng(seed)
    chosen = ACTUATORS if seed == 0 else [x for x in ACTUATORS if rng.uniform() < 0.5] or ACTUATORS[:1]
    chosen = [chosen[k] for k in rng.permutation(len(chosen))]
    text = file_of(chosen)
    robot = kt.load(text, backend="numpy", check="error")
    robot.save(tmp_path / "robot.json")
    again = kt.load(tmp_path / "robot.json", backend="numpy")
    assert again == robot
    written, unsaid = mjcf(again.model)
    last = kt.load(written, backend="numpy", check="error")
    assert not [x for x in unsaid if "actuator" in x or "keyframe" in x]
    assert last.model.actuators == robot.model.actuators and last.model.keyframes == robot.model.keyframes
    assert np.array_equal(last.model.start, robot.model.start)
    for model in map(mujoco.MjModel.from_xml_string, (text, written)):
        for _ in range(3):
            check_forces(robot, model, rng)


def test_keyframes_are_those_of_mujoco():
    text = file_of(ACTUATORS)
    robot, model = kt.load(text, backend="numpy"), mujoco.MjModel.from_xml_string(text)
    assert [*robot.keyframes] == ["moving", "home"] and np.array_equal(robot.home(), robot.keyframes["home"].q)
    moving = robot.keyframes["moving"]
    assert np.allclose(kt.interop.mujoco.q(robot, model, moving.q), model.key_qpos[0], rtol=EXACT, atol=EXACT)
    assert np.allclose(kt.interop.mujoco.v(robot, model, moving.q, moving.v), model.key_qvel[0], rtol=EXACT, atol=EXACT)
    assert np.array_equal(moving.control, model.key_ctrl[0]) and np.array_equal(moving.activation, model.key_act[0])


def test_steps_are_those_of_mujoco():
    """Its Euler steps are semi-implicit: with activations and delays, to rounding over 0.4 s of random controls."""
    axes = '<joint name="{0}" axis="0 1 0" armature=".05"/><geom type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>'
    text = f"""<mujoco><option timestep="{STEP}"/><worldbody><body pos="0 0 1">{axes.format("a")}
      <body pos=".3 0 0">{axes.format("b")}</body></body></worldbody><actuator>
      <position joint="a" kp="90" kv="3" timeconst=".01" ctrllimited="true" ctrlrange="-2 2"/>
      <position joint="b" kp="50" kv="2" delay=".005" nsample="4" forcelimited="true" forcerange="-15 15"/>
      <intvelocity joint="b" kp="10" actrange="-1 1"/><motor joint="a" gear="3" delay=".004" nsample="3"/>
      </actuator></mujoco>"""
    model, n, rng = mujoco.MjModel.from_xml_string(text), 200, np.random.default_rng(0)
    robot, data, rows = kt.load(text), mujoco.MjData(model), []
    control = np.cumsum(0.1 * rng.normal(size=(n, 4)), axis=0)
    for u in control:
        data.ctrl = u
        mujoco.mj_step(model, data)
        rows.append(np.concatenate([data.qpos, data.qvel, data.act]))
    given = {"control": control, "state": {"history": np.zeros((3, 2))}, "method": "semi-implicit"}
    motion = robot.simulate([0.0, 0.0], [0.0, 0.0], n * STEP, STEP, **given)
    found = np.concatenate([motion.q, motion.v, motion.states["activation"]], axis=-1)[1:]
    assert np.abs(found - np.array(rows)).max() < 1e-11


QUADRUPED = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 .5"><freejoint/>
  <geom type="box" size=".2 .1 .05"/>{}</body></worldbody>
<default><position kp="80" dampratio="1" inheritrange="1"/></default>
<actuator>{}</actuator><keyframe><key name="home" qpos="0 0 .4 1 0 0 0 {}" ctrl="{}"/></keyframe></mujoco>"""
LEG = """<body name="{0}" pos="{1} {2} 0"><joint name="{0}_hip" axis="0 1 0" range="-60 60" armature=".01"/>
  <geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2"/><body name="{0}_shin" pos="0 0 -.2">
  <joint name="{0}_knee" axis="0 1 0" range="-150 0" armature=".01"/>
  <geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2"/></body></body>"""


def test_servos_of_a_keyframe_hold_the_joints():
    """With defaults, damping ratios and ranges of joints, as files of quadrupeds have; it falls, without ground."""
    names = [f"{x}{y}" for x in "fh" for y in "lr"]
    legs = "".join(LEG.format(x, 0.2 if x[0] == "f" else -0.2, 0.1 if x[1] == "l" else -0.1) for x in names)
    servos = "".join(f'<position joint="{x}_{y}"/>' for x in names for y in ("hip", "knee"))
    text = QUADRUPED.format(legs, servos, "0.6 -1.2 " * 4, "0.6 -1.2 " * 4)
    robot, model = kt.load(text), mujoco.MjModel.from_xml_string(text)
    check_forces(robot, model, np.random.default_rng(1))
    home = robot.keyframes["home"]
    assert all(np.isfinite(x.control_range).all() for x in robot.model.actuators)
    motion = robot.simulate(home.q, home.v, 0.5, 0.001, control=home.control, method="semi-implicit")
    assert np.abs(motion.q[:, 7:] - home.q[7:]).max() < 1e-3 and motion.q[-1, 2] < -0.8


@pytest.mark.parametrize(
    ("actuator", "said"),
    [
        ('<muscle name="x" joint="a" lengthrange="0 1"/>', "actuators that are no affine laws, such as muscles.*: 'x'"),
        ('<general name="x" site="s"/>', "actuators that act on no joint: 'x'"),
        ('<adhesion name="x" body="b" ctrlrange="0 1"/>', "actuators that act on no joint: 'x'"),
        ('<general name="x" joint="a" dyntype="user"/>', "actuators that are no affine laws.*: 'x'"),
        ('<motor name="x" joint="a" group="3"/>', "actuators of groups that are switched off: 'x'"),
        ('<general name="x" joint="a" delay=".01" nsample="9" interp="cubic"/>', "cubic interpolation.*: 'x'"),
        ('<general name="x" joint="a" delay=".1" nsample="2"/>', "lengths of histories that cut .* short: 'x'"),
    ],
)
def test_what_is_not_read_is_named(actuator, said):
    """The other actuators, and their controls in keyframes, are read."""
    text = f"""<mujoco><option actuatorgroupdisable="3"/><worldbody><body name="b"><joint name="a"/><geom size=".1"/>
      <site name="s"/></body></worldbody><actuator>{actuator}<motor name="m" joint="a"/></actuator>
      <keyframe><key ctrl="1 2"/></keyframe></mujoco>"""
    with pytest.warns(kt.ModelWarning, match=f"not part of the model: {said}"):
        robot = kt.load(text, backend="numpy")
    assert robot.actuator_names in (("m",), ("x", "m")) and robot.keyframes["key0"].control[-1] == 2.0


def test_switches_of_the_file():
    text = """<mujoco><option><flag {}="disable"/></option><worldbody><body><joint name="a"/><geom size=".1"/></body>
      </worldbody><actuator><motor joint="a" ctrllimited="true" ctrlrange="-1 1"/></actuator></mujoco>"""
    free = kt.load(text.format("clampctrl"), backend="numpy")
    assert free.actuator_forces([0.0], [0.0], [5.0]).tolist() == [5.0] and free.limits.effort.tolist() == [np.inf]
    with pytest.warns(kt.ModelWarning, match="actuators, as actuation is switched off"):
        assert kt.load(text.format("actuation"), backend="numpy").actuator_names == ()


def test_what_mjcf_cannot_say_is_refused():
    robot = kt.load(ARM.format("", ""), backend="numpy", check="ignore")
    along_body = kt.Actuator("thruster", [Gear("base", [0, 0, 0, 1.0, 0, 0])])
    with pytest.raises(kt.ModelError, match="actuators on joints that MJCF has not, or along other axes: 'thruster'"):
        mjcf(robot.with_actuators(along_body).model)
    text, unsaid = mjcf(robot.with_actuators(along_body).model, lossy=True)
    assert "thruster" not in text and "thruster" in "".join(unsaid)
