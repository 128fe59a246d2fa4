"""Differences between the parts of two robots, in words and numbers: mm, degrees, kg, per cent.

Bodies are matched by their names, and by where they are in the tree and what they weigh (`match_bodies`). Left out are
places in lists (`Body.index`), and what follows from the rest or only prepares it (`Model.assembly`,
`Model.wanted_independent`, `Model.contacts`); of shapes for viewers their number alone counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...lie import inertia, se3, so3
from ...model import configurations
from ...model.body import WORLD, Body
from ...model.closures import Closure
from ...model.configurations import q_units, v_units
from ...model.effects.joint_effects import EFFECT_LAWS, JointEffects
from ...model.effects.link_effects import Fluid
from ...model.joints import Free
from ...model.model import Model
from ...model.parameters import JOINT_EFFECT_NAMES
from .result import Change
from .shapes import shape_changes

BOUNDS = ("lower", "upper", "velocity", "effort")
FORCE = {"rad": "N m", "m": "N"}
"""Unit of a variable → that of its force."""


def changes(a: Model, b: Model, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    """All that differs from `a` to `b`, whose bodies are matched by `pairs`."""
    yield from _robot(a, b, pairs, tolerance)
    for body in a.bodies:
        if body.index not in pairs:
            yield _alone(a, body, "only in the first robot")
    for body in b.bodies:
        if body.index not in pairs.values():
            yield _alone(b, body, "only in the second robot")
    for i, j in pairs.items():
        yield from _joint(a, b, i, j, pairs, tolerance)
        yield from _link(a.bodies[i], b.bodies[j], tolerance)
        yield from _link_effects(a, b, i, j, tolerance)
    yield from _frames(a, b, pairs, tolerance)
    yield from _closures(a, b, tolerance)
    yield from shape_changes(a, b, tolerance)


def _alone(model: Model, body: Body, where: str) -> Change:
    kind = type(body.joint).__name__.lower()
    what = f"{where}: {kind}, of link {body.name!r} ({_g(inertia.mass(body.J))} kg) on {_parent(model, body)!r}"
    first = where.endswith("first robot")
    return Change("joint", body.joint_name, what, kind if first else None, None if first else kind)


def _robot(a: Model, b: Model, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    if a.name != b.name:
        yield Change("robot", "", f"name {a.name!r} → {b.name!r}", a.name, b.name)
    bases = [
        "free" if any(isinstance(x.joint, Free) and x.parent == WORLD for x in m.bodies) else "fixed" for m in (a, b)
    ]
    if bases[0] != bases[1]:
        yield Change("robot", "", f"base {bases[0]} → {bases[1]}", bases[0], bases[1])
    if _differ(a.gravity, b.gravity, tolerance):
        yield _vector("robot", "", "gravity", a.gravity, b.gravity, "m/s²")
    yield from _fluid(a.fluid or Fluid(), b.fluid or Fluid(), tolerance)
    names = {a.bodies[i].joint_name: b.bodies[j].joint_name for i, j in pairs.items()}
    common = [names[x] for x in a.joint_names if x in names]
    order = [x for x in b.joint_names if x in common]
    if sorted(common) == sorted(order) and common != order:
        yield Change(
            "robot", "", f"order of joints in q and v: {', '.join(common)} → {', '.join(order)}", common, order
        )
    motors = [names.get(x, x) for x in a.motor_names]
    gone, new = sorted({*motors} - {*b.motor_names}), sorted({*b.motor_names} - {*motors})
    both = {*names.values()}
    for what, some in (("motors only in the first robot", gone), ("motors only in the second robot", new)):
        if told := [x for x in some if x in both]:  # joints that one has not are said elsewhere
            yield Change("robot", "", f"{what}: {', '.join(told)}", list(a.motor_names), list(b.motor_names))
    masses = [0.0 if m.resting is None else float(inertia.mass(m.resting)) for m in (a, b)]
    if _differ(np.array(masses[:1]), np.array(masses[1:]), tolerance):
        yield _number("robot", "", "mass of what is fixed to the world", masses[0], masses[1], "kg")
    yield from _home(a, b, pairs, tolerance)
    shapes = len(a.geometry) - len(a.collision_shapes), len(b.geometry) - len(b.collision_shapes)
    if shapes[0] != shapes[1]:
        yield Change("robot", "", f"number of shapes for viewers {shapes[0]} → {shapes[1]}", *shapes)


def _home(a: Model, b: Model, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    at, to = configurations.home(a), configurations.home(b)
    for i, j in pairs.items():
        x, y = a.bodies[i], b.bodies[j]
        if x.mimic is None and y.mimic is None and same_kind(x, y):
            old, new = at[a.slices[i][0]], to[b.slices[j][0]]
            if np.any(np.abs(old - new) > max(tolerance, 1e-9)):
                yield _vector("joint", x.joint_name, "home", old, new, _one(q_units(x.joint)))


def _joint(a: Model, b: Model, i: int, j: int, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    x, y = a.bodies[i], b.bodies[j]
    name = x.joint_name
    if name != y.joint_name:
        yield Change("joint", name, f"renamed {y.joint_name!r}", name, y.joint_name)
    if y.parent != (WORLD if x.parent == WORLD else pairs.get(x.parent)):
        parents = _parent(a, x), _parent(b, y)
        if parents[0] != parents[1]:  # else it is the root link, which floats in one of them
            yield Change("joint", name, f"on link {parents[0]!r} → {parents[1]!r}", *parents)
    kinds = type(x.joint).__name__.lower(), type(y.joint).__name__.lower()
    if kinds[0] != kinds[1]:
        yield Change("joint", name, f"{kinds[0]} → {kinds[1]}", *kinds)
    (shift, turn) = _apart(_at_zero(x), _at_zero(y))
    if told := _away(shift, turn, tolerance):
        what = f"placed {told} elsewhere"
        yield Change("joint", name, what, _at_zero(x).tolist(), _at_zero(y).tolist(), of_frames=True)
    yield from _axis(x, y, tolerance)
    if not same_kind(x, y):
        return
    for bound in BOUNDS:
        old, new = getattr(x.limits, bound), getattr(y.limits, bound)
        if _differ(old, new, tolerance):
            rate = {"velocity": "/s", "effort": ""}
            units = q_units(x.joint) if bound in ("lower", "upper") else v_units(x.joint)
            unit = FORCE.get(_one(units), "") if bound == "effort" else _one(units) + rate.get(bound, "")
            yield _vector("joint", name, f"{bound} limit", old, new, unit)
    plain = JointEffects()
    for effect in JOINT_EFFECT_NAMES:
        old, new = (getattr(e or plain, effect) for e in (x.effects, y.effects))
        old, new = (
            np.zeros(x.joint.nv) if e is None else np.broadcast_to(e, np.shape(e) or (x.joint.nv,)) for e in (old, new)
        )
        matters = effect not in ("friction_width", "stop_width") or (x.effects and y.effects)
        if matters and (old.shape != new.shape or _differ(old, new, tolerance)):
            yield _vector("joint", name, effect.replace("_", " "), old, new, "")
    for law in EFFECT_LAWS:
        was, now = (getattr(e or plain, law) for e in (x.effects, y.effects))
        if was != now:
            yield Change("joint", name, f"{law.replace('_', ' ')} {was} → {now}", was, now)
    yield from _mimic(a, b, x, y, pairs, tolerance)


def _axis(x: Body, y: Body, tolerance: float) -> Iterator[Change]:
    """How motions differ, column by column, in the frames of the links."""
    S, T = (np.asarray(body.subspace(body.joint.neutral()), dtype=float) for body in (x, y))
    if S.shape != T.shape or not S.size or S.shape[1] == 6:
        return
    if np.abs(S - T).max() <= tolerance * max(1.0, float(np.abs(S).max())):
        return
    told = []
    for k in range(S.shape[1]):
        s, t = (c[:3, k] if np.any(c[:3, k]) else c[3:, k] for c in (S, T))
        angle = _angle(s, t)
        if angle > tolerance:
            told.append(f"axis turned by {_degrees(angle)}" + (", reversed" if np.allclose(s, -t) else ""))
        elif np.any(S[:3, k]) and np.any(T[:3, k]):
            told.append(f"axis shifted by {_mm(float(np.linalg.norm(np.cross(s, S[3:, k] - T[3:, k]))))}")
    what = "; ".join(dict.fromkeys(told)) or "another motion"
    yield Change("joint", x.joint_name, f"{what}, in the frame of its link", S.T.tolist(), T.T.tolist(), of_frames=True)


def _mimic(a: Model, b: Model, x: Body, y: Body, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    texts = []
    for model, body in ((a, x), (b, y)):
        m = body.mimic
        texts.append("independent" if m is None else m.text(model.bodies[m.source].joint_name, 6))
    if x.mimic is None and y.mimic is None:
        return
    if x.mimic is not None and y.mimic is not None and pairs.get(x.mimic.source) == y.mimic.source:
        pairs_of = zip((x.mimic.ratio, x.mimic.offset), (y.mimic.ratio, y.mimic.offset), strict=True)
        if all(old.shape == new.shape and not _differ(old, new, tolerance) for old, new in pairs_of):
            return
    yield Change("joint", x.joint_name, f"mimics {texts[0]} → {texts[1]}", texts[0], texts[1])


def _link(x: Body, y: Body, tolerance: float) -> Iterator[Change]:
    if x.name != y.name:
        yield Change("link", x.name, f"renamed {y.name!r}", x.name, y.name)
    (m, c, I), (n, d, K) = (inertia.to_mass_com(body.J) for body in (x, y))
    if _differ(np.array([m]), np.array([n]), tolerance):
        yield _number("link", x.name, "mass", float(m), float(n), "kg")
    shift = float(np.linalg.norm(c - d))
    if m > 0.0 and n > 0.0 and shift > tolerance * max(1.0, float(np.abs(c).max())):
        what = f"centre of mass {_mm(shift)} elsewhere: {_list(1e3 * c)} → {_list(1e3 * d)} mm"
        yield Change("link", x.name, what, c.tolist(), d.tolist(), of_frames=True)
    old, new = np.linalg.eigvalsh(I), np.linalg.eigvalsh(K)
    scale = max(float(np.abs(x.J[:3, :3]).max()), float(np.abs(y.J[:3, :3]).max()))  # of which I was computed
    if np.abs(old - new).max() > tolerance * scale:
        most = _percent(old, new)
        yield _vector("link", x.name, "principal moments of inertia", old, new, "kg m²", more=most)
    elif np.abs(I - K).max() > tolerance * scale:
        off = float(np.abs(I - K).max() / max(np.abs(old).max(), 1e-300))
        what = f"principal axes of inertia turned: moments in the link's axes differ by up to {100 * off:.2g} %"
        yield Change("link", x.name, what, I.tolist(), K.tolist(), of_frames=True)


def _fluid(x: Fluid, y: Fluid, tolerance: float) -> Iterator[Change]:
    for name, unit in (("density", "kg/m³"), ("viscosity", "Pa s"), ("wind", "m/s")):
        old, new = (np.atleast_1d(np.asarray(getattr(fluid, name), dtype=float)) for fluid in (x, y))
        if _differ(old, new, tolerance):
            yield _vector("robot", "", f"{name} of the fluid", old, new, unit)


def _link_effects(a: Model, b: Model, i: int, j: int, tolerance: float) -> Iterator[Change]:
    """Differences of effects on the links of a body; those that were renamed are taken in their order."""
    first, second = ({x.link: x for x in body.link_effects or ()} for body in (a.bodies[i], b.bodies[j]))
    left = [[x for x in own if x not in other] for own, other in ((first, second), (second, first))]
    names = {x: x for x in first if x in second} | (
        dict(zip(*left, strict=True)) if len({*map(len, left)}) == 1 else {}
    )
    for name in [x for x in first if x not in names]:
        yield Change("link", name, "only in the first robot: what acts on it", name, None)
    for name in [x for x in second if x not in names.values()]:
        yield Change("link", name, "only in the second robot: what acts on it", None, name)
    for name, other in names.items():
        x, y = first[name], second[other]
        numbers = [("gravity compensation", x.gravity_compensation, y.gravity_compensation, "")]
        numbers += [("mass that is compensated, or that a fluid acts on,", x.mass, y.mass, "kg")]
        for what, old, new, unit in numbers:
            if _differ(np.array([old]), np.array([new]), tolerance):
                yield _vector("link", name, what, np.array([old]), np.array([new]), unit)
        if told := _away(float(np.linalg.norm((x.placement - y.placement)[:3, 3])), 0.0, tolerance):
            where = x.placement.tolist(), y.placement.tolist()
            yield Change("link", name, f"what acts on it is {told} elsewhere", *where, of_frames=True)
        if a.fluid is None and b.fluid is None:
            continue
        sides = np.sort(x.box), np.sort(y.box)
        A, B = (se3.rotation(e.placement) @ np.diag(e.box**2) @ se3.rotation(e.placement).T for e in (x, y))
        if _differ(*sides, tolerance):
            yield _vector("link", name, "box that the fluid meets", *sides, "m")
        elif _differ(A, B, tolerance):
            what = "box that the fluid meets is turned"
            yield Change("link", name, what, x.placement.tolist(), y.placement.tolist(), of_frames=True)


def _frames(a: Model, b: Model, pairs: dict[int, int], tolerance: float) -> Iterator[Change]:
    links = {a.bodies[i].name: b.bodies[j].name for i, j in pairs.items()}
    bodies = {WORLD: WORLD, **pairs}
    own = {x.name for x in a.bodies}, {x.name for x in b.bodies}
    second = {links.get(name, name) for name in a.frames}
    for name, f in a.frames.items():
        g = b.frames.get(links.get(name, name))
        if g is None:
            if name not in own[0]:
                yield Change("frame", name, f"only in the first robot, on {_carrier(a, f.body)!r}", name, None)
        elif f.body in bodies and bodies[f.body] != g.body:
            carriers = _carrier(a, f.body), _carrier(b, g.body)
            if carriers[0] != carriers[1]:
                yield Change("frame", name, f"on {carriers[0]!r} → {carriers[1]!r}", *carriers)
        elif f.body in bodies and (told := _away(*_apart(f.X_bf, g.X_bf), tolerance)):
            yield Change(
                "frame", name, f"{told} elsewhere on its link", f.X_bf.tolist(), g.X_bf.tolist(), of_frames=True
            )
    for name, f in b.frames.items():
        if name not in second and name not in own[1]:
            yield Change("frame", name, f"only in the second robot, on {_carrier(b, f.body)!r}", None, name)


def _closures(a: Model, b: Model, tolerance: float) -> Iterator[Change]:
    first, second = ({x.name: x for x in m.closures} for m in (a, b))
    for name in [x for x in first if x not in second]:
        yield Change("closure", name, f"only in the first robot: {_kind(a, first[name])}", name, None)
    for name in [x for x in second if x not in first]:
        yield Change("closure", name, f"only in the second robot: {_kind(b, second[name])}", None, name)
    for name in [x for x in first if x in second]:
        x, y = first[name], second[name]
        kinds = _kind(a, x), _kind(b, y)
        if kinds[0] != kinds[1]:
            yield Change("closure", name, f"{kinds[0]} → {kinds[1]}", *kinds)
        elif x.terms and _differ(np.atleast_1d(x.offset), np.atleast_1d(y.offset), tolerance):
            yield _vector("closure", name, "offset", np.atleast_1d(x.offset), np.atleast_1d(y.offset), "")
        elif x.constraint != y.constraint:
            yield Change(
                "closure", name, f"{x.constraint!r} → {y.constraint!r}", repr(x.constraint), repr(y.constraint)
            )
        for f, g, side in ((x.a, y.a, "first"), (x.b, y.b, "second")):
            if kinds[0] == kinds[1] and (told := _away(*_apart(f.X_bf, g.X_bf), tolerance)):
                what = f"its {side} frame is {told} elsewhere on its link"
                yield Change("closure", name, what, f.X_bf.tolist(), g.X_bf.tolist(), of_frames=True)


def _kind(model: Model, closure: Closure) -> str:
    if closure.terms:
        parts = [f"{_list(x.factors.ravel())} × {model.bodies[x.body].joint_name}" for x in closure.terms]
        return f"coupling {' + '.join(parts)}"
    ends = [f"{_carrier(model, f.body)!r}" for f in closure.frames]
    return f"{closure.size} rows between {' and '.join(ends)}"


def _at_zero(body: Body) -> Array:
    """The pose of a body in its parent, where the joint is at zero."""
    return np.asarray(body.placement(body.joint.neutral()).matrix, dtype=float)


def _parent(model: Model, body: Body) -> str:
    return _carrier(model, body.parent)


def _carrier(model: Model, body: int) -> str:
    """The name of a body; the world goes by the name of the root link."""
    if body != WORLD:
        return model.bodies[body].name
    return model.root.name if model.root is not None and model.root.body == WORLD else "world"


def _apart(X: Array, Y: Array) -> tuple[float, float]:
    """Distance [m] and angle [rad] from one pose to another."""
    R = se3.rotation(X).T @ se3.rotation(Y)
    return float(np.linalg.norm(se3.translation(X) - se3.translation(Y))), float(np.linalg.norm(so3.log(R)))


def _away(shift: float, turn: float, tolerance: float) -> str:
    """The two in words; nothing if they are within the tolerance; angles of tiny rotations have half of the digits."""
    told = [_mm(shift)] * (shift > tolerance) + [_degrees(turn)] * (turn > max(tolerance, 3e-8))
    return " and ".join(told)


def _angle(s: Array, t: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(s, t)), s @ t))


def _differ(x: Array, y: Array, tolerance: float) -> bool:
    """Whether numbers differ by more than the tolerance of the largest; infinite ones are equal."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape:
        return True
    finite = np.isfinite(x) & np.isfinite(y)
    if np.any(~finite & (x != y)):
        return True
    scale = float(max(np.abs(x[finite]).max(initial=0.0), np.abs(y[finite]).max(initial=0.0)))
    return bool(np.any(np.abs(x[finite] - y[finite]) > tolerance * scale))


