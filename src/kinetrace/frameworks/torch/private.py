"""The names of PyTorch that are not public, all of them, each with what it is for.

There is no public way to the layers of the dispatcher below autograd, nor to derivatives of one level, without which
nested transforms of `torch.func` would each pay for all levels. A version of PyTorch that lacks one of the first group
is refused; the second group saves time, without it calls go through the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch.autograd import forward_ad

from ...errors import MissingPackageError

TESTED_VERSIONS = "2.7 to 2.15"
"""The versions of PyTorch that the tests have passed with: the oldest and the newest, and 2.13."""
F = TypeVar("F", bound=Callable[..., Any])
__all__ = [
    "TESTED_VERSIONS",
    "SingleLevelFunction",
    "below_autograd",
    "below_autograd_keys",
    "constant",
    "is_forward",
    "is_plain",
    "is_traced",
    "level",
    "set_forward_enabled",
    "single_level",
]

try:
    from torch._C import _after_autograd_keyset as below_autograd_keys  # the layers of the dispatcher below autograd
    from torch._C import _AutoDispatchBelowAutograd as below_autograd  # calls within it do not see autograd
    from torch._C import _is_fwd_grad_enabled as is_forward_enabled
    from torch._C._functorch import peek_interpreter_stack as level  # the innermost transform of `torch.func`, or None
    from torch._functorch.utils import enable_single_level_autograd_function as single_level  # records for that alone
    from torch.autograd.forward_ad import _set_fwd_grad_enabled as set_forward_enabled
    from torch.autograd.function import _SingleLevelFunction as SingleLevelFunction  # a call that one level records

    forward_ad._current_level  # noqa: B018  (of forward mode: -1 outside of it)
except (ImportError, AttributeError) as error:
    raise MissingPackageError(
        f"kinetrace.torch does not fit PyTorch {torch.__version__}: {error}; it was tested with {TESTED_VERSIONS}"
    ) from None

try:
    from torch._C import (
        _dispatch_keys,  # the layers of the dispatcher that see a tensor
        _get_tracing_state,  # whether `torch.jit.trace` records
        _len_torch_dispatch_stack,  # how many modes see calls of operators
        _len_torch_function_stack,  # how many see calls of functions
    )

    _KEYS = _dispatch_keys(torch.empty(0)).raw_repr()
    """Of a tensor on the processor which no transform has wrapped."""
except (ImportError, AttributeError):
    _KEYS = None

_PLAIN_TYPES = (torch.Tensor, torch.nn.Parameter)


def is_plain(xs: Sequence[torch.Tensor]) -> bool:
    """Whether tensors are plain, and no transform, mode, tracer or forward derivative sees the calls of operators.

    >>> x = torch.ones(2)
    >>> is_plain((x,)), torch.func.vmap(lambda row: row * is_plain((row,)))(x)
    (True, tensor([0., 0.]))
    """
    if _KEYS is None:
        return False
    for x in xs:
        if type(x) not in _PLAIN_TYPES or _dispatch_keys(x).raw_repr() != _KEYS:
            return False
    return (
        level() is None
        and forward_ad._current_level < 0
        and not _len_torch_dispatch_stack()
        and not _len_torch_function_stack()
        and _get_tracing_state() is None
    )


def is_traced() -> bool:
    """Whether calls may become those of a graph: a mode sees them, or `torch.jit.trace`; not known without the names.

    >>> is_traced()
    False
    """
    return _KEYS is None or bool(_len_torch_dispatch_stack()) or _get_tracing_state() is not None


def is_forward() -> bool:
    """Whether tensors may have tangents of forward mode.

    >>> with forward_ad.dual_level():
    ...     inside = is_forward()
    >>> inside, is_forward()
    (True, False)
    """
    return forward_ad._current_level >= 0 and bool(is_forward_enabled())


def constant(f: F) -> F:
    """A function that the compiler calls while it traces, instead of tracing it: its result is a constant of the graph.

    As `torch.compiler.assume_constant_result`, which would import the compiler: that takes seconds. Arguments and
    results must be constants: texts, numbers, dtypes, tuples of these. A version that does not know the mark says that
    it cannot trace the function.
    """
    vars(f)["_dynamo_marked_constant"] = True
    return f
