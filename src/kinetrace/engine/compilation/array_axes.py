"""Axes of the arrays of algorithms: which of them mean the same, for kernels on arrays with labels.

Sizes cannot tell that: a robot with six joints has forces of six entries, and so has a twist. A test compares the table
with the docstrings of the robot's methods, which say the same to readers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...algorithms.registry.declaration import ALGORITHMS
from ...model import Model, manifold
from ..runtime.recipe import ArrayLabels

Axes = tuple[str, ...]
INPUTS: dict[str, Axes] = {
    **dict.fromkeys(("q", "q0", "q1"), ("nq",)),
    **dict.fromkeys(("v", "a", "tau", "u", "nu", "tau_weight"), ("nv",)),
    "dy": ("dof",),
    "internal_forces": ("rows",),
}
"""Argument → its axes, where these have names."""
_ONE_RESULT = {
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
"""Axes of a result → the algorithms that have it."""
_SEVERAL_RESULTS = {
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
"""Algorithms with several results → the names of these, and their axes."""
_OUTPUTS = {
    **{name: [("", tuple(axes.split()))] for axes, names in _ONE_RESULT.items() for name in names.split()},
    **{name: [(x, tuple(axes.split())) for x, axes in of.items()] for name, of in _SEVERAL_RESULTS.items()},
}


def result_axes(function: Callable[..., Any]) -> list[tuple[str, Axes]] | None:
    """Names of the results of an algorithm, empty if there is one, and their axes; None for other functions.

    >>> import kinetrace as kt
    >>> result_axes(kt.algorithms.centroidal_momentum)
    [('', ('6',))]
    """
    name = getattr(function, "__name__", "")
    declaration = ALGORITHMS.get(name)
    known = getattr(manifold, name, None) if declaration is None else declaration.function
    return _OUTPUTS.get(name) if function is known else None


def array_labels(function: Callable[..., Any], model: Model, compact: bool) -> ArrayLabels:
    """The labels of the arrays of a function that is compiled for a model."""
    return ArrayLabels(
        owner="robot",
        attribute="joint_names",
        entries=tuple(model.joint_names),
        inputs=INPUTS,
        outputs=None if compact else result_axes(function),
        state_sizes={"nq": model.nq, "nv": model.nv},
        dimensions={"nq": "position", "nv": "velocity"},  # as in `Trajectory.to_xarray`
        same_entries={"nv": "nq"},
    )
