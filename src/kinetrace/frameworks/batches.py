"""Batch axes of arrays that frameworks map functions over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def mapped_first(
    xs: Sequence[Any], places: Sequence[int | None], cores: Sequence[int], moved: Callable[[Any, int, int], Any]
) -> list[Any]:
    """Arrays with the axis of a `vmap`, which is at these places or nowhere, before all batch axes.

    `cores` are the numbers of axes of a state; `moved` is the framework's function that moves an axis.

    >>> import numpy as np
    >>> [x.shape for x in mapped_first((np.ones((7, 3)), np.ones((5, 7))), (1, None), (1, 1), np.moveaxis)]
    [(3, 1, 7), (5, 7)]
    """
    each = list(zip(xs, places, cores, strict=True))
    most = max((x.ndim - (place is not None) - core for x, place, core in each), default=0)
    made = []
    for x, place, core in each:
        if place is not None:
            x = moved(x, place, 0)
            x = x.reshape(x.shape[:1] + (1,) * (most + core + 1 - x.ndim) + x.shape[1:])
        made.append(x)
    return made
