"""MJCF, MuJoCo's format, through MuJoCo's own compiler: path, text or `mujoco.MjModel` → builder.

The compiled model has everything resolved: defaults, includes, inertias of shapes, reference configurations. Bodies,
joints with their passive effects and limits, compensation of gravity and the fluid around bodies, actuators (as motors
and bounds of forces), equality constraints (as closures), sites (as frames) and geoms (as shapes) become the robot;
what else may change the motion is named.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...builder import Builder
from ..closure_file import Closing
from .actuators import actuators_of
from .compiler import compiled, missing_said
from .effects import Effects
from .equalities import add_equalities
from .links import add_link_effects
from .names import Names, name_of, names_of
from .shapes import add_shapes
from .start import by_joint, start_of
from .tree import add_bodies
from .unused import Unused, find_unused, is_off

__all__ = ["Names", "from_mjcf", "names_of"]


def from_mjcf(source: Any, *, joint_effects: bool = True) -> tuple[Builder, Closing]:
    """A builder from MJCF or a compiled model, and the joints with motors.

    Its root is the world. Configurations are MuJoCo's: q = qpos where the robot has the joints of the file. With
    `joint_effects=False`, armature, damping, friction and springs are left out.

    >>> import mujoco  # which compiles it
    >>> body = "<body name='b'><joint name='j'/><geom size='.1'/></body>"
    >>> text = f"<mujoco model='m'><worldbody>{body}</worldbody></mujoco>"
    >>> from_mjcf(text)[0].build().joint_names
    ('j',)
    """
    found, unused = compiled(source), Unused()
    model = found.model
    names = names_of(model)
    gravity = np.zeros(3) if is_off(model, "GRAVITY") else np.array(model.opt.gravity)
    name = name_of(model) or found.stem or "robot"
    builder = Builder(name, found.source, gravity=gravity.tolist(), in_world=True)
    for text in found.said:
        builder.remark(f"MuJoCo says: {text}", harmless=True)
    if found.missing:
        builder.remark(missing_said(found.missing), harmless=True)
    actuators = actuators_of(model, names, unused)
    add_bodies(builder, model, names, Effects(model, names, actuators, unused, joint_effects).of)
    add_link_effects(builder, model, names, unused)
    is_closed = add_equalities(builder, model, names, unused)
    add_shapes(builder, model, names, unused)
    find_unused(model, unused)
    start, reference = start_of(model, names, unused), by_joint(model, names, model.qpos0)
    builder.start(start)
    unused.tell(builder)
    guess = {**reference, **start} if is_closed else {}
    return builder, Closing(motors=actuators.motors, guess=guess, are_soft=True, reference=reference)
