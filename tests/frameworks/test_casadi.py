"""Functions of CasADi: the numbers of kernels, exact sparse derivatives, in callbacks, C libraries and expressions."""

import gc
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.engine.trace.ops import OPS
from kinetrace.frameworks.casadi import c_source
from kinetrace.frameworks.casadi.function import operations

rng = np.random.default_rng(0)
needs_compiler = pytest.mark.skipif(not any(map(shutil.which, c_source.COMPILERS)), reason="there is no C compiler")
QUIET = {"ipopt": {"print_level": 0, "sb": "yes"}, "print_time": False}


@pytest.fixture(scope="module", autouse=True)
def _casadi():
    """CasADi, which only the worker imports that runs these tests."""
    global ca
    ca = pytest.importorskip("casadi", minversion="3.7")


def symbols(f):
    return [ca.MX.sym(f.name_in(i), *f.size_in(i)) for i in range(f.n_in())]


def jacobian(f, **options):
    """The derivatives of all results by all arguments."""
    xs = symbols(f)
    return ca.Function("J", xs, [ca.jacobian(ca.veccat(*f.call(xs)), ca.veccat(*xs), options)])


def hessian(f):
    """The second derivatives of the sum of all results with weights, which are further arguments."""
    xs = symbols(f)
    weights = [ca.MX.sym(f"w{k}", *f.size_out(k)) for k in range(f.n_out())]
    total = sum(ca.dot(w, y) for w, y in zip(weights, f.call(xs), strict=True))
    return ca.Function("H", [*xs, *weights], [ca.hessian(total, ca.veccat(*xs))[0]])


def by_differences(f):
    """The derivatives of a function without its own: CasADi takes finite differences."""
    xs = symbols(f)
    no = dict.fromkeys(("enable_forward", "enable_reverse", "enable_jacobian"), False)
    alone = ca.Function("alone", xs, f.call(xs), {"enable_fd": True, "never_inline": True, **no})
    return jacobian(alone, allow_reverse=False)


def values_for(f, seed=0):
    numbers = np.random.default_rng(seed)
    return [ca.DM(numbers.uniform(0.2, 1.0, size=f.size_in(i))) for i in range(f.n_in())]


def weights_for(f, seed=1):
    numbers = np.random.default_rng(seed)
    return [ca.DM(numbers.normal(size=f.size_out(i))) for i in range(f.n_out())]


def assert_close(a, b, atol):
    np.testing.assert_allclose(ca.DM(a).full(), ca.DM(b).full(), rtol=0, atol=atol)


@pytest.fixture(scope="module")
def arm():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def tree():
    made = kt.random_tree(1, seed=2, base="free")
    assert made.nq > made.nv
    return made


def several(model, q, v):
    """Two results: one has constants, the other no axes."""
    pose = kt.algorithms.pose(model, q, frame="tip")
    return pose, kt.algorithms.kinetic_energy(model, q, v)


def pushed(model, q, v, wrench):
    """Something short of all: quaternions, a mapping, and gravity, which may be an argument."""
    J = kt.algorithms.jacobian(model, q, frame="tip")
    return kt.algorithms.gravity(model, q) * v - J.T @ wrench["tip"]


def with_everything(tree):
    return tree.kernel(pushed, inputs="gravity", shapes={"wrench": {"tip": (6,)}})


@pytest.mark.parametrize("case", ["several", "everything", "scalar"])
def test_derivatives_agree_with_expressions_and_differences_to_second_order(arm, tree, case):
    what = {
        "several": lambda: (several, arm),
        "everything": lambda: (with_everything(tree),),
        "scalar": lambda: (kt.algorithms.kinetic_energy, arm),
    }[case]()
    f, s = kt.casadi.function(*what), kt.casadi.sx(*what)
    assert f.name_in() == s.name_in() and f.name_out() == s.name_out()
    xs, ws = values_for(f), weights_for(f)
    for a, b in zip(f.call(xs), s.call(xs), strict=True):
        assert a.sparsity() == b.sparsity()
        assert_close(a, b, 1e-12)
    (J, H), (Js, Hs) = ((jacobian(x), hessian(x)) for x in (f, s))
    assert_close(J(*xs), Js(*xs), 1e-11)
    assert_close(H(*xs, *ws), Hs(*xs, *ws), 1e-11)
    assert J.nnz_out(0) <= Js.nnz_out(0) and H.nnz_out(0) <= Hs.nnz_out(0)
    assert_close(J(*xs), by_differences(f)(*xs), 1e-5)


