"""The geometry of configuration space, with the mass matrix as its metric."""

from __future__ import annotations

from ... import algorithms
from ...algorithms.registry.choices import ChristoffelKind
from ..dispatch import compiled
from ..types import Array, Float, Out, Threads
from .kinematics import KinematicsMethods
from .mass import MassMethods
from .momentum import MomentumMethods


class CurvatureMethods(KinematicsMethods, MassMethods, MomentumMethods):
    """The geometry of configuration space, with the mass matrix as its metric."""

    @compiled(algorithms.christoffel)
    def christoffel(self, q: Array, *, kind: ChristoffelKind = 1, out: Out = None, threads: Threads = None) -> Float:
        """Christoffel symbols of the mass matrix.

        Σ_ij Γ_ijk v_i v_j is the Coriolis force on joint k, and Σ_i Γ_ijk v_i is entry [k, j] of `coriolis_matrix`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        kind : {1, 2}, default 1
            First kind Γ_ijk, or second kind Γ^k_ij = Σ_h (M⁻¹)_kh Γ_ijh.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv)
            Entry [i, j, k] is Γ_ijk, or Γ^k_ij.

        Raises
        ------
        InputError
            If `kind` is not one of its choices, the shape of an array does not fit, or the robot has closed loops.

        >>> kt.load("planar2r").christoffel([0.0, 0.5])[:, :, 0].round(3)
        array([[ 0.  , -0.24],
               [-0.24, -0.24]])
        """

    @compiled(algorithms.christoffel_derivative)
    def christoffel_derivative(
        self, q: Array, *, kind: ChristoffelKind = 1, out: Out = None, threads: Threads = None
    ) -> Float:
        """Derivative of the Christoffel symbols with respect to q.

        For at most 24 degrees of freedom; beyond, `kt.jvp` of `algorithms.christoffel` gives the derivative along one
        direction.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        kind : {1, 2}, default 1
            Kind of the symbols, as in `christoffel`.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv, nv)
            Entry [i, j, k, l] is the derivative of entry [i, j, k] of `christoffel` along q ⊕ ε e_l.

        Raises
        ------
        InputError
            If `kind` is not one of its choices, the shape of `q` does not fit, or the robot has more than 24 degrees of
            freedom or closed loops.

        >>> kt.load("planar2r").christoffel_derivative([0.0, 0.5])[:, :, 0, 1].round(3)
        array([[ 0.   , -0.439],
               [-0.439, -0.439]])
        """

    @compiled(algorithms.sectional_curvature, velocities=())
    def sectional_curvature(self, q: Array, u: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Sectional curvature of the plane spanned by two velocities.

        No tensor is formed, so robots may have any number of degrees of freedom.

        Parameters
        ----------
        q, u, v : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities that span the plane with `v` and velocities that span the plane with `u`.

        Returns
        -------
        ndarray, shape (...)
            The curvature; NaN if u and v are parallel.

        Raises
        ------
        InputError
            If the shape of an array does not fit, or the robot has closed loops.

        >>> robot = kt.load("planar2r")
        >>> robot.sectional_curvature([[0.0, 1.0], [5.0, 1.0]], [1.0, 0.0], [0.0, 1.0]).round(3)
        array([0.381, 0.381])
        """
