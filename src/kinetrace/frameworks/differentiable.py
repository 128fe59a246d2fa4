"""`DerivativeFamily`: a function of plain arrays with its derivatives, each a kernel made when first needed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from ..engine.compilation.compile import compile
from ..engine.derivative.array_function import ArrayFunction, Jacobians, NonemptyFunction, Pullback, Pushforward
from ..engine.runtime.kernel import Kernel
from ..engine.trace import Argument
from ..errors import InputError
from ..model.model import Model
from ..support.attributes import cached_property, memo


class DerivativeFamily:
    """A function of plain arrays with its derivatives, which are families too.

    Its arrays have the shapes of `inputs` behind batch axes; so have tangents and gradients. Quaternions may have any
    length but zero: they are scaled first, see `derivative.array_function`.
    """

    def __init__(
        self,
        flat: ArrayFunction,
        model: Model,
        dtype: str,
        names: tuple[str, ...],
        linear: frozenset[int] = frozenset(),
        kernel: Kernel | None = None,
        base: DerivativeFamily | None = None,
        threads: int | None = None,
    ) -> None:
        self.flat, self.model, self.dtype, self.names, self._kernel = flat, model, dtype, names, kernel
        self.threads = threads
        self.linear = linear
        """The places of arrays in which it is linear: tangents, or weights."""
        self.base = base
        """Family that it is the derivative of."""

    @staticmethod
    def of(kernel: Kernel, dtype: str | None = None) -> DerivativeFamily:
        """The family of a kernel of `compile` or of a robot, in its own precision unless another one is given.

        >>> import kinetrace as kt
        >>> family = DerivativeFamily.of(kt.load("planar2r").kernel("gravity"))
        >>> family.names, family.pullback((0,)).kernel.program.signature, family is DerivativeFamily.of(family.kernel)
        (('q',), '(2),(2)->(2)', True)
        """
        precision = dtype or kernel.dtype.name
        return memo(kernel, (DerivativeFamily, precision), lambda: _make_family(kernel, precision))

    @cached_property
    def kernel(self) -> Kernel:
        """The function itself, compiled for this machine."""
        return self._kernel or compile(self.flat, self.model, dtype=self.dtype, threads=self.threads)

    @cached_property
    def inputs(self) -> tuple[Argument, ...]:
        """The arrays that it takes, with names for people."""
        return tuple(Argument(name, shape) for name, shape in zip(self.names, self.flat.shapes, strict=True))

    @cached_property
    def outputs(self) -> tuple[Argument, ...]:
        """The arrays that it returns; what tangents and gradients are is known before there is a kernel."""
        if self.base is not None and isinstance(self.flat, Pushforward):
            return self.base.outputs
        if self.base is not None and isinstance(self.flat, Pullback):
            return tuple(self.base.inputs[k] for k in self.flat.wrt)
        return self.kernel.program.outputs

    @cached_property
    def filled(self) -> DerivativeFamily:
        """The same without arrays that have no entries: itself if there are none."""
        names = tuple(a.name for a in self.inputs if a.size)
        if len(names) == len(self.names):
            return self
        return DerivativeFamily(NonemptyFunction(self.flat), self.model, self.dtype, names, threads=self.threads)

    @cached_property
    def identity(self) -> str:
        """A name for what it computes: the same in every process."""
        program = self.kernel.program
        return hashlib.sha256(f"{program.name}|{program.digest}|{self.dtype}".encode()).hexdigest()[:32]

    def pushforward(self, wrt: tuple[int, ...]) -> DerivativeFamily:
        """The derivative along tangents of the arrays at these places, which come last among its arrays."""
        names = tuple(f"d{self.names[k]}" for k in wrt)
        return self._derivative(Pushforward, wrt, names, lambda: Pushforward(self.flat, wrt))

    def pullback(self, wrt: tuple[int, ...]) -> DerivativeFamily:
        """The gradients by the arrays at these places of all results, weighted by arrays that come last."""
        weights = tuple(a.shape for a in self.outputs)
        names = tuple(f"weight{k or ''}" for k in range(len(weights)))
        return self._derivative(Pullback, wrt, names, lambda: Pullback(self.flat, wrt, weights))

    def jacobian(self, wrt: tuple[int, ...]) -> DerivativeFamily:
        """All derivatives by the arrays at these places: one matrix, entries of all results by those of the arrays."""
        return self._derivative(Jacobians, wrt, (), lambda: Jacobians(self.flat, wrt))

    def _derivative(
        self, kind: type[ArrayFunction], wrt: tuple[int, ...], added: tuple[str, ...], make: Callable[[], ArrayFunction]
    ) -> DerivativeFamily:
        def make_family() -> DerivativeFamily:
            places = frozenset(range(len(self.names), len(self.names) + len(added)))
            names = (*self.names, *added)
            return DerivativeFamily(make(), self.model, self.dtype, names, places, base=self, threads=self.threads)

        return memo(self, (kind, wrt), make_family)

    def __repr__(self) -> str:
        return f"<family of {self.kernel!r}>"


def _make_family(kernel: Kernel, dtype: str) -> DerivativeFamily:
    recipe = kernel.origin
    if recipe is None:
        raise InputError(
            f"{kernel.__name__} is a kernel of a program: take one of kt.compile, which can be differentiated"
        )
    if recipe.compact:
        raise InputError(
            f"{kernel.__name__} is compact: its rows have no meaning elsewhere; compile it without compact"
        )
    flat = recipe.flat()
    own: Kernel | None = None if flat.normalises or kernel.backend != "llvm" else kernel
    if own is not None and dtype != kernel.dtype.name:
        own = Kernel(kernel.program, dtype=dtype, threads=kernel.threads, origin=recipe)
    names = tuple(a.name for a in kernel.program.inputs)
    return DerivativeFamily(flat, recipe.model, dtype, names, kernel=own, threads=kernel.threads)


def move_mapped_axis(
    xs: Sequence[Any], places: Sequence[int | None], cores: Sequence[int], move_axis: Callable[[Any, int, int], Any]
) -> list[Any]:
    """Arrays with the axis of a `vmap`, which is at these places or nowhere, before all batch axes.

    `cores` are the numbers of axes of a state; `move_axis` is the framework's function that moves an axis.

    >>> import numpy as np
    >>> [x.shape for x in move_mapped_axis((np.ones((7, 3)), np.ones((5, 7))), (1, None), (1, 1), np.moveaxis)]
    [(3, 1, 7), (5, 7)]
    """
    each = list(zip(xs, places, cores, strict=True))
    batch_axes = max((x.ndim - (place is not None) - core for x, place, core in each), default=0)
    results = []
    for x, place, core in each:
        if place is not None:
            x = move_axis(x, place, 0)
            x = x.reshape(x.shape[:1] + (1,) * (batch_axes + core + 1 - x.ndim) + x.shape[1:])
        results.append(x)
    return results
