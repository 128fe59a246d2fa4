"""The square root of the mass matrix, and dynamics in quasi-velocities, with the identity for a mass matrix."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import ExplicitMethod
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Outs, Threads, Wrenches


class Quasivelocities(RobotBase):
    """The square root of the mass matrix, and dynamics in quasi-velocities, with the identity for a mass matrix.

    Sweeps in O(n); with mimic joints, the dense factors of M.
    """

    @compiled(algorithms.mass_root_product)
    def mass_root_product(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """W u (..., nv) for the square root W = N Ω^½ of M = W Wᵀ; u ~ N(0, 1) gives draws from N(0, M).

        With `normalised=False`, N u.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_product([0.1] * 7, [1.0] * 7).shape
        (7,)
        """

    @compiled(algorithms.mass_root_solve)
    def mass_root_solve(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """W⁻¹ u (..., nv): forces with covariance M become white; N⁻¹ u with `normalised=False`.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_solve([0.1] * 7, [1.0] * 7).shape
        (7,)
        """

    @compiled(algorithms.mass_root_transposed_product)
    def mass_root_transposed_product(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """Wᵀ u (..., nv): of a velocity, the quasi-velocity ν with ½ |ν|² the kinetic energy.

        With `normalised=False`, Nᵀ u.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_transposed_product([0.1] * 7, [1.0] * 7).shape
        (7,)
        """

    @compiled(algorithms.mass_root_transposed_solve)
    def mass_root_transposed_solve(
        self, q: Array, u: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """W⁻ᵀ u (..., nv): the velocity of a quasi-velocity; N⁻ᵀ u with `normalised=False`.

        u ~ N(0, 1) gives draws from N(0, M⁻¹).

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_transposed_solve([0.1] * 7, [1.0] * 7).shape
        (7,)
        """

    @compiled(algorithms.diagonal_coriolis)
    def diagonal_coriolis(
        self, q: Array, nu: Array, *, normalised: bool = True, out: Out = None, threads: Threads = None
    ) -> Float:
        """C(q, ν) (..., nv) of ν̇ + C = ε, for ν = `mass_root_transposed_product(q, v)`; ν · C = 0.

        With `normalised=False`, C(q, ξ) of Ω ξ̇ + C = κ.

        >>> import kinetrace as kt
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
        """The velocity v and the rate ν̇ (..., nv) of quasi-velocities ν under joint forces tau, gravity and wrenches.

        With `normalised=False` they are v and ξ̇ of ξ.

        >>> import kinetrace as kt
        >>> v, rate = kt.load("planar2r").diagonal_dynamics([1.0, 1.0], [1.0, 2.0], [0.0, 0.0])
        >>> rate.shape
        (2,)
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
        """q (..., nq) and the quasi-velocity ν (..., nv) after the time dt (...) [s], under constant joint forces tau.

        `method` is "semi-implicit", "euler" or "rk4", as in `step`.

        >>> import kinetrace as kt
        >>> q, nu = kt.load("planar2r").diagonal_step([0.0, 0.0], [1.0, 2.0], [0.0, 0.0], 0.01, method="rk4")
        >>> q.shape, nu.shape
        ((2,), (2,))
        """
