"""Formulas by SymPy: those of textbooks, of Lagrange's equations, and with the numbers of the kernels."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.cli import main
from kinetrace.engine.trace.ops import OPS
from kinetrace.symbolic import trigonometry
from kinetrace.symbolic.expressions import Constants, ExpressionWriter

sympy, mpmath = pytest.importorskip("sympy"), pytest.importorskip("mpmath")
rng = np.random.default_rng(0)
ALL = ("inertial", "placements", "gravity")


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


def test_formulas_of_the_planar_arm_are_those_of_textbooks(arm):
    q1, q2, v1, v2, m1, m2, c1, c2, l1, I1, I2, g = sympy.symbols("q1 q2 v1 v2 m1 m2 c1 c2 l1 I_1yy I_2yy g")
    cos, sin = sympy.cos, sympy.sin
    M22 = I2 + m2 * c2**2
    M12 = M22 + m2 * l1 * c2 * cos(q2)
    M11 = I1 + m1 * c1**2 + I2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * cos(q2))
    h, g2 = m2 * l1 * c2 * sin(q2), m2 * g * c2 * cos(q1 + q2)
    expected = {
        "mass_matrix": sympy.Matrix([[M11, M12], [M12, M22]]),
        "gravity": sympy.Matrix([(m1 * c1 + m2 * l1) * g * cos(q1) + g2, g2]),
        "coriolis_matrix": sympy.Matrix([[-h * v2, -h * (v1 + v2)], [h * v1, 0]]),
    }
    for name, formula in expected.items():
        found = arm.symbolic(name, inputs=ALL)
        assert (found.simplified() - formula).expand() == sympy.zeros(*formula.shape)
        assert sympy.simplify(found.expanded() - formula) == sympy.zeros(*formula.shape)
    rod = arm.symbolic("mass_matrix", inputs=ALL).subs({"I_2yy": "m2 * l2**2 / 12", "c2": "l2 / 2"})
    l2 = sympy.Symbol("l2")
    assert rod.simplified()[1, 1] == m2 * l2**2 / 3
    third = sympy.Rational(1, 3)
    numbers = sympy.Matrix([[cos(q2) + 5 * third, cos(q2) / 2 + third], [cos(q2) / 2 + third, third]])
    assert arm.symbolic("mass_matrix", rational=True).simplified() == numbers


def tower():
    """A column that turns, an arm that is tilted about another axis, and a slider along it; inertias of all kinds."""
    b = kt.Builder("tower")
    axes = (kt.joints.Revolute([0, 0, 1]), kt.joints.Revolute([0, 1, 0]), kt.joints.Prismatic([1, 0, 0]))
    ways = (np.zeros(3), np.array([0.1, 0.0, 0.4]), np.array([0.3, 0.0, 0.0]))
    for k, (joint, way) in enumerate(zip(axes, ways, strict=True), 1):
        com = 0.1 * rng.normal(size=3) if k < 3 else [0.2, 0.0, 0.0]
        moments = np.diag([0.02, 0.03, 0.04]) + (0.002 if k == 2 else 0.0)
        b.link(f"link{k}", inertia=kt.lie.inertia.from_mass_com(1.0 + k, com, moments))
        turned = kt.lie.so3.exp(np.array([np.pi / 2 if k == 2 else 0.0, 0.0, 0.0]))
        parent = f"link{k - 1}" if k > 1 else "base"
        b.joint(f"joint{k}", joint, parent=parent, child=f"link{k}", placement=kt.lie.se3.pose(turned, way))
    return kt.Robot(b.build())


def lagrange(bodies, g, q, v, a):
    """Forces by Lagrange's equations, from where bodies are: of each axis, whether it slides, way, turn, m, c and I."""
    R, p, T, U = sympy.eye(3), sympy.zeros(3, 1), 0, 0
    for (axis, slides, way, turn, m, c, I), x in zip(bodies, q, strict=True):
        p, R = p + R * way, R * turn
        if slides:
            p = p + R * sympy.eye(3)[:, axis] * x
        else:
            S = sympy.Matrix(3, 3, lambda i, j, n=axis: sympy.LeviCivita(i, n, j))
            R = R * (sympy.eye(3) + sympy.sin(x) * S + (1 - sympy.cos(x)) * S * S)
        rates = [R.T * R.diff(y) for y in q]
        omega = sum((sympy.Matrix([w[2, 1], w[0, 2], w[1, 0]]) * u for w, u in zip(rates, v, strict=True)), p * 0)
        speed = (p + R * c).jacobian(q) * sympy.Matrix(v)
        T += (m * speed.dot(speed) + omega.dot(I * omega)) / 2
        U -= m * g.dot(p + R * c)
    T, U = sympy.Matrix([T]), sympy.Matrix([U])
    momentum = T.jacobian(v).T
    along = momentum.jacobian(q) * sympy.Matrix(v) + momentum.jacobian(v) * sympy.Matrix(a)
    return along - T.jacobian(q).T + U.jacobian(q).T


