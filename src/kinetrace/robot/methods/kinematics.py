"""Kinematics: configurations, and poses, velocities and accelerations of frames, with their derivatives."""

from __future__ import annotations

from ... import algorithms
from ...algorithms.registry.choices import ExpressedIn
from ...model import manifold
from ..base import RobotBase
from ..dispatch import compiled
from ..types import Array, Float, Out, Outs, Threads


class KinematicsMethods(RobotBase):
    """Kinematics: configurations, and poses, velocities and accelerations of frames, with their derivatives."""

    @compiled(manifold.integrate, velocities=(), open_loops=True)
    def integrate(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Configurations q ⊕ v, reached from q in unit time at constant velocity v.

        For a step dt, give v · dt. Quaternions stay on the unit sphere.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities, multiplied by the time of the step [rad, m].

        Returns
        -------
        ndarray, shape (..., nq)
            The configurations q ⊕ v.

        >>> kt.load("planar2r").integrate([0.5, 0.0], [0.1, 0.2])
        array([0.6, 0.2])
        """

    @compiled(manifold.difference, open_loops=True)
    def difference(self, q0: Array, q1: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Difference q1 ⊖ q0: the velocity that leads from q0 to q1 in unit time.

        It is the inverse of `integrate`: q0 ⊕ (q1 ⊖ q0) = q1. What differs between two robots: `difference_to`.

        Parameters
        ----------
        q0, q1 : array_like, shape (..., nq)
            Configurations at the beginning and configurations at the end.

        Returns
        -------
        ndarray, shape (..., nv)
            The velocity, multiplied by the time [rad, m]. A quaternion gives the rotation vector of the shorter turn,
            in the axes of the body at q0.

        >>> kt.load("planar2r").difference([0.5, 0.0], [0.6, 0.2]).round(3)
        array([0.1, 0.2])
        """

    @compiled(manifold.normalise, open_loops=True, any_length=True)
    def normalise(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """Configurations with every quaternion scaled to unit length.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.

        Returns
        -------
        ndarray, shape (..., nq)
            The configurations; all other entries are those of `q`.

        >>> robot = kt.load("quadruped", base="free")
        >>> robot.normalise([0, 0, 1, 2, 0, 0, 0] + [0] * 12)[:7]
        array([0., 0., 1., 1., 0., 0., 0.])
        """

    @compiled(algorithms.pose)
    def pose(
        self, q: Array, frame: str, *, point: Array | None = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Pose of a frame in the world.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 4, 4)
            Homogeneous matrices X: a point p of the frame is at X p in the world. X[..., :3, :3] is the rotation,
            X[..., :3, 3] the position of the frame's origin [m].

        >>> kt.load("planar2r").pose([0.5, 1.0], "tip").round(3)
        array([[ 0.071,  0.   , -0.997,  0.948],
               [ 0.   ,  1.   ,  0.   ,  0.   ],
               [ 0.997,  0.   ,  0.071,  1.477],
               [ 0.   ,  0.   ,  0.   ,  1.   ]])
        >>> kt.load("planar2r").pose([0.0, 0.0], "tip", point=[[0.0, 0, 0], [0.1, 0, 0]])[:, :3, 3]
        array([[2. , 0. , 0. ],
               [2.1, 0. , 0. ]])
        """

    @compiled(algorithms.jacobian)
    def jacobian(
        self,
        q: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Jacobian of a frame: its twist is J v.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in, point : optional
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 6, nv)
            The Jacobian J, angular rows first [rad/s and m/s per unit of v].

        >>> kt.load("planar2r").jacobian([0.5, 1.0], "tip", expressed_in="aligned").round(3)
        array([[ 0.   ,  0.   ],
               [-1.   , -1.   ],
               [ 0.   ,  0.   ],
               [-1.477, -0.997],
               [ 0.   ,  0.   ],
               [ 0.948,  0.071]])
        """

    @compiled(algorithms.velocity)
    def velocity(
        self,
        q: Array,
        v: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Twist of a frame, J v.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist: those of the frame, those of the world, or the world's axes at the frame's
            origin.
        point : array_like, shape (..., 3), optional
            Points of the frame that take the place of its origin, in its axes [m]: the frame is shifted there. They
            broadcast with q, and another point compiles nothing.

        Returns
        -------
        ndarray, shape (..., 6)
            The twist, angular part first [rad/s, m/s].

        >>> kt.load("planar2r").velocity([0.5, 1.0], [1.0, 0.0], "tip").round(3)
        array([ 0.   , -1.   ,  0.   ,  0.841,  0.   ,  1.54 ])
        """

    @compiled(algorithms.acceleration)
    def acceleration(
        self,
        q: Array,
        v: Array,
        a: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Rate of change of the components of `velocity`: J v̇ + J̇ v.

        With a = 0 it is J̇ v. The linear part is the acceleration of the frame's origin if expressed_in="aligned"; the
        rates of body and space components lack its centripetal term.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist of which this is the rate, as in `velocity`.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 6)
            The rate of the twist, angular part first [rad/s², m/s²].

        >>> robot = kt.load("planar2r")
        >>> robot.acceleration([0.5, 1.0], [1.0, 0.0], [0.0, 0.5], "tip", expressed_in="aligned").round(3)
        array([ 0.   , -0.5  ,  0.   , -1.447,  0.   , -1.442])
        """

    @compiled(algorithms.pose_derivative)
    def pose_derivative(
        self, q: Array, frame: str, *, point: Array | None = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Derivative of the pose X of a frame along q ⊕ ε.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 4, 4, nv)
            Entry [i, j, k] is the derivative of X[i, j] along velocity k.

        >>> kt.load("planar2r").pose_derivative([0.5, 1.0], "tip")[:3, 3].round(3)
        array([[-1.477, -0.997],
               [ 0.   ,  0.   ],
               [ 0.948,  0.071]])
        """

    @compiled(algorithms.jacobian_derivative)
    def jacobian_derivative(
        self,
        q: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Derivative of `jacobian` along q ⊕ ε.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist, as in `jacobian`.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        ndarray, shape (..., 6, nv, nv)
            Entry [i, j, k] is the derivative of J[i, j] along velocity k.

        >>> kt.load("planar2r").jacobian_derivative([0.5, 1.0], "tip", expressed_in="aligned")[3].round(3)
        array([[-0.948, -0.071],
               [-0.071, -0.071]])
        """

    @compiled(algorithms.velocity_derivatives)
    def velocity_derivatives(
        self,
        q: Array,
        v: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """Derivatives of `velocity` with respect to q and v.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist, as in `velocity`.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        dq : ndarray, shape (..., 6, nv)
            The derivative ∂V/∂q along q ⊕ ε.
        dv : ndarray, shape (..., 6, nv)
            The derivative ∂V/∂v, which is the Jacobian.

        >>> dq, dv = kt.load("planar2r").velocity_derivatives([0.5, 1.0], [1.0, 0.0], "tip")
        >>> dq.round(3)
        array([[ 0.   ,  0.   ],
               [ 0.   ,  0.   ],
               [ 0.   ,  0.   ],
               [ 0.   ,  0.54 ],
               [ 0.   ,  0.   ],
               [ 0.   , -0.841]])
        """

    @compiled(algorithms.acceleration_derivatives)
    def acceleration_derivatives(
        self,
        q: Array,
        v: Array,
        a: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        point: Array | None = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float, Float]:
        """Derivatives of `acceleration` with respect to q, v and a.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist, as in `acceleration`.
        point : array_like, shape (..., 3), optional
            As in `velocity`.

        Returns
        -------
        dq : ndarray, shape (..., 6, nv)
            The derivative ∂A/∂q along q ⊕ ε.
        dv : ndarray, shape (..., 6, nv)
            The derivative ∂A/∂v.
        da : ndarray, shape (..., 6, nv)
            The derivative ∂A/∂a, which is the Jacobian.

        >>> robot = kt.load("planar2r")
        >>> dq, dv, da = robot.acceleration_derivatives([0.5, 1.0], [1.0, 0.5], [0.0, 0.5], "tip")
        >>> dv.round(3)
        array([[ 0.   ,  0.   ],
               [ 0.   ,  0.   ],
               [ 0.   ,  0.   ],
               [ 0.27 ,  0.54 ],
               [ 0.   ,  0.   ],
               [-0.421, -0.841]])
        """
