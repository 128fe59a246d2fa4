"""The geometry of configuration space, with the mass matrix as its metric."""

from __future__ import annotations

from abc import abstractmethod

from .. import algorithms, geometry
from ..algorithms.choices import ChristoffelKind
from .dispatch import compiled
from .kinematics import Kinematics
from .mass import Mass
from .momentum import Momentum
from .types import Array, Float, Out, Threads


class Curvature(Kinematics, Mass, Momentum):
    """The geometry of configuration space, with the mass matrix as its metric."""

    @abstractmethod
    def _exact(self) -> Curvature:
        """This robot in float64, for computations that float32 is too coarse for."""

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
        out : ndarray, optional
            Array for the result.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv)
            Entry [i, j, k] is Γ_ijk, or Γ^k_ij.

        Raises
        ------
        InputError
            If `kind` is not one of its choices, the shape of an array does not fit, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
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
        out : ndarray, optional
            Array for the result.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv, nv)
            Entry [i, j, k, l] is the derivative of entry [i, j, k] of `christoffel` along q ⊕ ε e_l.

        Raises
        ------
        InputError
            If `kind` is not one of its choices, the shape of `q` does not fit, or the robot has more than 24 degrees of
            freedom or closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").christoffel_derivative([0.0, 0.5])[:, :, 0, 1].round(3)
        array([[ 0.   , -0.439],
               [-0.439, -0.439]])
        """

    def riemann(self, q: Array, *, threads: Threads = None) -> Float:
        """Riemann curvature tensor of the mass matrix.

        R_ijkl = <R(E_k, E_l) E_j, E_i> of Park et al. (66), so that R_ijij is positive on a sphere. A state has nv⁴
        numbers, 18 MB for 39 degrees of freedom; `sectional_curvature` computes single ones.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (..., nv, nv, nv, nv)
            Entry [i, j, k, l] is R_ijkl.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").riemann([0.0, 0.5])[0, 1].round(3)
        array([[ 0.   ,  0.339],
               [-0.339,  0.   ]])
        """
        return geometry.riemann(self._on_checked(q), q, threads)

    def ricci(self, q: Array, *, threads: Threads = None) -> Float:
        """Ricci tensor of the mass matrix.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            Entry [j, l] is Σ_ik (M⁻¹)_ik R_ijkl.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").ricci([0.0, 0.5]).round(3)
        array([[3.421, 1.038],
               [1.038, 0.448]])
        """
        return geometry.ricci(self._on_checked(q), q, threads)

    def scalar_curvature(self, q: Array, *, threads: Threads = None) -> Float:
        """Scalar curvature of the mass matrix, Σ_jl (M⁻¹)_jl Ric_jl.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (...)
            The curvature; with two degrees of freedom, twice the Gaussian curvature.

        Raises
        ------
        InputError
            If the shape of `q` does not fit, the mass matrix is singular, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").scalar_curvature([[0.0, 0.5], [0.0, 1.0]]).round(3)
        array([2.689, 0.761])
        """
        return geometry.scalar_curvature(self._on_checked(q), q, threads)

    @compiled(algorithms.sectional_curvature, velocities=())
    def sectional_curvature(self, q: Array, u: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Sectional curvature of the plane spanned by two velocities.

        No tensor is formed, so robots may have any number of degrees of freedom.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        u : array_like, shape (..., nv)
            Velocities that span the plane with `v`.
        v : array_like, shape (..., nv)
            Velocities that span the plane with `u`.
        out : ndarray, optional
            Array for the result.
        threads : int, optional
            Number of threads for this call; the robot's setting unless given.

        Returns
        -------
        ndarray, shape (...)
            The curvature; NaN if u and v are parallel.

        Raises
        ------
        InputError
            If the shape of an array does not fit, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.sectional_curvature([[0.0, 1.0], [5.0, 1.0]], [1.0, 0.0], [0.0, 1.0]).round(3)
        array([0.381, 0.381])
        """

    def is_flat(self, *, tol: float = 1e-09, seed: int = 0) -> bool:
        """Whether the mass matrix is a flat metric: then it is constant in suitable coordinates (Spong 1992).

        It is flat if the Christoffel symbols vanish identically. Otherwise the curvature of random planes is computed
        in 64 random states within the limits, in float64, and compared with the accelerations that it is made of. A
        curved metric is recognised with certainty but for rounding, a flat one with probability one.

        Parameters
        ----------
        tol : float, default 1e-09
            Largest relative curvature that counts as zero.
        seed : int, default 0
            Seed of the random states and planes.

        Returns
        -------
        bool
            Whether the metric is flat.

        Raises
        ------
        InputError
            If `tol` is not positive, or the robot has closed loops.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").is_flat()
        False
        """
        return geometry.is_flat(self._exact(), tol, seed)

    def geodesic(self, q: Array, v: Array, t: Array, *, tol: float = 1e-10) -> tuple[Float, Float]:
        """Motion without joint forces and gravity from a state: a geodesic of the mass matrix.

        Closed loops stay closed, if they are and `v` is a velocity that they allow: then it is a geodesic of
        `reduced_mass_matrix`, on the surface of the configurations that close them. Step sizes are common to the batch.
        A motion that reaches a singular mass matrix, which massless links allow, is NaN from there on.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations at time 0.
        v : array_like, shape (..., nv)
            Velocities at time 0 [rad/s, m/s].
        t : array_like, shape (k,)
            Times in order [s], which may be negative.
        tol : float, default 1e-10
            Error per step, relative to 1 + the largest number of a state.

        Returns
        -------
        q : ndarray, shape (..., k, nq)
            Configurations at these times.
        v : ndarray, shape (..., k, nv)
            Velocities at these times [rad/s, m/s]; the kinetic energy is constant.

        Raises
        ------
        InputError
            If `t` is not in order, or the shape of an array does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> q, v = kt.load("planar2r").geodesic([0.0, 1.0], [1.0, -2.0], [0.0, 0.5, 1.0])
        >>> q.round(3)
        array([[ 0.   ,  1.   ],
               [ 0.614, -0.372],
               [ 1.132, -1.42 ]])
        """
        return geometry.geodesic(self._on_checked(q, v), q, v, t, tol)

    def geodesic_between(self, q0: Array, q1: Array, *, samples: int = 51, tol: float = 1e-09) -> geometry.Geodesic:
        """Geodesic of the mass matrix from q0 to q1, in unit time.

        It needs no joint forces, gravity left out: Park et al.'s minimum-energy path, which makes ∫ vᵀ M v dt
        stationary, and minimal if it is short. It is found by Newton's method on the initial velocity, starting from
        `difference(q0, q1)`, which also decides which way angles turn. Joint limits are ignored. Closed loops, which q0
        and q1 must close, stay closed. The computation is in float64 for every robot.

        Parameters
        ----------
        q0 : array_like, shape (nq,)
            Configuration at the beginning.
        q1 : array_like, shape (nq,)
            Configuration at the end.
        samples : int, default 51
            Number of times at which the geodesic is returned.
        tol : float, default 1e-09
            Largest distance from q1 at the end, relative to the velocity.

        Returns
        -------
        Geodesic
            Named tuple of times `t` (samples,), `q` (samples, nq), `v` (samples, nv) and the `length` ∫ √(vᵀ M v) dt.

        Raises
        ------
        InputError
            If Newton's method does not converge, or the shape of an array does not fit.

        Examples
        --------
        >>> import kinetrace as kt
        >>> found = kt.load("planar2r").geodesic_between([0.0, 0.5], [1.0, 1.5], samples=3)
        >>> found.q.round(3), round(found.length, 3)
        (array([[0.   , 0.5  ],
               [0.293, 1.514],
               [1.   , 1.5  ]]), 1.832)
        """
        self._on_checked(q0, what="q0")
        self._on_checked(q1, what="q1")
        return geometry.geodesic_between(self._exact(), q0, q1, samples, tol)
