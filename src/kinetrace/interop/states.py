"""States of a robot in the variables of another library, and back: what the modules of all libraries share.

    q' = f(q),   v' = T(q) v,   a' = T a + Ṫ v,   τ = Tᵀ τ'        (primed: those of the other library)

Functions to the other library take variables of the robot, functions back those of the other library. All take arrays
with any leading axes, which broadcast. Mimic joints have no variables here. Where they have there, their entries follow
from those of their source; on the way back they are not read, except that forces are added to those of the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np

from ..arrays import Array
from ..errors import InputError, ModelWarning, name_list, warn
from ..model import Body, Mimic, Model
from ..model.files.load.sources import is_instance_of
from ..robot import Robot
from ..support.conversion import as_array

_MIMIC_TOLERANCE = 1e-3
"""How far a mimic joint may be from where it belongs without a warning [rad, m]: soft constraints leave errors."""
_RECENT_STATES = 4
"""Number of pairs of a robot and a model whose joints stay matched."""


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


IDENTICAL_VARIABLES = Variables()


@dataclass(frozen=True)
class StateBlock:
    """One joint, or several that are the same in both: where its variables are."""

    name: str
    q: Any
    """In q of the robot: a slice, or indices of several joints; of a mimic joint those of its source."""
    v: Any
    their_q: Any
    their_v: Any
    variables: Variables = IDENTICAL_VARIABLES
    mimic: Mimic | None = None

    @classmethod
    def of(
        cls, robot: Model, body: Body, their_q: slice, their_v: slice, variables: Variables = IDENTICAL_VARIABLES
    ) -> StateBlock:
        """That of a whole joint."""
        q, v = robot.slices[body.index if body.mimic is None else body.mimic.source]
        return cls(body.joint_name, q, v, their_q, their_v, variables, body.mimic)

    def own_q(self, q: Array) -> Array:
        """Its own variables (..., nq_i) in a configuration of the robot."""
        x = q[..., self.q]
        return x if self.mimic is None else self.mimic.position(x)

    def own_v(self, v: Array) -> Array:
        """Its own velocities (..., nv_i) in a velocity of the robot."""
        x = v[..., self.v]
        return x if self.mimic is None else x @ self.mimic.ratio.T

    def source_force(self, tau: Array) -> Array:
        """Forces of the variables that the robot has, of the same power as its own (..., nv_i)."""
        return tau if self.mimic is None else tau @ self.mimic.ratio


class LibraryStates:
    """A robot in both libraries, with its joints matched."""

    def __init__(self, robot: Model, model: Any, blocks: list[StateBlock], names: tuple[str, str, str, str]) -> None:
        self.nq, self.nv = robot.nq, robot.nv
        self.their_nq, self.their_nv = int(model.nq), int(model.nv)
        self._robot, self._model, self._names = ref(robot), ref(model), names
        self.blocks = _merge(blocks)

    def is_of(self, robot: Model, model: Any) -> bool:
        """Whether it is of these two, and the second has the joints that it had."""
        same = self._robot() is robot and self._model() is model
        return same and (self.their_nq, self.their_nv) == (model.nq, model.nv)

    def q(self, q: Any) -> Array:
        """Configuration there."""
        (q_here,) = self._here(q=q)
        return self._q(q_here)

    def v(self, q: Any, v: Any) -> Array:
        """Velocity there, T v."""
        return self._push(*self._here(q=q, v=v))

    def a(self, q: Any, v: Any, a: Any) -> Array:
        """Acceleration there, T a + Ṫ v."""
        q_here, v_here, a_here = self._here(q=q, v=v, a=a)
        return self._push(q_here, a_here) + self._bias(q_here, v_here)

    def tau(self, q: Any, tau: Any) -> Array:
        """Joint forces there of the same power, none at mimic joints."""
        return self._push(*self._here(q=q, tau=tau), followers=False)

    def velocity_map(self, q: Any) -> Array:
        """T (..., nv', nv)."""
        (q_here,) = self._here(q=q)
        return np.swapaxes(self._push(q_here[..., None, :], np.eye(self.nv)), -1, -2)

    def from_q(self, q: Any) -> Array:
        """Configuration here."""
        (q_there,) = self._there(q=q)
        return self._from_q(q_there)

    def from_v(self, q: Any, v: Any) -> Array:
        """Velocity here, T⁻¹ v'."""
        q_there, v_there = self._there(q=q, v=v)
        return self._pull(self._from_q(q_there), v_there)

    def from_a(self, q: Any, v: Any, a: Any) -> Array:
        """Acceleration here, T⁻¹ (a' − Ṫ v)."""
        q_there, v_there, a_there = self._there(q=q, v=v, a=a)
        q_here = self._from_q(q_there)
        return self._pull(q_here, a_there - self._bias(q_here, self._pull(q_here, v_there)))

    def from_tau(self, q: Any, tau: Any) -> Array:
        """Joint forces here, Tᵀ τ'."""
        q_there, tau_there = self._there(q=q, tau=tau)
        q_here, tau_here = self._from_q(q_there), np.zeros((*tau_there.shape[:-1], self.nv))
        for block in self.blocks:
            own_q = block.own_q(q_here)
            tau_here[..., block.v] += block.source_force(block.variables.pull(own_q, tau_there[..., block.their_v]))
        return tau_here

    def _q(self, q: Array) -> Array:
        q_there = np.zeros((*q.shape[:-1], self.their_nq))
        for block in self.blocks:
            q_there[..., block.their_q] = block.variables.to_q(block.own_q(q))
        return q_there

    def _from_q(self, q: Array) -> Array:
        q_here = np.zeros((*q.shape[:-1], self.nq))
        for block in self.blocks:
            if block.mimic is None:
                q_here[..., block.q] = block.variables.from_q(q[..., block.their_q])
        for block in self.blocks:
            if block.mimic is not None:
                wanted, got = block.variables.to_q(block.own_q(q_here)), q[..., block.their_q]
                _check_follower(block, wanted, got, self._names[0])
        return q_here

    def _push(self, q: Array, v: Array, *, followers: bool = True) -> Array:
        """T v; without followers, the rows of mimic joints are zero."""
        v_there = np.zeros((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), self.their_nv))
        for block in self.blocks:
            if followers or block.mimic is None:
                v_there[..., block.their_v] = block.variables.push(block.own_q(q), block.own_v(v))
        return v_there

    def _bias(self, q: Array, v: Array) -> Array:
        """Ṫ v."""
        bias = np.zeros((*v.shape[:-1], self.their_nv))
        for block in self.blocks:
            bias[..., block.their_v] = block.variables.bias(block.own_q(q), block.own_v(v))
        return bias

    def _pull(self, q: Array, v: Array) -> Array:
        """The velocities of the robot of which those given are T v."""
        v_here = np.zeros((*v.shape[:-1], self.nv))
        for block in self.blocks:
            if block.mimic is None:
                v_here[..., block.v] = block.variables.pull(block.own_q(q), v[..., block.their_v])
        return v_here

    def _here(self, **arrays: Any) -> list[Array]:
        """Arguments of the robot, checked, with the same leading axes."""
        return _broadcast({name: _array(name, x, self.nq if name == "q" else self.nv) for name, x in arrays.items()})

    def _there(self, **arrays: Any) -> list[Array]:
        """Arguments of the other library, checked and named as they are there, with the same leading axes."""
        names = dict(zip(("q", "v", "a", "tau"), self._names, strict=True))
        sizes = {name: self.their_nq if name == "q" else self.their_nv for name in arrays}
        return _broadcast({names[name]: _array(names[name], x, sizes[name]) for name, x in arrays.items()})


