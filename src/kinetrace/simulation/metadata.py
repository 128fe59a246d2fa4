"""Metadata of a trajectory: names and units, events, failures; and all that as JSON."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.time.state import State
from ..arrays import tree_leaves
from ..errors import SimulationWarning, value_text, warn
from ..model import configurations
from ..model.model import Model
from ..robot.types import Float
from ..worlds import World
from .inputs import SimulationState, StateNotKept

if TYPE_CHECKING:
    from .trajectory import Trajectory


class VariableNames(NamedTuple):
    """The entries of q, v and τ: names, and units."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    q_units: tuple[str, ...]
    v_units: tuple[str, ...]
    tau_units: tuple[str, ...]


@lru_cache(maxsize=64)
def names_of(model: Model) -> VariableNames:
    """Names of joints, with the number of the entry where a joint has several.

    >>> import kinetrace as kt
    >>> names = names_of(kt.load("stanford").model)
    >>> names.q[2], names.q_units[2], names.v_units[2], names.tau_units[2]
    ('joint3', 'm', 'm/s', 'N')
    """
    q: list[str] = []
    v: list[str] = []
    q_units: list[str] = []
    v_units: list[str] = []
    for body in model.independent_joints:
        joint, name = body.joint, body.joint_name
        q += [name] if joint.nq == 1 else [f"{name}[{i}]" for i in range(joint.nq)]
        v += [name] if joint.nv == 1 else [f"{name}[{i}]" for i in range(joint.nv)]
        q_units += configurations.q_units(joint)
        v_units += [f"{x}/s" for x in configurations.v_units(joint)]
    forces = tuple("N m" if x == "rad/s" else "N" for x in v_units)
    return VariableNames(tuple(q), tuple(v), tuple(q_units), tuple(v_units), forces)


class Event(NamedTuple):
    """Zero of an event function of (t, q, v)."""

    name: str
    t: float
    q: Float
    v: Float


class MotionFailure(NamedTuple):
    """Failure of a motion: its numbers ceased to be finite, or an adaptive solver failed."""

    step: int
    """The step that led there, counted from 0; of adaptive methods, the last row."""
    t: float
    lane: tuple[int, ...]
    """Batch index of the motion; () without batch axes."""
    joint: str | None
    """The joint that left first: whose velocity was the first to pass ten times its limit, and did not come back.

    If none had left, it is the first whose force is not finite, else the first whose velocity is not. If all velocities
    or none are finite, it is the one that was fastest before, relative to its limit; at rest, the one with the largest
    force. If an adaptive solver failed, it is the one that is fastest in the last row; at rest, the first. None if
    the wrench of a function was the cause.
    """
    by_controller: bool = False
    """Whether the controller's force on this joint was the first number that was not finite, and no joint had left."""
    frame: str | None = None
    """The frame on which the wrench of a function was not finite, if that was the cause and is known."""


class Excess(NamedTuple):
    """Passage of a joint beyond a limit, where it is furthest."""

    quantity: str
    """"position", "velocity" or "force"."""
    joint: str
    """Name of the joint, with the number of the entry where it has several."""
    unit: str
    value: float
    """The number that is furthest beyond, with its sign."""
    limit: float
    """The limit that it passes."""
    t: float
    """Time of that number [s]."""
    since: float
    """Time of the first number beyond the limits [s]."""
    lane: tuple[int, ...] = ()
    """Batch index of the motion; () without batch axes."""
    lanes: int = 1
    """Number of motions of the batch in which the joint is beyond."""

    @property
    def by(self) -> float:
        """How far the value is beyond the limit."""
        return abs(self.value - self.limit)


ENTRIES_NAMED = 5
"""Entries of a controller's state that a warning names."""
_TYPES: dict[str, Any] = {"robot_name": str, "method": str, "interrupted": bool, "dt": float | int}