def test_second_derivatives_agree_with_differences_of_casadi_and_third_with_expressions(arm):
    f, s = (make("forward_dynamics", arm) for make in (kt.casadi.function, kt.casadi.sx))
    xs, w, at = symbols(f), weights_for(f)[0], values_for(f)
    slope = ca.Function("slope", xs, [ca.gradient(ca.dot(w, f(*xs)), ca.veccat(*xs))])
    assert_close(hessian(f)(*at, w), by_differences(slope)(*at), 1e-5)
    third = [ca.Function("t", xs, [ca.jacobian(hessian(x)(*xs, w), xs[0])])(*at) for x in (f, s)]
    assert_close(*third, 1e-9)


def test_gradients_in_several_directions_as_maps_want_them(arm):
    made = [[make(*x) for make in (kt.casadi.function, kt.casadi.sx)] for x in ((several, arm), ("gravity", arm))]
    for f, s in made:
        a, b = f.reverse(2), s.reverse(2)
        xs = values_for(b)
        for x, y in zip(a.call(xs), b.call(xs), strict=True):
            assert_close(x, y, 1e-12)
    f, s = (make("forward_dynamics", arm) for make in (kt.casadi.function, kt.casadi.sx))
    J, Js = (jacobian(x.map(3)) for x in (f, s))  # fewer results than arguments: CasADi takes gradients
    at = values_for(f.map(3))
    assert J.sparsity_out(0) == Js.sparsity_out(0)
    assert_close(J(*at), Js(*at), 1e-11)
    constant = kt.casadi.function(lambda model: kt.algorithms.gravity(model, model.neutral()), arm)
    assert_close(constant()["out"], [19.62, 4.905], 1e-12)
    assert constant.reverse(2).n_out() == 0 and constant.jacobian().n_out() == 0


def test_methods_give_the_numbers_of_the_robot_for_one_state_and_for_columns(tree):
    robot = kt.casadi.Robot(tree)
    q, v = tree.random(5, seed=3), rng.normal(size=(5, tree.nv))
    wrench = {"tip": rng.normal(size=(5, 6))}
    found = robot.inverse_dynamics(ca.DM(q.T), ca.DM(v.T), v.T, wrench={"tip": ca.DM(wrench["tip"].T)})
    np.testing.assert_allclose(found.full().T, tree.inverse_dynamics(q, v, v, wrench=wrench), atol=1e-12)
    x = ca.MX.sym("q", tree.nq)
    pose = ca.Function("pose", [x], [robot.pose(x, frame="tip")])
    np.testing.assert_allclose(pose(q[0]).full(), tree.pose(q[0], frame="tip"), atol=1e-14)
    assert pose.nnz_out(0) == 13  # the last row is that of the identity
    side_by_side = pose.map(5)(q.T).full().reshape(4, 5, 4).transpose(1, 0, 2)
    np.testing.assert_allclose(side_by_side, tree.pose(q, frame="tip"), atol=1e-14)
    inertial = 1.1 * tree.parameters("inertial")
    heavy = robot.mass_matrix(ca.DM(q[0]), inertial=inertial)
    np.testing.assert_allclose(heavy.full(), tree.with_parameters(inertial=inertial).mass_matrix(q[0]), atol=1e-12)
    y = ca.SX.sym("q", tree.nq)
    np.testing.assert_allclose(
        ca.Function("M", [y], [robot.mass_matrix(y)])(q[1]).full(), tree.mass_matrix(q[1]), atol=1e-12
    )


def test_a_kernel_without_quaternions_gives_the_same_bits(arm):
    xs = rng.normal(size=(3, 2))
    kernel = kt.compile(kt.algorithms.inverse_dynamics, arm)
    assert (kt.casadi.function(kernel)(*xs).full().ravel() == kernel(*xs)).all()


