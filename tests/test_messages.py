"""Typical mistakes: each is answered with the thing that is wrong, and what would be right."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import inspect
import math
import pickle
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

import kinetrace as kt
from kinetrace.cli import codegen, main, shared
from kinetrace.engine.trace import trace
from kinetrace.errors import EXTRAS, other_libraries
from kinetrace.errors.numpy_remedies import EXPRESSIONS
from kinetrace.model.arguments import ARGUMENTS
from kinetrace.model.parameters import PARAMETERS

Z, ROOT = np.zeros(2), Path(__file__).parents[1]
robot = kt.load("planar2r", backend="numpy")
dog = kt.load("quadruped", base="free", backend="numpy")
mass, pose, stack = kt.algorithms.mass_matrix, kt.algorithms.pose, kt.arrays.stack


def traced(function, **shapes):
    """Hand a function to what traces it."""
    robot.count(function, shapes=shapes or None)


def fall():
    return robot.simulate(Z, Z, 0.02, 0.01)


def simulated(controller, **more):
    robot.simulate(Z, Z, 0.02, 0.01, controller=controller, compiled=True, **more)


def gripper():
    builder = kt.Builder("gripper")
    for name, mimic in (("left", None), ("right", ("left", 1.0, 0.0))):
        builder.link(name, np.eye(6))
        builder.joint(name, kt.joints.Prismatic([1, 0, 0]), parent="base", child=name, mimic=mimic)
    return kt.Robot(builder.build(check="ignore"), backend="numpy")


class Tensor:
    """What a tensor of torch with a gradient does."""

    __module__ = "torch"

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")


class OnDevice(Tensor):
    __module__ = "cupy"


def into_floats(model, q):
    x = np.zeros(2)
    x[0] = q[0]
    return x


def of_a_robot(robot, q):
    return robot.pose(q, "tip")


def gravity_of_a_robot(robot, q):
    return robot.gravity(q)


def no_model(q, v):
    return q + v


def of_x(x, v):
    return x + v


def several(*args):
    return args[1]


def method(name, *arguments, **named):
    """A function that calls a method of the robot on what is traced."""
    return lambda: traced(lambda model, q, v: getattr(robot, name)(q, *[v] * len(arguments), **named))


Error, Traced = kt.InputError, TypeError
METHODS = {
    "pose": (method("pose", frame="tip"), Error, "call kt.algorithms.pose(model, q, frame=...)"),
    "gravity": (method("gravity"), Error, "gravity: q holds traced values", "kt.algorithms.gravity(model, q)"),
    "bias": (method("bias", 0), Error, "kt.algorithms.bias(model, q, v)"),
    "integrate": (method("integrate", 0), Error, "call model.integrate(q, v)"),
    "simulate": (method("simulate", 0, t=1.0, dt=0.1), Error, "kt.algorithms.step or kt.algorithms.rollout"),
    "a kernel": (lambda: traced(lambda model, q: robot.kernel("gravity")(q)), Error, "kt.algorithms.gravity(model, q)"),
    "a derivative": (
        lambda: kt.compile(kt.jacobian(lambda model, q: robot.gravity(q)), robot),
        Error,
        "kt.algorithms.gravity(model, q)",
    ),
    "entries": (lambda: traced(lambda model, q: robot.gravity([q[0], 1.0])), Error, "q holds traced values"),
    "a wrench": (
        lambda: traced(lambda model, q: robot.inverse_dynamics(Z, Z, Z, wrench={"tip": stack([q[0]] * 6)})),
        Error,
        "wrench[tip] holds traced values",
    ),
}
FUNCTIONS = {
    "no model": (lambda: traced(no_model), Error, "'q' as its first argument", "write no_model(model, q, v)"),
    "no model, derivative": (lambda: kt.jacobian(no_model), Error, "write no_model(model, q, v)"),
    "a robot's": (lambda: traced(of_a_robot), AttributeError, "a model has no 'pose'", "kt.algorithms.pose(model"),
    "its gravity": (lambda: traced(gravity_of_a_robot), Traced, "robot.gravity(q)", "kt.algorithms.gravity(model, q)"),
    "of x": (lambda: traced(of_x), Traced, "test_messages.py, line", "x + v: its first argument is the model"),
    "NumPy's": (lambda: traced(np.sin), Traced, "sin: its first argument is the model"),
    "a method": (lambda: kt.compile(robot.gravity, robot), Error, "kt.algorithms.gravity"),
    "a setting": (
        lambda: kt.compile(kt.algorithms.gravity, robot, thread=2),
        Error,
        "did you mean threads=, a keyword",
    ),
    "a name": (lambda: kt.compile("gravity", robot), Error, "a name is for robot.kernel"),
    "*args": (lambda: traced(several), Error, "several takes *args, which have no names"),
    "returns None": (lambda: traced(lambda model, q: None), Error, "it returned None: is a `return` missing?"),
    "returns a dict": (lambda: traced(lambda model, q: {"a": q}), Error, "dict: return a tuple of its values"),
    "returns the model": (lambda: traced(lambda model, q: model), Error, "Model: that is its first argument"),
    "returns rows": (lambda: traced(lambda model, q: [[q[0], q[1]], [q[0]]]), Error, "items differ in shape"),
    "returns a generator": (lambda: traced(lambda model, q: (x for x in q)), Error, "generator: return a tuple"),
    "returns None besides": (lambda: traced(lambda model, q: (q, None)), Error, "item 1 of what it returned is None"),
}
SYMBOLS = {
    "solve": (lambda model, q: np.linalg.solve(mass(model, q), q), "use kt.linalg.solve"),
    "an alias": (lambda model, q, f=np.linalg.inv: f(mass(model, q)), "use kt.linalg.inv"),
    "eigh": (lambda model, q: np.linalg.eigh(mass(model, q)), "let the function return the matrix"),
    "log10": (lambda model, q: np.log10(q), "use kt.arrays.log(x) / math.log(10)"),
    "round": (lambda model, q: np.round(q), "use kt.arrays.floor(x + 0.5); it rounds halves up"),
    "hypot": (lambda model, q: np.hypot(q, q), "use kt.arrays.sqrt(x * x + y * y)"),
    "greater": (lambda model, q: np.greater_equal(q, q), "use kt.arrays.where(kt.arrays.less(a, b), 0.0, 1.0)"),
    "isnan": (lambda model, q: np.isnan(q), "look at the numbers"),
    "where": (lambda model, q: np.where(q > 0, q, -q), "q > 0", "less(a, b) for a < b"),
    "clip": (lambda model, q: np.clip(q, -1, 1), "use kt.arrays.clip"),
    "math": (lambda model, q: math.sin(q[0]), "math.sin does not take traced values; use kt.arrays.sin"),
    "max": (lambda model, q: max(q), "use kt.arrays.maximum(a, b)"),
    "sorted": (lambda model, q: sorted(q), "no order is known"),
    "if": (
        lambda model, q: q if q[0] > 0 else -q,
        "q[0] > 0: a traced value has no truth value while",
        "where (for if",
    ),
    "and": (lambda model, q: (q[0] > 0) & (q[1] > 0), "kt.arrays.where(a, b, 0.0) for 'a and b'"),
    "equal": (lambda model, q: q[0] == 0.0, "kt.arrays.less(kt.arrays.abs(a - b), tolerance)"),
    "float": (lambda model, q: float(q[0]), "use the value itself"),
    "int": (lambda model, q: np.zeros(int(q[0])), "int(q[0])", "must be given beforehand"),
    "range": (lambda model, q: [q for _ in range(q[0])], "use kt.arrays.iterate"),
    "index": (lambda model, q: q[q[0]], "cannot be an index"),
    "assignment": (into_floats, "np.zeros(n, dtype=object)"),
    "dtype": (lambda model, q: np.array([q[0], 1.0], dtype=float), "kt.arrays.stack([...])"),
    "random": (lambda model, q: np.random.normal(q), "an argument for the random numbers"),
    "complex": (lambda model, q: q * 1j, "'Expr' and 'complex' (an Expr is a traced value"),
    "unknown": (lambda model, q: np.digitize(q, q), "digitize does not take traced values"),
}
ARRAYS = {
    "ragged": (
        lambda: robot.gravity([[1, 2], [1, 2], [3]]),
        Error,
        "q ",
        "rows differ in length: [0] has 2, [2] has 1",
    ),
    "deeper": (lambda: robot.gravity([[[1, 2], [3]]]), Error, "[0][0] has 2, [0][1] has 1"),
    "None": (lambda: robot.bias(Z, None), Error, "bias: v must hold real numbers, got dtype object: it is None"),
    "an entry": (lambda: robot.gravity([None, 1.0]), Error, "entry [0] is None"),
    "text": (lambda: robot.gravity("ab"), Error, "got dtype <U2; numbers, not text"),
    "a dict": (lambda: robot.gravity({"a": 1}), Error, "it is a mapping; robot.q_from({...}) makes q of values by"),
    "a dict of v": (lambda: robot.simulate(Z, {"a": 1}, 1, 1), Error, "it is a mapping; robot.v_from({...}) makes v"),
    "a generator": (lambda: robot.gravity(x for x in Z), Error, "it is a generator; list(...)"),
    "complex": (lambda: robot.gravity([1j, 0]), Error, "complex128; its real part"),
    "objects": (lambda: robot.gravity(Z.astype(object)), Error, "q.astype(float) makes them"),
    "too few": (lambda: robot.gravity([0.0]), Error, "(..., 2), got (1,): one for each of 2 joints, robot.joint_names"),
    "a column": (
        lambda: robot.gravity(np.zeros((2, 5))),
        Error,
        "batch axes lead and the 2 variables come last: pass q.T",
    ),
    "nv for nq": (lambda: dog.gravity(np.zeros(18)), Error, "18 is nv; q has nq = 19: a free base has 7"),
    "nq for nv": (lambda: dog.bias(dog.neutral(), np.zeros(19)), Error, "19 is nq; v has nv = 18"),
    "no base": (lambda: dog.gravity(np.zeros(12)), Error, "of which the first 7 are the free base's"),
    "simulated": (lambda: dog.simulate(np.zeros(18), np.zeros(18), 1.0, 0.1), Error, "18 is nv; q has nq = 19"),
    "torch": (lambda: robot.gravity(Tensor()), Error, "pass q.detach().cpu().numpy()"),
    "tensors": (lambda: robot.gravity([Tensor(), Tensor()]), Error, "pass q.detach().cpu().numpy()"),
    "cupy": (lambda: robot.gravity(OnDevice()), Error, "pass q.get()"),
    "out": (lambda: robot.gravity(Z, out=np.zeros(2, int)), Error, "out must hold floats, got dtype int64"),
    "a mimic joint's": (
        lambda: gripper().gravity(Z),
        Error,
        "one for each of 1 joints, robot.joint_names; mimic joints have none: 'right'",
    ),
    "fitted": (
        lambda: kt.identify.fit(robot, np.zeros((3, 2)), Z, Z, np.zeros((4, 2))),
        Error,
        "batch axes do not broadcast: q (3,), v (), a (), tau (4,)",
    ),
    "no model": (
        lambda: kt.jacobian(kt.algorithms.gravity)(Z),
        Traced,
        "jacobian of gravity takes (model, q): missing a required argument: 'q'; the first argument is the model",
    ),
    "all dampings": (
        lambda: robot.with_joint_effects(damping=[1.0, 2.0]),
        kt.ModelError,
        "got (2,); with_parameters(damping=...) takes an array over all joints",
    ),
    "moments": (
        lambda: kt.Builder("x").link("a", np.eye(3)),
        kt.ModelError,
        "kt.lie.inertia.from_mass_com(mass, centre, moments)",
    ),
    "memory": (lambda: robot.simulate(Z, Z, 1e9, 1e-3), Error, "record=k (of the command, --record k)"),
    "threads": (lambda: robot.gravity(Z, threads="all"), Error, "at least 1, or None for all cores; got 'all'"),
}
NAMES = {
    "contact": (lambda: robot.contact, AttributeError, "take world=kt.World(...); contacts that hold are closures"),
    "collides": (lambda: robot.collides, AttributeError, "there are no collision queries"),
    "self-collision": (lambda: robot.selfCollision, AttributeError, "see docs/howto/contact.md"),
    "kt's collisions": (lambda: kt.check_collision, AttributeError, "there are no collision queries"),
    "a floor": (
        lambda: robot.simulate(Z, Z, 1, 1, ground=0.0),
        Error,
        "of simulate 'ground'; the ground and objects are those of a world",
    ),
    "contact=": (lambda: robot.simulate(Z, Z, 1, 1, contact=True), Error, 'contact must map "friction", or shapes'),
    "a distance": (lambda: robot.forward_dynamics(Z, Z, Z, contacts=1), TypeError, "see docs/howto/contact.md"),
    "torque": (lambda: fall().torque, AttributeError, "a trajectory has no 'torque'; did you mean motion.tau?"),
    "position": (lambda: fall().position, AttributeError, "did you mean motion.q?"),
    "qdot": (lambda: fall().qdot, AttributeError, "did you mean motion.v?"),
    "misspelt": (lambda: fall().kinetic_enrgy, AttributeError, "did you mean motion.kinetic_energy or"),
    "a spline": (
        lambda: kt.control.pd(robot, CubicSpline([0.0, 1.0], np.eye(2)), 1.0, 1.0),
        Error,
        "CubicSpline returns q alone; with times = np.linspace(spline.x[0], spline.x[-1], 200), ",
        "kt.motion.Spline.through(robot, times, spline(times), degree=3) follows it and returns v and a",
    ),
    "a B-spline": (
        lambda: kt.control.pd(robot, make_interp_spline(np.arange(6.0), np.zeros((6, 2)), k=5), 1.0, 1.0),
        Error,
        "BSpline returns q alone; with times = np.linspace(spline.t[0], spline.t[-1], 200), ",
        "kt.motion.Spline.through(robot, times, spline(times), degree=5)",
    ),
    "class": (
        lambda: kt.Robot.from_urdf,
        AttributeError,
        "the class Robot has no 'from_urdf'; did you mean kt.load(path)?",
    ),
    "rnea": (lambda: robot.rnea, AttributeError, "a robot has no 'rnea'; did you mean inverse_dynamics?"),
    "Pinocchio's": (lambda: robot.computeJointJacobians, AttributeError, "did you mean jacobian?"),
    "Drake's": (lambda: robot.CalcMassMatrix, AttributeError, "did you mean mass_matrix?"),
    "another spelling": (lambda: robot.massMatrix, AttributeError, "did you mean mass_matrix?"),
    "q": (lambda: robot.q, AttributeError, "a robot holds no state"),
    "ik": (lambda: robot.ik, AttributeError, "did you mean inverse_kinematics?"),
    "links": (lambda: robot.links, AttributeError, "did you mean frame_names?"),
    "hamiltonian": (lambda: robot.hamiltonian, AttributeError, "did you mean total_energy?"),
    "dofs": (lambda: robot.dofs, AttributeError, "did you mean nv?"),
    "a model's": (lambda: robot.model.frme, AttributeError, "a model has no 'frme'; did you mean frame?"),
    "kt": (lambda: kt.rnea, AttributeError, "robot.inverse_dynamics(...) or kt.algorithms.inverse_dynamics(model"),
    "kt's joints": (lambda: kt.Revolute, AttributeError, "did you mean kt.joints.Revolute?"),
    "kt's functions": (lambda: kt.sin, AttributeError, "did you mean kt.arrays.sin?"),
    "joints": (lambda: kt.joints.Hinge, AttributeError, "did you mean kt.joints.Revolute?"),
    "closures": (lambda: kt.closures.Weld, AttributeError, "did you mean kt.closures.Rigid?"),
    "kt's loader": (lambda: kt.load_urdf, AttributeError, "did you mean kt.load(path)?"),
    "kt misspelt": (lambda: kt.Kernal, AttributeError, "did you mean kt.Kernel?"),
    "algorithms": (lambda: kt.algorithms.aba, AttributeError, "did you mean kt.algorithms.forward_dynamics?"),
    "arrays": (lambda: kt.arrays.arctan2, AttributeError, "did you mean kt.arrays.atan2?"),
    "arrays, swapped": (lambda: kt.arrays.greater, AttributeError, "did you mean kt.arrays.less(b, a)?"),
    "arrays, rounded": (lambda: kt.arrays.rint, AttributeError, "floor(x + 0.5)? It rounds halves up"),
    "arrays of matrices": (lambda: kt.arrays.norm, AttributeError, "did you mean kt.linalg.norm?"),
    "lie": (lambda: kt.lie.exp, AttributeError, "kt.lie.so3.exp is of rotations"),
    "yoshikawa": (lambda: robot.yoshikawa, AttributeError, "did you mean manipulability?"),
    "limits": (lambda: robot.q_lower, AttributeError, "did you mean robot.limits.lower?"),
    "a placement": (lambda: robot.frame_placement, AttributeError, "did you mean pose?"),
    "removal": (lambda: robot.remove, AttributeError, "did you mean without_bodies?"),
    "a tool": (lambda: robot.with_tool, AttributeError, "with_payload adds a mass, joined another robot"),
    "validity": (lambda: robot.is_valid, AttributeError, "did you mean check?"),
    "lambda": (lambda: robot.lambda_matrix, AttributeError, "did you mean operational_inertia?"),
    "a rate": (lambda: robot.jacobian_dot, AttributeError, "jacobian_derivative(q, frame) @ v? Its product with v is"),
    "the mass": (lambda: robot.total_mass, AttributeError, 'robot.info()["moving_mass"]?'),
    "attachment": (lambda: robot.attach, AttributeError, "did you mean joined?"),
    "a lock": (lambda: robot.lock_joints, AttributeError, "did you mean locked?"),
    "C": (lambda: robot.to_c, AttributeError, "`kinetrace codegen` writes C"),
    "URDF": (lambda: robot.to_urdf, AttributeError, "did you mean save(path)?"),
    "a view": (lambda: robot.visualize, AttributeError, "did you mean view(q)?"),
    "indices": (lambda: robot.getFrameId, AttributeError, "are given by their names"),
    "clip": (lambda: robot.clip, AttributeError, "np.clip(q, robot.limits.lower, robot.limits.upper)"),
    "argnums": (lambda: kt.jacobian(mass, argnums=0), Error, "did you mean 'wrt'?"),
    "T": (lambda: robot.simulate(Z, Z, T=1.0, dt=0.1), Error, "did you mean 't'?"),
    "events": (lambda: robot.simulate(Z, Z, 1, 0.1, events=max), Error, "method is 'rkmk4': give method=\"DOP853\""),
    "gains": (lambda: kt.control.pd(robot, Z, kp=1.0, kd=1.0), Error, "'kp'; did you mean 'stiffness'?"),
    "kt.Spline": (lambda: kt.Spline, AttributeError, "did you mean kt.motion.Spline?"),
    "kt.pd": (lambda: kt.pd, AttributeError, "did you mean kt.control.pd?"),
    "kt.minimum_effort": (lambda: kt.minimum_effort, AttributeError, "did you mean kt.motion.minimum_effort?"),
    "kt.OptimalControl": (lambda: kt.OptimalControl, AttributeError, "did you mean kt.motion.OptimalControl?"),
    "kt.ik": (lambda: kt.ik, AttributeError, "did you mean robot.inverse_kinematics(target, frame)?"),
    "a third argument": (lambda: robot.integrate(Z, Z, 0.1), TypeError, "integrate(q, v * dt)"),
    "a file for a name": (
        lambda: kt.load("panda.urdf"),
        Error,
        "No such file",
        "the bundled robot is kt.load('panda')",
    ),
    "terminal": (lambda: robot.simulate(Z, Z, 1, 0.1, terminal=True), Error, "set `event.terminal = True`"),
    "a function for tau": (lambda: robot.simulate(Z, Z, 1, 0.1, tau=max), Error, "that returns forces is controller="),
    "tau for a function": (lambda: robot.simulate(Z, Z, 1, 0.1, controller=Z), Error, "constant joint forces are tau="),
    "no time": (lambda: robot.simulate(Z, Z), TypeError, "simulate needs t, dt"),
    "nothing joined": (lambda: robot.joined(), TypeError, "joined needs other, frame"),
    "ABA": (lambda: robot.forward_dynamics(Z, Z, Z, method="ABA"), Error, "did you mean 'FD1'?"),
    "CRBA": (lambda: robot.forward_dynamics(Z, Z, Z, method="CRBA"), Error, "did you mean 'solve'?"),
    "another gravity": (lambda: robot.inverse_dynamics(Z, Z, Z, gravity=1), TypeError, "with_parameters(gravity=...)"),
    "a time step": (lambda: robot.integrate(Z, Z, dt=0.1), TypeError, "multiply the velocity by it, v * dt"),
    "a kernel": (lambda: robot.kernel("rnea"), Error, "unknown algorithm 'rnea'; did you mean 'inverse_dynamics'?"),
    "a rollout": (lambda: robot.kernel("rollout"), Error, "robot.rollout runs it", "shapes={'tau': ('t', robot.nv)}"),
    "a map": (lambda: robot.count("integrate"), Error, "kt.Model.integrate"),
    "LOCAL": (lambda: robot.jacobian(Z, "tip", expressed_in="LOCAL"), Error, "did you mean 'body'?"),
    "WORLD": (
        lambda: robot.jacobian(Z, "tip", expressed_in="WORLD"),
        Error,
        "did you mean 'aligned' (the frame's origin, the world's axes) or 'space' (the point of the body at the world",
    ),
    "aligned": (lambda: robot.jacobian(Z, "tip", expressed_in="LOCAL_WORLD_ALIGNED"), Error, "did you mean 'aligned'?"),
    "a keyword": (lambda: robot.velocity(Z, Z, "tip", reference_frame=1), TypeError, "did you mean 'expressed_in'?"),
    "axes": (
        lambda: robot.jacobian(Z, "tip", axes="position"),
        TypeError,
        "rows are chosen by indexing, J[..., 3:, :]",
        "only functions of the operational space have `axes`. It takes q, frame, expressed_in",
    ),
    "a wrench": (lambda: robot.inverse_dynamics(Z, Z, Z, fext=1), TypeError, "did you mean 'wrench'?"),
    "linear": (lambda: robot.operational_inertia(Z, "tip", axes="linear"), Error, "did you mean 'position'?"),
    "a row": (lambda: robot.operational_inertia(Z, "tip", axes=3), Error, "a tuple of rows from 0 to 5", "got 3"),
    "a slice": (lambda: robot.operational_inertia(Z, "tip", axes=slice(3)), Error, "tuple of"),
    "RK4": (lambda: robot.step(Z, Z, Z, 0.1, method="RK4"), Error, "did you mean 'rk4'?"),
    "no frame": (lambda: robot.pose(Z), TypeError, "'frame'. It takes q, frame, point, out, threads"),
    "a frame's number": (lambda: robot.pose(Z, 7), Error, "frame must be a name (text), got int. Valid: base_link"),
    "frames": (lambda: robot.pose(Z, ["tip"]), Error, "got list; one at a time"),
    "swapped": (lambda: robot.pose("tip", Z), Error, "got ndarray; the order is pose(q, frame)"),
    "a joint": (lambda: robot.pose(Z, "joint1"), Error, "Joint 'joint1' moves the frame 'link1'"),
    "simulate's": (lambda: robot.simulate(Z, Z, 1.0, 0.1, policy=1), Error, "did you mean 'controller'?"),
    "MuJoCo's": (lambda: robot.simulate(Z, Z, 1.0, 0.1, ctrl=[0.0]), Error, "did you mean 'control'?"),
    "no actuators": (lambda: robot.simulate(Z, Z, 1.0, 0.1, control=[0.0]), Error, "with_actuators", "tau="),
}
LOADING = {
    "empty": (lambda: kt.load(" "), Error, "the robot's name is empty", "kt.robot_names()"),
    "None": (lambda: kt.load(None), Error, "got NoneType", "a path to a .urdf file"),
    "a builder": (lambda: kt.Robot(kt.Builder("x")), Error, "Builder.build() makes a Model"),
    "Panda": (lambda: kt.load("Panda"), Error, "unknown robot 'Panda'; did you mean 'panda'?"),
    "franka": (lambda: kt.load("franka"), Error, "did you mean 'panda'?"),
    "another robot": (
        lambda: kt.load("ur10"),
        Error,
        "unknown robot 'ur10'. Bundled robots: bicycle, ",
        "; the most similar is 'ur5e'. Otherwise: 'robot_descriptions:NAME', URDF, xacro or MJCF text",
    ),
    "xacro": (lambda: kt.load("arm.xacro"), Error, "cannot read 'arm.xacro': No such file"),
    "a URL": (lambda: kt.load("file:///no/arm.urdf"), Error, "cannot read '/no/arm.urdf'"),
    "a package": (lambda: kt.load("package://a/b.urdf"), Error, "without package://"),
    "free": (lambda: kt.load("panda", "free"), TypeError, "load takes source without a name", "base", "got 'free'"),
    "Free": (lambda: kt.load("panda", base="Free"), Error, "got 'Free'; did you mean 'free'?"),
    "floating": (lambda: kt.load("panda", floating_base=True), Error, "did you mean 'base'?"),
    "a typing error": (
        lambda: kt.load("panda", dtpe="float32"),
        Error,
        "keyword of load 'dtpe'; did you mean 'dtype'?",
    ),
    "SDF": (lambda: kt.load("<sdf/>"), kt.ModelError, "this is SDF", "convert it to URDF"),
    "SRDF": (lambda: kt.load("<robot><group/></robot>"), kt.ModelError, "this is SRDF", "load the URDF file"),
    "gravity": (lambda: kt.load("planar2r", gravity=9.81), kt.ModelError, "such as (0, 0, -9.81); got 9.81"),
    "its parameter": (
        lambda: robot.with_parameters(gravity=9.81),
        Error,
        "must have shape (3,), such as (0, 0, -9.81)",
    ),
    "a table": (lambda: kt.from_dh([(0, 0, 0), (1, 0, 0)]), kt.ModelError, "rows (a, alpha, d, theta), got (2, 3)"),
    "a short row": (lambda: kt.from_dh([(0, 0, 0, 0), (1, 0)]), kt.ModelError, "[0] has 4, [1] has 2"),
    "Craig's": (lambda: kt.from_dh([(0, 0, 0, 0)], convention="craig"), Error, "did you mean 'modified'?"),
    "random": (lambda: robot.random(-1), Error, "shape must be a whole number, at least 0, or a tuple", "got -1"),
    "half a state": (lambda: robot.random(2.5), Error, "shape must be a whole number", "got 2.5"),
    "random's": (lambda: robot.random(n=3), Error, "keyword of random 'n'; did you mean 'shape'?"),
    "a seed": (lambda: robot.random(2, seed=-1), Error, "seed must be a whole number, at least 0", "got -1"),
    "half": (lambda: kt.load("planar2r", dtype="float16"), Error, "did you mean 'float32'?"),
}
CONTROLLERS = {
    "None": (lambda: simulated(lambda t, q, v: None), Error, "forces (2,) for one state, got NoneType"),
    "a shape": (lambda: simulated(lambda t, q, v: np.zeros(3)), Error, "got shape (3,)"),
    "two": (lambda: simulated(lambda t, q: q), Error, "a function of (t, q, v): too many positional"),
    "a state": (lambda: simulated(lambda t, q, v, s: q), Error, "missing a required argument: 's'; with state=..."),
    "no tuple": (lambda: simulated(lambda t, q, v, s: q, state=Z), Error, "must return (tau, state), got ndarray"),
    "NumPy's": (lambda: simulated(lambda t, q, v: np.interp(t, [0, 1], [0, 1]) * q), Error, "np.interp does not take"),
    "if": (
        lambda: simulated(lambda t, q, v: q if q[0] > 0 else -q),
        Error,
        "q[0] > 0: a traced value has no truth value",
    ),
    "the robot": (lambda: simulated(lambda t, q, v: robot.gravity(q)), Error, "kt.algorithms.gravity(model, q)"),
    "events": (
        lambda: robot.simulate(Z, Z, 0.1, 0.1, method="RK45", events=3),
        Error,
        "events must be a function of (t, q, v), a list of such",
    ),
    "an array": (lambda: robot.simulate(Z, Z, 0.1, 0.1, controller=Z), Error, "a function of (t, q, v), got ndarray"),
}
ALL = {
    f"{kind}: {name}": case
    for kind, cases in {
        "method": METHODS,
        "function": FUNCTIONS,
        "symbols": {name: (lambda f=f: traced(f), Traced, *words) for name, (f, *words) in SYMBOLS.items()},
        "arrays": ARRAYS,
        "names": NAMES,
        "loading": LOADING,
        "controller": CONTROLLERS,
    }.items()
    for name, case in cases.items()
}


@pytest.mark.parametrize("name", ALL)
def test_a_mistake_is_answered_with_what_would_be_right(name):
    call, error, *words = ALL[name]
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_names_of_other_libraries_are_not_ours_and_lead_to_ours():
    tables = {name: other_libraries.ATTRIBUTES[name] for name in ("kt", "robot", "motion")}
    owners = {"kt": kt, "robot": robot, "motion": fall()}
    for name, table in {**tables, **other_libraries.MODULES}.items():
        owner = owners.get(name) or getattr(kt, name.removeprefix("kt."))
        assert [x for x in table if hasattr(owner, x) and not inspect.ismodule(getattr(owner, x))] == []
        ours = {x for x in table.values() if x.isidentifier()}
        assert [x for x in ours if not hasattr(owner, x)] == []
    assert set(other_libraries.SIMILAR_ROBOTS.values()) <= set(kt.robot_names())


def test_a_mistake_is_not_told_behind_an_error_of_python():
    compiled = kt.load("planar2r")
    gravity, wrench = compiled.kernel("gravity"), {"tip": np.zeros(6)}
    for call in (
        lambda: compiled.pose(Z, "hand"),
        lambda: compiled.pose(Z, ["tip"]),
        lambda: compiled.jacobian(Z, "tip", expressed_in="x"),
        lambda: compiled.operational_inertia(Z, "tip", axes=slice(3)),
        lambda: compiled.coriolis_matrix(Z, Z, form="x"),
        lambda: compiled.inverse_dynamics(Z, Z, Z, wrench={"hand": np.zeros(6)}),
        lambda: compiled.inverse_dynamics(Z, Z, Z, wrench=wrench["tip"]),
        lambda: compiled.gravity("ab"),
        lambda: compiled.gravity([[1.0, 2.0], [3.0]]),
        lambda: compiled.gravity(np.array([None, None])),
        lambda: compiled.gravity(Z, out=np.zeros(3)),
        lambda: gravity(np.zeros(3)),
        lambda: gravity(Z, Z),
    ):
        with pytest.raises(kt.InputError) as caught:
            call()
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_methods_are_named_after_the_robot_and_can_be_pickled():
    for name in ("gravity", "joined", "neutral", "simulate"):
        method = getattr(kt.Robot, name)
        assert method.__qualname__ == f"Robot.{name}" and pickle.loads(pickle.dumps(method)) is method


def test_completion_offers_public_names():
    for module in (kt, kt.algorithms):
        offered = {name for name in dir(module) if not name.startswith("_")}
        assert offered - {"contact_points", "rollout", "rollout_derivatives"} == set(module.__all__)


def test_text_that_is_not_known_does_not_matter():
    """As in a session of Python's own, whose lines are not kept; nor what else is there, such as a list of itself."""
    itself: list[object] = []
    itself.append(itself)
    for body, words in (
        ("np.linalg.solve(mass(model, q), q)", "kt.linalg.solve"),
        ("(lambda of: np.linalg.inv(of()))(lambda: mass(model, q))", "kt.linalg.inv"),
        ("np.log10(q)", "kt.arrays.log(x)"),
    ):
        function = eval(f"lambda model, q: {body}", {"np": np, "mass": mass, "itself": itself})
        with pytest.raises(TypeError, match=re.escape(f"use {words}")):
            traced(function)


