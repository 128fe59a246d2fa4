"""`kinetrace info`: bodies, joints, inertias and frames of a robot."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Model
from ..lie import inertia, so3
from ..model import WORLD, Body
from ..model.parameters import EFFECTS
from ..model.record import leaves
from . import closures
from .shared import Commands, add_command, add_json, add_robot, console, plural, print_json, robot_of, show, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

Record = dict[str, Any]


def add(commands: Commands) -> None:
    """Declare the command."""
    parser = add_command(
        commands,
        "info",
        run,
        "Show the bodies, joints, inertias and frames of a robot",
        "Prints sizes, the tree of bodies and joints, the place of each joint in q and v,\n"
        "limits, joint effects such as damping and friction, inertias, frames, closures\n"
        "and the degrees of freedom that they leave. Links on fixed joints are part of\n"
        "the body that carries them, and remain as frames. Units are SI and radians.",
        [
            ("kinetrace info panda", "a bundled robot"),
            ("kinetrace info my_robot.urdf", "your own"),
            ("kinetrace info quadruped --base free", "with a floating base"),
            ("kinetrace info four_bar", "with a closed loop"),
            ("kinetrace info leg.urdf --closures loops.yaml", "loops of your own"),
            ("kinetrace info panda --json", "for a program"),
        ],
    )
    add_robot(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Show a robot."""
    chosen = robot_of(args)
    robot = {**describe(chosen.model), **closures.describe(chosen)}
    if args.json:
        print_json(robot)
    else:
        _print(robot, console())
    return 0


def describe(model: Model) -> Record:
    """Everything that `info` shows, of types that JSON knows; None for what is infinite or absent."""
    names = {WORLD: next((f.name for f in model.frames.values() if f.body == WORLD), "world")}
    names |= {body.index: body.name for body in model.bodies}
    bodies = [_body(body) for body in model.bodies]
    return {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "moving_mass": sum(body["mass"] for body in bodies),
        "gravity": model.gravity.tolist(),
        "root": names[WORLD],
        "joints": [_joint(body, model, names) for body in model.bodies],
        "bodies": bodies,
        "frames": [
            {"name": f.name, "body": None if f.body == WORLD else f.body, "pose": f.X_bf.tolist()}
            for f in model.frames.values()
        ],
    }


def _joint(body: Body, model: Model, names: dict[int, str]) -> Record:
    q, v = (None, None) if body.mimic else model.joint_slices(body.joint_name)
    limits = body.limits
    return {
        "index": body.index,
        "name": body.joint_name,
        "type": type(body.joint).__name__.lower(),
        "axes": [x.tolist() for x in leaves(body.joint) if isinstance(x, np.ndarray)],
        "parent": names[body.parent],
        "child": body.name,
        "q": q and [q.start, q.stop],
        "v": v and [v.start, v.stop],
        "lower": _finite(limits.lower),
        "upper": _finite(limits.upper),
        "velocity": _finite(limits.velocity),
        "effort": _finite(limits.effort),
        "effects": body.effects and {name: getattr(body.effects, name).tolist() for name in EFFECTS},
        "mimic": body.mimic
        and {
            "joint": model.bodies[body.mimic.source].joint_name,
            "ratio": body.mimic.ratio,
            "offset": body.mimic.offset,
        },
    }


def _body(body: Body) -> Record:
    m, c = float(inertia.mass(body.J)), inertia.center_of_mass(body.J)
    I_c = body.J[:3, :3] + m * so3.hat(c) @ so3.hat(c)
    return {
        "index": body.index,
        "name": body.name,
        "parent": None if body.parent == WORLD else body.parent,
        "mass": m,
        "center_of_mass": c.tolist(),
        "principal_moments": np.linalg.eigvalsh((I_c + I_c.T) / 2).tolist(),
    }


def _finite(x: Any) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in x.tolist()]


