"""Random programs, and what they found: the same bits in a batch, alone, in place, on vectors of every width."""

from functools import partial

import numpy as np
import pytest

import kinetrace as kt
from fuzzing import generator
from kinetrace.engine.trace import trace
from programs import arranged, case, machines, on, same

MACHINES = {f"{8 * m.width} bits, {'fused' if m.fuses else 'not fused'}": m for m in machines()}


@pytest.fixture(params=MACHINES)
def machine(request):
    return MACHINES[request.param]


@pytest.mark.parametrize("k", [2, 3, 6, 9, 10, 12])  # small ones
def test_random_programs(k):
    assert case(generator(13, k), most=40) > 0


def nested(x):
    inner = np.sin(x)
    outer = np.sin(inner) * np.cos(np.cos(x))
    for _ in range(3):
        outer = outer * x + inner
    return outer + np.cos(inner)


def test_sines_of_sines(machine):
    """The inner one is known before the outer one is begun, and is still known in later blocks."""
    program = trace(nested, {"x": (3,)})
    x = np.random.default_rng(0).normal(size=(20, 3))
    with on(machine, BLOCK_OPERATIONS=5, STRIP_TILES=2):
        kernel = kt.Kernel(program)
        found = kernel(x)
        np.testing.assert_array_equal(found, [kernel(row) for row in x])
    np.testing.assert_allclose(found, nested(x), rtol=1e-13)


@pytest.mark.alternates(2, "machine", "dtype")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_an_argument_may_receive_the_result(machine, dtype):
    """Whichever entries a block has written while another still reads."""
    size, rng = 37, np.random.default_rng(0)
    program = trace(lambda x, y: (x[::-1] * y, y[::-1]), {"x": (size,), "y": (size,)})
    with on(machine):
        kernel, plain = kt.Kernel(program, dtype=dtype), kt.Kernel(program, dtype=dtype, backend="numpy")
        calls = {"plain": kernel, "gufunc": kernel.gufunc, "threads": partial(kernel, threads=3), "numpy": plain}
        for batch in ((), (50,), (2, 7)):
            x, y = rng.normal(size=(2, *batch, size)).astype(dtype)
            wanted = x[..., ::-1] * y, y[..., ::-1]
            for name, call in calls.items():
                given = [arranged(rng, z.copy()) for z in (x, y)]
                for out in (tuple(given), tuple(given[::-1])):
                    given[0][...], given[1][...] = x, y
                    call(*given, out=out)
                    for found, z in zip(out, wanted, strict=True):
                        same(found, z, f"{name}, {batch}")


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("threads", [1, 3])
def test_of_results_in_one_place_the_last_remains(backend, threads):
    kernel = kt.Kernel(trace(lambda x: (x[::-1], 2.0 * x), {"x": (4,)}), backend=backend)
    x = np.random.default_rng(0).normal(size=(1000, 4))
    out = np.empty((1001, 4))
    assert kernel(x, out=(out[1:], out[1:]), threads=threads)[0].base is out
    np.testing.assert_array_equal(out[1:], 2.0 * x)
    kernel(x, out=(out[1:], out[:-1]), threads=threads)
    np.testing.assert_array_equal(out, [*2.0 * x, x[-1, ::-1]])


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_an_argument_that_all_states_share_receives_results(backend):
    """One number for each of forty states, over the vector of forty that all of them read."""
    kernel = kt.Kernel(trace(lambda x, y: x @ y, {"x": (40,), "y": (40,)}), backend=backend)
    x, y = np.arange(40.0), np.random.default_rng(0).normal(size=(40, 40))
    wanted = kernel(x, y)
    assert kernel(x, y, out=x) is x
    np.testing.assert_array_equal(x, wanted)


def sparse(x, n):
    """A matrix (n, n) with a row and a column that are computed, ones on its diagonal, and numbers in its last row."""
    rows = np.eye(n).astype(object)
    rows[-1] = np.arange(n) / 8.0
    rows[n // 3, :7], rows[:5, n // 2] = x, x[0] * x[:5]
    return rows


# As lines of code, in several functions, which a run by day compiles for half of the machines; from tables.
@pytest.mark.parametrize(
    ("n", "dtype", "machine"),
    [
        *(pytest.param(40, "float64", x, marks=pytest.mark.part(k, 2)) for k, x in enumerate(MACHINES)),
        *((70, "float32", x) for x in MACHINES),
    ],
    indirect=["machine"],
)
def test_constants_of_long_rows(machine, dtype, n):
    program = trace(partial(sparse, n=n), {"x": (7,)})
    with on(machine):
        kernel = kt.Kernel(program, dtype=dtype)
        for batch in ((), (1,), (3,), (2, 35)):
            x = np.random.default_rng(0).normal(size=(*batch, 7)).astype(dtype)
            wanted = np.array([sparse(row, n) for row in x.reshape(-1, 7)], dtype=dtype).reshape(*batch, n, n)
            np.testing.assert_array_equal(kernel(x), wanted)
            padded = np.full((*batch, n, n + 1), 9, dtype=dtype)
            kernel(x, out=padded[..., :n])
            np.testing.assert_array_equal(padded[..., :n], wanted)
            assert np.all(padded[..., n] == 9)
