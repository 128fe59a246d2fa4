"""Editing of models: further frames, payloads, another home, locked joints, removed or added bodies, other names.

All are pure functions. What they do not name stays: joints, limits, effects of joints, couplings, closures, motors,
shapes, where joints start. `assembly`, which is about closures as a whole, is left out where bodies or closures change;
`algorithms.closed.mobility.with_assembly` finds it anew.

Poses that are given, and numbers that an edit computes, are rounded by the rule of `checks`. All others stay to the
bit, also those of a model that was built with `snap_constants=False`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Array, is_concrete
from ...errors import InputError, ModelError, is_hashable, unknown_name_error
from ...lie import inertia, se3
from ...support.conversion import as_array
from ..actuation import edits as actuation
from ..body import WORLD, Body, Frame
from ..checks import Check, as_placement, check_inertias, check_of, number, numbers, real, snap, symmetric, text
from ..closures import WORLD_NAME, Closure, Term
from ..configurations import (
    DOUBLE,
    Tolerances,
    check_follower,
    check_joint,
    home,
    in_radians,
    no_configuration,
    q_units,
    tolerances_of,
)
from ..contact.edits import both_contacts, both_rules, left_rules, moved_contacts
from ..effects.link_effects import of_both, one_fluid
from ..joints import Free
from ..model import Model
from ..named_states import home_from
from .massless import check_massless
from .names import check_clashes, check_world, is_identity, rename
from .specialisation import without_noise
from .tree import inertia_in_body

Places = Mapping[int, tuple[int, Array | None]]
"""Body of before → the body that it is part of now, and its frame in that body's; None: the same."""


def with_frame(model: Model, name: str, parent: str, X: Any = None) -> Model:
    """The model with a further frame, at X in the frame `parent`, which may be "world".

    >>> import kinetrace as kt
    >>> with_frame(kt.load("planar2r").model, "camera", "tip", [0, 0, 0.1]).frame("camera").X_bf[:3, 3]
    array([1. , 0. , 0.1])
    """
    name = text(name, "a frame's name")
    if name in model.frames:
        raise InputError(f"frame {name!r} exists already; renamed(frames={{{name!r}: ...}}) frees the name")
    on = _frame(model, parent)
    X_bf = _product(on.X_bf, snap(as_placement(X, f"frame {name!r}: pose")))
    new = {name: Frame(name, on.body, X_bf)}
    check_world(new, "with_frame")
    return replace(model, frames={**model.frames, **new})


def with_home(model: Model, values: Any) -> Model:
    """The model that is at home at a configuration (nq,), or with some joints at values and the others where they are.

    Loops are to be closed anew, from there.

    >>> import kinetrace as kt
    >>> with_home(kt.load("planar2r").model, {"joint2": 0.5}).start.round(3).tolist()
    [1.047, 0.5]
    """
    return replace(model, start=home_from(model, values), assembly=None)


def with_payload(
    model: Model, mass: float, frame: str, com: Any = (0.0, 0.0, 0.0), I_com: Any = None, check: Check = "warn"
) -> Model:
    """The model with a rigid body fixed to a frame: mass [kg], centre (3,), inertia about it (3, 3), in the frame.

    >>> import kinetrace as kt
    >>> float(kt.lie.inertia.mass(with_payload(kt.load("planar2r").model, 0.5, "tip").bodies[1].J))
    1.5
    """
    on, what = _frame(model, frame), "payload"
    if on.body == WORLD:
        raise InputError(f"{what}: frame {frame!r} is fixed to the world, where mass moves nothing")
    m, c = number(mass, f"{what}: mass"), numbers(com, f"{what}: com")
    I = np.zeros((3, 3)) if I_com is None else numbers(I_com, f"{what}: inertia")
    for array, shape, which in ((c, (3,), "com"), (I, (3, 3), "inertia")):
        if array.shape != shape:
            raise InputError(f"{what}: {which} must have shape {shape}, got {array.shape}")
    J = inertia.from_mass_com(m, c, symmetric(I, f"{what}: inertia"))
    check_inertias([(what, J)], check_of(check))
    return _with_inertia(model, on, J)


def lock(model: Model, values: Mapping[str, Any]) -> Model:
    """The model with joints held at values, each (nq_i,): their bodies are parts of the bodies before them.

    >>> import kinetrace as kt
    >>> lock(kt.load("planar2r").model, {"joint2": 0.5})
    Model('planar2r', 1 bodies, nq=1, nv=1)
    """
    return _hold_joints(model, _values(model, values))