def test_formulas_agree_with_lagranges_equations_to_thirty_digits():
    robot, s = tower(), sympy
    found = robot.symbolic("inverse_dynamics", inputs=ALL, rational=True)
    word = {x.name: s.Rational(int(k), 97) for x, k in zip(found.values, rng.integers(10, 90, 99), strict=False)}

    def vector(name, axes="xyz"):
        return s.Matrix([word.get(f"{name}{x}", 0) for x in axes])

    bodies = []
    for k, (axis, slides) in enumerate([(2, False), (1, False), (0, True)], 1):
        moments = s.Matrix(3, 3, lambda i, j, k=k: word.get(f"I_{k}{'xyz'[min(i, j)]}{'xyz'[max(i, j)]}", 0))
        turn = s.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]]) if k == 2 else s.eye(3)
        way = {1: s.zeros(3, 1), 2: vector("l_1"), 3: s.Matrix([word["l2"], 0, 0])}[k]
        com = s.Matrix([word["c3"], 0, 0]) if k == 3 else vector(f"c_{k}")
        bodies.append((axis, slides, way, turn, word[f"m{k}"], com, moments))
    q, v, a = (s.symbols(f"{x}1:4") for x in "qva")
    exact = lagrange(bodies, s.Matrix([0, 0, -word["g"]]), q, v, a)
    given, at = found.subs(word), [mpmath.mpf(int(x)) / 97 for x in rng.integers(10, 90, 9)]
    with mpmath.workdps(30):
        exact, *ours = (
            np.array(s.lambdify((*q, *v, *a), x, "mpmath", cse=True)(*at).tolist())
            for x in (exact, given.expanded(), given.simplified())
        )
    assert max(np.abs(x - exact).max() for x in ours) < 1e-25
    near = found.lambdify()(*(np.arange(1.0, 4.0) * x for x in (0.1, 0.2, 0.3)))
    forces = robot.inverse_dynamics(*(np.arange(1.0, 4.0) * x for x in (0.1, 0.2, 0.3)))
    np.testing.assert_allclose(np.ravel(near), forces, rtol=1e-12)


def with_conditions(model, q, v):
    """Conditions, loops that are written out, and all that is no polynomial."""
    x, passed = kt.arrays.scan(lambda c, i: (c * kt.arrays.sin(c) + i * q, c), v, np.arange(3.0))
    y = kt.arrays.where(kt.arrays.less(x[0], 0.3), x, kt.arrays.maximum(x, 0.2 * q))
    more = kt.arrays.sqrt(kt.arrays.exp(x)) + kt.arrays.log(1.0 + x * x) + kt.arrays.atan2(x, 2.0 + v * v)
    return y + kt.arrays.floor(q) + kt.arrays.abs(v), more, passed


@pytest.fixture(scope="module")
def robots(arm):
    tree = kt.random_tree(3, seed=1, base="free")
    assert tree.nq > tree.nv  # with quaternions
    return {"tree": tree, "arm": arm, "four_bar": kt.load("four_bar"), "panda": kt.load("panda")}


