"""Packages that only some functions need, imported when these are called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from ..errors import MissingPackageError, install
from .threads import import_in_call

DISTRIBUTIONS = {
    "PIL": "pillow",
    "cupy": "cupy-cuda12x",
    "imageio_ffmpeg": "imageio-ffmpeg",
    "pinocchio": "pin",
    "yaml": "pyyaml",
}
"""Module → the package that pip knows, where that has another name."""


def require_package(package: str, what: str, extra: str = "simulate") -> Any:
    """A module of an optional package, or an error that says how to get it, and the extra that brings it.

    >>> require_package("math", "a root").sqrt(4.0)
    2.0
    >>> require_package("no_such_package.part", "a picture", "plot")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kinetrace.errors.MissingPackageError: a picture needs no_such_package: pip install ... (the extra 'plot': ...)
    """
    try:
        return import_in_call(package)
    except ImportError:
        module = package.partition(".")[0]
        name = DISTRIBUTIONS.get(module, module)
        raise MissingPackageError(f"{what} needs {name}: {install(extra, name)}") from None


def absent(package: str, what: str, extra: str, names: list[str]) -> Callable[[str], Any] | None:
    """None if a package is there; else a `__getattr__` for a module whose names need it, which raises that error.

    >>> absent("math", "kinetrace.sums", "plot", ["root"])
    >>> absent("no_such_package", "kinetrace.sums", "plot", ["root"])("root")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    kinetrace.errors.MissingPackageError: kinetrace.sums.root needs no_such_package: pip install ...
    """
    try:
        importlib.import_module(package)
    except ImportError:

        def missing(name: str) -> Any:
            if name in names:
                require_package(package, f"{what}.{name}", extra)
            raise AttributeError(f"module {what!r} has no attribute {name!r}")

        return missing
    return None
