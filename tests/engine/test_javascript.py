"""JavaScript: node runs it, and it gives the same numbers as the program."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import kinetrace as kt
from fuzzing import generator
from kinetrace import arrays
from kinetrace.algorithms.sweeps import long_chains
from kinetrace.engine.plan import plan
from kinetrace.engine.targets.text.javascript import DENSE, JAVASCRIPT, OPERATIONS, dense, functions, javascript
from kinetrace.engine.targets.text.sources import sources
from kinetrace.engine.targets.text.unit import unit
from kinetrace.engine.trace import Argument, Program, trace
from kinetrace.engine.trace.ops import OPS
from loop_programs import CASES as LOOPS
from loop_programs import lengths_in, random_loops
from programs import EXACT, Reference, random_arrays, random_program, same

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not here")

IMITATED = {
    "sin": (lambda x: x / (1.0 + x * x), "x / (1 + x * x)"),
    "cos": (lambda x: 1.0 / (1.0 + x * x), "1 / (1 + x * x)"),
    "exp": (lambda x: 1.0 + 0.5 * x, "1 + 0.5 * x"),
    "log": (lambda x: x - 1.0, "x - 1"),
    "atan2": (lambda x, y: x - 0.5 * y, "x - 0.5 * y"),
}
"""Other functions in the place of those of which the last digit is the machine's: all else is exact."""
RUNNER = """
const text = (x) => Buffer.from(x.buffer, x.byteOffset, x.byteLength).toString("base64");
const array = (x) => new Float64Array(new Uint8Array(Buffer.from(x, "base64")).buffer);
console.log(JSON.stringify(cases.map(([make, lengths, states]) => {
    const f = make();
    return states.map((inputs) => {
        const found = f(...lengths, ...inputs.map(([x, is_number]) => is_number ? array(x)[0] : array(x)));
        return (Array.isArray(found) ? found : [found]).map(text);
    });
})));
"""


def node(script, code=0):
    done = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def outputs_of(cases, before=""):
    """What programs give for their states, all in one process: (text, program, arrays of k rows)."""
    written = []
    for text, program, states in cases:
        rows = [
            [
                [base64.b64encode(np.ascontiguousarray(x[k])).decode(), not a.shape]
                for x, a in zip(states, program.inputs, strict=True)
            ]
            for k in range(len(states[0]))
        ]
        lengths = list(lengths_in(program, states).values())
        body = "\n".join(text)
        written.append(f"[() => {{ {body}\nreturn it_all; }}, {json.dumps(lengths)}, {json.dumps(rows)}]")
    found = json.loads(node(f"{before}\nconst cases = [{','.join(written)}];{RUNNER}"))
    for each, (_, program, _) in zip(found, cases, strict=True):
        raw = [[np.frombuffer(base64.b64decode(x)) for x in row] for row in each]
        yield [np.stack([row[k] for row in raw]) for k in range(len(program.outputs))]


def texts(program):
    """Both ways to write it."""
    made = unit(program, "it_all")
    return [[*functions(javascript(made))], [*dense(made)]]


def test_random_programs_to_the_bit(monkeypatch):
    """With elementary functions of which every digit is defined."""
    before = "".join(f"Math.{name} = (x, y) => {text};\n" for name, (_, text) in IMITATED.items())
    reference = Reference("float64", False, {**EXACT, **{name: f for name, (f, _) in IMITATED.items()}})
    cases = []
    for k in range(24):
        rng = generator(21, k)
        program = random_program(rng, 150) if k % 3 == 0 else random_loops(rng)
        monkeypatch.setattr(plan, "BLOCK_OPERATIONS", max(5, program.size // 3) if k % 2 else 800)
        states = [np.array(np.broadcast_to(x, (3, *x.shape[1:]))) for x in random_arrays(rng, program, (3,), "float64")]
        cases += [(text, program, states) for text in texts(program)]
    for found, (_, program, states) in zip(outputs_of(cases, before), cases, strict=True):
        for y, right in zip(found, reference(program, states, (3,)), strict=True):
            same(y.reshape(right.shape), right, str(program))


@pytest.mark.parametrize("block", [2, 800])
def test_loops(block, monkeypatch):
    """In one function, and with blocks of their own around which loops run."""
    monkeypatch.setattr(plan, "BLOCK_OPERATIONS", block)
    cases, random = [], np.random.default_rng(0).random
    for function, (shapes, make) in LOOPS.items():
        program = trace(function, shapes, name=function.__name__, rolls=True)
        for length in (0, 1, 5):
            cases += [(text, program, make(random, 2, length)) for text in texts(program)]
    for found, (_, program, states) in zip(outputs_of(cases), cases, strict=True):
        for y, right in zip(found, program.evaluate(*states), strict=True):
            np.testing.assert_allclose(y.reshape(right.shape), right, rtol=1e-13, atol=1e-13)


def every_operation(model, q, weights):
    """All kinds of nodes, constants that are no numbers, an input and constants as results."""
    x, y = weights[0], weights[1]
    away = arrays.where(arrays.less(x, y), arrays.exp(x) - 1.0, arrays.log(2.0 + y * y))
    far = arrays.where(arrays.less(y, 1e300), away, np.inf)
    numbers = [arrays.atan2(x, y), arrays.sqrt(x * x + y * y), far, x / (3.0 + y), -arrays.cos(x - y), x, arrays.sin(y)]
    numbers += [arrays.abs(x), arrays.floor(3.0 * x), arrays.minimum(x, y), arrays.maximum(x, -y), 5.0 - (-(x - y))]
    return arrays.stack(numbers), arrays.stack([-y, y, 0.1, -0.25, np.nan, np.inf, -np.inf, 1e-30]), arrays.less(x, y)


def test_every_operation_and_constant():
    """And robots: a free tree in parts, and bodies that are swept in loops."""
    assert OPERATIONS.keys() == OPS.keys()
    program = kt.compile(every_operation, kt.load("planar2r"), shapes={"weights": 2}, backend="numpy").program
    assert OPS.keys() <= {node[0] for node in program.nodes}
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(6, 2))
    weights[5] = np.nan
    cases = [(text, program, [rng.normal(size=(6, 2)), weights]) for text in texts(program)]
    tree = kt.random_tree(9, seed=2, base="free", backend="numpy")
    program = tree.kernel("forward_dynamics").program
    states = [tree.random(2, seed=1), *rng.normal(size=(2, 2, tree.nv))]
    assert "it_all_part3" in "".join(texts(program)[0])
    cases += [(text, program, states) for text in texts(program)]
    for found, (_, program, states) in zip(outputs_of(cases), cases, strict=True):
        for y, right in zip(found, program.evaluate(*states), strict=True):
            scale = np.abs(right[np.isfinite(right)]).max(initial=1.0)
            np.testing.assert_allclose(y.reshape(right.shape), right, rtol=0, atol=1e-13 * scale)


def test_tables_of_numbers(monkeypatch):
    monkeypatch.setattr(long_chains, "LOOP_FROM_BODIES", 2)
    chain = kt.random_chain(12, backend="numpy")
    program = chain.kernel("inverse_dynamics").program
    assert any(write.numbers for write in program.loops.writes)
    states = list(np.random.default_rng(0).normal(size=(3, 2, 12)))
    cases = [(text, program, states) for text in texts(program)]
    for (found,) in outputs_of(cases):
        np.testing.assert_allclose(found, program.evaluate(*states)[0], rtol=1e-11, atol=1e-11)


def written(files, folder):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="ascii")
    return folder


