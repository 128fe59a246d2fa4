"""States of a robot in the conventions of other libraries, and back: one module per library.

Each has `q`, `v`, `a`, `tau`, which convert from here, `from_q`, `from_v`, `from_a`, `from_tau`, which convert back, and
`velocity_map`. Joints are matched by name. The other libraries are not imported: their models are arguments.
The modules are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["mujoco", "pinocchio"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