CASES = {
    "forces": ("tree", "inverse_dynamics", {}),
    "inertias": ("tree", "mass_matrix", {"inputs": ("inertial", "placements")}),
    "manifold": ("tree", lambda model, q0, q1: model.difference(q0, q1), {}),
    "closed": ("four_bar", "forward_dynamics", {"rational": True}),
    "derivative": ("arm", kt.jacobian(kt.algorithms.forward_dynamics, wrt=("q", "tau")), {}),
    "conditions": ("arm", with_conditions, {}),
    "choices": ("panda", "jacobian", {"frame": "panda_hand"}),
}


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_those_of_the_kernel(case, robots):
    name, function, choices = CASES[case]
    robot, static = robots[name], {x: y for x, y in choices.items() if x not in ("inputs", "rational")}
    found, kernel = robot.symbolic(function, **choices), robot.kernel(function, **static)
    run = found.lambdify()
    for seed in range(3):
        arrays = [
            robot.random(seed=seed + 10 * k) if a.name.startswith("q") else rng.normal(size=a.shape)
            for k, a in enumerate(kernel.program.inputs)
        ]
        results, expected = run(*arrays), kernel(*arrays)
        several = isinstance(expected, tuple)
        for x, y in zip(results, expected, strict=True) if several else [(results, expected)]:
            scale = max(1.0, np.abs(y).max())
            np.testing.assert_allclose(np.reshape(np.array(x, dtype=float), y.shape), y, rtol=0, atol=1e-12 * scale)


def test_every_operation_has_an_expression(arm):
    writer = ExpressionWriter(arm.kernel("gravity").program, sympy.Float, Constants(), 100)
    do = writer.operations
    assert do.keys() == OPS.keys()
    for kind, op in OPS.items():
        given = [abs(x) if kind in ("sqrt", "log") else x for x in (0.7, -0.3, 1.2)[: op.arity]]
        found = do[kind](*map(sympy.Float, given))
        assert float(writer.constants.shown(found)) == pytest.approx(float(op.apply(*given)), abs=1e-15), kind


def test_one_result_in_a_tuple_is_that_result_as_in_kernels(arm):
    def alone(model, q):
        return (2 * q,)

    assert arm.symbolic(alone).result.shape == (2, 1) and arm.kernel(alone)(np.ones(2)).shape == (2,)


def test_sums_of_angles_are_found_where_they_are_shorter():
    a, b, c, m = sympy.symbols("a b c m")
    cos, sin = sympy.cos, sympy.sin
    for short in (
        m * cos(a + b + c) + sin(a),
        cos(a) ** 2,
        m * cos(b + c) ** 2 + cos(b) ** 2,
        sin(a + 2 * b) / (m + cos(b)),
        m * sin(a) * sin(b) * sin(c) / 3,
        3 * m,
    ):
        long = sympy.expand(sympy.expand_trig(short))
        found = trigonometry.simplify_trigonometry(long)
        assert sympy.count_ops(found) <= sympy.count_ops(short)
        assert not found.atoms(sympy.Float)
        assert abs((found - long).subs({a: 0.3, b: 1.1, c: -0.7, m: 2.3})) < 1e-14


def test_symbols_that_cancel_do_not_stay_in_shorter_forms():
    a, b, c = sympy.symbols("a b c")
    for factor in (1, sympy.cos(c)):
        found = trigonometry.simplify_trigonometry(
            factor * (a + b) ** 6 + (c + a) ** 2 - c**2 - 2 * c * a + 2.0 * b - b
        )
        assert found.free_symbols == ({a, b} | sympy.sympify(factor).free_symbols)
    assert trigonometry.simplify_trigonometry(1.0 * a * b + a * c) == a * (b + c)


def chain(joints, tilt=0.0, tool=0.02):
    """An arm of decimal lengths, whose axes are parallel, or tilted against each other; the last link has a moment."""
    b = kt.Builder("chain")
    for k in range(1, joints + 1):
        com = [0.3 + 0.1 * k, 0.07 * bool(tilt), 0.0]
        moments = np.diag([0.02, 0.03, 0.03]) if k < joints else np.diag([tool, tool, tool])
        b.link(f"link{k}", inertia=kt.lie.inertia.from_mass_com(1.1 * k, com, moments))
        turned = kt.lie.so3.exp(np.array([tilt if k % 2 == 0 else 0.0, 0.0, 0.0]))
        way = np.array([0.7 - 0.03 * k, 0.0, 0.1 * bool(tilt)]) if k > 1 else np.zeros(3)
        parent = f"link{k - 1}" if k > 1 else "base"
        axis = kt.joints.Revolute([0, 1, 0])
        b.joint(f"joint{k}", axis, parent=parent, child=f"link{k}", placement=kt.lie.se3.pose(turned, way))
    return kt.Robot(b.build())


