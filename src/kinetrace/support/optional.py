"""Packages that only some functions need, imported when these are called."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import MissingPackageError, install


def needed(package: str, what: str, extra: str = "simulate") -> Any:
    """A module of an optional package, or an error that says how to get it, and the extra that brings it.

    >>> needed("math", "a root").sqrt(4.0)
    2.0
    >>> needed("no_such_package.part", "a picture", "plot")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kinetrace.errors.MissingPackageError: a picture needs no_such_package: pip install ... (the extra 'plot': ...)
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise MissingPackageError(f"{what} needs {name}: {install(extra, name)}") from None
