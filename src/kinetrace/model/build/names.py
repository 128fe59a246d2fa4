"""Models under other names, and names that clash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import InputError, name_list, unknown_name_error
from ...support.conversion import as_text
from ..actuation import edits as actuation
from ..body import WORLD, Body, Frame
from ..checks import text
from ..closures import WORLD_NAME, Closure
from ..contact.edits import renamed_contacts, renamed_rules
from ..effects.link_effects import renamed_effects
from ..model import Model


def rename(
    model: Model,
    name: str | None = None,
    joints: Mapping[str, str] | None = None,
    frames: Mapping[str, str] | None = None,
    prefix: str = "",
) -> Model:
    """The model under other names; the prefix is for all joints, frames and closures that get no name of their own.

    >>> import kinetrace as kt
    >>> rename(kt.load("planar2r").model, joints={"joint1": "hip"}, prefix="left_").joint_names
    ('hip', 'left_joint2')
    """
    prefix = as_text(prefix)
    if not isinstance(prefix, str):
        raise InputError(f"prefix must be text, got {type(prefix).__name__}")
    joint = _names("joint", [body.joint_name for body in model.bodies], {} if joints is None else joints, prefix)
    frame = _names("frame", list(model.frames), {} if frames is None else frames, prefix)
    check_world({frame[old]: f for old, f in model.frames.items() if frame[old] != old}, "renamed")

    def body(b: Body) -> Body:
        effects = renamed_effects(b.link_effects, frame)
        return replace(b, name=frame[b.name], joint_name=joint[b.joint_name], link_effects=effects)

    def closure(x: Closure) -> Closure:
        a, b = (replace(f, name=frame.get(f.name, f.name)) for f in x.frames)
        return replace(x, name=prefix + x.name, a=a, b=b)

    assembly = model.assembly
    return replace(
        model,
        name=model.name if name is None else text(name, "a robot's name"),
        bodies=tuple(map(body, model.bodies)),
        frames={frame[old]: replace(f, name=frame[old]) for old, f in model.frames.items()},
        geometry=tuple(
            replace(shape, frame=frame[shape.frame], name=shape.name and prefix + shape.name)
            for shape in model.geometry
        ),
        contacts=renamed_contacts(model.contacts, frame, prefix),
        contact_rules=renamed_rules(model.contact_rules, frame, prefix),
        closures=tuple(map(closure, model.closures)),
        motors=None if model.motors is None else tuple(joint[x] for x in model.motors),
        assembly=assembly and replace(assembly, undriven=tuple(joint[x] for x in assembly.undriven)),
        **actuation.after_renaming(model, joint, prefix),
    )


def check_world(new: Mapping[str, Frame], what: str, hint: str = "") -> None:
    """An error if one of these frames takes the name of the world, and is another."""
    frame = new.get(WORLD_NAME)
    if frame is not None and not (frame.body == WORLD and is_identity(frame.X_bf)):
        raise InputError(f"{what}: {WORLD_NAME!r} is the name of the world, and cannot be that of another frame{hint}")


def is_identity(X: Array) -> bool:
    """Whether a pose is known to be the identity."""
    return is_concrete(X) and np.array_equal(X, np.eye(4))


def check_clashes(model: Model, other: Model, base: Body | None) -> None:
    """An error if both have joints, frames or closures of the same name; a free base that goes does not count."""
    mine, its = ({body.joint_name for body in x.bodies if body is not base} for x in (model, other))
    found = {
        "joints": sorted(mine & its),
        "frames": sorted(model.frames.keys() & other.frames.keys()),
        "closures": sorted(model.closure_slices.keys() & other.closure_slices.keys()),
        "collision shapes": sorted(
            {x.name for x in model.collision_shapes} & {x.name for x in other.collision_shapes} - {""}
        ),
    }
    clashes = [f"{kind} {name_list(names)}" for kind, names in found.items() if names]
    if clashes:
        raise InputError(f"joined: both robots have {'; '.join(clashes)}; prefix='...' renames those of the other")


def _names(kind: str, old: Sequence[str], new: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Name of before → name of now, each given once."""
    if not isinstance(new, Mapping):
        raise InputError(f"renamed: {kind}s must map names to names, as {{'old': 'new'}}; got {type(new).__name__}")
    for name in new:
        if name not in old:
            raise unknown_name_error(kind, name, old, f"robot.{kind}_names")
    found = {name: text(new[name], f"the name of {kind} {name!r}") if name in new else prefix + name for name in old}
    twice = sorted(x for x, count in Counter(found.values()).items() if count > 1)
    if twice:
        raise InputError(f"renamed: two {kind}s would be called {name_list(twice)}")
    return found
