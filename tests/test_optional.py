"""Packages that only some functions need: one error for all, with the extra that brings each."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import FunctionType, ModuleType

import kinetrace as kt
from kinetrace.errors import EXTRAS
from kinetrace.support.optional import DISTRIBUTIONS

SOURCE = Path(kt.__file__).parent
REQUIRED = {"numpy", "llvmlite", "platformdirs", "shtab", "rich", "kinetrace", *sys.stdlib_module_names}
CHECKED = {
    "arrays.py": {"jax"},  # of arrays of JAX
    "bench": {"pinocchio", "mujoco", "casadi", "jax", "matplotlib"},  # `Peer.missing` and `check` have looked
    "cli": {"matplotlib"},
    "casadi": {"casadi"},  # after `function.library`
    "cluster": {"dask", "distributed", "psutil"},  # the last comes with distributed
    "runtime": {"dask", "xarray"},  # of arrays of these libraries
    "jax": {"jax", "jaxlib"},
    "torch": {"torch"},
    "view": {
        "matplotlib",
        "mpl_toolkits",
        "PIL",
        "imageio_ffmpeg",
        "playwright",
        "trimesh",
    },  # after `require_package`; meshes have a warning
}
"""Part of the package → what it imports by itself, where it is known to be there."""


def calls():
    """(file, module, extra) of each call of `require_package` and `absent`, and (file, module) of all other imports."""
    asked, plain = [], []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("require_package", "_absent"):
                given = [x.value for x in node.args if isinstance(x, ast.Constant)]
                if isinstance(node.args[0], ast.Constant):
                    extra = node.args[2].value if len(node.args) > 2 else "simulate"
                    asked.append((path, given[0].partition(".")[0], extra))
            names = [x.name for x in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            plain += [(path, name.partition(".")[0]) for name in names]
    return asked, plain


def test_every_extra_brings_what_is_asked_of_it():
    asked, _ = calls()
    assert len(asked) > 40
    for path, module, extra in asked:
        if module != "no_such_package" and module != "math":
            assert DISTRIBUTIONS.get(module, module) in EXTRAS[extra].split(), (path, module, extra)


def test_optional_packages_are_asked_for_in_one_way():
    for path, module in calls()[1]:
        top, inner, *_ = (*path.relative_to(SOURCE).parts, "")
        part = inner if top in ("frameworks", "engine") else top
        if module not in REQUIRED:
            assert module in CHECKED.get(part, ()), f"{path} imports {module}: take support.optional.require_package"


ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
DEVELOPERS = {"test", "reference", "bench", "peers", "docs", "lint"}
"""Extras for work on the package itself, which bring what users need not have."""
NOT_TOGETHER = {"cuda"}
"""It has no wheels for macOS, and beside it pip takes an older PyTorch: the newest brings CUDA 13."""


def texts():
    """(file, its text) of all that users read about extras: strings of the package, pages, the README."""
    for path in (*SOURCE.rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"):
        if not {"tutorials", "reference"} & set(path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()):
            yield path, path.read_text("utf-8")


def test_commands_that_install_extras_work_without_a_clone():
    """They name the package as an index does, and extras that exist."""
    seen = set()
    for path, text in texts():
        for command in re.findall(r"pip install\s+('[^'\n]*'|-\S+|\.(?!\.))", text):
            name, _, rest = command.strip("'").partition("[")
            assert name == "kinetrace", f"{path}: pip install {command}"
            seen.update(rest.rstrip("]").split(","))
        for extra in re.findall(r"\b[Ee]xtra [`']([a-z]+)[`']", text):
            assert extra in PROJECT["optional-dependencies"] or "is gone" in text, f"{path}: no extra {extra}"
            seen.add(extra)
    assert seen - {"", "{extra}", "extra", "xacro"} <= set(PROJECT["optional-dependencies"])
    assert {"jax", "bench", "grasp", "plot"} <= seen


def test_the_extra_all_is_every_extra_for_users():
    every = {extra for x in PROJECT["optional-dependencies"]["all"] for extra in re.split(r"[\[\],]", x)[1:-1]}
    assert every == set(PROJECT["optional-dependencies"]) - DEVELOPERS - NOT_TOGETHER - {"all"}


SCRIPT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
BLOCKED = set(sys.argv[1:])
sys.meta_path.insert(0, Absent())
import numpy as np, kinetrace as kt
from kinetrace.errors import MissingPackageError
from kinetrace.view.live import live
robot, z = kt.load("planar2r", backend="numpy"), np.zeros(2)
free = kt.load("three_fingers_ball", backend="numpy")
motion = robot.simulate(z, z, 0.02, 0.01)
tries = {
    "scipy": (lambda: robot.simulate(z, z, 0.1, 0.1, method="RK45"), "simulate"),
    "scipy ": (lambda: kt.motion.time_scaling(robot, [[0, 0], [1, 1], [0, 1]], velocity=[1, 1]), "timing"),
    "matplotlib": (lambda: robot.draw(z), "plot"),
    "matplotlib ": (lambda: motion.plot("a.png"), "plot"),
    "pandas": (motion.to_pandas, "simulate"),
    "xarray": (motion.to_xarray, "simulate"),
    "pyarrow": (lambda: motion.save("a.parquet"), "simulate"),
    "sympy": (lambda: robot.symbolic("gravity"), "symbolic"),
    "viser": (lambda: live(robot), "live"),
    "mujoco": (lambda: kt.load("<mujoco/>"), "mujoco"),
    "robot_descriptions": (lambda: kt.load("robot_descriptions:panda_description"), "descriptions"),
    "jax": (lambda: kt.jax.Robot, "jax"),
    "torch": (lambda: kt.torch.Robot, "torch"),
    "casadi": (lambda: kt.casadi.function(kt.algorithms.gravity, robot), "casadi"),
    "cupy-cuda12x": (lambda: kt.cuda.function(kt.algorithms.gravity, robot), "cuda"),
    "pin": (lambda: kt.interop.pinocchio.to_model(robot), "bench"),
}
for name, (call, extra) in tries.items():
    try:
        call()
    except MissingPackageError as error:
        told = str(error)
        if f"needs {name.strip()}: pip install " not in told or f"'kinetrace[{extra}]'" not in told:
            print(name, "->", told)
    except Exception as error:
        print(name, "->", type(error).__name__, error)
    else:
        print(name, "-> nothing")
"""


