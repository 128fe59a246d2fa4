"""Regressors: matrices of quantities that are linear in the inertial parameters."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import CoriolisForm
from ..algorithms.regressor import parameter_names
from ..support.plain import plain_flag
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Regressors(RobotBase):
    """Regressors: matrices of quantities that are linear in the inertial parameters."""

    def parameter_names(self, *, friction: bool = False, rotor: bool = False) -> tuple[str, ...]:
        """Names of the columns of `regressor`: ten per body, then those of the joints.

        Parameters
        ----------
        friction : bool, default False
            Whether viscous and Coulomb friction have columns.
        rotor : bool, default False
            Whether rotor inertias have columns.

        Returns
        -------
        tuple of str
            Names such as "link2.Izz" and "joint1.rotor".

        >>> kt.load("planar2r").parameter_names(rotor=True)[-3:]
        ('link2.Izz', 'joint1.rotor', 'joint2.rotor')
        """
        return parameter_names(self.model, friction=plain_flag("friction", friction), rotor=plain_flag("rotor", rotor))

    @compiled(algorithms.regressor)
    def regressor(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        friction: bool = False,
        rotor: bool = False,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Regressor Y of the joint forces in the inertial parameters: τ = Y π.

        The parameters π are ten per body, (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) in its body frame, as in
        `parameters("inertial")`. Armature and `passive_forces` are not part of Y π. With `friction` and `rotor`,
        damping, friction and armature of the joints in `joint_names` are parameters as well, with the law of
        `with_joint_effects`: columns v_i, v_i / √(v_i² + w_i²) with w the `friction_width`, and a_i. Springs, stops and
        the effects of mimic joints are not part of it.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        friction : bool, default False
            Whether to append columns for viscous, then for Coulomb friction, one per velocity each.
        rotor : bool, default False
            Whether to append columns for rotor inertias, one per velocity.

        Returns
        -------
        ndarray, shape (..., nv, p)
            The regressor; `parameter_names` has the names of its columns.

        >>> robot, x = kt.load("planar2r"), [0.5, 0.5]
        >>> Y = robot.regressor(x, x, x)
        >>> (Y @ robot.parameters("inertial").ravel()).round(3), robot.inverse_dynamics(x, x, x).round(3)
        (array([17.042,  3.263]), array([17.042,  3.263]))

        >>> import numpy as np
        >>> arm = robot.with_joint_effects(damping=0.4, friction=2.0, armature=0.1)
        >>> p = [arm.parameters(name).ravel() for name in ("inertial", "damping", "friction", "armature")]
        >>> Y = arm.regressor(x, x, x, friction=True, rotor=True)
        >>> (Y @ np.concatenate(p)).round(3), arm.inverse_dynamics(x, x, x).round(3)
        (array([19.292,  5.512]), array([19.292,  5.512]))
        """

    @compiled(algorithms.coriolis_regressor)
    def coriolis_regressor(
        self,
        q: Array,
        v: Array,
        u: Array,
        a: Array,
        *,
        form: CoriolisForm = "christoffel",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Regressor of M(q) a + C(q, v) u + gravity in the inertial parameters.

        It is that of Slotine and Li's adaptive control, with reference velocities u and accelerations a.

        Parameters
        ----------
        q, v, u : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and reference velocities that C is multiplied by [rad/s, m/s].
        a : array_like, shape (..., nv)
            Reference accelerations [rad/s², m/s²].
        form : {"christoffel", "skew", "newton"}, default "christoffel"
            Factorisation of C, as in `coriolis_matrix`.

        Returns
        -------
        ndarray, shape (..., nv, 10 nb)
            The regressor, with ten columns per body as in `regressor`.

        >>> robot, x = kt.load("planar2r"), [0.5, 0.5]
        >>> Y = robot.coriolis_regressor(x, x, [1.0, 0.0], x)
        >>> (Y @ robot.parameters("inertial").ravel()).round(3)
        array([17.102,  3.323])
        """

    @compiled(algorithms.energy_regressor)
    def energy_regressor(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Regressor of kinetic and potential energy in the inertial parameters.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., 2, 10 nb)
            The rows for kinetic and for potential energy, with ten columns per body as in `regressor`.

        >>> robot = kt.load("planar2r")
        >>> Y = robot.energy_regressor([0.5, 0.0], [1.0, 0.0])
        >>> (Y @ robot.parameters("inertial").ravel()).round(3)
        array([1.333, 9.406])
        """

    @compiled(algorithms.momentum_regressor)
    def momentum_regressor(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Regressor of `momentum` in the inertial parameters.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., 6, 10 nb)
            The rows of the momentum, angular first, with ten columns per body as in `regressor`.

        >>> robot = kt.load("planar2r")
        >>> Y = robot.momentum_regressor([0.5, 0.5], [1.0, 0.0])
        >>> (Y @ robot.parameters("inertial").ravel()).round(3)
        array([ 0.   , -2.544,  0.   , -1.14 ,  0.   ,  1.587])
        """
