"""Where a model of MuJoCo begins: its keyframe "home", or the first one, or its reference configuration.

A keyframe has all joints. The reference has the joints with a zero elsewhere: free ones, which stand where the file
puts their bodies, and those with `ref`; what it says of the others is that nothing is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....arrays import Array
from .names import BALL, FREE, Names, given
from .unused import Unused

HOME = "home"
"""Name of the keyframe that is taken before others."""
_SIZES = {FREE: 7, BALL: 4}
_NEUTRAL = {FREE: np.eye(7)[3], BALL: np.eye(4)[0]}

Values = dict[str, tuple[float, ...]]
"""Joint → its entries of qpos."""


def start_of(model: Any, names: Names, unused: Unused) -> Values:
    """The joints that begin elsewhere than at zero, all of them if there is a keyframe; others are not used."""
    keys = given(model, "key", model.nkey)
    if keys:
        chosen = keys.index(HOME) if HOME in keys else 0
        for k, name in enumerate(keys):
            if k != chosen:
                unused.remark("further keyframes", name or f"key{k}", harmless=True)
        return by_joint(model, names, model.key_qpos[chosen])
    reference = by_joint(model, names, model.qpos0)
    kinds = dict(zip(names.joints, model.jnt_type.tolist(), strict=True))
    return {name: q for name, q in reference.items() if not np.array_equal(q, _NEUTRAL.get(kinds[name], [0.0]))}


def by_joint(model: Any, names: Names, qpos: Array) -> Values:
    """A configuration of MuJoCo's, joint by joint."""
    first = zip(names.joints, model.jnt_qposadr.tolist(), model.jnt_type.tolist(), strict=True)
    return {name: tuple(qpos[at : at + _SIZES.get(kind, 1)].tolist()) for name, at, kind in first}
