"""C and CUDA source: compilers take it without a word, and it gives the same numbers as the program."""

from __future__ import annotations

import ctypes
import math
import os
import re
import shutil
import subprocess
import sys
from ctypes.util import find_library
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import kinetrace as kt
from fuzzing import generator
from kinetrace import arrays
from kinetrace.algorithms.sweeps import long_chains
from kinetrace.engine.plan import plan
from kinetrace.engine.targets.text import c, comparison_program
from kinetrace.engine.targets.text.sources import sources
from kinetrace.engine.targets.text.syntax import literal
from kinetrace.engine.targets.text.unit import identifier, unit
from kinetrace.engine.trace import trace
from kinetrace.engine.trace.ops import OPS
from loop_programs import CASES as LOOPS
from loop_programs import known, lengths_in, nested, random_loops, recurrence, table_with_constants, tables
from programs import EXACT, Reference, random_arrays, random_program, same

SRC = Path(kt.__file__).parents[1]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion", "-Wdouble-promotion"]
FLAGS = ["-std=c99", *WARNINGS, "-Wmissing-prototypes", "-Wstrict-prototypes"]
TOLERANCE = {"float64": 1e-13, "float32": 1e-5}


def needed(tool):
    return shutil.which(tool) or pytest.skip(f"{tool} is not here")


@pytest.fixture(params=["gcc", "clang"])
def compiler(request, tmp_path):
    """The compiler's path; the package `ziglang` brings a clang too."""
    if request.param == "clang" and not shutil.which("clang") and find_spec("ziglang"):
        script = tmp_path / "clang"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang cc "$@"\n')
        script.chmod(0o755)
        return script
    return needed(request.param)


def call(*command, cwd, code=0):
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def written(files, folder):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="ascii")
    return folder


def loaded(compiler, program, folder, dtype="float64", optimise=("-O1",)):
    """The two functions of a program, compiled: of one state, and of a batch."""
    written(sources(program, "it_all", dtype=dtype), folder)
    library = folder / "it_all.so"
    call(compiler, *FLAGS, *optimise, "-shared", "-fPIC", "it_all.c", "-o", library, "-lm", cwd=folder)
    return ctypes.CDLL(str(library))


def outputs_of(function, program, states, dtype, *first, batch=()):
    """Call a function of the library on arrays, with the lengths that they have and a workspace that holds NaN."""
    xs, lengths = [np.ascontiguousarray(x, dtype=dtype) for x in states], lengths_in(program, states)
    ys = [np.full((*batch, *known(a.shape, lengths)), 123.0, dtype=dtype) for a in program.outputs]
    made = unit(program, "it_all")
    words = {made.lengths[name]: n for name, n in lengths.items()}
    sizes = [[words[x] if x in words else int(x) for x in made.kept_factors(k)] for k in made.kept]
    room = [np.full(sum(map(math.prod, sizes)), np.nan, dtype)] if made.kept else []
    given = [ctypes.c_size_t(lengths[name]) for name in program.dims]
    function.restype = None
    function(*first, *given, *(ctypes.c_void_p(x.ctypes.data) for x in (*xs, *ys, *room)))
    return ys


def assert_same(compiler, program, states, folder, dtype="float64", optimise="-O1"):
    library = loaded(compiler, program, folder, dtype, [optimise])
    states = [np.asarray(x, dtype=dtype) for x in states]
    k = len(states[0])
    expected = program.evaluate(*states)
    many = outputs_of(library.it_all_batch, program, states, dtype, ctypes.c_size_t(k), batch=(k,))
    one = outputs_of(library.it_all, program, [x[1] for x in states], dtype)
    for y, x, right in zip(many, one, expected, strict=True):
        scale = np.abs(right[np.isfinite(right)]).max(initial=1e-300)
        np.testing.assert_allclose(y, right, rtol=0, atol=TOLERANCE[dtype] * scale)
        np.testing.assert_array_equal(x, y[1])


