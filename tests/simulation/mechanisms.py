"""Published problems as robots: the heavy top, the fly-ball governor, the forty-link beam, the pendulum in x and y."""

from __future__ import annotations

from math import pi

import numpy as np

import kinetrace as kt
from kinetrace.lie import inertia, se3


def box(mass, sizes, com=(0.0, 0.0, 0.0), point=0.0, at=(0.0, 0.0, 0.0)):
    """The inertia (6, 6) of a box, and of a point mass somewhere on it."""
    x, y, z = np.square(sizes)
    own = inertia.from_mass_com(mass, com, mass / 12 * np.diag([y + z, x + z, x + y]))
    return own + inertia.from_mass_com(point, at, np.zeros((3, 3)))


def placed(x, y, z):
    return se3.pose(np.eye(3), np.array([x, y, z]))


def heavy_top():
    """B11: a body that turns about a fixed point."""
    b = kt.Builder("heavy top")
    b.link("top", inertia.from_mass_com(15.0, [0.0, 1.0, 0.0], np.diag([0.234375, 0.46875, 0.234375])))
    b.joint("point", kt.joints.Spherical(), parent="base", child="top")
    robot = kt.Robot(b.build(gravity=(0.0, 0.0, -9.81)))
    return robot, robot.neutral(), np.array([0.0, 150.0, -4.61538])


def governor(omega):
    """B13: shaft, slider and two rods with masses; and the law of its springs and dampers."""
    b = kt.Builder("governor")
    b.link("shaft", box(0.3, (0.01, 0.01, 1.0), (0.0, 0.0, 0.5)))
    b.joint("turn", kt.joints.Revolute([0, 0, 1]), parent="base", child="shaft")
    b.link("slider", box(3.0, (0.1, 0.1, 0.1)))
    b.joint("slide", kt.joints.Prismatic([0, 0, 1]), parent="shaft", child="slider")
    for k, side in enumerate((1, -1)):
        rod = box(0.3, (1.0, 0.01, 0.01), (0.5 * side, 0.0, 0.0), 5.0, (1.0 * side, 0.0, 0.0))
        b.link(f"rod{k}", rod)
        hinge = kt.joints.Revolute([0, side, 0])
        b.joint(f"hinge{k}", hinge, parent="shaft", child=f"rod{k}", placement=placed(0.05 * side, 0.0, 1.0))

    def springs(t, q, v):
        tau_slide, tau_rods = 0.0, []
        for a, da in zip(q[2:], v[2:], strict=True):
            x, z = 0.5 * np.cos(a), 1.0 - 0.5 * np.sin(a) - q[1]
            length = np.hypot(x, z)
            by_s, by_a = -z / length, (-0.5 * np.sin(a) * x - 0.5 * np.cos(a) * z) / length
            force = 8e5 * (length - 0.5) + 4e4 * (by_s * v[1] + by_a * da)
            tau_slide = tau_slide - by_s * force
            tau_rods.append(-by_a * force)
        return np.array([0.0, tau_slide, *tau_rods])

    robot = kt.Robot(b.build(gravity=(0.0, 0.0, -9.81)))
    return robot, np.array([0.0, 0.5, pi / 6, pi / 6]), np.array([omega, 0.0, 0.0, 0.0]), springs


# fmt: off
BEAM_ANGLES = [
    -0.005792366591285007, -0.01695298550721735, -0.02769103312973094, -0.03800815655879158, -0.04790616859743763,
    -0.05738710435274594, -0.06645327313454617, -0.07510730581979037, -0.08335219765414992, -0.09119134654647947,
    -0.0986285870013209, -0.1056682200378002, -0.1123150395409595, -0.1185743552727245, -0.1244520128755561,
    -0.1299544113264161, -0.1350885180610398, -0.1398618819194422, -0.1442826441015242, -0.1483595472463012,
    -0.1521019429001447, -0.1555197978061129, -0.1586236993420229, -0.1614248603702127, -0.1639351238193223,
    -0.1661669673440852, -0.1681335081778558, -0.1698485080602243, -0.1713263782440888, -0.1725821847462537,
    -0.1736316537975654, -0.1744911773840049, -0.1751778187863392, -0.1757093178712902, -0.1761040960228576,
    -0.1763812607175549, -0.1765606097564671, -0.1766626352260565, -0.176708527080746, -0.1767201761075488,
]
"""Of the links of the beam to the wall after 5 s, by the IVP test set."""
BEAM_RATES = [
    0.03747362681329794, 0.1099117880217593, 0.1798360474312799, 0.2472427305442391, 0.3121293820596567,
    0.37449473770195, 0.4343386073492798, 0.4916620354601748, 0.5464677854586807, 0.598760970262427,
    0.648549361111074, 0.6958435169132503, 0.7406572668520808, 0.7830081747813241, 0.8229176659201515,
    0.860411030519056, 0.8955175502377805, 0.9282708263127953, 0.9587089334522034, 0.9868747821728363,
    1.012816579961883, 1.036587736679858, 1.058246826481355, 1.077857811433353, 1.095490222005369, 1.111219164294898,
    1.125125269286501, 1.137294526609229, 1.147818025153607, 1.156792132004482, 1.164318845130183, 1.170505992596124,
    1.17546742429955, 1.179323003228859, 1.182198586299667, 1.184226111223146, 1.185543909805575, 1.186297084203716,
    1.186637618908127, 1.186724615113034,
]
"""Their rates."""
# fmt: on


def beam(links=40):
    """B9: massless links with point masses and springs between them; and the force at its tip, as joint forces."""
    b, parent = kt.Builder("beam"), "base"
    for k in range(links):
        mass = 1 / links if k < links - 1 else 0.5 / links
        b.link(f"link{k}", inertia.from_mass_com(mass, [1 / links, 0.0, 0.0], np.zeros((3, 3))))
        hinge, place = kt.joints.Revolute([0, 0, 1]), placed(1 / links if k else 0.0, 0.0, 0.0)
        spring = kt.JointEffects(stiffness=1.0 * links if k else 2.0 * links)
        b.joint(f"joint{k}", hinge, parent=parent, child=f"link{k}", placement=place, effects=spring)
        parent = f"link{k}"

    def push(t, q, v):
        angles, F = np.cumsum(q), 1.5 * np.sin(t) ** 2 if t <= pi else 0.0
        across = F * (np.sin(angles) + np.cos(angles)) / links  # of the force (-F, F) on each link, about its joint
        return np.cumsum(across[::-1])[::-1]

    return kt.Robot(b.build(gravity=(0.0, 0.0, 0.0))), push


def pendulum():
    """B14: a mass in x and y, held by a rod of length 1; its period is 2."""
    b = kt.Builder("pendulum")
    b.joint("x", kt.joints.Prismatic([1, 0, 0]), parent="base", child="cross")
    b.link("bob", inertia.from_mass_com(1.0, np.zeros(3), np.zeros((3, 3))))
    b.joint("y", kt.joints.Prismatic([0, 1, 0]), parent="cross", child="bob")
    b.close("world", "bob", kt.closures.Rod(1.0))
    return kt.Robot(b.build(gravity=(0.0, -13.750371636040745, 0.0)))
