"""Inputs of a simulation besides joint forces, as arrays with batch axes; and the state that it goes on with.

`ExternalInputs` say which there are, `model.arguments` their shapes. Named here are those with a rule of their own: a
base at rest that is accelerated, wrenches, which may be functions, and stabilisation, which is instead of projections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.dynamics.external_inputs import ExternalInputs
from ..algorithms.time.rollout_inputs import ROWS, CarriedInputs, RolloutInputs
from ..algorithms.time.state import State
from ..arrays import tree_leaves, tree_map
from ..errors import InputError
from ..model.arguments import ARGUMENTS, MAPPINGS, MAPS
from ..model.model import Model
from ..robot.types import Float
from ..support.conversion import as_flag_or_none, as_reals, finite

Shape = tuple[int, ...]


def is_projected(model: Model, project: bool | None, inputs: ExternalInputs) -> bool:
    """Whether loops are closed after each step: of closed robots, unless they are stabilised or `project` says no."""
    chosen = as_flag_or_none("project", project)
    if not model.closures:
        return False
    return inputs.stabilisation is None if chosen is None else chosen


class InputArrays(NamedTuple):
    """External inputs by name, those that are given; mappings of them by frames or closures."""

    arrays: dict[str, Any]
    cores: dict[str, Any]
    """Their shapes without batch axes, and without rows."""
    by_rows: frozenset[str] = frozenset()
    """Names of those with one row per step."""

    @property
    def shapes(self) -> dict[str, Any]:
        """Shapes for kernels."""
        return {name: _leading(("t",) if name in self.by_rows else (), x) for name, x in self.cores.items()}

    @property
    def batches(self) -> dict[str, Shape]:
        """The batch axes of each array."""
        found = dict[str, Shape]()
        for name, x in self.arrays.items():
            labels = [f"{name}[{key!r}]" for key in x] if isinstance(x, Mapping) else [name]
            for label, leaf, core in zip(labels, tree_leaves(x), _shapes_in(self.cores[name]), strict=True):
                found[label] = leaf.shape[: leaf.ndim - len(core) - (name in self.by_rows)]
        return found

    def carried(self, model: Model) -> CarriedInputs:
        """What a kernel carries of the inputs, for its shapes: zeros, but for gravity."""
        one = {name: _leading((1,) if name in self.by_rows else (), x) for name, x in self.cores.items()}
        zeros = {name: _by_key(np.zeros, x) for name, x in one.items()}
        return RolloutInputs(ExternalInputs(**zeros)).initial(model)

    def leaves(self, arrays: Mapping[str, Any], done: int, n: int) -> list[Float]:
        """All arrays for n steps, after `done` ones, in a kernel's order, with other numbers for some of them."""
        found = list[Float]()
        for name, core in self.cores.items():
            x = arrays[name] if name in arrays else self.arrays[name]
            each = [x[key] for key in core] if isinstance(core, dict) else [x]
            axes = (slice(None),) * ROWS[name] if name in self.by_rows else None
            found += each if axes is None else [leaf[(..., slice(done, done + n), *axes)] for leaf in each]
        return found

    def with_wrenches(self, wrenches: Mapping[str, Any]) -> InputArrays:
        """The same with further wrenches (..., 6) by frame names."""
        arrays = {**self.arrays, "wrench": {**self.arrays.get("wrench", {}), **wrenches}}
        cores = {**self.cores, "wrench": dict.fromkeys(arrays["wrench"], (6,))}
        order = [name for name in ExternalInputs._fields if name in arrays]
        return self._replace(arrays={x: arrays[x] for x in order}, cores={x: cores[x] for x in order})


def _by_key(function: Callable[[Any], Any], x: Any) -> Any:
    """Values of a function for shapes, which may be in a mapping."""
    return {key: function(shape) for key, shape in x.items()} if isinstance(x, Mapping) else function(x)


def _leading(axes: tuple[Any, ...], x: Any) -> Any:
    return _by_key(lambda shape: (*axes, *shape), x)


def _shapes_in(shapes: Any) -> list[Shape]:
    return list(shapes.values()) if isinstance(shapes, Mapping) else [shapes]


def checked_inputs(model: Model, given: ExternalInputs, steps: int | None = None) -> InputArrays:
    """Inputs that are finite and of the right shapes: constant, or for a number of steps, with a row for each."""
    if given.base_velocity is None and given.base_acceleration is not None:
        given = given._replace(base_velocity=np.zeros(6))
    arrays, cores, by_rows = dict[str, Any](), dict[str, Any](), set[str]()
    for name, x in given._asdict().items():
        if x is None:
            continue
        shapes: Any = _shapes_by_name(model, name, x) if name in MAPPINGS else ARGUMENTS[name].shape(model)
        if shapes == {}:
            continue
        labels = {f"{name}[{key!r}]": core for key, core in shapes.items()} if name in MAPPINGS else {name: shapes}
        parts = x.values() if name in MAPPINGS else (x,)
        found = [_checked_array(*each, part) for each, part in zip(labels.items(), parts, strict=True)]
        if steps is not None and name in ROWS and _have_rows(labels, found, steps):
            by_rows.add(name)
        arrays[name] = dict(zip(shapes, found, strict=True)) if name in MAPPINGS else found[0]
        cores[name] = shapes
    return InputArrays(arrays, cores, frozenset(by_rows))


def _shapes_by_name(model: Model, name: str, given: Any) -> dict[str, Shape]:
    """Shapes of the arrays by the names of frames or closures."""
    if not isinstance(given, Mapping):
        what = MAPS[name] + (" or functions of (t, q, v)" if name == "wrench" else "")
        raise InputError(f"{name} must map {what}, got {type(given).__name__}")
    return {key: MAPPINGS[name](model, key) for key in given}


