"""Whether the steps of a simulation are short enough for stiff laws, springs and dampers: found before it begins.

About a state, joint forces act as springs K = −∂τ/∂q and dampers D = −∂τ/∂v. A step of the time h that holds them, or
that is explicit, multiplies a fast motion by about 1 − λ, with λ an eigenvalue of

    M⁻¹ (D + h K) h,      in closed chains with GᵀMG, GᵀDG and GᵀKG, v = G y

which grows from step to step above a limit near 2. Derivatives of laws are differences: two digits are enough here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import tree_map
from ..errors import SimulationWarning, warn
from ..model.joint_effects import is_present
from ..support.functions import only_computes
from .inputs import owned
from .names import names_of
from .protocol import Controller, Float, Law, Simulated, sampling_period

HELD = 2.0
"""Limit of λ of forces that are held over a step."""
LIMITS = {"euler": 2.0, "semi-implicit": 2.0, "rkmk2": 2.0, "rk4": 2.78, "rkmk4": 2.78}
"""Limits of λ of springs and dampers in the joints; the other methods, which are implicit in them, have none."""
NEAR = 0.5
"""Fraction of a limit above which `implicit` is taken unless a method is given: inertias change along a motion."""
LANES = 16
"""Number of states of a batch that are looked at."""
MOST = 4096
"""Number of states above which a function that is called is not asked."""
CHANGE = 1e-6
"""Change of q and v for differences [rad, m, rad/s, m/s]."""


class Stiffness(NamedTuple):
    """The fastest reaction to a motion at the beginning of a simulation."""

    ratio: float
    """The largest λ as a part of its limit: above 1, steps are too long."""
    limit: float
    velocity: str
    """The name of the velocity against which the force is largest in the fastest motion."""
    by_law: bool
    """Whether joint forces of a controller cause it, rather than the joints' own springs and dampers."""


class Start(NamedTuple):
    """The first states q (..., nq) and v (..., nv) of a simulation, and its controller."""

    q: Float
    v: Float
    controller: Controller | None
    state: Any
    parameters: Mapping[str, Any]
    traced: bool
    """Whether the controller is compiled into the loop."""

    @property
    def continues(self) -> bool:
        """Whether `implicit` continues the controller's forces within a step."""
        return self.traced and sampling_period(self.controller) is None

    @property
    def lanes(self) -> npt.NDArray[np.intp]:
        """The numbers of at most LANES states of the batch, evenly spread."""
        return np.unique(np.linspace(0, math.prod(self.q.shape[:-1]) - 1, LANES).astype(np.intp))

    def picked(self, x: Any, axes: int) -> Float:
        """The rows (k, ...) of these states of an array with that many axes for one state, or none for all."""
        x, batch = np.asarray(x, dtype=float), self.q.shape[:-1]
        own = x.shape[x.ndim - axes :]
        return np.broadcast_to(x, (*batch, *own)).reshape(-1, *own)[self.lanes]


def stiffest(robot: Simulated, at: Start, dt: float, method: str) -> Stiffness | None:
    """What reacts fastest; None if nothing does, or it cannot be told.

    A function that may do more than compute, such as keep a log, is not called.
    """
    if not at.q.size:
        return None
    limit, period = LIMITS.get(method, math.inf), sampling_period(at.controller)
    h = dt if period is None else max(dt, period)  # the time that forces of the controller are held for
    law = None if method == "implicit" and at.continues else _slopes(robot, at)
    springs = limit < math.inf and _has_springs(robot)
    if law is None and not springs:
        return None
    nothing = np.zeros((robot.nv, robot.nv))
    found = []
    for k, (q, v) in enumerate(zip(at.picked(at.q, 1), at.picked(at.v, 1), strict=True)):
        by_law = nothing if law is None else -(law[1][k] + h * law[0][k]) * (h / HELD)
        by_q, by_v = robot.model.passive_derivatives(q, v) if springs else (nothing, nothing)
        by_joints = np.asarray(by_v + dt * by_q, dtype=float) * (dt / limit)
        ratio, mode = _fastest(robot, q, by_law + by_joints)
        of_law, of_joints = mode * (by_law @ mode), mode * (by_joints @ mode)  # power along the motion
        is_law = bool(of_law.sum() >= of_joints.sum())
        name = names_of(robot.model).v[int(np.argmax(of_law + of_joints))]
        found.append(Stiffness(ratio, HELD if is_law else limit, name, is_law))
    return max(found, key=lambda x: x.ratio)


