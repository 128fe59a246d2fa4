"""Energy, the centre of mass and momentum."""

from __future__ import annotations

from .. import algorithms
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Threads


class Momentum(RobotBase):
    """Energy, the centre of mass and momentum."""

    @compiled(algorithms.kinetic_energy)
    def kinetic_energy(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """½ vᵀ M v (...) [J], rotors in the joints included.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").kinetic_energy([0.0, 0.0], [0.0, 1.0]).round(3)
        np.float64(0.167)
        """

    @compiled(algorithms.total_energy)
    def total_energy(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Kinetic and potential energy: constant in a motion that nothing drives or damps.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities.
        out : ndarray, optional
            Array for the result.
        threads : int, optional
            Number of threads for this call; the robot's unless given.

        Returns
        -------
        ndarray, shape (...)
            The sum of `kinetic_energy` and `potential_energy`, of which springs are a part [J].

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").total_energy([0.0, 0.0], [0.0, 1.0]).round(3)
        np.float64(0.167)
        """

    @compiled(algorithms.power)
    def power(self, v: Array, tau: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Power τ · v (...) [W] of the joint forces: the rate of kinetic and potential energy, if nothing else acts.

        Of this the joints themselves take `dissipated_power`.

        >>> import kinetrace as kt
        >>> float(kt.load("planar2r").power([1.0, 2.0], [3.0, 4.0]))
        11.0
        """

    @compiled(algorithms.dissipated_power)
    def dissipated_power(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Power (...) [W] that damping, friction and soft stops of the joints turn into heat.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5)
        >>> float(robot.dissipated_power([0.0, 0.0], [1.0, 2.0]))
        2.0
        """

    @compiled(algorithms.potential_energy)
    def potential_energy(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Potential energy (...) [J], zero with all mass at the height of the world's origin.

        What springs and soft stops of joints hold is part of it.

        >>> import kinetrace as kt
        >>> kt.load("panda").potential_energy([[0.1] * 7] * 3).shape
        (3,)
        """

    @compiled(algorithms.center_of_mass)
    def center_of_mass(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Centre of mass (..., 3) [m] of all moving bodies, in the world.

        >>> import kinetrace as kt
        >>> kt.load("panda").center_of_mass([0.1] * 7).shape
        (3,)
        """

    @compiled(algorithms.momentum)
    def momentum(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Momentum (..., 6) about the world's origin, in its axes, angular part first.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum([0.1] * 7, [0.2] * 7).shape
        (6,)
        """

    @compiled(algorithms.centroidal_momentum)
    def centroidal_momentum(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Momentum (..., 6) about the centre of mass, in the world's axes, angular part first.

        >>> import kinetrace as kt
        >>> kt.load("panda").centroidal_momentum([0.1] * 7, [0.2] * 7).shape
        (6,)
        """

    @compiled(algorithms.centroidal_momentum_matrix)
    def centroidal_momentum_matrix(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """A (..., 6, nv) with A v the centroidal momentum.

        >>> import kinetrace as kt
        >>> kt.load("panda").centroidal_momentum_matrix([0.1] * 7).shape
        (6, 7)
        """

    @compiled(algorithms.momentum_rate)
    def momentum_rate(self, q: Array, v: Array, a: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """The rate (..., 6) of the centroidal momentum.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum_rate([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (6,)
        """
