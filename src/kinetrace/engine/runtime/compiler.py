"""The compiler, imported when it is first needed: without llvmlite, the backend "numpy" still works."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import InputError
from ...support.threads import lock


@cache
def get() -> Any:
    """The module `build`."""
    try:
        with lock:  # a fork in the middle of an import would leave it unfinished
            from . import build
    except ImportError as error:
        raise InputError(
            f'backend="llvm" needs the package llvmlite, which cannot be imported ({error}): install it, or choose '
            'backend="numpy", which interprets: everything works, some hundred times slower'
        ) from error
    return build


def why_missing() -> str | None:
    """Why the backend "llvm" does not work here, or None if it does.

    >>> why_missing()
    """
    try:
        get()
    except InputError as error:
        return f"the package llvmlite cannot be imported ({error.__cause__})"
    return None
