"""Attributes: objects that do not change, and values that are computed once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any, ClassVar, Generic, TypeVar, overload

from ..errors import FrozenError


class Frozen:
    """Assignment is refused with the right way named, and a copy is the thing itself.

    A subclass of such a class may have attributes of its own, under names that are not taken, and is copied as it is
    pickled.
    """

    _instead: ClassVar[Mapping[str, str]]
    """Name that a user might assign to → the right way."""
    _otherwise: ClassVar[str]
    _base: ClassVar[type]
    _declared: ClassVar[frozenset[str]]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if Frozen in cls.__bases__:
            cls._base = cls
            cls._declared = frozenset(name for c in cls.__mro__ for name in inspect.get_annotations(c))
            return
        for name in ("__copy__", "__deepcopy__"):
            if name not in vars(cls):
                setattr(cls, name, None)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def _set(self, **values: Any) -> None:
        """Assign, as its own code may."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _is_own(self, name: str) -> bool:
        """Whether an attribute is a subclass's own business."""
        base = self._base
        ours = hasattr(base, name) or name in self._declared or name in self._instead
        return type(self) is not base and not ours

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._is_own(name):
            instead = self._instead.get(name, self._otherwise)
            raise FrozenError(f"a {self._base.__name__.lower()} does not change: {name} cannot be set; {instead}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if not self._is_own(name):
            raise FrozenError(f"a {self._base.__name__.lower()} does not change: {name} cannot be deleted")
        super().__delattr__(name)


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