def test_functions_stay_when_python_forgets_them():
    q = ca.MX.sym("q", 2)

    def made():
        robot = kt.load("planar2r").with_parameters(gravity=[0.0, 0.0, -1.0])
        y = kt.casadi.Robot(robot).gravity(q)
        return ca.Function("F", [q], [y, ca.jacobian(y, q)])

    F = made()
    gc.collect()
    tau, stiffness = F([0.0, 0.0])
    assert_close(tau, [2.0, 0.5], 1e-15)
    assert_close(stiffness, np.zeros((2, 2)), 1e-15)
    robot = kt.load("planar2r")
    assert kt.casadi.function("gravity", robot) is kt.casadi.function("gravity", robot)
    assert kt.casadi.function("gravity", robot, name="weight") is not kt.casadi.function("gravity", robot)


def test_every_operation_has_an_expression_and_nan_passes_on():
    do = operations(ca)
    assert do.keys() == OPS.keys()
    values = (0.7, -0.3, 1.2)
    for name, op in OPS.items():
        x = [ca.SX.sym(f"x{k}") for k in range(op.arity)]
        given = [abs(v) if name in ("sqrt", "log") else v for v in values[: op.arity]]
        found = float(ca.Function("f", x, [do[name](*x)])(*given))
        assert found == pytest.approx(float(op.apply(*given)), abs=1e-15), name
    for name in ("minimum", "maximum"):
        x = [ca.SX.sym("a"), ca.SX.sym("b")]
        f = ca.Function("f", x, [do[name](*x)])
        assert np.isnan([float(f(np.nan, 1)), float(f(1, np.nan))]).all()


def effort(f, n=8, time=1.0):
    """The least effort ∫|τ|² between two rests, by Hermite–Simpson's rule: cost, iterations, how it ended."""
    x, u = ca.MX.sym("x", 4, n + 1), ca.MX.sym("u", 2, n + 1)

    def rate(x, u):
        return ca.vertcat(x[2:, :], f(x[:2, :], x[2:, :], u))

    dx, h = rate(x, u), time / n
    a, b, um = x[:, :-1], x[:, 1:], (u[:, :-1] + u[:, 1:]) / 2
    middle = rate((a + b) / 2 + h / 8 * (dx[:, :-1] - dx[:, 1:]), um)
    defects = b - a - h / 6 * (dx[:, :-1] + 4 * middle + dx[:, 1:])
    ends = ca.vertcat(x[:, 0] - ca.DM([-1.5, 0, 0, 0]), x[:, n] - ca.DM([0.5, 0.3, 0, 0]))
    cost = h / 6 * (ca.sumsqr(u[:, :-1]) + 4 * ca.sumsqr(um) + ca.sumsqr(u[:, 1:]))
    nlp = {"x": ca.veccat(x, u), "f": cost, "g": ca.veccat(defects, ends)}
    solver = ca.nlpsol("solver", "ipopt", nlp, QUIET)
    found = solver(x0=0.1, lbg=0, ubg=0)
    stats = solver.stats()
    return float(found["f"]), stats["iter_count"], stats["return_status"]


@needs_compiler
def test_a_motion_of_least_effort_is_the_same_in_all_ways(arm):
    made = [make("forward_dynamics", arm) for make in (kt.casadi.function, kt.casadi.external, kt.casadi.sx)]
    (cost, steps, status), *others = map(effort, made)
    assert status == "Solve_Succeeded" and steps < 60
    for other in others:
        assert other == (pytest.approx(cost, rel=1e-8), steps, status)