def _print(robot: Record, out: Console) -> None:
    bodies = plural(len(robot["bodies"]), "moving body", "moving bodies")
    out.print(robot["name"], style="bold")
    free = plural(robot["dof"], "degree of freedom", "degrees of freedom")
    if robot["closures"]:
        out.print(f"  nq {robot['nq']} variables, nv {robot['nv']} velocities, {free} with loops closed")
    else:
        out.print(f"  nq {robot['nq']} configuration variables, nv {free}")
    out.print(f"  {bodies}, {robot['moving_mass']:.4g} kg moving; {plural(len(robot['frames']), 'frame', 'frames')}")
    out.print(f"  gravity {_vector(robot['gravity'])} m/s²")
    out.print()
    _print_tree(robot, out)
    if robot["joints"]:
        _print_joints(robot["joints"], out)
        _print_effects(robot["joints"], out)
        _print_bodies(robot["bodies"], out)
    _print_frames(robot, out)
    if robot["closures"]:
        closures.print_closures(robot, out)


def _print_tree(robot: Record, out: Console) -> None:
    from rich.measure import Measurement

    tree = _tree(robot, out, nested=True)
    if Measurement.get(out, out.options.update(max_width=10_000), tree).maximum > out.width:
        tree = _tree(robot, out, nested=False)
        out.print("(Lines straight below one another are a chain, each body on the one above.)", style="dim")
    out.print(tree)


def _tree(robot: Record, out: Console, nested: bool) -> Tree:
    """The bodies as a tree; if it is not nested, its depth grows only at branches and frames."""
    from rich.text import Text
    from rich.tree import Tree

    children: dict[int | None, list[Record]] = {}
    for body in robot["bodies"]:
        children.setdefault(body["parent"], []).append(body)
    names = {None: robot["root"], **{body["index"]: body["name"] for body in robot["bodies"]}}
    fixed: dict[int | None, list[str]] = {}
    for frame in robot["frames"]:
        if frame["name"] != names[frame["body"]]:
            fixed.setdefault(frame["body"], []).append(frame["name"])

    def label(index: int) -> Text:
        joint = robot["joints"][index]
        kind = " ".join([joint["type"], *map(_axis, joint["axes"])])
        parts = ((f"{joint['name']} ", ""), (f"({kind}) → ", "dim"), (joint["child"], "bold"))
        return Text.assemble(*(out.render_str(text, style=style) for text, style in parts))

    top = Tree(out.render_str(robot["root"], style="bold"), guide_style="dim")
    pending: list[tuple[int | None, Tree]] = [(None, top)]
    while pending:
        index, parent = pending.pop()
        node = parent
        if index is not None:
            text = label(index)
            while not nested and index not in fixed and len(children.get(index, ())) == 1:
                index = children[index][0]["index"]
                text.append("\n").append_text(label(index))
            node = parent.add(text)
        if index in fixed:
            frames = f"frame{'s' * (len(fixed[index]) > 1)}: {', '.join(fixed[index])}"
            node.add(out.render_str(frames, style="dim"))
        pending += [(child["index"], node) for child in reversed(children.get(index, []))]
    return top


def _print_joints(joints: list[Record], out: Console) -> None:
    listing = table("#", "joint", "type", "axis", "parent → child", right=("#",))
    bounds = ("lower", "upper", "unit", "speed", "effort")
    variables = table("q", "v", "joint", *bounds, right=(*bounds, "q", "v"))
    for joint in joints:
        axes = ", ".join(map(_axis, joint["axes"]))
        links = f"{joint['parent']} → {joint['child']}"
        listing.add_row(str(joint["index"]), joint["name"], joint["type"], axes, links)
        unit = {"revolute": "rad", "continuous": "rad", "prismatic": "m"}.get(joint["type"], "")
        name = joint["name"]
        if joint["mimic"]:
            name += " = {ratio:g} · {joint} {offset:+g}".format(**joint["mimic"])
        lower, upper, speed, effort = (_bound(joint[x]) for x in ("lower", "upper", "velocity", "effort"))
        variables.add_row(_places(joint["q"]), _places(joint["v"]), name, lower, upper, unit, speed, effort)
    show(out, "Joints", listing)
    show(out, "Variables and their limits", variables)
    out.print("speed in unit/s; effort in N m about an axis, N along it; - for no limit", style="dim")


