"""Write the mechanisms with repeated parts into the zoo: two_pandas_beam, three_fingers_ball, free_two_arms.

    python tools/make_mechanisms.py            # rewrite their files
    python tools/make_mechanisms.py --check    # exit 1 if a file differs from the output of this script

Each is a URDF with the tree and a separate file of closures. Links are solids, as in make_robots.py; the Pandas are
copies of panda.urdf with a side as prefix of every name.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

from make_robots import (
    COLOURS,
    ROBOTS,
    Joint,
    Link,
    Vec,
    box,
    cylinder,
    fixed,
    joint_text,
    link_text,
    main,
    sphere,
    urdf,
)

TOOL = "make_mechanisms.py"
READY = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
"""The Panda's usual posture."""


def closures(entries: list[dict[str, Any]], independent: list[Any], guess: dict[str, Any]) -> str:
    """Text of a file of closures."""
    return written({"closures": entries, "independent": independent, "guess": guess}) + "\n"


def written(x: Any, indent: str = "") -> str:
    """JSON, in one line if it fits."""
    line, inner = json.dumps(x), indent + "  "
    if not isinstance(x, dict | list) or len(indent + line) <= 100:
        return line
    if isinstance(x, list):
        parts, (first, last) = [written(value, inner) for value in x], "[]"
    else:
        parts, (first, last) = [f"{json.dumps(key)}: {written(value, inner)}" for key, value in x.items()], "{}"
    return "\n".join([first, ",\n".join(inner + part for part in parts), indent + last])


def two_pandas_beam() -> dict[str, str]:
    """Two Pandas that face each other across a table and hold a beam with their hands."""
    name, side_by_side = "two_pandas_beam", {"left": (-0.65, 0.0), "right": (0.65, math.pi)}
    table = Link("table", None, (box(1.8, 0.8, 0.04, 40.0, (0, 0, -0.02), "light"),))
    motion = Joint("table", (0, 0, 0.4), "beam_motion", floating=True)
    beam = Link("beam", motion, (box(0.9, 0.05, 0.05, 2.0, (0, 0, 0), "accent"),))
    lines = [*link_text(table), "", *joint_text(beam), *link_text(beam)]
    for side, (x, turn) in side_by_side.items():
        base = Link(f"{side}_panda_link0", Joint("table", (x, 0, 0), f"{side}_panda_base", rpy=(0, 0, turn)))
        lines += ["", *joint_text(base), *_panda(side)]
    materials = [f'  <material name="{key}"><color rgba="{rgba}"/></material>' for key, rgba in COLOURS.items()]
    head = [
        '<?xml version="1.0"?>',
        f"<!-- {name}: two Pandas that face each other and hold a beam of 2 kg, 20 degrees of freedom in the tree.",
        f"     Written by tools/{TOOL} from panda.urdf, which has the sources: change these, not this file. -->",
        f'<robot name="{name}">',
        *materials,
        '  <material name="white"><color rgba="0.93 0.94 0.95 1"/></material>',
    ]
    holds = [
        {
            "name": f"{side}_grasp",
            "frame_a": "beam",
            "frame_b": f"{side}_panda_hand_tcp",
            "joint": "fixed",
            "placement_a": {"xyz": [math.copysign(0.35, x), 0, 0], "rpy": [math.pi, 0, turn]},
        }
        for side, (x, turn) in side_by_side.items()
    ]
    guess = {f"{side}_panda_joint{i + 1}": q for side in side_by_side for i, q in enumerate(READY)}
    free = ["beam_motion", "left_panda_joint1", "right_panda_joint1"]
    return {
        f"{name}.urdf": "\n".join([*head, "", *lines, "</robot>", ""]),
        f"{name}.closures.json": closures(holds, free, guess),
    }


def _panda(side: str) -> list[str]:
    """The links and joints of panda.urdf, with the side as prefix of their names."""
    text = (ROBOTS / "panda.urdf").read_text("utf-8")
    body = text[text.index("  <link") : text.index("</robot>")]
    return re.sub(r'"(panda_\w+)"', rf'"{side}_\1"', body).rstrip("\n").split("\n")


def three_fingers_ball() -> dict[str, str]:
    """A hand that faces up: three fingers of four joints around a ball."""
    name, radius, third = "three_fingers_ball", 0.04, 2 * math.pi / 3
    motion = Joint("palm", (0, 0, 0.11), "ball_motion", floating=True)
    links = [
        Link("palm", None, (cylinder(0.09, 0.02, 0.6, (0, 0, 0.01), "z", "dark"),)),
        Link("ball", motion, (sphere(radius, 0.2, (0, 0, 0), "accent"),)),
    ]
    contacts, guess, s = [], {}, math.sqrt(0.75)
    for i, out in enumerate(((1.0, 0.0), (-0.5, s), (-0.5, -s))):
        finger = f"finger{i + 1}"
        links += _finger(finger, (0.07 * out[0], 0.07 * out[1], 0.02), i * third)
        guess |= {f"{finger}_knuckle": 0.36, f"{finger}_middle": -1.2}
        contacts.append(
            {
                "name": f"{finger}_contact",
                "frame_a": "ball",
                "frame_b": f"{finger}_tip",
                "joint": "soft_finger",
                "normal": [*out, 0.0],
                "placement_a": {"xyz": [radius * out[0], radius * out[1], 0.0]},
            }
        )
    about = "a hand with three fingers of four joints that holds a ball by soft contacts."
    return {
        f"{name}.urdf": urdf(name, about, links, TOOL),
        f"{name}.closures.json": closures(contacts, ["ball_motion"], guess),
    }