def test_an_error_in_a_function_keeps_its_line_and_its_kind():
    def beyond(model, q):
        return q[5]  # here

    for call in (lambda: traced(beyond), lambda: kt.jacobian(beyond)(robot.model, Z)):
        with pytest.raises(IndexError, match="out of bounds") as caught:
            call()
        assert "# here" in str(caught.traceback[-1].statement)
    half = 1.5
    with pytest.raises(IndexError):
        traced(lambda model, q: q[half])


@pytest.mark.parametrize("q", [Z, np.zeros((3, 2))], ids=["one", "batch"])
@pytest.mark.parametrize("before", [{}, {"q": None}], ids=["in order", "by name"])
def test_what_was_called_before_does_not_matter(q, before):
    """Choices that are equal, but not the same, are told apart also inside tuples."""
    arm = kt.load("planar2r", backend="numpy")

    def call(axes):
        return arm.operational_compliance(
            *(() if before else (q,)), frame="tip", axes=axes, **({"q": q} if before else {})
        )

    assert call((1, 4)).shape == (*q.shape[:-1], 2, 2)
    for axes in ((True, 4), (1.0, 4), (1, (4,))):
        with pytest.raises(kt.InputError, match="axes"):
            call(axes)


OWN = {
    "an attribute": (AttributeError, "no attribute 'hypot' in config"),
    "an object's": (AttributeError, "'Settings' object has no attribute 'hypot'"),
    "indices": (ValueError, "the table has no valid indices"),
    "Expr": (TypeError, "an Expr of my own"),
}


