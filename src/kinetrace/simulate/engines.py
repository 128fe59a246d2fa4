"""What advances a simulation by some steps: `step` called from Python, or a kernel with the whole loop in it.

A kernel is made for joint forces that are known, and for controllers that are plain array code of one state, which are
traced and compiled into it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..algorithms.rollout import controlled_rollout, rollout
from ..arrays import asarray, tree_leaves, tree_map
from ..errors import InputError
from .control import Forces
from .protocol import Controller, Float, Simulated


class Plan(NamedTuple):
    """What is to be done."""

    steps: int
    dt: float
    record: int
    """A row for every so many steps, and for the last."""
    method: str
    settings: dict[str, Any]
    """Further keywords of `step`: wrenches and stabilisation."""
    project: bool
    """Whether states are projected on closed loops after each step."""

    @property
    def rows(self) -> int:
        """Rows of the result, with the initial state."""
        return 1 + -(-self.steps // self.record)

    @property
    def shapes(self) -> dict[str, Any]:
        """Shapes of the settings, for kernels."""
        found: dict[str, Any] = {"stabilisation": (2,)} if "stabilisation" in self.settings else {}
        wrench = self.settings.get("wrench")
        return {"wrench": dict.fromkeys(wrench, (6,)), **found} if wrench else found

    @property
    def arrays(self) -> list[Float]:
        """The settings, in the order of a kernel's arguments."""
        return tree_leaves([self.settings.get("wrench"), self.settings.get("stabilisation")])


class Rows(NamedTuple):
    """States (..., n, ·) after each of n steps, forces during them, and the controller's state after the last."""

    q: Float
    v: Float
    tau: Float
    state: Any


class Engine(Protocol):
    """What advances a simulation."""

    most: int
    """Steps that it can take at once."""

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> Rows:
        """n steps further, after `done` ones."""


class Stepwise:
    """One step at a time, from Python."""

    most = 1

    def __init__(self, robot: Simulated, forces: Forces, plan: Plan) -> None:
        self.robot, self.forces, self.plan = robot, forces, plan

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> Rows:
        """One step further."""
        plan = self.plan
        tau, state = self.forces.of(done, done * plan.dt, q, v, state)
        q, v = self.robot.step(q, v, tau, plan.dt, method=plan.method, **plan.settings)
        if plan.project:
            q, v = self.robot.project(q, v)
        tau = np.broadcast_to(tau, v.shape)
        return Rows(q[..., None, :], v[..., None, :], tau[..., None, :], state)


class Rolled:
    """Many steps in a kernel, under joint forces (..., nv) that stay, or rows of them (..., T, nv)."""

    most = 1 << 40

    def __init__(self, robot: Simulated, tau: Float, rows: bool, plan: Plan) -> None:
        self.tau, self.rows, self.plan = tau, rows, plan
        shapes = {"tau": ("t", robot.nv), **plan.shapes}
        self.kernel = robot.kernel(rollout, shapes=shapes, method=plan.method)

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> Rows:
        """n steps further."""
        if self.rows:
            tau = self.tau[..., done : done + n, :]
        else:
            tau = np.broadcast_to(self.tau[..., None, :], (*self.tau.shape[:-1], n, self.tau.shape[-1]))
        q, v = self.kernel(q, v, tau, self.plan.dt, *self.plan.arrays)
        return Rows(q, v, np.broadcast_to(tau, v.shape), state)


class Controlled:
    """Many steps in a kernel with the controller in it; an `InputError` if that is no plain array code."""

    most = 1 << 40

    def __init__(
        self, robot: Simulated, controller: Controller, state: Any, parameters: Mapping[str, Any], plan: Plan
    ) -> None:
        self.plan, self.state = plan, state
        self.parameters = [np.asarray(x, dtype=float) for x in parameters.values()]
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(state)]
        shapes: dict[str, Any] = {"times": ("t",), **plan.shapes}
        if leaves:
            shapes["state"] = {f"state{k}": x.shape for k, x in enumerate(leaves)}
        if parameters:
            names = zip(parameters, self.parameters, strict=True)
            shapes["parameters"] = {name: x.shape for name, x in names}
        traced = _Traced(controller, state, plan.method)
        self.kernel = robot.kernel(traced, shapes=shapes)

    def advance(self, done: int, n: int, q: Float, v: Float, state: Any) -> Rows:
        """n steps further."""
        times = self.plan.dt * np.arange(done, done + n)
        leaves = [np.asarray(x, dtype=float) for x in tree_leaves(state)]
        q, v, tau, *after = self.kernel(q, v, times, self.plan.dt, *leaves, *self.parameters, *self.plan.arrays)
        return Rows(q, v, tau, rebuilt(state, after))


class _Traced:
    """The rollout of a controller, as a function of arrays; made anew each time, as a controller may change."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, controller: Controller, state: Any, method: Any) -> None:
        self.controller, self.state, self.method = controller, state, method

    def __call__(
        self,
        model: Any,
        q: Any,
        v: Any,
        times: Any,
        dt: Any,
        state: Any = None,
        parameters: Any = None,
        wrench: Any = None,
        stabilisation: Any = None,
    ) -> tuple[Any, ...]:
        """Rows of q, v and τ, and what is left of the state."""
        inner = rebuilt(self.state, list((state or {}).values()))
        found = controlled_rollout(
            model,
            q,
            v,
            times,
            dt,
            controller=plain(self.controller, self.state is not None, model.nv),
            state=inner,
            parameters=parameters or {},
            method=self.method,
            wrench=wrench,
            stabilisation=stabilisation,
        )
        return (*found[:3], *tree_leaves(found[3]))


def plain(controller: Controller, has_state: bool, nv: int) -> Controller:
    """A controller that is given symbols: whatever it raises then, and results that do not fit, are input errors."""

    def checked(*arguments: Any, **parameters: Any) -> Any:
        try:
            found = controller(*arguments, **parameters)
        except Exception as error:  # whatever a function does with symbols that it does not expect
            raise InputError(f"the controller is no plain array code of one state: {error}") from error
        if not has_state:
            return force(found)
        if not (isinstance(found, tuple) and len(found) == 2):
            raise InputError(f"a controller with a state must return (tau, state), got {type(found).__name__}")
        return force(found[0]), found[1]

    def force(tau: Any) -> Any:
        tau = asarray(tau)
        if tau.shape != (nv,):
            raise InputError(f"the controller must return forces ({nv},) for one state, got shape {tau.shape}")
        return tau

    return checked


def rebuilt(like: Any, leaves: list[Any]) -> Any:
    """Arrays in the tuples and dicts of another one."""
    if len(tree_leaves(like)) != len(leaves):
        raise InputError("the state that a controller returns must have the structure of the one that it is given")
    rest = iter(leaves)
    return tree_map(lambda _: next(rest), like)
