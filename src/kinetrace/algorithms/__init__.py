"""Algorithms: pure functions of a model and arrays of any scalar, each written as its sweeps."""

from typing import TYPE_CHECKING

from ..support.public import listing as _listing
from ..support.public import missing as _missing
from .christoffel import christoffel, christoffel_derivative, mass_matrix_derivative
from .closure_forces import closure_forces, closure_wrenches
from .closures import (
    closure_bias,
    closure_jacobian,
    closure_jacobian_rate,
    closure_residual,
    closure_velocity,
)
from .coriolis import bias, coriolis_product, coriolis_transpose_product
from .coriolis_matrix import coriolis_matrix, mass_matrix_rate
from .curvature import ricci, riemann, scalar_curvature, sectional_curvature
from .dynamics_derivatives import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    inverse_dynamics_second_derivatives,
)
from .energy import dissipated_power, gravity, kinetic_energy, passive_forces, potential_energy, power, total_energy
from .factorisation import solve_mass
from .forward_dynamics import forward_acceleration, forward_dynamics
from .integrators import step
from .inverse_dynamics import inverse_dynamics
from .jacobian import jacobian
from .kinematics import acceleration, pose, velocity
from .kinematics_derivatives import acceleration_derivatives, jacobian_derivative, pose_derivative, velocity_derivatives
from .linearisation import linearise, linearise_step
from .manipulability import manipulability
from .mass_matrix import mass_matrix
from .mass_root import (
    mass_pivots,
    mass_root_product,
    mass_root_solve,
    mass_root_transposed_product,
    mass_root_transposed_solve,
)
from .momentum import center_of_mass, centroidal_momentum, centroidal_momentum_matrix, momentum, momentum_rate
from .motor_derivatives import motor_forces_derivatives
from .motors import closed_acceleration, motor_forces
from .operational_space import (
    dynamically_consistent_inverse,
    nullspace_projector,
    operational_bias,
    operational_compliance,
    operational_inertia,
)
from .quasivelocity import diagonal_coriolis, diagonal_dynamics, diagonal_step
from .reduced import (
    reduced_coriolis_matrix,
    reduced_gravity,
    reduced_jacobian,
    reduced_mass_matrix,
    reduced_regressor,
    velocity_map,
)
from .regressor import coriolis_regressor, energy_regressor, momentum_regressor, regressor
from .rollout import rollout as rollout  # not listed below: its forces have a length that only a call tells
from .rollout import rollout_derivatives as rollout_derivatives

__all__ = [
    "acceleration",
    "acceleration_derivatives",
    "bias",
    "center_of_mass",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "christoffel",
    "christoffel_derivative",
    "closed_acceleration",
    "closure_bias",
    "closure_forces",
    "closure_jacobian",
    "closure_jacobian_rate",
    "closure_residual",
    "closure_velocity",
    "closure_wrenches",
    "coriolis_matrix",
    "coriolis_product",
    "coriolis_regressor",
    "coriolis_transpose_product",
    "diagonal_coriolis",
    "diagonal_dynamics",
    "diagonal_step",
    "dissipated_power",
    "dynamically_consistent_inverse",
    "energy_regressor",
    "forward_acceleration",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "gravity",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_second_derivatives",
    "jacobian",
    "jacobian_derivative",
    "kinetic_energy",
    "linearise",
    "linearise_step",
    "manipulability",
    "mass_matrix",
    "mass_matrix_derivative",
    "mass_matrix_rate",
    "mass_pivots",
    "mass_root_product",
    "mass_root_solve",
    "mass_root_transposed_product",
    "mass_root_transposed_solve",
    "momentum",
    "momentum_rate",
    "momentum_regressor",
    "motor_forces",
    "motor_forces_derivatives",
    "nullspace_projector",
    "operational_bias",
    "operational_compliance",
    "operational_inertia",
    "passive_forces",
    "pose",
    "pose_derivative",
    "potential_energy",
    "power",
    "reduced_coriolis_matrix",
    "reduced_gravity",
    "reduced_jacobian",
    "reduced_mass_matrix",
    "reduced_regressor",
    "regressor",
    "ricci",
    "riemann",
    "scalar_curvature",
    "sectional_curvature",
    "solve_mass",
    "step",
    "total_energy",
    "velocity",
    "velocity_derivatives",
    "velocity_map",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.algorithms")
__dir__ = _listing(__name__, "rollout", "rollout_derivatives")
