"""Whether the steps of a simulation are short enough for stiff laws, springs and dampers: found before it begins.

About a state, joint forces act as springs K = −∂τ/∂q and dampers D = −∂τ/∂v, those of a controller held over each step,
those of the joints within it. One step of the time h is then linear,

    M δv̇ = −(D δv + K δq)_held − (D δv + K δq)_joints,      (δq, δv)⁺ = A_h (δq, δv)

in closed chains with GᵀMG, GᵀDG and GᵀKG, v = G y. Steps are too long if an eigenvalue of A_h is larger than those of
the true motion, exp(h λ), and than 1, by more than a hundredth: what is small now is large after a thousand steps. For
dampers alone whose forces are held, that is where the largest eigenvalue of M⁻¹(D + h K) h, which messages give, passes
2. Derivatives of laws are differences: two digits are enough here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import tree_map
from ..errors import SimulationWarning, warn
from ..model.checks import is_present
from ..model.model import Model
from ..support.pure import only_computes
from .inputs import owned
from .names import names_of
from .protocol import Controller, Float, Law, Simulated, sampling_period

GROWTH = 1.01
"""Growth in one step, beyond that of the true motion, from which steps are too long."""
MARGIN = 2.0
"""`implicit` is taken, unless a method is given, if steps longer by this factor were too long: inertias change."""
LANES = 8
"""Number of states of a batch that are looked at, evenly spread."""
MOST = 4096
"""Number of states above which a function that is called is not asked."""
CHANGE = 1e-6
"""Change of q and v for differences [rad, m, rad/s, m/s]."""


class Reaction(NamedTuple):
    """K and D (nv, nv): forces against displacements and velocities."""

    stiffness: Float
    damping: Float


Advance = Callable[[Float, Float, float], Float]
"""∂v̇/∂(q, v) (n, 2n) of forces that are held, the same of joints, and a time step → A_h (2n, 2n)."""


def _flow(held: Float, own: Float) -> tuple[Float, Float]:
    """∂(q̇, v̇)/∂(q, v) (2n, 2n) of the joints, and of what is held."""
    n = len(own)
    return np.vstack([np.eye(n, 2 * n, n), own]), np.vstack([np.zeros((n, 2 * n)), held])


def _semi_implicit(held: Float, own: Float, h: float) -> Float:
    n = len(own)
    v = np.eye(n, 2 * n, n) + h * (held + own)
    return np.vstack([np.eye(n, 2 * n) + h * v, v])


def _taylor(order: int) -> Advance:
    """Explicit methods, which agree with exp(h F) to their order; held forces act as a constant does."""

    def advance(held: Float, own: Float, h: float) -> Float:
        F, H = _flow(held, own)
        term, power, total = np.eye(len(F)), np.eye(len(F)), h * np.eye(len(F))
        for k in range(1, order + 1):
            power = h / k * (power @ F)
            term = term + power
            total = total + h / (k + 1) * power if k < order else total
        return term + total @ H

    return advance


def _implicit(part: float) -> Advance:
    """Implicit methods: the rule of Euler for `part` 1, of the midpoint for ½."""

    def advance(held: Float, own: Float, h: float) -> Float:
        F, H = _flow(held, own)
        one = np.eye(len(F))
        return np.asarray(np.linalg.solve(one - part * h * F, one + (1.0 - part) * h * F + h * H), dtype=np.float64)

    return advance


ADVANCES: dict[str, Advance] = {
    "euler": _taylor(1),
    "semi-implicit": _semi_implicit,
    "rkmk2": _taylor(2),
    "rk4": _taylor(4),
    "rkmk4": _taylor(4),
    "variational": _implicit(0.5),
    "rosenbrock": _implicit(1.0),
    "implicit": _implicit(1.0),
}


class Stiffness(NamedTuple):
    """What makes steps too long at the beginning of a simulation."""

    growth: float
    """Of the fastest motion in one step, beyond that of the true one."""
    eigenvalue: float
    """The largest of M⁻¹(D + h K) h."""
    velocity: str
    """The name of the velocity against which the force is largest in that motion."""
    by_law: bool
    """Whether joint forces of a controller cause it, rather than the joints' own springs and dampers."""
    held: float
    """The time h that these forces are held for [s], or that of a step."""
    longest: float
    """The longest time that would do [s]."""


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
        """The numbers of LANES states of the batch, evenly spread, and of those with the largest parameters."""
        count, own = math.prod(self.q.shape[:-1]), getattr(self.controller, "parameters", {})
        chosen = [*np.linspace(0, count - 1, LANES).astype(np.intp)]
        for name, x in self.parameters.items():
            if name in own and np.ndim(x) > np.ndim(own[name]):
                chosen.append(np.argmax(np.abs(self._rows(x, np.ndim(own[name])).reshape(count, -1)).max(axis=1)))
        return np.unique(np.array(chosen, dtype=np.intp))

    def picked(self, x: Any, axes: int) -> Float:
        """The rows (k, ...) of these states of an array with that many axes for one state, or none for all."""
        return self._rows(x, axes)[self.lanes]

    def _rows(self, x: Any, axes: int) -> Float:
        """The rows of all states."""
        x, batch = np.asarray(x, dtype=float), self.q.shape[:-1]
        own = x.shape[x.ndim - axes :]
        return np.broadcast_to(x, (*batch, *own)).reshape(-1, *own)