def states_of(robot, program, k=5):
    rng = np.random.default_rng(3)
    return [
        robot.random(k, seed=rng) if a.name == "q" else rng.uniform(-1, 1, size=(k, *a.shape)) for a in program.inputs
    ]


def of_robot(robot, algorithm, **static):
    return robot, kt.compile(getattr(kt.algorithms, algorithm), robot, backend="numpy", **static).program


CASES = {
    "inverse_dynamics": lambda: of_robot(kt.load("panda"), "inverse_dynamics"),
    "free_tree": lambda: of_robot(kt.random_tree(9, seed=2, base="free"), "forward_dynamics"),
    "pose": lambda: of_robot(kt.load("panda"), "pose", frame="panda_hand"),
    "several_outputs": lambda: of_robot(kt.load("ur5e"), "inverse_dynamics_derivatives"),
    "inputs": lambda: of_robot(kt.load("planar2r"), "gravity", inputs=("inertial", "gravity")),
}


@pytest.mark.parametrize("case", CASES)
def test_same_numbers_as_the_program(compiler, case, tmp_path):
    robot, program = CASES[case]()
    assert_same(compiler, program, states_of(robot, program), tmp_path)


@pytest.mark.parametrize("case", ["inverse_dynamics", "several_outputs"])
def test_float(compiler, case, tmp_path):
    robot, program = CASES[case]()
    assert_same(compiler, program, states_of(robot, program), tmp_path, "float32")


def every_operation(model, q, weights):
    """All kinds of nodes, constants that are no numbers or too large for float, an input and constants as results."""
    x, y = weights[0], weights[1]
    away = arrays.where(arrays.less(x, y), arrays.exp(x) - 1.0, arrays.log(2.0 + y * y))
    far = arrays.where(arrays.less(y, 1e300), away, np.inf)
    numbers = [arrays.atan2(x, y), arrays.sqrt(x * x + y * y), far, x / (3.0 + y), -arrays.cos(x - y), x, arrays.sin(y)]
    numbers += [arrays.abs(x), arrays.floor(3.0 * x), arrays.minimum(x, y), arrays.maximum(x, -y)]
    return arrays.stack(numbers), arrays.stack([-y, y, 0.1, -0.25, np.nan, np.inf, -np.inf, 1e-30]), arrays.less(x, y)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_operation_and_constant(compiler, dtype, tmp_path):
    program = kt.compile(every_operation, kt.load("planar2r"), shapes={"weights": 2}, backend="numpy").program
    assert OPS.keys() <= {node[0] for node in program.nodes}
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(6, 2))
    weights[5] = np.nan  # a comparison with it is false, here as there
    assert_same(compiler, program, [rng.normal(size=(6, 2)), weights], tmp_path, dtype)


def of_libm(dtype):
    """The functions that C source calls, on arrays; what IEEE 754 defines is NumPy's."""
    name = find_library("m") or pytest.skip("there is no libm to ask")
    libm, real = ctypes.CDLL(name), ctypes.c_double if dtype == "float64" else ctypes.c_float
    found = dict(EXACT)
    for function, count in (("sin", 1), ("cos", 1), ("exp", 1), ("log", 1), ("atan2", 2)):
        of_one = getattr(libm, function + ("" if dtype == "float64" else "f"))
        of_one.restype, of_one.argtypes = real, [real] * count
        found[function] = np.vectorize(of_one, otypes=[dtype])
    return found


def with_loops(function):
    shapes, make = LOOPS[function]
    return trace(function, shapes, name=function.__name__, rolls=True), make


@pytest.mark.alternates(2, "block", "function")
@pytest.mark.parametrize("block", [2, 800])
@pytest.mark.parametrize("function", LOOPS, ids=lambda f: f.__name__)
def test_loops(compiler, function, block, tmp_path, monkeypatch):
    """In one function, and with blocks of their own around which loops run."""
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", block)
    program, make = with_loops(function)
    assert (" it_all_part" in c.source(unit(program, "it_all"))) == (block == 2)
    library, random = loaded(compiler, program, tmp_path, optimise=["-O0"]), np.random.default_rng(0).random
    for length in (0, 1, 6):
        states = make(random, 4, length)
        many = outputs_of(library.it_all_batch, program, states, "float64", ctypes.c_size_t(4), batch=(4,))
        one = outputs_of(library.it_all, program, [x[1] for x in states], "float64")
        for y, x, right in zip(many, one, program.evaluate(*states), strict=True):
            np.testing.assert_allclose(y, right, rtol=1e-13, atol=1e-13)
            np.testing.assert_array_equal(x, y[1])


