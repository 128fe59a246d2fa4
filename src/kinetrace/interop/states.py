"""States of a robot in the variables of another library, and back: what the modules of all libraries share.

    q' = f(q),   v' = T(q) v,   a' = T a + Ṫ v,   τ = Tᵀ τ'        (primed: those of the other library)

Functions to the other library take variables of the robot, functions back those of the other library. All take arrays
with any leading axes, which broadcast. Mimic joints have no variables here. Where they have there, their entries follow
from those of their source; on the way back they are not read, except that forces are added to those of the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np

from ..arrays import Array
from ..errors import InputError, ModelWarning, listed, warn
from ..model import Model
from ..model.files.load.sources import is_instance_of
from ..robot import Robot
from ..support.conversion import as_array

_FOLLOWS = 1e-3
"""How far a mimic joint may be from where it belongs without a warning [rad, m]: soft constraints leave errors."""
_MOST_RECENT = 4


class Variables:
    """How the variables of a joint differ between the two: here not at all.

    T is orthogonal for every joint, so that it maps forces as it maps velocities.
    """

    def to_q(self, q: Array) -> Array:
        """Those there (..., nq_i'), from those here."""
        return q

    def from_q(self, q: Array) -> Array:
        """Those here (..., nq_i), from those there."""
        return q

    def push(self, q: Array, v: Array) -> Array:
        """T v (..., nv_i), at q of the robot."""
        return v

    def pull(self, q: Array, v: Array) -> Array:
        """Tᵀ v (..., nv_i), which is T⁻¹ v."""
        return v

    def bias(self, q: Array, v: Array) -> Array | float:
        """Ṫ v (..., nv_i)."""
        return 0.0


SAME = Variables()


@dataclass(frozen=True)
class StateBlock:
    """One joint, or several that are the same in both: where its variables are."""

    name: str
    q: Any
    """In q of the robot: a slice, or indices of several joints; of a mimic joint those of its source."""
    v: Any
    their_q: Any
    their_v: Any
    variables: Variables = SAME
    mimic: tuple[float, float] | None = None
    """Ratio and offset."""

    @property
    def ratio(self) -> float:
        """Its velocity, as a multiple of that of its variables."""
        return 1.0 if self.mimic is None else self.mimic[0]

    def own_q(self, q: Array) -> Array:
        """Its own variables (..., nq_i) in a configuration of the robot."""
        own = q[..., self.q]
        return own if self.mimic is None else self.mimic[0] * own + self.mimic[1]


class LibraryStates:
    """A robot in both libraries, with its joints matched."""

    def __init__(self, robot: Model, model: Any, blocks: list[StateBlock], names: tuple[str, str, str, str]) -> None:
        self.nq, self.nv = robot.nq, robot.nv
        self.their_nq, self.their_nv = int(model.nq), int(model.nv)
        self._robot, self._model, self._names = ref(robot), ref(model), names
        self.blocks = _merged(blocks)

    def is_of(self, robot: Model, model: Any) -> bool:
        """Whether it is of these two, and the second has the joints that it had."""
        same = self._robot() is robot and self._model() is model
        return same and (self.their_nq, self.their_nv) == (model.nq, model.nv)

    def q(self, q: Any) -> Array:
        """Configuration there."""
        (at,) = self._here(q=q)
        return self._q(at)

    def v(self, q: Any, v: Any) -> Array:
        """Velocity there, T v."""
        return self._push(*self._here(q=q, v=v))

    def a(self, q: Any, v: Any, a: Any) -> Array:
        """Acceleration there, T a + Ṫ v."""
        at, moving, given = self._here(q=q, v=v, a=a)
        return self._push(at, given) + self._bias(at, moving)

    def tau(self, q: Any, tau: Any) -> Array:
        """Joint forces there of the same power, none at mimic joints."""
        return self._push(*self._here(q=q, tau=tau), followers=False)

    def velocity_map(self, q: Any) -> Array:
        """T (..., nv', nv)."""
        (at,) = self._here(q=q)
        return np.swapaxes(self._push(at[..., None, :], np.eye(self.nv)), -1, -2)

    def from_q(self, q: Any) -> Array:
        """Configuration here."""
        (at,) = self._there(q=q)
        return self._from_q(at)

    def from_v(self, q: Any, v: Any) -> Array:
        """Velocity here, T⁻¹ v'."""
        at, given = self._there(q=q, v=v)
        return self._pull(self._from_q(at), given)

    def from_a(self, q: Any, v: Any, a: Any) -> Array:
        """Acceleration here, T⁻¹ (a' − Ṫ v)."""
        there, moving, given = self._there(q=q, v=v, a=a)
        at = self._from_q(there)
        return self._pull(at, given - self._bias(at, self._pull(at, moving)))

    def from_tau(self, q: Any, tau: Any) -> Array:
        """Joint forces here, Tᵀ τ'."""
        there, given = self._there(q=q, tau=tau)
        at, made = self._from_q(there), np.zeros((*given.shape[:-1], self.nv))
        for block in self.blocks:
            made[..., block.v] += block.ratio * block.variables.pull(block.own_q(at), given[..., block.their_v])
        return made

    def _q(self, q: Array) -> Array:
        made = np.zeros((*q.shape[:-1], self.their_nq))
        for block in self.blocks:
            made[..., block.their_q] = block.variables.to_q(block.own_q(q))
        return made

    def _from_q(self, q: Array) -> Array:
        made = np.zeros((*q.shape[:-1], self.nq))
        for block in self.blocks:
            if block.mimic is None:
                made[..., block.q] = block.variables.from_q(q[..., block.their_q])
        for block in self.blocks:
            if block.mimic is not None:
                wanted, got = block.variables.to_q(block.own_q(made)), q[..., block.their_q]
                _check_follower(block, wanted, got, self._names[0])
        return made

    def _push(self, q: Array, v: Array, *, followers: bool = True) -> Array:
        """T v; without followers, the rows of mimic joints are zero."""
        made = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.their_nv))
        for block in self.blocks:
            if followers or block.mimic is None:
                made[..., block.their_v] = block.variables.push(block.own_q(q), block.ratio * v[..., block.v])
        return made

    def _bias(self, q: Array, v: Array) -> Array:
        """Ṫ v."""
        made = np.zeros((*v.shape[:-1], self.their_nv))
        for block in self.blocks:
            made[..., block.their_v] = block.variables.bias(block.own_q(q), block.ratio * v[..., block.v])
        return made

    def _pull(self, q: Array, v: Array) -> Array:
        """The velocities of the robot of which those given are T v."""
        made = np.zeros((*v.shape[:-1], self.nv))
        for block in self.blocks:
            if block.mimic is None:
                made[..., block.v] = block.variables.pull(block.own_q(q), v[..., block.their_v])
        return made

    def _here(self, **given: Any) -> list[Array]:
        """Arguments of the robot, checked, with the same leading axes."""
        return _together({name: _array(name, x, self.nq if name == "q" else self.nv) for name, x in given.items()})

    def _there(self, **given: Any) -> list[Array]:
        """Arguments of the other library, checked and named as they are there, with the same leading axes."""
        names = dict(zip(("q", "v", "a", "tau"), self._names, strict=True))
        sizes = {name: self.their_nq if name == "q" else self.their_nv for name in given}
        return _together({names[name]: _array(names[name], x, sizes[name]) for name, x in given.items()})


