"""Arrays of other libraries: what they are given for, the results have the bits of the gufunc."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import kinetrace as kt


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(0).standard_normal((3, 20, 2))


def both(model, q, v):
    """A function of two results."""
    return kt.algorithms.gravity(model, q), kt.algorithms.kinetic_energy(model, q, v)


@pytest.fixture(scope="module")
def pair(robot):
    return kt.compile(both, robot)


@pytest.fixture(scope="module")
def da():
    return pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def lazy(da, states):
    return [da.from_array(x, chunks=(chunk, 1)) for x, chunk in zip(states, (6, 7, 20), strict=True)]


def never(*_, **__):
    raise AssertionError("computed too early")


def test_dask_in_dask_out(da, robot, pair, states, lazy):
    import dask

    with dask.config.set(scheduler=never):
        tau = robot.inverse_dynamics(*lazy)
        energies = robot.kinetic_energy(lazy[0][:, None], states[1])  # with an axis of its own for each, and NumPy's
        gravity, energy = pair(*lazy[:2])
        M = robot.mass_matrix(lazy[0][0])  # one state
    for found, chunks in ((tau, 2), (energies, 2), (gravity, 2), (energy, 1), (M, 2)):
        assert isinstance(found, da.Array) and found.dtype == float and found._meta.ndim == found.ndim == chunks
    assert tau.chunks[1] == (2,) and tau.name.startswith("inverse_dynamics-")
    wanted = (robot.inverse_dynamics(*states), robot.kinetic_energy(states[0][:, None], states[1]))
    wanted = (*wanted, *pair(*states[:2]), robot.mass_matrix(states[0][0]))
    for found, expected in zip(dask.compute(tau, energies, gravity, energy, M, scheduler="sync"), wanted, strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_the_same_graph_has_the_same_keys(robot, pair, lazy):
    assert robot.gravity(lazy[0]).name == robot.kernel("gravity")(lazy[0]).name != robot.gravity(lazy[1]).name
    assert pair(*lazy[:2])[0].name != pair(*lazy[:2])[1].name


def test_what_travels_is_the_kernel(robot, lazy, states):
    tau = pickle.loads(pickle.dumps(robot.inverse_dynamics(*lazy)))
    np.testing.assert_array_equal(tau.compute(scheduler="sync"), robot.inverse_dynamics(*states))
    single = kt.load("planar2r", dtype="float32")
    found = single.gravity(lazy[0])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.compute(scheduler="sync"), single.gravity(states[0]), strict=True)


def test_lengths_that_dask_does_not_know(da, robot, states):
    x = da.from_array(states[0], chunks=(7, 2))
    some = x[x[:, 0] > 0]
    found = robot.gravity(some)
    assert np.isnan(found.shape[0])
    np.testing.assert_array_equal(found.compute(scheduler="sync"), robot.gravity(states[0][states[0][:, 0] > 0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, q: r.gravity(q[:, :1]), r"q must have shape \(\.\.\., 2\), got \(20, 1\)"),
        (lambda r, q: r.kinetic_energy(q, q[:3]), r"the batch axes do not broadcast: q \(20,\), v \(3,\)"),
        (lambda r, q: r.gravity(q.astype(complex)), "got dtype complex128"),
        (lambda r, q: r.kernel("gravity")(q, q), "takes 1 array"),
        (lambda r, q: r.gravity(q, out=np.zeros((20, 2))), "out takes NumPy arrays"),
        (lambda r, q: r.gravity(q, threads=0), "threads must be"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(robot, lazy, call, message):
    with pytest.raises(kt.InputError, match=message):
        call(robot, lazy[0])


def test_nothing_is_imported_before_it_is_needed():
    code = """if True:
        import sys, numpy as np, kinetrace as kt
        robot = kt.load("planar2r", backend="numpy")
        robot.gravity([0, 0]), robot.gravity(np.zeros((3, 2))), robot.gravity(np.ma.zeros(2))
        print(*{"dask", "xarray", "torch", "jax", "pandas", "cupy"} & {*sys.modules})
    """
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip() == ""
