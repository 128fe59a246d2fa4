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


def beam(links=40):
    """B9: massless links with point masses; and its springs and the force at its tip."""
    b, parent = kt.Builder("beam"), "base"
    for k in range(links):
        mass = 1 / links if k < links - 1 else 0.5 / links
        b.link(f"link{k}", inertia.from_mass_com(mass, [1 / links, 0.0, 0.0], np.zeros((3, 3))))
        place = placed(1 / links if k else 0.0, 0.0, 0.0)
        b.joint(f"joint{k}", kt.joints.Revolute([0, 0, 1]), parent=parent, child=f"link{k}", placement=place)
        parent = f"link{k}"
    stiffness = np.array([2.0 * links, *[1.0 * links] * (links - 1)])

    def forces(t, q, v):
        angles, F = np.cumsum(q), 1.5 * np.sin(t) ** 2 if t <= pi else 0.0
        across = F * (np.sin(angles) + np.cos(angles)) / links  # of the force (-F, F) on each link, about its joint
        return -stiffness * q + np.cumsum(across[::-1])[::-1]

    return kt.Robot(b.build(gravity=(0.0, 0.0, 0.0))), forces


def pendulum():
    """B14: a mass in x and y, held by a rod of length 1; its period is 2."""
    b = kt.Builder("pendulum")
    b.joint("x", kt.joints.Prismatic([1, 0, 0]), parent="base", child="cross")
    b.link("bob", inertia.from_mass_com(1.0, np.zeros(3), np.zeros((3, 3))))
    b.joint("y", kt.joints.Prismatic([0, 1, 0]), parent="cross", child="bob")
    b.close("world", "bob", kt.closures.Rod(1.0))
    return kt.Robot(b.build(gravity=(0.0, -13.750371636040745, 0.0)))
