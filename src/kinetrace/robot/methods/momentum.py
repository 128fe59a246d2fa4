"""Energy, power, centre of mass and momentum."""

from __future__ import annotations

from ... import algorithms
from ..base import RobotBase
from ..dispatch import compiled
from ..types import Array, Float, Out, Threads


class MomentumMethods(RobotBase):
    """Energy, power, centre of mass and momentum."""

    @compiled(algorithms.kinetic_energy)
    def kinetic_energy(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Kinetic energy ½ vᵀ M v, including the rotors of the joints.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (...)
            Energies [J].

        >>> kt.load("planar2r").kinetic_energy([0.0, 0.0], [0.0, 1.0]).round(3)
        np.float64(0.167)
        """

    @compiled(algorithms.total_energy)
    def total_energy(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Kinetic and potential energy: constant in a motion that nothing drives or damps.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities.

        Returns
        -------
        ndarray, shape (...)
            The sum of `kinetic_energy` and `potential_energy`, of which springs are a part [J].

        >>> kt.load("planar2r").total_energy([0.0, 0.0], [0.0, 1.0]).round(3)
        np.float64(0.167)
        """

    @compiled(algorithms.power)
    def power(self, v: Array, tau: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Power τ · v of the joint forces.

        It is the rate of kinetic and potential energy plus `dissipated_power`, if nothing else acts on the robot.

        Parameters
        ----------
        v, tau : array_like, shape (..., nv)
            Velocities [rad/s, m/s] and joint forces [N m, N].

        Returns
        -------
        ndarray, shape (...)
            Powers [W].

        >>> kt.load("planar2r").power([1.0, 2.0], [3.0, 4.0])
        np.float64(11.0)
        """

    @compiled(algorithms.dissipated_power)
    def dissipated_power(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Power that damping, friction and soft stops of the joints, and a fluid, take away; a wind may give some.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (...)
            Powers [W], not negative.

        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5)
        >>> robot.dissipated_power([0.0, 0.0], [1.0, 2.0])
        np.float64(2.0)
        """

    @compiled(algorithms.potential_energy)
    def potential_energy(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Potential energy of gravity, of what compensates it, and of springs and soft stops of the joints.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (...)
            Energies [J]; that of gravity is zero with all mass at the height of the world's origin.

        >>> kt.load("planar2r").potential_energy([[0.0, 0.0], [0.5, 0.0]]).round(3)
        array([0.   , 9.406])
        """

    @compiled(algorithms.center_of_mass)
    def center_of_mass(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Centre of mass of all moving bodies, in the world.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., 3)
            Positions [m].

        >>> kt.load("planar2r").center_of_mass([0.5, 0.5]).round(3)
        array([0.793, 0.   , 0.57 ])
        """

    @compiled(algorithms.momentum)
    def momentum(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Momentum of all moving bodies about the world's origin, in the world's axes.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., 6)
            Momenta, angular part first [kg m²/s, kg m/s].

        >>> kt.load("planar2r").momentum([0.5, 0.5], [1.0, 0.0]).round(3)
        array([ 0.   , -2.544,  0.   , -1.14 ,  0.   ,  1.587])
        """

    @compiled(algorithms.centroidal_momentum)
    def centroidal_momentum(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Momentum of all moving bodies about their centre of mass, in the world's axes.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].

        Returns
        -------
        ndarray, shape (..., 6)
            Momenta, angular part first [kg m²/s, kg m/s].

        >>> kt.load("planar2r").centroidal_momentum([0.5, 0.5], [1.0, 0.0]).round(3)
        array([ 0.   , -0.636,  0.   , -1.14 ,  0.   ,  1.587])
        """

    @compiled(algorithms.centroidal_momentum_matrix)
    def centroidal_momentum_matrix(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Centroidal momentum matrix A, with A v the centroidal momentum.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., 6, nv)
            The matrix A, angular rows first, about the centre of mass and in the world's axes.

        >>> kt.load("planar2r").centroidal_momentum_matrix([0.5, 0.5]).round(3)
        array([[ 0.   ,  0.   ],
               [-0.636, -0.318],
               [ 0.   ,  0.   ],
               [-1.14 , -0.421],
               [ 0.   ,  0.   ],
               [ 1.587,  0.27 ]])
        """

    @compiled(algorithms.momentum_rate)
    def momentum_rate(self, q: Array, v: Array, a: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Rate of the centroidal momentum: the sum of all external wrenches about the centre of mass.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].

        Returns
        -------
        ndarray, shape (..., 6)
            Rates, angular part first, in the world's axes [N m, N].

        >>> kt.load("planar2r").momentum_rate([0.5, 0.5], [1.0, 0.0], [0.0, 0.5]).round(3)
        array([ 0.   , -0.159,  0.   , -1.797,  0.   , -1.005])
        """