@pytest.mark.parametrize("name", OWN)
def test_errors_that_a_function_raises_itself_are_left_alone(name):
    kind, text = OWN[name]

    def function(model, q):
        raise kind(text)

    for call in (lambda: traced(function), lambda: kt.jacobian(function)(robot.model, Z)):
        with pytest.raises(kind, match=f"^{text}$") as caught:
            call()
        assert type(caught.value) is kind


def test_errors_without_a_traced_value_are_left_alone():
    class Expr:
        """As other libraries have."""

    other = Expr()
    for function in (
        lambda model, q: np.arange(3)[1.0 * 2] + q,
        lambda model, q: q[1.0 * 2],
        lambda model, q: np.zeros(2)[np.sin(0.5)],
        lambda model, q: other + 1,
        lambda model, q: np.log10(other),
        lambda model, q: other.hypot,
        lambda model, q: (0.5).hypot,
    ):
        with pytest.raises((IndexError, TypeError, AttributeError)) as caught:
            traced(function)
        assert not isinstance(caught.value, kt.InputError)


def test_an_error_about_a_traced_value_keeps_its_cause():
    with pytest.raises(kt.InputError, match="does not take traced values") as caught:
        traced(lambda model, q: np.hypot(q, q))
    assert type(caught.value.__cause__) is AttributeError and "hypot" in str(caught.value.__cause__)