def _number(subject: Any, name: str, what: str, old: float, new: float, unit: str) -> Change:
    ratio = f", {100 * (new / old - 1):+.3g} %" if old else ""
    return Change(subject, name, f"{what} {_g(old)} → {_g(new)} {unit} ({new - old:+.4g} {unit}{ratio})", old, new)


def _vector(subject: Any, name: str, what: str, old: Array, new: Array, unit: str, more: str = "") -> Change:
    unit, ends = " " * bool(unit) + unit, np.isfinite(new).any()
    text = f"{what} {_list(old)}{'' if ends else unit} → {_list(new)}{unit if ends else ''}{more}"
    return Change(subject, name, text, _plain(old), _plain(new))


def _percent(old: Array, new: Array) -> str:
    if np.any(old <= 0.0):
        return ""
    ratios = 100 * (new / old - 1)
    return f" ({', '.join(f'{x:+.3g}' for x in ratios)} %)"


def _plain(x: Array) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in np.ravel(x)]


def _list(x: Sequence[float] | Array) -> str:
    """Numbers in brackets; one alone without."""
    texts = [_g(value) for value in np.ravel(x)]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _g(x: float) -> str:
    return "no limit" if np.isinf(x) else f"{x + 0.0:.6g}"


def _one(units: Sequence[str]) -> str:
    """The unit that all variables have; none otherwise."""
    return units[0] if len(set(units)) == 1 and units[0] != "1" else ""


