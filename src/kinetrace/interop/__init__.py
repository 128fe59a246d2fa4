"""Other libraries' conventions: configurations, velocities, accelerations and forces of theirs, and back.

Each module has the same functions: `q`, `v`, `a`, `tau`, which take variables of the robot, their inverses `from_q`,
`from_v`, `from_a`, `from_tau`, which take those of the other library, and `velocity_map`. They are imported when they
are first used.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ..support.public_names import listing as _listing

__all__ = ["mujoco", "pinocchio"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")


__dir__ = _listing(__name__)
