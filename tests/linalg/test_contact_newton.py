"""Contacts, rows of joints and closed loops by Newton's method: laws of solutions, other solvers, derivatives."""

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.linalg.contact.laws import ConeLaws
from kinetrace.linalg.contact.newton import Closures, solve_by_newton
from kinetrace.linalg.contact.problem import Cone, ContactProblem, DenseCompliance
from kinetrace.linalg.contact.sweeps import solve_by_sweeps
from kinetrace.linalg.scalar_sets import ScalarSets, solve_scalar_sets

STATES = 300
ACCURACY = 1e-5
"""Of impulses and velocities of about 1, where velocities obey the laws to 1e-7 of the largest; some are sensitive."""


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def _contacts(model, W, K, v, friction, bias, softness):
    return solve_by_newton(W, K, v, ConeLaws(friction, bias, softness))


def _turning_contacts(model, W, K, v, friction, bias, softness):
    return solve_by_newton(W, K, v, ConeLaws(friction, bias, softness, 0.1 * friction, 0.05 * friction))


def _velocity(model, W, K, v, friction, bias, softness):
    """With friction of all kinds, a row of a joint and a closed loop."""
    sets, closures = ScalarSets(np.array([-0.1]), np.array([np.inf]), np.array([0.2])), Closures(K[-1:], bias[:1])
    cones = ConeLaws(friction, bias, softness, 0.1 * friction, 0.05 * friction)
    found = solve_by_newton(W, K[:-1], v, cones, sets, closures)
    return kt.arrays.concatenate([found.v, found.x])


def _kernel(function, arrays, **settings):
    shapes = {name: x.shape[1:] for name, x in arrays.items()}
    return kt.compile(function, kt.load("planar2r"), shapes=shapes, **settings)


def _problems(rng, nv, n, rows, ratio=1.0, states=STATES, more=0):
    """Random inertias, with masses of many sizes, and rows: redundant if there are more than velocities."""
    A, sizes = rng.normal(size=(states, nv, nv)), np.exp(rng.uniform(0.0, np.log(ratio), (states, nv)) / 2.0)
    W = (A @ A.transpose(0, 2, 1) / nv + np.eye(nv)) * sizes[:, :, None] * sizes[:, None, :]
    return {
        "W": W,
        "K": rng.normal(size=(states, n * rows + more, nv)),
        "v": rng.normal(size=(states, nv)),
        "friction": rng.uniform(0.2, 0.5, (states, n)),
        "bias": 0.1 * rng.normal(size=(states, n)),
        "softness": rng.uniform(0.0, 0.2, (states, n)) * (rng.random((states, n)) < 0.5),
    }


def _check_law(u, x, most, atol):
    """Friction u, x (states, n, k) with bounds (states, n): in its disc, and against u at its surface."""
    speed, size = np.linalg.norm(u, axis=-1), np.linalg.norm(x, axis=-1)
    assert (size <= most * (1.0 + 1e-12) + 1e-15).all()
    np.testing.assert_allclose(np.sum(u * x, axis=-1), -speed * most, rtol=0, atol=atol)


@pytest.mark.parametrize(
    ("nv", "n", "rows", "ratio"), [(18, 4, 3, 1.0), (12, 4, 3, 1e3), (6, 4, 3, 1.0), (14, 3, 6, 1.0)]
)
def test_contacts_obey_their_laws(rng, nv, n, rows, ratio):
    """No pull, no impulse at a distance, friction of all kinds; also where rows are redundant and masses differ."""
    arrays = _problems(rng, nv, n, rows, ratio)
    v, x, slip, residual = _kernel(_contacts if rows == 3 else _turning_contacts, arrays)(*arrays.values())
    assert (residual < 1e-5).mean() > 0.99  # some random rows have no solution, or too stiff a coupling
    good = residual < 1e-5
    W, K, before, friction, bias, softness = (y[good] for y in arrays.values())
    v, x = v[good], x[good]
    momentum = (W @ (v - before)[:, :, None])[..., 0]
    np.testing.assert_allclose(momentum, np.einsum("sij,si->sj", K, x), rtol=0, atol=ACCURACY * ratio)
    u, x = ((K @ v[:, :, None])[..., 0].reshape(-1, n, rows), x.reshape(-1, n, rows))
    normal = x[..., 2]
    apart = u[..., 2] + bias + softness * normal
    assert (normal >= 0.0).all()
    assert (apart > -ACCURACY).all()
    scale = ACCURACY * (1.0 + np.abs(x).max(axis=(1, 2), keepdims=True)[..., 0])
    assert (np.abs(normal * apart) < scale).all()
    for first, end, length in ((0, 2, 1.0), (3, 4, 0.1), (4, 6, 0.05)):
        if end <= rows:
            _check_law(u[..., first:end], x[..., first:end], length * friction * normal, ACCURACY * np.abs(x).max())
    slips = slip[good] > 1e-3
    speed, size = (np.linalg.norm(y[..., :2], axis=-1) for y in (u, x))
    np.testing.assert_allclose((slip[good] * size)[slips], speed[slips], rtol=1e-9)
    assert min(slips.sum(), (normal == 0.0).sum(), ((normal > 0.0) & ~slips).sum()) > 20