@needs_compiler
def test_a_library_takes_what_is_missing_as_zero_and_runs_in_threads(arm, tmp_path):
    f = kt.casadi.function("forward_dynamics", arm)
    e = kt.casadi.external("forward_dynamics", arm, folder=tmp_path, name="fall")
    assert_close(e(v=[1.0, 2.0])["out"], f(v=[1.0, 2.0])["out"], 1e-12)
    v, found = np.array([1.0, 2.0]), np.full((2, 2), np.nan)
    for made, out in zip((f, e), found, strict=True):
        buffer, trigger = made.buffer()
        trigger()  # no arguments, and no room for results
        buffer.set_arg(1, memoryview(v))
        buffer.set_res(0, memoryview(out))
        trigger()
    np.testing.assert_allclose(found, np.tile(arm.forward_dynamics(0 * v, v, 0 * v), (2, 1)), atol=1e-12)
    xs = rng.normal(size=(3, 2, 40))
    wanted = arm.forward_dynamics(*xs.transpose(0, 2, 1)).T
    for made in (e.map(40, "thread", 2), f.map(40, "thread", 2), e.map(40), f.map(40)):
        assert_close(made(*xs), wanted, 1e-10)
    (J, H), (Je, He) = ((jacobian(x), hessian(x)) for x in (f, e))
    at, w = values_for(f), weights_for(f)
    assert_close(J(*at), Je(*at), 1e-11)
    assert_close(H(*at, *w), He(*at, *w), 1e-11)
    assert J.sparsity_out(0) == Je.sparsity_out(0) and H.sparsity_out(0) == He.sparsity_out(0)
    other = kt.casadi.external("gravity", arm, folder=tmp_path, name="fall", order=0)  # files of the same names
    assert_close(other([0.0, 0.0]), [19.62, 4.905], 1e-12)
    assert_close(kt.casadi.external("forward_dynamics", arm, folder=tmp_path, name="fall")(*at), f(*at), 1e-12)
    text = kt.casadi.source("forward_dynamics", arm, name="fall")
    assert (tmp_path / "fall.c").read_text() == text
    (library_file,) = (x for x in tmp_path.iterdir() if x.suffix != ".c")
    assert_close(ca.external("fall", str(library_file))(*at), f(*at), 1e-12)
    with pytest.raises(kt.InputError, match="failed: it says nothing, but ends with 1"):
        kt.casadi.external("gravity", arm, compiler=shutil.which("false"))
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O0", "-c", "-o", str(tmp_path / "fall.o")]
    subprocess.run([c_source.compiler_command(None), *strict, str(tmp_path / "fall.c")], check=True)


@needs_compiler
def test_a_library_on_a_tree_with_quaternions_wrenches_and_parameters(tree, monkeypatch):
    monkeypatch.setattr(
        c_source, "COMPILER_FLAGS", ("-O0", *c_source.COMPILER_FLAGS[2:])
    )  # its speed is of no interest here
    kernel = with_everything(tree)
    f, e = kt.casadi.function(kernel), kt.casadi.external(kernel)
    at, w = values_for(f), weights_for(f)
    assert_close(e.call(at)[0], f.call(at)[0], 1e-11)
    assert_close(jacobian(e)(*at), jacobian(f)(*at), 1e-10)
    assert_close(hessian(e)(*at, *w), hessian(f)(*at, *w), 1e-10)


def root(model, q):
    """√(1 + q·q), by Newton's method until it has converged."""
    y = 1.0 + q[0] * q[0] + q[1] * q[1]

    def converged(x):
        return kt.arrays.less(kt.arrays.abs(x * x - y), 1e-13)

    return kt.arrays.iterate(lambda x: 0.5 * (x + y / x), y, converged, 40)


@needs_compiler
def test_loops_are_differentiated_and_have_no_expressions(arm):
    q = np.array([0.3, 0.8])
    s = np.sqrt(1 + q @ q)
    for f in (kt.casadi.function(root, arm), kt.casadi.external(root, arm)):
        assert float(f(q)) == pytest.approx(s, rel=1e-14)
        assert_close(jacobian(f)(q), [q / s], 1e-13)
        assert_close(hessian(f)(q, 1.0), np.eye(2) / s - np.outer(q, q) / s**3, 1e-12)
    with pytest.raises(kt.InputError, match="root has a loop"):
        kt.casadi.sx(root, arm)


