"""Gravity compensation and fluids of MJCF: whole accelerations beside MuJoCo, and the laws that they obey."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.analysis.verify import verify
from kinetrace.interop import mujoco as convert
from kinetrace.model import Fluid, LinkEffects

mujoco = pytest.importorskip("mujoco")

SWIMMER = """<mujoco model="swimmer"><option density="{density}" viscosity="{viscosity}" wind="{wind}"/><worldbody>
<body name="hull" gravcomp="1.2"><freejoint/><geom type="box" size=".1 .2 .3" pos=".1 .05 0"/>
 <body name="keel" gravcomp=".3" pos=".3 .2 .1" quat="1 .2 .3 .1"><geom type="capsule" size=".05 .2"/>
  <body name="arm" gravcomp=".7" pos="0 .1 .2">
   <joint name="shoulder" axis="0 1 0" damping=".3" stiffness="2" armature=".01"/>
   <geom type="box" pos=".3 0 0" size=".1 .2 .3"/>
   <body name="hand" pos=".2 0 0"><joint name="wrist" type="ball" damping=".1"/>
    <geom type="ellipsoid" size=".1 .2 .05" pos="0 0 .1"/></body></body></body></body></worldbody></mujoco>"""
WATER = {"density": 100, "viscosity": 3, "wind": "1 2 3"}
STILL = {"density": 0, "viscosity": 0, "wind": "0 0 0"}


def accelerations(text, robot, count=3):
    """Ours and MuJoCo's, at random states without joint forces and constraints."""
    model = mujoco.MjModel.from_xml_string(text) if text.lstrip()[0] == "<" else mujoco.MjModel.from_xml_path(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(count):
        data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        q, v = convert.from_q(robot, model, data.qpos), convert.from_v(robot, model, data.qpos, data.qvel)
        ours = robot.forward_dynamics(q, v, np.zeros(robot.nv))
        yield ours, convert.from_a(robot, model, data.qpos, data.qvel, data.qacc)


@pytest.mark.parametrize("fluid", [WATER, STILL, {**WATER, "density": 0}], ids=["both", "weight", "viscous"])
def test_accelerations_are_those_of_mujoco(fluid, tmp_path):
    text = SWIMMER.format(**fluid)
    robot = kt.load(text, check="error", backend="numpy")
    assert (robot.model.fluid is None) == (fluid is STILL)
    for ours, theirs in accelerations(text, robot):
        assert np.abs(ours - theirs).max() < 1e-11 * np.abs(theirs).max()
    robot.save(tmp_path / "swimmer.json")
    assert kt.load(tmp_path / "swimmer.json").model == robot.model
    assert not robot.save(tmp_path / "swimmer.xml")
    again = kt.load(tmp_path / "swimmer.xml", check="error", backend="numpy")
    counts = [[len(b.link_effects or ()) for b in x.model.bodies] for x in (again, robot)]
    assert counts[0] == counts[1] == [2, 1, 1 if robot.model.fluid else 0]
    for ours, theirs in accelerations(str(tmp_path / "swimmer.xml"), robot):
        assert np.abs(ours - theirs).max() < 1e-11 * np.abs(theirs).max()
    with pytest.raises(kt.ModelError, match="gravity compensation: 'hull', 'keel', 'arm'"):
        robot.save(tmp_path / "swimmer.urdf")


def with_effects(robot, seed=0):
    """The robot in a fluid, with effects on every other body."""
    rng, model = np.random.default_rng(seed), robot.model

    def on(body):
        numbers = 1.0 + rng.random(), 0.1 + rng.random(3), rng.normal()
        return (LinkEffects(body.name, kt.lie.se3.exp(rng.normal(size=6)), *numbers),)

    bodies = tuple(replace(b, link_effects=on(b) if b.index % 2 else None) for b in model.bodies)
    return kt.Robot(replace(model, bodies=bodies, fluid=Fluid(3.0, 2.0, [0.5, 1.0, -1.0])), backend="numpy")


@pytest.mark.parametrize("name", ["tree", "free tree", "mimics", "four_bar"])
def test_identities_hold(name):
    b = kt.random_tree(5, seed=3, backend="numpy", base="free" if name == "free tree" else "fixed")
    if name == "mimics":
        bodies = list(b.model.bodies)
        i, j = [x.index for x in bodies if x.joint.nq == x.joint.nv == 1][:2]
        bodies[j] = replace(bodies[j], mimic=kt.model.body.Mimic(i, -0.7, 0.2))
        b = kt.Robot(replace(b.model, bodies=tuple(bodies)), backend="numpy")
    robot = with_effects(kt.load("four_bar", backend="numpy") if name == "four_bar" else b)
    failed = [result for result in verify(robot, states=1) if not result.holds(1e-9)]
    assert not failed


def test_derivatives_are_those_of_the_forces():
    robot = with_effects(kt.random_tree(9, base="free", backend="numpy"))
    model, rng, h = robot.model, np.random.default_rng(1), 1e-20
    q, v = model.random(rng), rng.normal(size=model.nv)
    by_q, by_v = model.passive_derivatives(q, v)
    steps = 1j * h * np.eye(model.nv)
    assert np.allclose(by_q.T, [model.passive_forces(model.integrate(q, e), v).imag / h for e in steps], atol=1e-11)
    assert np.allclose(by_v.T, [model.passive_forces(q, v + e).imag / h for e in steps], atol=1e-11)


def test_edits_keep_what_acts_on_links():
    robot = with_effects(kt.random_chain(4, seed=2))
    rng, held = np.random.default_rng(0), robot.joint_names[3]
    q, v, a = rng.normal(size=(3, 4))
    q[3], v[3], a[3] = 0.4, 0.0, 0.0
    tau = robot.inverse_dynamics(q, v, a)
    locked = robot.locked({held: 0.4})
    assert np.allclose(locked.inverse_dynamics(q[:3], v[:3], a[:3]), tau[:3], rtol=0, atol=1e-11)
    framed = robot.with_link_frames("center_of_mass")
    assert np.allclose(framed.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-11)
    named = robot.renamed(prefix="left_")
    assert named.model.bodies[1].link_effects[0].link == named.model.bodies[1].name
    bare = kt.Robot(robot.model.without_passive_forces, backend="numpy")
    assert bare.model == kt.random_chain(4, seed=2).model
    fast = kt.Robot(robot.model)
    assert np.allclose(fast.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-11)
    ends = [fast.simulate(q, v, t=0.02, dt=1e-3, method=x).q[-1] for x in ("rk4", "implicit", "rosenbrock")]
    assert np.abs(ends[0] - ends[2]).max() < 1e-5  # of order two
    assert np.abs(ends[0] - ends[1]).max() < 1e-2  # of order one


def test_what_is_not_used_is_named():
    shaped = SWIMMER.format(**WATER).replace('type="capsule"', 'type="capsule" fluidshape="ellipsoid"')
    with pytest.raises(kt.ModelError, match="forces of the fluid on bodies with a fluidshape: 'keel'"):
        kt.load(shaped, check="error")
    driven = SWIMMER.format(**STILL).replace('axis="0 1 0"', 'axis="0 1 0" actuatorgravcomp="true"')
    with pytest.raises(kt.ModelError, match=r"gravity compensation of actuators.*'shoulder'"):
        kt.load(driven, check="error")  # there are none
    driven = driven.replace("</mujoco>", '<actuator><motor joint="shoulder"/></actuator></mujoco>')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kt.errors.HarmlessWarning)
        robot = kt.load(driven, check="error", backend="numpy")
    for ours, theirs in accelerations(driven, robot):
        assert np.abs(ours - theirs).max() < 1e-11 * np.abs(theirs).max()


