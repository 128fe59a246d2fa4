"""Mass matrix, gravity and Coriolis forces; roots of the mass matrix and quasi-velocities."""

from __future__ import annotations

import numpy as np

from ... import algorithms
from ...algorithms.registry.choices import CoriolisForm, ExplicitMethod, MassMethod
from ..base import RobotBase
from ..dispatch import compiled
from ..types import Array, Float, Out, Outs, Threads, Wrenches


class MassMethods(RobotBase):
    """Mass matrix, gravity and Coriolis forces, and what follows from them in joint space."""

    @compiled(algorithms.mass_matrix)
    def mass_matrix(
        self, q: Array, *, method: MassMethod = "composite", out: Out = None, threads: Threads = None
    ) -> Float:
        """Mass matrix M of the kinetic energy ½ vᵀ M v.

        With closed loops it is that of the spanning tree; `reduced_mass_matrix` is that of the closed robot.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        method : {"composite", "jacobians", "factors"}, default "composite"
            Algorithm: composite rigid bodies, the sum of Jᵀ I J over bodies, or the innovations factors.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            The mass matrix, symmetric and positive definite unless a joint moves no mass [kg m², kg m, kg].

        >>> kt.load("planar2r").mass_matrix([0.0, 0.0]).round(3)
        array([[2.667, 0.833],
               [0.833, 0.333]])
        """

    @compiled(algorithms.solve_mass)
    def solve_mass(self, q: Array, tau: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Solution M⁻¹ τ, in O(n) operations and without forming M.

        With closed loops M is that of the spanning tree; `forward_dynamics` honours them.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        tau : array_like, shape (..., nv)
            Right sides: joint forces [N m, N].

        Returns
        -------
        ndarray, shape (..., nv)
            The accelerations that `tau` adds [rad/s², m/s²].

        >>> kt.load("planar2r").solve_mass([0.0, 0.0], [1.0, 0.0]).round(3)
        array([ 1.714, -4.286])
        """

    def log_det_mass(self, q: Array, *, threads: Threads = None) -> Float:
        """Logarithm of the determinant of the mass matrix.

        With closed loops it is that of the spanning tree.

        The square root of the determinant is the volume element of configuration space. It takes O(n) operations,
        unless joints mimic others.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (...)
            The values log det M; NaN if M is singular at every configuration.

        >>> kt.load("planar2r").log_det_mass([0.0, 0.0]).round(3)
        np.float64(-1.638)
        """
        pivots = self._on_checked(q).kernel(algorithms.mass_pivots)(q, threads=threads)
        with np.errstate(all="ignore"):  # where M is singular, pivots are NaN, zero or negative by rounding
            return np.log(pivots).sum(axis=-1)

    @compiled(algorithms.gravity)
    def gravity(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces that carry the weight of the bodies.

        They are the gradient of `potential_energy`, if no joint has a spring or soft stops and no body a compensation
        of its weight (MJCF's gravcomp). With these, what holds the robot at rest is `inverse_dynamics` with v and a of
        zero.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nv)
            Joint forces [N m, N].

        >>> kt.load("planar2r").gravity([0.0, 0.0]).round(3)
        array([19.62 ,  4.905])
        """

    @compiled(algorithms.bias)
    def bias(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces that keep the velocity constant: C(q, v) v + gravity, plus `passive_forces`.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., nv)
            Joint forces [N m, N].

        >>> kt.load("planar2r").bias([0.0, 0.5], [1.0, 0.0]).round(3)
        array([19.02 ,  4.544])
        """

    @compiled(algorithms.passive_forces)
    def passive_forces(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces that overcome damping, friction, springs and stops of joints, and what acts on links by itself.

        That is the compensation of their weight, and a fluid around them (docs/mjcf.md).

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., nv)
            Joint forces [N m, N]; zero without such effects.

        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5)
        >>> robot.passive_forces([0.0, 0.0], [1.0, 1.0])
        array([0. , 0.5])
        """

    @compiled(algorithms.coriolis_matrix)
    def coriolis_matrix(
        self, q: Array, v: Array, *, form: CoriolisForm = "christoffel", out: Out = None, threads: Threads = None
    ) -> Float:
        """Coriolis matrix C, with C v the velocity-dependent joint forces.

        With closed loops it is that of the spanning tree; `reduced_coriolis_matrix` is that of the closed robot.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        form : {"christoffel", "skew", "newton"}, default "christoffel"
            Factorisation: that of the Christoffel symbols, for which Ṁ − 2C is skew; Ploen (37), skew too, but
            dependent on the link frames; or Ploen and Park (12), for which it is not skew.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            The matrix C(q, v).

        >>> kt.load("planar2r").coriolis_matrix([0.0, 0.5], [1.0, 2.0]).round(3)
        array([[-0.479, -0.719],
               [ 0.24 ,  0.   ]])
        """

    @compiled(algorithms.coriolis_product)
    def coriolis_product(
        self,
        q: Array,
        v: Array,
        u: Array,
        *,
        form: CoriolisForm = "christoffel",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Product C(q, v) u, in O(n) operations and without forming C.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        u : array_like, shape (..., nv)
            Vectors to multiply by, such as a reference velocity [rad/s, m/s].
        form : {"christoffel", "skew", "newton"}, default "christoffel"
            Factorisation, as in `coriolis_matrix`.

        Returns
        -------
        ndarray, shape (..., nv)
            The product C u [N m, N].

        >>> kt.load("planar2r").coriolis_product([0.0, 0.5], [1.0, 2.0], [1.0, 0.0]).round(3)
        array([-0.479,  0.24 ])
        """

    @compiled(algorithms.coriolis_transpose_product)
    def coriolis_transpose_product(
        self,
        q: Array,
        v: Array,
        u: Array,
        *,
        form: CoriolisForm = "christoffel",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Product C(q, v)ᵀ u, in O(n) operations and without forming C.

        Momentum observers need it: d(M v)/dt = τ + Cᵀ v − gravity.

        Parameters
        ----------
        q, v, u : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and vectors to multiply by [rad/s, m/s].
        form : {"christoffel", "skew", "newton"}, default "christoffel"
            Factorisation, as in `coriolis_matrix`.

        Returns
        -------
        ndarray, shape (..., nv)
            The product Cᵀ u [N m, N].

        >>> kt.load("planar2r").coriolis_transpose_product([0.0, 0.5], [1.0, 2.0], [1.0, 0.0]).round(3)
        array([-0.479, -0.719])
        """

    @compiled(algorithms.mass_matrix_rate)
    def mass_matrix_rate(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Rate Ṁ of the mass matrix at the velocity v.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., nv, nv)
            The rate of M, which is C + Cᵀ for the Christoffel form.

        >>> kt.load("planar2r").mass_matrix_rate([0.0, 0.5], [1.0, 2.0]).round(3)
        array([[-0.959, -0.479],
               [-0.479,  0.   ]])
        """

    @compiled(algorithms.mass_matrix_derivative)
    def mass_matrix_derivative(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Derivative of the mass matrix with respect to q.

        With closed loops it is that of the spanning tree, along all q ⊕ ε.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv)
            Entry [i, j, k] is the derivative of M[i, j] along q ⊕ ε e_k.

        >>> kt.load("planar2r").mass_matrix_derivative([0.0, 0.5])[:, :, 1].round(3)
        array([[-0.479, -0.24 ],
               [-0.24 ,  0.   ]])
        """


class QuasivelocityMethods(RobotBase):
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
