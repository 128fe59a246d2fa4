"""Units and short names of a joint's variables, of any joint: by its motion, not by its class.

Joints with a quaternion, or with more variables than velocities, have coordinates only outside of it.
"""

from __future__ import annotations

import numpy as np

from .joints import Joint

_TWIST = ("ωx", "ωy", "ωz", "vx", "vy", "vz")


def v_units(joint: Joint) -> list[str]:
    """The unit of each velocity, times seconds: "rad" where it turns, "m" where it only shifts.

    >>> from kinetrace.model import joints
    >>> v_units(joints.Planar()), v_units(joints.Spherical())
    (['m', 'm', 'rad'], ['rad', 'rad', 'rad'])
    """
    turns = np.abs(np.asarray(joint.subspace(joint.neutral()))[:3]).max(axis=0, initial=0.0) > 0
    return ["rad" if turn else "m" for turn in turns]


def q_units(joint: Joint) -> list[str]:
    """The unit of each variable: that of the velocity which is its rate; "1" where none is.

    >>> from kinetrace.model import joints
    >>> q_units(joints.Free())
    ['m', 'm', 'm', '1', '1', '1', '1']
    """
    rates = v_units(joint)
    if joint.nq == joint.nv:
        return rates
    found, quaternion = ["1"] * joint.nq, joint.quaternion
    if quaternion is not None:
        moved = np.asarray(joint.tangent(joint.neutral())) != 0.0
        for i in sorted({*range(joint.nq)} - {*range(joint.nq)[quaternion]}):
            units = {unit for unit, does in zip(rates, moved[i], strict=True) if does}
            found[i] = units.pop() if len(units) == 1 else "1"
    return found


def q_parts(joint: Joint) -> list[str]:
    """A word for each variable, if there are several: letters for shifts, numbers or an angle sign for turns.

    >>> from kinetrace.model import joints
    >>> q_parts(joints.Planar()), q_parts(joints.Universal()), q_parts(joints.Cylindrical()), q_parts(joints.Revolute())
    (['x', 'y', '∠'], ['1', '2'], ['1', '2'], [''])
    """
    if joint.nq == 1:
        return [""]
    units = q_units(joint)
    shifts, turns = units.count("m"), units.count("rad")
    if units[:shifts] != ["m"] * shifts or not 1 < shifts <= 3:
        return [str(k + 1) for k in range(joint.nq)]
    angles = ["∠"] if turns == 1 else [f"∠{k + 1}" for k in range(turns)]
    return [*"xyz"[:shifts], *angles, *(str(k + 1) for k in range(shifts + turns, joint.nq))]


def v_parts(joint: Joint) -> list[str]:
    """A word for each velocity, if there are several: those of q, or components of the twist, or numbers.

    >>> from kinetrace.model import joints
    >>> v_parts(joints.Free()), v_parts(joints.Planar())
    (['ωx', 'ωy', 'ωz', 'vx', 'vy', 'vz'], ['x', 'y', '∠'])
    """
    if joint.nv == 1:
        return [""]
    if joint.nq == joint.nv:
        return q_parts(joint)
    columns = np.asarray(joint.subspace(joint.neutral())).T
    axes = [np.flatnonzero(column) for column in columns]
    plain = all(len(axis) == 1 for axis in axes) and len({int(axis[0]) for axis in axes}) == joint.nv
    return [_TWIST[int(axis[0])] if plain else str(k + 1) for k, axis in enumerate(axes)]
