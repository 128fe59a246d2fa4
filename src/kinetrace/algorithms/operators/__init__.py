"""The global-matrix view: the papers' block matrices of one state, dense, for study, teaching and proof.

    global_matrices     S, G, Γ, J, P_0, P_t, Ĵ, Ω, Φ, Π, X, Y and A, L, D     Ploen and Park, Park et al.; base → tips
    spatial_operators   H, φ, M, B, E, P, D, G, L, K, ψ, Φ, Ψ, S, Δ            Rodriguez and Kreutz; tips → base
    operator_rates      their local and inertial time derivatives             Kozłowski, Table 1; tips → base

They take memory and time in O(n²) and more; `kinetrace.algorithms` has the recursions.
"""

from typing import TYPE_CHECKING

from ...support.public_names import listing as _listing
from ...support.public_names import missing as _missing
from .lie_group import GlobalMatrices, global_matrices
from .rates import OperatorRates, operator_rates
from .spatial import SpatialOperators, spatial_operators

__all__ = [
    "GlobalMatrices",
    "OperatorRates",
    "SpatialOperators",
    "global_matrices",
    "operator_rates",
    "spatial_operators",
]

if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
    __getattr__ = _missing(__name__, "kt.operators")

__dir__ = _listing(__name__)
