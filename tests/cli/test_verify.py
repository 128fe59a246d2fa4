"""`kinetrace verify`: the identities hold, and one that does not is loud."""

import inspect
import json
import re
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import kinetrace as kt
from kinetrace import algorithms as alg
from kinetrace.analysis.verify import IDENTITIES, Identity, Result, lacks, random_states, relative, verify, worst
from kinetrace.cli import main
from kinetrace.cli.shared import as_text
from kinetrace.model import WORLD

INERTIAL = """<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>"""
GRIPPER = f"""<robot name="gripper"><link name="base"/>
<link name="palm">{INERTIAL}</link><link name="left">{INERTIAL}</link><link name="right">{INERTIAL}</link>
<joint name="wrist" type="continuous"><parent link="base"/><child link="palm"/><axis xyz="1 2 3"/></joint>
<joint name="slide" type="prismatic"><parent link="palm"/><child link="left"/><origin rpy="1 2 3" xyz="0 1 0"/>
  <axis xyz="0 1 0"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
<joint name="follow" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
  <mimic joint="slide" multiplier="1.5"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
</robot>"""
MASSLESS_MIMIC = GRIPPER.replace(f'<link name="right">{INERTIAL}</link>', '<link name="right"/>')
MASSLESS = f"""<robot name="massless"><link name="base"/><link name="arm">{INERTIAL}</link><link name="empty"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="idle" type="continuous"><parent link="arm"/><child link="empty"/><origin xyz="0 0 1"/></joint>
</robot>"""
COAXIAL = f"""<robot name="coaxial"><link name="base"/><link name="empty"/><link name="arm">{INERTIAL}</link>
<joint name="one" type="continuous"><parent link="base"/><child link="empty"/><axis xyz="0 1 0"/></joint>
<joint name="two" type="continuous"><parent link="empty"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"""

OPEN = [identity for identity in IDENTITIES if "closures" not in identity.needs]
"""What there is to check of a robot without closed loops."""


