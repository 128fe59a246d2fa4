"""What is linear in the inertial parameters."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import CoriolisForm
from ..algorithms.regressor import parameter_names
from ..support.plain import plain_flag
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Regressors(RobotBase):
    """What is linear in the inertial parameters."""

    def parameter_names(self, *, friction: bool = False, rotor: bool = False) -> tuple[str, ...]:
        """The names of the columns of `regressor`: ten per body, then those of joints.

        >>> import kinetrace as kt
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
        """Y (..., nv, p) with Y π the joint forces, π ten parameters per body: m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz.

        `friction` appends viscous and Coulomb friction, `rotor` the inertia of rotors, one column per velocity each.
        Of the joint forces, Y π has what the bodies need: armature and `passive_forces` are to be added.

        >>> import kinetrace as kt
        >>> kt.load("panda").regressor([0.1] * 7, [0.2] * 7, [0.3] * 7, friction=True).shape
        (7, 84)
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
        """The matrix (..., nv, 10 nb) of M(q) a + C(q, v) u + gravity in the parameters: Slotine and Li's.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_regressor([0.1] * 7, [0.2] * 7, [0.3] * 7, [0.4] * 7).shape
        (7, 70)
        """

    @compiled(algorithms.energy_regressor)
    def energy_regressor(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """The matrix (..., 2, 10 nb) of kinetic and potential energy in the parameters.

        >>> import kinetrace as kt
        >>> kt.load("panda").energy_regressor([0.1] * 7, [0.2] * 7).shape
        (2, 70)
        """

    @compiled(algorithms.momentum_regressor)
    def momentum_regressor(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """The matrix (..., 6, 10 nb) of `momentum` in the parameters.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum_regressor([0.1] * 7, [0.2] * 7).shape
        (6, 70)
        """
