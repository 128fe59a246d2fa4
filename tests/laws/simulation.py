"""Closed chains over time: an integrator of order 8 with steps of its own choice, and projection after each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from scipy.integrate import DOP853

import kinetrace as kt

Forces = Callable[[float, Any, Any], Any]


def simulated(
    robot: kt.Robot,
    q: Any,
    v: Any,
    end: float,
    *,
    forces: Forces | None = None,
    drive: Callable[[float], dict[str, Any]] | None = None,
    tol: float = 1e-12,
    step: float | None = None,
    every: int = 4,
    **settings: Any,
) -> tuple[Any, Any]:
    """q and v at the end; in steps of equal size, or as large as the tolerance allows.

    A state is projected after `every` so many steps, and at the end.
    """
    nq, tangent = robot.nq, None if robot.nq == robot.nv else kt.compile(kt.Model.tangent, robot)
    none = np.zeros(robot.nv)

    def rates(t: float, x: Any) -> Any:
        q, v = x[:nq], x[nq:]
        tau = none if forces is None else forces(t, q, v)
        given = settings if drive is None else {**settings, "drive": drive(t)}
        a = robot.forward_dynamics(q, v, tau, **given)
        return np.concatenate([v if tangent is None else tangent(q) @ v, a])

    choice = {"rtol": 1.0, "atol": 1e3, "max_step": step, "first_step": step}  # which no error exceeds
    chosen = choice if step is not None else {"rtol": max(tol, 2.3e-14), "atol": tol}
    solver = DOP853(rates, 0.0, np.concatenate([q, v]), end, **chosen)
    for k in count(1):
        solver.step()
        if solver.status == "running" and k % every:
            continue
        q, v, driven = robot.normalise(solver.y[:nq]), solver.y[nq:], None if drive is None else drive(solver.t)
        solver.y = np.concatenate(robot.project(q, v, drive=driven))
        solver.f = rates(solver.t, solver.y)
        if solver.status != "running":
            break
    return solver.y[:nq], solver.y[nq:]