@pytest.mark.parametrize("block", [100, 800])
def test_tables_of_numbers(compiler, block, tmp_path, monkeypatch):
    """Those of the bodies that are swept in a loop."""
    monkeypatch.setattr(long_chains, "LOOP_FROM_BODIES", 2)
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", block)
    robot, program = of_robot(kt.random_chain(20), "inverse_dynamics")
    assert any(write.numbers for write in program.loops.writes)
    assert_same(compiler, program, states_of(robot, program), tmp_path)


SHORT_LOOPS = [f for f in LOOPS if f is not table_with_constants]  # of its 3000 lines, gcc makes code for a minute


@pytest.mark.alternates(2, "function")
@pytest.mark.parametrize(
    ("function", "dtype"), [*((f, "float64") for f in SHORT_LOOPS), (nested, "float32"), (recurrence, "float32")]
)
def test_the_driver_of_loops(compiler, function, dtype, tmp_path):
    """It passes, and nothing is read or written beside the arrays and the workspace."""
    program, make = with_loops(function)
    files = sources(program, "it_all", dtype=dtype)
    sanitised = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    build = [compiler, *FLAGS, "it_all.c", "it_all_test.c", "-o", "it_all_test", "-lm"]
    call(*build, *(sanitised if can_sanitise(compiler) else ()), cwd=written(files, tmp_path))
    assert call(tmp_path / "it_all_test", cwd=tmp_path).endswith("fine\n")
    states = [x.astype(dtype) for x in make(np.random.default_rng(0).random, 3, 2)]
    call(*build, cwd=written(sources(program, "it_all", dtype=dtype, states=states), tmp_path))
    assert call(tmp_path / "it_all_test", cwd=tmp_path).endswith("fine\n")


@cache
def can_sanitise(compiler):
    with TemporaryDirectory() as folder:
        (Path(folder) / "nothing.c").write_text("int main(void) { return 0; }\n")
        command = [compiler, "-fsanitize=address,undefined", "nothing.c", "-o", "nothing"]
        done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, timeout=300)
        return done.returncode == 0 and subprocess.run([Path(folder) / "nothing"], timeout=300).returncode == 0


def test_the_header_of_loops():
    """Lengths are parameters, and macros tell how long arrays are."""
    header = sources(with_loops(nested)[0], "it_all")["it_all.h"]
    assert "size_t n,\n    size_t t,\n    size_t k,\n    const double *u," in header
    assert "#define IT_ALL_OUT3_SIZE(t) ((size_t)(t) * 3)\n" in header
    assert "#define IT_ALL_WORKSPACE_SIZE(t, k) ((size_t)(k) * 2)\n" in header
    assert "Each pass of loop 1 (k): 2 mul, 2 add" in header and "(at most 50, until it has converged): 1 mul" in header
    for function in (recurrence, tables):
        assert "WORKSPACE" not in sources(with_loops(function)[0], "it_all")["it_all.h"]
    files = sources(with_loops(tables)[0], "it_all")
    known_lengths = map(int, re.findall(r"double kept\d+\[(\d+)\];", files["it_all.c"]))
    assert f"scratch of {8 * sum(known_lengths)} bytes" in files["it_all.h"]


