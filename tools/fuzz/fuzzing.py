"""Shared by all fuzzers: random cases until the time is over, and the seed of a failing case.

A fuzzer is a script beside this file. It has one function `case(rng)`, which makes one random case, raises if something
is wrong, and returns how many checks it made; and it ends in

    if __name__ == "__main__":
        sys.exit(main(case, "random programs"))

    python tools/fuzz/programs.py --seconds 60 --seed 1
    python tools/fuzz/programs.py --seed 1 --case 17        that case alone, as a failure prints it
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence

import numpy as np

Case = Callable[[np.random.Generator], int]


def generator(seed: int, k: int) -> np.random.Generator:
    """The random numbers of case k: they depend on nothing else, so that it can be run alone."""
    return np.random.default_rng([seed, k])


def main(case: Case, what: str, arguments: Sequence[str] | None = None) -> int:
    """Run cases as the command line asks; 1 if one failed. Warnings are failures."""
    parser = argparse.ArgumentParser(description=f"Fuzz {what}.")
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no case after this time (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases (default: 1)")
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args(arguments)
    warnings.simplefilter("error")
    start, done, checks = time.monotonic(), 0, 0
    for k in itertools.count() if options.case is None else [options.case]:
        if done and time.monotonic() - start > options.seconds:
            break
        try:
            checks += case(generator(options.seed, k))
        except Exception:
            traceback.print_exc()
            print(f"{what}: FAILED; {sys.argv[0]} --seed {options.seed} --case {k}", flush=True)
            return 1
        done += 1
    spent = time.monotonic() - start
    print(f"{what}: {done} cases, {checks} checks, {spent:.0f} s, seed {options.seed}: fine", flush=True)
    return 0