def _hold_joints(model: Model, at: Mapping[int, Array]) -> Model:
    """The model with the joints of these bodies held at values."""
    bodies, place, resting = list[Body](), dict[int, tuple[int, Array | None]](), model.resting
    place[WORLD] = (WORLD, None)
    for body in model.bodies:
        parent, X = place[body.parent]
        moved = replace(body, index=len(bodies), parent=parent, X_pj=_product(X, body.X_pj))
        if body.index not in at:
            place[body.index] = (len(bodies), None)
            bodies.append(moved)
            continue
        X = snap(moved.placement(at[body.index]).matrix)
        place[body.index] = (parent, X)
        if parent == WORLD:
            resting = _sum(resting, inertia_in_body(X, body.J))
        else:
            carrier, J = bodies[parent], _inertia_of_both(bodies[parent].J, inertia_in_body(X, body.J))
            both = of_both(carrier.link_effects, body.link_effects, X)
            bodies[parent] = replace(carrier, J=J, link_effects=both)
    closures = (_closure_of_held(closure, at, place) for closure in model.closures)
    return replace(
        model,
        bodies=_with_sources(bodies, place),
        frames={name: _on(frame, place) for name, frame in model.frames.items()},
        closures=tuple(x for x in closures if x is not None),
        motors=_motors_of(model, bodies),
        assembly=None,
        resting=resting,
        start=_start_of(model, bodies),
        contacts=moved_contacts(model.contacts, place),
        **actuation.after_holding(model, bodies, at),
    )


def without_bodies(model: Model, names: Sequence[str], check: Check = "warn") -> Model:
    """The model without these bodies, all that hangs from them, and their frames.

    >>> import kinetrace as kt
    >>> without_bodies(kt.load("panda").model, ["panda_link7"]).joint_names[-1]
    'panda_joint6'
    """
    chosen, gone = {_body(model, name).index for name in names}, set[int]()
    for body in model.bodies:
        if body.index in chosen or body.parent in gone:
            gone.add(body.index)
    for body in model.bodies:
        if body.index not in gone and body.mimic is not None and body.mimic.source in gone:
            source = model.bodies[body.mimic.source].joint_name
            raise ModelError(
                f"joint {body.joint_name!r} mimics {source!r}, which is removed: remove {body.name!r}, too"
            )
    closures = []
    for closure in model.closures:
        ends = {term.body for term in closure.terms} or {frame.body for frame in closure.frames}
        if ends & gone and not ends <= gone:
            side = next(model.bodies[i].name for i in sorted(ends & gone))
            hint = f"without_closures({closure.name!r}) first"
            raise ModelError(f"closure {closure.name!r} holds on to {side!r}, which is removed: {hint}")
        closures += [closure] * (not ends & gone)
    kept = [body for body in model.bodies if body.index not in gone]
    place: Places = {WORLD: (WORLD, None)} | {body.index: (i, None) for i, body in enumerate(kept)}
    bodies = [replace(body, index=i, parent=place[body.parent][0]) for i, body in enumerate(kept)]
    frames = {name: _on(frame, place) for name, frame in model.frames.items() if frame.body not in gone}
    shapes = tuple(shape for shape in model.geometry if shape.frame in frames)
    made = replace(
        model,
        bodies=_with_sources(bodies, place),
        frames=frames,
        geometry=shapes,
        contacts=moved_contacts(model.contacts, place),
        contact_rules=left_rules(model.contact_rules, {shape.name for shape in shapes}, frames),
        closures=tuple(_move_closure(closure, place) for closure in closures),
        motors=_motors_of(model, bodies),
        assembly=None,
        start=_start_of(model, bodies),
        **actuation.after_removing(model, bodies),
    )
    check_massless(made, check_of(check))
    return made


def without_closures(model: Model, names: Sequence[str]) -> Model:
    """The model without these closures.

    >>> import kinetrace as kt
    >>> without_closures(kt.load("four_bar").model, ["coupler-rocker"]).closure_rows
    0
    """
    for name in names:
        model.closure_slice(name)
    return replace(model, closures=tuple(x for x in model.closures if x.name not in names), assembly=None)


