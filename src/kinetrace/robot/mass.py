"""The mass matrix, gravity and Coriolis forces, and what follows from them in the joints and at a frame."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..algorithms.choices import CoriolisForm, MassMethod
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Mass(RobotBase):
    """The mass matrix, gravity and Coriolis forces, and what follows from them in the joints and at a frame."""

    @compiled(algorithms.mass_matrix)
    def mass_matrix(
        self, q: Array, *, method: MassMethod = "composite", out: Out = None, threads: Threads = None
    ) -> Float:
        """The mass matrix M (..., nv, nv), by "composite" bodies, "jacobians" or "factors".

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix([0.0] * 7).shape
        (7, 7)
        """

    @compiled(algorithms.solve_mass)
    def solve_mass(self, q: Array, tau: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """M⁻¹ τ (..., nv), in O(n), without M.

        >>> import kinetrace as kt
        >>> kt.load("panda").solve_mass([0.0] * 7, [1.0] * 7).shape
        (7,)
        """

    def log_det_mass(self, q: Array, *, threads: Threads = None) -> Float:
        """log det M (...), in O(n) but with mimic joints: the volume of configuration space.

        NaN if M is singular at every configuration.

        >>> import numpy as np, kinetrace as kt
        >>> robot, q = kt.load("panda"), np.full(7, 0.3)
        >>> bool(np.isclose(robot.log_det_mass(q), np.linalg.slogdet(robot.mass_matrix(q))[1]))
        True
        """
        pivots = self._on_checked(q).kernel(algorithms.mass_pivots)(q, threads=threads)
        with np.errstate(all="ignore"):  # where M is singular, pivots are NaN, zero or negative by rounding
            return np.log(pivots).sum(axis=-1)

    @compiled(algorithms.gravity)
    def gravity(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces (..., nv) [N m, N] that hold the bodies still against gravity.

        They are the gradient of `potential_energy`, if no joint has a spring or soft stops.

        >>> import kinetrace as kt
        >>> kt.load("panda").gravity([0.1] * 7).shape
        (7,)
        """

    @compiled(algorithms.bias)
    def bias(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces (..., nv) that keep the velocity: C(q, v) v + gravity, and `passive_forces` if there are any.

        >>> import kinetrace as kt
        >>> kt.load("panda").bias([0.1] * 7, [0.2] * 7).shape
        (7,)
        """

    @compiled(algorithms.passive_forces)
    def passive_forces(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Joint forces (..., nv) [N m, N] that overcome damping, friction, springs and soft stops of the joints.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5)
        >>> robot.passive_forces([0.0, 0.0], [1.0, 1.0])
        array([0. , 0.5])
        """

    @compiled(algorithms.coriolis_matrix)
    def coriolis_matrix(
        self, q: Array, v: Array, *, form: CoriolisForm = "christoffel", out: Out = None, threads: Threads = None
    ) -> Float:
        """C (..., nv, nv) with C v the velocity-dependent forces.

        `form` is "christoffel" (Christoffel symbols; Mdot - 2C is skew), "skew" (Ploen (37); skew too, but other link
        frames give another matrix) or "newton" (Ploen and Park (12); not skew).

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_matrix([0.1] * 7, [0.2] * 7).shape
        (7, 7)
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
        """C(q, v) u (..., nv) for any u (..., nv), in O(n), without C.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_product([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (7,)
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
        """C(q, v)ᵀ u (..., nv), in O(n), without C: what momentum observers need.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_transpose_product([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (7,)
        """

    @compiled(algorithms.mass_matrix_rate)
    def mass_matrix_rate(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """The rate Mdot (..., nv, nv) of the mass matrix.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix_rate([0.1] * 7, [0.2] * 7).shape
        (7, 7)
        """

    @compiled(algorithms.mass_matrix_derivative)
    def mass_matrix_derivative(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """∂M (..., nv, nv, nv): [i, j, k] is the derivative of M_ij along q ⊕ ε e_k.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix_derivative([0.1] * 7).shape
        (7, 7, 7)
        """

    @compiled(algorithms.operational_inertia)
    def operational_inertia(self, q: Array, frame: str, *, out: Out = None, threads: Threads = None) -> Float:
        """Λ = (J M⁻¹ Jᵀ)⁻¹ (..., 6, 6): the inertia felt at a frame, in its axes.

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_inertia([0.1] * 7, "panda_hand").shape
        (6, 6)
        """

    @compiled(algorithms.operational_compliance)
    def operational_compliance(self, q: Array, frame: str, *, out: Out = None, threads: Threads = None) -> Float:
        """J M⁻¹ Jᵀ (..., 6, 6): the acceleration of a frame by a wrench on it, in its axes.

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_compliance([0.1] * 7, "panda_hand").shape
        (6, 6)
        """

    @compiled(algorithms.dynamically_consistent_inverse)
    def dynamically_consistent_inverse(
        self, q: Array, frame: str, *, out: Out = None, threads: Threads = None
    ) -> Float:
        """J̄ = M⁻¹ Jᵀ Λ (..., nv, 6), the inverse of J with the least kinetic energy.

        >>> import kinetrace as kt
        >>> kt.load("panda").dynamically_consistent_inverse([0.1] * 7, "panda_hand").shape
        (7, 6)
        """

    @compiled(algorithms.operational_bias)
    def operational_bias(self, q: Array, v: Array, frame: str, *, out: Out = None, threads: Threads = None) -> Float:
        """The wrench (..., 6) on a frame, in it, that keeps its velocity while the joints carry no force.

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_bias([0.1] * 7, [0.2] * 7, "panda_hand").shape
        (6,)
        """
