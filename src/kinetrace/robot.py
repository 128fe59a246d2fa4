"""`Robot`: a model with its compiled functions, the face most users see."""

from __future__ import annotations

import difflib
import inspect
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, overload

import numpy as np
import numpy.typing as npt

from . import algorithms, geometry, optimise
from .algorithms.regressor import parameter_names
from .cache import arrived
from .codegen.runtime.fastcall import Call
from .codegen.runtime.kernel import Kernel, check_settings, check_threads
from .compilation import trace_cache
from .compilation.compile import (
    checked_inputs,
    checked_model,
    checked_shape,
    checked_shapes,
    checked_static,
    compile,
    program,
)
from .errors import InputError, choose, is_hashable, unknown
from .model import Limits, Model, generalised, parameters
from .model.checks import Check
from .support.frozen import Frozen
from .support.plain import plain_flag, plain_rng
from .trace import OpCount, Recorder, Stage

Float = npt.NDArray[np.floating[Any]]
_ELSEWHERE = {
    "rnea": "inverse_dynamics",
    "aba": "forward_dynamics",
    "crba": "mass_matrix",
    "forward_kinematics": "pose",
    "fk": "pose",
    "com": "center_of_mass",
    "coriolis": "coriolis_matrix",
    "nle": "bias",
}
"""What other libraries call a method → our name."""
MOST_SHORT = 16
"""Compiled functions before one method, one for each choice (of a frame, say) that came first."""


_CHOICES = frozenset({str, bool})
"""Types of names and flags that need no conversion."""