def to_json(motion: Trajectory) -> str:
    """All but the numbers at times and the robot; of the part of a scene, that of the scene, and which part it is."""
    part: dict[str, Any] = {}
    if motion.scene is not None and motion.world is not None:
        sizes = {"nq": motion.q.shape[-1], "nv": motion.v.shape[-1], "robot_name": motion.robot_name}
        part, motion = {"part": {**sizes, "world": motion.world.to_json()}}, motion.scene
    told = {name: getattr(motion, name) for name in _TYPES}
    events = [(x.name, float(x.t), np.asarray(x.q).tolist(), np.asarray(x.v).tolist()) for x in motion.events]
    names, shapes = motion.names._asdict(), [x.shape[motion.q.ndim - 1 :] for x in leaves(motion).values()]
    states = {"states": structure(_rows(motion)), "shapes": shapes, "end": _end_to_json(motion)}
    inputs = {name: _array_to_json(x) for name, x in motion.contact_inputs.items()}
    further = {"reports": bool(motion.reported), "inputs": inputs} if motion.reported or inputs else {}
    about = {**told, "names": names, "failures": motion.failures, "events": events}
    return json.dumps({**about, **states, **further, **part})


def whole(motion: Trajectory) -> Trajectory:
    """The motion of the scene, if this is a part of one."""
    return motion if motion.scene is None else motion.scene


def _rows(motion: Trajectory) -> Any:
    """Further arrays with rows: the controller's states, and what steps report."""
    return {"states": motion.states, "reported": dict(motion.reported)} if motion.reported else motion.states


def further_rows(found: dict[str, Any]) -> dict[str, Any]:
    """The fields of a trajectory, with what steps report apart from the controller's states."""
    if not found.pop("reports", False):
        return found
    both = found["states"]
    return {**found, **both}


def _array_to_json(x: Any) -> list[Any]:
    x = np.asarray(x)
    return [x.dtype.str, x.shape, base64.b64encode(np.ascontiguousarray(x).tobytes()).decode()]


def _array_from_json(kind: str, shape: Any, text: str) -> Any:
    if np.dtype(kind).kind not in "biuf":
        raise ValueError("arrays must be of numbers")
    return np.frombuffer(base64.b64decode(text, validate=True), kind).reshape(shape)


def from_json(text: str) -> tuple[dict[str, Any], tuple[Any, list[Any]]]:
    """The fields of a trajectory in such a text; and of its states, their structure and the shapes of a row.

    What is no such text raises a ValueError, a KeyError or the like.
    """
    about = json.loads(text)
    states = about.pop("states", None), about.pop("shapes", [])
    found: dict[str, Any] = {
        "names": VariableNames(**{key: _texts(x) for key, x in about.pop("names").items()}),
        "failures": tuple(_failure(*x) for x in about.pop("failures", ())),
        "events": tuple(_event(*x) for x in about.pop("events", ())),
        "end": _end_from_json(about.pop("end", None)),
    }
    if "part" in about:
        found["part"] = _part(**about.pop("part"))
    if "reports" in about:
        found["reports"] = about.pop("reports") is True
        found["contact_inputs"] = {str(name): _array_from_json(*x) for name, x in about.pop("inputs").items()}
    for name, x in about.items():
        if name not in _TYPES or not _is(x, _TYPES[name]):
            raise ValueError(f"unexpected content: {value_text(name)} is {value_text(x)}")
    return {**found, **about}, states


class ScenePart(NamedTuple):
    """Which part of a scene a motion is."""

    nq: int
    nv: int
    robot_name: str
    world: World


def _part(nq: Any, nv: Any, robot_name: Any, world: Any) -> ScenePart:
    if not (_is(nq, int) and _is(nv, int) and nq >= 0 and nv >= 0 and _is(robot_name, str) and _is(world, str)):
        raise ValueError(f"a part of a scene must be sizes, a name and a world; got {value_text([nq, nv, robot_name])}")
    return ScenePart(nq, nv, robot_name, World.from_json(world))


class LastRow(NamedTuple):
    """What a simulation goes on with, and the last row that was recorded then."""

    t: float
    now: SimulationState


_NUMBERS_OF_END: dict[str, Any] = {"step": int, "dt": float, "project": bool}
"""Fields of `SimulationState` that are plain numbers in JSON; the others are arrays by their names."""


def _end_to_json(motion: Trajectory) -> Any:
    """What a simulation goes on with, its arrays as bytes in base64; with a warning of a state that is no numbers."""
    if motion.end is None or not len(motion):
        return None
    why = _why_not_kept(motion.end.controller)
    fields = (motion.end._replace(controller=None) if why else motion.end)._asdict()
    numbers = {name: kind(fields.pop(name)) for name, kind in _NUMBERS_OF_END.items()}
    arrays = [np.asarray(x) for x in tree_leaves(fields)]
    texts = [_array_to_json(x) for x in arrays]
    found = {"t": float(motion.t[-1]), **numbers, "structure": structure(fields), "arrays": texts}
    if not why:
        return found
    what = f"the controller's state at the end is not kept, as it is not made of numbers: {why}"
    warn(f"{what}; resume of what is read needs it, as state=", SimulationWarning)
    return {**found, "not_kept": why}


