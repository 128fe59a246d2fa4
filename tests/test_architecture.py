"""The shape of the package: who imports whom, what is public, what every public thing carries."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import tokenize
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType

import pytest

import kinetrace as kt
from kinetrace import algorithms, lie
from kinetrace.engine.cache.fingerprints import TRACED
from kinetrace.model import joints
from kinetrace.model.files import load

ROOT = Path(kt.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

LAYERS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "support": ("errors",),
    "arrays": ("errors", "support"),
    "lie": ("errors", "support", "arrays"),
    "linalg": ("errors", "support", "arrays"),
    "engine.cache": ("support",),
    "engine.trace": ("errors", "support", "arrays", "linalg"),
    "engine.plan": ("errors", "support", "engine.trace"),
    "engine.targets": ("errors", "support", "engine.trace", "engine.plan"),
    "engine.runtime": ("errors", "support", "engine.cache", "engine.trace", "engine.plan", "engine.targets"),
    "model": ("errors", "support", "arrays", "lie"),
    "closures": ("model",),
    "joints": ("model",),
    "engine.derivative": ("errors", "support", "arrays", "engine.trace", "model"),
    "algorithms": ("errors", "support", "arrays", "lie", "linalg", "model", "engine.derivative"),
    "operators": ("algorithms",),
    "engine.compilation": (
        *("errors", "support", "engine.cache", "engine.trace", "engine.runtime", "model"),
        *("engine.derivative", "algorithms"),
    ),
    "robot": (
        *("errors", "support", "lie", "engine.cache", "engine.trace", "engine.runtime", "model"),
        *("algorithms", "engine.compilation"),
    ),
    "worlds": ("errors", "support", "lie", "model", "algorithms", "robot"),
    "simulation": (*("errors", "support", "arrays", "lie", "engine.trace", "model", "algorithms", "robot", "worlds"),),
    "inverse_kinematics": ("errors", "support", "arrays", "model", "algorithms", "robot"),
    "motion.splines": ("errors", "support", "arrays", "algorithms", "robot", "simulation"),
    "identify": (
        *("errors", "support", "arrays", "lie", "model", "engine.derivative", "algorithms"),
        *("engine.compilation", "robot", "simulation"),
    ),
    "control": (
        *("errors", "support", "arrays", "lie", "linalg", "engine.trace", "engine.targets"),
        *("engine.runtime", "model", "engine.derivative", "algorithms", "robot", "simulation"),
        *("motion.splines", "identify"),
    ),
    "motion": (
        *("errors", "support", "arrays", "lie", "linalg", "model", "engine.derivative", "algorithms"),
        *("engine.compilation", "robot", "simulation", "motion.splines", "control"),
    ),
    "design": (
        *("errors", "support", "arrays", "lie", "linalg", "model", "engine.derivative", "algorithms"),
        *("engine.compilation", "robot"),
    ),
    "symbolic": ("errors", "support", "lie", "engine.trace", "model", "engine.compilation"),
    "analysis": (
        *("errors", "support", "arrays", "lie", "engine.trace", "engine.runtime", "model", "algorithms"),
        *("engine.compilation", "robot", "identify"),
    ),
    "frameworks": (
        *("errors", "support", "lie", "engine.trace", "engine.plan", "engine.targets", "engine.runtime"),
        *("model", "engine.derivative", "algorithms", "engine.compilation", "robot", "simulation"),
    ),
    "casadi": ("frameworks",),
    "cluster": ("frameworks",),
    "cuda": ("frameworks",),
    "jax": ("frameworks",),
    "torch": ("frameworks",),
    "interop": ("errors", "support", "arrays", "lie", "model", "robot"),
    "view": (
        *("errors", "support", "arrays", "lie", "engine.targets", "model", "algorithms"),
        *("engine.compilation", "robot", "worlds", "simulation"),
    ),
    "__init__": (
        *("errors", "support", "arrays", "lie", "linalg", "engine.cache", "engine.trace", "engine.runtime"),
        *("model", "closures", "joints", "engine.derivative", "algorithms", "engine.compilation", "robot"),
        *("worlds", "simulation", "inverse_kinematics", "identify", "control", "motion", "design", "symbolic"),
        *("frameworks", "interop"),
    ),
    "bench": (
        *("errors", "arrays", "support", "engine.trace", "engine.plan", "engine.targets", "engine.runtime", "model"),
        *("algorithms", "robot", "worlds", "frameworks", "interop"),
    ),
    "cli": ("*",),
    "__main__": ("cli",),
}
"""Layer (a package, a module, or a part of `engine` or `motion`) → those that it imports, which stand before it."""
LATE = tuple(ROOT / "robot" / name for name in ("conveniences.py", "pictures.py", "methods/scenes.py"))
"""Files whose functions import applications that stand above them, when they are called."""


def layer_of(path: tuple[str, ...]) -> str:
    """The layer of a module, given by its path in the package: the longest name in the table that begins it."""
    names = (".".join(path[:n]) for n in range(len(path), 0, -1))
    return next((name for name in names if name in LAYERS), path[0] if path else "__init__")


def layer_of_file(file: Path) -> str:
    path = file.relative_to(ROOT).with_suffix("").parts
    return layer_of(path[:-1] if len(path) > 1 and path[-1] == "__init__" else path)


def imported_layers(file: Path) -> set[str]:
    """The layers that a file imports, anywhere in it; of those that import late, as it is loaded."""
    package = ("kinetrace", *file.relative_to(ROOT).parts[:-1])
    tree, layers = ast.parse(file.read_text(encoding="utf-8")), set[str]()
    for node in tree.body if file in LATE else ast.walk(tree):
        if isinstance(node, ast.Import):
            paths = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            module = (*start, *(node.module.split(".") if node.module else ()))
            paths = [(*module, alias.name) for alias in node.names]
        else:
            continue
        layers |= {layer_of(path[1:]) if len(path) > 1 else "*" for path in paths if path[0] == "kinetrace"}
    return layers - {layer_of_file(file)}


def test_imports_point_downward():
    assert {layer_of_file(file) for file in FILES} - {"engine"} == LAYERS.keys()
    below = {file: set(LAYERS.get(layer_of_file(file), ())) for file in FILES}
    assert {file: x for file in FILES if below[file] != {"*"} and (x := imported_layers(file) - below[file])} == {}


@pytest.mark.parametrize("layer", [layer for layer, below in LAYERS.items() if below != ("*",)])
def test_no_layer_names_what_it_does_not_need(layer):
    assert set(LAYERS[layer]) == set().union(*(imported_layers(f) for f in FILES if layer_of_file(f) == layer))


def test_the_layers_have_no_cycle():
    seen: set[str] = set()
    for layer, below in LAYERS.items():
        assert below == ("*",) or set(below) <= seen
        seen.add(layer)


def test_layers_keep_what_they_promise():
    """The compiler knows no robots, mechanics no compiler but derivatives, and applications stand above `Robot`."""
    mathematics = {"errors", "support", "arrays", "lie", "linalg"}
    compiler = {f"engine.{name}" for name in ("cache", "trace", "plan", "targets", "runtime")}
    for layer in compiler:
        assert set(LAYERS[layer]) <= mathematics | compiler
    assert set(LAYERS["model"]) <= mathematics
    assert {x for x in LAYERS["algorithms"] if x.startswith("engine.")} == {"engine.derivative"}
    above = [*LAYERS][[*LAYERS].index("robot") + 1 :]
    assert not set(LAYERS["robot"]) & {*above}
    assert {"simulation", "inverse_kinematics", "control", "motion", "identify", "view", "frameworks", "cli"} <= {
        *above
    }


SUBJECTS = (
    *({"registry"}, {"sweeps"}, {"kinematics"}, {"operators"}, {"constraints"}),
    *({"dynamics", "closed"}, {"contact"}, {"derivatives", "time"}, {"metric"}, {"tasks"}, {"actuation"}),
)
"""The subpackages of `algorithms` in the order of their imports. Two pairs see each other: forward dynamics of closed
chains is one of its methods, made of the factors of trees; implicit steps take derivatives, and steps have their own.
"""


def test_subjects_of_mechanics_import_downward():
    """As they are loaded; names of rows in signatures are asked of `tasks` late."""
    root, below = ROOT / "algorithms", set[str]()
    assert sorted(x for subjects in SUBJECTS for x in subjects) == sorted(
        x.parent.name for x in root.glob("*/__init__.py")
    )
    for subjects in SUBJECTS:
        below |= subjects
        for file in (file for x in subjects for file in (root / x).rglob("*.py")):
            nodes = [x for x in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(x, ast.ImportFrom)]
            up = len(file.relative_to(root).parts)  # dots that lead to `algorithms`
            assert {x.module.split(".")[0] for x in nodes if x.level == up and x.module} <= below, file


def test_packages_can_be_surveyed():
    folders = [x for x in (ROOT, *ROOT.rglob("*")) if x.is_dir() and any(x.glob("*.py"))]
    assert len([x for x in folders if x.parent == ROOT]) <= 22
    assert {x: n for x in folders[1:] if (n := len([*x.glob("*.py")])) > 15} == {}
    aliases = [x for x in ROOT.glob("*.py") if "sys.modules[__name__] =" in x.read_text("utf-8")]
    assert len(aliases) <= 9 and all(len(x.read_text("utf-8").split("\n\n")) <= 5 for x in aliases)


def test_the_cache_watches_all_that_is_traced():
    watched, new = set(), {"algorithms", "engine.derivative"}
    while new:
        watched |= new
        new = {x for file in FILES if layer_of_file(file) in new for x in imported_layers(file)} - watched
    assert watched - {"errors"} == {part.removesuffix(".py").replace("/", ".") for part in TRACED}


def locks(text: str) -> bool:
    """Whether a module uses the `cached_property` of functools, under whatever name."""
    nodes = list(ast.walk(ast.parse(text)))
    aliases = [a for node in nodes if isinstance(node, ast.Import) for a in node.names if a.name == "functools"]
    modules = {alias.asname or alias.name for alias in aliases}
    return any(
        (isinstance(node, ast.ImportFrom) and node.module == "functools" and {"cached_property", "*"} & imported(node))
        or (isinstance(node, ast.Attribute) and node.attr == "cached_property" and ast.unparse(node.value) in modules)
        for node in nodes
    )


def imported(node: ast.ImportFrom) -> set[str]:
    return {alias.name for alias in node.names}


def test_no_lock_is_held_while_an_attribute_is_computed():
    """As `functools.cached_property` of Python 3.11 does: a child forked meanwhile would wait forever."""
    assert locks("from functools import (\n    cache,\n    cached_property,\n)")
    assert locks("import functools as f\nclass A:\n    @f.cached_property\n    def x(self): ...")
    assert not locks("from functools import cache\nfrom .attributes import cached_property")
    assert [file for file in FILES if locks(file.read_text(encoding="utf-8"))] == []


def test_modules_below_others_are_imported_by_their_public_names():
    for name in ("algorithms", "arrays", "closures", "joints", "lie", "linalg"):
        assert importlib.import_module(f"kinetrace.{name}") is getattr(kt, name)
    from kinetrace.joints import Revolute

    assert Revolute is kt.joints.Revolute


def test_public_names():
    assert kt.__all__ == sorted(kt.__all__)
    assert kt.__all__ == [
        "Actuator",
        "Builder",
        "CompactLayout",
        "InputError",
        "InverseKinematics",
        "InverseVelocity",
        "JointEffects",
        "Kernel",
        "KinetraceError",
        "LimitWarning",
        "Limits",
        "MissingPackageError",
        "Model",
        "ModelError",
        "ModelWarning",
        "OpCount",
        "PhysicsWarning",
        "Reachability",
        "Robot",
        "SimulationWarning",
        "Trajectory",
        "World",
        "algorithms",
        "arrays",
        "casadi",
        "closures",
        "cluster",
        "compile",
        "control",
        "cuda",
        "design",
        "from_dh",
        "from_screws",
        "hessian",
        "identify",
        "interop",
        "jacobian",
        "jax",
        "joints",
        "jvp",
        "lie",
        "linalg",
        "load",
        "motion",
        "operators",
        "random_chain",
        "random_tree",
        "robot_names",
        "sparsity",
        "symbolic",
        "torch",
        "vjp",
        "worlds",
    ]
    assert sorted(name for name in dir(kt.Robot) if not name.startswith("_")) == [
        "acceleration",
        "acceleration_derivatives",
        "actuator_forces",
        "actuator_names",
        "assemble",
        "bias",
        "center_of_mass",
        "centroidal_momentum",
        "centroidal_momentum_matrix",
        "check",
        "checked",
        "christoffel",
        "christoffel_derivative",
        "closed_acceleration",
        "closure_bias",
        "closure_forces",
        "closure_jacobian",
        "closure_names",
        "closure_residual",
        "closure_row_names",
        "closure_slice",
        "closure_velocity",
        "closure_wrenches",
        "contact_forces",
        "coriolis_matrix",
        "coriolis_product",
        "coriolis_regressor",
        "coriolis_transpose_product",
        "count",
        "diagonal_coriolis",
        "diagonal_dynamics",
        "diagonal_step",
        "difference",
        "difference_to",
        "dissipated_power",
        "doctor",
        "dof",
        "draw",
        "dynamically_consistent_inverse",
        "dynamics_model",
        "energy_regressor",
        "forward_acceleration",
        "forward_dynamics",
        "forward_dynamics_derivatives",
        "frame_names",
        "geodesic",
        "geodesic_between",
        "grasp_forces",
        "gravity",
        "home",
        "independent",
        "info",
        "integrate",
        "inverse_dynamics",
        "inverse_dynamics_derivatives",
        "inverse_dynamics_second_derivatives",
        "inverse_kinematics",
        "inverse_velocity",
        "is_flat",
        "jacobian",
        "jacobian_derivative",
        "joined",
        "joint_names",
        "kernel",
        "keyframes",
        "kinetic_energy",
        "limits",
        "linearise",
        "linearise_step",
        "locked",
        "log_det_mass",
        "manipulability",
        "mass_matrix",
        "mass_matrix_derivative",
        "mass_matrix_rate",
        "mass_root_product",
        "mass_root_solve",
        "mass_root_transposed_product",
        "mass_root_transposed_solve",
        "mobility",
        "model",
        "model_for",
        "momentum",
        "momentum_rate",
        "momentum_regressor",
        "motor_forces",
        "motor_forces_derivatives",
        "motor_names",
        "name",
        "neutral",
        "normalise",
        "nq",
        "nullspace_projector",
        "nv",
        "operational_bias",
        "operational_compliance",
        "operational_inertia",
        "optimise",
        "parameter_names",
        "parameters",
        "passive_forces",
        "plot",
        "pose",
        "pose_derivative",
        "potential_energy",
        "power",
        "project",
        "q_by_joint",
        "q_from",
        "q_slice",
        "random",
        "reachability",
        "reduced_coriolis_matrix",
        "reduced_gravity",
        "reduced_jacobian",
        "reduced_mass_matrix",
        "reduced_regressor",
        "regressor",
        "renamed",
        "repaired",
        "ricci",
        "riemann",
        "rollout",
        "rollout_derivatives",
        "save",
        "scalar_curvature",
        "sectional_curvature",
        "simulate",
        "solve_mass",
        "step",
        "symbolic",
        "total_energy",
        "v_by_joint",
        "v_from",
        "v_slice",
        "velocity",
        "velocity_derivatives",
        "velocity_map",
        "verify",
        "view",
        "with_actuators",
        "with_closures",
        "with_frame",
        "with_home",
        "with_joint_effects",
        "with_keyframe",
        "with_link_frames",
        "with_motors",
        "with_parameters",
        "with_payload",
        "with_world",
        "without_bodies",
        "without_closures",
        "without_joint_effects",
    ]


FRAMEWORKS = ("jax", "torch")
"""Parts of the package that import the package of their name."""


def modules() -> list[str]:
    """All of them, except those of frameworks that are not installed."""
    found = pkgutil.walk_packages([str(ROOT)], "kinetrace.", onerror=lambda name: None)
    absent = tuple(f"kinetrace.{name}" for name in FRAMEWORKS if find_spec(name) is None)
    return ["kinetrace", *(m.name for m in found if not m.name.endswith("__main__") and not m.name.startswith(absent))]


def source_of(module: str) -> str:
    return Path(find_spec(module).origin).read_text(encoding="utf-8")


def functions_of(owner: object) -> dict[str, FunctionType]:
    """The public functions of a module or class, under their full names."""
    home = owner.__name__ if inspect.ismodule(owner) else owner.__module__
    return {
        f"{f.__module__}.{f.__qualname__}": f
        for name, f in vars(owner).items()
        if not name.startswith("_") and inspect.isfunction(f) and f.__module__ == home
    }


def public(*owners: object) -> dict[str, FunctionType]:
    return {name: f for owner in owners for name, f in functions_of(owner).items()}


ROBOT = [c for c in kt.Robot.__mro__ if c.__module__.startswith("kinetrace.robot")]
FACE = {
    **public(kt, *ROBOT, lie.so3, lie.se3, lie.adjoint, lie.inertia),
    **{f"kinetrace.{name}": f for name, f in vars(kt).items() if name in kt.__all__ and inspect.isfunction(f)},
    **{f"algorithms.{name}": getattr(algorithms, name) for name in algorithms.__all__},
    **{f"load.{name}": getattr(load, name) for name in load.__all__},
}


def test_what_users_call_shows_an_example():
    assert [name for name, function in FACE.items() if ">>>" not in (function.__doc__ or "")] == []


def test_everything_public_is_described_and_annotated():
    for name in modules():
        assert_described_and_annotated(name)


def assert_described_and_annotated(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, name
    classes = [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == name]
    for owner in (module, *(c for c in classes if not c.__name__.startswith("_"))):
        if inspect.isclass(owner):
            assert owner.__doc__, owner
        for where, function in public(owner).items():
            inherits = inspect.isclass(owner) and any(function.__name__ in vars(b) for b in owner.__mro__[1:])
            assert function.__doc__ or inherits, where
            signature = inspect.signature(function)
            names = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
            assert all(p.annotation is not p.empty for p in names), where
            assert signature.return_annotation is not signature.empty, where


class Finder(doctest.DocTestFinder):
    """Finds what is wrapped, too: the methods that compiled code answers."""

    def _from_module(self, module, object):
        return super()._from_module(module, inspect.unwrap(object) if inspect.isfunction(object) else object)


PEERS = ("mujoco", "pinocchio")


@pytest.mark.parametrize("name", [name for name in modules() if ">>>" in source_of(name)])
def test_examples_run(name):
    """Of every docstring of a module; they share no variables."""
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    absent = [f"import {peer}" for peer in PEERS if find_spec(peer) is None]
    for test in Finder().find(importlib.import_module(name)):
        if not any(line in example.source for line in absent for example in test.examples):
            assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0, test.name


def test_a_file_can_be_read_in_one_sitting():
    assert [file for file in FILES if code_lines(file) > 400] == []


def code_lines(file: Path) -> int:
    """The lines of a file but those of the docstrings of its functions and classes, which are reference pages."""
    text = file.read_text(encoding="utf-8")
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    pages = [n.body[0] for n in ast.walk(ast.parse(text)) if isinstance(n, kinds) and ast.get_docstring(n) is not None]
    return len(text.splitlines()) - sum(page.end_lineno - page.lineno + 1 for page in pages)


NUMERICAL = ("assembly.py", "closure_fitting.py", "grasp_forces.py", "mobility.py", "independent_rows.py")
"""Methods on numbers, of closed chains: they iterate and branch."""
ALGORITHMS = sorted(
    file
    for file in (ROOT / "algorithms").rglob("*.py")
    if file.parent.name not in ("operators", "registry") and file.name not in NUMERICAL
)


@pytest.mark.parametrize("file", ALGORITHMS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_an_algorithm_is_short_and_asks_no_joint_its_name(file):
    assert code_lines(file) <= 200
    kinds = {name for name, c in vars(joints).items() if inspect.isclass(c) and issubclass(c, joints.Joint)}
    assert {"Revolute", "Free"} <= kinds
    assert not names_in(file) & (kinds | TRACER)


TRACER = {"is_concrete", "constants", "Expr", "Graph"}
"""What asks a number whether it is traced."""
ASKS = {"inertia.py": {"constants"}}
"""The exception: that a matrix turns about a coordinate axis is seen where it is used, at half the price."""


def as_booleans(x: ast.AST) -> list[ast.expr]:
    """The expressions in a piece of source that stand where a boolean does."""
    if isinstance(x, ast.BoolOp):
        return x.values
    if isinstance(x, ast.UnaryOp):
        return [x.operand] if isinstance(x.op, ast.Not) else []
    if isinstance(x, ast.Call):
        return x.args if getattr(x.func, "id", "") == "bool" else []
    return x.ifs if isinstance(x, ast.comprehension) else [x.test] if hasattr(x, "test") else []


def questions(text: str) -> int:
    """How often a module asks whether there are closures."""
    return sum(getattr(y, "attr", "") == "closures" for x in ast.walk(ast.parse(text)) for y in as_booleans(x))


def two_forms(text: str) -> int:
    """How often a module has another way for closed chains, which `Forms` or `by_form` chooses."""
    calls = (x.func for x in ast.walk(ast.parse(text)) if isinstance(x, ast.Call))
    return sum(getattr(x, "id", "") in {"Forms", "by_form"} for x in calls)


def test_few_places_ask_whether_loops_are_closed():
    """Forms that the model chooses are such questions too, under another name: both are counted."""
    for asking in ("x = bool(m.closures)", "x = n or m.closures", "x = not m.closures", "a if m.closures else b"):
        assert questions(asking) == 1
    assert questions("if m.closures and not bool(r.closures): [x for x in y if x.closures]") == 3
    assert questions("x = [bool(c.terms) for c in m.closures]") == 0
    found = {file.relative_to(ROOT).as_posix(): questions(file.read_text(encoding="utf-8")) for file in FILES}
    asking = {name for name, n in found.items() if n and name.startswith("algorithms/")}
    assert asking == {f"algorithms/{name}.py" for name in ("closed/mobility", "registry/declaration", "registry/forms")}
    assert sum(found.values()) <= 30
    assert two_forms("x = Forms(1, 2)\ny = by_form(tree=f, closed=g)\nz: Forms[int]") == 2
    assert sum(two_forms(file.read_text(encoding="utf-8")) for file in FILES) <= 26


@pytest.mark.parametrize("file", sorted((ROOT / "lie").glob("*.py")), ids=lambda f: f.name)
def test_groups_ask_no_number_whether_it_is_traced(file):
    assert names_in(file) & TRACER == ASKS.get(file.name, set())


def names_in(file: Path) -> set[str]:
    with file.open("rb") as text:
        return {t.string for t in tokenize.tokenize(text.readline) if t.type == tokenize.NAME}