class Robot(Frozen):
    """A robot: names, sizes, and functions compiled on first use.

    All functions take arrays with any leading batch axes, which broadcast as NumPy's do: `q (..., nq)`,
    `v, a, tau (..., nv)`. Every function also takes `out`, an array for the result, and `threads`.

    `dtype` is the precision of the compiled functions, `backend` "llvm" (compiled) or "numpy" (interpreted, slow),
    `threads` the number of threads for large batches (None: as many as there are cores). `dynamics_model` is a model
    with the same joint forces, on which joint-space dynamics run: see `optimise`.

    >>> import kinetrace as kt
    >>> kt.load("panda")
    Robot('panda', nq=7, nv=7)

    A robot does not change: kernels are compiled for its numbers. Assignment is refused, but a subclass may have
    attributes of its own, under names that `Robot` does not use; copies and pickles keep them.
    """

    model: Model
    dynamics_model: Model
    _settings: dict[str, Any]
    _kernels: dict[Any, Kernel]
    _depth: Counter[str]
    _instead: ClassVar = {
        "gravity": "robot.with_parameters(gravity=...) or kt.load(..., gravity=...) gives a robot with another gravity",
        **dict.fromkeys(
            ("dtype", "backend", "threads"),
            "give it to kt.load or kt.Robot(robot.model, ...); a call takes threads= too",
        ),
        **dict.fromkeys(("model", "dynamics_model"), "kt.Robot(model) makes another robot"),
        "limits": "they are those of the joints: in the URDF, or Builder.joint(..., limits=...)",
    }
    _otherwise = "robot.with_parameters(...) gives a robot with other numbers; a subclass may have its own attributes"

    def __init__(
        self,
        model: Model,
        *,
        dtype: npt.DTypeLike = "float64",
        backend: str = "llvm",
        threads: int | None = None,
        dynamics_model: Model | None = None,
    ) -> None:
        checked_model(model)
        dynamics_model = model if dynamics_model is None else checked_model(dynamics_model)
        if dynamics_model.joint_names != model.joint_names:
            raise InputError(f"dynamics_model: its joints are not those of {model.name!r}")
        settings = {"dtype": check_settings(dtype, backend), "backend": backend, "threads": threads}
        check_threads(threads)
        self._set(model=model, dynamics_model=dynamics_model, _settings=settings)
        self._set(_kernels={}, _depth=Counter[str]())

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, nq={self.nq}, nv={self.nv})"

    def __reduce__(self) -> Any:
        own = {name: x for name, x in vars(self).items() if self._is_own(name)}
        return *self._origin(), own or None

    def _origin(self) -> tuple[Any, ...]:
        """A function and its arguments, which make this robot, but for what a subclass adds."""
        given = (self.model, self.dynamics_model, *self._settings.values())
        return (_rebuild, given) if type(self) is Robot else (_rebuild_subclass, (type(self), *given))

    def __getattr__(self, name: str) -> Any:
        """An error that names what was perhaps meant; only called for what is not there."""
        if name.startswith("_"):
            raise AttributeError(name)
        if hasattr(Model, name):
            hint = f"the model has: robot.model.{name}; functions of kinetrace.algorithms take robot.model"
        else:
            near = [_ELSEWHERE[name]] if name in _ELSEWHERE else difflib.get_close_matches(name, dir(self), n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "dir(robot) lists what there is"
        raise AttributeError(f"a robot has no {name!r}; {hint}", name=name, obj=self)

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of configuration variables."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of degrees of freedom: the size of velocities, accelerations and forces."""
        return self.model.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that have variables, in their order in q and v."""
        return self.model.joint_names

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Every link and every further frame."""
        return tuple(self.model.frames)

    def with_frames(self, frames: Any) -> Robot:
        """The same robot with other body frames: Ploen and Park's change of coordinates Q, (15)–(33).

        `frames` is one pose Q_i (4, 4) a body, the old frame in the new one, or "center_of_mass". Forces, accelerations
        and the mass matrix do not change; what a computation costs may.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> moved = robot.with_frames("center_of_mass")
        >>> np.allclose(moved.mass_matrix([0.1, 0.2]), robot.mass_matrix([0.1, 0.2]))
        True
        """
        return Robot(self.model.with_frames(frames), **self._settings)

    def parameters(self, name: str) -> Float:
        """The robot's numbers of one kind, by name: a copy, which `with_parameters` makes a robot of again.

        "inertial" (nb, 10): each body's (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) in its body frame [kg, kg m,
        kg m²]. "placements" (nb, 4, 4): each body's pose in its parent at the joint's zero. "screws" (k, 6): the screws
        (ω, v) in the body frame of the joints with one degree of freedom. "gravity" (3,) [m/s²], in the world frame.

        >>> import kinetrace as kt
        >>> kt.load("panda").parameters("inertial").shape
        (7, 10)
        """
        return np.array(parameters.get(self.model, name))

    def with_parameters(self, *, check: Check = "warn", **values: npt.ArrayLike) -> Robot:
        """The same robot with other numbers; names, shapes and frames are those of `parameters`.

        `check` says what to do about inertias that no body can have: "warn", "error" or "ignore". To have numbers that
        change from state to state, make them arguments: `kernel(function, inputs=("inertial",))`.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> heavier = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
        >>> bool((heavier.mass_matrix([0.1, 0.2]) == 2 * robot.mass_matrix([0.1, 0.2])).all())
        True
        """
        return Robot(self.model.with_parameters(check=check, **values), **self._settings)

    def optimise(
        self,
        algorithm: str = "inverse_dynamics",
        *,
        frames: bool = True,
        regroup: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Robot:
        """The same robot, with joint-space dynamics that take fewer operations.

        Searches for body frames (`frames`) and a regrouping of inertial parameters (`regroup`) for which the algorithm
        takes the fewest operations, and compares joint forces on random states. What it finds is `dynamics_model`: all
        algorithms that depend on τ(q, v, a) alone run on it, on a base that rests; everything else (frames, momentum,
        parameters, a moving base) runs on `model`, which stays as it is. `with_parameters` and `with_frames` forget it.
        `progress` is told how many bodies are done, of how many at most.

        >>> import kinetrace as kt
        >>> robot = kt.load("ur5e")
        >>> robot.optimise().count("inverse_dynamics").flops < 0.8 * robot.count("inverse_dynamics").flops
        True
        """
        names = {f.__name__: f for f in optimise.SAME}
        function = choose("algorithm", algorithm, names)

        def cost(model: Model) -> tuple[int, int]:
            count = program(function, model, {}).count()
            return count.flops, count.mul

        chosen = {"frames": plain_flag("frames", frames), "regroup": plain_flag("regroup", regroup)}
        found = optimise.cheapest(self.model, cost, **chosen, progress=progress)
        return Robot(self.model, **self._settings, dynamics_model=found)

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model that a function is compiled for: `dynamics_model` if the results are the same, else `model`.

        `given` are the names of what the function takes beyond its required arguments, with their values or shapes.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").optimise()
        >>> robot.model_for(kt.algorithms.inverse_dynamics) is robot.dynamics_model
        True
        >>> robot.model_for(kt.algorithms.inverse_dynamics, {"base_velocity": (6,)}) is robot.model
        True
        """
        if not optimise.is_same(function, given or {}):
            return self.model
        return optimise.turning(self.dynamics_model) if "wrench" in (given or {}) else self.dynamics_model

    def q_slice(self, joint: str) -> slice:
        """Where a joint's configuration stands in q.

        >>> import kinetrace as kt
        >>> kt.load("quadruped", base="free").q_slice("floating_base")
        slice(0, 7, None)
        """
        return self.model.joint_slices(joint)[0]

    def v_slice(self, joint: str) -> slice:
        """Where a joint's velocity stands in v, a and tau.

        >>> import kinetrace as kt
        >>> kt.load("quadruped", base="free").v_slice("floating_base")
        slice(0, 6, None)
        """
        return self.model.joint_slices(joint)[1]

    @property
    def limits(self) -> Limits:
        """Bounds `lower`, `upper` (nq,), `velocity`, `effort` (nv,); infinite where the robot has none.

        >>> import kinetrace as kt
        >>> kt.load("ur5e").limits.effort
        array([150., 150., 150.,  28.,  28.,  28.])
        """
        return self.model.limits

    # -- the configuration manifold ----------------------------------------------------------------------------

    def neutral(self) -> Float:
        """The configuration (nq,) with every joint at its zero.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").neutral()
        array([0., 0.])
        """
        return self.model.neutral()

    def random(self, shape: int | tuple[int, ...] = (), seed: int | np.random.Generator | None = None) -> Float:
        """Configurations (*shape, nq) within the joint limits; the same ones for the same seed.

        >>> import kinetrace as kt
        >>> kt.load("panda").random(100, seed=1).shape
        (100, 7)
        """
        return self.model.random(plain_rng(seed), checked_shape("shape", shape))

    def integrate(self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """q ⊕ v (..., nq): where velocity v leads in unit time; for a step dt give v·dt.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").integrate([0.0, 0.0], [0.1, 0.2])
        array([0.1, 0.2])
        """
        return self._run(Model.integrate, (q, v), out, threads)

    def difference(self, q0: npt.ArrayLike, q1: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """q1 ⊖ q0 (..., nv): the velocity that leads from q0 to q1 in unit time.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").difference([0.0, 0.0], [0.1, 0.2])
        array([0.1, 0.2])
        """
        return self._run(Model.difference, (q0, q1), out, threads, shapes=(("q0", (self.nq,)), ("q1", (self.nq,))))

    def normalise(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """q (..., nq) with every quaternion scaled to unit length.

        >>> import kinetrace as kt
        >>> kt.load("quadruped", base="free").normalise([0, 0, 1, 2, 0, 0, 0] + [0] * 12)[:7]
        array([0., 0., 1., 1., 0., 0., 0.])
        """
        return self._run(Model.normalise, (q,), out, threads)

    # -- kinematics --------------------------------------------------------------------------------------------

    def pose(self, q: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None) -> Float:
        """Pose X_0F (..., 4, 4) of a frame in the world.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").pose([0.0, 0.0], "tip").shape
        (4, 4)
        """
        return self._run(algorithms.pose, (q,), out, threads, static=("frame", frame))

    def jacobian(
        self,
        q: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Jacobian (..., 6, nv) of a frame, angular rows first: its twist is J v.

        `expressed_in`: "body" (the frame's own axes and origin), "space" (the world's axes and origin) or "aligned"
        (the world's axes, the frame's origin).

        >>> import kinetrace as kt
        >>> kt.load("panda").jacobian([0.0] * 7, "panda_hand", expressed_in="aligned").shape
        (6, 7)
        """
        return self._run(algorithms.jacobian, (q,), out, threads, static=("frame", frame, "expressed_in", expressed_in))

    def velocity(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Twist (..., 6) of a frame, angular part first; `expressed_in` as in `jacobian`.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").velocity([0.0, 0.0], [1.0, 0.0], "tip").shape
        (6,)
        """
        return self._run(
            algorithms.velocity,
            (q, v),
            out,
            threads,
            static=("frame", frame, "expressed_in", expressed_in),
        )

    def acceleration(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Rate of change (..., 6) of the components of `velocity(..., expressed_in=...)`; with a = 0 it is Jdot v.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").acceleration([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], "tip").shape
        (6,)
        """
        return self._run(
            algorithms.acceleration,
            (q, v, a),
            out,
            threads,
            static=("frame", frame, "expressed_in", expressed_in),
        )

    def pose_derivative(self, q: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None) -> Float:
        """dX (..., 4, 4, nv) of the pose X of a frame along q ⊕ ε, the direction being the last axis.

        >>> import kinetrace as kt
        >>> kt.load("panda").pose_derivative([0.1] * 7, "panda_hand").shape
        (4, 4, 7)
        """
        return self._run(algorithms.pose_derivative, (q,), out, threads, static=("frame", frame))

    def jacobian_derivative(
        self,
        q: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """dJ (..., 6, nv, nv) of `jacobian` along q ⊕ ε, the direction being the last axis.

        >>> import kinetrace as kt
        >>> kt.load("panda").jacobian_derivative([0.1] * 7, "panda_hand").shape
        (6, 7, 7)
        """
        static = ("frame", frame, "expressed_in", expressed_in)
        return self._run(algorithms.jacobian_derivative, (q,), out, threads, static=static)

    def velocity_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """∂V/∂q along q ⊕ ε and ∂V/∂v, each (..., 6, nv), of `velocity`; the second is the Jacobian.

        >>> import kinetrace as kt
        >>> dq, dv = kt.load("panda").velocity_derivatives([0.1] * 7, [0.2] * 7, "panda_hand")
        >>> dq.shape, dv.shape
        ((6, 7), (6, 7))
        """
        static = ("frame", frame, "expressed_in", expressed_in)
        return self._run(algorithms.velocity_derivatives, (q, v), out, threads, static=static)

    def acceleration_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float, Float]:
        """∂A/∂q along q ⊕ ε, ∂A/∂v and ∂A/∂a, each (..., 6, nv), of `acceleration`; the last is the Jacobian.

        >>> import kinetrace as kt
        >>> dq, dv, da = kt.load("panda").acceleration_derivatives([0.1] * 7, [0.2] * 7, [0.3] * 7, "panda_hand")
        >>> dq.shape, dv.shape, da.shape
        ((6, 7), (6, 7), (6, 7))
        """
        static = ("frame", frame, "expressed_in", expressed_in)
        return self._run(algorithms.acceleration_derivatives, (q, v, a), out, threads, static=static)

    # -- dynamics ----------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        base_velocity: npt.ArrayLike | None = None,
        base_acceleration: npt.ArrayLike | None = None,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Joint forces τ (..., nv) [N m, N] that produce the acceleration a.

        `base_velocity` and `base_acceleration` (..., 6) move the base: its twist in its own frame and the rate of
        its components. `wrench` maps frame names to the wrench (..., 6) that the environment exerts on that frame,
        in that frame, moment first.

        >>> import kinetrace as kt
        >>> robot = kt.load("panda")
        >>> robot.inverse_dynamics(robot.neutral(), [0.0] * 7, [0.0] * 7).shape
        (7,)
        """
        given = {"base_velocity": base_velocity, "base_acceleration": base_acceleration, "wrench": wrench}
        return self._run_with(algorithms.inverse_dynamics, (q, v, a), given, out, threads)

    def forward_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        method: str | None = None,
        base_velocity: npt.ArrayLike | None = None,
        base_acceleration: npt.ArrayLike | None = None,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Accelerations (..., nv) that the joint forces tau (..., nv) [N m, N] produce.

        `method` is "FD1", "FD3", "FD4" (O(n); Rodriguez and Kreutz) or "solve" (dense; the only one for robots with
        mimic joints); None takes one with about the fewest operations. The rest is as in `inverse_dynamics`.

        >>> import kinetrace as kt
        >>> robot = kt.load("panda")
        >>> robot.forward_dynamics(robot.neutral(), [0.0] * 7, [0.0] * 7).shape
        (7,)
        """
        static = () if method is None else ("method", method)
        given = {"base_velocity": base_velocity, "base_acceleration": base_acceleration, "wrench": wrench}
        return self._run_with(algorithms.forward_dynamics, (q, v, tau), given, out, threads, static)

    def forward_acceleration(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        frame: str,
        *,
        expressed_in: str = "body",
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Acceleration (..., 6) of a frame that forces produce, expressed as in `acceleration`; O(n), FD2.

        >>> import kinetrace as kt
        >>> kt.load("panda").forward_acceleration([0.1] * 7, [0.0] * 7, [0.0] * 7, "panda_hand").shape
        (6,)
        """
        static = ("frame", frame, "expressed_in", expressed_in)
        return self._run_with(algorithms.forward_acceleration, (q, v, tau), {"wrench": wrench}, out, threads, static)

    def inverse_dynamics_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        base_velocity: npt.ArrayLike | None = None,
        base_acceleration: npt.ArrayLike | None = None,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
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
        given = {"base_velocity": base_velocity, "base_acceleration": base_acceleration, "wrench": wrench}
        return self._run_with(algorithms.inverse_dynamics_derivatives, (q, v, a), given, out, threads)

    def forward_dynamics_derivatives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        base_velocity: npt.ArrayLike | None = None,
        base_acceleration: npt.ArrayLike | None = None,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float, Float]:
        """∂v̇/∂q, ∂v̇/∂v and ∂v̇/∂τ = M⁻¹ (..., nv, nv) of `forward_dynamics`, rows for v̇.

        Derivatives with respect to q are along q ⊕ ε, see docs/derivatives.md.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> dq, dv, dtau = robot.forward_dynamics_derivatives([1.5, 1.5], [1.0, 0.0], [0.0, 0.0])
        >>> dv.round(2)
        array([[ 0.83,  0.75],
               [-3.91, -0.83]])
        """
        given = {"base_velocity": base_velocity, "base_acceleration": base_acceleration, "wrench": wrench}
        return self._run_with(algorithms.forward_dynamics_derivatives, (q, v, tau), given, out, threads)

    def inverse_dynamics_second_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> tuple[Float, Float, Float, Float]:
        """∂²τ/∂q∂q, ∂²τ/∂v∂q, ∂²τ/∂v∂v and ∂²τ/∂a∂q (..., nv, nv, nv); [k, i, j] is of τ_k, along i, then j.

        >>> import kinetrace as kt
        >>> x = [1.0, 1.0]
        >>> qq, vq, vv, aq = kt.load("planar2r").inverse_dynamics_second_derivatives(x, x, x)
        >>> qq.shape
        (2, 2, 2)
        """
        return self._run(algorithms.inverse_dynamics_second_derivatives, (q, v, a), out, threads)

    # -- motion ------------------------------------------------------------------------------------------------

    def step(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        dt: npt.ArrayLike,
        *,
        method: str = "semi-implicit",
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """q (..., nq) and v (..., nv) after the time dt (...) [s], under constant joint forces tau.

        `method` is "semi-implicit", "euler" or "rk4".

        >>> import kinetrace as kt
        >>> q, v = kt.load("planar2r").step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> v.round(3)
        array([-0.126,  0.168])
        """
        return self._run(algorithms.step, (q, v, tau, dt), out, threads, (("dt", ()),), ("method", method))

    def linearise(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of ẋ = A x + B δτ, x = (δq, δv), about a state or along a motion.

        δq is along q ⊕ δq.

        >>> import kinetrace as kt
        >>> A, B = kt.load("planar2r").linearise([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
        >>> A.shape, B.shape
        ((4, 4), (4, 2))
        """
        return self._run_with(algorithms.linearise, (q, v, tau), {"wrench": wrench}, out, threads)

    def linearise_step(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
        dt: npt.ArrayLike,
        *,
        method: str = "semi-implicit",
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of x⁺ = A x + B δτ, x = (δq, δv), for one `step`.

        >>> import kinetrace as kt
        >>> A, B = kt.load("planar2r").linearise_step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.01)
        >>> A.shape, B.shape
        ((4, 4), (4, 2))
        """
        static = ("method", method)
        return self._run(algorithms.linearise_step, (q, v, tau, dt), out, threads, (("dt", ()),), static)

    # -- the mass matrix and what follows from it --------------------------------------------------------------

    def mass_matrix(
        self, q: npt.ArrayLike, *, method: str = "composite", out: Any = None, threads: int | None = None
    ) -> Float:
        """The mass matrix M (..., nv, nv), by "composite" bodies, "jacobians" or "factors".

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix([0.0] * 7).shape
        (7, 7)
        """
        return self._run(algorithms.mass_matrix, (q,), out, threads, static=("method", method))

    def solve_mass(self, q: npt.ArrayLike, tau: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """M⁻¹ τ (..., nv), in O(n), without M; not for robots with mimic joints.

        >>> import kinetrace as kt
        >>> kt.load("panda").solve_mass([0.0] * 7, [1.0] * 7).shape
        (7,)
        """
        return self._run(algorithms.solve_mass, (q, tau), out, threads)

    def log_det_mass(self, q: npt.ArrayLike, *, threads: int | None = None) -> Float:
        """log det M (...), in O(n): the volume of configuration space; not for robots with mimic joints.

        NaN if M is singular at every configuration.

        >>> import numpy as np, kinetrace as kt
        >>> robot, q = kt.load("panda"), np.full(7, 0.3)
        >>> bool(np.isclose(robot.log_det_mass(q), np.linalg.slogdet(robot.mass_matrix(q))[1]))
        True
        """
        pivots = self._run(algorithms.mass_pivots, (q,), None, threads)
        with np.errstate(all="ignore"):  # where M is singular, pivots are NaN, zero or negative by rounding
            return np.log(pivots).sum(axis=-1)

    def operational_inertia(
        self, q: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """Λ = (J M⁻¹ Jᵀ)⁻¹ (..., 6, 6): the inertia felt at a frame, in its axes.

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_inertia([0.1] * 7, "panda_hand").shape
        (6, 6)
        """
        return self._run(algorithms.operational_inertia, (q,), out, threads, static=("frame", frame))

    def gravity(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Joint forces (..., nv) [N m, N] that hold still against gravity: the gradient of `potential_energy`.

        >>> import kinetrace as kt
        >>> kt.load("panda").gravity([0.1] * 7).shape
        (7,)
        """
        return self._run(algorithms.gravity, (q,), out, threads)

    def bias(self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Joint forces (..., nv) that keep the velocity: C(q, v) v + gravity.

        >>> import kinetrace as kt
        >>> kt.load("panda").bias([0.1] * 7, [0.2] * 7).shape
        (7,)
        """
        return self._run(algorithms.bias, (q, v), out, threads)

    def coriolis_matrix(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        form: str = "christoffel",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """C (..., nv, nv) with C v the velocity-dependent forces.

        `form` is "christoffel" (Christoffel symbols; Mdot - 2C is skew), "skew" (Ploen (37); skew too, but other link
        frames give another matrix) or "newton" (Ploen and Park (12); not skew).

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_matrix([0.1] * 7, [0.2] * 7).shape
        (7, 7)
        """
        return self._run(algorithms.coriolis_matrix, (q, v), out, threads, static=("form", form))

    def coriolis_product(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        form: str = "christoffel",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """C(q, v) u (..., nv) for any u (..., nv), in O(n), without C.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_product([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (7,)
        """
        return self._run(algorithms.coriolis_product, (q, v, u), out, threads, static=("form", form))

    def coriolis_transpose_product(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        form: str = "christoffel",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """C(q, v)ᵀ u (..., nv), in O(n), without C: what momentum observers need.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_transpose_product([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (7,)
        """
        return self._run(algorithms.coriolis_transpose_product, (q, v, u), out, threads, static=("form", form))

    def mass_matrix_rate(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """The rate Mdot (..., nv, nv) of the mass matrix.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix_rate([0.1] * 7, [0.2] * 7).shape
        (7, 7)
        """
        return self._run(algorithms.mass_matrix_rate, (q, v), out, threads)

    def mass_matrix_derivative(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """∂M (..., nv, nv, nv): [i, j, k] is the derivative of M_ij along q ⊕ ε e_k.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_matrix_derivative([0.1] * 7).shape
        (7, 7, 7)
        """
        return self._run(algorithms.mass_matrix_derivative, (q,), out, threads)

    # -- the geometry of configuration space, with the mass matrix as its metric ---------------------------------

    def christoffel(self, q: npt.ArrayLike, *, kind: int = 1, out: Any = None, threads: int | None = None) -> Float:
        """Christoffel symbols (..., nv, nv, nv): [i, j, k] is Γ_ijk, or with kind=2 Γ^k_ij = Σ_h (M⁻¹)_kh Γ_ijh.

        Σ_ij Γ_ijk v_i v_j is the Coriolis force on joint k, and Σ_i Γ_ijk v_i the entry k, j of `coriolis_matrix`.

        >>> import kinetrace as kt
        >>> kt.load("panda").christoffel([0.1] * 7).shape
        (7, 7, 7)
        """
        return self._run(algorithms.christoffel, (q,), out, threads, static=("kind", kind))

    def christoffel_derivative(
        self, q: npt.ArrayLike, *, kind: int = 1, out: Any = None, threads: int | None = None
    ) -> Float:
        """∂Γ (..., nv, nv, nv, nv): [i, j, k, l] is the derivative of `christoffel`'s [i, j, k] along q ⊕ ε e_l.

        For at most 24 degrees of freedom; beyond, `kt.jvp` of `algorithms.christoffel` gives one direction.

        >>> import kinetrace as kt
        >>> kt.load("panda").christoffel_derivative([0.1] * 7).shape
        (7, 7, 7, 7)
        """
        geometry.check_traced("christoffel_derivative", self.nv)
        return self._run(algorithms.christoffel_derivative, (q,), out, threads, static=("kind", kind))

    def riemann(self, q: npt.ArrayLike, *, threads: int | None = None) -> Float:
        """The curvature tensor (..., nv, nv, nv, nv): [i, j, k, l] is R_ijkl of Park et al. (66).

        R_ijkl = <R(E_k, E_l) E_j, E_i>, so that R_ijij is positive on a sphere. A state has nv⁴ numbers, 18 MB for 39
        degrees of freedom; `sectional_curvature` gives single ones.

        >>> import kinetrace as kt
        >>> kt.load("panda").riemann([0.1] * 7).shape
        (7, 7, 7, 7)
        """
        return geometry.riemann(self, q, threads)

    def ricci(self, q: npt.ArrayLike, *, threads: int | None = None) -> Float:
        """Ricci's tensor (..., nv, nv): [j, l] is Σ_ik (M⁻¹)_ik R_ijkl.

        >>> import kinetrace as kt
        >>> kt.load("panda").ricci([0.1] * 7).shape
        (7, 7)
        """
        return geometry.ricci(self, q, threads)

    def scalar_curvature(self, q: npt.ArrayLike, *, threads: int | None = None) -> Float:
        """The scalar curvature (...), Σ_jl (M⁻¹)_jl Ric_jl; with two degrees of freedom, twice Gauss's.

        >>> import kinetrace as kt
        >>> kt.load("panda").scalar_curvature([[0.1] * 7] * 3).shape
        (3,)
        """
        return geometry.scalar_curvature(self, q, threads)

    def sectional_curvature(
        self,
        q: npt.ArrayLike,
        u: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Curvature (...) of the plane of the velocities u and v (..., nv), for robots of any size; NaN if parallel.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.sectional_curvature([[0.0, 1.0], [5.0, 1.0]], [1.0, 0.0], [0.0, 1.0]).round(3)
        array([0.381, 0.381])
        """
        return self._run(algorithms.sectional_curvature, (q, u, v), out, threads)

    def is_flat(self, *, tol: float = 1e-9, seed: int = 0) -> bool:
        """Whether the mass matrix is that of flat space: then coordinates exist in which it is constant (Spong 1992).

        True without more if the Christoffel symbols are zero whatever q is. Else the curvature of random planes is
        computed in 64 random states within the limits, in float64, and must vanish against the accelerations that it is
        made of, to `tol`: what is curved is found with certainty but for rounding, what is flat with probability one.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").is_flat()
        False
        """
        return geometry.is_flat(self._exact(), tol, seed)

    def geodesic(
        self, q: npt.ArrayLike, v: npt.ArrayLike, t: npt.ArrayLike, *, tol: float = 1e-10
    ) -> tuple[Float, Float]:
        """q (..., k, nq) and v (..., k, nv) at the times t (k,) of the motion without forces and gravity from q and v.

        It starts at time 0; t must be in order and may be negative. Steps are as long as the whole batch allows for an
        error of `tol` a step, relative to 1 + the largest number of a state. A motion that runs into a singular mass
        matrix, where massless links allow one, is NaN from there on.

        >>> import numpy as np, kinetrace as kt
        >>> robot, t = kt.load("planar2r"), np.linspace(0, 10, 5)
        >>> q, v = robot.geodesic([0.0, 1.0], [1.0, -2.0], t)
        >>> bool(np.ptp(robot.kinetic_energy(q, v)) < 1e-8)
        True
        """
        return geometry.geodesic(self, q, v, t, tol)

    def geodesic_between(
        self, q0: npt.ArrayLike, q1: npt.ArrayLike, *, samples: int = 51, tol: float = 1e-9
    ) -> geometry.Geodesic:
        """The way from q0 to q1 (nq,) in unit time that needs no forces, gravity left out: times, q, v and length.

        Park et al.'s minimum-energy path: it makes ∫ vᵀ M v dt stationary, and least if it is short. Found by Newton's
        method on the first velocity, from the straight line in the coordinates; so angles go the way that
        `difference(q0, q1)` says. Joint limits are not looked at. `samples` is the number of times; the end is q1 to
        `tol`, relative to the velocity. Computed in float64, whatever the robot's precision.

        >>> import kinetrace as kt
        >>> found = kt.load("planar2r").geodesic_between([0.0, 0.5], [1.0, 1.5])
        >>> found.q[-1].round(6)
        array([1. , 1.5])
        """
        return geometry.geodesic_between(self._exact(), q0, q1, samples, tol)

    def kinetic_energy(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """½ vᵀ M v (...) [J].

        >>> import kinetrace as kt
        >>> kt.load("planar2r").kinetic_energy([0.0, 0.0], [0.0, 1.0]).round(3)
        np.float64(0.167)
        """
        return self._run(algorithms.kinetic_energy, (q, v), out, threads)

    def power(self, v: npt.ArrayLike, tau: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Power τ · v (...) [W] of the joint forces: the rate of kinetic and potential energy, if nothing else acts.

        >>> import kinetrace as kt
        >>> float(kt.load("planar2r").power([1.0, 2.0], [3.0, 4.0]))
        11.0
        """
        return self._run(algorithms.power, (v, tau), out, threads)

    def potential_energy(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Potential energy (...) [J], zero with all mass at the height of the world's origin.

        >>> import kinetrace as kt
        >>> kt.load("panda").potential_energy([[0.1] * 7] * 3).shape
        (3,)
        """
        return self._run(algorithms.potential_energy, (q,), out, threads)

    def center_of_mass(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Centre of mass (..., 3) [m] of all moving bodies, in the world.

        >>> import kinetrace as kt
        >>> kt.load("panda").center_of_mass([0.1] * 7).shape
        (3,)
        """
        return self._run(algorithms.center_of_mass, (q,), out, threads)

    def momentum(self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """Momentum (..., 6) about the world's origin, in its axes, angular part first.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum([0.1] * 7, [0.2] * 7).shape
        (6,)
        """
        return self._run(algorithms.momentum, (q, v), out, threads)

    def centroidal_momentum(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """Momentum (..., 6) about the centre of mass, in the world's axes, angular part first.

        >>> import kinetrace as kt
        >>> kt.load("panda").centroidal_momentum([0.1] * 7, [0.2] * 7).shape
        (6,)
        """
        return self._run(algorithms.centroidal_momentum, (q, v), out, threads)

    def centroidal_momentum_matrix(self, q: npt.ArrayLike, *, out: Any = None, threads: int | None = None) -> Float:
        """A (..., 6, nv) with A v the centroidal momentum.

        >>> import kinetrace as kt
        >>> kt.load("panda").centroidal_momentum_matrix([0.1] * 7).shape
        (6, 7)
        """
        return self._run(algorithms.centroidal_momentum_matrix, (q,), out, threads)

    def momentum_rate(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """The rate (..., 6) of the centroidal momentum.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum_rate([0.1] * 7, [0.2] * 7, [0.3] * 7).shape
        (6,)
        """
        return self._run(algorithms.momentum_rate, (q, v, a), out, threads)

    def mass_root_product(
        self,
        q: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        normalised: bool = True,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """W u (..., nv) for the square root W = N Ω^½ of M = W Wᵀ, in O(n); u ~ N(0, 1) gives draws from N(0, M).

        With `normalised=False`, N u.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_product([0.1] * 7, [1.0] * 7).shape
        (7,)
        """
        return self._run(algorithms.mass_root_product, (q, u), out, threads, static=("normalised", normalised))

    def mass_root_solve(
        self,
        q: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        normalised: bool = True,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """W⁻¹ u (..., nv), in O(n): forces with covariance M become white; N⁻¹ u with `normalised=False`.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_solve([0.1] * 7, [1.0] * 7).shape
        (7,)
        """
        return self._run(algorithms.mass_root_solve, (q, u), out, threads, static=("normalised", normalised))

    def mass_root_transposed_product(
        self,
        q: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        normalised: bool = True,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Wᵀ u (..., nv), in O(n): of a velocity, the quasi-velocity ν with ½ |ν|² the kinetic energy.

        With `normalised=False`, Nᵀ u.

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_transposed_product([0.1] * 7, [1.0] * 7).shape
        (7,)
        """
        static = ("normalised", normalised)
        return self._run(algorithms.mass_root_transposed_product, (q, u), out, threads, static=static)

    def mass_root_transposed_solve(
        self,
        q: npt.ArrayLike,
        u: npt.ArrayLike,
        *,
        normalised: bool = True,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """W⁻ᵀ u (..., nv), in O(n): the velocity of a quasi-velocity; N⁻ᵀ u with `normalised=False`.

        u ~ N(0, 1) gives draws from N(0, M⁻¹).

        >>> import kinetrace as kt
        >>> kt.load("panda").mass_root_transposed_solve([0.1] * 7, [1.0] * 7).shape
        (7,)
        """
        return self._run(algorithms.mass_root_transposed_solve, (q, u), out, threads, static=("normalised", normalised))

    def operational_compliance(
        self, q: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """J M⁻¹ Jᵀ (..., 6, 6): the acceleration of a frame by a wrench on it, in its axes; O(n).

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_compliance([0.1] * 7, "panda_hand").shape
        (6, 6)
        """
        return self._run(algorithms.operational_compliance, (q,), out, threads, static=("frame", frame))

    def dynamically_consistent_inverse(
        self, q: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """J̄ = M⁻¹ Jᵀ Λ (..., nv, 6), the inverse of J with the least kinetic energy.

        >>> import kinetrace as kt
        >>> kt.load("panda").dynamically_consistent_inverse([0.1] * 7, "panda_hand").shape
        (7, 6)
        """
        return self._run(algorithms.dynamically_consistent_inverse, (q,), out, threads, static=("frame", frame))

    def operational_bias(
        self, q: npt.ArrayLike, v: npt.ArrayLike, frame: str, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """The wrench (..., 6) on a frame, in it, that keeps its velocity while the joints carry no force.

        >>> import kinetrace as kt
        >>> kt.load("panda").operational_bias([0.1] * 7, [0.2] * 7, "panda_hand").shape
        (6,)
        """
        return self._run(algorithms.operational_bias, (q, v), out, threads, static=("frame", frame))

    # -- in quasi-velocities, with the identity for a mass matrix -----------------------------------------------

    def diagonal_coriolis(
        self,
        q: npt.ArrayLike,
        nu: npt.ArrayLike,
        *,
        normalised: bool = True,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """C(q, ν) (..., nv) of ν̇ + C = ε, in O(n), for ν = `mass_root_transposed_product(q, v)`; ν · C = 0.

        With `normalised=False`, C(q, ξ) of Ω ξ̇ + C = κ. Not for robots with mimic joints.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").diagonal_coriolis([1.0, 1.0], [1.0, 2.0]).round(3)
        array([-3.723,  1.861])
        """
        return self._run(algorithms.diagonal_coriolis, (q, nu), out, threads, static=("normalised", normalised))

    def diagonal_dynamics(
        self,
        q: npt.ArrayLike,
        nu: npt.ArrayLike,
        tau: npt.ArrayLike,
        *,
        normalised: bool = True,
        wrench: Mapping[str, npt.ArrayLike] | None = None,
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """The velocity v and the rate ν̇ (..., nv) of quasi-velocities ν under joint forces tau, gravity and wrenches.

        In O(n). With `normalised=False` they are v and ξ̇ of ξ.

        >>> import kinetrace as kt
        >>> v, rate = kt.load("planar2r").diagonal_dynamics([1.0, 1.0], [1.0, 2.0], [0.0, 0.0])
        >>> rate.shape
        (2,)
        """
        static = ("normalised", normalised)
        return self._run_with(algorithms.diagonal_dynamics, (q, nu, tau), {"wrench": wrench}, out, threads, static)

    def diagonal_step(
        self,
        q: npt.ArrayLike,
        nu: npt.ArrayLike,
        tau: npt.ArrayLike,
        dt: npt.ArrayLike,
        *,
        method: str = "semi-implicit",
        out: Any = None,
        threads: int | None = None,
    ) -> tuple[Float, Float]:
        """q (..., nq) and the quasi-velocity ν (..., nv) after the time dt (...) [s], under constant joint forces tau.

        `method` is "semi-implicit", "euler" or "rk4", as in `step`.

        >>> import kinetrace as kt
        >>> q, nu = kt.load("planar2r").diagonal_step([0.0, 0.0], [1.0, 2.0], [0.0, 0.0], 0.01, method="rk4")
        >>> q.shape, nu.shape
        ((2,), (2,))
        """
        return self._run(algorithms.diagonal_step, (q, nu, tau, dt), out, threads, (("dt", ()),), ("method", method))

    # -- linear in the inertial parameters ---------------------------------------------------------------------

    def parameter_names(self, *, friction: bool = False, rotor: bool = False) -> tuple[str, ...]:
        """The names of the columns of `regressor`: ten a body, then those of joints.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").parameter_names(rotor=True)[-3:]
        ('link2.Izz', 'joint1.rotor', 'joint2.rotor')
        """
        return parameter_names(self.model, friction=plain_flag("friction", friction), rotor=plain_flag("rotor", rotor))

    def regressor(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        friction: bool = False,
        rotor: bool = False,
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """Y (..., nv, p) with Y π the joint forces, π ten parameters a body: m, h, Ixx, Ixy, Ixz, Iyy, Iyz, Izz.

        `friction` appends viscous and Coulomb friction, `rotor` the inertia of rotors, one column a velocity each.

        >>> import kinetrace as kt
        >>> kt.load("panda").regressor([0.1] * 7, [0.2] * 7, [0.3] * 7, friction=True).shape
        (7, 84)
        """
        static = ("friction", friction, "rotor", rotor)
        return self._run(algorithms.regressor, (q, v, a), out, threads, static=static)

    def coriolis_regressor(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        u: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        form: str = "christoffel",
        out: Any = None,
        threads: int | None = None,
    ) -> Float:
        """The matrix (..., nv, 10 nb) of M(q) a + C(q, v) u + gravity in the parameters: Slotine and Li's.

        >>> import kinetrace as kt
        >>> kt.load("panda").coriolis_regressor([0.1] * 7, [0.2] * 7, [0.3] * 7, [0.4] * 7).shape
        (7, 70)
        """
        return self._run(algorithms.coriolis_regressor, (q, v, u, a), out, threads, static=("form", form))

    def energy_regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """The matrix (..., 2, 10 nb) of kinetic and potential energy in the parameters.

        >>> import kinetrace as kt
        >>> kt.load("panda").energy_regressor([0.1] * 7, [0.2] * 7).shape
        (2, 70)
        """
        return self._run(algorithms.energy_regressor, (q, v), out, threads)

    def momentum_regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, out: Any = None, threads: int | None = None
    ) -> Float:
        """The matrix (..., 6, 10 nb) of `momentum` in the parameters.

        >>> import kinetrace as kt
        >>> kt.load("panda").momentum_regressor([0.1] * 7, [0.2] * 7).shape
        (6, 70)
        """
        return self._run(algorithms.momentum_regressor, (q, v), out, threads)

    # -- the machine -------------------------------------------------------------------------------------------

    @overload
    def count(
        self,
        algorithm: str | Callable[..., Any],
        *,
        by: None = ...,
        general: bool = ...,
        inputs: str | Sequence[str] = ...,
        shapes: Mapping[str, Any] | None = ...,
        **static: Any,
    ) -> OpCount: ...

    @overload
    def count(
        self,
        algorithm: str | Callable[..., Any],
        *,
        by: Literal["stage"],
        general: bool = ...,
        inputs: str | Sequence[str] = ...,
        shapes: Mapping[str, Any] | None = ...,
        **static: Any,
    ) -> dict[Stage, OpCount]: ...

    def count(
        self,
        algorithm: str | Callable[..., Any],
        *,
        by: Literal["stage"] | None = None,
        general: bool = False,
        inputs: str | Sequence[str] = (),
        shapes: Mapping[str, Any] | None = None,
        **static: Any,
    ) -> OpCount | dict[Stage, OpCount]:
        """Scalar operations of an algorithm, traced for this robot: what one state costs.

        The algorithm is named, or is any function of (model, q, ...), with keywords as in `compile`. With by="stage",
        each statement of the algorithm has its own count, in the order in which they begin; they add up to the total.
        `general` counts on a robot of the same joints with arbitrary twists, offsets and inertias, where nothing
        vanishes: see `model.generalised`.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.count("inverse_dynamics").div
        0
        >>> for stage, count in robot.count("mass_pivots", by="stage").items():
        ...     print(stage, "|", count)
        articulated_body: X, S | 0 mul, 0 add, 0 div, 0 sqrt, 1 trig
        articulated_body: return | 2 mul, 1 add, 0 div, 0 sqrt, 0 trig
        articulated_body: P | 0 mul, 1 add, 0 div, 0 sqrt, 0 trig
        """
        function: Any = algorithm
        general = plain_flag("general", general)
        if isinstance(algorithm, str):
            if algorithm not in algorithms.__all__:
                raise unknown("algorithm", algorithm, algorithms.__all__)
            geometry.check_traced(algorithm, self.nv)
            function = getattr(algorithms, algorithm)
        traced = partial(program, function, generalised(self.model) if general else self, static)
        if by is None:
            return traced(inputs=inputs, shapes=shapes).count()
        if by != "stage":
            raise unknown("by", by, ("stage",))
        recorder = Recorder([str(Path(algorithms.__file__).parent), *_file(function)])
        return recorder.count(traced(inputs=inputs, shapes=shapes, graph=recorder))

    def kernel(
        self,
        function: Callable[..., Any],
        *,
        inputs: str | Sequence[str] = (),
        shapes: Mapping[str, Any] | None = None,
        **static: Any,
    ) -> Kernel:
        """The compiled kernel of a function of this robot (see `compile`), made on first use.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel(kt.algorithms.pose, frame="tip").program.signature
        '(2)->(4,4)'
        """
        chosen, sizes = checked_inputs(inputs), checked_shapes(shapes)
        choices = tuple(x for name, value in static.items() for x in (name, _told_apart(value)))
        key = (function, _frozen(sizes), choices, *([chosen] if chosen else []))  # without inputs, that of `_run`
        make = partial(compile, function, self, inputs=chosen, shapes=sizes, **self._settings, **static)
        if not is_hashable(key):  # a choice that is a list or an array
            return make()
        if key not in self._kernels:
            self._kernels[key] = make()
        return self._kernels[key]

    def _exact(self) -> Robot:
        """This robot in float64: for what needs more digits than float32 has."""
        settings = {**self._settings, "dtype": "float64"}
        return self if settings == self._settings else Robot(self.model, **settings, dynamics_model=self.dynamics_model)

    def _run_with(
        self,
        function: Callable[..., Any],
        arrays: tuple[Any, ...],
        optional: dict[str, Any],
        out: Any,
        threads: int | None,
        static: tuple[Any, ...] = (),
    ) -> Any:
        """Call a function of six-vectors that may be there or not, and of wrenches by frame names."""
        shapes: list[Any] = []
        for name, value in optional.items():
            if value is None:
                continue
            if name == "wrench":
                if not isinstance(value, Mapping):
                    kind = type(value).__name__
                    raise InputError(f"wrench must map frame names to arrays (..., 6), got {kind}")
                arrays = (*arrays, *value.values())
                shapes += [(name, tuple((frame, (6,)) for frame in value))] if value else []
            else:
                arrays = (*arrays, value)
                shapes.append((name, (6,)))
        return self._run(function, arrays, out, threads, tuple(shapes), static)

    def _run(
        self,
        function: Callable[..., Any],
        arrays: tuple[Any, ...],
        out: Any,
        threads: int | None,
        shapes: tuple[Any, ...] = (),
        static: tuple[Any, ...] = (),
    ) -> Any:
        """Call the kernel of a function; `shapes` are pairs, `static` names and values in turn: quick to look up."""
        if not _CHOICES.issuperset(map(type, static)):  # 1 would be found as True is, since they are equal
            static = tuple(x for pair in checked_static(function, _pairs(static)).items() for x in pair)
        key = (function, shapes, static)
        try:
            kernel = self._kernels.get(key)
        except TypeError:  # not hashable
            name, value = next((name, x) for name, x in _pairs(static).items() if not is_hashable(x))
            raise InputError(f"{name} must be a name (text), got {type(value).__name__}") from None
        if kernel is None:
            kernel = self._kernels[key] = compile(
                function, self, shapes=_thawed(shapes), **self._settings, **_pairs(static)
            )
        if out is not None or threads is not None:
            return kernel(*arrays, out=out, threads=threads)
        if not kernel.seen_single and kernel.is_single(arrays):
            self._shorten(function.__name__, kernel, static)
        return kernel.call(*arrays)

    def _shorten(self, name: str, kernel: Kernel, static: tuple[Any, ...]) -> None:
        """Put the compiled code for one state before a method: it answers its own calls, and hands on all others.

        The method must be ours, and take the kernel's arrays first, then the choices in `static`.
        """
        kernel._set(seen_single=True)
        method = getattr(Robot, name, None)
        if not kernel.has_short_path or method is None or getattr(type(self), name) is not method:
            return
        _, *parameters = inspect.signature(method).parameters.values()
        arrays, choices = [a.name for a in kernel.program.inputs], _pairs(static)
        names, known = [*arrays, *choices], {p.name: p for p in parameters}
        if any(p.name not in names and p.default is p.empty for p in parameters) or not known.keys() >= set(names):
            return
        taken = [known[key] for key in names]
        free = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
        call = Call(
            tuple(names),
            positional=next((k for k, p in enumerate(taken) if free[k : k + 1] != [p.name]), len(taken)),
            least=max(k for k, p in enumerate(taken, 1) if k <= len(arrays) or p.default is not choices[p.name]),
            choices=tuple(choices.values()),
            origin=self._origin(),
        )
        before = self.__dict__.get(name) or partial(_method, weakref.ref(self), call.origin, name)
        if self._depth[name] < MOST_SHORT:
            self._depth[name] += 1
            plain = inspect.Signature([p.replace(annotation=p.empty) for p in parameters])
            doc = f"{name}{plain}\n--\n\n{method.__doc__}"  # in CPython's way to say what a function of C takes
            self.__dict__[name] = kernel.single(before, name, doc, call)


def _method(robot: weakref.ref[Robot], origin: tuple[Any, ...], name: str, *args: Any, **named: Any) -> Any:
    """A method of a robot that may be gone; what holds this must not hold the robot, which holds it."""
    make, given = origin
    return getattr(Robot, name)(robot() or make(*given), *args, **named)


def _pairs(static: tuple[Any, ...]) -> dict[str, Any]:
    """Names and values, which take turns."""
    return dict(zip(static[::2], static[1::2], strict=True))


def _file(function: Any) -> list[str]:
    """The file in which a function is written, where that is known."""
    inner = getattr(function, "func", function)
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return [] if code is None else [code.co_filename]


def _told_apart(choice: Any) -> Any:
    """A choice as a part of a key in which 1, 1.0 and True differ, and 0.0 and -0.0; names and flags as they are."""
    if type(choice) in (str, bool, type(None)):
        return choice
    return type(choice), repr(choice) if isinstance(choice, float | complex) else choice


def _frozen(shapes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Shapes as pairs that can be looked up; `_thawed` undoes it."""
    return tuple((name, _frozen(x) if isinstance(x, Mapping) else checked_shape(name, x)) for name, x in shapes.items())


def _thawed(pairs: tuple[Any, ...]) -> dict[str, Any]:
    return {name: _thawed(x) if x and isinstance(x[0], tuple) else x for name, x in pairs}


def _rebuild(model: Model, dynamics_model: Model, dtype: str, backend: str, threads: int | None) -> Robot:
    """A robot that was pickled; the same one for the same model, so that a process compiles for it once."""
    models = (trace_cache.digest(x) or x for x in (model, dynamics_model))
    make = partial(Robot, model, dtype=dtype, backend=backend, threads=threads, dynamics_model=dynamics_model)
    return arrived.shared((Robot, *models, dtype, backend, threads), make)


def _rebuild_subclass(kind: type[Robot], model: Model, dynamics_model: Model, *settings: Any) -> Robot:
    """A robot of a class that may take other arguments, and have attributes of its own: always another one."""
    robot = kind.__new__(kind)
    dtype, backend, threads = settings
    Robot.__init__(robot, model, dtype=dtype, backend=backend, threads=threads, dynamics_model=dynamics_model)
    return robot
