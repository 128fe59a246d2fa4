"""`kinetrace bench`: what it writes is consistent, absent peers are named, what differs is not timed."""

import json
import operator
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from kinetrace import arrays
from kinetrace.bench import chains, compare, measure, peers, roofline
from kinetrace.bench import tasks as bench_tasks
from kinetrace.bench.compare import TOLERANCE
from kinetrace.bench.peers import jax as jax_peer
from kinetrace.bench.tasks import TASKS, Rollout, Subject, results
from kinetrace.cli import main

FEW = ["--repeats", "2", "--tasks", "inverse_dynamics,jacobian", "--batch", "1,64"]
OF_STATES = tuple(name for name, task in TASKS.items() if not isinstance(task, Rollout))
ROLLOUTS = ("rollout_euler", "rollout_rk4")
ALONE = ["--robots", "planar2r", "--peers", "none", *FEW]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to a file in the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """What is timed and printed is tested, not how exactly: samples are as short as can be."""
    monkeypatch.setattr(roofline, "LOOP_TRIPS", 1000)
    monkeypatch.setattr(roofline, "COPY_BYTES", 1 << 16)
    monkeypatch.setattr(measure, "SAMPLE_SECONDS", 1e-4)
    monkeypatch.setattr(compare, "measure_start", lambda *_: {})


class Other(peers.Peer):
    """A library that computes the same."""

    name, module, package = "Other", "numpy", "numpy"
    code, rolls_out = "pass", True

    def __init__(self, subject):
        self.subject = subject

    def results(self, task, states):
        return results(self.subject.call(task, states))

    def one_call(self, task, states):
        return {self.name: measure.Run("f", self.code, {}, 1)}

    def batch(self, task, states, threads):
        return {self.name: measure.Run("f", self.code, {}, len(states))}


def run(capsys, *argv, code=0):
    returned = main(["bench", *argv])
    output = capsys.readouterr()
    assert returned == code, output.out + output.err
    return output.out, output.err


def installed(*names):
    return [name for name in names if peers.adapter(name).missing() is None]


def test_quick_writes_json(capsys, tmp_path):
    file, there = tmp_path / "bench.json", installed("pinocchio", "mujoco")
    argv = ["--quick", "--robots", "planar2r,panda", "--peers", "pinocchio,mujoco", "--threads", "1,2", *FEW]
    out, err = run(capsys, *argv, "--json", str(file))
    assert err == "" and "panda (fixed base, 7 dof)" in out and "inverse dynamics" in out and "\x1b" not in out
    found = json.loads(file.read_text())
    assert {(row["robot"], row["task"], row["batch"], row["threads"]) for row in found["rows"]} == {
        (robot, task, batch, threads)
        for robot in ("planar2r", "panda")
        for task in ("inverse_dynamics", "jacobian")
        for batch, threads in ((1, 1), (64, 1), (64, 2))
    }
    peak = {(p["stream"], p["threads"]): p["rate"] for p in found["peak"]}
    for row in found["rows"]:
        operations = sum(row["operations"][name] for name in ("mul", "add", "div", "sqrt"))
        assert row["rate"] == pytest.approx(operations / row["ours"]["best"])
        assert row["fraction_of_peak"] == pytest.approx(row["rate"] / peak["mix", row["threads"]])
        assert (row["speedup_over_one_thread"] is None) == (row["threads"] == 1)
        if row["threads"] == 1:
            assert {name.split()[0].lower() for name in row["peers"]} == set(there)
        for theirs in row["peers"].values():
            assert theirs["ratio"] == pytest.approx(theirs["best"] / row["ours"]["best"])
            assert theirs["ratio_p10"] <= theirs["ratio_median"] <= theirs["ratio_p90"]
    assert found["machine"]["lanes"] in (2, 4, 8) and found["versions"]["numpy"] == np.__version__