def _print_effects(joints: list[Record], out: Console) -> None:
    """What joints do by themselves, if any does something: columns that are not zero everywhere."""
    widths = {"friction_width": "friction", "rest": "stiffness", "stop_width": "stop_stiffness"}
    given = [(joint["name"], joint["effects"]) for joint in joints if joint["effects"]]
    present = [name for name in EFFECTS if any(any(x[widths.get(name, name)]) for _, x in given)]
    if present:
        columns = [name.replace("_", " ") for name in present]
        listing = table("joint", *columns, right=tuple(columns))
        for name, x in given:
            listing.add_row(name, *(", ".join(f"{value:.4g}" for value in x[each]) for each in present))
        show(out, "What joints do by themselves", listing)
        out.print("in SI units: kg m² and N m about an axis, kg and N along it", style="dim")


def _print_bodies(bodies: list[Record], out: Console) -> None:
    columns = ("mass", "centre of mass", "principal moments")
    listing = table("body", *columns, right=columns)
    masses = [f"{body['mass']:.4g}" for body in bodies]
    centers = _aligned([body["center_of_mass"] for body in bodies], lambda x: f"{round(x, 3) + 0.0:.3f}")
    moments = _aligned([body["principal_moments"] for body in bodies], lambda x: f"{x:.3g}")
    for body, *cells in zip(bodies, masses, centers, moments, strict=True):
        listing.add_row(body["name"], *cells)
    show(out, "Bodies", listing)
    out.print("mass in kg; centre in m, in the body's frame; moments about it in kg m²", style="dim")


def _print_frames(robot: Record, out: Console) -> None:
    bodies = {body["name"] for body in robot["bodies"]}
    frames = [frame for frame in robot["frames"] if frame["name"] not in bodies]
    columns = ("at [m]", "turned by [deg]")
    listing = table("frame", "on", *columns, right=columns)
    poses = [np.array(frame["pose"]) for frame in frames]
    places = _aligned([X[:3, 3] for X in poses], lambda x: f"{round(x, 4) + 0.0:g}")
    turns = _aligned([np.degrees(so3.log(X[:3, :3])) for X in poses], lambda x: f"{round(x, 2) + 0.0:g}")
    for frame, place, turn in zip(frames, places, turns, strict=True):
        on = "world" if frame["body"] is None else robot["bodies"][frame["body"]]["name"]
        listing.add_row(frame["name"], on, place, turn)
    if frames:
        show(out, "Frames besides the bodies' own", listing)


def _axis(axis: list[float]) -> str:
    """An axis, by its letter if it has one."""
    for letter, x in zip("xyz", np.eye(3).tolist(), strict=True):
        if axis == x or axis == [-value for value in x]:
            return letter if axis == x else f"-{letter}"
    return _vector(axis)


def _vector(x: list[float]) -> str:
    return f"({', '.join(f'{value:.3g}' for value in x)})"


def _aligned(rows: Sequence[Any], text: Callable[[float], str]) -> list[str]:
    """Vectors as text, every component as wide as its widest."""
    cells = [[text(float(x)) for x in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [" ".join(f"{x:>{n}}" for x, n in zip(row, widths, strict=True)) for row in cells]


def _places(span: list[int] | None) -> str:
    if span is None:
        return "-"
    return str(span[0]) if span[1] == span[0] + 1 else f"{span[0]}:{span[1]}"


def _bound(x: list[float | None]) -> str:
    """The bound if the variables of a joint share one."""
    return "-" if not x or x[0] is None else f"{x[0]:.4g}"
