"""Quadratic programs with bounds: the minimiser of an independent solver, exact derivatives, and what has none."""

import numpy as np
import pytest

import kinetrace as kt


def box(model, H, g, lower, upper):
    return kt.linalg.solve_box(H, g, lower, upper)


@pytest.fixture(scope="module")
def kernel():
    shapes = {"H": (5, 5), "g": (5,), "lower": (5,), "upper": (5,)}
    return kt.compile(box, kt.load("planar2r"), shapes=shapes)


def problems(seed, count, n=5):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(count, n, n))
    H, g = root @ root.swapaxes(-1, -2) + 1e-4 * np.eye(n), 3 * rng.normal(size=(count, n))
    lower, upper = -rng.exponential(size=(count, n)), rng.exponential(size=(count, n))
    lower[rng.random((count, n)) < 0.2], upper[rng.random((count, n)) < 0.2] = -np.inf, np.inf
    lower[:, 0], upper[:, 0] = 0.3, np.where(np.arange(count) % 3, 2.0, 0.3)  # zero is outside, or there is no room
    return H, g, lower, upper


def test_it_is_the_minimiser_that_clarabel_finds(kernel):
    clarabel, sparse = pytest.importorskip("clarabel"), pytest.importorskip("scipy.sparse")
    H, g, lower, upper = problems(0, 20)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas = False, 1e-12, 1e-12, 1e-12
    x, free, success = kernel(H, g, lower, upper)
    assert success.all()
    for k in range(20):
        rows = np.vstack([np.eye(5), -np.eye(5)])
        bound = np.concatenate([upper[k], -lower[k]])
        keep = np.isfinite(bound)
        cones = [clarabel.NonnegativeConeT(int(keep.sum()))]
        P, A = sparse.csc_matrix(np.triu(H[k])), sparse.csc_matrix(rows[keep])
        wanted = np.array(clarabel.DefaultSolver(P, g[k], A, bound[keep], cones, settings).solve().x)
        np.testing.assert_allclose(x[k], wanted, atol=1e-7)  # what an interior point reaches
        on_floats = kt.linalg.solve_box(H[k], g[k], lower[k], upper[k])
        np.testing.assert_allclose(on_floats[0], x[k], atol=1e-12)
        assert np.array_equal(on_floats[1], free[k])


def test_its_conditions_hold_to_rounding_and_bounds_are_never_crossed(kernel):
    H, g, lower, upper = problems(1, 3000)
    x, free, success = kernel(H, g, lower, upper)
    slope = np.einsum("bij,bj->bi", H, x) + g
    assert success.all() and (lower <= x).all() and (x <= upper).all()
    assert np.abs(slope * free).max() < 1e-11
    held = (free == 0) & (lower < upper)
    assert held.any() and (np.where(x == lower, slope, -slope)[held] > -1e-11).all()


def test_its_derivative_is_that_of_the_free_variables():
    H, g, lower, upper = problems(2, 4, n=3)
    derivative = kt.jacobian(lambda model, H, g, lower, upper: box(model, H, g, lower, upper)[0], wrt=("g", "upper"))
    for case in zip(H, g, lower, upper, strict=True):
        x, free, _ = kt.linalg.solve_box(*case)
        free = np.flatnonzero(free)
        by_g, by_upper = derivative(kt.load("planar2r").model, *case)
        wanted = np.zeros((3, 3))
        wanted[np.ix_(free, free)] = -np.linalg.inv(case[0][np.ix_(free, free)])
        np.testing.assert_allclose(by_g, wanted, atol=1e-10)
        top = np.diag(1.0 * (x == case[3]) * (case[2] < case[3]))
        np.testing.assert_allclose(by_upper, top + wanted @ case[0] @ top, atol=1e-10)


def test_what_has_no_minimiser_is_named_and_harms_no_other_problem(kernel):
    H, g, lower, upper = problems(3, 6)
    wanted = kernel(H, g, lower, upper)[0]
    H[1], lower[1], upper[1] = -np.eye(5), -np.inf, np.inf
    lower[2, 3], upper[2, 3] = 1.0, -1.0
    g[3, 0] = np.nan
    x, _, success = kernel(H, g, lower, upper)
    assert np.array_equal(success, [1, 0, 0, 0, 1, 1])
    assert np.array_equal(x[[0, 4, 5]], wanted[[0, 4, 5]])


def test_wrong_shapes_are_named():
    with pytest.raises(kt.InputError, match=r"solve_box: g must have shape \(2,\), got \(3,\)"):
        kt.linalg.solve_box(np.eye(2), np.zeros(3), -1.0, 1.0)
    with pytest.raises(kt.InputError, match=r"H must be a square matrix \(n, n\), got shape \(2, 3\)"):
        kt.linalg.solve_box(np.ones((2, 3)), np.zeros(3), -1.0, 1.0)


def test_singular_problems_are_solved_where_they_have_a_minimiser(kernel):
    rng = np.random.default_rng(4)
    root = rng.integers(-3, 4, size=(300, 2, 5)).astype(float)
    H, g = root.swapaxes(-1, -2) @ root, rng.integers(-5, 6, size=(300, 5)).astype(float)
    lower = -rng.integers(0, 4, size=(300, 5)).astype(float)
    upper = lower + rng.integers(0, 5, size=(300, 5))
    x, _, success = kernel(H, g, lower, upper)
    slope = np.einsum("bij,bj->bi", H, x) + g
    assert success.all() and (lower <= x).all() and (x <= upper).all()
    assert np.where(x < upper, -slope, 0).max() < 1e-7 and np.where(x > lower, slope, 0).max() < 1e-7
    H, g = [[10, -2, -6], [-2, 2, 2], [-6, 2, 4]], [-8, 3, 0]
    x, _, success = kt.linalg.solve_box(H, g, [-1, -3, -1], [2, -2, 3])
    assert success == 1 and np.allclose(x, [2, -2.5, 3])
    for known, found in (
        ((-1.0, 1), kt.linalg.solve_box([[0.0]], [1.0], -1.0, 1.0)),  # a linear program
        ((-0.5, 1), kt.linalg.solve_box([[1.0, 1.0], [1.0, 1.0]], [1.0, 1.0], -0.5, np.inf)),
        ((None, 0), kt.linalg.solve_box([[0.0]], [1.0], -np.inf, 1.0)),  # no minimum
        ((None, 0), kt.linalg.solve_box([[1.0, 1.0], [1.0, 1.0]], [1.0, 2.0], -np.inf, np.inf)),
    ):
        assert found[2] == known[1] and (known[0] is None or np.isclose(found[0].mean(), known[0]))


def test_what_is_not_convex_is_no_success():
    for H, g, lower, upper in (
        ([[-1.0]], [0.3], [0.1], [5.0]),  # a local minimum at a bound
        ([[0.0, 1.0], [1.0, 0.0]], [0.0, 0.0], [-1.0, -1.0], [1.0, 1.0]),
        ([[1.0, 2.0], [2.0, 1.0]], [0.1, 0.0], [-1.0, 0.0], [1.0, 0.0]),
    ):
        assert kt.linalg.solve_box(H, g, lower, upper)[2] == 0
    x, free, success = kt.linalg.solve_box(np.zeros((0, 0)), [], [], [])
    assert x.shape == free.shape == (0,) and success == 1