def join(model: Model, other: Model, frame: str, X: Any = None, prefix: str = "", hold: bool = True) -> Model:
    """The model with the tree of another fixed to a frame, at X in it; with `hold`, a free base of it is held there.

    >>> import kinetrace as kt
    >>> arm = kt.load("planar2r").model
    >>> join(arm, arm, "tip", prefix="second_").joint_names
    ('joint1', 'joint2', 'second_joint1', 'second_joint2')
    """
    on, X_fo = _frame(model, frame), snap(as_placement(X, "joined: pose"))
    other = rename(other, prefix=prefix)
    base = _free_base(other) if hold else None
    check_clashes(model, other, base)
    n, X_bo = len(model.bodies), _product(on.X_bf, X_fo)
    place: Places = {WORLD: (on.body, X_bo)} | {body.index: (n + body.index, None) for body in other.bodies}
    bodies = []
    for body in other.bodies:
        parent, X_p = place[body.parent]
        bodies.append(replace(body, index=n + body.index, parent=parent, X_pj=_product(X_p, body.X_pj)))
    chosen = model.motors is not None or other.motors is not None
    motors = (*model.motor_names, *(x for x in other.motor_names if base is None or x != base.joint_name))
    ends, frames = frozenset({WORLD_NAME} - other.frames.keys()), {x: _on(f, place) for x, f in other.frames.items()}
    check_world(frames, "joined", "; prefix='...' renames the frames of the other")
    made = replace(
        model,
        bodies=(*model.bodies, *_with_sources(bodies, place)),
        frames={**model.frames, **frames},
        geometry=(*model.geometry, *other.geometry),
        contacts=both_contacts(model.contacts, moved_contacts(other.contacts, place)),
        contact_rules=both_rules(model.contact_rules, other.contact_rules),
        closures=(*model.closures, *(_on_frame(_move_closure(x, place), ends, on.name) for x in other.closures)),
        fluid=one_fluid(model.fluid, other.fluid),
        motors=motors if chosen else None,
        assembly=None,
        start=None if model.start is other.start is None else np.concatenate([_start(model), _start(other)]),
        **actuation.of_both(model, other),
    )
    if other.resting is not None:
        made = _with_inertia(made, Frame("", on.body, X_bo), other.resting)
    return made if base is None else _hold_joints(made, {n + base.index: base.joint.neutral()})


def _frame(model: Model, name: str) -> Frame:
    """A frame of the model, or the world's own."""
    if is_hashable(name) and name == WORLD_NAME and name not in model.frames:
        return Frame(WORLD_NAME, WORLD, np.eye(4))
    return model.frame(name)


def _body(model: Model, name: str) -> Body:
    """The body of that name."""
    found = next((body for body in model.bodies if isinstance(name, str) and body.name == name), None)
    if found is not None:
        return found
    if is_hashable(name) and name in model.frames:
        index = model.frames[name].body
        if index == WORLD:
            raise InputError(f"{name!r} is fixed to the world: it cannot be removed on its own")
        raise InputError(f"{name!r} is a fixed part of body {model.bodies[index].name!r}: remove that")
    raise unknown_name_error("body", name, [body.name for body in model.bodies], "robot.frame_names")


def _with_inertia(model: Model, on: Frame, J: Array) -> Model:
    """The model with a further inertia in a frame."""
    more = inertia_in_body(on.X_bf, J)
    if on.body == WORLD:
        return replace(model, resting=_sum(model.resting, more))
    J_all = _inertia_of_both(model.bodies[on.body].J, more)
    return replace(model, bodies=tuple(replace(b, J=J_all) if b.index == on.body else b for b in model.bodies))


def _product(X: Array | None, Y: Array) -> Array:
    """The pose X Y, rounded; Y itself if X is the identity or None, and X itself if Y is the identity."""
    if X is None or is_identity(X):
        return Y
    return X if is_identity(Y) else snap(X @ Y)


def _inertia_of_both(J: Array, more: Array) -> Array:
    """J + more, rounded; entries to which nothing is added stay to the bit."""
    total = without_noise(J + more)
    return np.where(more == 0.0, J, total) if is_concrete(total) else total


def _sum(J: Array | None, more: Array) -> Array | None:
    """The inertia of both; None if that is nothing."""
    total = more if J is None else J + more
    return total if np.any(total) else None