@pytest.fixture(autouse=True)
def screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def urdf(tmp_path):
    def write(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def run(capsys, *argv, code=0):
    returned = main(["verify", *argv])
    output = capsys.readouterr()
    assert returned == code, output.out + output.err
    return output.out, output.err


def by_name(text):
    return {entry["name"]: entry for entry in json.loads(text)["identities"]}


@pytest.mark.alternates(2, "argv")
@pytest.mark.parametrize(
    "argv",
    [
        ["planar2r"],
        ["planar2r", "--base", "free"],
        ["panda"],
        ["stanford"],
    ],
    ids=" ".join,
)
def test_bundled_robots_pass(capsys, argv):
    out, err = run(capsys, *argv, "--states", "2", "--tolerance", "1e-12")
    assert err == "" and "WRONG" not in out and "skipped" not in out and "\x1b" not in out
    assert f"all {len(OPEN)} identities hold" in out
    assert max(map(len, out.splitlines())) <= 80
    assert all(identity.group in out for identity in OPEN)


def test_rounding_of_forces_that_are_zero_is_no_mistake():
    """A wheel on a tilted axis has no Coriolis force; what rounding leaves of it is small beside its inertia alone."""
    axis = np.array([1.0, 2.0, 2.0]) / 3
    wheel = kt.Builder("wheel")
    moments = 0.3 * np.eye(3) + 0.2 * np.outer(axis, axis)
    wheel.link("rim", kt.lie.inertia.from_mass_com(3.0, 0.7 * axis, moments))
    wheel.joint("axle", kt.joints.Revolute(axis), parent="base", child="rim")
    results = list(verify(kt.Robot(wheel.build(), backend="numpy"), states=5))
    assert [(r.identity.name, r.residual) for r in results if not r.holds(1e-12)] == []


LEG = """<robot name="leg"><link name="base"/>
<link name="hip"><inertial><origin xyz="0.057 0.015 -0.008"/><mass value="2.8"/>
  <inertia ixx="0.003" ixy="0" ixz="0" iyy="0.005" iyz="0" izz="0.006"/></inertial></link>
<link name="turned"/>
<link name="thigh"><inertial><origin xyz="0.031 0.0001 -0.25"/><mass value="3.1"/>
  <inertia ixx="0.03" ixy="0" ixz="0.003" iyy="0.03" iyz="0" izz="0.005"/></inertial></link>
<joint name="HAA" type="revolute"><parent link="base"/><child link="hip"/><axis xyz="1 0 0"/>
  <origin rpy="-2.61799387799 0 0" xyz="0.2999 -0.104 0"/>
  <limit lower="-0.5" upper="0.7" effort="1" velocity="1"/></joint>
<joint name="back" type="fixed"><parent link="hip"/><child link="turned"/><origin rpy="2.61799387799 0 0"/></joint>
<joint name="HFE" type="revolute"><parent link="turned"/><child link="thigh"/><axis xyz="-1 0 0"/>
  <origin rpy="0 0 -1.57079632679" xyz="0.0599 -0.08381 0"/>
  <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>"""
"""One of ANYmal's: angles of 12 digits leave axes 5e-12 off."""


def test_a_row_that_cannot_move_is_no_mistake(urdf):
    """The thigh's origin does not move along its axis, but for 1e-17 m: rounding of 1e-16 m/s² is no acceleration."""
    results = verify(kt.load(urdf(LEG), backend="numpy"), states=40)
    assert [(r.identity.name, r.residual) for r in results if not r.holds(1e-11)] == []


def _tiny():
    """Five links of a hundredth of a millimetre."""
    tiny, size, parent = kt.Builder("tiny"), 1e-5, "base"
    for k, axis in enumerate(np.eye(3)[[2, 1, 0, 1, 2]]):
        moments = size**2 * np.diag([0.2, 0.3, 0.4])
        tiny.link(f"link{k}", kt.lie.inertia.from_mass_com(1.0, size * np.array([0.5, 0.1, 0.2]), moments))
        at = kt.lie.se3.pose(np.eye(3), size * np.array([1.0, 0.0, 0.5]))
        tiny.joint(f"joint{k}", kt.joints.Revolute(axis), parent=parent, child=f"link{k}", placement=at)
        parent = f"link{k}"
    return kt.Robot(tiny.build(), backend="numpy")


def _locked():
    """Four bars of which nothing can move."""
    four_bar = kt.load("four_bar", backend="numpy")
    return four_bar.locked({"crank": four_bar.assemble()[0]})


@pytest.mark.parametrize(
    "robot", [_tiny, _locked, lambda: kt.load("planar2r", dtype="float32")], ids=["tiny", "locked", "single"]
)
def test_size_precision_and_no_freedom_are_no_mistakes(robot):
    assert [(r.identity.name, r.residual) for r in verify(robot(), states=1) if not r.holds(1e-11)] == []


def test_mimic_joints_leave_nothing_out(capsys, urdf):
    path = urdf(GRIPPER)
    found = by_name(run(capsys, path, "--states", "2", "--json")[0])
    assert {entry["status"] for entry in found.values()} == {"ok"}


def test_a_mimic_joint_that_moves_no_mass_of_its_own_leaves_out_the_operators(capsys, urdf):
    """The tree in which it moves on its own has no inverse; the robot, in which it does not, has all the rest."""
    path = urdf(MASSLESS_MIMIC)
    out, _ = run(capsys, path, "--states", "2")
    assert "the mass matrix of the tree whose mimic joints move on their own is singular" in " ".join(out.split())
    found = by_name(run(capsys, path, "--states", "2", "--json")[0])
    skipped = {name for name, entry in found.items() if entry["status"] == "skipped"}
    assert skipped == {identity.name for identity in IDENTITIES if "tree" in identity.needs}
    assert {entry["status"] for name, entry in found.items() if name not in skipped} == {"ok"}


@pytest.mark.filterwarnings("ignore::kinetrace.PhysicsWarning")
@pytest.mark.parametrize(
    ("text", "why"), [(MASSLESS, "joint 'idle' moves no mass"), (COAXIAL, "joint 'one' moves no mass: 'two'")]
)
def test_a_singular_mass_matrix_leaves_out_its_inverse(capsys, urdf, text, why):
    path = urdf(text)
    out, _ = run(capsys, path, "--states", "2")
    assert "the mass matrix is singular: " + why in " ".join(out.split()) and "WRONG" not in out
    found = by_name(run(capsys, path, "--states", "2", "--json")[0])
    assert found["forward_dynamics_by_solving"]["status"] == "skipped"
    assert found["solving_undoes_the_mass_matrix"]["residual"] is None
    assert found["power_is_the_rate_of_energy"]["status"] == found["mass_matrix_by_jacobians"]["status"] == "ok"


@pytest.mark.filterwarnings("ignore::kinetrace.PhysicsWarning")
def test_an_impossible_inertia_is_told(capsys, urdf):
    path = urdf(GRIPPER.replace('izz="0.1"', 'izz="-9"', 1).replace('ixx="0.1"', 'ixx="-9"', 1))
    out, _ = run(capsys, path, "--states", "2", code=1)
    assert "WRONG: mass_matrix_is_positive_definite" in " ".join(out.split())


def test_a_robot_that_does_not_move(capsys, urdf):
    _, err = run(capsys, urdf("<robot name='rock'><link name='all'/></robot>"), code=2)
    assert "no moving joint" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("broken", "seen"),
    [
        ("pose", "pose_is_a_product"),
        ("jacobian", "jacobian_gives_the_velocity"),
        ("acceleration", "acceleration_is_the_rate_of_the_velocity"),
        ("inverse_dynamics", "gravity_is_the_gradient_of_the_potential"),
        ("mass_matrix", "mass_matrix_is_the_kinetic_energy"),
        ("forward_dynamics", "forward_dynamics_fd4"),
        ("forward_acceleration", "forward_dynamics_fd2"),
        ("solve_mass", "solving_undoes_the_mass_matrix"),
        ("mass_root_product", "root_times_its_transpose"),
        ("mass_root_solve", "root_solve_undoes_the_root"),
        ("mass_root_transposed_solve", "root_transposed_solve_undoes_its_transpose"),
        ("mass_root_transposed_product", "quasi_velocities_hold_the_energy"),
        ("diagonal_coriolis", "diagonal_coriolis_by_the_rate_of_the_root"),
        ("mass_pivots", "pivots_give_the_determinant"),
        ("operational_compliance", "compliance_by_the_jacobian"),
        ("coriolis_matrix", "coriolis_matrix_gives_the_bias"),
        ("mass_matrix_rate", "mass_matrix_rate_is_the_derivative"),
        ("coriolis_transpose_product", "coriolis_products"),
        ("potential_energy", "energies_of_poses"),
        ("gravity", "gravity_is_the_force_at_rest"),
        ("momentum", "momentum_of_poses"),
        ("centroidal_momentum_matrix", "centroidal_momentum_matrix_gives_the_momentum"),
        ("momentum_rate", "momentum_rate_is_the_derivative"),
        ("center_of_mass", "center_of_mass_of_poses"),
        ("center_of_mass", "linear_momentum_is_that_of_the_center"),
        ("mass_matrix_derivative", "mass_matrix_derivative_is_a_slope"),
        ("christoffel", "christoffel_symbols_are_the_levi_civita_connection"),
        ("christoffel", "christoffel_symbols_of_the_second_kind"),
        ("pose_derivative", "pose_derivative_is_a_slope"),
        ("jacobian_derivative", "jacobian_derivative_is_a_slope"),
        ("regressor", "regressor_gives_the_forces"),
        ("regressor", "regressor_gives_the_forces_of_joint_effects"),
        ("passive_forces", "regressor_gives_the_forces_of_joint_effects"),
        ("energy_regressor", "energy_and_momentum_regressors"),
        ("momentum_regressor", "energy_and_momentum_regressors"),
        ("coriolis_regressor", "coriolis_regressor_gives_the_forces"),
        ("coriolis_regressor", "coriolis_regressor_of_the_motion_itself"),
        ("energy_regressor", "power_of_every_parameter"),
        ("bias", "coriolis_matrix_gives_the_bias"),
        ("mass_pivots", "root_is_triangular"),
    ],
)
def test_an_algorithm_off_by_a_millionth_is_wrong(monkeypatch, broken, seen):
    true = getattr(alg, broken)
    monkeypatch.setattr(alg, broken, lambda *args, **choices: true(*args, **choices) * (1 + 1e-6))
    (identity,) = (x for x in IDENTITIES if x.name == seen)
    (state,) = random_states(kt.load("ur5e"), 1, seed=0)
    residual = identity.check(state)
    assert not Result(identity, residual).holds(1e-9) and residual < 1e-5