def test_tracers_of_jax_are_sent_to_the_algorithms():
    jax = pytest.importorskip("jax")
    with pytest.raises(
        kt.InputError, match=r"use kt\.jax\.Robot\(robot\), or call kt\.algorithms\.gravity\(model, q\)"
    ):
        jax.jit(robot.gravity)(jax.numpy.zeros(2))


NUMBERS = np.array([-3.5, -2.5, -2.0, -1.0, -0.75, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0])
PAIRS = tuple(x.ravel() for x in np.meshgrid(NUMBERS, NUMBERS))
X, Y = PAIRS[0][PAIRS[1] != 0.0], PAIRS[1][PAIRS[1] != 0.0]
POSITIVE, TRUTH = np.abs(X), np.array(np.meshgrid([0.0, 1.0], [0.0, 1.0])).reshape(2, 4)
TALL = np.array([[1.0, 2.0], [-0.5, 1.0], [3.0, -1.0]])


def halves_up(x):
    return np.where(x % 1.0 == 0.5, x + 0.5, np.round(x))


ELEMENTARY = """expm1 exp2 cbrt square arcsinh hypot deg2rad radians rad2deg degrees fabs absolute logaddexp sinc
heaviside modf ceil trunc fix"""
"""Functions of one real number, or of any two."""
REPLACED = {
    **{name: (getattr(np, name), dict(zip("xy", PAIRS, strict=True))) for name in ELEMENTARY.split()},
    "log1p": (np.log1p, {"x": NUMBERS[NUMBERS > -1.0]}),
    "arctanh": (np.arctanh, {"x": NUMBERS[np.abs(NUMBERS) < 1.0]}),
    "arccosh": (np.arccosh, {"x": NUMBERS[NUMBERS >= 1.0]}),
    "log10": (np.log10, {"x": POSITIVE[POSITIVE > 0.0]}),
    "log2": (np.log2, {"x": POSITIVE[POSITIVE > 0.0]}),
    **dict.fromkeys(("pow", "float_power"), (np.float_power, {"x": POSITIVE[X != 0.0], "y": Y[X != 0.0]})),
    "copysign": (lambda x, y: np.copysign(x, y + 0.0), dict(zip("xy", PAIRS, strict=True))),  # -0.0 as 0.0
    **{name: (getattr(np, name), {"x": X, "y": Y}) for name in ("fmod", "remainder", "mod", "floor_divide", "divmod")},
    "math.remainder": (lambda x, y: x - y * halves_up(x / y), {"x": X, "y": Y}),
    **dict.fromkeys(("round", "rint", "around"), (halves_up, {"x": NUMBERS})),
    "int": (lambda x: [int(k) for k in x], {"x": NUMBERS}),
    "angle": (lambda x: np.angle(x + 0.0), {"x": NUMBERS}),  # -0.0 as 0.0
    # conditions
    **{
        name: (getattr(np, name), dict(zip("ab", PAIRS, strict=True)))
        for name in ("greater", "greater_equal", "less_equal", "fmax", "fmin")
    },
    **{f"logical_{k}": (getattr(np, f"logical_{k}"), {"a": TRUTH[0], "b": TRUTH[1]}) for k in ("and", "or", "xor")},
    "logical_not": (np.logical_not, {"a": TRUTH[0]}),
    # of vectors and matrices
    "var": (np.var, {"x": NUMBERS[None]}),
    "std": (np.std, {"x": NUMBERS[None]}),
    "gradient": (lambda x: np.gradient(x[0]), {"x": NUMBERS[None]}),
    "linspace": (lambda a, b: np.linspace(a[0], b[0], 5), {"a": np.array([-2.5]), "b": np.array([0.5])}),
    **dict.fromkeys(("vdot", "vecdot"), (np.vdot, {"a": NUMBERS[None], "b": NUMBERS[None] ** 2})),
    "lstsq": (lambda A, b: np.linalg.lstsq(A[0], b[0], rcond=None)[0], {"A": TALL[None], "b": np.ones((1, 3))}),
    "pinv": (np.linalg.pinv, {"A": TALL[None]}),
    **dict.fromkeys(
        ("spsolve", "tensorsolve"),
        (lambda A, b: np.linalg.solve(A[0], b[0]), {"A": TALL[None, :2], "b": np.array([[-1.0, 2.0]])}),
    ),
}
"""Name of a function → the function, and values of its arguments along the first axis."""


