"""The scripts of `benchmarks/`: their quick mode runs, and what they need and lack they skip by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "shared")
CHEAP = (
    *("arms", "casadi_calls", "closed_simulation", "contact", "identification", "inverse_kinematics", "minimum_effort"),
    *("small_calls", "threads"),
    *("time_scaling", "torch_calls"),
)
"""Seconds of one core; the others compile more."""
LACKS = {
    **{"casadi_calls": "casadi", "cluster": "dask", "inverse_kinematics": "pinocchio", "jax_calls": "jax"},
    **{"arms": "pinocchio", "minimum_effort": "casadi", "time_scaling": "toppra", "torch_calls": "torch"},
}
INSTALL = {"pinocchio": "pin"}
WITHOUT = """
import runpy, sys
script, *missing = sys.argv[1:]
sys.modules.update(dict.fromkeys(missing))
sys.argv[1:] = ["--quick"]
sys.path.insert(0, script.rpartition("/")[0])
runpy.run_path(script, run_name="__main__")
"""


ROW = re.compile(r"^.*\S.*\s\d+\.\d.*\s\S?\d+\.\d", re.MULTILINE)
"""A line of a table: a name and two measured numbers at least."""


def run(folder, *argv, fails=False):
    done = subprocess.run([sys.executable, *argv], cwd=folder, env=os.environ, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr if fails else done.stdout


@pytest.mark.parametrize("name", CHEAP)
def test_quick_modes_run(name, tmp_path):
    out = run(tmp_path, FOLDER / f"{name}.py", "--quick")
    if not ROW.search(out) and (lacks := re.search(r"skipped .* is not installed \(pip install .*\)", out)):
        pytest.skip(lacks[0])
    assert "joint effects: " in out and ROW.search(out.partition("joint effects: ")[2]), out


@pytest.mark.parametrize(("name", "package"), LACKS.items())
def test_what_is_not_installed_is_skipped_by_name(name, package, tmp_path):
    out = run(tmp_path, "-c", WITHOUT, (FOLDER / f"{name}.py").as_posix(), package, "pink", "mink")
    assert f"skipped {package}: {package} is not installed (pip install {INSTALL.get(package, package)})" in out


def test_what_scripts_take_from_the_tests_is_no_package_to_skip(tmp_path):
    for name in ("casadi", "scipy", "mpmath"):
        pytest.importorskip(name)
    out = run(tmp_path, "-c", WITHOUT, (FOLDER / "minimum_effort.py").as_posix(), "test_optimal_motion", fails=True)
    assert "skipped" not in out and "ModuleNotFoundError: import of test_optimal_motion" in out


@pytest.mark.parametrize("name", SCRIPTS)
def test_all_have_the_quick_mode_and_robots_without_effects_of_joints(name):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert "shared.options(parser" in text and "shared.load(" in text
    assert "kt.load(" not in text and "parse_args()" not in text
