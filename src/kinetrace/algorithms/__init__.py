"""Algorithms: pure functions of a model and arrays of any scalar, each written as its sweeps."""

from .coriolis import bias, coriolis_product, coriolis_transpose_product
from .coriolis_matrix import coriolis_matrix, mass_matrix_rate
from .energy import gravity, kinetic_energy, potential_energy, power
from .factorization import mass_pivots, mass_root_product, mass_root_solve, mass_root_transposed_solve, solve_mass
from .forward_dynamics import forward_acceleration, forward_dynamics
from .inverse_dynamics import inverse_dynamics
from .kinematics import acceleration, jacobian, pose, velocity
from .mass_matrix import mass_matrix
from .momentum import center_of_mass, centroidal_momentum, centroidal_momentum_matrix, momentum, momentum_rate
from .operational_space import (
    dynamically_consistent_inverse,
    operational_bias,
    operational_compliance,
    operational_inertia,
)

__all__ = [
    "acceleration",
    "bias",
    "center_of_mass",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "coriolis_matrix",
    "coriolis_product",
    "coriolis_transpose_product",
    "dynamically_consistent_inverse",
    "forward_acceleration",
    "forward_dynamics",
    "gravity",
    "inverse_dynamics",
    "jacobian",
    "kinetic_energy",
    "mass_matrix",
    "mass_matrix_rate",
    "mass_pivots",
    "mass_root_product",
    "mass_root_solve",
    "mass_root_transposed_solve",
    "momentum",
    "momentum_rate",
    "operational_bias",
    "operational_compliance",
    "operational_inertia",
    "pose",
    "potential_energy",
    "power",
    "solve_mass",
    "velocity",
]