def stiffest(robot: Simulated, at: Start, dt: float, method: str) -> Stiffness | None:
    """What makes steps too long, or would at MARGIN times their length; None if nothing does, or it cannot be told.

    A function that may do more than compute, such as keep a log, is not called.
    """
    if not at.q.size:
        return None
    law = None if method == "implicit" and at.continues else _slopes(robot, at)
    springs, period = _springs(robot), sampling_period(at.controller)
    nothing, found = np.zeros((robot.nv, robot.nv)), list[Stiffness | None]()
    for k, (q, v) in enumerate(zip(at.picked(at.q, 1), at.picked(at.v, 1), strict=True)):
        own = Reaction(nothing, nothing)
        if springs is not None:
            own = Reaction(*(np.asarray(x, dtype=float) for x in springs.passive_derivatives(q, v)))
            found.append(_judged(robot, q, Reaction(nothing, nothing), own, dt, method, False))
        if law is not None:  # forces that are held for many steps are alone: the joints' act in each of these
            held = dt if period is None else max(dt, period)
            rest = Reaction(nothing, nothing) if held > dt else own
            found.append(_judged(robot, q, Reaction(-law[0][k], -law[1][k]), rest, held, method, True))
    return max((x for x in found if x is not None), key=lambda x: (x.growth, not x.by_law), default=None)


def _judged(
    robot: Simulated, q: Float, law: Reaction, joints: Reaction, h: float, method: str, by_law: bool
) -> Stiffness | None:
    """What grows in steps of h, or of MARGIN times that; None if nothing does."""
    G = robot.velocity_map(q) if robot.model.closures else np.eye(robot.nv)
    M = G.T @ robot.mass_matrix(q) @ G
    try:
        held, own = (
            np.asarray(np.linalg.solve(M, -G.T @ np.hstack([x.stiffness @ G, x.damping @ G])), dtype=float)
            for x in (law, joints)
        )
    except np.linalg.LinAlgError:  # a singular configuration
        return None
    if not (held.size and np.isfinite(held).all() and np.isfinite(own).all()):
        return None
    true = max(float(np.linalg.eigvals(_flow(held, held + own)[0]).real.max()), 0.0)

    def growth(h: float) -> float:
        largest = np.abs(np.linalg.eigvals(ADVANCES[method](held, own, h))).max()
        return float(largest / np.exp(min(true * h, 700.0)))

    if max(growth(h), growth(MARGIN * h)) <= GROWTH:
        return None
    values, modes = np.linalg.eig(ADVANCES[method](held, own, h))
    motion = G @ modes[G.shape[1] :, int(np.argmax(np.abs(values)))]
    forces = law.damping + joints.damping + h * (law.stiffness + joints.stiffness)
    name = names_of(robot.model).v[int(np.argmax(np.abs(motion * (forces @ motion))))]
    fastest = float(np.linalg.eigvals(np.linalg.solve(M, h * G.T @ forces @ G)).real.max())
    short, long = 0.0, h
    for _ in range(30):
        middle = 0.5 * (short + long)
        short, long = (middle, long) if growth(middle) <= GROWTH else (short, middle)
    return Stiffness(growth(h), fastest, name, by_law, h, short)


def warn_of(found: Stiffness, method: str, sampled: bool) -> None:
    """Say that steps, or the period of a sampled law, are too long."""
    who, what = "springs and dampers", f"steps of {1e3 * found.held:.3g} ms are"
    ways = [f"dt <= {found.longest:.2g}", 'method="implicit"']
    if found.by_law:
        who, gentle = "the controller", ["lower gains", "rotors in the joints"]
        ways = [ways[0], *gentle, _CONTINUED]
        if sampled:
            what, ways = f"a period of {1e3 * found.held:.3g} ms is", [f"a period <= {found.longest:.2g}", *gentle]
    size = f"with method {method!r} motion grows {found.growth:.3g}-fold in each"
    size += f" (the largest eigenvalue of M⁻¹(D + dt K) dt is {found.eigenvalue:.3g})"
    told = f"{what} too long for {who} at joint {found.velocity!r}: {size}"
    warn(f"{told}; take {', '.join(ways[:-1])} or {ways[-1]}", SimulationWarning)


_CONTINUED = 'method="implicit" with a controller of kinetrace.control or with traced=True'


def _springs(robot: Simulated) -> Model | None:
    """The model without friction, whose force is bounded: no motion grows by it; None if nothing else acts."""
    model = robot.model
    effects = [body.effects for body in model.bodies if body.effects is not None]
    names = ("damping", "stiffness", "stop_stiffness", "stop_damping")
    if not any(is_present(getattr(x, name)) for x in effects for name in names) and model.fluid is None:
        return None
    return model.with_joint_effects(friction=0.0) if any(is_present(x.friction) for x in effects) else model


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
    if getattr(law, "is_limited", False):  # as it is where the limits do not act: that may come
        parameters["limits"] = np.full_like(parameters["limits"], 1e300)
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
