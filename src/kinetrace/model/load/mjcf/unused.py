"""What a model of MuJoCo has and kinetrace does not use: said once per kind, with the names of the first few.

What cannot change the motion and is of no interest to dynamics is not said: lights, cameras, textures, sensors,
tuples, custom data, sizes of the solver, collision filters of shapes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....errors import shown
from ...builder import Builder
from .names import given

_DISABLED = {"CONSTRAINT": 0, "EQUALITY": 1, "FRICTIONLOSS": 2, "LIMIT": 3, "SPRING": 5, "DAMPER": 6, "GRAVITY": 7}
_DISABLED |= {"ACTUATION": 11}
_MOST = 4


@dataclass
class Unused:
    """Kinds of elements that are not used, each with the names of its elements."""

    found: dict[tuple[str, bool], dict[str, None]] = field(default_factory=dict)

    def remark(self, kind: str, name: str, *, harmless: bool = False) -> None:
        """Record an element; a harmless one does not change the motion under given joint forces."""
        self.found.setdefault((kind, harmless), {})[name] = None

    def tell(self, builder: Builder) -> None:
        """Hand one remark per kind to the builder; one for all that are harmless."""
        harmless = [_said(kind, list(names)) for (kind, is_harmless), names in self.found.items() if is_harmless]
        for (kind, is_harmless), names in self.found.items():
            if not is_harmless:
                builder.remark(f"not used: {_said(kind, list(names))}")
        if harmless:
            builder.remark(f"not part of the model: {'; '.join(harmless)}", harmless=True)


def _said(kind: str, names: list[str]) -> str:
    some = ", ".join(shown(name) for name in names[:_MOST])
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return f"{kind}: {some}{more}" if some else kind


def is_off(model: Any, flag: str) -> bool:
    """Whether an option of the file disables a part of the physics."""
    return bool(int(model.opt.disableflags) >> _DISABLED[flag] & 1)


def value(model: Any, field: str, k: int, otherwise: Any) -> Any:
    """An entry of a field that older versions of MuJoCo do not have."""
    found = getattr(model, field, None)
    return otherwise if found is None else found[k]


def find_unused(model: Any, unused: Unused) -> None:
    """All but joints, links, actuators, equality constraints and shapes, which are looked at where they are read."""
    _tendons(model, unused)
    bodies = given(model, "body", model.nbody)
    for b in np.flatnonzero(model.body_mocapid >= 0):
        unused.remark("mocap bodies, which are fixed where they are", bodies[b] or f"body{b}")
    if model.nflex:
        for name in given(model, "flex", model.nflex):
            unused.remark("flexible bodies", name or "flex")
    if model.nplugin:
        for k, name in enumerate(given(model, "plugin", model.nplugin)):
            unused.remark("plugins", name or f"plugin{k}")
    for k, name in enumerate(given(model, "pair", model.npair)):
        unused.remark("contact pairs", name or f"pair{k}", harmless=True)


def _tendons(model: Any, unused: Unused) -> None:
    """Tendons that pull by themselves; those that only carry the force of an actuator are not worth a word."""
    passive = ("stiffness", "damping", "frictionloss", "armature", "limited", "stiffnesspoly", "dampingpoly")
    for t, name in enumerate(given(model, "tendon", model.ntendon)):
        found = [x for x in passive if np.any(value(model, f"tendon_{x}", t, 0))]
        for x in found:
            what = {"limited": "limits", "frictionloss": "friction"}.get(x, x.removesuffix("poly"))
            unused.remark(f"{what} of tendons", name or f"tendon{t}", harmless=x == "limited")
