"""Functions of other packages, replaced for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import InputError, listed


@contextmanager
def replaced(module: Any, **functions: Any) -> Iterator[None]:
    """With other functions in a module; the caller holds a lock.

    >>> import math
    >>> with replaced(math, sqrt=lambda x: "no"):
    ...     math.sqrt(4.0)
    'no'
    """
    missing = [name for name in functions if not hasattr(module, name)]
    if missing:
        raise InputError(f"this version of {module.__name__} is not known here: it has no {listed(missing, 3)}")
    before = {name: getattr(module, name) for name in functions}
    try:
        for name, function in functions.items():
            setattr(module, name, function)
        yield
    finally:
        for name, function in before.items():
            setattr(module, name, function)