def test_lengths_whose_names_are_taken(compiler, tmp_path):
    shapes = {"workspace": ("n", 2), "t": ("i", 1), "c0": ("double", "T", 1), "kept0": ()}

    def function(workspace, t, c0, kept0):
        total, sums = arrays.scan(lambda s, x: (s + x[0], s * x), kept0, workspace)
        return (
            total,
            arrays.scan(lambda s, x: (s, x + s), total, t)[1],
            arrays.scan(lambda s, x: (s + x[1], s), 0.0, sums)[1],
            c0,
        )

    program = trace(function, shapes, name="f")
    files = sources(program, "it_all")
    call(compiler, *FLAGS, "it_all.c", "it_all_test.c", "-o", "it_all_test", "-lm", cwd=written(files, tmp_path))
    assert "fine" in call(tmp_path / "it_all_test", cwd=tmp_path)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_random_programs_to_the_bit(dtype, tmp_path, monkeypatch):
    """With the same libm, nothing fused and nothing computed by the compiler itself."""
    compiler, reference = needed("gcc"), Reference(dtype, False, of_libm(dtype))
    for k in range(10):
        rng = generator(20, k)
        program = random_program(rng, 100) if k < 4 else random_loops(rng)
        monkeypatch.setattr(plan, "BLOCK_OPERATIONS", max(5, program.size // 3) if k % 2 or k < 4 else 800)
        states = [np.ascontiguousarray(x) for x in random_arrays(rng, program, (7,), dtype)]
        states = [np.ascontiguousarray(np.broadcast_to(x, (7, *x.shape[1:]))) for x in states]
        library = loaded(compiler, program, tmp_path / str(k), dtype, ["-O1", "-ffp-contract=off", "-fno-builtin"])
        found = outputs_of(library.it_all_batch, program, states, dtype, ctypes.c_size_t(7), batch=(7,))
        for y, right in zip(found, reference(program, states, (7,)), strict=True):
            same(y, right, str(program))


def test_rows_of_constants_alone(tmp_path):
    """There is nothing to compute then."""
    program = trace(lambda x: np.full(200, 3.0), {"x": (2,)})
    library = loaded(needed("gcc"), program, tmp_path)
    (y,) = outputs_of(library.it_all, program, [np.zeros(2)], "float64")
    np.testing.assert_array_equal(y, 3.0)


@pytest.mark.parametrize("optimise", ["-O0", "-O3"])
def test_a_line_in_parts_gives_the_same(compiler, optimise, tmp_path, monkeypatch):
    robot, program = CASES["free_tree"]()
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", 300)
    made = unit(program, "it_all")
    text = c.source(made)
    assert text.count("static void it_all_part") == len(made.plan.pieces) > 10
    assert f"double s[{made.scratch}];" in text and 0 < made.scratch_bytes < 8 * len(program.nodes) / 4
    assert_same(compiler, program, states_of(robot, program), tmp_path, optimise=optimise)


def test_nothing_is_called_but_libm(compiler, tmp_path):
    _, program = CASES["inverse_dynamics"]()
    written(sources(program, "it_all"), tmp_path)
    call(compiler, *FLAGS, "-O2", "-c", "it_all.c", cwd=tmp_path)
    symbols = call(needed("nm"), "it_all.o", cwd=tmp_path)
    assert set(re.findall(r" U (\w+)", symbols)) - {"_GLOBAL_OFFSET_TABLE_"} <= {
        "sin",
        "cos",
        "sincos",
        "sqrt",
        "it_all",
    }
    assert set(re.findall(r" [A-TV-Z] (\w+)", symbols)) == {"it_all", "it_all_batch"}


def test_the_driver_passes_and_sees_a_wrong_number(compiler, tmp_path):
    _, program = CASES["pose"]()
    files = sources(program, "it_all")
    build = [compiler, *FLAGS, "-O1", "it_all.c", "it_all_test.c", "-o", "it_all_test", "-lm"]
    call(*build, cwd=written(files, tmp_path))
    assert call(tmp_path / "it_all_test", cwd=tmp_path).endswith("fine\n")
    wrong = {**files, "it_all.c": files["it_all.c"].replace("0.316", "0.31600001")}
    call(*build, cwd=written(wrong, tmp_path))
    assert call(tmp_path / "it_all_test", cwd=tmp_path, code=1).endswith("WRONG\n")


def test_nothing_to_compute(compiler, tmp_path):
    program = trace(lambda q, v: (v[:0], 2.0 * v[:0], np.ones(2)), {"q": (0,), "v": (3,)}, name="none")
    files = sources(program, "it_all")
    call(compiler, *FLAGS, "it_all.c", "it_all_test.c", "-o", "it_all_test", "-lm", cwd=written(files, tmp_path))
    assert "fine" in call(tmp_path / "it_all_test", cwd=tmp_path)


AWKWARD = [
    "it_all",
    "it_all_batch",
    "t1",
    "s",
    "n",
    "i",
    "sin",
    "cosf",
    "double",
    "new",
    "Q",
    "q",
    "NAN",
    "out",
    "τ",
    "w[a b]",
]


def test_names_and_comments_that_would_break_the_text(compiler, tmp_path):
    shapes = {f"a{k}": (1,) for k in range(len(AWKWARD))}
    program = trace(lambda **xs: sum(k * x for k, x in enumerate(xs.values(), 1)), shapes, name="f")
    renamed = tuple(type(a)(name, a.shape) for a, name in zip(program.inputs, AWKWARD, strict=True))
    program = type(program)(program.name, renamed, program.outputs, program.nodes, program.results)
    about = ["*/ int x; /* */", "//*/ /*/", "??/", "a\nb\\", "\u202e τ"]
    files = sources(program, "it_all", about=about)
    call(compiler, *FLAGS, "it_all.c", "it_all_test.c", "-o", "it_all_test", "-lm", cwd=written(files, tmp_path))
    assert "fine" in call(tmp_path / "it_all_test", cwd=tmp_path)
    names = unit(program, "it_all").names
    assert len({name.lower() for name in names}) == len(names) and names[-2] == "w_a_b"


def test_the_header_is_good_for_cpp(tmp_path):
    program = trace(lambda x: x * x, {"x": (2,)}, name="my_square")
    files = sources(program)
    files["main.cpp"] = (
        '#include "my_square.h"\n#include "my_square.h"\n'
        "int main() { double x[MY_SQUARE_X_SIZE] = {1, 2}, y[MY_SQUARE_OUT_SIZE];\n"
        "my_square(x, y); return y[1] != 4; }\n"
    )
    folder = written(files, tmp_path)
    call(needed("gcc"), *FLAGS, "-c", "my_square.c", cwd=folder)
    call(needed("g++"), *WARNINGS, "-c", "main.cpp", cwd=folder)
    call(needed("g++"), "main.o", "my_square.o", "-o", "main", cwd=folder)
    call(folder / "main", cwd=folder)


@pytest.mark.parametrize("tool", ["make", "cmake"])
def test_build_files(tool, tmp_path):
    needed(tool), needed("cc")
    folder = written(sources(trace(lambda x: x * x, {"x": (2,)}, name="my_square")), tmp_path)
    written(sources(trace(lambda x: x + 1.0, {"x": (2,)}, name="one_more"), dtype="float32"), tmp_path)
    if tool == "make":
        assert call("make", "check", cwd=folder).count("fine") == 2
        call("make", "clean", cwd=folder)
        assert not [*folder.glob("*.o")]
        return
    call("cmake", "-S", ".", "-B", "build", cwd=folder)
    call("cmake", "--build", "build", cwd=folder)
    assert "100% tests passed" in call("ctest", cwd=folder / "build")


@pytest.mark.alternates(2, "case")
@pytest.mark.parametrize(("case", "dtype"), [("inverse_dynamics", "float64"), ("loops", "float32")])
def test_cuda_compiles(case, dtype, tmp_path, monkeypatch):
    nvcc = needed("nvcc")
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", 300)
    program = CASES[case]()[1] if case in CASES else with_loops(nested)[0]
    folder = written(sources(program, "it_all", lang="cuda", dtype=dtype), tmp_path)
    call(
        nvcc, "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra", "-c", "it_all.cu", "it_all_test.cu", cwd=folder
    )


def test_the_text_is_the_same_in_every_process():
    code = "import kinetrace as kt; from kinetrace.engine.targets.text.sources import sources; import hashlib\n"
    code += "p = kt.compile(kt.algorithms.mass_matrix, kt.load('ur5e'), backend='numpy').program\n"
    code += (
        "print(hashlib.sha256(repr([sources(p, lang=x) for x in ('c', 'cuda', 'javascript')]).encode()).hexdigest())"
    )
    found = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONHASHSEED": seed}
        found.add(subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout)
    assert len(found) == 1


@pytest.mark.parametrize("value", [0.1, 1e-310, 5e-324, 1 / 3, 1e22, 123456789.0, 1.7976931348623157e308, 2.0**-149])
def test_literals_are_exact(value):
    assert float(literal(value, "double")) == value
    short = literal(value, "float")
    with np.errstate(over="ignore"):
        assert short == "(float)INFINITY" or np.float32(short.removesuffix("f")) == np.float32(value)
    assert re.search(r"[.e]|INF", short)


BAD = ["3d", "a b", "double", "_x", "a__b", "x_test", "", "é", "puts", "fabs", "NULL", "constexpr", "blockIdx", "wrong"]


@pytest.mark.parametrize("name", [*BAD, "in_x", "expected_out"])
def test_a_name_that_c_refuses(name):
    program = trace(lambda x: x * x, {"x": (2,)}, name="square")
    with pytest.raises(kt.InputError, match=r"name: .*; '(\w+)' would do") as error:
        sources(program, name)
    sources(program, re.search(r"'(\w+)' would do", str(error.value))[1])
    own = trace(lambda x: x * x, {"x": (2,)}, name=name)
    if name not in ("x_test", "in_x", "expected_out"):
        assert unit(own).name == identifier(name) != name


def test_no_function_is_called_as_something_in_the_headers(compiler, tmp_path):
    """Whatever the headers declare or define that the text and its test include, and what is beside it in libc."""
    headers = ("stddef", "stdint", "math", "stdio", "string", "stdlib")
    (tmp_path / "all.c").write_text("".join(f"#include <{x}.h>\n" for x in headers))
    defined = re.findall(r"#define ([A-Za-z]\w*)", call(compiler, "-std=c99", "-dM", "-E", "all.c", cwd=tmp_path))
    text = re.sub(r"^#.*$", "", call(compiler, "-std=c99", "-E", "all.c", cwd=tmp_path), flags=re.MULTILINE)
    declared = re.findall(r"\b([A-Za-z]\w*) *\(", text) + re.findall(r"\b([A-Za-z]\w*_t)\b", text)
    assert {"puts", "fabs", "NULL", "size_t", "memcpy", "malloc", "isnan"} <= {*declared, *defined}
    assert [x for x in sorted({*declared, *defined}) if identifier(x) == x] == []


def test_unknown_language_dtype_and_wrong_states():
    program = trace(lambda x: x * x, {"x": (2,)}, name="square")
    with pytest.raises(kt.InputError, match=r"unknown language 'cobol'.*Valid: c, cuda"):
        sources(program, lang="cobol")
    with pytest.raises(kt.InputError, match="dtype"):
        sources(program, dtype="float16")
    with pytest.raises(kt.InputError, match=r"states: .*\(2,\).*\(3, 5\)"):
        sources(program, states=[np.zeros((3, 5))])


def test_each_operation_rounds_once():
    """What tests of generated source allow for: an error of either sign per operation, none where none is made."""

    def function(x):
        return arrays.stack([x[0] * x[1], -x[0], arrays.where(arrays.less(x[0], x[1]), x[0], x[1]), (x[0] + x[1]) ** 2])

    x, program = np.array([[0.3, 0.7], [0.9, 0.2]]), trace(function, {"x": (2,)})
    (exact,), (found,) = program.evaluate(x), comparison_program._inexact(program, 1e-3).evaluate(x)
    change = np.abs(found / exact - 1)
    np.testing.assert_allclose(change[:, 0], 1e-3, rtol=1e-9)
    assert not change[:, 1:3].any() and 0 < change[:, 3].max() < 3.1e-3
