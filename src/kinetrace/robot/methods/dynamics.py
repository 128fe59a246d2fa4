"""Inverse and forward dynamics, steps in time and their derivatives; regressors of inertial parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ... import algorithms
from ...algorithms.dynamics.regressor import parameter_names
from ...algorithms.registry.choices import CoriolisForm, ExpressedIn, ForwardMethod, InverseMethod, StepMethod
from ...support.conversion import as_flag
from ..base import RobotBase
from ..dispatch import compiled
from ..types import Array, Drives, Float, Out, Outs, Threads, Wrenches


class DynamicsMethods(RobotBase):
    """Motion and forces: inverse and forward dynamics, their derivatives, and steps in time."""

    @compiled(algorithms.inverse_dynamics)
    def inverse_dynamics(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        method: InverseMethod = "classical",
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Joint forces that produce given accelerations: τ = M a + C v + gravity − Σ Jᵀ wrench.

        Damping, friction, springs and stops of the joints are included; see `passive_forces`. With closures, these are
        the forces of the spanning tree; `motor_forces` is the inverse dynamics of the closed robot.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        method : {"classical", "spatial"}, default "classical"
            Recursion: the one with the fewest operations, or Ploen and Park (1)–(5) as printed.
        base_velocity : array_like, shape (..., 6), optional
            Twist of the base in its own frame [rad/s, m/s]; zero unless given.
        base_acceleration : array_like, shape (..., 6), optional
            Rate of the components of `base_velocity` [rad/s², m/s²]; zero unless given.
        wrench : mapping of str to array_like, optional
            External wrenches (moment, force) [N m, N], shape (..., 6), by frame name: what the environment exerts on
            that frame, about its origin and in its axes.

        Returns
        -------
        ndarray, shape (..., nv)
            Joint forces τ [N m, N].

        >>> robot = kt.load("planar2r")
        >>> robot.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)
        array([19.62 ,  4.905])

        >>> robot.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], wrench={"tip": [0, 0, 0, 0, 0, 10.0]}).round(3)
        array([-0.38 , -5.095])
        """

    @compiled(algorithms.forward_dynamics)
    def forward_dynamics(
        self,
        q: Array,
        v: Array,
        tau: Array,
        *,
        method: ForwardMethod | None = None,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Accelerations that joint forces produce: M⁻¹ (τ − C v − gravity + Σ Jᵀ wrench).

        Closed loops stay closed: then the acceleration also obeys K v̇ = −K̇ v (see `closure_bias`), and
        docs/closed_chains.md compares the methods.

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        method : str, optional
            Without closures "FD1", "FD3" or "FD4", O(n) recursions of Rodriguez and Kreutz, or "solve", with a dense M;
            by default one with about the fewest operations. With closures "sweeps", "factors", "quasi", "dense" or
            "independent"; by default "independent" if M is singular, else "factors" if no body has more than eight
            degrees of freedom before it or joints mimic others, else "sweeps".
        base_velocity : array_like, shape (..., 6), optional
            Twist of the base in its own frame [rad/s, m/s]; zero unless given.
        base_acceleration : array_like, shape (..., 6), optional
            Rate of the components of `base_velocity` [rad/s², m/s²]; zero unless given.
        wrench : mapping of str to array_like, optional
            External wrenches (moment, force) [N m, N], shape (..., 6), by frame name: what the environment exerts on
            that frame, about its origin and in its axes.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, shape (..., 3, k), as in `closure_residual`.
        stabilisation : array_like, shape (..., 2), optional
            Frequency [1/s] and damping ratio of Baumgarte's method, which closes loops that have drifted open; none
            unless given.

        Returns
        -------
        ndarray, shape (..., nv)
            Accelerations v̇ [rad/s², m/s²].

        >>> kt.load("planar2r").forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]).round(3)
        array([-12.613,  16.817])
        """

    @compiled(algorithms.actuator_forces)
    def actuator_forces(
        self,
        q: Array,
        v: Array,
        control: Array,
        *,
        activation: Array | None = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Joint forces of the actuators at given controls.

        Each actuator's force is clip((g₀ + g₁ ℓ + g₂ ℓ̇) u + b₀ + b₁ ℓ + b₂ ℓ̇), with the control u within its range,
        and the length ℓ and speed ℓ̇ that its gears make of the joints; τ are the gears times these forces, within the
        efforts of the joints. Delays do not count: `simulate(control=)` has them.

        Parameters
        ----------
        q, v : array_like, shapes (..., nq), (..., nv)
            Configurations and velocities [rad/s, m/s].
        control : array_like, shape (..., controls)
            Controls, in the order of `actuator_names`.
        activation : array_like, shape (..., activations), optional
            Activations of the actuators that have dynamics, in their order; the controls to which those of filters
            settle unless given.

        Returns
        -------
        ndarray, shape (..., nv)
            Joint forces τ [N m, N].

        >>> robot = kt.load("planar2r").with_actuators(kt.Actuator.position("joint2", kp=100.0, kv=2.0))
        >>> robot.actuator_forces([0.0, 0.0], [1.0, 1.0], [0.1])
        array([0., 8.])
        """

    @compiled(algorithms.forward_acceleration)
    def forward_acceleration(
        self,
        q: Array,
        v: Array,
        tau: Array,
        frame: str,
        *,
        expressed_in: ExpressedIn = "body",
        wrench: Wrenches = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Acceleration of a frame that joint forces produce.

        It is `acceleration` at the accelerations of `forward_dynamics`: algorithm FD2 of Rodriguez and Kreutz, O(n)
        without closures.

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        frame : str
            Name of a frame; `robot.frame_names` lists them.
        expressed_in : {"body", "space", "aligned"}, default "body"
            Axes and point of the twist of which this is the rate, as in `acceleration`.
        wrench : mapping of str to array_like, optional
            As in `inverse_dynamics`.

        Returns
        -------
        ndarray, shape (..., 6)
            The rate of the frame's twist, angular part first [rad/s², m/s²].

        >>> robot = kt.load("planar2r")
        >>> robot.forward_acceleration([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], "tip", expressed_in="aligned").round(3)
        array([ 0.   , -4.204,  0.   ,  0.   ,  0.   , -8.409])
        """

    @compiled(algorithms.inverse_dynamics_derivatives)
    def inverse_dynamics_derivatives(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float, Float]:
        """Derivatives of `inverse_dynamics` with respect to q, v and a.

        Derivatives with respect to q are along q ⊕ ε, see docs/derivatives.md.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].
        base_velocity, base_acceleration, wrench : optional
            As in `inverse_dynamics`.

        Returns
        -------
        dq : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂q, rows for τ.
        dv : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂v.
        da : ndarray, shape (..., nv, nv)
            The derivative ∂τ/∂a, which is the mass matrix.

        >>> robot = kt.load("planar2r")
        >>> dq, dv, da = robot.inverse_dynamics_derivatives([1.5, 1.5], [0.0, 0.0], [0.0, 0.0])
        >>> dq.round(2)
        array([[-15.37,  -0.69],
               [ -0.69,  -0.69]])
        """

    @compiled(algorithms.forward_dynamics_derivatives)
    def forward_dynamics_derivatives(
        self,
        q: Array,
        v: Array,
        tau: Array,
        *,
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float, Float]:
        """Derivatives of `forward_dynamics` with respect to q, v and τ.

        Derivatives with respect to q are along q ⊕ ε, see docs/derivatives.md. With closed loops, those along
        directions that keep the loops closed are derivatives of the motion.

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        base_velocity, base_acceleration, wrench, drive : optional
            As in `forward_dynamics`.

        Returns
        -------
        dq : ndarray, shape (..., nv, nv)
            The derivative ∂v̇/∂q, rows for v̇.
        dv : ndarray, shape (..., nv, nv)
            The derivative ∂v̇/∂v.
        dtau : ndarray, shape (..., nv, nv)
            The derivative ∂v̇/∂τ: M⁻¹, or with closed loops G (Gᵀ M G)⁻¹ Gᵀ, G being `velocity_map`.

        >>> robot = kt.load("planar2r")
        >>> dq, dv, dtau = robot.forward_dynamics_derivatives([1.5, 1.5], [1.0, 0.0], [0.0, 0.0])
        >>> dv.round(2)
        array([[ 0.83,  0.75],
               [-3.91, -0.83]])
        """

    @compiled(algorithms.inverse_dynamics_second_derivatives)
    def inverse_dynamics_second_derivatives(
        self, q: Array, v: Array, a: Array, *, out: Outs = None, threads: Threads = None
    ) -> tuple[Float, Float, Float, Float]:
        """Second derivatives of `inverse_dynamics`.

        In each array entry [k, i, j] is the second derivative of τ_k, along i first, then j; those with respect to q
        are along q ⊕ ε. The second derivatives that are not returned are zero, or transposes of these.

        Parameters
        ----------
        q, v, a : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and accelerations [rad/s², m/s²].

        Returns
        -------
        qq : ndarray, shape (..., nv, nv, nv)
            The second derivative ∂²τ/∂q∂q.
        vq : ndarray, shape (..., nv, nv, nv)
            The second derivative ∂²τ/∂v∂q.
        vv : ndarray, shape (..., nv, nv, nv)
            The second derivative ∂²τ/∂v∂v.
        aq : ndarray, shape (..., nv, nv, nv)
            The derivative of the mass matrix, ∂²τ/∂a∂q.

        >>> x = [1.0, 1.0]
        >>> qq, vq, vv, aq = kt.load("planar2r").inverse_dynamics_second_derivatives(x, x, x)
        >>> aq[0].round(3)
        array([[ 0.   , -0.841],
               [ 0.   , -0.421]])
        """

    @compiled(algorithms.step)
    def step(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: Array,
        *,
        method: StepMethod = "semi-implicit",
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        contact: Mapping[str, Array] | None = None,
        world: Any = None,
        project: bool = False,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """State after a step in time, under constant joint forces.

        Explicit methods are "semi-implicit" and "euler" of order 1, "rkmk2" of order 2, "rk4" and "rkmk4" of order 4;
        the "rkmk" ones conserve the momentum of a floating tree, and "semi-implicit" moves free joints in axes that do
        not turn. Implicit ones are "variational" of order 2, whose energy stays bounded (NaN where Newton's method does
        not converge), and for stiff springs and dampers "rosenbrock" of order 2 and "implicit" of order 1, in which
        laws of a simulation may be stiff too.

        Dry friction and hard stops are solved for by "semi-implicit" and "implicit"; the others refuse robots that have
        them (docs/simulation.md).

        A moving base has the axes of the world at the beginning of the step; its twist changes at a constant rate, q
        stays relative to it, and gravity rotates in its axes. Closed loops stay closed to the order of the method.

        Parameters
        ----------
        q, v, tau, dt : array_like, shapes (..., nq), (..., nv), (..., nv), (...)
            Configurations, velocities [rad/s, m/s], joint forces [N m, N] and length of the step [s].
        method : str, default "semi-implicit"
            Integrator: one of those above.
        base_velocity : array_like, shape (..., 6), optional
            Twist of the base in its own frame at the beginning of the step [rad/s, m/s]; zero unless given.
        base_acceleration : array_like, shape (..., 6), optional
            Rate of the components of `base_velocity` [rad/s², m/s²], constant in the step; zero unless given.
        wrench : mapping of str to array_like, optional
            External wrenches (moment, force) [N m, N], shape (..., 6), by frame name, as in `inverse_dynamics`;
            constant in the axes of their frames.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name at the beginning of the step, shape (..., 3, k), as in
            `closure_residual`; the acceleration is constant.
        stabilisation : array_like, shape (..., 2), optional
            As in `forward_dynamics`.
        contact : mapping of str to array_like, optional
            Of robots in a world, numbers instead of the world's: "friction" (..., pairs), and of shapes that are fixed
            to the world their name with ".pose" (..., 7), ".size" or ".heights"; see docs/contact.md.
        world : World, optional
            What the robot stands on and meets, as in `simulate`; the step begins without impulses of before.
        project : bool, default False
            Whether to close loops after the step, as `rollout` and `simulate` do: to the nearest state by kinetic
            energy, in which floating robots keep their momentum; NaN if there is none near, as after a state in which
            loops are open: `project` and `assemble` close those.

        Returns
        -------
        q : ndarray, shape (..., nq)
            Configurations after the step.
        v : ndarray, shape (..., nv)
            Velocities after the step [rad/s, m/s].

        >>> q, v = kt.load("planar2r").step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> v.round(3)
        array([-0.126,  0.168])
        """

    @compiled(algorithms.linearise)
    def linearise(
        self, q: Array, v: Array, tau: Array, *, wrench: Wrenches = None, out: Outs = None, threads: Threads = None
    ) -> tuple[Float, Float]:
        """Linearised dynamics ẋ = A x + B δτ about a state or along a motion, with x = (δq, δv).

        The displacement δq is along q ⊕ δq. With closed loops x = (δp, δy): p are as many positions as the closures
        leave free, y the independent velocities, and k = 2 dof, or more if wheels roll or contacts spin (10 for the
        `bicycle`, with 3 degrees of freedom and 7 free positions).

        Parameters
        ----------
        q, v, tau : array_like, shapes (..., nq), (..., nv), (..., nv)
            Configurations, velocities [rad/s, m/s] and joint forces [N m, N].
        wrench : mapping of str to array_like, optional
            As in `inverse_dynamics`.

        Returns
        -------
        A : ndarray, shape (..., 2 nv, 2 nv)
            The derivative of ẋ with respect to x; (..., k, k) with closed loops.
        B : ndarray, shape (..., 2 nv, nv)
            The derivative of ẋ with respect to τ; (..., k, nv) with closed loops.

        >>> A, B = kt.load("planar2r").linearise([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        >>> B.round(3)
        array([[ 0.   ,  0.   ],
               [ 0.   ,  0.   ],
               [ 1.714, -4.286],
               [-4.286, 13.714]])
        """

    @compiled(algorithms.linearise_step)
    def linearise_step(
        self,
        q: Array,
        v: Array,
        tau: Array,
        dt: Array,
        *,
        method: StepMethod = "semi-implicit",
        base_velocity: Array | None = None,
        base_acceleration: Array | None = None,
        wrench: Wrenches = None,
        drive: Drives = None,
        stabilisation: Array | None = None,
        contact: Mapping[str, Array] | None = None,
        project: bool = False,
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """Linearised `step`: x⁺ = A x + B δτ, with x = (δq, δv).

        The displacement δq is along q ⊕ δq. With closed loops x still has all coordinates, including directions that
        open the loops. With contacts, dry friction or hard stops, A and B are those of what touches, sticks and slips
        at the end of the step: where that changes there are no derivatives, and those of one side are given.

        Parameters
        ----------
        q, v, tau, dt : array_like, shapes (..., nq), (..., nv), (..., nv), (...)
            Configurations, velocities [rad/s, m/s], joint forces [N m, N] and length of the step [s].
        method : str, default "semi-implicit"
            Integrator, as in `step`.
        base_velocity : array_like, shape (..., 6), optional
            Twist of the base at the beginning of the step, as in `step`.
        base_acceleration : array_like, shape (..., 6), optional
            Rate of the components of `base_velocity`, as in `step`.
        wrench : mapping of str to array_like, optional
            External wrenches by frame name, as in `step`.
        drive : mapping of str to array_like, optional
            Prescribed motions of closures by name, as in `step`.
        stabilisation : array_like, shape (..., 2), optional
            As in `forward_dynamics`.
        contact : mapping of str to array_like, optional
            Of robots in a world, numbers instead of the world's: "friction" (..., pairs), and of shapes that are fixed
            to the world their name with ".pose" (..., 7), ".size" or ".heights"; see docs/contact.md.
        project : bool, default False
            Whether loops are closed after the step, as in `step`: NaN if that fails.

        Returns
        -------
        A : ndarray, shape (..., 2 nv, 2 nv)
            The derivative of the state after the step with respect to that before it.
        B : ndarray, shape (..., 2 nv, nv)
            The derivative of the state after the step with respect to τ.

        >>> A, B = kt.load("planar2r").linearise_step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> B.round(4)
        array([[ 0.0002, -0.0004],
               [-0.0004,  0.0014],
               [ 0.0171, -0.0429],
               [-0.0429,  0.1371]])
        """


class RegressorMethods(RobotBase):
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
        return parameter_names(self.model, friction=as_flag("friction", friction), rotor=as_flag("rotor", rotor))

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
