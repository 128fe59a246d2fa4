"""Trees and closed chains: a computation that takes another way without loops names both, and the model decides.

Most algorithms are the same for both: without closures K has no rows, all velocities are independent, and G is the
identity. Only where a tree is cheaper by another way, or loops need more, are there two forms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...model.model import Model

T = TypeVar("T")


@dataclass(frozen=True)
class Forms(Generic[T]):
    """Anything that trees and closed chains have in two forms, such as tables of methods."""

    tree: T
    closed: T

    def of(self, model: Model) -> T:
        """The form of a model.

        >>> import kinetrace as kt
        >>> Forms("no loop", "a loop").of(kt.load("four_bar").model)
        'a loop'
        """
        return self.closed if model.closures else self.tree


def by_form(tree: Callable[..., T], closed: Callable[..., T]) -> Callable[..., T]:
    """A function (model, ...) in its two forms, as one.

    >>> import kinetrace as kt
    >>> by_form(lambda model, x: x, lambda model, x: -x)(kt.load("planar2r").model, 1.0)
    1.0
    """
    forms = Forms(tree, closed)

    def chosen(model: Model, *given: Any, **named: Any) -> T:
        return forms.of(model)(model, *given, **named)

    return chosen
