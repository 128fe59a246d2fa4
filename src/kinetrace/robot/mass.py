"""Mass matrix, gravity and Coriolis forces, and what follows from them in joint space."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..algorithms.choices import CoriolisForm, MassMethod
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Mass(RobotBase):
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