@pytest.mark.parametrize(
    ("broken", "places", "seen"),
    [
        ("inverse_dynamics_derivatives", (0, 1, 2), "inverse_dynamics_derivatives_are_slopes"),
        ("forward_dynamics_derivatives", (0, 1, 2), "forward_dynamics_derivatives_are_slopes"),
        ("velocity_derivatives", (0, 1), "velocity_and_acceleration_derivatives_are_slopes"),
        ("acceleration_derivatives", (0, 1, 2), "velocity_and_acceleration_derivatives_are_slopes"),
        ("diagonal_dynamics", (0, 1), "diagonal_dynamics_is_the_same_motion"),
        ("diagonal_dynamics", (0, 1), "unnormalised_dynamics_is_the_same_motion"),
        ("diagonal_dynamics", (1,), "power_changes_the_energy_of_quasi_velocities"),
        ("diagonal_dynamics", (1,), "damping_of_quasi_velocities"),
        ("diagonal_dynamics", (1,), "quasi_velocities_can_be_decoupled"),
    ],
)
def test_each_of_several_results_off_by_a_millionth_is_wrong(monkeypatch, broken, places, seen):
    true = getattr(alg, broken)
    (identity,) = (x for x in IDENTITIES if x.name == seen)
    (state,) = random_states(kt.load("ur5e"), 1, seed=0)
    for k in places:

        def spoilt(*args, k=k, **choices):
            return tuple(x * (1 + 1e-6 * (i == k)) for i, x in enumerate(true(*args, **choices)))

        monkeypatch.setattr(alg, broken, spoilt)
        assert not Result(identity, identity.check(state)).holds(1e-9), k


