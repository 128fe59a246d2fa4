"""The programs that a page runs: kinematics, dynamics and simulation of one robot, as JavaScript.

`programs(model)` is the text of one expression, an object; `mechanics.js` makes it of the robot's data and of traced
programs. Arrays in are Float64Arrays or plain arrays; arrays out are new Float64Arrays. Matrices are stored row by row;
conventions are those of the library. Indices of bodies are those of `model.bodies`, -1 being the world; points are in
the frame of their body [m], by default its origin. Nothing is thrown for numbers that are not finite.

Data

    name, nq, nv    of the robot
    parts           those that are there; functions of other parts are not
    bodies          [{name, parent, joint, type, q: [begin, end], v: [begin, end], ratio, mimic, lower, upper}]; type is
                    the joint's class in lower case; a mimic joint has the q and v of its source, and its ratio, else 1:
                    a matrix, as rows, if that is not the same number for each variable; limits of q are null where
                    there are none, and of joints that follow by a matrix
    frames          [{name, body, pose}], the pose (16) in the body
    closures        their names; closed: whether there are some
    massless        names of joints that move no mass: there is no acceleration then
    slots           of robots in worlds: names of the k places where shapes may touch
    independent     places in v of velocities that determine all, with loops closed; driven: those of joints with motors
    neutral, home   configurations (nq); home is within the limits, with loops closed; copy before you change them
    screw_of        the first screw of each body's joint, and the number of all

Part "kinematics", always there

    poses(q)                            (16 (n + f)): of the n bodies, then of the f frames
    screws(q)                           (6 s): of all degrees of freedom of joints, body by body: twists (w, v) of the
                                        world, v being the velocity of the point at the world's origin
    center_of_mass(q)                   (3), in the world
    point(q, body, point)               (3): where a point of a body is, in the world
    jacobian(q, body, point)            (6 nv): angular velocity and the velocity of the point, in the world's axes
    velocity(q, v, body, point)         (6): the same, times v
    point_force(q, body, point, force)  (nv): a force (3) on that point, in the world's axes, as joint forces
    velocity_ellipsoid(q, body, point)  {radii (3), axes (9)}: velocities of the point for |v| = 1, with loops closed;
                                        largest first, axes in columns
    manipulability(q, body, point)      product of the radii that are not zero everywhere
    integrate(q, dq), difference(q0, q1), normalise(q)      as the robot's
    reach(q, body, point, target, {damping, longest, limits, held})
                                        q after a damped least-squares step that brings the point to a target (3) in the
                                        world; `held` are places in v that do not move
    energy(q, v)                        {kinetic, potential}; as the robot's, springs and stops included
    gravity(q)                          (nv)
    mass_matrix(q)                      (nv nv)
    mobility(q, A)                      (m): the diagonal of A M⁻¹ Aᵀ, for rows A (m nv); loops open
    assemble(q, held)                   with closures: the nearest configuration with loops closed, within limits; null
                                        if there is none near
    motor_forces(q)                     with closures: (nv), the least forces of motors that hold the robot against
                                        gravity, zero in joints without motors; null if they cannot hold it
    project(q, v, q0)                   with closures: {q, v}, the nearest state with loops closed, by kinetic energy at
                                        q0, the last stage of a step; by default at q. NaN if there is none near
    closure_residual(q)                 with closures: (rows)
    closure_ends(q)                     with closures of frames: (6 k): the two points that each holds together, in the
                                        world

Part "dynamics"

    forward_dynamics(q, v, tau)         (nv), with joint effects and closures
    step(q, v, tau, dt, kept)           {q, v, kept} after a step of Runge and Kutta's method of order four, "rk4", and
                                        a projection of closed loops. Where steps solve for contacts, dry friction or
                                        hard stops, the method is "semi-implicit", and the next step begins with
                                        `kept`, all that it keeps as one array; without it, from rest
    contacts(q, kept, dt)               of robots in worlds: {gaps (k), points (3 k), forces (3 k)} of the k slots, in
                                        the world: forces on the first shape of each pair in a step of dt that has left
                                        `kept`; zero without
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import algorithms
from ..algorithms.closed.loop_closing import CLOSED_RESIDUAL, near_configuration
from ..algorithms.closed.mobility import analysed
from ..algorithms.closed.projection import ClosurePoint
from ..algorithms.closed.step_projection import closed_state
from ..algorithms.contact.slots import slot_rows
from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.kinematics.forward_kinematics import body_poses, link_pose
from ..algorithms.sweeps.tree import outward
from ..algorithms.time.contact_steps import CONTACT_IMPULSES
from ..algorithms.time.integrators import state_after
from ..algorithms.time.methods import SOLVING_METHOD, initial_kept, solves_rows
from ..algorithms.time.state import State
from ..algorithms.time.step_inputs import StepInputs
from ..arrays import Array, asarray, concatenate, less, stack, where
from ..engine.compilation.program import program
from ..engine.targets.text.javascript import dense
from ..engine.targets.text.unit import Unit, unit
from ..errors import lookup
from ..lie import inertia
from ..model import configurations
from ..model.effects.joint_effects import has_effects
from ..model.model import Model
from .skeleton import loops
from .worlds.shown import slots_of

PROGRAM_PARTS = ("kinematics", "dynamics")
"""Parts that a page may have."""


LARGE_NV = 64
"""Degrees of freedom from which a page has no dynamics unless it asks for them: their text is half a megabyte then."""
LARGE_SLOTS, LARGE_STEP = 128, 150_000
"""Places where shapes may touch, and operations of a step that solves for contacts, from which a page has no dynamics:
the text of so many is two megabytes, and a step takes some milliseconds."""


def programs(model: Model, parts: Sequence[str] | None = None) -> str:
    """JavaScript of all functions of a robot that a page needs: one expression, an object; see the module.

    Parameters
    ----------
    model : Model
        Robot as data; `robot.model`.
    parts : sequence of str, optional
        Names of parts, "kinematics" and "dynamics"; all unless given, kinematics alone of a robot with more than 64
        degrees of freedom, or with joints that move no mass, or in worlds whose steps are too large.

    Returns
    -------
    str
        The text, plain ASCII that can stand in a script of a page.

    Raises
    ------
    InputError
        If there is no such part.

    Examples
    --------
    >>> import kinetrace as kt
    >>> text = programs(kt.load("planar2r").model, ["kinematics"])
    >>> text[:25], text.isascii(), "</" in text
    ('(function () {\\n"use stric', True, False)
    """
    model = analysed(model)
    chosen = (PROGRAM_PARTS if _is_simulated(model) else ()) if parts is None else parts
    for part in chosen:
        lookup("part", part, dict.fromkeys(PROGRAM_PARTS))
    has = {"kinematics", *chosen}
    texts, names = list[str](), list[str]()
    for name, function, shapes in _functions(model, has):
        texts += dense(_step_unit(model) if function is _advance else _unit(model, name, function, shapes))
        names.append(f"{name}: robot_{name}")
    data = _data(model, [part for part in PROGRAM_PARTS if part in has])
    call = f"return mechanics({data}, {{ {', '.join(names)} }});"
    return "\n".join(["(function () {", '"use strict";', *texts, _mechanics(), call, "})()"])


def _mechanics() -> str:
    """The code that all robots share, without comments and margins."""
    lines = Path(__file__).with_name("mechanics.js").read_text(encoding="ascii").splitlines()
    return "\n".join(line for line in map(str.strip, lines) if line and not line.startswith("//"))


def _functions(model: Model, has: set[str]) -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """The functions that are traced, with shapes of arguments that their names do not tell."""
    yield "poses", _poses, {}
    if not all(b.joint.has_constant_subspace for b in model.bodies):
        yield "subspaces", _subspaces, {}
    yield "integrate", Model.integrate, {}
    yield "difference", Model.difference, {"q0": model.nq, "q1": model.nq}
    yield "normalise", Model.normalise, {}
    if has_effects(model):
        yield "stored_energy", Model.stored_energy, {}
    if model.closures:
        yield "closure_residual", algorithms.closure_residual, {}
        yield "closure_jacobian", algorithms.closure_jacobian, {}
        yield "assemble", _assemble, {"held": model.nv}
        yield "project", _project, {}
    if loops(model):
        yield "closure_ends", _closure_ends, {}
    if "dynamics" in has:
        yield "forward_dynamics", algorithms.forward_dynamics, {}
        if solves_rows(model):
            yield "advance", _advance, {}
        elif any(b.joint.nv > 1 for b in model.bodies):
            yield "bracket", _bracket, {"theta": model.nv}
        if model.contacts is not None:
            yield "contact_points", algorithms.contact_points, _table_shapes(model)


def _poses(model: Model, q: Array) -> Array:
    """The first three rows of the poses of all bodies (n, 12)."""
    poses = outward(model, link_pose, np.eye(4), model.split_q(q))
    return stack([X[:3].reshape(12) for X in poses], axis=0) if poses else np.zeros((0, 12))


def _subspaces(model: Model, q: Array) -> Array:
    """The screws of all joints, each in its body (s, 6)."""
    screws = (b.subspace(x).T for b, x in zip(model.bodies, model.split_q(q), strict=True))
    return concatenate([np.zeros((0, 6)), *screws], axis=0)


def _closure_ends(model: Model, q: Array) -> Array:
    """The points (k, 2, 3) that closures of frames hold together."""
    poses = body_poses(model, q)
    return stack([x.ends(poses[x.a.body], poses[x.b.body]) for x in loops(model)], axis=0)


def _assemble(model: Model, q: Array, held: Array) -> Array:
    """The nearest configuration (nq,) with loops closed, where joints with held = 1 stay; NaN if there is none near."""
    found, left = near_configuration(model, q, held)
    return where(less(left, CLOSED_RESIDUAL), found, math.nan)


def _project(model: Model, q: Array, v: Array, q0: Array) -> Array:
    """The nearest state (nq + nv,) with loops closed, after a step in time whose last stage was at q0."""
    return concatenate(closed_state(model, q, v, None, ClosurePoint(q0, None)))


def _bracket(model: Model, theta: Array, v: Array) -> Array:
    """[θ, v] of all joints (nv,)."""
    return model.bracket(theta, v)


def _is_simulated(model: Model) -> bool:
    """Whether a page simulates a robot unasked."""
    if model.nv > LARGE_NV or model.massless or len(slots_of(model)) > LARGE_SLOTS:
        return False
    return model.contacts is None or _step_unit(model).program.count().flops <= LARGE_STEP


def _unit(model: Model, name: str, function: Callable[..., Any], shapes: dict[str, Any]) -> Unit:
    return unit(program(function, model, shapes=shapes, rolls=True), f"robot_{name}")


@lru_cache(maxsize=4)
def _step_unit(model: Model) -> Unit:
    """The program of `_advance`."""
    size = len(_joined(initial_kept(model, SOLVING_METHOD)))
    return _unit(model, "advance", _advance, {"kept": size, **_table_shapes(model)})


def _tables(model: Model) -> dict[str, Array]:
    """Heights of grounds by the names of inputs: arrays of the page, which would stand in programs many times."""
    shapes = () if model.contacts is None else model.contacts.shapes
    return {f"{x.name}.heights": np.asarray(x.size) for x in shapes if x.kind == "heights"}


def _table_shapes(model: Model) -> dict[str, Any]:
    shapes = {name: x.shape for name, x in _tables(model).items()}
    return {"contact": shapes} if shapes else {}


def _advance(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    kept: Array,
    contact: Mapping[str, Array] | None = None,
) -> Array:
    """The state (nq + nv + ·,) after a step that solves for contacts, dry friction or hard stops, and what it keeps."""
    before, at = initial_kept(model, SOLVING_METHOD), 0
    for name, x in before.items():
        before[name] = kept[at : at + np.size(x)].reshape(np.shape(x))
        at += np.size(x)
    state = State(q, v, before)
    inputs = StepInputs(tau, ExternalInputs(contact=contact))
    after = state_after(model, state, dt, SOLVING_METHOD, inputs, project=True)
    return concatenate([after.q, after.v, _joined({name: after.kept[name] for name in before})])


def _joined(kept: Mapping[str, Array]) -> Array:
    """Arrays as one."""
    return concatenate([np.zeros(0), *(asarray(x).reshape(-1) for x in kept.values())])


def _data(model: Model, parts: list[str]) -> str:
    """Constant data of a robot, as JSON that can stand in a page."""
    neutral, bodies = model.neutral(), model.bodies
    data = {
        "name": model.name,
        "nq": model.nq,
        "nv": model.nv,
        "parts": parts,
        "bodies": [_body(model, k) for k in range(len(bodies))],
        "frames": [{"name": x.name, "body": x.body, "pose": x.X_bf.ravel()} for x in model.frames.values()],
        "closures": [closure.name for closure in model.closures],
        **_kept_data(model),
        "position_rows": model.rows_hold_positions,
        "independent": model.independent,
        "driven": model.driven,
        "massless": [x.joint for x in model.massless],
        "neutral": neutral,
        "home": configurations.home(model),
        "lower": model.bounds.lower,
        "upper": model.bounds.upper,
        "gravity": model.gravity,
        "inertias": [inertia.to_parameters(b.J) for b in bodies],
        "armature": np.concatenate([np.zeros(0), *(np.diagonal(b.armature) for b in bodies)]),
        "screws": sum(b.joint.nv for b in bodies),
        "screw_of": np.cumsum([0, *(b.joint.nv for b in bodies)]),
        "subspaces": _subspaces(model, neutral).ravel(),
    }
    return json.dumps(data, default=_plain, separators=(",", ":")).replace("<", "\\u003c")


def _kept_data(model: Model) -> dict[str, Any]:
    """What steps keep, and where impulses of contacts are in it, if steps solve for anything."""
    if not solves_rows(model):
        return {}
    sizes = {name: np.size(x) for name, x in initial_kept(model, SOLVING_METHOD).items()}
    data: dict[str, Any] = {"kept": sum(sizes.values())}
    if model.contacts is None:
        return data
    first = sum(size for name, size in list(sizes.items())[: list(sizes).index(CONTACT_IMPULSES)])
    tables = [x.ravel() for x in _tables(model).values()]
    rows = slot_rows(model.contacts)
    return {**data, "slots": slots_of(model), "slot_rows": rows, "impulses": first, "tables": tables}


def _body(model: Model, k: int) -> dict[str, Any]:
    body = model.bodies[k]
    source = k if body.mimic is None else body.mimic.source
    same = (1, 0.0) if body.mimic is None else body.mimic.same_for_each
    q, v = model.slices[source]
    return {
        "name": body.name,
        "parent": body.parent,
        "joint": body.joint_name,
        "type": type(body.joint).__name__.lower(),
        "q": [q.start, q.stop],
        "v": [v.start, v.stop],
        "ratio": same[0] if same else body.mimic and body.mimic.ratio.tolist(),
        "mimic": body.mimic is not None,
        "lower": body.limits.lower if same else None,
        "upper": body.limits.upper if same else None,
    }


def _plain(x: Any) -> Any:
    """Arrays as lists of numbers, null for those that are not finite."""
    numbers = np.asarray(x)
    return [_number(y) for y in numbers.ravel().tolist()] if numbers.ndim else _number(numbers.item())


def _number(x: float) -> float | int | None:
    if not np.isfinite(x):
        return None
    return int(x) if x == int(x) and abs(x) < 1e15 else x
