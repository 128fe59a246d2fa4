"""Functions of CasADi around kernels: no compiler is needed.

CasADi keeps a pointer to the Python object of a callback and nothing more, so that it would fail when Python collects
the object. All that were made are kept here instead; the same function is made once.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ...engine.runtime.kernel import Kernel
from ...errors import InputError
from ...support.attributes import cached_property
from ..differentiable import DerivativeFamily
from ..methods import importable
from .matrices import Matrix
from .parts import Part, part

MIN_VERSION = 3, 7
_kept: dict[tuple[Any, ...], Any] = {}


def callback(casadi: Any, of: Part) -> Any:
    """A function of CasADi for a part, with derivatives to every order."""
    if tuple(map(int, casadi.__version__.split(".")[:2])) < MIN_VERSION:
        raise InputError(
            f"CasADi {casadi.__version__} evaluates callbacks in threads without Python's lock, which crashes or gives "
            "wrong numbers: take 3.7 or newer, or kt.casadi.external"
        )
    if of.identity not in _kept:  # no lock: CasADi calls back here, with locks of its own
        _kept.setdefault(of.identity, _class(casadi)(of))
    return _kept[of.identity]


def sparsity(casadi: Any, of: Matrix) -> Any:
    """Which entries of a matrix are stored."""
    return casadi.Sparsity(*of.shape, *of.columns)


class Evaluator:
    """The results of a family as a kernel: from the numbers that CasADi stores to these."""

    def __init__(self, part: Part, family: DerivativeFamily) -> None:
        self.part, self.family, self.places = part, family, part.places(family)

    @cached_property
    def call(self) -> Any:
        """The code for one state."""
        return Kernel(self.part.program(self.family, apart=False)[0]).call

    @cached_property
    def inputs(self) -> list[tuple[int, int]]:
        """Places and sizes of what is read."""
        return [(k, m.size) for k, m in enumerate(self.part.inputs) if m.size]

    @cached_property
    def rows(self) -> list[tuple[int, int, int]]:
        """Places of results, and where they begin and end in the row of all of them."""
        ends = np.cumsum([0, *(self.part.outputs[k].size for k in self.places)]).tolist()
        return list(zip(self.places, ends, ends[1:], strict=False))

    def __call__(self, given: Sequence[Any], wanted: Sequence[Any]) -> None:
        """Fill those results that are wanted, if any are; what is not given is zero."""
        if all(wanted[k] is None for k in self.places):
            return
        arrays = [np.zeros(n) if given[k] is None else np.frombuffer(given[k]) for k, n in self.inputs]
        row = self.call(*arrays)
        for k, begin, end in self.rows:
            if wanted[k] is not None:
                np.frombuffer(wanted[k])[:] = row[begin:end]


@cache
def _class(casadi: Any) -> Any:
    """The class of functions that evaluate parts."""

    class Callback(casadi.Callback):  # type: ignore[misc]
        def __init__(self, part: Part) -> None:
            casadi.Callback.__init__(self)
            self.part = part
            self.evaluators = [Evaluator(part, family) for family in part.families if part.places(family)]
            self.construct(part.name, part.options)

        def get_n_in(self) -> int:
            return len(self.part.inputs)

        def get_n_out(self) -> int:
            return len(self.part.outputs)

        def get_name_in(self, i: int) -> str:
            return self.part.inputs[i].name

        def get_name_out(self, i: int) -> str:
            return self.part.outputs[i].name

        def get_sparsity_in(self, i: int) -> Any:
            return sparsity(casadi, self.part.inputs[i])

        def get_sparsity_out(self, i: int) -> Any:
            return sparsity(casadi, self.part.outputs[i])

        def has_eval_buffer(self) -> bool:
            return True

        def eval_buffer(self, given: Sequence[Any], wanted: Sequence[Any]) -> int:
            for evaluate in self.evaluators:
                evaluate(given, wanted)
            return 0

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, ins: Any, outs: Any, options: Any) -> Any:
            return callback(casadi, self.part.jacobian)

        def has_jac_sparsity(self, o: int, i: int) -> bool:
            return True

        def get_jac_sparsity(self, o: int, i: int, symmetric: bool) -> Any:
            return sparsity(casadi, self.part.jacobian.outputs[o * len(self.part.inputs) + i])

        def has_reverse(self, directions: int) -> bool:
            return directions == 1 and self.part.has_adjoint

        def get_reverse(self, directions: int, name: str, ins: Any, outs: Any, options: Any) -> Any:
            if self.has_reverse(directions):
                return callback(casadi, self.part.adjoint)
            return _by_jacobian(casadi, self.part, directions, (name, ins, outs, options))

        def __reduce__(self) -> Any:
            if self.part.kernel is None:
                raise InputError(f"{self.part.name} is a derivative, which is not pickled: pickle the function itself")
            return _again, (importable(self.part.kernel), self.part.name)

    return Callback


def _by_jacobian(casadi: Any, of: Part, directions: int, rest: Sequence[Any]) -> Any:
    """The gradients in several directions, whose weights and results stand side by side: CasADi's maps want them."""
    name, ins, outs, options = rest
    sides = [[sparsity(casadi, m) for m in several] for several in (of.inputs, of.outputs)]
    given = [casadi.MX.sym("x", x) for side in sides for x in side]
    weights = [casadi.MX.sym("w", casadi.repmat(x, 1, directions)) for x in sides[1]]
    blocks = callback(casadi, of.jacobian).call(given)
    gradients = []
    for i, pattern in enumerate(sides[0]):
        total = casadi.MX(pattern.numel(), directions)
        for o, weight in enumerate(weights):
            total += blocks[o * len(of.inputs) + i].T @ casadi.reshape(weight, -1, directions)
        stacked = casadi.repmat(pattern, 1, directions)
        gradients.append(casadi.project(casadi.reshape(total, *stacked.shape), stacked))
    return casadi.Function(name, [*given, *weights], gradients, ins, outs, options)


def _again(kernel: Kernel, name: str) -> Any:
    """A function that was pickled."""
    return callback(importlib.import_module("casadi"), part(kernel, name))