def test_two_solvers_agree(rng):
    """With block sweeps on contacts, and with the exact regions of rows of joints."""
    for case in range(12):
        n = 1 + case % 3
        W, K, v, friction, *_ = (x[0] for x in _problems(rng, 3 * n + 3, n, 3, states=1).values())
        found = solve_by_newton(W, K, v, ConeLaws(friction, np.zeros(n), np.zeros(n)))
        G, g, none = K @ np.linalg.solve(W, K.T), K @ v, np.zeros(0)
        cones = tuple(Cone(3 * k, 3, friction[k]) for k in range(n))
        problem = ContactProblem(DenseCompliance(G), g, ScalarSets(none, none, none), cones)
        swept = solve_by_sweeps(problem, np.zeros(3 * n), np.zeros(n), 1e-9)
        np.testing.assert_allclose(found.x, swept.x, rtol=0, atol=ACCURACY)
        lower, upper = (np.where(rng.random(3 * n) < 0.5, s * rng.random(3 * n), s * np.inf) for s in (-1, 1))
        sets = ScalarSets(lower, upper, np.where(rng.random(3 * n) < 0.5, rng.random(3 * n), 0.0))
        found = solve_by_newton(W, K, v, ConeLaws(none, none, none), sets)
        np.testing.assert_allclose(found.x, solve_scalar_sets(G, g, sets).x, rtol=0, atol=ACCURACY)


def test_closed_loops_stay_closed(rng):
    for _ in range(5):
        W, K, v, friction, bias, softness = (x[0] for x in _problems(rng, 12, 2, 3, states=1).values())
        C, c = rng.normal(size=(3, 12)), 0.1 * rng.normal(size=3)
        found = solve_by_newton(W, K, v, ConeLaws(friction, bias, softness), closures=Closures(C, c))
        np.testing.assert_allclose(C @ found.v, c, rtol=0, atol=1e-13)
        of_loops = W @ (found.v - v) - K.T @ found.x
        multipliers = np.linalg.lstsq(C.T, of_loops, rcond=None)[0]
        np.testing.assert_allclose(multipliers @ C, of_loops, rtol=0, atol=ACCURACY)
        assert found.residual < 1e-6


@pytest.mark.parametrize("wrt", ["v", "bias", "friction"])
def test_derivatives(rng, wrt, monkeypatch):
    """Of solutions with friction of all kinds, a row of a joint and a closed loop, where modes do not change."""
    states, h = 3, 1e-5
    arrays = _problems(rng, 8, 1, 6, states=states, more=2)
    arrays["bias"] = arrays["bias"] - 1.0  # so that they touch
    J = _kernel(kt.jacobian(_velocity, wrt=wrt), arrays)(*arrays.values())
    for name in ("LAW", "ROUNDING"):
        monkeypatch.setattr(f"kinetrace.linalg.contact.newton.{name}", 1e-11)
    for k in range(states):
        state = {name: x[k] for name, x in arrays.items()}
        for j, e in enumerate(np.eye(len(state[wrt]))):
            ends = [_velocity(None, **(state | {wrt: state[wrt] + s * h * e})) for s in (1.0, -1.0)]
            scale = 1e-6 * max(1.0, np.abs(J[k]).max())
            np.testing.assert_allclose(J[k, :, j], (ends[0] - ends[1]) / (2.0 * h), rtol=0, atol=5.0 * scale)


def _stack(masses, half=0.1, friction=0.6):
    """Boxes on each other, on the ground: inertia, rows of the lower corners of each, in the axes of the world."""
    n, corners = len(masses), [np.array([x, y, -half]) for x in (-half, half) for y in (-half, half)]
    sizes = np.array([2.0 / 3.0 * half**2] * 3 + [1.0] * 3)
    K = np.zeros((12 * n, 6 * n))
    for k, corner in ((k, c) for k in range(n) for c in range(4)):
        place = slice(12 * k + 3 * corner, 12 * k + 3 * corner + 3)
        K[place, 6 * k : 6 * k + 6] = np.hstack([-kt.lie.so3.hat(corners[corner]), np.eye(3)])
        if k:
            above = corners[corner] + np.array([0.0, 0.0, 2.0 * half])
            K[place, 6 * k - 6 : 6 * k] = -np.hstack([-kt.lie.so3.hat(above), np.eye(3)])
    zero = np.zeros(4 * n)
    return np.diag(np.concatenate([m * sizes for m in masses])), K, ConeLaws(zero + friction, zero, zero)


@pytest.mark.parametrize("masses", [[1.0] * 5, [1.0, 100.0]])
def test_stacks_stand(masses):
    """They share loads among all corners, and a step that begins with the impulses of the last one changes no bit."""
    W, K, cones = _stack(masses)
    fall = W @ np.tile([0, 0, 0, 0, 0, -9.81 * 2e-3], len(masses))
    first = solve_by_newton(W, K, np.zeros(len(W)), cones, push=fall)
    assert np.abs(first.v).max() < 1e-7  # as near as solutions are to laws
    loads = 9.81 * 2e-3 * np.cumsum(masses[::-1])[::-1] / 4.0
    np.testing.assert_allclose(first.x.reshape(-1, 4, 3)[..., 2], np.repeat(loads[:, None], 4, axis=1), rtol=1e-6)
    v, x = np.zeros(len(W)), first.x
    for _ in range(100):
        v, x, _, residual = solve_by_newton(W, K, v, cones, start=x, push=fall)
        assert residual < 1e-8
    assert np.abs(v).max() < 1e-10


def test_single_precision(rng):
    arrays = _problems(rng, 8, 2, 3)
    single = _kernel(_contacts, arrays, dtype="float32")(*(x.astype(np.float32) for x in arrays.values()))
    double = _kernel(_contacts, arrays)(*arrays.values())
    assert np.median(np.abs(single[0] - double[0]).max(axis=1)) < 1e-5  # velocities of 1 in single precision
    assert np.isfinite(single[1]).all()
    normal, size = single[1][:, 2::3], np.hypot(single[1][:, 0::3], single[1][:, 1::3])
    assert (size <= arrays["friction"] * normal * (1.0 + 1e-5)).all()