def _finger(finger: str, at: Vec, turn: float) -> list[Link]:
    """Joints: rotation at the palm, to the side, and twice towards the ball; x points away from the ball."""
    root, side, knuckle, middle, tip = (f"{finger}_{part}" for part in ("root", "side", "proximal", "distal", "tip"))
    return [
        Link(
            root,
            Joint("palm", at, f"{finger}_turn", "z", -1.2, 1.2, 2, 8, rpy=(0, 0, turn)),
            (cylinder(0.011, 0.016, 0.03, (0, 0, 0.008), "z", "dark"),),
        ),
        Link(
            side,
            Joint(root, (0, 0, 0.018), f"{finger}_side", "x", -1.0, 1.0, 2, 8),
            (cylinder(0.009, 0.024, 0.03, (0, 0, 0), "x", "dark"),),
        ),
        Link(
            knuckle,
            Joint(side, (0, 0, 0), f"{finger}_knuckle", "y", -1.2, 1.5, 2, 8),
            (cylinder(0.008, 0.05, 0.04, (0, 0, 0.025)),),
        ),
        Link(
            middle,
            Joint(knuckle, (0, 0, 0.05), f"{finger}_middle", "y", -2.2, 0.2, 2, 8),
            (cylinder(0.007, 0.045, 0.03, (0, 0, 0.0225)),),
        ),
        Link(tip, fixed(middle, (0, 0, 0.045))),
    ]


def free_two_arms() -> dict[str, str]:
    """A spacecraft with two arms of six joints that hold one payload."""
    name = "free_two_arms"
    links = [
        Link("world", None),
        Link(
            "spacecraft",
            Joint("world", (0, 0, 0), "spacecraft_motion", floating=True),
            (box(1.0, 1.2, 0.8, 180.0), box(0.02, 4.0, 0.6, 20.0, (-0.3, 0, 0), "dark", "panels")),
        ),
        Link(
            "payload",
            Joint("world", (1.6, 0, 0), "payload_motion", floating=True),
            (box(0.4, 0.7, 0.4, 50.0, (0, 0, 0), "accent"),),
        ),
    ]
    holds, guess = [], {}
    for side, s in (("left", 1), ("right", -1)):
        links += _arm(side, s)
        guess |= {f"{side}_shoulder_yaw": 0.7 * s, f"{side}_elbow": -1.6 * s, f"{side}_wrist_yaw": 0.9 * s}
        held = {"xyz": [-0.2, 0.25 * s, 0]}
        holds.append(
            {
                "name": f"{side}_grasp",
                "frame_a": "payload",
                "frame_b": f"{side}_hand",
                "joint": "fixed",
                "placement_a": held,
            }
        )
    about = "a spacecraft of 200 kg with two arms of six joints that hold one payload; load it with gravity=(0, 0, 0)."
    return {
        f"{name}.urdf": urdf(name, about, links, TOOL),
        f"{name}.closures.json": closures(holds, ["spacecraft_motion", "payload_motion"], guess),
    }


def _arm(side: str, s: int) -> list[Link]:
    """Shoulder yaw and pitch, elbow, wrist pitch, yaw and roll; stretched along x at zero."""
    shoulder, upper, forearm, wrist, yaw, roll, hand = (
        f"{side}_{part}" for part in ("shoulder", "upper_arm", "forearm", "wrist", "wrist_yaw_link", "flange", "hand")
    )

    def joint(name: str, parent: str, at: Vec, axis: str, reach: float, effort: float) -> Joint:
        return Joint(parent, at, f"{side}_{name}", axis, -reach, reach, effort, 1)

    return [
        Link(
            shoulder,
            joint("shoulder_yaw", "spacecraft", (0.55, 0.35 * s, 0), "z", 2.6, 60),
            (cylinder(0.06, 0.12, 2.0, (0, 0, 0), "z", "dark"),),
        ),
        Link(
            upper,
            joint("shoulder_pitch", shoulder, (0, 0, 0), "y", 1.5, 60),
            (cylinder(0.04, 0.55, 4.0, (0.275, 0, 0), "x"),),
        ),
        Link(
            forearm,
            joint("elbow", upper, (0.55, 0, 0), "z", 2.6, 40),
            (cylinder(0.035, 0.5, 3.0, (0.25, 0, 0), "x"),),
        ),
        Link(
            wrist,
            joint("wrist_pitch", forearm, (0.5, 0, 0), "y", 1.8, 15),
            (cylinder(0.035, 0.08, 0.8, (0, 0, 0), "y", "dark"),),
        ),
        Link(
            yaw,
            joint("wrist_yaw", wrist, (0, 0, 0), "z", 2.2, 15),
            (cylinder(0.03, 0.08, 0.8, (0, 0, 0), "z", "dark"),),
        ),
        Link(
            roll,
            joint("wrist_roll", yaw, (0.06, 0, 0), "x", 3.0, 15),
            (cylinder(0.035, 0.06, 0.8, (0.03, 0, 0), "x", "accent"),),
        ),
        Link(hand, fixed(roll, (0.06, 0, 0))),
    ]


def robots() -> dict[str, str]:
    """File name → text."""
    return {**two_pandas_beam(), **three_fingers_ball(), **free_two_arms()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], robots()))
