"""A few of the fuzzer's mutated URDFs; `make fuzz` tries many more."""

import pytest

import urdf
from fuzzing import generator


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_are_refused_in_own_words_or_are_robots(seed):
    rng = generator(seed, 0)
    assert sum(urdf.check(urdf.mutant(rng), rng) for _ in range(25)) > 0  # some are robots
