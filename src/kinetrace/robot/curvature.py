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
        """This robot in float64: for what needs more digits than float32 has."""

    @compiled(algorithms.christoffel)
    def christoffel(self, q: Array, *, kind: ChristoffelKind = 1, out: Out = None, threads: Threads = None) -> Float:
        """Christoffel symbols (..., nv, nv, nv): [i, j, k] is Γ_ijk, or with kind=2 Γ^k_ij = Σ_h (M⁻¹)_kh Γ_ijh.

        Σ_ij Γ_ijk v_i v_j is the Coriolis force on joint k, and Σ_i Γ_ijk v_i the entry k, j of `coriolis_matrix`.

        >>> import kinetrace as kt
        >>> kt.load("panda").christoffel([0.1] * 7).shape
        (7, 7, 7)
        """

    @compiled(algorithms.christoffel_derivative)
    def christoffel_derivative(
        self, q: Array, *, kind: ChristoffelKind = 1, out: Out = None, threads: Threads = None
    ) -> Float:
        """∂Γ (..., nv, nv, nv, nv): [i, j, k, l] is the derivative of `christoffel`'s [i, j, k] along q ⊕ ε e_l.

        For at most 24 degrees of freedom; beyond, `kt.jvp` of `algorithms.christoffel` gives one direction.

        >>> import kinetrace as kt
        >>> kt.load("panda").christoffel_derivative([0.1] * 7).shape
        (7, 7, 7, 7)
        """

    def riemann(self, q: Array, *, threads: Threads = None) -> Float:
        """The curvature tensor (..., nv, nv, nv, nv): [i, j, k, l] is R_ijkl of Park et al. (66).

        R_ijkl = <R(E_k, E_l) E_j, E_i>, so that R_ijij is positive on a sphere. A state has nv⁴ numbers, 18 MB for 39
        degrees of freedom; `sectional_curvature` gives single ones.

        >>> import kinetrace as kt
        >>> kt.load("panda").riemann([0.1] * 7).shape
        (7, 7, 7, 7)
        """
        return geometry.riemann(self._on_checked(q), q, threads)

    def ricci(self, q: Array, *, threads: Threads = None) -> Float:
        """Ricci's tensor (..., nv, nv): [j, l] is Σ_ik (M⁻¹)_ik R_ijkl.

        >>> import kinetrace as kt
        >>> kt.load("panda").ricci([0.1] * 7).shape
        (7, 7)
        """
        return geometry.ricci(self._on_checked(q), q, threads)

    def scalar_curvature(self, q: Array, *, threads: Threads = None) -> Float:
        """The scalar curvature (...), Σ_jl (M⁻¹)_jl Ric_jl; with two degrees of freedom, twice Gauss's.

        >>> import kinetrace as kt
        >>> kt.load("panda").scalar_curvature([[0.1] * 7] * 3).shape
        (3,)
        """
        return geometry.scalar_curvature(self._on_checked(q), q, threads)

    @compiled(algorithms.sectional_curvature)
    def sectional_curvature(self, q: Array, u: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Curvature (...) of the plane of the velocities u and v (..., nv), for robots of any size; NaN if parallel.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.sectional_curvature([[0.0, 1.0], [5.0, 1.0]], [1.0, 0.0], [0.0, 1.0]).round(3)
        array([0.381, 0.381])
        """

    def is_flat(self, *, tol: float = 1e-09, seed: int = 0) -> bool:
        """Whether the mass matrix is that of flat space: then coordinates exist in which it is constant (Spong 1992).

        True without more if the Christoffel symbols are zero whatever q is. Else the curvature of random planes is
        computed in 64 random states within the limits, in float64, and must vanish against the accelerations that it is
        made of, to `tol`: what is curved is found with certainty but for rounding, what is flat with probability one.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").is_flat()
        False
        """
        return geometry.is_flat(self._exact(), tol, seed)

    def geodesic(self, q: Array, v: Array, t: Array, *, tol: float = 1e-10) -> tuple[Float, Float]:
        """q (..., k, nq) and v (..., k, nv) at the times t (k,) of the motion without forces and gravity from q and v.

        It starts at time 0; t must be in order and may be negative. Steps are as long as the whole batch allows for an
        error of `tol` a step, relative to 1 + the largest number of a state. A motion that runs into a singular mass
        matrix, where massless links allow one, is NaN from there on.

        >>> import numpy as np, kinetrace as kt
        >>> robot, t = kt.load("planar2r"), np.linspace(0, 10, 5)
        >>> q, v = robot.geodesic([0.0, 1.0], [1.0, -2.0], t)
        >>> bool(np.ptp(robot.kinetic_energy(q, v)) < 1e-8)
        True
        """
        return geometry.geodesic(self._on_checked(q, v), q, v, t, tol)

    def geodesic_between(self, q0: Array, q1: Array, *, samples: int = 51, tol: float = 1e-09) -> geometry.Geodesic:
        """The way from q0 to q1 (nq,) in unit time that needs no forces, gravity left out: times, q, v and length.

        Park et al.'s minimum-energy path: it makes ∫ vᵀ M v dt stationary, and least if it is short. Found by Newton's
        method on the first velocity, from the straight line in the coordinates; so angles go the way that
        `difference(q0, q1)` says. Joint limits are not looked at. `samples` is the number of times; the end is q1 to
        `tol`, relative to the velocity. Computed in float64, whatever the robot's precision.

        >>> import kinetrace as kt
        >>> found = kt.load("planar2r").geodesic_between([0.0, 0.5], [1.0, 1.5])
        >>> found.q[-1].round(6)
        array([1. , 1.5])
        """
        self._on_checked(q0)
        self._on_checked(q1)
        return geometry.geodesic_between(self._exact(), q0, q1, samples, tol)
