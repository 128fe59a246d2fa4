"""Motion and forces: inverse and forward dynamics, their derivatives, and steps in time."""

from __future__ import annotations

from .. import algorithms
from ..algorithms.choices import Axes, ForwardMethod, InverseMethod, StepMethod
from .base import RobotBase
from .dispatch import compiled
from .types import Array, Drives, Float, Out, Outs, Threads, Wrenches


class Dynamics(RobotBase):
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
        """Joint forces τ (..., nv) [N m, N] that produce the acceleration a.

        `method` is "classical", which takes the fewest operations, or "spatial", Ploen and Park (1)–(5) as printed.
        `base_velocity` and `base_acceleration` (..., 6) move the base: its twist in its own frame and the rate of
        its components. `wrench` maps frame names to the wrench (..., 6) that the environment exerts on that frame,
        in that frame, moment first.

        >>> import kinetrace as kt
        >>> robot = kt.load("panda")
        >>> robot.inverse_dynamics(robot.neutral(), [0.0] * 7, [0.0] * 7).shape
        (7,)
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
        """Accelerations (..., nv) that the joint forces tau (..., nv) [N m, N] produce.

        `method` is "FD1", "FD3", "FD4" (O(n); Rodriguez and Kreutz) or "solve" (dense); None takes one with about the
        fewest operations. The rest is as in `inverse_dynamics`.

        Closed loops stay closed: then `method` is "sweeps", "factors", "quasi", "dense" or "independent" (the page on
        closed chains says what they do). None takes "factors" if no body has more than eight degrees of freedom before
        it or joints mimic others, else "sweeps"; "independent" if M is singular. `drive` prescribes motions of closures
        as in `closure_residual`, and `stabilisation` (..., 2), frequency [1/s] and damping ratio, draws loops together
        that are open by a little.

        >>> import kinetrace as kt
        >>> robot = kt.load("panda")
        >>> robot.forward_dynamics(robot.neutral(), [0.0] * 7, [0.0] * 7).shape
        (7,)
        """

    @compiled(algorithms.forward_acceleration)
    def forward_acceleration(
        self,
        q: Array,
        v: Array,
        tau: Array,
        frame: str,
        *,
        expressed_in: Axes = "body",
        wrench: Wrenches = None,
        out: Out = None,
        threads: Threads = None,
    ) -> Float:
        """Acceleration (..., 6) of a frame that forces produce, as in `acceleration`: FD2, O(n) without closures.

        >>> import kinetrace as kt
        >>> kt.load("panda").forward_acceleration([0.1] * 7, [0.0] * 7, [0.0] * 7, "panda_hand").shape
        (6,)
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
        """∂τ/∂q, ∂τ/∂v and ∂τ/∂a (..., nv, nv) of `inverse_dynamics`, rows for τ.

        Derivatives with respect to q are along q ⊕ ε, see docs/derivatives.md.

        >>> import kinetrace as kt
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
        """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ (..., nv, nv) of `forward_dynamics`, rows for v̇.

        Derivatives with respect to q are along q ⊕ ε, see docs/derivatives.md; ∂v̇/∂τ = M⁻¹. With closed loops it is
        P = G (GᵀMG)⁻¹ Gᵀ, and derivatives along directions that keep them closed are those of the motion; `drive` is
        that of `forward_dynamics`.

        >>> import kinetrace as kt
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
        """∂²τ/∂q∂q, ∂²τ/∂v∂q, ∂²τ/∂v∂v and ∂²τ/∂a∂q (..., nv, nv, nv); [k, i, j] is of τ_k, along i, then j.

        >>> import kinetrace as kt
        >>> x = [1.0, 1.0]
        >>> qq, vq, vv, aq = kt.load("planar2r").inverse_dynamics_second_derivatives(x, x, x)
        >>> qq.shape
        (2, 2, 2)
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
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """q (..., nq) and v (..., nv) after the time dt (...) [s], under constant joint forces tau.

        Explicit methods are "semi-implicit" and "euler" of order 1, "rkmk2" of order 2, "rk4" and "rkmk4" of order 4;
        "rkmk" keep the momentum of what floats. Implicit ones, of order 2, are "variational", whose energy stays
        bounded (NaN where Newton's method finds no solution), and "rosenbrock" for stiff springs and dampers.

        `wrench` is that of `inverse_dynamics`, constant in its frames. `base_velocity` and `base_acceleration` (..., 6)
        are those of the beginning, when the base has the axes of the world: its twist changes at a constant rate, q
        stays relative to it, and gravity turns in its axes. Closed loops stay closed to the order of the method;
        `drive`, of the beginning too, and `stabilisation` are those of `forward_dynamics`, and `project` takes out what
        is left.

        >>> import kinetrace as kt
        >>> q, v = kt.load("planar2r").step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> v.round(3)
        array([-0.126,  0.168])
        """

    @compiled(algorithms.linearise)
    def linearise(
        self, q: Array, v: Array, tau: Array, *, wrench: Wrenches = None, out: Outs = None, threads: Threads = None
    ) -> tuple[Float, Float]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of ẋ = A x + B δτ, x = (δq, δv), about a state or along a motion.

        δq is along q ⊕ δq. With closed loops x = (δp, δy), p being as many positions as the closures leave, and y the
        independent velocities: A (..., k, k) and B (..., k, nv) with k = 2 dof, or more if wheels roll or contacts spin
        (10 for the `bicycle`, of 3 dof and 7 positions).

        >>> import kinetrace as kt
        >>> A, B = kt.load("planar2r").linearise([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        >>> A.shape, B.shape
        ((4, 4), (4, 2))
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
        out: Outs = None,
        threads: Threads = None,
    ) -> tuple[Float, Float]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of x⁺ = A x + B δτ, x = (δq, δv), for one `step`.

        With closed loops x has all coordinates too, and A those directions that would open loops. What acts besides is
        that of `step`.

        >>> import kinetrace as kt
        >>> A, B = kt.load("planar2r").linearise_step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> A.shape, B.shape
        ((4, 4), (4, 2))
        """
