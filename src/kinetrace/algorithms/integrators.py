"""Discrete dynamics: one step in time, on the manifold of configurations.

    explicit        "euler", "semi-implicit" of order one, "rk4" of order four       `explicit`
                    "rkmk2", "rkmk4": the same of order two and four, which keep the momentum of what floats    `rkmk`
    implicit        "variational" of order two: symplectic, energy stays bounded     `variational`
                    "rosenbrock" of order two, for stiff springs and dampers         `rosenbrock`

τ and wrenches are constant during the step; a base or a closure that is driven goes on as `ExternalInputs.later` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..arrays import Array
from ..errors import lookup
from ..model.model import Model
from .acting import Acting
from .choices import StepMethod
from .closure_paths import Drive
from .declaration import algorithm
from .explicit import EXPLICIT, Pair
from .inputs import ExternalInputs
from .rkmk import rkmk2, rkmk4
from .rosenbrock import rosenbrock
from .variational import variational


def _explicit(name: str, model: Model, q: Array, v: Array, dt: Array, acting: Acting) -> Pair:
    return EXPLICIT[name](acting.system(model), q, v, dt)


METHODS: dict[str, Callable[[Model, Array, Array, Array, Acting], Pair]] = {
    **{name: partial(_explicit, name) for name in EXPLICIT},
    "rkmk2": rkmk2,
    "rkmk4": rkmk4,
    "variational": variational,
    "rosenbrock": rosenbrock,
}


@algorithm(keeps_forces=("wrench", "method"), honours_closures=True)
def step(
    model: Model,
    q: Array,
    v: Array,
    tau: Array,
    dt: Array,
    *,
    method: StepMethod = "semi-implicit",
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    wrench: Mapping[str, Array] | None = None,
    drive: Drive = None,
    stabilisation: Array | None = None,
) -> tuple[Array, Array]:
    """q (nq,) and v (nv,) after the time dt () [s], under constant joint forces tau (nv,).

    `wrench` is constant in its frames. `base_velocity` and `base_acceleration` are those of the beginning, in which the
    base has the axes of the world; q stays relative to the base, and gravity turns in its axes. Loops that are closed
    stay closed to the order of the method; `drive`, again of the beginning, and `stabilisation` are those of
    `forward_dynamics`.

    >>> import numpy as np, kinetrace as kt
    >>> model, z = kt.load("planar2r").model, np.zeros(2)
    >>> q, v = kt.algorithms.step(model, z, z, z, 0.01)
    >>> v.round(3)
    array([-0.126,  0.168])
    """
    acting = Acting(tau, ExternalInputs(base_velocity, base_acceleration, wrench, drive), stabilisation)
    return lookup("method", method, METHODS)(model, q, v, dt, acting)
