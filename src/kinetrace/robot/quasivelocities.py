"""Square root of the mass matrix, and dynamics in quasi-velocities, whose mass matrix is the identity."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import ExplicitMethod
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Outs, Threads, Wrenches


class Quasivelocities(RobotBase):
    """Square root of the mass matrix, and dynamics in quasi-velocities, whose mass matrix is the identity.

    Sweeps in O(n); with mimic joints, the dense factors of M.
    """

    @compiled(algorithms.mass_root_product)
    def mass_root_product(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Product W u with the square root W of the mass matrix, M = W Wᵀ.

        W = N Ω^½ with N unit block triangular and Ω block diagonal: innovations factors. If u ~ N(0, 1), W u ~ N(0, M).

        Parameters
        ----------
        q, u : array_like, shapes (..., nq), (..., nv)
            Configurations and vectors with one entry per velocity.
        normalised : bool, default True
            Whether to multiply by W; if false, by N.

        Returns
        -------
        ndarray, shape (..., nv)
            The product W u, or N u.

        >>> kt.load("planar2r").mass_root_product([0.0, 0.5], [1.0, 2.0]).round(3)
        array([3.544, 1.155])
        """

    @compiled(algorithms.mass_root_solve)
    def mass_root_solve(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Solution W⁻¹ u with the square root W of the mass matrix.

        It whitens forces with covariance M.

        Parameters
        ----------
        q, u : array_like, shapes (..., nq), (..., nv)
            Configurations and vectors with one entry per velocity.
        normalised : bool, default True
            Whether to solve with W; if false, with N, as in `mass_root_product`.

        Returns
        -------
        ndarray, shape (..., nv)
            The solution W⁻¹ u, or N⁻¹ u.

        >>> kt.load("planar2r").mass_root_solve([0.0, 0.5], [1.0, 2.0]).round(3)
        array([-4.179,  3.464])
        """

    @compiled(algorithms.mass_root_transposed_product)
    def mass_root_transposed_product(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Product Wᵀ u: the quasi-velocity ν of a velocity u, with kinetic energy ½ |ν|².

        Parameters
        ----------
        q, u : array_like, shapes (..., nq), (..., nv)
            Configurations and vectors with one entry per velocity.
        normalised : bool, default True
            Whether to multiply by Wᵀ; if false, by Nᵀ, which gives ξ with kinetic energy ½ ξᵀ Ω ξ.

        Returns
        -------
        ndarray, shape (..., nv)
            The product Wᵀ u, or Nᵀ u.

        >>> kt.load("planar2r").mass_root_transposed_product([0.0, 0.5], [1.0, 2.0]).round(3)
        array([0.869, 2.492])
        """

    @compiled(algorithms.mass_root_transposed_solve)
    def mass_root_transposed_solve(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Solution W⁻ᵀ u: the velocity of a quasi-velocity u.

        If u ~ N(0, 1), W⁻ᵀ u ~ N(0, M⁻¹).

        Parameters
        ----------
        q, u : array_like, shapes (..., nq), (..., nv)
            Configurations and vectors with one entry per velocity.
        normalised : bool, default True
            Whether to solve with Wᵀ; if false, with Nᵀ, as in `mass_root_product`.

        Returns
        -------
        ndarray, shape (..., nv)
            The solution W⁻ᵀ u, or N⁻ᵀ u.

        >>> kt.load("planar2r").mass_root_transposed_solve([0.0, 0.5], [1.0, 2.0]).round(3)
        array([1.15, 0.8 ])
        """

    @compiled(algorithms.diagonal_coriolis)
    def diagonal_coriolis(
        self, q: Array, nu: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Coriolis forces C(q, ν) of the diagonalised equations ν̇ + C = ε.

        They do no work: ν · C = 0. With ξ instead of ν the equations are Ω ξ̇ + C(q, ξ) = κ. With
        closed loops they are those of the spanning tree; `diagonal_dynamics` honours them.

        Parameters
        ----------
        q, nu : array_like, shapes (..., nq), (..., nv)
            Configurations and quasi-velocities ν = `mass_root_transposed_product(q, v)`, or ξ if not `normalised`.
        normalised : bool, default True
            Whether `nu` is ν; if false, it is ξ, as in `mass_root_transposed_product`.

        Returns
        -------
        ndarray, shape (..., nv)
            The Coriolis forces C.

        >>> kt.load("planar2r").diagonal_coriolis([1.0, 1.0], [1.0, 2.0]).round(3)
        array([-3.723,  1.861])
        """

    @compiled(algorithms.diagonal_dynamics)
    def diagonal_dynamics(
        self,
        q: Array,
        nu: Array,
        tau: Array,
        *,
        normalised: bool = True,
        wrench: Wrenches = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """Velocity and rate of quasi-velocities under joint forces, gravity and wrenches.

        Parameters
        ----------
        q, nu : array_like, shapes (..., nq), (..., nv)
            Configurations and quasi-velocities ν = `mass_root_transposed_product(q, v)`, or ξ if not `normalised`.
        tau : array_like, shape (..., nv)
            Joint forces [N m, N].
        normalised : bool, default True
            Whether `nu` is ν; if false, it is ξ, as in `mass_root_transposed_product`.
        wrench : mapping of str to array_like, optional
            As in `inverse_dynamics`.

        Returns
        -------
        v : ndarray, shape (..., nv)
            Velocities [rad/s, m/s].
        rate : ndarray, shape (..., nv)
            The rate ν̇, or ξ̇ if not `normalised`.

        >>> v, rate = kt.load("planar2r").diagonal_dynamics([1.0, 1.0], [1.0, 2.0], [0.0, 0.0])
        >>> rate.round(3)
        array([-5.376,  1.674])
        """

    @compiled(algorithms.diagonal_step)
    def diagonal_step(
        self,
        q: Array,
        nu: Array,
        tau: Array,
        dt: Array,
        *,
        method: ExplicitMethod = "semi-implicit",
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """State in quasi-velocities after a step in time, under constant joint forces.

        Parameters
        ----------
        q, nu, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, quasi-velocities ν = `mass_root_transposed_product(q, v)` and joint forces [N m, N].
        dt : array_like, shape (...)
            Length of the step [s].
        method : {"semi-implicit", "euler", "rk4"}, default "semi-implicit"
            Integrator, as in `step`.

        Returns
        -------
        q : ndarray, shape (..., nq)
            Configurations after the step.
        nu : ndarray, shape (..., nv)
            Quasi-velocities after the step.

        >>> q, nu = kt.load("planar2r").diagonal_step([0.0, 0.0], [1.0, 2.0], [0.0, 0.0], 0.01, method="rk4")
        >>> nu.round(3)
        array([0.904, 1.915])
        """
