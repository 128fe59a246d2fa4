"""Rotors, damping and home of the bundled robots: what their URDF files cannot say, or do not.

The files stay as they are, bare: `without_joint_effects()` and `kt.load(name, joint_effects=False)` are what they
describe. Measured values and values of other models come with repository or package, version, file and line;
estimates are called so. Coulomb friction is left out: it changes with temperature, load and wear, no file that was
read has it for all of these arms, and under a law without an integral an arm would rest where friction holds it.

    A = n² J        rotor inertia J behind a gear of ratio n, seen at the joint
    d = n² b        viscous damping b of the motor, seen at the joint
    A = T τ/ω       estimate: without load, full torque τ brings the joint to its top speed ω in the time T
    d = κ τ/ω       estimate: at top speed, damping takes the share κ of full torque

By the values below, T is 11 to 45 ms for the rotors of the Panda and of the Puma, and κ 4 to 9 % for the Puma.

At home they are in poses that one would photograph: nothing touches itself or the floor, and no joint is nearer to a
stop than a tenth of its range. Robots with closed loops are at home where these were closed from the guess of their
file of closures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi

from ..body import Limits
from ..effects.joint_effects import JointEffects

Effects = Callable[[str, Limits], JointEffects | None]
"""The effects of a joint, from its name and its limits."""

# Rotor inertias seen at the joints of the Franka Research 3, "provided by Franka": RobotLocomotion/drake, commit
# 31eae0b, manipulation/models/franka_description/README.md, lines 18 to 24. The Panda is its predecessor, with the
# same torques; Drake takes them for the Panda as well. Damping: example-robot-data 6.0.0, panda_description/urdf/
# panda.urdf, lines 48 to 204, from the maker's franka_description. It is small because the arm's own controller
# compensates friction with its torque sensors.
_PANDA_ROTORS = (0.605721456, 0.605721456, 0.462474144, 0.462474144, 0.205544064, 0.205544064, 0.205544064)
_PANDA_DAMPING = 0.003

# Gear ratio, rotor inertia and viscous friction at the motor: roboticstoolbox-python 1.5.0, roboticstoolbox/models/DH/
# Puma560.py, lines 108 to 178, after Corke and Armstrong-Hélouvry 1994. (Armstrong, Khatib and Burdick have rotors
# that are larger in the first three joints: see puma560.urdf.)
_PUMA = (
    (62.6111, 200e-6, 1.48e-3),
    (107.815, 200e-6, 0.817e-3),
    (53.7063, 200e-6, 1.38e-3),
    (76.0364, 33e-6, 71.2e-6),
    (71.923, 33e-6, 82.6e-6),
    (76.686, 33e-6, 36.7e-6),
)

# Rotors seen at the joints [kg m², of joint 3 kg]: roboticstoolbox-python 1.5.0, roboticstoolbox/models/DH/
# Stanford.py, lines 68 to 128, after Paul 1981. No file has damping, and the limits, of which an estimate would be
# made, are nominal: none.
_STANFORD_ROTORS = (0.953, 2.193, 0.782, 0.106, 0.097, 0.020)

# Chosen, not measured, and smaller than rotors of such motors are: google-deepmind/mujoco_menagerie, commit 832d908,
# universal_robots_ur5e/ur5e.xml, line 9; its README says of these values that they are not carefully tuned. No file
# has the damping: estimated, as strain wave gears lose about a fifth of the torque at their rated speed.
_UR5E_ROTOR = 0.1
_UR5E_LOSS = 0.2

# The two robots of our own design have no motors but in thought, with gears of low ratio: estimated with a rotor that
# is at the fast end, and a loss that is at the low end, of what the arms above have.
_LEGGED_TIME = 0.01
_LEGGED_LOSS = 0.05


def effects_of(name: str) -> Effects:
    """The effects of the joints of a bundled robot, none for one that has none.

    >>> from kinetrace.model.joints import Revolute
    >>> effects_of("stanford")("joint2", Limits.none(Revolute([0, 0, 1]))).armature
    array(2.193)
    """
    return _BUNDLED.get(name, lambda joint, limits: None)


def _per_joint(prefix: str, table: tuple[JointEffects, ...]) -> Effects:
    """The entries of a table for the joints whose names end in the prefix and 1, 2, …."""
    by_name: Mapping[str, JointEffects] = {f"{prefix}{i}": entry for i, entry in enumerate(table, start=1)}
    return lambda joint, limits: by_name.get(prefix + joint.rpartition(prefix)[2])


def _ur5e(joint: str, limits: Limits) -> JointEffects:
    return JointEffects(armature=_UR5E_ROTOR, damping=_UR5E_LOSS * limits.effort / limits.velocity)


def _per_leg(joint: str, limits: Limits) -> JointEffects:
    slope = limits.effort / limits.velocity
    return JointEffects(armature=_LEGGED_TIME * slope, damping=_LEGGED_LOSS * slope)


_panda = _per_joint("panda_joint", tuple(JointEffects(armature=A, damping=_PANDA_DAMPING) for A in _PANDA_ROTORS))
_puma = _per_joint("joint", tuple(JointEffects.of_rotor(J, n, damping=n**2 * b) for n, J, b in _PUMA))
_stanford = _per_joint("joint", tuple(JointEffects(armature=A) for A in _STANFORD_ROTORS))

_BUNDLED: Mapping[str, Effects] = {
    "humanoid": _per_leg,
    "panda": _panda,
    "puma560": _puma,
    "quadruped": _per_leg,
    "stanford": _stanford,
    "two_pandas_beam": _panda,
    "ur5e": _ur5e,
}
"""Robots with effects. The textbook arm planar2r and the other mechanisms with closed loops are studies: they have
none."""


Home = Mapping[str, tuple[float, ...]]
"""Configurations by the names of joints."""


def home_of(name: str) -> Home:
    """Where the joints of a bundled robot are at home; none for one that has closed loops.

    The joint "floating_base" is there with base="free" alone: it stands on its feet, on the floor z = 0.

    >>> home_of("planar2r")["joint1"], home_of("four_bar")
    ((1.0471975511965976,), {})
    """
    return _HOMES.get(name, {})


def _numbered_homes(prefix: str, *values: float) -> Home:
    """Values of the joints whose names are the prefix and 1, 2, …."""
    return {f"{prefix}{i}": (value,) for i, value in enumerate(values, start=1)}


def _standing(height: float) -> tuple[float, ...]:
    """A free base, upright and so high above the floor."""
    return (0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0)


# Each foot is below its hip: both parts of a leg are 0.21 m long, and a foot is a ball of 0.02 m.
_BENT = 0.8
_QUADRUPED = {
    "floating_base": _standing(2 * 0.21 * cos(_BENT) + 0.02),
    **{f"{leg}_hip_pitch": (_BENT,) for leg in ("FL", "FR", "RL", "RR")},
    **{f"{leg}_knee": (-2 * _BENT,) for leg in ("FL", "FR", "RL", "RR")},
}

# The soles are flat below the hips, which are 0.1 m below the pelvis: thigh and shank are 0.38 m long, and an ankle is
# 0.08 m above its sole.
_SLIGHTLY = 0.25
_HUMANOID = {"floating_base": _standing(0.1 + 2 * 0.38 * cos(_SLIGHTLY) + 0.08)}
for _side, _s in (("left", 1.0), ("right", -1.0)):
    _HUMANOID |= {
        f"{_side}_hip_pitch": (-_SLIGHTLY,),
        f"{_side}_knee": (2 * _SLIGHTLY,),
        f"{_side}_ankle_pitch": (-_SLIGHTLY,),
        f"{_side}_shoulder_pitch": (0.2,),
        f"{_side}_shoulder_roll": (0.2 * _s,),
        f"{_side}_elbow": (-0.7,),
    }

_HOMES: Mapping[str, Home] = {
    "planar2r": _numbered_homes("joint", pi / 3, -pi / 3),
    # The maker's ready pose, with which its own examples begin.
    "panda": _numbered_homes("panda_joint", 0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4),
    "puma560": _numbered_homes("joint", 0.0, -pi / 4, pi, 0.0, pi / 4, 0.0),
    "stanford": _numbered_homes("joint", 0.0, pi / 3, 0.6, 0.0, pi / 6, 0.0),
    "ur5e": {
        "shoulder_lift_joint": (-pi / 2,),
        "elbow_joint": (pi / 2,),
        "wrist_1_joint": (-pi / 2,),
        "wrist_2_joint": (-pi / 2,),
    },
    "quadruped": _QUADRUPED,
    "humanoid": _HUMANOID,
}
