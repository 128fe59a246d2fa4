"""Algorithms: pure functions of a model and arrays of any scalar, each written as its sweeps."""

from typing import TYPE_CHECKING

from ..support.public_names import listing as _listing
from ..support.public_names import missing as _missing
from .actuation.actuator_forces import actuator_forces
from .closed.closure_forces import closure_forces, closure_wrenches
from .closed.closures import closure_bias, closure_jacobian, closure_jacobian_rate, closure_residual, closure_velocity
from .closed.independent_velocities import (
    reduced_coriolis_matrix,
    reduced_gravity,
    reduced_jacobian,
    reduced_mass_matrix,
    reduced_regressor,
    velocity_map,
)
from .closed.motor_forces import closed_acceleration, motor_forces
from .closed.projection import project
from .contact.slots import contact_points as contact_points  # not listed below: robots in worlds alone have slots
from .derivatives.closed_chains import motor_forces_derivatives
from .derivatives.dynamics import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    inverse_dynamics_second_derivatives,
)
from .derivatives.kinematics import acceleration_derivatives, jacobian_derivative, pose_derivative, velocity_derivatives
from .derivatives.linearisation import linearise, linearise_step
from .dynamics.articulated_body import solve_mass
from .dynamics.coriolis import bias, coriolis_product, coriolis_transpose_product
from .dynamics.coriolis_matrix import coriolis_matrix, mass_matrix_rate
from .dynamics.energy import (
    dissipated_power,
    gravity,
    kinetic_energy,
    passive_forces,
    potential_energy,
    power,
    total_energy,
)
from .dynamics.forward_dynamics import forward_acceleration, forward_dynamics
from .dynamics.inverse_dynamics import inverse_dynamics
from .dynamics.mass_matrix import mass_matrix
from .dynamics.mass_root import (
    mass_pivots,
    mass_root_product,
    mass_root_solve,
    mass_root_transposed_product,
    mass_root_transposed_solve,
)
from .dynamics.momentum import center_of_mass, centroidal_momentum, centroidal_momentum_matrix, momentum, momentum_rate
from .dynamics.regressor import coriolis_regressor, energy_regressor, momentum_regressor, regressor
from .kinematics.forward_kinematics import acceleration, pose, velocity
from .kinematics.jacobian import jacobian
from .metric.christoffel import christoffel, christoffel_derivative, mass_matrix_derivative
from .metric.curvature import ricci, riemann, scalar_curvature, sectional_curvature
from .metric.quasivelocity import diagonal_coriolis, diagonal_dynamics, diagonal_step
from .tasks.manipulability import manipulability
from .tasks.operational_space import (
    dynamically_consistent_inverse,
    nullspace_projector,
    operational_bias,
    operational_compliance,
    operational_inertia,
)
from .time.integrators import step
from .time.rollout import rollout as rollout  # not listed below: its forces have a length that only a call tells
from .time.rollout_derivatives import rollout_derivatives as rollout_derivatives

__all__ = [
    "acceleration",
    "acceleration_derivatives",
    "actuator_forces",
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
    "project",
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
__dir__ = _listing(__name__, "contact_points", "rollout", "rollout_derivatives")