@needs_compiler
def test_the_text_links_with_code_that_casadi_generates(arm, tmp_path):
    q = ca.MX.sym("q", 2)
    y = 2 * kt.casadi.external("gravity", arm)(q)
    F = ca.Function("F", [q], [y, ca.jacobian(y, q)])
    generated = ca.CodeGenerator("caller.c")
    generated.add(F)
    generated.generate(f"{tmp_path}/")
    (tmp_path / "gravity.c").write_text(kt.casadi.source("gravity", arm))
    files = [str(tmp_path / name) for name in ("caller.c", "gravity.c")]
    options = ["-O0", "-shared", "-fPIC", "-o", str(tmp_path / "both.so"), *files, "-lm"]
    c_source.run(c_source.compiler_command(None), options)
    for found, wanted in zip(ca.external("F", str(tmp_path / "both.so"))([0.3, 0.5]), F([0.3, 0.5]), strict=True):
        assert_close(found, wanted, 1e-12)


def test_functions_can_be_pickled(arm):
    f = kt.casadi.function("gravity", arm)
    assert pickle.loads(pickle.dumps(f)) is f
    with pytest.raises(kt.InputError, match="jac_gravity is a derivative"):
        pickle.dumps(kt.casadi.callback.callback(ca, f.part.jacobian))
    with pytest.raises(kt.InputError, match="cannot be pickled: another process must be able to import"):
        pickle.dumps(kt.casadi.function(lambda model, q: 2 * q, arm))


def test_recursions_for_derivatives_are_those_of_differentiation():
    robot = kt.load("panda")
    f = kt.casadi.function("inverse_dynamics", robot)
    q, v, a = robot.random(seed=1), *rng.normal(size=(2, 7))
    D = np.concatenate(robot.inverse_dynamics_derivatives(q, v, a), axis=1)
    J = jacobian(f)
    np.testing.assert_allclose(J(q, v, a).full(), D, atol=1e-12)
    assert J.nnz_out(0) < D.size
    assert_close(J(q, v, a), jacobian(kt.casadi.sx("inverse_dynamics", robot))(q, v, a), 1e-11)


def test_wrong_use_is_named(arm, monkeypatch):
    robot = kt.casadi.Robot(arm)
    q, s = ca.MX.sym("q", 2), ca.SX.sym("q", 2)
    for call, message in (
        (lambda: robot.gravity(ca.MX.sym("q", 3)), "gravity: q must be a matrix of 2 rows and 1 columns"),
        (lambda: robot.gravity(np.zeros((1, 2))), "got 1 rows and 2 columns"),
        (lambda: robot.gravity("x"), "q must be a matrix of CasADi or numbers, got str"),
        (lambda: robot.inverse_dynamics(q, s, q), "SX and MX"),
        (lambda: kt.casadi.function("gravity"), "a robot is missing"),
        (lambda: kt.casadi.function("gravity", arm, name="a b"), "'a_b' would do"),
        (lambda: kt.casadi.function("gravity", arm, name="x" * 300), "name may have 100 letters, got 300"),
        (lambda: kt.casadi.source("gravity", arm, name="int"), "'int' means something in C already"),
        (lambda: kt.casadi.external("gravity", arm, name="casadi_real"), "means something in C already"),
        (
            lambda: robot.inverse_dynamics(np.zeros((2, 3)), np.zeros((2, 2)), np.zeros(2)),
            "one state, or as many as each other: q 3, v 2, a 1",
        ),
        (lambda: kt.casadi.source("gravity", arm, order=3), "order must be one of 0, 1, 2"),
        (lambda: kt.casadi.external("gravity", arm, compiler="no_such"), r"kt.casadi.function needs none"),
        (lambda: kt.casadi.function(arm.kernel("mass_matrix", compact=True)), "compile it without compact"),
        (
            lambda: kt.casadi.function(kt.algorithms.rollout, arm, shapes={"tau": ("t", 2)}),
            "CasADi's functions have fixed",
        ),
    ):
        with pytest.raises(kt.InputError, match=message):
            call()
    monkeypatch.setattr(ca, "__version__", "3.6.7")
    with pytest.raises(kt.InputError, match=r"take 3.7 or newer, or kt.casadi.external"):
        kt.casadi.function("gravity", arm)
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(kt.InputError, match=r"needs casadi: pip install casadi \(the extra 'casadi'"):
        kt.casadi.function("gravity", arm)
    assert "int gravity(" in kt.casadi.source("gravity", arm, order=0)  # needs no CasADi