def test_its_test_passes_and_sees_a_wrong_number(tmp_path):
    program = kt.compile(kt.algorithms.pose, kt.load("panda"), backend="numpy", frame="panda_hand").program
    files = sources(program, "it_all", lang="javascript")
    assert [*files] == ["it_all.mjs", "it_all_test.mjs"]
    for changed, code in (("0.316", 0), ("0.31600001", 1)):
        text = files["it_all.mjs"].replace("0.316", changed)
        folder = written({**files, "it_all.mjs": text}, tmp_path)
        done = subprocess.run([NODE, "it_all_test.mjs"], cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == code and done.stdout.endswith("WRONG\n" if code else "fine\n"), done.stderr


AWKWARD = [
    "it_all",
    "it_all_part0",
    "t1",
    "s",
    "i",
    "in",
    "let",
    "Math",
    "new",
    "Q",
    "q",
    "NaN",
    "out",
    "τ",
    "w[a b]",
    "eval",
]


def test_names_and_comments_that_would_break_the_text(tmp_path):
    shapes = {f"a{k}": (1,) if k % 2 else () for k in range(len(AWKWARD))}
    program = trace(lambda **xs: sum(k * np.sum(x) for k, x in enumerate(xs.values(), 1)), shapes, name="f")
    renamed = tuple(type(a)(name, a.shape) for a, name in zip(program.inputs, AWKWARD, strict=True))
    program = type(program)(program.name, renamed, program.outputs, program.nodes, program.results)
    about = ["*/ let x; /* */", "//*/ /*/", "??/", "a\nb\\", "\u202e τ"]
    folder = written(sources(program, "it_all", lang="javascript", about=about), tmp_path)
    done = subprocess.run([NODE, "it_all_test.mjs"], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.stdout.endswith("fine\n"), done.stderr


def test_single_precision_is_refused():
    program = trace(lambda x: x * x, {"x": (2,)}, name="my_square")
    with pytest.raises(kt.InputError, match="JavaScript computes in float64 alone"):
        sources(program, lang="javascript", dtype="float32")


def test_minus_zero_after_minus():
    nodes = (("input", 0), ("const", -0.0), ("neg", 1), ("sub", 0, 1))
    program = Program("zero", (Argument("x", ()),), (Argument("out", (2,)),), nodes, ((2, 3),))
    for (found,) in outputs_of([(text, program, [np.array([1.5])]) for text in texts(program)]):
        assert found.tolist() == [[0.0, 1.5]] and not np.signbit(found[0, 0])


@pytest.mark.parametrize("language", [JAVASCRIPT, DENSE])
def test_literals_are_exact(language):
    values = [
        0.0,
        -0.0,
        0.1,
        -0.5,
        1e-310,
        5e-324,
        1 / 3,
        1e22,
        1e16,
        1.5e-7,
        123456789.0,
        1.7976931348623157e308,
        10.0,
    ]
    found = [language.literal(x, "double") for x in values]
    assert [float(x).hex() for x in found] == [x.hex() for x in values]
    assert all(re.fullmatch(r"-?(\d+\.?\d*|\.\d+)(e-?\d+)?|-?\d.*e\+\d+", x) for x in found)
    assert [language.literal(x, "double") for x in (np.inf, -np.inf, np.nan)] == ["Infinity", "-Infinity", "NaN"]
