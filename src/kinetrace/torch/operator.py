"""Families of kernels as operators of PyTorch, which are all that its dispatcher, compiler and transforms see.

An operator has a kernel for each of the dispatcher's layers:

    Autograd  records a call; backward is the operator of the pullback, forward mode that of the pushforward, which are
              differentiable in the same way, to any order
    Batched   `vmap`: one more batch axis
    CPU       the compiled kernel on the memory of the tensors
    Meta      shapes alone, for `torch.compile` and `torch.export`

The derivatives are those of one level: `torch.func` calls the operator once a level, through the dispatcher.

Operators are named after what they compute, so stored graphs find them in other processes. PyTorch cannot forget a
name, but nothing else stays: an operator finds its family by the name as long as anything uses it. Graphs of the
compiler use it by name only, so families that it has traced stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import torch
from torch._C import _AutoDispatchBelowAutograd as below_autograd
from torch._C._functorch import peek_interpreter_stack as _level
from torch._functorch.utils import enable_single_level_autograd_function as single_level
from torch.autograd import forward_ad
from torch.autograd.forward_ad import _set_fwd_grad_enabled

from ..codegen.llvm.lock import lock
from ..errors import InputError
from ..frameworks.family import Family
from ..model.arguments import size_hint
from ..support.functions import name_of
from ..support.lazy import kept

LONGEST = 60
"""Characters of what is computed in the name of an operator."""
_library = torch.library.Library("kinetrace", "FRAGMENT")
_alive: WeakValueDictionary[str, Operator] = WeakValueDictionary()
_traced: dict[str, Operator] = {}
"""Those that graphs of the compiler may call."""
_AFTER_AUTOGRAD = torch._C._after_autograd_keyset


class Operator:
    """A family as an operator of tensors in its precision, which have leading batch axes that broadcast."""

    def __init__(self, family: Family, name: str) -> None:
        self.family, self.name = family, name
        self.inputs, self.outputs = family.inputs, family.outputs
        self.axes = tuple(len(a.shape) for a in self.inputs)
        self.several = len(self.outputs) > 1
        self.call: Any = getattr(torch.ops.kinetrace, name).default
        self._pullbacks: dict[tuple[bool, ...], tuple[tuple[int, ...], Operator]] = {}

    @staticmethod
    def of(family: Family) -> Operator:
        """The operator of a family: the same one for all families that compute the same.

        >>> import kinetrace as kt
        >>> family = Family.of(kt.load("planar2r").kernel("gravity"))
        >>> Operator.of(family).call(torch.zeros(2, dtype=torch.float64))
        tensor([19.6200,  4.9050], dtype=torch.float64)
        """
        return kept(family, Operator, lambda: _registered(family))

    def __call__(self, *xs: torch.Tensor) -> Any:
        """The results; where nothing but autograd has a say in it, without the dispatcher, which takes some µs."""
        if not is_plain(xs):
            return self.call(*xs)
        if torch.is_grad_enabled() and torch._C._any_requires_grad(*xs):
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
            if torch.get_num_threads() == 1 and arrays[0].ndim > self.axes[0]:  # as in workers of a DataLoader
                found = kernel.batch(*arrays, threads=1)
            else:
                found = kernel(*arrays)
        except InputError:
            self.batch_of(xs)  # under the names that people know
            raise
        return tuple(map(_tensor, found)) if self.several else _tensor(found)

    def shaped(self, xs: Sequence[torch.Tensor]) -> Any:
        """Results without values, for tensors without values."""
        batch, lengths = self.batch_of(xs)
        shapes = [(*batch, *(lengths[x] if isinstance(x, str) else x for x in a.shape)) for a in self.outputs]
        made = tuple(xs[0].new_empty(shape) for shape in shapes)
        return made if self.several else made[0]

    def batch_of(self, xs: Sequence[torch.Tensor]) -> tuple[Any, dict[str, Any]]:
        """The batch axes of all tensors and the lengths of series, or an error that names the tensor at fault."""
        name, shapes, lengths = name_of(self.family.flat.function), [], dict[str, Any]()
        for x, a in zip(xs, self.inputs, strict=True):
            split = x.ndim - len(a.shape)
            if split < 0 or tuple(x.shape[split + len(a.dims) :]) != a.row:
                wanted = "(" + ", ".join(["...", *map(str, a.shape)]) + ")"
                told, got = f"{name}: {a.name} must have shape {wanted}", tuple(x.shape)
                raise InputError(f"{told}, got {got}{size_hint(self.family.model, a.name, got)}")
            for dim, n in zip(a.dims, x.shape[split:], strict=False):
                if lengths.setdefault(dim, n) != n:
                    raise InputError(f"{name}: arrays differ in their length {dim!r}: {n} and {lengths[dim]}")
            shapes.append(x.shape[:split])
        try:
            return torch.broadcast_shapes(*shapes), lengths
        except RuntimeError:
            told = ", ".join(f"{a.name} {tuple(shape)}" for a, shape in zip(self.inputs, shapes, strict=True))
            raise InputError(f"{name}: the batch axes do not broadcast: {told}") from None

    def aligned(self, places: Sequence[int | None], xs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Tensors with the axis of `vmap`, if they have one, before all batch axes."""
        each = list(zip(xs, places, self.axes, strict=True))
        most = max(0, *(x.ndim - (place is not None) - n for x, place, n in each))
        made = []
        for x, place, n in each:
            if place is not None:
                x = x.movedim(place, 0)
                x = x.reshape(x.shape[:1] + (1,) * (most + n + 1 - x.ndim) + x.shape[1:])
            made.append(x)
        return made