def test_without_packages_one_error_names_the_extra():
    modules = {x: y for y, x in DISTRIBUTIONS.items()}
    blocked = {modules.get(x, x) for packages in EXTRAS.values() for x in packages.split()}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *blocked], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0 and not run.stdout, run.stdout + run.stderr


PUBLIC = "algorithms arrays casadi closures cluster control cuda design identify interop jax joints lie linalg motion "
PUBLIC += "operators symbolic torch lie.so3 lie.se3 lie.inertia interop.mujoco interop.pinocchio"


def test_dir_of_public_modules_lists_public_names():
    """No modules, types and functions that they import for themselves; and all of their `__all__`."""
    for name in ("", *PUBLIC.split()):
        module = kt
        for part in filter(None, name.split(".")):
            module = getattr(module, part)
        listed, missing = [x for x in dir(module) if not x.startswith("_")], set(getattr(module, "__all__", ()))
        if name in ("jax", "torch", "casadi"):  # they may be absent
            assert {"np", "annotations", "TYPE_CHECKING"}.isdisjoint(listed)
            continue
        more = {"contact_points", "rollout", "rollout_derivatives", "Array"}
        assert missing <= set(listed), name
        own = missing | more or listed
        assert set(listed) - own == set() or not missing, (name, set(listed) - own)
        for x in listed:
            value = getattr(module, x)
            if x == "Array" or not isinstance(value, type | FunctionType | ModuleType):
                continue
            home = getattr(value, "__module__", None) or getattr(value, "__name__", "kinetrace")
            assert str(home).startswith("kinetrace"), (name, x, home)