def test_whatever_algorithm_is_off_by_a_millionth_is_noticed(monkeypatch):
    """Each result of each algorithm about trees, by one of the identities of plain floats."""
    arm = kt.load("ur5e", backend="numpy").with_joint_effects(armature=0.1, damping=0.5, friction=0.3, stiffness=0.2)
    (state,) = random_states(arm, 1, seed=0)
    (few,) = random_states(kt.load("planar2r", backend="numpy"), 1, seed=0)
    checked = [x for x in IDENTITIES if "closures" not in x.needs and x.group != "compiled"]
    missed = []
    for name in alg.__all__:
        true = getattr(alg, name)
        called = re.compile(rf"alg\.{name}\b")
        uses = [x for x in checked if called.search(inspect.getsource(import_module(x.check.__module__)))]
        uses.sort(key=lambda x: not called.search(inspect.getsource(x.check)))
        for k in range(4):
            places = 0

            def spoilt(*args, true=true, k=k, **choices):
                nonlocal places
                found = true(*args, **choices)
                several = found if isinstance(found, tuple) else (found,)
                places = len(several)
                off = tuple(x * (1 + 1e-6 * (i == k)) for i, x in enumerate(several))
                return off if isinstance(found, tuple) else off[0]

            with monkeypatch.context() as patched:
                patched.setattr(alg, name, spoilt)
                at = [replace(few if "few" in x.needs else state) for x in uses]  # with nothing computed before
                seen = any(not x.check(s) <= 1e-9 for x, s in zip(uses, at, strict=True))
            if places and not seen:
                missed.append((name, k))
            if k + 1 >= places:
                break
    assert missed == []


@pytest.mark.parametrize("wrong", [1e-6, np.nan, np.inf])
def test_the_command_says_wrong(capsys, monkeypatch, wrong):
    true = alg.inverse_dynamics
    monkeypatch.setattr(alg, "inverse_dynamics", lambda *args, **choices: true(*args, **choices) + wrong)
    if not np.isfinite(wrong):  # what is wrong is the same then, and how it is told is what is new
        few = [x for x in IDENTITIES if x.name.startswith(("gravity_is", "jacobian_gives"))]
        monkeypatch.setattr("kinetrace.analysis.verify.IDENTITIES", few)
    out, err = run(capsys, "planar2r", "--states", "1", code=1)
    assert "WRONG: gravity_is_the_gradient_of_the_potential: residual" in " ".join(out.split())
    assert "identities fail" in out and "identities hold" not in out
    assert err.startswith("kinetrace: error: ") and "gravity_is_the_gradient" in err and err.count("\n") == 1
    found = json.loads(run(capsys, "planar2r", "--states", "1", "--json", code=1)[0])
    assert found["holds"] is False
    status = {entry["name"]: entry["status"] for entry in found["identities"]}
    assert status["gravity_is_the_gradient_of_the_potential"] == "wrong"
    assert status["jacobian_gives_the_velocity"] == "ok"


def test_wrong_is_red(capsys, monkeypatch):
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("kinetrace.analysis.verify.verify", lambda *_, **__: [Result(IDENTITIES[0], 1.0)])
    out, _ = run(capsys, "planar2r", code=1)
    assert "\x1b[1;31mWRONG" in out


