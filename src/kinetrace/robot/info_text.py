"""Summary of a robot as text: lines and tables on a console of rich."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..lie import so3
from ..model.body import mimic_text
from ..model.effects.joint_effects import EFFECT_LAWS
from ..model.parameters import JOINT_EFFECT_NAMES
from ..support.tables import plural, show, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

Record = dict[str, Any]


def print_robot(robot: Record, out: Console) -> None:
    """Everything that is known of a robot."""
    bodies = plural(len(robot["bodies"]), "moving body", "moving bodies")
    out.print(robot["name"], style="bold")
    free = plural(robot["dof"], "degree of freedom", "degrees of freedom")
    if robot["closures"]:
        out.print(f"  nq {robot['nq']} variables, nv {robot['nv']} velocities, {free} with loops closed")
    else:
        out.print(f"  nq {robot['nq']} configuration variables, nv {free}")
    out.print(f"  {bodies}, {robot['moving_mass']:.4g} kg moving; {plural(len(robot['frames']), 'frame', 'frames')}")
    out.print(f"  gravity {_vector(robot['gravity'])} m/s²")
    if robot["fluid"]:
        told = "  fluid: density {density:g} kg/m³, viscosity {viscosity:g} Pa s".format(**robot["fluid"])
        out.print(f"{told}, wind {_vector(robot['fluid']['wind'])} m/s")
    out.print()
    _print_tree(robot, out)
    if robot["joints"]:
        _print_joints(robot["joints"], out)
        _print_effects(robot["joints"], out)
        _print_bodies(robot["bodies"], out)
        _print_link_effects(robot["link_effects"], out)
    _print_actuators(robot["actuators"], out)
    _print_frames(robot, out)
    _print_shapes(robot, out)
    if robot["keyframes"]:
        out.print()
        out.print(f"keyframes: {', '.join(robot['keyframes'])}")
    if robot["closures"]:
        _print_closures(robot, out)


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
        unit = ", ".join(dict.fromkeys(joint["units"]))
        name = joint["name"]
        if joint["mimic"]:
            said = joint["mimic"]
            name += f" = {mimic_text(said['joint'], said['ratio'], said['offset'], 6)}"
        lower, upper, speed, effort = (_bound(joint[x]) for x in ("lower", "upper", "velocity", "effort"))
        variables.add_row(_places(joint["q"]), _places(joint["v"]), name, lower, upper, unit, speed, effort)
    show(out, "Joints", listing)
    show(out, "Variables and their limits", variables)
    out.print("speed in unit/s; effort in N m about an axis, N along it; - for no limit", style="dim")


def _print_effects(joints: list[Record], out: Console) -> None:
    """Passive effects of joints, if there are any: columns that are not zero everywhere."""
    widths = {"friction_width": "friction", "rest": "stiffness", "stop_width": "stop_stiffness"}
    given = [(joint["name"], joint["effects"]) for joint in joints if joint["effects"]]
    present = [name for name in JOINT_EFFECT_NAMES if any(any(x[widths.get(name, name)]) for _, x in given)]
    laws = [name for name, (usual, *_) in EFFECT_LAWS.items() if any(x[name] != usual for _, x in given)]
    if present or laws:
        columns = [name.replace("_", " ") for name in present]
        listing = table("joint", *columns, *(name.replace("_", " ") for name in laws), right=tuple(columns))
        for name, x in given:
            numbers = (", ".join(f"{value:.4g}" for value in x[each]) for each in present)
            listing.add_row(name, *numbers, *(x[each] for each in laws))
        show(out, "What joints do by themselves", listing)
        out.print("in SI units: kg m² and N m about an axis, kg and N along it", style="dim")


def _print_link_effects(links: list[Record], out: Console) -> None:
    """Effects on links, if there are any."""
    if links:
        columns = ("mass", "compensated", "box in the fluid")
        listing = table("link", *columns, right=columns)
        for x in links:
            box = " × ".join(f"{side:.3g}" for side in x["box"])
            listing.add_row(x["link"], f"{x['mass']:.4g}", f"{x['gravity_compensation']:.4g}", box)
        show(out, "What acts on links", listing)
        out.print("mass in kg; part of its weight that is compensated; sides along principal axes in m", style="dim")


def _print_actuators(actuators: list[Record], out: Console) -> None:
    """Actuators, if there are any: what they act on, and their laws."""
    if not actuators:
        return
    columns = ("gain", "bias", "control", "force")
    laws = any(x["dynamics"] != "none" or x["delay"] for x in actuators)
    listing = table("actuator", "gears", *columns, *(["law"] if laws else []), right=columns)
    for x in actuators:
        gears = ", ".join(f"{_numbers(gear['ratio'])} · {gear['joint']}" for gear in x["gears"])
        of_law = (
            [] if x["dynamics"] == "none" else [x["dynamics"] + f" {x['time_constant']:g} s" * ("f" in x["dynamics"])]
        )
        of_law += [f"delay {x['delay']:g} s"] if x["delay"] else []
        numbers = (_numbers(x["gain"]), _numbers(x["bias"]), _range(x["control_range"]), _range(x["force_range"]))
        listing.add_row(x["name"], gears, *numbers, *([", ".join(of_law)] if laws else []))
    show(out, "Actuators", listing)
    told = "force = gain · control + bias; three numbers: constant, per length and per speed of the actuator"
    out.print(told, style="dim")


def _numbers(x: list[float]) -> str:
    """One number, if those after it are zero."""
    return f"{x[0]:.4g}" if not any(x[1:]) else f"({', '.join(f'{value:.4g}' for value in x)})"


def _range(x: list[float | None]) -> str:
    return "-" if x == [None, None] else " … ".join("-" if value is None else f"{value:.4g}" for value in x)


def _print_bodies(bodies: list[Record], out: Console) -> None:
    columns = ("mass", "centre of mass", "principal moments")
    listing = table("body", *columns, right=columns)
    masses = [f"{body['mass']:.4g}" for body in bodies]
    centers = _align([body["center_of_mass"] for body in bodies], lambda x: f"{round(x, 3) + 0.0:.3f}")
    moments = _align([body["principal_moments"] for body in bodies], lambda x: f"{x:.3g}")
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
    places = _align([X[:3, 3] for X in poses], lambda x: f"{round(x, 4) + 0.0:g}")
    turns = _align([np.degrees(so3.log(X[:3, :3])) for X in poses], lambda x: f"{round(x, 2) + 0.0:g}")
    for frame, place, turn in zip(frames, places, turns, strict=True):
        on = "world" if frame["body"] is None else robot["bodies"][frame["body"]]["name"]
        listing.add_row(frame["name"], on, place, turn)
    if frames:
        show(out, "Frames besides the bodies' own", listing)


def _print_shapes(robot: Record, out: Console) -> None:
    """Shapes that count in contacts, if there are any, and the rules about them."""
    shapes = robot["collision_shapes"]
    if shapes:
        listing = table("shape", "link", "kind", "size", "friction", right=("friction",))
        for x in shapes:
            size = x["becomes"] or " × ".join(f"{value:.4g}" for value in x["size"])
            kind = x["kind"] if x["rigid"] else f"{x['kind']}, yields"
            listing.add_row(x["name"], x["link"], kind, size, f"{x['friction']:.4g}")
        show(out, "Collision shapes", listing)
        out.print("sizes in m: sides, radius and length, half axes; of meshes, what they become", style="dim")
    pairs = [f"{' and '.join(x['shapes'])} ({x['friction']:.4g})" for x in robot["contact_pairs"]]
    if pairs:
        out.print(f"pairs with friction of their own: {'; '.join(pairs)}")
    if robot["contact_exclusions"]:
        out.print(f"do not touch: {'; '.join(' and '.join(x) for x in robot['contact_exclusions'])}")


def _axis(axis: Any) -> str:
    """An axis, by its letter if it has one; of arrays of another shape, their rows."""
    if np.ndim(axis) != 1:
        return f"[{', '.join(map(_axis, axis))}]" if np.ndim(axis) else f"{axis:.3g}"
    for letter, x in zip("xyz", np.eye(3).tolist(), strict=True):
        if axis == x or axis == [-value for value in x]:
            return letter if axis == x else f"-{letter}"
    return _vector(axis)


def _vector(x: list[float]) -> str:
    return f"({', '.join(f'{value:.3g}' for value in x)})"


def _align(rows: Sequence[Any], text: Callable[[float], str]) -> list[str]:
    """Vectors as text, every component as wide as its widest."""
    cells = [[text(float(x)) for x in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [" ".join(f"{x:>{n}}" for x, n in zip(row, widths, strict=True)) for row in cells]


def _places(span: list[int] | None) -> str:
    if span is None:
        return "-"
    return str(span[0]) if span[1] == span[0] + 1 else f"{span[0]}:{span[1]}"


def _bound(x: list[float | None]) -> str:
    """The bounds of a joint's variables; one if all are the same."""
    texts = ["-" if value is None else f"{value:.4g}" for value in x]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts) or "-"


def _print_closures(robot: Record, out: Console) -> None:
    """Closures, one after the other, and what is independent."""
    out.print()
    out.print("Closures", style="bold")
    for closure in robot["closures"]:
        rows = plural(closure["rows"], "row", "rows")
        rows += f", of which {closure['redundant']} follow from others" if closure["redundant"] else ""
        out.print(f"{closure['name']}: {closure['kind']}, {rows}")
        out.print(f"  between {' and '.join(closure['frames'] or closure['joints'])}")
        out.print(f"  transmits {_together(closure['transmits'])}", style="dim")
    out.print()
    out.print(f"independent velocities: {', '.join(robot['independent']) or 'none'}")
    out.print(f"motors: {', '.join(robot['motors']) or 'none'}")


def _together(transmits: list[str]) -> str:
    """Forces that rows transmit, those of a kind together: "force along x, y"."""
    found: dict[str, list[str]] = {}
    for text in transmits:
        what, along, direction = text.partition(" along ")
        found.setdefault(what + along, []).append(direction)
    return "; ".join(what + ", ".join(filter(None, directions)) for what, directions in found.items())
