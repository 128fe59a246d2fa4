"""Dynamics as felt at frames: compliance, inertia, bias, and what can be done without moving them."""

from __future__ import annotations

from ... import algorithms
from ...algorithms.registry.choices import ExpressedIn, Frames, Measure, Rows
from ..base import RobotBase
from ..dispatch import compiled
from ..types import Array, Float, Out, Threads


class OperationalSpaceMethods(RobotBase):
    """Dynamics as felt at frames: compliance, inertia, bias, and what can be done without moving them."""

    @compiled(algorithms.operational_compliance)
    def operational_compliance(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Operational-space compliance J M⁻¹ Jᵀ: the acceleration of frames by wrenches on them.

        For several frames it has the cross terms: the acceleration of one by a wrench on another. It needs no inverse,
        so it exists for every robot. In O(n) for each row; with closures, M⁻¹ is the inverse on the motions that they
        allow.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes, expressed_in : optional
            As in `operational_inertia`.

        Returns
        -------
        ndarray, shape (..., k, k)
            The compliance [1/(kg m²), 1/(kg m), 1/kg], symmetric.

        >>> kt.load("panda").operational_compliance([0.1] * 7, "panda_hand", axes="position").round(3)
        array([[ 0.101,  0.043, -0.007],
               [ 0.043,  0.103, -0.001],
               [-0.007, -0.001,  0.042]])
        """

    @compiled(algorithms.operational_inertia)
    def operational_inertia(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        task_damping: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Operational-space inertia Λ = (J M⁻¹ Jᵀ)⁻¹: the wrenches for an acceleration of frames.

        Close to a singular configuration entries become very large, and infinite or NaN at one, unless there is
        damping.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes : {"pose", "position", "orientation"} or sequence of int, default "pose"
            Rows of the twist: all six, the last three, the first three, or indices from 0 to 5 (rotation x, y, z, then
            translation x, y, z); k rows in all. For several frames, one choice for all or a sequence with one for each.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twists: those of the frame, of the world, or the world's axes at the frame's origin.
        task_damping : array_like, shape (...), optional
            Number λ; λ² is added to the diagonal of J M⁻¹ Jᵀ [1/(kg m²) in rows of rotation, 1/kg in those of
            translation], so that Λ exists at singular configurations too and none of its eigenvalues exceeds 1/λ².
            Results are then approximate. Nothing is added unless given.

        Returns
        -------
        ndarray, shape (..., k, k)
            The inertia [kg m², kg m, kg], symmetric.

        Raises
        ------
        InputError
            If the rows are dependent at every configuration of the robot, and there is no damping; the message has rows
            that are independent.

        >>> robot = kt.load("panda")
        >>> robot.operational_inertia([0.1] * 7, "panda_hand", axes="position").round(3)
        array([[12.253, -5.059,  2.086],
               [-5.059, 11.773, -0.683],
               [ 2.086, -0.683, 24.144]])

        A stretched arm cannot move along itself: with damping, this shows as a large mass.

        >>> robot = kt.load("planar2r")
        >>> robot.operational_inertia([0.0, 0.0], "tip", axes=(3, 5), task_damping=0.1).diagonal().round(3)
        array([100.   ,   0.291])
        """

    @compiled(algorithms.dynamically_consistent_inverse)
    def dynamically_consistent_inverse(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        task_damping: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Dynamically consistent inverse J̄ = M⁻¹ Jᵀ Λ: velocities of least kinetic energy for a motion of frames.

        J J̄ = 1, and of all v with J v = V, J̄ V has the least kinetic energy. J̄ᵀ τ are the wrenches that joint forces
        τ exert at the frames. Close to a singular configuration entries become very large, unless there is damping.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes, expressed_in, task_damping : optional
            As in `operational_inertia`.

        Returns
        -------
        ndarray, shape (..., nv, k)
            The inverse J̄.

        Raises
        ------
        InputError
            If the rows are dependent at every configuration of the robot, and there is no damping; the message has rows
            that are independent.

        >>> robot, q = kt.load("ur5e"), [0.1, -1.0, 1.0, 0.4, 0.5, 0.6]
        >>> J = robot.jacobian(q, "tool0")[3:]
        >>> (J @ robot.dynamically_consistent_inverse(q, "tool0", axes="position")).round(3) + 0.0
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """

    @compiled(algorithms.nullspace_projector)
    def nullspace_projector(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        task_damping: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Null-space projector N = 1 − J̄ J: velocities and joint forces that do not move frames.

        N acts on velocities and accelerations: J N v = 0. Its transpose acts on joint forces: Nᵀ τ does not accelerate
        the frames, J M⁻¹ Nᵀ τ = 0. N N = N, and M N is symmetric. With closures, N v is a velocity that they allow if v
        is one, and M⁻¹ stands for the inverse on these. With damping all this holds approximately, away from singular
        configurations.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes, expressed_in, task_damping : optional
            As in `operational_inertia`.

        Returns
        -------
        ndarray, shape (..., nv, nv)
            The projector N of velocities; transposed, that of joint forces.

        Raises
        ------
        InputError
            If the rows are dependent at every configuration of the robot, and there is no damping; the message has rows
            that are independent.

        >>> robot, q = kt.load("panda"), [0.1] * 7
        >>> N = robot.nullspace_projector(q, "panda_hand", axes="position")
        >>> float(N.trace().round(3))  # seven velocities, of which three are the task's
        4.0
        >>> torque = N.T @ [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        >>> (robot.jacobian(q, "panda_hand")[3:] @ robot.solve_mass(q, torque)).round(9) + 0.0
        array([0., 0., 0.])
        """

    @compiled(algorithms.operational_bias)
    def operational_bias(
        self,
        q: Array,
        v: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        task_damping: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Operational-space bias μ: the wrenches that keep frames from accelerating while the joints carry no force.

        A force Λ A + μ on the frames, or joint forces Jᵀ (Λ A + μ), give them the acceleration A, which is the rate of
        the twist that is expressed the same way: μ = Λ (J M⁻¹ (c + g) − J̇ v).

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes, expressed_in, task_damping : optional
            As in `operational_inertia`.

        Returns
        -------
        ndarray, shape (..., k,)
            Moments and forces [N m, N], of the axes that the twists are expressed in.

        Raises
        ------
        InputError
            If the rows are dependent at every configuration of the robot, and there is no damping; the message has rows
            that are independent.

        >>> robot = kt.load("panda")
        >>> robot.operational_bias([0.1] * 7, [0.2] * 7, "panda_hand", axes="position").round(3)
        array([  3.342,  -1.029, -33.166])
        """

    @compiled(algorithms.manipulability)
    def manipulability(
        self,
        q: Array,
        frame: Frames,
        *,
        axes: Rows = "pose",
        expressed_in: ExpressedIn = "body",
        measure: Measure = "volume",
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Manipulability of frames: how well they can be moved, as one number.

        The singular values of J are the half-axes of the ellipsoid of twists that velocities of unit length allow; if
        there are more rows than velocities, of what these can move. With closures, velocities are those that they
        allow. `kt.jacobian(kt.algorithms.manipulability)` is the exact derivative.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations.
        frame : str or sequence of str
            Name of a frame, or several; their rows are stacked in this order.
        axes : {"pose", "position", "orientation"} or sequence of int, default "pose"
            Rows of the twist: all six, the last three, the first three, or indices from 0 to 5 (rotation x, y, z, then
            translation x, y, z). For several frames, one choice for all or a sequence with one for each.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twists: those of the frame, of the world, or the world's axes at the frame's origin.
        measure : {"volume", "smallest", "condition", "dynamic"}, default "volume"
            Product of the singular values, Yoshikawa's √det(J Jᵀ), or √det(Jᵀ J) if there are more rows than
            velocities; the smallest one; its ratio to the largest, from 0
            to 1; or √det(J M⁻¹ Jᵀ), the product for velocities of unit kinetic energy, zero if there are more rows than
            degrees of freedom.

        Returns
        -------
        ndarray, shape (...)
            The measure; zero at singular configurations.

        >>> robot = kt.load("planar2r")
        >>> robot.manipulability([[0.3, 0.0], [0.3, 0.5], [0.3, 1.5]], "tip", axes=(3, 5)).round(3)
        array([0.   , 0.479, 0.997])
        >>> robot.manipulability([0.3, 1.5], "tip", axes=(3, 5), measure="condition").round(3)
        np.float64(0.358)
        """