def _why_not_kept(state: Any) -> str:
    """Which entries of a controller's state a file cannot keep, and what they are; empty if there are none.

    >>> _why_not_kept({"total": [0.0, np.zeros(2)], "log": {1}, "by": {("a", 0): 1.0}})
    "['log'] is of type set, ['by'] has a key of type tuple"
    """
    if isinstance(state, StateNotKept):
        return state.why
    told = list(_not_kept(state))
    more = f" and {len(told) - ENTRIES_NAMED} more" if len(told) > ENTRIES_NAMED else ""
    return ", ".join(told[:ENTRIES_NAMED]) + more


def _not_kept(x: Any, at: str = "") -> Iterator[str]:
    if x is None or (isinstance(x, int | float | np.generic | np.ndarray) and np.asarray(x).dtype.kind in "biuf"):
        return
    if isinstance(x, dict):
        strange = [key for key in x if not isinstance(key, str | int | float | None)]
        yield from (f"{at or 'it'} has a key of type {type(key).__name__}" for key in strange[:1])
    if isinstance(x, dict | tuple | list):
        names = x.keys() if isinstance(x, dict) else getattr(x, "_fields", range(len(x)))
        for name, part in zip(names, x.values() if isinstance(x, dict) else x, strict=True):
            yield from _not_kept(part, f"{at}[{value_text(name)}]")
        return
    numbers = f", of {x.dtype}" if isinstance(x, np.ndarray | np.generic) else ""
    yield f"{at or 'it'} is of type {type(x).__name__}{numbers}"


def _end_from_json(x: Any) -> LastRow | None:
    """The same from JSON; a ValueError or the like if it is something else."""
    if x is None:
        return None
    t, texts, numbers = x["t"], x["arrays"], {name: x[name] for name in _NUMBERS_OF_END}
    if not (_is(t, float | int) and all(_is(n, _NUMBERS_OF_END[k]) for k, n in numbers.items()) and x["step"] >= 0):
        told = value_text([t, *numbers.values()])
        raise ValueError(f"a last state must be at a time, a step and with a length of steps; got {told}")
    if not (np.isfinite(t) and np.isfinite(x["dt"])):
        raise ValueError(f"a last state must be at a finite time; got {value_text([t, x['dt']])}")
    arrays = [_array_from_json(*x) for x in texts]
    fields = dict(fill_structure(x["structure"], iter(arrays)))
    fields["state"] = State(**fields["state"])
    if not all(isinstance(y, dict) for y in (fields["external"], fields["state"].kept)):
        raise ValueError("inputs of a last state, and what its method keeps, must have names")
    if unknown := set(fields["external"]) - set(ExternalInputs._fields):
        raise ValueError(f"a last state has inputs that are not known: {value_text(sorted(unknown))}")
    for name, kind in (("controller_axes", int), ("functions", bool)):
        fields[name] = kind(fields[name])
    if x.get("not_kept"):
        fields["controller"] = StateNotKept(*_texts([x["not_kept"]]))
    return LastRow(t, SimulationState(**numbers, **fields))


def fitting_end(last: LastRow | None, found: Mapping[str, Any]) -> SimulationState | None:
    """What a simulation goes on with, if these are all its motions, and rows to their end."""
    if last is None or not len(found["t"]) or found["t"][-1] != last.t:
        return None
    shapes = [found[name].shape[:-2] + found[name].shape[-1:] for name in ("q", "v")]
    return last.now if [x.shape for x in last.now.state[:2]] == shapes else None


