"""What `dir` lists of a public module: its public names, without what it imports for itself."""

from __future__ import annotations

import sys
from collections.abc import Callable


def listing(module: str, *more: str) -> Callable[[], list[str]]:
    """The `__dir__` of a module: its `__all__`, or without one what it defines itself, and `more`.

    >>> "listing" in listing(__name__)(), "sys" in listing(__name__)()
    (True, False)
    """

    def __dir__() -> list[str]:
        names = vars(sys.modules[module])
        own = [x for x, y in names.items() if getattr(y, "__module__", None) == module and not x.startswith("_")]
        return sorted({*names.get("__all__", own), *more, *(x for x in names if x.startswith("__"))})

    return __dir__
