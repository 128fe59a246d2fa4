"""Axes of the arrays of a robot's methods: which of them mean the same.

Sizes cannot tell that: a robot with six joints has forces of six entries, and so has a twist. A test compares the table
with the docstrings, which say the same to readers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

STUBS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Function of the model → the method that evaluates it; `robot.dispatch.compiled` fills this table."""


class Stated(NamedTuple):
    """Axes of arrays behind batch axes, as texts such as "nv" and "6"."""

    inputs: dict[str, tuple[str, ...]]
    outputs: list[tuple[str, tuple[str, ...]]]
    """Names, which are empty if there is one, and axes."""


INPUTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "q0", "q1"), ("nq",)),
    **dict.fromkeys(("v", "a", "tau", "u", "nu", "tau_weight"), ("nv",)),
    "dy": ("dof",),
    "internal_forces": ("rows",),
}
"""Argument → its axes, where these have names."""
_ONE = {
    "": "kinetic_energy total_energy potential_energy power dissipated_power sectional_curvature manipulability",
    "nq": "integrate normalise",
    "nv": "difference solve_mass gravity bias passive_forces coriolis_product coriolis_transpose_product "
    "inverse_dynamics forward_dynamics closed_acceleration mass_root_product mass_root_solve "
    "mass_root_transposed_product mass_root_transposed_solve diagonal_coriolis",
    "nv nv": "mass_matrix coriolis_matrix mass_matrix_rate nullspace_projector",
    "nv nv nv": "mass_matrix_derivative christoffel",
    "nv nv nv nv": "christoffel_derivative",
    "4 4": "pose",
    "4 4 nv": "pose_derivative",
    "3": "center_of_mass",
    "6": "velocity acceleration momentum centroidal_momentum momentum_rate forward_acceleration",
    "6 nv": "jacobian centroidal_momentum_matrix",
    "6 nv nv": "jacobian_derivative",
    "k": "operational_bias",
    "k k": "operational_compliance operational_inertia",
    "nv k": "dynamically_consistent_inverse",
    "rows": "closure_residual closure_velocity closure_bias closure_forces",
    "rows nv": "closure_jacobian",
    "closures 6": "closure_wrenches",
    "dof": "reduced_gravity",
    "dof dof": "reduced_mass_matrix reduced_coriolis_matrix",
    "nv dof": "velocity_map",
    "6 dof": "reduced_jacobian",
    "dof p": "reduced_regressor",
    "nv p": "regressor",
    "nv 10nb": "coriolis_regressor",
    "2 10nb": "energy_regressor",
    "6 10nb": "momentum_regressor",
}
"""Axes of a result → the methods that have it."""
_SEVERAL = {
    "velocity_derivatives": {"dq": "6 nv", "dv": "6 nv"},
    "acceleration_derivatives": {"dq": "6 nv", "dv": "6 nv", "da": "6 nv"},
    "inverse_dynamics_derivatives": {"dq": "nv nv", "dv": "nv nv", "da": "nv nv"},
    "forward_dynamics_derivatives": {"dq": "nv nv", "dv": "nv nv", "dtau": "nv nv"},
    "inverse_dynamics_second_derivatives": dict.fromkeys(("qq", "vq", "vv", "aq"), "nv nv nv"),
    "motor_forces": {"tau": "nv", "force": "rows"},
    "motor_forces_derivatives": {"dq": "nv nv", "dv": "nv nv", "da": "nv nv"},
    "step": {"q": "nq", "v": "nv"},
    "linearise": {"A": "2nv 2nv", "B": "2nv nv"},
    "linearise_step": {"A": "2nv 2nv", "B": "2nv nv"},
    "diagonal_dynamics": {"v": "nv", "rate": "nv"},
    "diagonal_step": {"q": "nq", "nu": "nv"},
}
"""Methods with several results → the names of these, and their axes."""
_OUTPUTS = {
    **{name: [("", tuple(axes.split()))] for axes, names in _ONE.items() for name in names.split()},
    **{name: [(x, tuple(axes.split())) for x, axes in of.items()] for name, of in _SEVERAL.items()},
}


def stated(function: Any) -> Stated | None:
    """The axes of the arrays of the method that evaluates a function; None if there is none.

    >>> import kinetrace as kt
    >>> stated(kt.algorithms.centroidal_momentum).outputs
    [('', ('6',))]
    """
    stub = STUBS.get(function)
    outputs = None if stub is None else _OUTPUTS.get(stub.__name__)
    return None if outputs is None else Stated(INPUTS, outputs)