class _Recorded(torch.autograd.function._SingleLevelFunction):
    """A call in the graph of autograd, of one level: those of `torch.func` have gone through the dispatcher before."""

    @staticmethod
    def forward(operator: Operator, keys: Any, *xs: torch.Tensor) -> Any:
        if keys is None:
            return operator.run(xs)
        if _level() is None:
            with below_autograd():
                return operator.call.redispatch(keys, *xs)
        with torch.enable_grad(), _set_fwd_grad_enabled(True), below_autograd():
            return operator.call.redispatch(keys, *xs)  # for the levels further out, which differentiate it too

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.operator, _, *xs = inputs
        ctx.save_for_backward(*xs)
        ctx.save_for_forward(*xs)

    @staticmethod
    def backward(ctx: Any, *weights: torch.Tensor) -> tuple[Any, ...]:
        xs = ctx.saved_tensors
        wrt, pulled = ctx.operator.pullback(ctx.needs_input_grad[2:])
        found = pulled(*xs, *weights)
        gradients: list[Any] = [None] * len(ctx.needs_input_grad)
        for k, gradient in zip(wrt, found if len(wrt) > 1 else (found,), strict=True):
            same = gradient.shape == xs[k].shape
            gradients[k + 2] = gradient if same else gradient.sum_to_size(xs[k].shape)
        return tuple(gradients)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        given = {k: x for k, x in enumerate(tangents[2:]) if x is not None}
        pushed = Operator.of(ctx.operator.family.pushforward(tuple(given)))
        return pushed(*ctx.saved_tensors, *given.values())


def is_plain(xs: Sequence[torch.Tensor]) -> bool:
    """Whether tensors are plain, and no transform, mode, tracer or forward derivative sees the calls of operators."""
    for x in xs:
        if type(x) not in _PLAIN or torch._C._dispatch_keys(x).raw_repr() != _KEYS:
            return False
    return (
        _level() is None
        and forward_ad._current_level < 0
        and not torch._C._len_torch_dispatch_stack()
        and not torch._C._len_torch_function_stack()
        and torch._C._get_tracing_state() is None
    )


_PLAIN = (torch.Tensor, torch.nn.Parameter)
_KEYS = torch._C._dispatch_keys(torch.empty(0)).raw_repr()
"""The layers of the dispatcher that see a tensor on the processor which no transform has wrapped."""


def _registered(family: Family) -> Operator:
    """The operator under the name of what the family computes, which PyTorch knows then."""
    what = re.sub(r"\W", "_", family.kernel.__name__, flags=re.ASCII)[:LONGEST]
    name = f"{what}_{family.identity}"
    with lock:
        if not hasattr(torch.ops.kinetrace, name):
            _define(name, len(family.inputs), len(family.outputs))
        return _alive.get(name) or _alive.setdefault(name, Operator(family, name))


def _define(name: str, inputs: int, outputs: int) -> None:
    """Make an operator of that name known to PyTorch."""
    arrays = ", ".join(f"Tensor x{k}" for k in range(inputs))
    _library.define(f"{name}({arrays}) -> ({', '.join(['Tensor'] * outputs)})", tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, partial(_on_cpu, name), "CPU")
    _library.impl(name, partial(_recorded, name), "Autograd", with_keyset=True)
    torch.library.register_fake(f"kinetrace::{name}", partial(_without_values, name), lib=_library)
    torch.library.register_vmap(f"kinetrace::{name}", partial(_batched, name), lib=_library)


def _named(name: str) -> Operator:
    found = _alive.get(name)
    if found is None:
        raise InputError(f"operator {name!r} is no longer in use: make its function again by kinetrace.torch")
    return found


def _on_cpu(name: str, *xs: torch.Tensor) -> Any:
    return _named(name).run(xs)


def _without_values(name: str, *xs: torch.Tensor) -> Any:
    operator = _traced.setdefault(name, _named(name))
    return operator.shaped(xs)


def _batched(name: str, info: Any, places: tuple[int | None, ...], *xs: torch.Tensor) -> Any:
    operator = _named(name)
    found = operator.call(*operator.aligned(places, xs))
    return found, (0,) * len(found) if operator.several else 0


def _recorded(name: str, keys: Any, *xs: torch.Tensor) -> Any:
    operator, keys = _named(name), keys & _AFTER_AUTOGRAD
    if _level() is not None:
        with single_level():
            return _Recorded.apply(operator, keys, *xs)
    forward = forward_ad._current_level >= 0 and torch._C._is_fwd_grad_enabled()
    if forward or (torch.is_grad_enabled() and torch._C._any_requires_grad(*xs)):
        return _Recorded.apply(operator, keys, *xs)
    with below_autograd():
        return operator.call.redispatch(keys, *xs)


def _tensor(x: Any) -> torch.Tensor:
    """A result of a kernel as a tensor on the same memory, in C order as `Operator.shaped` promises."""
    array = np.asarray(x)
    return torch.from_numpy(array if array.flags.c_contiguous else array.copy(order="C"))
