"""Random straight-line programs: every way to run them gives the same bits."""

from __future__ import annotations

import sys

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.trace import trace


def case(rng: np.random.Generator) -> int:
    """One program, in a batch and alone."""
    kernel = kt.Kernel(trace(lambda x: np.sin(x) * x[::-1], {"x": (int(rng.integers(1, 9)),)}))
    x = rng.normal(size=(5, kernel.program.inputs[0].size))
    np.testing.assert_array_equal(kernel(x), [kernel(row) for row in x])
    return 1


if __name__ == "__main__":
    sys.exit(main(case, "random programs"))
