"""Families of kernels as operators of PyTorch, which are all that its dispatcher, compiler and transforms see.

An operator has a kernel for each of the dispatcher's layers:

    Autograd  records a call; backward is the operator of the pullback, forward mode that of the pushforward, which are
              differentiable in the same way, to any order
    Batched   `vmap`: one more batch axis
    CPU       the compiled kernel on the memory of the tensors
    Meta      shapes alone, for `torch.compile` and `torch.export`

The derivatives are those of one level: `torch.func` calls the operator once a level, through the dispatcher.

Operators are named after what they compute, from arrays of which names, in how many threads if that is set, so stored
graphs find them in other processes. PyTorch cannot forget a
name, but nothing else stays: an operator finds its family by the name as long as anything uses it. Graphs of the
compiler and of tracers use it by name only, so families that were traced stay.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch

from ...engine.runtime import arguments
from ...errors import InputError
from ...support.attributes import memo
from ...support.functions import name_of
from ...support.threads import lock
from ..differentiable import DerivativeFamily, move_mapped_axis
from .private import (
    SingleLevelFunction,
    below_autograd,
    below_autograd_keys,
    is_forward,
    is_plain,
    is_traced,
    level,
    set_forward_enabled,
    single_level,
)

NAME_LENGTH = 60
"""Characters of what is computed in the name of an operator."""
_library = torch.library.Library("kinetrace", "FRAGMENT")
_alive: WeakValueDictionary[str, Operator] = WeakValueDictionary()
_traced: dict[str, Operator] = {}
"""Those that graphs may call."""
ROWS_PER_SUM = 64
"""How many rows are added at a time: rounding errors grow with the logarithm of the number of rows, as in PyTorch."""


class Operator:
    """A family as an operator of tensors in its precision, which have leading batch axes that broadcast."""

    def __init__(self, family: DerivativeFamily, name: str) -> None:
        self.family, self.name = family, name
        self.inputs, self.outputs = family.inputs, family.outputs
        self.axes = tuple(len(a.shape) for a in self.inputs)
        self.several = len(self.outputs) > 1
        self.signature = arguments.Signature(name_of(family.flat.function), self.inputs)
        self.call: Any = getattr(torch.ops.kinetrace, name).default
        self._pullbacks: dict[tuple[bool, ...], tuple[tuple[int, ...], Operator]] = {}

    @staticmethod
    def of(family: DerivativeFamily) -> Operator:
        """The operator of a family: the same one for all families that compute the same in the same way.

        >>> import kinetrace as kt
        >>> family = DerivativeFamily.of(kt.load("planar2r").kernel("gravity"))
        >>> Operator.of(family).call(torch.zeros(2, dtype=torch.float64))
        tensor([19.6200,  4.9050], dtype=torch.float64)
        """
        return memo(family, Operator, lambda: _register(family))

    def __call__(self, *xs: torch.Tensor) -> Any:
        """The results; where nothing but autograd has a say in it, without the dispatcher, which takes some µs."""
        if not is_plain(xs):
            if is_traced():
                _traced[self.name] = self
            return self.call(*xs)
        if torch.is_grad_enabled() and any([x.requires_grad for x in xs]):
            return _Recorded.apply(self, None, *xs)
        return self.run(xs)

    def pullback(self, needed: tuple[bool, ...]) -> tuple[tuple[int, ...], Operator]:
        """The places of the tensors that need a gradient, and the operator of these gradients."""
        if needed not in self._pullbacks:
            wrt = tuple(k for k, yes in enumerate(needed) if yes)
            self._pullbacks[needed] = wrt, Operator.of(self.family.pullback(wrt))
        return self._pullbacks[needed]

    def run(self, xs: Sequence[torch.Tensor]) -> Any:
        """The results, by the kernel, on the memory of the tensors."""
        kernel, arrays = self.family.kernel, [x.numpy(force=True) for x in xs]
        try:
            if torch.get_num_threads() == 1 and arrays and arrays[0].ndim > self.axes[0]:  # as in a DataLoader's worker
                results = kernel.batch(*arrays, threads=1)
            else:
                results = kernel(*arrays)
        except InputError:
            arguments.check(self.signature, tuple(arrays))  # under the names that people know
            raise
        return tuple(map(_tensor, results)) if self.several else _tensor(results)

    def empty_results(self, xs: Sequence[torch.Tensor]) -> Any:
        """Results without values, for tensors without values, whose lengths may be symbols."""
        signature = self.signature
        shapes = [arguments.check_shape(signature, a, tuple(x.shape)) for x, a in zip(xs, self.inputs, strict=True)]
        batch, lengths = (
            arguments.broadcast(signature, shapes, torch.broadcast_shapes),
            arguments.lengths(signature, xs),
        )
        like = xs[0] if xs else torch.empty(0, dtype=getattr(torch, self.family.dtype))
        results = tuple(like.new_empty((*batch, *arguments.shape_for(a, lengths))) for a in self.outputs)
        return results if self.several else results[0]


class _Recorded(SingleLevelFunction):
    """A call in the graph of autograd, of one level: those of `torch.func` have gone through the dispatcher before."""

    @staticmethod
    def forward(operator: Operator, keys: Any, *xs: torch.Tensor) -> Any:
        if keys is None:
            return operator.run(xs)
        if level() is None:
            with below_autograd():
                return operator.call.redispatch(keys, *xs)
        with torch.enable_grad(), set_forward_enabled(True), below_autograd():
            return operator.call.redispatch(keys, *xs)  # for the levels further out, which differentiate it too

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.operator, _, *xs = inputs
        ctx.save_for_backward(*xs)
        ctx.save_for_forward(*xs)

    @staticmethod
    def backward(ctx: Any, *weights: torch.Tensor) -> tuple[Any, ...]:
        xs = ctx.saved_tensors
        wrt, pullback = ctx.operator.pullback(ctx.needs_input_grad[2:])
        results = pullback(*xs, *weights)
        gradients: list[Any] = [None] * len(ctx.needs_input_grad)
        for k, gradient in zip(wrt, results if len(wrt) > 1 else (results,), strict=True):
            gradients[k + 2] = gradient if gradient.shape == xs[k].shape else _sum_to(gradient, xs[k].shape)
        return tuple(gradients)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        known = {k: x for k, x in enumerate(tangents[2:]) if x is not None}
        pushed = Operator.of(ctx.operator.family.pushforward(tuple(known)))
        return pushed(*ctx.saved_tensors, *known.values())


def _sum_to(x: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """The sum over the axes that broadcasting added.

    For states that share their parameters, not by PyTorch: its threads wait for each other at the end of each sum, and
    on a machine that has other work too, for milliseconds.
    """
    added = x.ndim - len(shape)
    if not is_plain((x,)) or x.requires_grad or x.shape[added:] != shape:
        return x.sum_to_size(shape)
    rows = x.numpy().reshape(math.prod(x.shape[:added]), math.prod(shape))
    while len(rows) > ROWS_PER_SUM:
        whole = len(rows) // ROWS_PER_SUM * ROWS_PER_SUM
        sums = np.ones(ROWS_PER_SUM, rows.dtype) @ rows[:whole].reshape(-1, ROWS_PER_SUM, rows.shape[1])
        rows = np.concatenate([sums, rows[whole:]])
    return torch.from_numpy(rows.sum(axis=0).reshape(shape))


def _register(family: DerivativeFamily) -> Operator:
    """The operator under the name of what the family computes, which PyTorch knows then."""
    what = re.sub(r"\W", "_", family.kernel.__name__, flags=re.ASCII)[:NAME_LENGTH]
    identity = f"{family.identity}|{family.names}|{family.threads}"
    name = f"{what}_{hashlib.sha256(identity.encode()).hexdigest()[:32]}"
    with lock:
        if not hasattr(torch.ops.kinetrace, name):
            _define(name, len(family.inputs), len(family.outputs))
        return _alive.get(name) or _alive.setdefault(name, Operator(family, name))


def _define(name: str, inputs: int, outputs: int) -> None:
    """Make an operator of that name known to PyTorch."""
    arrays = ", ".join(f"Tensor x{k}" for k in range(inputs))
    _library.define(f"{name}({arrays}) -> ({', '.join(['Tensor'] * outputs)})", tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, partial(_on_cpu, name), "CPU" if inputs else "BackendSelect")  # by tensors; or without any
    _library.impl(name, partial(_call_recorded, name), "Autograd", with_keyset=True)
    torch.library.register_fake(f"kinetrace::{name}", partial(_without_values, name), lib=_library)
    torch.library.register_vmap(f"kinetrace::{name}", partial(_call_batched, name), lib=_library)


def _operator_named(name: str) -> Operator:
    operator = _alive.get(name)
    if operator is None:
        raise InputError(f"operator {name!r} is no longer in use: make its function again by kinetrace.torch")
    return operator


def _on_cpu(name: str, *xs: torch.Tensor) -> Any:
    return _operator_named(name).run(xs)


def _without_values(name: str, *xs: torch.Tensor) -> Any:
    operator = _traced.setdefault(name, _operator_named(name))
    return operator.empty_results(xs)


def _call_batched(name: str, info: Any, places: tuple[int | None, ...], *xs: torch.Tensor) -> Any:
    operator = _operator_named(name)
    results = operator.call(*move_mapped_axis(xs, places, operator.axes, torch.movedim))
    return results, (0,) * len(results) if operator.several else 0


def _call_recorded(name: str, keys: Any, *xs: torch.Tensor) -> Any:
    operator, keys = _operator_named(name), keys & below_autograd_keys
    if level() is not None:
        with single_level():
            return _Recorded.apply(operator, keys, *xs)
    if is_forward() or (torch.is_grad_enabled() and any([x.requires_grad for x in xs])):
        return _Recorded.apply(operator, keys, *xs)
    with below_autograd():
        return operator.call.redispatch(keys, *xs)


def _tensor(x: Any) -> torch.Tensor:
    """A result of a kernel as a tensor on the same memory, in C order as `Operator.shaped` promises."""
    array = np.asarray(x)
    return torch.from_numpy(array if array.flags.c_contiguous else array.copy(order="C"))