def test_remedies_are_what_they_replace():
    """Every expression that messages suggest, of floats and traced."""
    assert REPLACED.keys() == EXPRESSIONS.keys()
    for name, text in EXPRESSIONS.items():
        function, given = REPLACED[name]
        code = compile(text.partition("; ")[0], name, "eval")
        given, names = (
            {x: a for x, a in given.items() if x in code.co_names},
            {"kt": kt, "math": math, "np": np, "n": 5},
        )
        plain = eval(code, {**names, **{x: a if a.ndim == 1 else a[0] for x, a in given.items()}})
        shapes = {x: a.shape[1:] for x, a in given.items()}
        program = trace(lambda xs, c=code, n=names: eval(c, {**n, **xs}), {"xs": shapes})
        want = function(*given.values())
        wanted = want if isinstance(want, tuple) else (want,)
        with np.errstate(divide="ignore"):  # a power of zero is that of its logarithm
            found = program.evaluate(*given.values())
        for got in (plain if isinstance(want, tuple) else (plain,), found):
            for x, right in zip(got, wanted, strict=True):
                x = np.reshape(np.asarray(x, float), np.shape(right))
                np.testing.assert_allclose(x, right, rtol=1e-12, atol=1e-14, err_msg=name)


FILES = {
    "arm.urdf": ("", "the file is empty; a URDF file begins with <robot>"),
    "scene.usda": ("#usda 1.0", "this is USD"),
    "part.stl": ("solid part", "this is a mesh"),
    "data.json": ("{}", "holds no model: one that robot.save wrote begins with"),
    "data.urdf": ("{}", "this is JSON"),
    "page.urdf": ("<!DOCTYPE html><html/>", "this is a web page: download the raw file"),
}