def _mm(x: float) -> str:
    return f"{1e3 * x:.3g} mm" if x < 10.0 else f"{x:.3g} m"


def _degrees(x: float) -> str:
    return f"{np.rad2deg(x):.3g}°"


def match_bodies(a: Model, b: Model) -> dict[int, int]:
    """Index of a body of `a` → that of `b`; bodies that only one of them has are missing.

    A body is the one with the joint of the same name, or else of the same name itself. Of the others, those on the same
    parent are the same if they have the same kind of joint, and the same mass, or none other is left there.

    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> match_bodies(robot.model, robot.renamed(prefix="left_").model)
    {0: 0, 1: 1}
    """
    joints, bodies = ({x.joint_name: x.index for x in b.bodies}, {x.name: x.index for x in b.bodies})
    found = {x.index: joints[x.joint_name] for x in a.bodies if x.joint_name in joints}
    for x in a.bodies:
        i = bodies.get(x.name)
        if x.index not in found and i is not None and i not in found.values():
            found[x.index] = i
    for x in a.bodies:
        if x.index in found or (x.parent != WORLD and x.parent not in found):
            continue
        parent = WORLD if x.parent == WORLD else found[x.parent]
        left = [y for y in b.bodies if y.parent == parent and y.index not in found.values()]
        mine = [y for y in a.bodies if y.parent == x.parent and y.index not in found]
        alike = [y for y in left if same_kind(x, y)]
        exact = [y for y in alike if np.isclose(inertia.mass(x.J), inertia.mass(y.J), rtol=1e-6, atol=0.0)]
        chosen = exact or (alike if len(alike) == len([y for y in mine if same_kind(x, y)]) == 1 else [])
        if chosen:
            found[x.index] = chosen[0].index
    return dict(sorted(found.items()))


def same_kind(x: Body, y: Body) -> bool:
    """Whether two joints have variables of the same meaning: hinges with and without a range do."""
    return (x.joint.nq, x.joint.nv) == (y.joint.nq, y.joint.nv) and _turns(x) == _turns(y)


def _turns(x: Body) -> list[bool]:
    S = np.asarray(x.joint.subspace(x.joint.neutral()))
    return [bool(turn) for turn in np.any(S[:3], axis=0)]
