"""Attributes that are computed when they are first asked for.

As `functools.cached_property`, but without a lock: that of Python 3.11 is held while the attribute is computed, by one
thread for all instances, and a child forked meanwhile would wait for it forever. Two threads may compute the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
S = TypeVar("S")


class cached_property(Generic[T]):
    """An attribute that a method computes, once.

    >>> class Sum:
    ...     @cached_property
    ...     def value(self):
    ...         print("computing")
    ...         return 1 + 2
    >>> x = Sum()
    >>> x.value, x.value
    computing
    (3, 3)
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self: S, instance: None, owner: type | None = None) -> S: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        return vars(instance).setdefault(self.name, self.compute(instance))


def memo(owner: object, key: Hashable, make: Callable[[], T]) -> T:
    """The value that an object keeps under a key, made when it is first needed: the same for all threads.

    For modules that need a value of their own for each kernel, and are above kernels.

    >>> class Thing: pass
    >>> x = Thing()
    >>> memo(x, ("jax", "float32"), lambda: [1]) is memo(x, ("jax", "float32"), lambda: [2])
    True
    """
    values = vars(owner).setdefault("_memo", {})
    if key not in values:
        values.setdefault(key, make())  # that of another thread, if it was first
    value: T = values[key]
    return value