@pytest.mark.parametrize(
    ("joints", "tilt", "name", "inputs"),
    [
        (2, 0.3, "bias", ("inertial", "placements")),
        (3, 0.0, "bias", "inertial"),
        (3, 0.0, "gravity", ("inertial",)),
        (3, 0.3, "mass_matrix", ()),
        (3, np.pi / 2, "bias", "placements"),
        (4, 0.0, "gravity", "placements"),
        (4, 0.0, "gravity", ("inertial", "gravity")),
        (4, np.pi / 4, "gravity", "inertial"),
        (5, 0.0, "gravity", "inertial"),
        (5, np.pi / 2, "gravity", ("inertial", "placements")),
    ],
)
def test_formulas_of_arms_have_no_terms_that_are_rounding(joints, tilt, name, inputs):
    robot = chain(joints, tilt)
    found, kernel = robot.symbolic(name, inputs=inputs), robot.kernel(name)
    short = found.simplified()
    for entry in (*short, *found.expanded(), *found.result, *(x for _, x in found.subexpressions)):
        assert all(abs(x) > 1e-6 for x in entry.atoms(sympy.Float)), entry
    states = [rng.normal(size=joints) for _ in kernel.program.inputs]
    for form in (found, replace(found, subexpressions=(), result=short)):
        expected = kernel(*states)
        numbers = np.reshape(np.array(form.lambdify()(*states), dtype=float), expected.shape)
        np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-12 * max(1.0, np.abs(expected).max()))


def test_small_numbers_that_are_meant_stay():
    """A moment of 1e-9 kg m² about a centre of mass that is far from the joint, a millionth of it, a small angle."""
    for tool in (1e-9, 1e-15):
        b = kt.Builder("finger", gravity=[0.0, 0.0, 0.0])
        for k in (1, 2):
            b.link(f"link{k}", inertia=kt.lie.inertia.from_mass_com(tool, np.zeros(3), tool * np.eye(3)))
            parent = f"link{k - 1}" if k > 1 else "base"
            b.joint(f"joint{k}", kt.joints.Revolute([0, 1, 0]), parent=parent, child=f"link{k}")
        for rational in (False, True):
            M = kt.Robot(b.build()).symbolic("mass_matrix", rational=rational).simplified()
            np.testing.assert_allclose(np.array(M, dtype=float), [[2 * tool, tool], [tool, tool]], rtol=1e-12)
    about = chain(2, tool=1e-9).symbolic("mass_matrix", inputs="inertial").values
    assert about[sympy.Symbol("I_2yy")] == pytest.approx(1e-9, rel=1e-5)
    heavy = kt.Builder("heavy")
    heavy.link("link", inertia=kt.lie.inertia.from_mass_com(5.0, [20.0, 0.0, 0.0], 1e-9 * np.eye(3)))
    heavy.joint("joint", kt.joints.Revolute([0, 1, 0]), parent="base", child="link")
    assert sympy.Symbol("I_1yy") in kt.Robot(heavy.build()).symbolic("mass_matrix", inputs="inertial").values
    slight = chain(3, 1e-6).symbolic("gravity").simplified()[2]  # m g c (1 - cos θ) / 2, and nearly m g c beside it
    assert min(slight.atoms(sympy.Float)) == pytest.approx(-19.4238, rel=1e-9)
    assert max(slight.atoms(sympy.Float)) == pytest.approx(19.4238 * 1e-12 / 4, rel=1e-3)
    a, b = sympy.symbols("a b")
    left = trigonometry.simplify_trigonometry(
        0.7 * a * sympy.cos(b) ** 2 + 0.7 * a * sympy.sin(b) ** 2 - 0.7 * a + 1e-30 * b
    )
    assert left == 1e-30 * b