def test_rollouts_are_timed_per_step(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(bench_tasks, "STEPS", 10)
    file, there = tmp_path / "bench.json", installed("mujoco")
    argv = ["--quick", "--robots", "planar2r,quadruped", "--tasks", ",".join(ROLLOUTS), "--peers", "pinocchio,mujoco"]
    out, _ = run(capsys, *argv, "--batch", "1,4096", "--threads", "1,2", "--repeats", "2", "--json", str(file))
    found = json.loads(file.read_text())
    assert {(row["robot"], row["task"], row["batch"], row["steps"], row["threads"]) for row in found["rows"]} == {
        (robot, task, batch, steps, threads)
        for robot in ("planar2r", "quadruped")
        for task, alone in zip(ROLLOUTS, (1000, 10_000), strict=True)
        for batch, steps, threads in ((1, alone, 1), (64, 10, 1), (64, 10, 2))
    }
    for row in found["rows"]:
        assert row["peers"].keys() == ({"MuJoCo rollout"} if there else set())
        nq = {"planar2r": 2, "quadruped": 19}[row["robot"]]
        assert row["bytes"] == 8 * (nq + 2 * row["nv"])
    assert "rollout, RK4" in out and "one state, 10000 steps" in out and "batch 64, 10 steps, 2 threads" in out
    assert "skipped Pinocchio: planar2r, rollout, Euler; planar2r, rollout, RK4: has no" in out or not installed(
        "pinocchio"
    )


def test_runs_of_rollouts_count_their_steps():
    subject = Subject.load("planar2r")
    for name, alone in zip(ROLLOUTS, (1000, 10_000), strict=True):
        task, states = TASKS[name], subject.states(3)
        assert task.batches((1, 3, 4096, 65536)) == [1, 3, 64]
        one, several = subject.one_call(task, states), subject.batch(task, states, subject.room(task, 3), 1)
        assert (one.states, several.states) == (alone, 3 * bench_tasks.STEPS)
        several.timer().timeit(1)
        for x, y in zip(several.names["out"], subject.call(task, states), strict=True):
            assert np.array_equal(x, y) and np.isfinite(x).all() and x.any()
        namespace = dict(one.names)
        exec(f"found = {one.code}", namespace)
        assert [x.shape for x in namespace["found"]] == [(alone, 2), (alone, 2)]
        assert subject.count(task).flops > subject.count(TASKS["forward_dynamics"]).flops


def test_feet_on_the_ground_are_timed_with_what_their_contacts_lack(capsys, tmp_path, monkeypatch):
    """Beside what has contacts too; robots that do not stand, and libraries without contacts, are named."""
    monkeypatch.setattr(bench_tasks, "STEPS", 10)
    file, there = tmp_path / "bench.json", installed("mujoco")
    monkeypatch.setattr(compare, "adapter", lambda name: Other if name == "jax" else peers.adapter(name))
    argv = ["--quick", "--robots", "planar2r,planar2r:free", "--tasks", "rollout_ground", "--peers", "mujoco,jax"]
    out, _ = run(capsys, *argv, "--threads", "1", "--repeats", "2", "--json", str(file))
    assert "skipped all: planar2r, rollout, feet on the ground: robots with a free base" in out
    assert "skipped Other: planar2r (free base), rollout, feet on the ground: has no contacts" in out
    rows = json.loads(file.read_text())["rows"]
    assert [(row["base"], row["batch"], row["steps"]) for row in rows] == [("free", 1, 1000), ("free", 64, 10)]
    for row in rows:
        assert 0.0 < row["residual"] < 1e-4 and "99 % within" in out
        assert row["peers"].keys() == ({"MuJoCo rollout", "MuJoCo CG"} if there else set())
        assert all("pyramidal" in x["function"] for x in row["peers"].values())


def test_compact_results_are_compared_dense_and_timed_as_they_are(capsys, tmp_path):
    file, there = tmp_path / "bench.json", installed("pinocchio")
    argv = ["--quick", "--robots", "quadruped", "--tasks", "mass_matrix,inverse_dynamics_derivatives", "--compact"]
    argv += ["--threads", "1", "--peers", "pinocchio", "--batch", "1,64", "--repeats", "2", "--json", str(file)]
    out, _ = run(capsys, *argv)
    assert "18 dof, compact results" in out
    for row in json.loads(file.read_text())["rows"]:
        assert row["compact"] and bool(row["peers"]) == bool(there)
        numbers = sum(layout.size for layout in Subject.load("quadruped", True).kernel(TASKS[row["task"]]).layouts)
        assert row["bytes"] == 8 * (numbers + 19 + 18 * (2 if row["task"] != "mass_matrix" else 0))


def test_json_alone_is_printed(capsys):
    out, err = run(capsys, "--quick", *ALONE, "--json")
    assert err == "" and len(json.loads(out)["rows"]) == 4 + 2 * (measure.cores() > 1)


def test_absent_peers_are_named(capsys, monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    out, _ = run(capsys, "--quick", "--robots", "planar2r", "--peers", ",".join(peers.PEERS), *FEW)
    for name, package in (("Pinocchio", "pin"), ("MuJoCo", "mujoco"), ("CasADi", "casadi"), ("JAX", "jax")):
        assert f"skipped {name}: everything: not installed (pip install {package})" in out


def test_what_differs_is_not_timed(capsys, monkeypatch):
    class Wrong(Other):
        name = "Wrong"

        def results(self, task, states):
            return tuple(1.001 * y for y in super().results(task, states))

        def batch(self, task, states, threads):
            raise AssertionError("timed")

    monkeypatch.setattr(compare, "adapter", lambda name: Wrong)
    out, _ = run(capsys, "--quick", "--robots", "planar2r", "--peers", "jax", *FEW, code=1)
    assert "skipped Wrong: planar2r, inverse dynamics" in out and "results differ by 1.0e-03" in out
    assert "wrong: kinetrace raised an error or disagrees with another library, 2 times" in out


@pytest.mark.parametrize("place", ["__init__", "results", "one_call", "batch", "timed"])
def test_a_library_that_raises_is_a_line_that_says_why(capsys, tmp_path, monkeypatch, place):
    """Its error ends neither the run nor the rows of others, and is not ours: the exit code is 0."""

    def broken(*_):
        raise OSError("no such\nlibrary")

    made = {"name": "Broken", place: broken} if place != "timed" else {"name": "Broken", "code": "1 / 0"}
    chosen = {"jax": type("Broken", (Other,), made), "mujoco": Other}
    monkeypatch.setattr(compare, "adapter", chosen.__getitem__)
    argv = ["--quick", "--robots", "planar2r", "--peers", "jax,mujoco", *FEW, "--json", "bench.json"]
    out, _ = run(capsys, *argv, "--threads", "1")
    why = "raises ZeroDivisionError" if place == "timed" else "raises OSError: no such library"
    assert "skipped Broken: planar2r" in out and why in " ".join(out.split())
    found = json.loads((tmp_path / "bench.json").read_text())
    assert found["complete"] and len(found["rows"]) == 4
    for row in found["rows"]:
        assert "Other" in row["peers"] and "Other" not in row["skipped"]
        failed = place in ("__init__", "results", "timed") or (place == "one_call") == (row["batch"] == 1)
        assert ("Broken" in row["peers"]) == (not failed) == ("Broken" not in row["skipped"])
        assert not failed or row["skipped"]["Broken"].startswith(why)


@pytest.mark.parametrize("broken", ["call", "batch", "states"])
def test_our_own_error_is_kept_with_everything_else_and_the_exit_code_is_1(capsys, tmp_path, monkeypatch, broken):
    plain = getattr(Subject, broken)

    def raising(self, task, *rest, **more):
        if self.robot.name == "planar2r" and (broken == "states" or task.name == "inverse_dynamics"):
            raise ZeroDivisionError("ours")
        return plain(self, task, *rest, **more)

    monkeypatch.setattr(Subject, broken, raising)
    argv = ["--robots", "planar2r,five_bar", "--peers", "none", *FEW, "--threads", "1", "--json", "bench.json"]
    out, _ = run(capsys, *argv, code=1)
    assert "skipped kinetrace: planar2r" in out and "raises ZeroDivisionError: ours" in out
    found = json.loads((tmp_path / "bench.json").read_text())
    rows = [(row["robot"], row["task"], row["batch"]) for row in found["rows"]]
    both = [(task, batch) for task in ("inverse_dynamics", "jacobian") for batch in (1, 64)]
    lost = {"call": both[:2], "batch": both[1:2], "states": both}[broken]
    assert rows == [("planar2r", *x) for x in both if x not in lost] + [("five_bar", *x) for x in both]
    assert found["complete"] and [skip["wrong"] for skip in found["skipped"]] == [True]


def test_what_was_measured_before_an_interruption_is_printed_and_saved(capsys, tmp_path, monkeypatch):
    class Stop(Other):
        def results(self, task, states):
            if task.name == "jacobian":
                before = json.loads((tmp_path / "bench.json").read_text())  # written as it came
                assert len(before["rows"]) == 2 and not before["complete"]
                raise KeyboardInterrupt
            return super().results(task, states)

    monkeypatch.setattr(compare, "adapter", lambda name: Stop)
    argv = ["--robots", "planar2r", "--peers", "jax", *FEW, "--threads", "1", "--json", "bench.json"]
    out, err = run(capsys, *argv, code=130)
    assert "inverse dynamics" in out and "did not come to its end" in out and "interrupted" in err
    found = json.loads((tmp_path / "bench.json").read_text())
    assert [row["task"] for row in found["rows"]] == ["inverse_dynamics"] * 2 and not found["complete"]


def test_quick_has_every_task_and_library_once(capsys, monkeypatch):
    """On small robots with either base and with a loop; what compiles for seconds has one of them."""
    plans = []

    class Slow(Other):
        name, slow = "Slow", True

    def measured(plan, listener):
        plans.append(plan)
        return made(replace(plan, tasks=("jacobian",)), listener)

    made = compare.compare
    monkeypatch.setattr(compare, "compare", measured)
    monkeypatch.setattr(compare, "adapter", {**dict.fromkeys(peers.PEERS, Other), "jax": Slow}.__getitem__)
    out, _ = run(capsys, "--quick", "--json")
    (plan,), found = plans, json.loads(out)
    assert (
        (*plan.tasks,) == (*TASKS,) and (*plan.peers,) == (*peers.PEERS,) and max(plan.batches) >= jax_peer.BATCH_STATES
    )
    subjects = [Subject.load(name) for name in plan.robots]
    assert {x.base for x in subjects} == {"fixed", "free"} and any(x.robot.model.closures for x in subjects)
    assert max(x.robot.nv for x in subjects) <= 8 and plan.starts and plan.repeats <= 3
    timed = {(row["robot"], row["base"]) for row in found["rows"] if "Slow" in row["peers"]}
    assert timed == {(subjects[0].robot.name, subjects[0].base)}
    assert all("Slow" in row["peers"] or "first robot" in row["skipped"]["Slow"] for row in found["rows"])


def test_no_library_has_effects_of_joints(capsys, tmp_path, monkeypatch):
    """Neither those that are bundled with a robot nor those in a file."""
    bare, given = Subject.load("panda").robot, bench_tasks.load
    effects = {"armature": 0.1, "damping": 2.0, "friction": 0.5, "stiffness": 3.0}
    monkeypatch.setattr(bench_tasks, "load", lambda *x, **more: given(*x, **more).with_joint_effects(**effects))
    assert Subject.load("panda").robot.model == bare.model
    text = bench_tasks.zoo.path("planar2r").read_text()
    (tmp_path / "arm.urdf").write_text(text.replace("</joint>", '<dynamics damping="2" friction="0.5"/></joint>'))
    argv = ["--robots", "arm.urdf", "--peers", "pinocchio,mujoco", "--repeats", "2", "--batch", "1,8"]
    tasks = ("inverse_dynamics", "forward_dynamics", "rollout_rk4")
    out, _ = run(capsys, *argv, "--tasks", ",".join(tasks), "--json", "bench.json")
    assert "joint effects: none in any library" in out
    found = json.loads((tmp_path / "bench.json").read_text())
    assert found["joint_effects"] == "none" and len(found["rows"]) == 9 - 3 * (measure.cores() == 1)


def test_new_processes_that_fail_are_lines_too(monkeypatch):
    def process(code, cache):
        if "pinocchio" in code or "import kinetrace" in code:
            raise RuntimeError("no")
        return 1.0

    noted = []
    monkeypatch.setattr(chains, "in_new_process", process)
    found = chains.measure_start(2, ("pinocchio",), lambda *what: noted.append(what[:2]))
    assert found == {name: measure.TimeSamples((1.0, 1.0)) for name in found} and "import numpy" in found
    assert ("kinetrace", "import kinetrace") in noted and len(found) + len(noted) >= 4
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="a new process ended with: KeyError: 'why'"):
        chains.in_new_process("{}['why']", cache="off")


def test_a_chain_that_fails_leaves_the_others(capsys, monkeypatch):
    made = chains.measure_chain
    monkeypatch.setattr(chains, "CHAIN_LENGTHS", (2, 3, 4))
    monkeypatch.setattr(chains, "measure_chain", lambda *x: made(*x) if x[1] != 3 else 1 / 0)
    argv = ["--chains", "--repeats", "1", "--tasks", "inverse_dynamics", "--json"]
    out, _ = run(capsys, *argv, code=1)
    found = json.loads(out)
    assert [chain["links"] for chain in found["chains"]] == [2, 4]
    assert found["failed"][0]["links"] == 3 and "ZeroDivisionError" in found["failed"][0]["reason"]


@pytest.mark.parametrize(
    ("peer", "robot", "tasks"),
    [
        ("pinocchio", "quadruped", ("inverse_dynamics", "forward_dynamics", "coriolis_matrix", "jacobian")),
        ("pinocchio", "planar2r", OF_STATES),
        ("mujoco", "quadruped", ("inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian")),
        ("casadi", "quadruped", ("inverse_dynamics", "jacobian")),
        ("casadi", "planar2r", OF_STATES),
        ("casadi", "five_bar", OF_STATES),  # whose forward dynamics compare scalars
        ("jax", "planar2r", ("inverse_dynamics", "mass_matrix")),
        ("mujoco", "panda", ROLLOUTS),
        ("mujoco", "quadruped", ("rollout_rk4",)),
        ("jax", "planar2r", ("rollout_euler",)),
    ],
)
def test_peers_compute_the_same(peer, robot, tasks, monkeypatch, request):
    made = peers.adapter(peer)
    if (reason := made.missing()) is not None:
        pytest.skip(f"{made.name}: {reason}")
    if peer == "jax":
        request.getfixturevalue("jax")  # which then compiles in a hurry
    monkeypatch.setattr(jax_peer, "BATCH_STATES", 8)
    monkeypatch.setattr(jax_peer, "ROLLED", 8)
    monkeypatch.setattr(bench_tasks, "STEPS", 20)
    subject = Subject.load(robot)
    states, there = subject.states(8), made(subject)
    for name in tasks:
        theirs = there.results(TASKS[name], states)
        assert len(theirs) > 0
        for x, y in zip(results(subject.call(TASKS[name], states)), theirs, strict=False):
            assert np.linalg.norm(x - y) <= TOLERANCE * np.linalg.norm(y), name
        for made_run in there.batch(TASKS[name], states, 1).values():
            made_run.timer().timeit(1)


def test_what_is_skipped_of_pinocchio_is_not_our_error():
    """With universal joints its derivatives are off those of its own rnea by percents; ours are not."""
    pin = pytest.importorskip("pinocchio")
    subject = Subject.load("stewart")
    peer, states = peers.adapter("pinocchio")(subject), subject.states(1)
    for name in ("coriolis_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        with pytest.raises(peers.Unsupported, match="universal joints"):
            peer.results(TASKS[name], states)
    model, data = peer.model, peer.model.createData()
    q, v, a = (x[0].copy() for x in peer._inputs(TASKS["inverse_dynamics"], states))
    steps = 1e-6 * np.eye(model.nv)
    sides = [[pin.rnea(model, data, pin.integrate(model, q, s * e), v, a) for s in (1, -1)] for e in steps]
    differences = np.array([(x - y) / 2e-6 for x, y in sides]).T
    theirs = pin.computeRNEADerivatives(model, data, q, v, a)[0]
    ours = subject.call(TASKS["inverse_dynamics_derivatives"], states)[0][0][np.ix_(peer.v_order, peer.v_order)]
    size = np.linalg.norm(differences)
    assert np.linalg.norm(ours - differences) < 1e-7 * size < 1e-5 * np.linalg.norm(theirs - differences)


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq", "ne")
POINTS = np.array([[0.3, 0.7], [0.7, 0.3], [0.5, 0.5], [0.9, 0.2]])


def test_scalars_of_casadi_do_what_is_asked_of_any_scalar():
    """Every operator with a scalar and a number on either side, and every function of `arrays`, against NumPy."""
    ca = pytest.importorskip("casadi")
    from kinetrace.bench.peers.casadi import Scalar

    def agree(f):
        x, y = (Scalar(ca.SX.sym(name)) for name in "xy")
        for pair in ((x, y), (x, 0.5), (0.5, y)):
            (found,) = np.ravel(f(*(np.array([z], dtype=object) for z in pair)))
            made = ca.Function("f", [x.x, y.x], [found.x])
            for at in POINTS:
                numbers = (np.array([p if z is s else z]) for z, s, p in zip(pair, (x, y), at, strict=True))
                assert float(made(*at)) == pytest.approx(float(f(*numbers)[0]), rel=1e-14)

    for name in OPERATORS:
        agree(np.frompyfunc(getattr(operator, name), 2, 1))
    for f in (arrays.atan2, arrays.less, arrays.minimum, arrays.maximum):
        agree(f)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "sinh", "cosh", "tanh", "floor"):
        agree(lambda a, b: getattr(arrays, name)(0.1 + a * b))  # noqa: B023  called at once
    for f in (arrays.abs, arrays.sign, np.negative, np.positive):
        agree(lambda a, b: f(a - b))  # noqa: B023
    agree(lambda a, b: arrays.where(arrays.less(a, b), a + 1.0, b - 1.0))
    agree(lambda a, b: arrays.clip(a, 0.4, b + 1.0))
    with pytest.raises(TypeError, match="not known"):
        bool(Scalar(ca.SX.sym("x")) < 1.0)


def test_the_streams_compute():
    """Chains that stay at one, so that a stream that was optimised away would show."""
    for kind, stream, operations in roofline._streams()[0]:
        chains_of = operations // (roofline.UNROLL_FACTOR * roofline.lanes() * (2 if kind == "fma" else 1))
        assert chains_of in roofline.CHAINS
        assert stream(3, 1.0, 0.0) == chains_of
        added = 3 * roofline.UNROLL_FACTOR * (chains_of // 2 if kind == "mix" else chains_of)
        assert stream(3, 1.0, 1.0) == chains_of + added


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed")
def test_plots(capsys, tmp_path, monkeypatch):
    png, svg = tmp_path / "bench.png", tmp_path / "bench.svg"
    monkeypatch.setattr(bench_tasks, "STEPS", 10)
    some = ["--robots", "planar2r", "--peers", "none", "--repeats", "2", "--batch", "1,128,256"]
    run(capsys, "--quick", *some, "--tasks", "jacobian,rollout_euler", "--plot", str(png))
    assert png.read_bytes().startswith(b"\x89PNG")
    monkeypatch.setattr(chains, "CHAIN_LENGTHS", (2, 3))
    monkeypatch.setattr(chains, "LINK_STATES", 64)
    out, _ = run(capsys, "--chains", "--repeats", "2", "--tasks", "inverse_dynamics", "--plot", str(svg))
    assert "prefers-color-scheme: dark" in svg.read_text() and "compile [MB]" in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--robots", "pandas"], "panda"),
        (["--tasks", "mass"], "mass_matrix"),
        (["--peers", "drake"], "casadi, jax, mujoco, pinocchio"),
        (["--batch", "0"], "at least 1"),
        (["--repeats", "0"], "at least 1"),
        (["--plot", "bench.pdf"], ".png or .svg"),
        (["--chains", "--batch", "8"], "no --batch"),
        (["--chains", "--compact"], "no --compact"),
    ],
    ids=" ".join,
)
def test_wrong_options_say_what_is_right(capsys, argv, message):
    _, err = run(capsys, *argv, code=2)
    assert message in err and err.count("\n") == 1


def test_a_plot_without_matplotlib_names_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    _, err = run(capsys, "--plot", "bench.png", code=2)
    assert "pip install matplotlib (the extra 'bench'" in err
