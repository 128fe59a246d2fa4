"""Configurations and frames: where they are, how they move, and the derivatives of that."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import Axes
from ..model import manifold
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Float, Out, Outs, Threads


class Kinematics(RobotBase):
    """Configurations and frames: where they are, how they move, and the derivatives of that."""

    @compiled(manifold.integrate)
    def integrate(self, q: Array, v: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """q ⊕ v (..., nq): where velocity v leads in unit time; for a step dt give v·dt.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").integrate([0.0, 0.0], [0.1, 0.2])
        array([0.1, 0.2])
        """

    @compiled(manifold.difference)
    def difference(self, q0: Array, q1: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """q1 ⊖ q0 (..., nv): the velocity that leads from q0 to q1 in unit time.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").difference([0.0, 0.0], [0.1, 0.2])
        array([0.1, 0.2])
        """

    @compiled(manifold.normalise)
    def normalise(self, q: Array, *, out: Out = None, threads: Threads = None) -> Float:
        """q (..., nq) with every quaternion scaled to unit length.

        >>> import kinetrace as kt
        >>> kt.load("quadruped", base="free").normalise([0, 0, 1, 2, 0, 0, 0] + [0] * 12)[:7]
        array([0., 0., 1., 1., 0., 0., 0.])
        """

    @compiled(algorithms.pose)
    def pose(
        self, q: Array, frame: str, *, point: Array | None = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """Pose X_0F (..., 4, 4) of a frame in the world.

        A `point` (..., 3), in the frame, makes it the frame of the same axes whose origin is at that point; so it does
        in the velocity, the acceleration, the Jacobian and their derivatives. Points are arrays like q: they broadcast,
        and another point compiles nothing. `with_frame` gives a point a name.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").pose([0.0, 0.0], "tip").shape
        (4, 4)
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
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Jacobian (..., 6, nv) of a frame, angular rows first: its twist is J v.

        `expressed_in`: "body" (the frame's own axes and origin), "space" (the world's axes and origin) or "aligned"
        (the world's axes, the frame's origin). `point` as in `pose`.

        >>> import kinetrace as kt
        >>> kt.load("panda").jacobian([0.0] * 7, "panda_hand", expressed_in="aligned").shape
        (6, 7)
        """

    @compiled(algorithms.velocity)
    def velocity(
        self,
        q: Array,
        v: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Twist (..., 6) of a frame, angular part first; `expressed_in` as in `jacobian`, `point` as in `pose`.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").velocity([0.0, 0.0], [1.0, 0.0], "tip").shape
        (6,)
        """

    @compiled(algorithms.acceleration)
    def acceleration(
        self,
        q: Array,
        v: Array,
        a: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Rate of change (..., 6) of the components of `velocity(..., expressed_in=...)`; with a = 0 it is Jdot v.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").acceleration([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "tip").shape
        (6,)
        """

    @compiled(algorithms.pose_derivative)
    def pose_derivative(
        self, q: Array, frame: str, *, point: Array | None = None, out: Out = None, threads: Threads = None
    ) -> Float:
        """dX (..., 4, 4, nv) of the pose X of a frame along q ⊕ ε, the direction being the last axis.

        >>> import kinetrace as kt
        >>> kt.load("panda").pose_derivative([0.1] * 7, "panda_hand").shape
        (4, 4, 7)
        """

    @compiled(algorithms.jacobian_derivative)
    def jacobian_derivative(
        self,
        q: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """dJ (..., 6, nv, nv) of `jacobian` along q ⊕ ε, the direction being the last axis.

        >>> import kinetrace as kt
        >>> kt.load("panda").jacobian_derivative([0.1] * 7, "panda_hand").shape
        (6, 7, 7)
        """

    @compiled(algorithms.velocity_derivatives)
    def velocity_derivatives(
        self,
        q: Array,
        v: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """∂V/∂q along q ⊕ ε and ∂V/∂v, each (..., 6, nv), of `velocity`; the second is the Jacobian.

        >>> import kinetrace as kt
        >>> dq, dv = kt.load("panda").velocity_derivatives([0.1] * 7, [0.2] * 7, "panda_hand")
        >>> dq.shape, dv.shape
        ((6, 7), (6, 7))
        """

    @compiled(algorithms.acceleration_derivatives)
    def acceleration_derivatives(
        self,
        q: Array,
        v: Array,
        a: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        point: Array | None = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float, Float]:
        """∂A/∂q along q ⊕ ε, ∂A/∂v and ∂A/∂a, each (..., 6, nv), of `acceleration`; the last is the Jacobian.

        >>> import kinetrace as kt
        >>> dq, dv, da = kt.load("panda").acceleration_derivatives([0.1] * 7, [0.2] * 7, [0.3] * 7, "panda_hand")
        >>> dq.shape, dv.shape, da.shape
        ((6, 7), (6, 7), (6, 7))
        """