def test_a_crash_is_wrong_and_the_rest_goes_on(capsys, monkeypatch):
    def crash(*_, **__):
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(alg, "momentum_rate", crash)
    monkeypatch.setattr("kinetrace.analysis.verify.IDENTITIES", [x for x in IDENTITIES if "momentum" in x.group])
    out, _ = run(capsys, "planar2r", "--states", "1", code=1)
    assert "WRONG: momentum_rate_is_the_derivative: ZeroDivisionError: by nothing" in " ".join(out.split())
    assert "1 of 8 identities fail" in out


def test_large_robots_take_fewer_states(capsys, monkeypatch):
    monkeypatch.setattr("kinetrace.analysis.verify.STATES_TIMES_VELOCITIES", 2)
    monkeypatch.setattr("kinetrace.analysis.verify.IDENTITIES", IDENTITIES[:3])
    assert "Identities on 1 random state of planar2r" in run(capsys, "planar2r")[0]
    assert json.loads(run(capsys, "planar2r", "--json")[0])["states"] == 1
    assert "Identities on 3 random states of planar2r" in run(capsys, "planar2r", "--states", "3")[0]


def test_the_tolerance_decides(capsys):
    run(capsys, "planar2r", "--states", "1", "--tolerance", "1e-30", code=1)


def test_a_residual_that_is_no_number_is_never_lost():
    nan = float("nan")
    assert np.isnan(worst([1.0, nan])) and np.isnan(worst([nan, 1.0]))
    assert np.isnan(relative(np.array([nan, 1.0]), np.ones(2)))
    assert np.isnan(relative(np.ones(2), np.zeros(2), np.inf))
    assert relative(np.zeros(2), np.zeros(2)) == 0
    assert not Result(IDENTITIES[0], nan).holds(1e300)


def test_json_has_every_identity(capsys):
    found = json.loads(run(capsys, "planar2r", "--states", "1", "--seed", "5", "--json")[0])
    assert (found["robot"], found["base"], found["states"], found["seed"]) == ("planar2r", "fixed", 1, 5)
    assert found["holds"] is True and found["tolerance"] == 1e-9
    assert [entry["name"] for entry in found["identities"]] == [identity.name for identity in OPEN]
    assert all(0 <= entry["residual"] < 1e-12 and entry["reason"] is None for entry in found["identities"])


def test_json_stays_json_where_colours_are_forced(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert json.loads(run(capsys, "planar2r", "--states", "1", "--json")[0])["holds"]


def test_every_character_has_a_plainer_one():
    text = "".join(identity.equation + identity.source for identity in IDENTITIES)
    assert [x for x in set(text) if as_text(x) == "?" != x] == []


def test_help_shows_examples_within_80_columns(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    out = capsys.readouterr().out
    assert "Examples:\n  kinetrace verify panda" in out and max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    "argv", [["--states", "0"], ["--states", "x"], ["--seed=-1"], ["--tolerance", "nan"], ["--tolerance", "0"]]
)
def test_wrong_usage(capsys, argv):
    with pytest.raises(SystemExit):
        main(["verify", "panda", *argv])
    assert argv[0].split("=")[0] in capsys.readouterr().err


def test_identities_have_names_of_their_own_and_fit_the_screen():
    assert len({identity.name for identity in IDENTITIES}) == len(IDENTITIES)
    assert max(len(identity.equation) for identity in IDENTITIES) <= 39
    assert max(len(identity.source) for identity in IDENTITIES) <= 20
    groups = [identity.group for identity in IDENTITIES]
    assert groups == sorted(groups, key=groups.index), "a group stands together"


def test_states_are_those_of_the_seed_and_their_frames_move():
    robot = kt.load("ur5e")
    one, same, other = (random_states(robot, 3, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(s.q, t.q) and s.frame == t.frame for s, t in zip(one, same, strict=True))
    assert not np.array_equal(one[0].q, other[0].q)
    assert all(robot.model.frame(s.frame).body != WORLD for s in one)
    assert lacks(one) == {}


def test_bad_arguments():
    with pytest.raises(kt.InputError, match="at least 1"):
        list(verify(kt.load("planar2r"), states=0))
    assert isinstance(IDENTITIES[0], Identity)


def test_closed_chains_have_identities_of_their_own():
    """Other mechanisms are in `laws/test_identities.py`."""
    found = {result.identity.name: result for result in verify(kt.load("four_bar"), states=2)}
    assert len(found) == len(IDENTITIES)
    assert {n: r.residual for n, r in found.items() if not r.holds(1e-11)} == {}
    assert not any(r.skipped for r in found.values() if "closures" in r.identity.needs)