def check_fields(found: Mapping[str, Any]) -> None:
    """A ValueError unless the fields of a trajectory can be those of its numbers."""
    t, lanes, (nq, nv) = found["t"], found["q"].shape[:-2], (found[x].shape[-1] for x in ("q", "v"))
    dt = found["dt"]
    if not (math.isfinite(dt) and (dt > 0 or (dt == 0 and len(t) < 2))):
        raise ValueError(f"dt must be a finite time, above zero; got {value_text(dt)}")
    for x in found.get("failures", ()):
        if len(x.lane) != len(lanes) or any(not 0 <= k < n for k, n in zip(x.lane, lanes, strict=True)):
            raise ValueError(f"a failure is of lane {value_text(x.lane)}, but the batch is {lanes}")
        if x.step < 0 or not math.isfinite(x.t):
            raise ValueError(f"a failure must be at a step and a finite time, got {x.step} and {x.t}")
    for x in found.get("events", ()):
        if not math.isfinite(x.t) or not (np.isfinite(x.q).all() and np.isfinite(x.v).all()):
            raise ValueError(f"event {value_text(x.name)} must be at a finite time and state")
        if (x.q.shape, x.v.shape) != ((nq,), (nv,)):
            raise ValueError(f"event {value_text(x.name)} must have q ({nq},) and v ({nv},)")


def _is(x: Any, kind: Any) -> bool:
    """Whether a value of JSON is of a kind; true and false are no numbers, and numbers are those of floats."""
    if not isinstance(x, kind) or (isinstance(x, bool) and kind is not bool):
        return False
    return not isinstance(x, int) or abs(x) <= 2**53


def _texts(x: Any) -> tuple[str, ...]:
    if not isinstance(x, list) or not all(isinstance(each, str) for each in x):
        raise ValueError(f"names and units must be lists of texts, got {value_text(x)}")
    return tuple(x)


def _failure(step: Any, t: Any, lane: Any, joint: Any, by_controller: Any = False, frame: Any = None) -> MotionFailure:
    names = ((x, str) for x in (joint, frame) if x is not None)
    given = ((step, int), (t, float | int), *names, (by_controller, bool), *((k, int) for k in lane))
    if not all(_is(x, kind) for x, kind in given):
        raise ValueError(
            f"a failure must be a step, a time, a lane and a joint; got {value_text([step, t, lane, joint])}"
        )
    return MotionFailure(step, float(t), tuple(lane), joint, by_controller, frame)


def _event(name: Any, t: Any, q: Any, v: Any) -> Event:
    if not isinstance(name, str) or not all(_is(x, float | int) for x in (t, *q, *v)):
        raise ValueError(f"an event must be a name, a time, q and v; got {value_text([name, t, q, v])}")
    return Event(name, float(t), np.array(q, float), np.array(v, float))


_LIST = "list"


def structure(states: Any) -> Any:
    """How dicts, tuples and lists of a controller's states nest: [keys, entries], with 0 for an array.

    A tuple has no keys, and a list the word "list" instead.

    >>> structure({"observer": {"residual": np.zeros(2)}, "pair": (np.zeros(1), None)})
    [['observer', 'pair'], [[['residual'], [0]], [None, [0, None]]]]
    >>> structure([1.0, (2.0,)])
    ['list', [0, [None, [0]]]]
    """
    if states is None:
        return None
    if isinstance(states, Mapping):
        return [list(states), [structure(x) for x in states.values()]]
    if hasattr(states, "_fields"):
        return structure(states._asdict())
    kind = _LIST if isinstance(states, list) else None
    return [kind, [structure(x) for x in states]] if isinstance(states, tuple | list) else 0


def fill_structure(nesting: Any, rest: Iterator[Any]) -> Any:
    """The dicts, tuples and lists of a structure, with arrays.

    >>> fill_structure([["a", "b"], [0, [None, [None, 0]]]], iter([1, 2]))
    {'a': 1, 'b': (None, 2)}
    """
    if nesting is None:
        return None
    if not isinstance(nesting, list):
        return next(rest)
    keys, inner = nesting
    entries = [fill_structure(x, rest) for x in inner]
    if keys == _LIST:
        return entries
    return tuple(entries) if keys is None else dict(zip(keys, entries, strict=True))


def leaves(motion: Trajectory) -> dict[str, Any]:
    """The controller's states and what steps report, arrays by number and place: "state0:observer.residual"."""
    rows = _rows(motion)
    places, arrays = _places(structure(rows)), [] if rows is None else tree_leaves(rows)
    return {f"state{k}:{place}": np.asarray(x) for k, (place, x) in enumerate(zip(places, arrays, strict=True))}


def _places(nesting: Any, at: str = "") -> Iterator[str]:
    if isinstance(nesting, list):
        keys, inner = nesting
        named = keys is not None and keys != _LIST
        for key, x in zip(keys if named else range(len(inner)), inner, strict=True):
            yield from _places(x, f"{at}.{key}" if at else str(key))
    elif nesting is not None:
        yield at
