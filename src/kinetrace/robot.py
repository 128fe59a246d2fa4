"""`Robot`: a model with its compiled functions, the face most users see; and `compile`, the machine behind it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import algorithms
from .codegen.kernel import Kernel, check_settings, check_threads
from .errors import InputError, unknown
from .model.model import Limits, Model
from .trace import OpCount, trace

Float = npt.NDArray[np.floating[Any]]


def compile(
    function: Callable[..., Any],
    robot: Robot | Model,
    *,
    shapes: Mapping[str, Any] | None = None,
    dtype: npt.DTypeLike = "float64",
    backend: str = "llvm",
    threads: int | None = None,
    **static: Any,
) -> Kernel:
    """Compile a function of (model, q, ...) for one robot.

    The function is run once on symbols, so it must be plain array code: no branching on values, no assignment into
    arrays; `kinetrace.arrays` has the functions that NumPy lacks for symbols. Arguments called q, v, a and tau
    have the robot's sizes; `shapes` gives the shape of any other, without batch axes. Further keywords are handed
    to the function as they are.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("panda")
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="panda_hand")[2, 3]
    >>> kernel = kt.compile(height, robot)
    >>> kernel(np.zeros((1000, 7))).shape
    (1000,)
    """
    model = _model(robot.model if isinstance(robot, Robot) else robot)
    name = getattr(function, "__name__", "function").replace("<lambda>", "function")
    given = {key: _shape(key, shape) for key, shape in (shapes or {}).items()}
    sizes = {"q": (model.nq,), "v": (model.nv,), "a": (model.nv,), "tau": (model.nv,), **given}
    parameters = list(inspect.signature(function).parameters.values())[1:]
    named = [p.name for p in parameters]
    for key in given:
        if key in static:
            raise InputError(f"argument {key!r} of {name} has both a shape and a value")
        if key not in named:
            raise unknown(f"argument of {name}", key, named)
    wanted: dict[str, Any] = {}
    for p in parameters:
        if p.name in given or (p.default is p.empty and p.name not in static):
            if p.name not in sizes:
                raise InputError(
                    f"the shape of argument {p.name!r} of {name} is not known (known: {', '.join(sizes)}); "
                    f"give it as shapes={{{p.name!r}: (...)}}, or a value as {p.name}=..."
                )
            wanted[p.name] = sizes[p.name]
    program = trace(lambda **inputs: function(model, **inputs, **static), wanted, name=name)
    return Kernel(program, dtype=dtype, backend=backend, threads=threads)


def _shape(name: str, shape: Any) -> Any:
    """A shape as a tuple; a whole number stands for one axis, a mapping for several arrays."""
    if isinstance(shape, Mapping):
        return {key: _shape(f"{name}[{key}]", part) for key, part in shape.items()}
    axes = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in axes):
        raise InputError(f"the shape of {name!r} must be a tuple of whole numbers, got {shape!r}")
    return tuple(map(int, axes))


class Robot:
    """A robot: names, sizes, and functions compiled on first use.

    All functions take arrays with any leading batch axes, which broadcast as NumPy's do: `q (..., nq)`,
    `v, a, tau (..., nv)`. Every function also takes `out`, an array for the result, and `threads`.

    `dtype` is the precision of the compiled functions, `backend` "llvm" (compiled) or "numpy" (interpreted, slow),
    `threads` the number of threads for large batches (None: as many as there are cores).

    >>> import kinetrace as kt
    >>> kt.load("panda")
    Robot('panda', nq=7, nv=7)
    """

    def __init__(
        self,
        model: Model,
        *,
        dtype: npt.DTypeLike = "float64",
        backend: str = "llvm",
        threads: int | None = None,
    ) -> None:
        self.model = _model(model)
        self._settings: dict[str, Any] = {
            "dtype": check_settings(dtype, backend),
            "backend": backend,
            "threads": threads,
        }
        check_threads(threads)
        self._kernels: dict[Any, Kernel] = {}

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, nq={self.nq}, nv={self.nv})"

    def __reduce__(self) -> Any:
        return _rebuild, (self.model, self._settings)

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
        return self.model.random(np.random.default_rng(seed), _shape("shape", shape))

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
        return self._run(algorithms.pose, (q,), out, threads, static=(("frame", frame),))

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
        return self._run(
            algorithms.jacobian, (q,), out, threads, static=(("frame", frame), ("expressed_in", expressed_in))
        )

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
            static=(("frame", frame), ("expressed_in", expressed_in)),
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
            static=(("frame", frame), ("expressed_in", expressed_in)),
        )

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
        if base_velocity is None and base_acceleration is None and wrench is None:
            return self._run(algorithms.inverse_dynamics, (q, v, a), out, threads)
        if not isinstance(wrench, Mapping | None):
            raise InputError(f"wrench must map frame names to arrays (..., 6), got {type(wrench).__name__}")
        given: dict[str, Any] = {
            "base_velocity": base_velocity,
            "base_acceleration": base_acceleration,
            "wrench": dict(wrench) if wrench else None,
        }
        arrays: list[Any] = [q, v, a]
        shapes: list[Any] = []
        for name, value in given.items():
            if isinstance(value, dict):
                arrays += value.values()
                shapes.append((name, tuple((frame, (6,)) for frame in value)))
            elif value is not None:
                arrays.append(value)
                shapes.append((name, (6,)))
        return self._run(algorithms.inverse_dynamics, tuple(arrays), out, threads, shapes=tuple(shapes))

    # -- the machine -------------------------------------------------------------------------------------------

    def count(self, algorithm: str, **static: Any) -> OpCount:
        """Scalar operations of an algorithm, traced for this robot: what one state costs.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").count("inverse_dynamics").div
        0
        """
        if algorithm not in algorithms.__all__:
            raise unknown("algorithm", algorithm, algorithms.__all__)
        return compile(getattr(algorithms, algorithm), self, backend="numpy", **static).count()

    def kernel(self, function: Callable[..., Any], *, shapes: Mapping[str, Any] | None = None, **static: Any) -> Kernel:
        """The compiled kernel of a function of this robot (see `compile`), made on first use.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").kernel(kt.algorithms.pose, frame="tip").program.signature
        '(2)->(4,4)'
        """
        key = (function, _frozen(shapes or {}), tuple(static.items()))
        return self._kernels.get(key) or self._make(key)

    def _make(self, key: tuple[Any, ...]) -> Kernel:
        function, shapes, static = key
        made = compile(function, self, shapes=_thawed(shapes), **self._settings, **dict(static))
        self._kernels[key] = made
        return made

    def _run(
        self,
        function: Callable[..., Any],
        arrays: tuple[Any, ...],
        out: Any,
        threads: int | None,
        shapes: tuple[Any, ...] = (),
        static: tuple[Any, ...] = (),
    ) -> Any:
        """Call the kernel of a function; `shapes` and `static` as tuples of pairs, to be quick."""
        key = (function, shapes, static)
        try:
            kernel = self._kernels.get(key)
        except TypeError:  # not hashable
            name, value = next((name, x) for name, x in static if not isinstance(x, Hashable))
            raise InputError(f"{name} must be a name, got {value!r}") from None
        if kernel is None:
            kernel = self._make(key)
        if out is None and threads is None:
            return kernel.call(*arrays)
        return kernel(*arrays, out=out, threads=threads)


def _frozen(shapes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Shapes as pairs that can be looked up; `_thawed` undoes it."""
    return tuple((name, _frozen(x) if isinstance(x, Mapping) else _shape(name, x)) for name, x in shapes.items())


def _thawed(pairs: tuple[Any, ...]) -> dict[str, Any]:
    return {name: _thawed(x) if x and isinstance(x[0], tuple) else x for name, x in pairs}


def _model(model: Any) -> Model:
    if not isinstance(model, Model):
        raise InputError(f"expected a Model, got {model!r}; kinetrace.load makes a Robot of a name or a file")
    return model


def _rebuild(model: Model, settings: dict[str, Any]) -> Robot:
    return Robot(model, **settings)
