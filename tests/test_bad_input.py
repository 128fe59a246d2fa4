"""What bad input gets: an error of the package's own root that names what is wrong and what would be right."""

from __future__ import annotations

import contextlib
import inspect
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import kinetrace as kt

Z7, Z6 = np.zeros(7), np.zeros(6)


@pytest.fixture(scope="module", params=["llvm", "numpy"])
def panda(request):
    return kt.load("panda", backend=request.param)


BAD_CALLS = {
    # choices that are no names
    "a form with a list": (
        lambda r: kt.algorithms.coriolis_matrix(r.model, Z7, Z7, form=("a", [])),
        "form must be a name (text), got tuple",
    ),
    "an input with a list": (
        lambda r: kt.compile(kt.algorithms.gravity, r, inputs=[("a", [])]),
        "parameter must be a name (text), got tuple",
    ),
    # shapes
    "q too short": (lambda r: r.pose(Z6, "panda_hand"), "pose: q must have shape (..., 7), got (6,)"),
    "q a number": (lambda r: r.pose(0.0, "panda_hand"), "q must have shape (..., 7), got ()"),
    "v too long": (
        lambda r: r.inverse_dynamics(Z7, np.zeros((5, 8)), Z7),
        "inverse_dynamics: v must have shape (..., 7), got (5, 8)",
    ),
    "a transposed": (lambda r: r.inverse_dynamics(Z7, Z7, np.zeros((7, 3))), "a must have shape (..., 7)"),
    "batches differ": (
        lambda r: r.inverse_dynamics(np.zeros((3, 7)), np.zeros((4, 7)), Z7),
        "the batch axes do not broadcast: q (3,), v (4,), a ()",
    ),
    "q0 too short": (lambda r: r.difference(Z6, Z7), "difference: q0 must have shape (..., 7), got (6,)"),
    "ragged": (lambda r: r.normalise([[0.0] * 7, [0.0] * 6]), "rows differ in length: [0] has 7, [1] has 6"),
    "base velocity": (
        lambda r: r.inverse_dynamics(Z7, Z7, Z7, base_velocity=np.zeros(3)),
        "base_velocity must have shape (..., 6), got (3,)",
    ),
    "base acceleration": (
        lambda r: r.inverse_dynamics(Z7, Z7, Z7, base_acceleration=Z7),
        "base_acceleration must have shape (..., 6), got (7,)",
    ),
    "wrench shape": (
        lambda r: r.inverse_dynamics(Z7, Z7, Z7, wrench={"panda_hand": np.zeros((2, 3))}),
        "wrench[panda_hand] must have shape (..., 6), got (2, 3)",
    ),
    "out shape": (
        lambda r: r.normalise(np.zeros((3, 7)), out=np.zeros((4, 6))),
        "normalise: out must have shape (3, 7), got (4, 6)",
    ),
    "out a list": (lambda r: r.normalise(Z7, out=[0.0] * 7), "out must be an array, got list"),
    "two outs": (lambda r: r.normalise(Z7, out=(Z7, Z7)), "out must be a tuple of 1 arrays, got 2"),
    "no threads": (lambda r: r.normalise(Z7, threads=0), "threads must be a whole number, at least 1"),
    "threads a word": (lambda r: r.normalise(Z7, threads="2"), "threads must be a whole number, at least 1"),
    "an algorithm's batch": (
        lambda r: kt.algorithms.pose(r.model, np.zeros((10, 7)), frame="panda_hand"),
        "q must have shape (7,), got (10, 7); an algorithm takes one state",
    ),
    "an algorithm's velocity": (
        lambda r: kt.algorithms.velocity(r.model, Z7, Z6, frame="panda_hand"),
        "must have shape (7,), got (6,)",
    ),
    # types
    "complex": (lambda r: r.pose(Z7 * 1j, "panda_hand"), "q must hold real numbers, got dtype complex128"),
    "strings": (lambda r: r.pose(["a"] * 7, "panda_hand"), "q must hold real numbers, got dtype <U1"),
    "None": (lambda r: r.velocity(Z7, None, "panda_hand"), "v must hold real numbers, got dtype object"),
    "objects": (lambda r: r.normalise(Z7.astype(object)), "q must hold real numbers, got dtype object"),
    "wrench values": (
        lambda r: r.inverse_dynamics(Z7, Z7, Z7, wrench={"panda_hand": None}),
        "wrench[panda_hand] must hold real numbers",
    ),
    "wrench an array": (
        lambda r: r.inverse_dynamics(Z7, Z7, Z7, wrench=Z6),
        "wrench must map frame names to arrays (..., 6), got ndarray",
    ),
    # names
    "frame": (lambda r: r.pose(Z7, "panda_hnad"), "unknown frame 'panda_hnad'; did you mean 'panda_hand'?"),
    "frame lists": (lambda r: r.jacobian(Z7, "x"), "Valid: panda_hand, panda_hand_tcp, panda_link0, "),
    "frame None": (lambda r: r.pose(Z7, None), "frame must be a name (text), got NoneType. Valid: panda_hand"),
    "frames": (lambda r: r.pose(Z7, ["panda_hand"]), "frame must be a name (text), got list"),
    "wrench frame": (lambda r: r.inverse_dynamics(Z7, Z7, Z7, wrench={"hand": Z6}), "unknown frame 'hand'"),
    "joint": (lambda r: r.q_slice("panda_jiont1"), "unknown joint 'panda_jiont1'; did you mean 'panda_joint1'?"),
    "joint lists": (lambda r: r.v_slice(""), "Valid: panda_joint1, panda_joint2, "),
    "expressed_in": (
        lambda r: r.velocity(Z7, Z7, "panda_hand", expressed_in="bod"),
        "unknown expressed_in 'bod'; did you mean 'body'? Valid: aligned, body, space",
    ),
    "jacobian in": (lambda r: r.jacobian(Z7, "panda_hand", expressed_in="world"), "Valid: aligned, body, space"),
    "acceleration in": (
        lambda r: r.acceleration(Z7, Z7, Z7, "panda_hand", expressed_in=None),
        "expressed_in must be a name (text), got NoneType",
    ),
    "algorithm": (
        lambda r: r.count("inverse_dynamic"),
        "unknown algorithm 'inverse_dynamic'; did you mean 'inverse_dynamics'?",
    ),
    "count without its frame": (lambda r: r.count("pose"), "pose needs frame=..."),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_calls(panda, name):
    call, message = BAD_CALLS[name]
    with pytest.raises(kt.InputError, match=re.escape(message)):
        call(panda)


def test_every_frame_of_a_small_robot_is_listed():
    with pytest.raises(kt.InputError) as caught:
        kt.load("planar2r").pose([0.0, 0.0], "tp")
    assert str(caught.value) == "unknown frame 'tp'; did you mean 'tip'? Valid: base_link, link1, link2, tip"


def unknown_argument(model, q, stiffness):
    return q * stiffness


BAD_SETTINGS = {
    "dtype": (lambda m: kt.Robot(m, dtype="float16"), "unknown dtype 'float16'"),
    "no dtype": (lambda m: kt.Robot(m, dtype="flaot64"), "unknown dtype 'flaot64'; did you mean 'float64'?"),
    "complex dtype": (lambda m: kt.Robot(m, dtype=complex), "Valid: float32, float64"),
    "backend": (lambda m: kt.Robot(m, backend="lvm"), "unknown backend 'lvm'; did you mean 'llvm'? Valid: llvm, numpy"),
    "load's settings": (lambda m: kt.load("panda", backend="gpu"), "unknown backend 'gpu'. Valid: llvm, numpy"),
    "compile's dtype": (lambda m: kt.compile(kt.Model.normalise, m, dtype="f2"), "unknown dtype 'float16'"),
    "compile's backend": (
        lambda m: kt.compile(kt.Model.normalise, m, backend=1),
        "backend must be a name (text), got int",
    ),
    "base": (lambda m: kt.load("panda", base="floating"), "base must be 'fixed' or 'free', got 'floating'"),
    "random base": (lambda m: kt.random_tree(3, base="wheel"), "base must be 'fixed' or 'free', got 'wheel'"),
    "check": (lambda m: kt.load("panda", check="maybe"), "check must be 'warn', 'error' or 'ignore'"),
    "robot name": (lambda m: kt.load("pnada"), "unknown robot 'pnada'; did you mean 'panda'?"),
    "robot None": (lambda m: kt.load(None), "expected a path or XML text, got NoneType"),
    "robot for model": (lambda m: kt.Robot("panda"), "expected a Model, got 'panda'; kinetrace.load"),
    "no model": (lambda m: kt.compile(kt.Model.normalise, None), "expected a Model, got None"),
    "shape unknown": (
        lambda m: kt.compile(unknown_argument, m),
        "the shape of argument 'stiffness' of unknown_argument is not known "
        "(known: q, q0, q1, v, a, tau, u, nu, dq, dv, da, dtau, du, dnu, control, activation, dy, "
        "tau_weight, internal_forces, "
        "point, dt, base_velocity, base_acceleration, task_damping, stabilisation)",
    ),
    "shape not a shape": (lambda m: kt.compile(unknown_argument, m, shapes={"stiffness": "x"}), "got 'x'"),
    "shape negative": (lambda m: kt.compile(unknown_argument, m, shapes={"stiffness": (-3,)}), "got (-3,)"),
    "shape of nothing": (
        lambda m: kt.compile(unknown_argument, m, shapes={"stiffnes": (), "stiffness": ()}),
        "unknown argument of unknown_argument 'stiffnes'; did you mean 'stiffness'?",
    ),
    "shape and value": (
        lambda m: kt.compile(unknown_argument, m, shapes={"stiffness": ()}, stiffness=2.0),
        "'stiffness' of unknown_argument has both a shape and a value",
    ),
    "threads": (lambda m: kt.Robot(m, threads=True), "threads must be a whole number"),
    "nothing returned": (lambda m: kt.compile(lambda model, q: None, m), "must return an array of numbers"),
    "gravity": (lambda m: kt.load("panda", gravity=(0, 9.81)), "gravity must be 3 finite numbers"),
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_settings(panda, name):
    make, message = BAD_SETTINGS[name]
    with pytest.raises(kt.KinetraceError, match=re.escape(message)):
        make(panda.model)


def test_a_mimic_joint_has_no_variables():
    robot = kt.random_tree(9)
    mimic = next(b for b in robot.model.bodies if b.mimic)
    source = robot.model.bodies[mimic.mimic.source].joint_name
    for where in (robot.q_slice, robot.v_slice):
        with pytest.raises(kt.InputError, match=f"'{mimic.joint_name}' mimics '{source}' and has no variables"):
            where(mimic.joint_name)


@pytest.mark.alternates(2, "settings", "method")
@pytest.mark.parametrize("settings", [{}, {"backend": "numpy"}, {"dtype": "float32"}], ids=str)
@pytest.mark.parametrize("method", ["inverse_dynamics", "pose", "jacobian", "velocity", "integrate", "difference"])
def test_nan_in_a_state_gives_nan_in_that_row_only(settings, method):
    """On a tree with every joint; rows 2 and 5 are spoilt, in the configuration. Nothing warns."""
    robot = kt.random_tree(9, seed=2, base="free", **settings)
    rng = np.random.default_rng(0)
    q, v = robot.random(7, seed=rng), rng.normal(size=(7, robot.nv))

    def call(q):
        arguments = {
            "inverse_dynamics": (q, v, v),
            "pose": (q, "tip"),
            "jacobian": (q, "tip"),
            "velocity": (q, v, "tip"),
            "integrate": (q, v),
            "difference": (q, robot.random(7, seed=3)),
        }
        return getattr(robot, method)(*arguments[method]).reshape(7, -1)

    spoilt = q.copy()
    spoilt[2, :] = np.nan
    spoilt[5, 0] = spoilt[5, 3:7] = np.nan  # the pose of the free base
    clean, result = call(q), call(spoilt)
    bad = np.isin(np.arange(7), (2, 5))
    np.testing.assert_array_equal(result[~bad], clean[~bad])
    assert np.isnan(result[2]).any()
    if method not in ("velocity", "jacobian"):  # twists in the frame itself: no matter where the base stands
        assert np.isnan(result[5]).any()


def test_errors_come_before_compilation(monkeypatch):
    """A name that does not exist is found while tracing, before any native code is made."""
    from kinetrace.engine.targets.llvm import object_code

    monkeypatch.setattr(object_code, "assemble", None)
    robot = kt.load("ur5e")
    with pytest.raises(kt.InputError, match="unknown frame"):
        robot.pose(Z6, "nowhere")
    assert not any(kernels._kernels for kernels in robot._kernels.values())


def test_all_errors_have_one_root():
    assert issubclass(kt.InputError, kt.KinetraceError) and issubclass(kt.ModelError, kt.KinetraceError)
    assert issubclass(kt.KinetraceError, ValueError)
    assert issubclass(kt.PhysicsWarning, UserWarning)


class _Speechless:
    def __repr__(self):
        raise RuntimeError("no words")

    def __float__(self):
        raise RuntimeError("no number")


HUGE = 16**9000  # Python does not write it
STRANGE = (10**400, HUGE, -HUGE, 1j, True, np.nan, np.inf, "x", b"1", None, _Speechless(), Decimal("1e999"), {1})
STRANGE += (Fraction(10**400, 3), np.datetime64("now"), [HUGE, 1j, 0], [10**400, 1j, 1], [1, [2]], np.array(["a"] * 3))


def made(**joint):
    builder = kt.Builder("b")
    builder.link("base"), builder.link("a")
    builder.joint("j", **{"joint": kt.joints.Revolute([0, 0, 1]), **joint}, parent="base", child="a")
    return builder.build(check="ignore")


MAKERS = {
    "DH cell": lambda x: kt.from_dh([[x, 1j, 1, 1]], check="ignore"),
    "DH table": lambda x: kt.from_dh(x),
    "DH kinds": lambda x: kt.from_dh([[0, 0, 0, 0]], kinds=x, check="ignore"),
    "DH convention": lambda x: kt.from_dh([[0, 0, 0, 0]], convention=x, check="ignore"),
    "DH name": lambda x: kt.from_dh([[0, 0, 0, 0]], name=x, check="ignore"),
    "screw": lambda x: kt.from_screws([[x, 0, 1, 0, 0, 0]], np.eye(4), check="ignore"),
    "placements": lambda x: kt.from_screws([[0, 0, 1, 0, 0, 0]], x, form="link", check="ignore"),
    "form": lambda x: kt.from_screws([[0, 0, 1, 0, 0, 0]], np.eye(4), form=x, check="ignore"),
    "axis": lambda x: kt.joints.Revolute([x, 0, 1]),
    "pitch": lambda x: kt.joints.Helical([0, 0, 1], x),
    "joint": lambda x: made(joint=x),
    "mimic": lambda x: made(mimic=x),
    "placement": lambda x: made(placement=x),
    "gear": lambda x: kt.closures.gear("a", "b", x),
    "coupling": lambda x: kt.closures.Coupling(x),
    "loop": lambda x: kt.closures.Loop("a", "b", x),
    "closures": lambda x: kt.load("planar2r").with_closures(x),
    "closure file": lambda x: kt.load("planar2r", closures={"closures": [], "guess": {"joint1": x}}),
    "base": lambda x: kt.load("planar2r", base=x),
    "packages": lambda x: kt.load("planar2r", packages={"a": x}),
    "xacro_args": lambda x: kt.load("planar2r", xacro_args=x),
    "dtype": lambda x: kt.load("planar2r", dtype=x),
    "backend": lambda x: kt.load("planar2r", backend=x),
    "threads": lambda x: kt.load("planar2r", threads=x),
    "locked": lambda x: kt.load("planar2r").locked({"joint1": x}),
    "armature": lambda x: kt.load("planar2r").with_joint_effects(armature=x),
    "method": lambda x: kt.load("planar2r").simulate([0, 0], [0, 0], 0.01, 0.001, method=x),
    "record": lambda x: kt.load("planar2r").simulate([0, 0], [0, 0], 0.01, 0.001, record=x),
    "trajectory": lambda x: kt.Trajectory.load(x),
    "save": lambda x: kt.load("planar2r").save(x),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # of complex numbers beyond all bounds
def test_strange_values_are_taken_or_refused_by_errors_of_the_package(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for x in STRANGE:
        try:
            MAKERS[name](x)
        except kt.KinetraceError as error:
            assert 0 < len(str(error)) < 900


@pytest.mark.parametrize("settings", [{}, {"dtype": "float32"}, {"backend": "numpy"}], ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_method_of_a_robot_without_joints(settings):
    """Each gives arrays without entries, or refuses by an error of the package, in one state and in batches."""
    body = "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    robot = kt.load(f"<robot name='r'><link name='a'><inertial>{body}</inertial></link></robot>", **settings)
    named, others = {"frame": "a", "dt": 0.01, "t": 0.01}, ("view", "draw", "save", "plot", "animate", "checked")
    for name in sorted(set(dir(type(robot))) - set(others)):
        method = getattr(robot, name, None)
        if name.startswith("_") or not callable(method):
            continue
        needed = [x.name for x in inspect.signature(method).parameters.values() if x.default is x.empty and x.kind < 2]
        for batch in ((), (3,), (0,)):
            with contextlib.suppress(kt.KinetraceError):
                method(**{x: named.get(x, np.zeros((*batch, 0))) for x in needed})
    q = np.zeros((2, 0))
    assert robot.project(q).shape == robot.solve_mass(q, q).shape == robot.closure_forces(q, q, q).shape == (2, 0)