def test_files_that_are_no_urdf(tmp_path):
    for name, (text, _) in FILES.items():
        (tmp_path / name).write_text(text)
    for name, (_, words) in FILES.items():
        with pytest.raises(kt.ModelError, match=re.escape(words)):
            kt.load(tmp_path / name)
    held = "Is a directory; it holds 'arm.urdf', 'data.urdf', 'page.urdf'"
    for name, words in (("", held), ("amr.urdf", "mean 'arm.urdf'?")):
        with pytest.raises(kt.InputError, match=re.escape(words)):
            kt.load(tmp_path / name)


def impossible():
    builder = kt.Builder("x")
    builder.link("a", np.diag([1.0, 1.0, 9.0, 1.0, 1.0, 1.0]))
    builder.joint("j", kt.joints.Revolute([0, 0, 1]), parent="base", child="a")
    return builder


def test_warnings_point_at_the_line_that_called():
    heavy = robot.parameters("inertial") * [1, 1, 1, 1, 1, 1, 1, 1, 1, 50]
    limits = '<limit lower="2" upper="1" effort="1" velocity="1"/>'
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    ends = '<parent link="a"/><child link="b"/>'
    odd = f'<robot name="r"><link name="a"/><link name="b">{inertial}</link>'
    odd += f'<joint name="j" type="revolute">{ends}<axis xyz="0 0 1"/>{limits}</joint></robot>'
    calls = [
        (lambda: impossible().build(), kt.PhysicsWarning),  # here
        (lambda: kt.Robot(impossible().build()), kt.PhysicsWarning),  # here
        (lambda: robot.with_parameters(inertial=heavy), kt.PhysicsWarning),  # here
        (lambda: kt.from_dh([(0, 0, 0, 0)], inertias=[np.diag([1.0, 1, 9, 1, 1, 1])]), kt.PhysicsWarning),  # here
        (lambda: kt.load(odd), kt.ModelWarning),  # here
        (lambda: kt.from_dh([(0, 90, 0, 0)], inertias=[np.eye(6)]), kt.ModelWarning),  # here
        (lambda: robot.simulate(Z, Z, 0.1, 0.1, controller=lambda t, q, v: q * np.nan), kt.SimulationWarning),  # here
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    for call, category in calls:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            call()
        assert found and all(issubclass(w.category, category) for w in found)
        assert all(w.filename == __file__ and lines[w.lineno - 1].endswith("# here") for w in found)


COMMANDS = {
    "inof": "invalid choice: 'inof'; did you mean 'info'?",
    "info no_such.urdf": "kinetrace: error: cannot read 'no_such.urdf'",
    "info pnada": "did you mean 'panda'?",
    "count panda -a rnea": "unknown algorithm 'rnea'; did you mean 'inverse_dynamics'?",
    "codegen panda crba": "unknown algorithm 'crba'; did you mean 'mass_matrix'?",
    "simulate panda --time abc": "argument --time",
    "info panda --bse free": "did you mean --base?",
    "info panda --verbose": "unrecognized arguments: --verbose; `kinetrace info --help` lists what it takes",
    "info panda --base Free": "invalid choice: 'Free'; did you mean 'free'?",
    "simulate panda --method RK4": "did you mean 'rk4'?",
    "info panda extra": "unrecognized arguments: extra; `kinetrace info --help` lists what it takes",
}


@pytest.mark.parametrize("line", COMMANDS)
def test_commands(line, capsys):
    try:
        code = main(line.split())
    except SystemExit as end:
        code = end.code
    told = capsys.readouterr().err.strip().splitlines()
    assert code == 2 and COMMANDS[line] in told[-1]


def test_the_collector_is_left_as_a_traced_function_leaves_it():
    before = gc.get_threshold()
    try:
        robot.count(lambda model, q: gc.disable() or q)
        assert not gc.isenabled() and gc.get_threshold() == before
        robot.count(lambda model, q: gc.set_threshold(123) or q)
        assert gc.get_threshold()[0] == 123
        gc.set_threshold(*before)
        with pytest.raises(ZeroDivisionError):
            robot.count(lambda model, q: 1 // gc.get_threshold()[0])
        assert gc.get_threshold() == before
    finally:
        gc.set_threshold(*before)
        gc.enable()


def test_headers_of_generated_source_say_all_in_ascii():
    meanings = [x.meaning for table in (ARGUMENTS, PARAMETERS) for x in table.values()]
    for name, says in codegen.OFFERED_ALGORITHMS.items():
        text = "\n".join([*codegen._meaning(says.function), *codegen.CONVENTIONS, *meanings])
        plain = text.encode("ascii", shared.PLAIN_TEXT_ERRORS).decode()
        assert plain.count("?") == text.count("?"), name
    shown = "M v̇ + Ṁ v = τ, J̄ = M⁻¹ Jᵀ Λ, ẋ = A x + B δτ, ½ |ν|², (GᵀMG)˙, ∂τ/∂q along q ⊕ ε, Γ_ijk = −κ, s⁻², x⁺"
    assert shown.encode("ascii", shared.PLAIN_TEXT_ERRORS).decode() == (
        "M v' + M' v = tau, Jbar = M^-1 J^T Lambda, x' = A x + B delta tau, 1/2 |nu|^2, (G^TMG)', dtau/dq along q "
        "(+) eps, Gamma_ijk = -kappa, s^-2, x^+"
    )


def test_extras_are_those_of_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra, packages in EXTRAS.items():
        assert [re.split(r"[\[<>=]", x)[0] for x in extras[extra]] == packages.split()


def test_names_of_the_version_before_work_and_name_the_new_ones():
    with pytest.warns(DeprecationWarning, match=r"kt\.arrays\.each is now kt\.arrays\.map_rows") as caught:
        assert kt.arrays.each is kt.arrays.map_rows
    assert caught[0].filename == __file__ and "each" not in dir(kt.arrays)


@pytest.mark.parametrize("name", ["kinetrace.simulate", "kinetrace.model.nothing"])
def test_modules_that_do_not_exist_are_looked_for_without_an_error(name):
    assert importlib.util.find_spec(name) is None
    with pytest.raises(ModuleNotFoundError, match="another version of kinetrace made that pickle"):
        importlib.import_module(name)