def test_bad_numbers_are_refused():
    for make, message in (
        (lambda: Fluid(density=-1.0), "density must be finite and not negative"),
        (lambda: Fluid(wind=[1, 2]), "wind must be three finite numbers"),
        (lambda: LinkEffects("a", np.eye(4), -1.0, np.ones(3)), "effects on link 'a': mass"),
        (lambda: LinkEffects("a", np.eye(4), 1.0, -np.ones(3)), "none negative"),
        (lambda: LinkEffects.of_moments("a", np.eye(4), 0, np.ones(3)), "'a': a box .* needs a mass above zero, got 0"),
        (lambda: LinkEffects("a", np.ones((4, 4)), 1.0, np.ones(3)), "placement"),
    ):
        with pytest.raises(kt.ModelError, match=message):
            make()
    b = kt.Builder("post")
    b.link("base")
    b.link_effects(LinkEffects("lost", np.eye(4), 1.0, np.ones(3)))
    with pytest.raises(kt.ModelError, match="effects are on unknown link 'lost'"):
        b.build()


def arm(effects_on, fluid):
    """Two hinges and a tool, whose links are boxes, with half of the weight of some compensated."""
    b, at, box = kt.Builder("arm"), kt.lie.se3.exp(np.array([0.3, 0.2, 0.1, 0.1, 0.0, 0.2])), np.array([0.1, 0.2, 0.3])
    for parent, link in (("base", "upper"), ("upper", "lower")):
        b.joint(f"{link}_joint", kt.joints.Revolute([0, 1, 0]), parent=parent, child=link, placement=at)
    b.joint("mount", kt.joints.Fixed(), parent="lower", child="tool", placement=at)
    for link in ("upper", "lower", "tool"):
        b.link(link, LinkEffects(link, at, 2.0, box).inertia())
    for link, scale in effects_on.items():
        b.link_effects(LinkEffects(link, at, 2.0, scale * box, gravity_compensation=0.5))
    if fluid:
        b.fluid(Fluid(1000.0, 1.0))
    return kt.Robot(b.build(), backend="numpy")


@pytest.mark.parametrize("effects_on", [{"upper": 1}, {"upper": 1, "lower": 0, "tool": 0}], ids=["none", "no box"])
def test_bodies_that_a_fluid_leaves_alone_are_not_written_as_mjcf(effects_on, tmp_path):
    robot = arm(effects_on, fluid=True)
    with pytest.raises(kt.ModelError, match="bodies that a fluid does not act on; MuJoCo's acts on all: 'lower'"):
        robot.save(tmp_path / "arm.xml")
    assert "MuJoCo's acts on all" in robot.save(tmp_path / "arm.xml", lossy=True)[0]


@pytest.mark.parametrize("links", [["upper"], ["tool"], ["upper", "lower", "tool"]], ids="+".join)
@pytest.mark.parametrize("sides", [0, 1], ids=["points", "boxes"])
def test_compensation_needs_no_box(links, sides, tmp_path):
    robot = arm(dict.fromkeys(links, sides), fluid=False)
    assert not robot.save(tmp_path / "arm.xml")
    again = kt.load(tmp_path / "arm.xml", check="error", backend="numpy")
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    for method, arrays in (("inverse_dynamics", (q, v, a)), ("passive_forces", (q, v))):
        ours, theirs = (getattr(x, method)(*arrays) for x in (robot, again))
        assert np.allclose(ours, theirs, rtol=0, atol=1e-11)