def _fastest(robot: Simulated, q: Float, reaction: Float) -> tuple[float, Float]:
    """The largest eigenvalue of M⁻¹ times a reaction (nv, nv), and its motion (nv,)."""
    M, G = robot.mass_matrix(q), np.eye(robot.nv)
    if robot.model.closures:
        G = robot.velocity_map(q)
    with np.errstate(all="ignore"):
        try:
            values, modes = np.linalg.eig(np.linalg.solve(G.T @ M @ G, G.T @ reaction @ G))
        except np.linalg.LinAlgError:  # a singular configuration
            return 0.0, np.zeros(robot.nv)
    if not values.size:
        return 0.0, np.zeros(robot.nv)
    k = int(np.argmax(values.real))
    return float(values.real[k]), np.real(G @ modes[:, k])


def warn_of(found: Stiffness, dt: float, method: str) -> None:
    """Say that steps are too long."""
    who = "the controller" if found.by_law else "springs, dampers or friction"
    told = f"steps of {1e3 * dt:.3g} ms are too long for {who} at joint {found.velocity!r}"
    size = f"the largest eigenvalue of M⁻¹(D + dt K) dt is {found.ratio * found.limit:.3g}"
    ways = [f"dt <= {dt / found.ratio:.2g}"]
    if found.by_law:
        ways += ["lower gains", "rotors in the joints (robot.with_joint_effects(armature=...))"]
    own = " and a controller of kinetrace.control, or traced=True" if found.by_law else ""
    ways.append(f'method="implicit"{own}')
    warn(f"{told}: {size}, the limit of {method!r} is {found.limit:g}; take {'; '.join(ways)}", SimulationWarning)


def _has_springs(robot: Simulated) -> bool:
    """Whether joints have effects that can be stiff."""
    effects = [body.effects for body in robot.model.bodies if body.effects is not None]
    names = ("damping", "friction", "stiffness", "stop_stiffness", "stop_damping")
    return any(is_present(getattr(x, name)) for x in effects for name in names)


def _slopes(robot: Simulated, at: Start) -> tuple[Float, Float] | None:
    """∂τ/∂q and ∂τ/∂v (k, nv, nv) of a controller at the picked states; None if it cannot be asked."""
    f = at.controller
    if isinstance(f, Law):
        tau_of, q, v = _of_law(f, at)
    elif f is not None and (at.traced or only_computes(f)) and at.q[..., 0].size <= MOST:
        tau_of, q, v = _of_function(f, at)
    else:
        return None
    columns = []
    try:
        with np.errstate(all="ignore"):
            for e in CHANGE * np.eye(robot.nv):
                ends = [(tau_of(robot.integrate(q, x), v), tau_of(q, v + x)) for x in (e, -e)]
                columns.append([(plus - minus) / (2.0 * CHANGE) for plus, minus in zip(*ends, strict=True)])
    except Exception:  # of the user's function: the simulation meets it again, and says when
        return None
    by_q, by_v = (np.stack(x, axis=-1) for x in zip(*columns, strict=True))
    return (by_q, by_v) if np.isfinite(by_q).all() and np.isfinite(by_v).all() else None


TauOf = tuple[Callable[[Float, Float], Float], Float, Float]
"""A function of states (..., ·) → joint forces (k, nv) at the picked ones, and these states."""


def _of_law(law: Law, at: Start) -> TauOf:
    own = law.parameters
    parameters = {name: at.picked(x, np.ndim(own[name])) for name, x in at.parameters.items()}
    state: tuple[Any, ...] = ()
    if at.state is not None:
        state = (tree_map(lambda x, one: at.picked(x, np.ndim(one)), at.state, law.initial_state),)

    def tau_of(q: Float, v: Float) -> Float:
        found = law(0.0, q, v, *state, **parameters)
        return np.asarray(found[0] if state else found, dtype=float)

    return tau_of, at.picked(at.q, 1), at.picked(at.v, 1)


def _of_function(f: Controller, at: Start) -> TauOf:
    """A function that is called is given all states, one that is compiled the first."""
    q, v = (x.reshape(-1, x.shape[-1])[0] if at.traced else x for x in (at.q, at.v))

    def tau_of(q: Float, v: Float) -> Float:
        given = owned((q, v) if at.state is None else (q, v, at.state))
        found = f(0.0, *given, **owned(dict(at.parameters)))
        tau = np.asarray(found if at.state is None else found[0], dtype=float)
        return at.picked(np.broadcast_to(tau, v.shape), 1)

    return tau_of, q, v