@dataclass(frozen=True)
class Library:
    """Another library: the class of its models, what it calls q, v, a and tau, and what matches joints."""

    package: str
    kind: str
    names: tuple[str, str, str, str]
    match: Callable[[Model, Any], list[StateBlock]]
    _recent: list[LibraryStates]
    """Those that were used last, the latest first: to match joints takes longer than to convert a state."""

    def states(self, robot: Robot | Model, model: Any) -> LibraryStates:
        """The states of a robot and of a model of the other library."""
        ours = model_of(robot)
        if not is_instance_of(model, self.package, self.kind):
            raise InputError(f"model must be a {self.package}.{self.kind}, got {type(model).__name__}")
        found = next((states for states in list(self._recent) if states.is_of(ours, model)), None)
        if found is None:
            found = LibraryStates(ours, model, self.match(ours, model), self.names)
            self._recent[:] = [found, *self._recent[: _MOST_RECENT - 1]]
        return found


def model_of(robot: Robot | Model) -> Model:
    """The model of a robot, which may be one."""
    found = robot.model if isinstance(robot, Robot) else robot
    if not isinstance(found, Model):
        raise InputError(f"robot must be a kinetrace Robot or Model, got {type(robot).__name__}")
    return found


def check_joints(robot: Model, kind: str, here: list[str], there: list[str]) -> None:
    """An error if there are joints that only one of the two has."""
    told = [f"robot {robot.name!r} has no joint {listed(there)}"] if there else []
    told += [f"the {kind} has no joint {listed(here)}"] if here else []
    if told:
        raise InputError(f"joints differ: {'; '.join(told)}")


def _merged(blocks: list[StateBlock]) -> list[StateBlock]:
    """The blocks, with one for all that need no conversion."""
    plain = [block for block in blocks if block.variables is SAME and block.mimic is None]

    def indices(name: str) -> Array:
        parts = [np.arange(part.start, part.stop) for part in (getattr(block, name) for block in plain)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=int)

    one = StateBlock("", *(indices(name) for name in ("q", "v", "their_q", "their_v")))
    return [one, *(block for block in blocks if block not in plain)]


def _check_follower(block: StateBlock, wanted: Array, got: Array, what: str) -> None:
    error = np.abs(wanted - got)
    if error.size and not error.max() <= _FOLLOWS * (1.0 + np.abs(wanted).max()):
        told = "which mimics another in the robot, is not where it belongs: its entries are not used"
        warn(f"{what}: joint {block.name!r}, {told}", ModelWarning)


def _array(name: str, x: Any, size: int) -> Array:
    """x as floats (..., size)."""
    made = as_array(name, x)
    if made.dtype.kind not in "biuf" or made.shape[-1:] != (size,):
        raise InputError(f"{name} must hold real numbers in the shape (..., {size}), got {made.shape} of {made.dtype}")
    return made.astype(float)


def _together(arrays: dict[str, Array]) -> list[Array]:
    """The arrays with the same leading axes."""
    try:
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        told = ", ".join(f"{x.shape} of {name}" for name, x in arrays.items())
        raise InputError(f"arrays whose leading axes do not fit: {told}") from None
    return [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays.values()]
