"""Names and units of the variables of a robot."""

from __future__ import annotations

from typing import NamedTuple

from ..model import configurations
from ..model.model import Model


class VariableNames(NamedTuple):
    """The entries of q, v and τ: names, and units."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    q_units: tuple[str, ...]
    v_units: tuple[str, ...]
    tau_units: tuple[str, ...]


def names_of(model: Model) -> VariableNames:
    """Names of joints, with the number of the entry where a joint has several.

    >>> import kinetrace as kt
    >>> names = names_of(kt.load("stanford").model)
    >>> names.q[2], names.q_units[2], names.v_units[2], names.tau_units[2]
    ('joint3', 'm', 'm/s', 'N')
    """
    q: list[str] = []
    v: list[str] = []
    q_units: list[str] = []
    v_units: list[str] = []
    for body in model.independent_joints:
        joint, name = body.joint, body.joint_name
        q += [name] if joint.nq == 1 else [f"{name}[{i}]" for i in range(joint.nq)]
        v += [name] if joint.nv == 1 else [f"{name}[{i}]" for i in range(joint.nv)]
        q_units += configurations.q_units(joint)
        v_units += [f"{x}/s" for x in configurations.v_units(joint)]
    forces = tuple("N m" if x == "rad/s" else "N" for x in v_units)
    return VariableNames(tuple(q), tuple(v), tuple(q_units), tuple(v_units), forces)
