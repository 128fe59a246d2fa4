"""Write the two robots of our own design, quadruped.urdf and humanoid.urdf, into the zoo.

    python tools/make_robots.py            # rewrite both files
    python tools/make_robots.py --check    # exit 1 if a file differs from the output of this script

A link is a list of solids of uniform density (box, cylinder, sphere), each with its mass. The same solids are
its visual and its collision geometry, and their sum is its inertia: shape and mass cannot disagree. One of them has
the name of the link in contacts, the others that with the name of their part. Limbs are written once for a side
s = +1 (left) or -1 (right): left and right are exact mirror images in the x-z plane.

Axes: x forward, y left, z up, in every link at q = 0. Joints turn about x (roll), y (pitch) or z (yaw).
Output is deterministic: the same bytes every time, numbers rounded to 12 decimals.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROBOTS = Path(__file__).resolve().parents[1] / "src" / "kinetrace" / "model" / "zoo" / "robots"

Vec = tuple[float, float, float]
AXES: dict[str, Vec] = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
QUARTER = 1.5707963267948966
# URDF cylinders lie along z; these turn z into the named axis.
ALONG: dict[str, Vec] = {"x": (0, QUARTER, 0), "y": (QUARTER, 0, 0), "z": (0, 0, 0)}
COLOURS = {"light": "0.88 0.89 0.91 1", "dark": "0.23 0.25 0.28 1", "accent": "0.16 0.50 0.73 1"}


@dataclass(frozen=True)
class Solid:
    """A uniform body: `size` is (x, y, z) of a box, (radius, length) of a cylinder, (radius,) of a sphere."""

    kind: str
    size: tuple[float, ...]
    mass: float
    at: Vec = (0, 0, 0)
    along: str = "z"
    colour: str = "light"
    part: str = ""
    """Its name in the link, whose own name is that of the shape without one."""

    def moments(self) -> Vec:
        """Principal moments about its own centre, in link axes."""
        if self.kind == "box":
            x, y, z = self.size
            k = self.mass / 12
            return k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y)
        if self.kind == "sphere":
            i = 0.4 * self.mass * self.size[0] ** 2
            return i, i, i
        r, length = self.size
        across, lengthwise = self.mass * (3 * r * r + length * length) / 12, self.mass * r * r / 2
        ix, iy, iz = (lengthwise if axis == self.along else across for axis in "xyz")
        return ix, iy, iz

    def geometry(self) -> str:
        """The URDF geometry element."""
        if self.kind == "box":
            return f'<box size="{numbers(self.size)}"/>'
        if self.kind == "sphere":
            return f'<sphere radius="{number(self.size[0])}"/>'
        return f'<cylinder radius="{number(self.size[0])}" length="{number(self.size[1])}"/>'


@dataclass(frozen=True)
class Joint:
    """How a link is attached to its parent; `axis` None is fixed, or floating. Ranges in radians, torque in N m."""

    parent: str
    at: Vec
    name: str = ""
    axis: str | None = None
    lower: float = 0
    upper: float = 0
    effort: float = 0
    velocity: float = 0
    floating: bool = False
    rpy: Vec = (0, 0, 0)


@dataclass(frozen=True)
class Link:
    """A link with the joint that carries it (None for the root); without solids it is only a frame."""

    name: str
    joint: Joint | None
    solids: tuple[Solid, ...] = ()


def box(x: float, y: float, z: float, mass: float, at: Vec = (0, 0, 0), colour: str = "light", part: str = "") -> Solid:
    """A box of edges x, y, z centred at `at`."""
    return Solid("box", (x, y, z), mass, at, "z", colour, part)


def cylinder(
    radius: float,
    length: float,
    mass: float,
    at: Vec = (0, 0, 0),
    along: str = "z",
    colour: str = "light",
    part: str = "",
) -> Solid:
    """A cylinder centred at `at`, its axis along the named axis."""
    return Solid("cylinder", (radius, length), mass, at, along, colour, part)


def sphere(radius: float, mass: float, at: Vec = (0, 0, 0), colour: str = "light", part: str = "") -> Solid:
    """A ball centred at `at`."""
    return Solid("sphere", (radius,), mass, at, "z", colour, part)


def hinge(
    name: str,
    parent: str,
    at: Vec,
    axis: str,
    span: tuple[float, float],
    effort: float,
    velocity: float,
    s: int = 1,
) -> Joint:
    """A revolute joint. `span` is that of the left side: on the right, roll and yaw turn the other way."""
    lower, upper = (-span[1], -span[0]) if s < 0 and axis != "y" else span
    return Joint(parent, at, name, axis, lower, upper, effort, velocity)


def fixed(parent: str, at: Vec) -> Joint:
    """A fixed joint."""
    return Joint(parent, at)


def quadruped() -> list[Link]:
    """Twelve joints, 15 kg: trunk 7.24 kg and four legs of 1.94 kg, each hip roll, hip pitch, knee."""
    links = [
        Link(
            "trunk",
            None,
            (
                box(0.40, 0.18, 0.10, 6.0),
                box(0.08, 0.14, 0.08, 0.64, (0.24, 0, 0), "dark", "front"),
                box(0.16, 0.10, 0.03, 0.60, (-0.05, 0, 0.065), "dark", "top"),
            ),
        ),
        Link("imu", fixed("trunk", (0, 0, 0.03))),
    ]
    for end, f in (("F", 1), ("R", -1)):
        for side, s in (("L", 1), ("R", -1)):
            links += quadruped_leg(end + side, f, s)
    return links


def quadruped_leg(leg: str, f: int, s: int) -> list[Link]:
    """One leg: f = +1 front, -1 rear; s = +1 left, -1 right. Front and rear legs are the same."""
    hip, thigh, shank, foot = (f"{leg}_{part}" for part in ("hip", "thigh", "shank", "foot"))
    return [
        Link(
            hip,
            hinge(f"{leg}_hip_roll", "trunk", (0.19 * f, 0.06 * s, 0), "x", (-0.8, 0.8), 34, 20, s),
            (
                cylinder(0.045, 0.05, 0.50, (0, 0, 0), "x", "dark"),
                cylinder(0.035, 0.06, 0.20, (0, 0.045 * s, 0), "y", "dark", "shaft"),
            ),
        ),
        Link(
            thigh,
            hinge(f"{leg}_hip_pitch", hip, (0, 0.09 * s, 0), "y", (-1.5, 3.0), 34, 20),
            (
                cylinder(0.045, 0.04, 0.55, (0, 0, 0), "y", "accent", "motor"),
                box(0.035, 0.025, 0.18, 0.30, (0, 0, -0.105)),
                cylinder(0.025, 0.03, 0.15, (0, 0, -0.21), "y", "dark", "knee"),
            ),
        ),
        Link(
            shank,
            hinge(f"{leg}_knee", thigh, (0, 0, -0.21), "y", (-2.7, -0.6), 45, 16),
            (cylinder(0.011, 0.19, 0.18, (0, 0, -0.105), "z", "dark"),),
        ),
        Link(foot, fixed(shank, (0, 0, -0.21)), (sphere(0.02, 0.06, (0, 0, 0), "accent"),)),
    ]


def humanoid() -> list[Link]:
    """Thirty-three joints, 60 kg, 1.80 m tall: legs 6 + 6, waist 3, arms 7 + 7, thumbs 1 + 1, neck 2."""
    links = [
        Link(
            "pelvis", None, (box(0.18, 0.24, 0.12, 6.0), cylinder(0.06, 0.06, 1.0, (0, 0, 0.09), "z", "dark", "waist"))
        ),
        Link("imu", fixed("pelvis", (0, 0, 0.05))),
        Link(
            "waist_yaw_link",
            hinge("waist_yaw", "pelvis", (0, 0, 0.12), "z", (-1.5, 1.5), 150, 6),
            (cylinder(0.055, 0.05, 1.0, (0, 0, 0.015), "z", "dark"),),
        ),
        Link(
            "waist_roll_link",
            hinge("waist_roll", "waist_yaw_link", (0, 0, 0.05), "x", (-0.5, 0.5), 150, 6),
            (cylinder(0.05, 0.09, 1.0, (0, 0, 0), "x", "dark"),),
        ),
        Link(
            "torso",
            hinge("waist_pitch", "waist_roll_link", (0, 0, 0), "y", (-0.5, 1.2), 150, 6),
            (
                cylinder(0.05, 0.16, 2.0, (0, 0, 0), "y", "dark", "waist"),
                box(0.16, 0.22, 0.14, 4.0, (0, 0, 0.11), part="belly"),
                box(0.20, 0.30, 0.22, 9.0, (0, 0, 0.29)),
                box(0.06, 0.22, 0.24, 1.0, (-0.13, 0, 0.27), "dark", "back"),
            ),
        ),
        Link(
            "neck",
            hinge("neck_yaw", "torso", (0, 0, 0.42), "z", (-1.4, 1.4), 15, 8),
            (cylinder(0.035, 0.07, 0.6, (0, 0, 0.035), "z", "dark"),),
        ),
        Link(
            "head",
            hinge("neck_pitch", "neck", (0, 0, 0.07), "y", (-0.6, 0.8), 15, 8),
            (
                sphere(0.095, 3.0, (0.01, 0, 0.10)),
                box(0.03, 0.13, 0.05, 0.4, (0.095, 0, 0.11), "dark", "visor"),
            ),
        ),
        Link("head_camera", fixed("head", (0.11, 0, 0.11))),
    ]
    for side, s in (("left", 1), ("right", -1)):
        links += humanoid_leg(side, s)
    for side, s in (("left", 1), ("right", -1)):
        links += humanoid_arm(side, s)
    return links


def humanoid_leg(side: str, s: int) -> list[Link]:
    """Hip yaw, roll and pitch through one point; knee; ankle pitch and roll through one point; 11.8 kg."""
    yaw, roll, thigh, shank, ankle, foot, sole = (
        f"{side}_{part}" for part in ("hip_yaw_link", "hip_roll_link", "thigh", "shank", "ankle", "foot", "sole")
    )
    return [
        Link(
            yaw,
            hinge(f"{side}_hip_yaw", "pelvis", (0, 0.10 * s, -0.10), "z", (-0.7, 1.0), 120, 10, s),
            (cylinder(0.05, 0.06, 1.1, (0, 0, 0.02), "z", "dark"),),
        ),
        Link(
            roll,
            hinge(f"{side}_hip_roll", yaw, (0, 0, 0), "x", (-0.4, 0.8), 150, 10, s),
            (cylinder(0.05, 0.10, 1.3, (0, 0, 0), "x", "dark"),),
        ),
        Link(
            thigh,
            hinge(f"{side}_hip_pitch", roll, (0, 0, 0), "y", (-2.0, 0.8), 200, 12),
            (
                cylinder(0.055, 0.12, 2.0, (0, 0, 0), "y", "accent", "hip"),
                cylinder(0.06, 0.30, 2.4, (0, 0, -0.19)),
                sphere(0.05, 0.6, (0, 0, -0.38), "dark", "knee"),
            ),
        ),
        Link(
            shank,
            hinge(f"{side}_knee", thigh, (0, 0, -0.38), "y", (0.0, 2.4), 220, 14),
            (
                cylinder(0.05, 0.10, 1.0, (0, 0, 0), "y", "accent", "knee"),
                cylinder(0.042, 0.32, 2.0, (0, 0, -0.19)),
            ),
        ),
        Link(
            ankle,
            hinge(f"{side}_ankle_pitch", shank, (0, 0, -0.38), "y", (-1.0, 0.6), 120, 10),
            (cylinder(0.03, 0.08, 0.4, (0, 0, 0), "y", "dark"),),
        ),
        Link(
            foot,
            hinge(f"{side}_ankle_roll", ankle, (0, 0, 0), "x", (-0.4, 0.4), 60, 10, s),
            (
                cylinder(0.03, 0.08, 0.3, (0, 0, 0), "x", "dark", "ankle"),
                box(0.23, 0.09, 0.03, 0.7, (0.035, 0, -0.065), "dark"),
            ),
        ),
        Link(sole, fixed(foot, (0.035, 0, -0.08))),
    ]


def humanoid_arm(side: str, s: int) -> list[Link]:
    """Shoulder pitch, roll, yaw; elbow; forearm yaw, wrist roll, pitch; thumb. 3.7 kg, hanging at q = 0."""
    shoulder, roll, upper, elbow, forearm, wrist, hand, thumb, palm = (
        f"{side}_{part}"
        for part in (
            "shoulder_link", "shoulder_roll_link", "upper_arm", "elbow_link", "forearm", "wrist_link", "hand",
            "thumb_link", "palm",
        )
    )  # fmt: skip
    return [
        Link(
            shoulder,
            hinge(f"{side}_shoulder_pitch", "torso", (0, 0.16 * s, 0.34), "y", (-3.0, 1.5), 60, 10),
            (cylinder(0.045, 0.06, 0.6, (0, 0.02 * s, 0), "y", "dark"),),
        ),
        Link(
            roll,
            hinge(f"{side}_shoulder_roll", shoulder, (0, 0.08 * s, 0), "x", (-0.3, 2.6), 60, 10, s),
            (cylinder(0.045, 0.08, 0.5, (0, 0, 0), "x", "accent"),),
        ),
        Link(
            upper,
            hinge(f"{side}_shoulder_yaw", roll, (0, 0, -0.06), "z", (-1.6, 1.6), 40, 10, s),
            (
                cylinder(0.04, 0.18, 0.9, (0, 0, -0.09)),
                sphere(0.04, 0.3, (0, 0, -0.20), "dark", "elbow"),
            ),
        ),
        Link(
            elbow,
            hinge(f"{side}_elbow", upper, (0, 0, -0.20), "y", (-2.4, 0.0), 40, 10),
            (
                cylinder(0.038, 0.07, 0.35, (0, 0, 0), "y", "accent", "motor"),
                cylinder(0.033, 0.09, 0.25, (0, 0, -0.07)),
            ),
        ),
        Link(
            forearm,
            hinge(f"{side}_forearm_yaw", elbow, (0, 0, -0.12), "z", (-2.0, 2.0), 15, 12, s),
            (cylinder(0.03, 0.10, 0.3, (0, 0, -0.05)),),
        ),
        Link(
            wrist,
            hinge(f"{side}_wrist_roll", forearm, (0, 0, -0.11), "x", (-0.7, 0.7), 12, 12, s),
            (cylinder(0.022, 0.05, 0.15, (0, 0, 0), "x", "dark"),),
        ),
        Link(
            hand,
            hinge(f"{side}_wrist_pitch", wrist, (0, 0, 0), "y", (-0.9, 0.9), 12, 12),
            (
                box(0.08, 0.025, 0.08, 0.2, (0, 0, -0.06)),
                box(0.07, 0.02, 0.07, 0.1, (0, 0, -0.135), "dark", "fingers"),
            ),
        ),
        Link(
            thumb,
            hinge(f"{side}_thumb", hand, (0.045, 0, -0.05), "z", (-0.2, 1.4), 3, 8, s),
            (box(0.02, 0.02, 0.06, 0.05, (0.012, 0, -0.02), "dark"),),
        ),
        Link(palm, fixed(hand, (0, -0.0125 * s, -0.07))),
    ]


def inertial(solids: tuple[Solid, ...]) -> tuple[float, Vec, tuple[float, ...]]:
    """Mass, centre of mass, and (ixx, ixy, ixz, iyy, iyz, izz) about it, of a sum of solids."""
    mass = sum(b.mass for b in solids)
    cx, cy, cz = (sum(b.mass * b.at[k] for b in solids) / mass for k in range(3))
    xx = xy = xz = yy = yz = zz = 0.0
    for b in solids:
        x, y, z = b.at[0] - cx, b.at[1] - cy, b.at[2] - cz
        ix, iy, iz = b.moments()
        xx += ix + b.mass * (y * y + z * z)
        yy += iy + b.mass * (x * x + z * z)
        zz += iz + b.mass * (x * x + y * y)
        xy -= b.mass * x * y
        xz -= b.mass * x * z
        yz -= b.mass * y * z
    return mass, (cx, cy, cz), (xx, xy, xz, yy, yz, zz)


def number(x: float) -> str:
    """Twelve decimals, or the number itself where it has more (right angles); no exponents, no minus zero."""
    if x and (x / QUARTER).is_integer():
        return repr(x)
    text = f"{x:.12f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def numbers(v: tuple[float, ...]) -> str:
    """Numbers with a space between."""
    return " ".join(number(x) for x in v)


def link_text(link: Link) -> list[str]:
    """The lines of a <link>."""
    if not link.solids:
        return [f'  <link name="{link.name}"/>']
    mass, centre, tensor = inertial(link.solids)
    entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), tensor, strict=True)
    lines = [
        f'  <link name="{link.name}">',
        "    <inertial>",
        f'      <origin xyz="{numbers(centre)}"/>',
        f'      <mass value="{number(mass)}"/>',
        "      <inertia " + " ".join(f'{key}="{number(value)}"' for key, value in entries) + "/>",
        "    </inertial>",
    ]
    for tag in ("visual", "collision"):
        for b in link.solids:
            named = f' name="{"_".join(filter(None, (link.name, b.part)))}"' if tag == "collision" else ""
            lines += [
                f"    <{tag}{named}>",
                f'      <origin xyz="{numbers(b.at)}" rpy="{numbers(ALONG[b.along])}"/>',
                f"      <geometry>{b.geometry()}</geometry>",
            ]
            if tag == "visual":
                lines.append(f'      <material name="{b.colour}"/>')
            lines.append(f"    </{tag}>")
    return [*lines, "  </link>"]


def joint_text(link: Link) -> list[str]:
    """The lines of the <joint> that carries `link`."""
    j = link.joint
    if j is None:
        return []
    kind = "revolute" if j.axis else "floating" if j.floating else "fixed"
    turned = f' rpy="{numbers(j.rpy)}"' if any(j.rpy) else ""
    lines = [
        f'  <joint name="{j.name or link.name + "_fixed"}" type="{kind}">',
        f'    <origin xyz="{numbers(j.at)}"{turned}/>',
        f'    <parent link="{j.parent}"/>',
        f'    <child link="{link.name}"/>',
    ]
    if j.axis:
        lines += [
            f'    <axis xyz="{numbers(AXES[j.axis])}"/>',
            f'    <limit lower="{number(j.lower)}" upper="{number(j.upper)}" '
            f'effort="{number(j.effort)}" velocity="{number(j.velocity)}"/>',
        ]
    return [*lines, "  </joint>"]


def urdf(name: str, about: str, links: list[Link], tool: str = "make_robots.py") -> str:
    """Text of a URDF file."""
    lines = [
        '<?xml version="1.0"?>',
        f"<!-- {name}: {about}",
        f"     Our own design, written by tools/{tool}: change that, not this file. -->",
        f'<robot name="{name}">',
    ]
    lines += [f'  <material name="{key}"><color rgba="{rgba}"/></material>' for key, rgba in COLOURS.items()]
    for link in links:
        lines += ["", *joint_text(link), *link_text(link)]
    return "\n".join([*lines, "</robot>", ""])


def robots() -> dict[str, str]:
    """File name → text."""
    return {
        "quadruped.urdf": urdf("quadruped", "four legs of hip roll, hip pitch and knee; 15 kg.", quadruped()),
        "humanoid.urdf": urdf("humanoid", "legs, waist, arms, thumbs and neck, 33 joints; 60 kg.", humanoid()),
    }


def main(arguments: list[str], files: dict[str, str]) -> int:
    """Write the files, or with --check report which differ."""
    different = {name: text for name, text in files.items() if text_of(ROBOTS / name) != text}
    if "--check" in arguments:
        for name in different:
            print(f"{name} is not what {sys.argv[0]} writes", file=sys.stderr)
        return 1 if different else 0
    for name, text in different.items():
        (ROBOTS / name).write_text(text, "utf-8", newline="\n")
        print(f"wrote {ROBOTS / name}")
    return 0


def text_of(path: Path) -> str:
    """Current text of a file; empty if there is none."""
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], robots()))