@dataclass(frozen=True)
class Library:
    """Another library: the class of its models, its names of q, v, a and tau, and the function that matches joints."""

    package: str
    kind: str
    names: tuple[str, str, str, str]
    match: Callable[[Model, Any], list[StateBlock]]
    _recent: list[LibraryStates] = field(default_factory=list)
    """Those that were used last, the latest first: to match joints takes longer than to convert a state."""

    def states(self, robot: Robot | Model, model: Any) -> LibraryStates:
        """The states of a robot and of a model of the other library."""
        ours = model_of(robot)
        if not is_instance_of(model, self.package, self.kind):
            raise InputError(f"model must be a {self.package}.{self.kind}, got {type(model).__name__}")
        states = next((x for x in list(self._recent) if x.is_of(ours, model)), None)
        if states is None:
            states = LibraryStates(ours, model, self.match(ours, model), self.names)
            self._recent[:] = [states, *self._recent[: _RECENT_STATES - 1]]
        return states


def model_of(robot: Robot | Model) -> Model:
    """The model of a robot, which may be one."""
    model = robot.model if isinstance(robot, Robot) else robot
    if not isinstance(model, Model):
        raise InputError(f"robot must be a kinetrace Robot or Model, got {type(robot).__name__}")
    return model


def check_joints(robot: Model, kind: str, here: list[str], there: list[str]) -> None:
    """An error if there are joints that only one of the two has."""
    differences = [f"robot {robot.name!r} has no joint {name_list(there)}"] if there else []
    differences += [f"the {kind} has no joint {name_list(here)}"] if here else []
    if differences:
        raise InputError(f"joints differ: {'; '.join(differences)}")


def _merge(blocks: list[StateBlock]) -> list[StateBlock]:
    """The blocks, with one for all that need no conversion."""
    plain = [block for block in blocks if block.variables is IDENTICAL_VARIABLES and block.mimic is None]

    def indices(name: str) -> Array:
        parts = [np.arange(part.start, part.stop) for part in (getattr(block, name) for block in plain)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=int)

    one = StateBlock("", *(indices(name) for name in ("q", "v", "their_q", "their_v")))
    return [one, *(block for block in blocks if block not in plain)]


def _check_follower(block: StateBlock, wanted: Array, got: Array, what: str) -> None:
    error = np.abs(wanted - got)
    if error.size and not error.max() <= _MIMIC_TOLERANCE * (1.0 + np.abs(wanted).max()):
        remark = "which mimics another in the robot, is not where it belongs: its entries are not used"
        warn(f"{what}: joint {block.name!r}, {remark}", ModelWarning)


def _array(name: str, x: Any, size: int) -> Array:
    """x as floats (..., size)."""
    array = as_array(name, x)
    if array.dtype.kind not in "biuf" or array.shape[-1:] != (size,):
        raise InputError(
            f"{name} must hold real numbers in the shape (..., {size}), got {array.shape} of {array.dtype}"
        )
    return array.astype(float)


def _broadcast(arrays: dict[str, Array]) -> list[Array]:
    """The arrays with the same leading axes."""
    try:
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{x.shape} of {name}" for name, x in arrays.items())
        raise InputError(f"arrays whose leading axes do not fit: {shapes}") from None
    return [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays.values()]