def _values(model: Model, values: Mapping[str, Any]) -> dict[int, Array]:
    """Body → the configuration (nq_i,) that its joint is held at, mimics of named ones too."""
    if not isinstance(values, Mapping):
        raise InputError(f"locked: expected joints and their values, as {{'elbow': 0.5}}, got {type(values).__name__}")
    bodies = {body.joint_name: body for body in model.bodies}
    at, most = dict[int, Array](), dict[int, Tolerances]()
    for name, value in values.items():
        if not is_hashable(name) or name not in bodies:
            raise unknown_name_error("joint", name, model.joint_names, "robot.joint_names")
        body = bodies[name]
        if body.mimic is not None:
            source = model.bodies[body.mimic.source].joint_name
            raise InputError(f"joint {name!r} mimics {source!r}: lock that, and {name!r} is locked with it")
        q = real(value, f"locked: joint {name!r}")
        q = q[None] if q.shape == () and body.joint.nq == 1 else q
        if q.shape != (body.joint.nq,):
            raise no_configuration("locked", name, body.joint.nq, q.shape)
        most[body.index] = tolerances_of(as_array(name, value))
        try:
            check_joint(body, q, "locked", most[body.index])
        except InputError as error:
            limits, units = body.limits, q_units(body.joint)
            hints = (in_radians(q, k, limits.lower, limits.upper, units, what=name) for k in range(len(q)))
            raise InputError("; ".join([str(error), *filter(None, hints)][:2])) from None
        at[body.index] = body.joint.normalise(q)
    for body in model.bodies:
        if body.mimic is not None and body.mimic.source in at:
            check_follower(model, body, body.mimic, at[body.mimic.source], "locked", most[body.mimic.source])
            at[body.index] = body.mimic.position(at[body.mimic.source])
    return at


def _closure_of_held(closure: Closure, at: Mapping[int, Array], place: Places) -> Closure | None:
    """A closure about joints of which some are locked; none if it holds whatever the others do."""
    constant = [term.factors @ at[term.body] for term in closure.terms if term.body in at]
    terms = [term for term in closure.terms if term.body not in at]
    offset = closure.offset - sum(constant) if constant else closure.offset
    moved = _move_closure(replace(closure, terms=tuple(terms), offset=offset), place)
    if terms or moved.a.body != moved.b.body:
        return moved
    residual = moved.constraint.residual(se3.inverse(moved.a.X_bf) @ moved.b.X_bf) - moved.offset
    error = float(np.abs(residual).max(initial=0.0))
    if not error < DOUBLE.open:
        raise ModelError(f"closure {closure.name!r} is open by {error:.3g} (m or rad) where these joints are locked")
    return None


def _on(frame: Frame, place: Places) -> Frame:
    """A frame on the body that its own is part of now."""
    body, X = place[frame.body]
    return replace(frame, body=body, X_bf=_product(X, frame.X_bf))


def _move_closure(closure: Closure, place: Places) -> Closure:
    """A closure on the bodies that its own are part of now; couplings have no frames."""
    terms = tuple(Term(place[term.body][0], term.factors) for term in closure.terms)
    if closure.a.body == closure.b.body == WORLD:
        return replace(closure, terms=terms)
    return replace(closure, a=_on(closure.a, place), b=_on(closure.b, place), terms=terms)


def _with_sources(bodies: Sequence[Body], place: Places) -> tuple[Body, ...]:
    """Bodies whose mimics name bodies of before, with the names of now."""
    return tuple(
        body if body.mimic is None else replace(body, mimic=replace(body.mimic, source=place[body.mimic.source][0]))
        for body in bodies
    )


def _free_base(model: Model) -> Body | None:
    """The root link, if it floats by a free joint and no other body is on the world."""
    on_world = [body for body in model.bodies if body.parent == WORLD]
    floats = len(on_world) == 1 and isinstance(on_world[0].joint, Free)
    return on_world[0] if floats and model.root is not None and model.root.body == on_world[0].index else None


def _on_frame(closure: Closure, ends: frozenset[str], name: str) -> Closure:
    """A closure whose ends of these names are called after another frame."""
    a, b = (replace(f, name=name) if f.name in ends else f for f in closure.frames)
    return replace(closure, a=a, b=b)


def _motors_of(model: Model, bodies: Sequence[Body]) -> tuple[str, ...] | None:
    """The joints that have motors, of those that are left; None if the model does not name any."""
    left = {body.joint_name for body in bodies}
    return None if model.motors is None else tuple(x for x in model.motors if x in left)


def _start_of(model: Model, bodies: Sequence[Body]) -> Array | None:
    """The start, of the joints that are left; None if the model has none."""
    if model.start is None:
        return None
    parts = {body.joint_name: model.start[model.slices[body.index][0]] for body in model.independent_joints}
    return np.concatenate([np.zeros(0), *(parts[body.joint_name] for body in bodies if body.mimic is None)])


def _start(model: Model) -> Array:
    """The start of a model, or where it is without one."""
    return home(model) if model.start is None else model.start