def test_what_people_see(arm):
    M = arm.symbolic("mass_matrix", rational=True, symbols={"q": "theta"})
    assert repr(M) == "<mass_matrix of planar2r in theta2: 2 sub-expressions, 8 operations>"
    assert M.latex("M").startswith(r"M = \left[\begin{matrix}\cos{\left(\theta_{2} \right)} + \frac{5}{3} &")
    assert M._repr_latex_().startswith(r"$\displaystyle \left[") and "cos(θ₂) + 5/3" in str(M)
    large = kt.load("puma560").symbolic("mass_matrix")
    assert len(large.subexpressions) > 5 and str(large).startswith("x₀ = ") and r"\\ &" in large.latex()
    dots = arm.symbolic("bias", symbols={"v": "qdot"})
    assert r"\dot{q}_{1}" in dots.latex()
    short = arm.symbolic("gravity", inputs=ALL).latex(abbreviated=True)
    assert r"\cos_{12} c_{2} g m_{2}" in short  # not beside centres of mass as upright letters
    assert r"\mathrm{c}_{12}" in arm.symbolic("gravity").latex(abbreviated=True)
    assert sympy.latex(M) == M.latex() and sympy.sympify(M) == M.expanded()
    assert arm.symbolic("gravity", most=None).result == arm.symbolic("gravity").result
    assert arm.symbolic("kinetic_energy").result.is_Add and arm.symbolic("christoffel").result.shape == (2, 2, 2)


def test_wrong_use_is_named(arm, monkeypatch):
    def any_length(model, q, steps):
        return kt.arrays.scan(lambda q, step: (q + step, None), q, steps)[0]

    def until(model, q):
        return kt.arrays.iterate(lambda x: x - 0.5 * (x * x - q), q, lambda x: kt.arrays.less(x[0], 0.1), 20)

    gravity = arm.symbolic("gravity", inputs="gravity")
    for call, message in {
        lambda: kt.load("panda").symbolic("forward_dynamics_derivatives"): r"formulas of [\d,]+ operations are too",
        lambda: arm.symbolic("gravity", most=0): "most must be a whole number",
        lambda: arm.symbolic("gravity", inputs="mass"): "unknown parameter 'mass'",
        lambda: arm.symbolic("gravity", symbols={"v": "w"}): "unknown array 'v'.*Valid: q",
        lambda: arm.symbolic("gravity", symbols={"q": "2"}): "the word for 'q' must be a name such as 'theta', got '2'",
        lambda: arm.symbolic("gravity", symbols="theta"): "symbols must map",
        lambda: arm.symbolic("bias", symbols={"v": "q"}): "'q1' stands for two numbers",
        lambda: arm.symbolic(any_length, shapes={"steps": ("t", 2)}): "takes arrays of any length 't'",
        lambda: kt.load("puma560").symbolic("mass_matrix").expanded(100): "operations without sub-expressions, more",
        lambda: arm.symbolic(until): "iterates until it has converged: there is no formula",
        lambda: arm.symbolic(arm.kernel("gravity")): "gravity is a kernel already",
        lambda: gravity.expanded("many"): "most must be a whole number",
        lambda: gravity.lambdify("nonsense"): "SymPy makes no function with 'nonsense'",
        lambda: gravity.subs(3): r"subs takes a mapping, as {'m1': 2}; got 3",
        lambda: gravity.subs({"m1": 2}): "unknown symbol 'm1'",
        lambda: gravity.subs({"g": "2 +"}): r"subs: '2 \+' for g is no expression",
        lambda: gravity.lambdify()([0.0, 0.0], [1.0]): "takes q; got 2 arrays",
        lambda: gravity.lambdify()([0.0]): "q must have 2 entries, got 1",
        lambda: gravity.lambdify()([0.0, 0.0], G=1.0): "unknown symbol 'G'",
    }.items():
        with pytest.raises(kt.InputError, match=message):
            call()
    with pytest.raises(AttributeError):
        gravity.result = 0
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(kt.InputError, match=r"^a formula needs sympy: pip install sympy \(the extra 'symbolic'"):
        arm.symbolic("gravity")


def test_the_command_prints_formulas(capsys):
    def told(*more, code=0):
        assert main(["symbolic", "planar2r", *more]) == code
        return capsys.readouterr()

    assert "cos(q₂) + 5/3" in told("mass_matrix", "--rational").out
    assert told("gravity", "--inputs", "gravity,inertial", "--latex").out.startswith(r"\left[\begin{matrix}")
    found = json.loads(told("mass_matrix", "--inputs", "inertial", "--json").out)
    M = sympy.Matrix(found["results"][0])
    for symbol, meaning in reversed(found["subexpressions"].items()):
        M = M.subs(symbol, meaning)
    M = np.array(M.subs({**found["values"], "q2": 0}), dtype=float)
    np.testing.assert_allclose(M, kt.load("planar2r").mass_matrix([0.0, 0.0]))
    assert "pose is about a frame: name it by --frame. Valid: base_link" in told("pose", code=2).err