def _checked_array(label: str, core: Shape, x: Any) -> Float:
    shape = as_reals(label, x).shape
    if len(core) > 1 and shape[-len(core) :] != core:
        told = f"{label} must have shape (..., {', '.join(map(str, core))}), got {shape}"
        raise InputError(f"{told}; {label.partition('[')[0]} maps {MAPS[label.partition('[')[0]]}")
    return finite(label, x, core[-1])


def _have_rows(labels: Mapping[str, Shape], found: list[Float], steps: int) -> bool:
    """Whether arrays have rows, each of them one per step; an error if some have, or of another number."""
    rows = [x.ndim > len(core) for x, core in zip(found, labels.values(), strict=True)]
    for (label, core), x in zip(labels.items(), found, strict=True):
        own = ", ".join(map(str, core))
        if any(rows) and (x.ndim == len(core) or x.shape[-len(core) - 1] != steps):
            one = f"({own},)" if len(core) == 1 else f"({own})"
            told = f"shape {one}, or (..., {steps}, {own}) with a row for each step"
            more = "; either all of them have rows or none" if not all(rows) else ""
            raise InputError(f"{label} must have {told}, got {x.shape}{more}")
    return any(rows)


@dataclass(frozen=True)
class StateNotKept:
    """In the place of a controller's state that a file could not keep: `resume` takes `state=` anew."""

    why: str
    """Which of its entries are no numbers, and what they are."""


class SimulationState(NamedTuple):
    """All that a simulation goes on with after a number of steps: `Trajectory.end`, where `Trajectory.resume` begins.

    Simulations make it; it is read, and no function takes parts of it.

    Parameters
    ----------
    step : int
        Number of steps since the beginning.
    dt : float
        Length of a step [s]; the time `t` is step · dt.
    project : bool
        Whether loops are closed after each step.
    state : State
        Configuration `q` (..., nq), velocity `v` (..., nv) [rad/s, m/s] and `kept`, what the method keeps by name: with
        dry friction or hard stops, "impulses" (..., n) of the last step [N m s, N s].
    external : dict of str to ndarray
        External inputs that were given, as they are now: "base_velocity" and "base_acceleration" (..., 6) [rad/s, m/s;
        rad/s², m/s²], "wrench" by frames (..., 6) [N m, N], "drive" by closures (..., 3, k), "stabilisation" (..., 2).
    gravity : ndarray, shape (..., 3), optional
        Gravity in the axes of a base that moves [m/s²].
    controller : object, optional
        The controller's own state; `Trajectory.state` is the same.
    controller_axes : int, default 0
        Number of batch axes that kernels have given it.
    tau : ndarray, shape (..., nv), optional
        Constant joint forces [N m, N]; None if a controller or a row for each step gave them.
    functions : bool, default False
        Whether functions gave wrenches.
    control : ndarray, shape (..., controls), optional
        Constant controls of actuators; None if joint forces, a function or a row for each step drove the robot.
    """

    step: int
    dt: float
    project: bool
    state: State
    external: dict[str, Any]
    gravity: Float | None = None
    controller: Any = None
    controller_axes: int = 0
    tau: Float | None = None
    functions: bool = False
    control: Float | None = None

    @property
    def t(self) -> float:
        """The time [s]."""
        return self.step * self.dt

    @property
    def contact_inputs(self) -> dict[str, Float]:
        """Numbers of contacts that steps are given."""
        return dict(self.external.get("contact", {}))

    def with_batch(self, batch: Shape) -> SimulationState:
        """The same with further batch axes."""
        axes = self.state.q.ndim - 1
        state = tree_map(lambda x: np.array(np.broadcast_to(x, (*batch, *x.shape[axes:]))), self.state)
        return self._replace(state=state)

    def after(self, n: int, state: State) -> SimulationState:
        """That after n steps which lead to a state and change nothing else."""
        return self._replace(step=self.step + n, state=state)

    def lane(self, index: tuple[int, ...]) -> SimulationState | None:
        """That of one motion of a batch; None if the controller's state has no axes of the batch."""
        batch = self.state.q.shape[:-1]
        lost = isinstance(self.controller, StateNotKept)
        if not lost and any(np.shape(x)[: len(batch)] != batch for x in tree_leaves(self.controller)):
            return None
        state = tree_map(lambda x: x[index], self.state)
        controller = self.controller if lost else tree_map(lambda x: x[index], self.controller)
        external = {name: _external_of_lane(name, index, x) for name, x in self.external.items()}
        rows = (self.gravity, self.tau, self.control)
        gravity, tau, control = (None if x is None else _of_lane(1, index, x) for x in rows)
        of_lane = self._replace(state=state, external=external, gravity=gravity, controller=controller)
        return of_lane._replace(tau=tau, control=control)


def contact_lane(index: tuple[int, ...], inputs: Mapping[str, Float]) -> dict[str, Float]:
    """One lane of numbers of contacts."""
    return {key: _of_lane(2 if key.endswith(".heights") else 1, index, x) for key, x in inputs.items()}


def _external_of_lane(name: str, index: tuple[int, ...], x: Any) -> Any:
    if name == "contact":
        return contact_lane(index, x)
    return _by_key(partial(_of_lane, ROWS.get(name, 1), index), x)


def _of_lane(axes: int, index: tuple[int, ...], x: Float) -> Float:
    """One lane of an array with as many further axes, whose batch axes may be fewer or of length one."""
    batch = x.shape[: x.ndim - axes]
    own = index[len(index) - len(batch) :]
    return x[tuple(0 if n == 1 else k for k, n in zip(own, batch, strict=True))]
