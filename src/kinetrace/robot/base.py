"""What all methods of a robot rely on: names, sizes, and the kernels of its functions."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from .. import algorithms
from ..algorithms.declaration import ALGORITHMS
from ..codegen.runtime.kernel import Kernel
from ..compilation.compile import model_of
from ..compilation.program import checked_inputs, checked_shape, checked_shapes, program
from ..errors import InputError, is_hashable, lookup, unknown
from ..model import generalised
from ..model.body import Limits
from ..model.model import Model
from ..support.plain import plain_flag, plain_rng
from ..trace import Graph, OpCount, Recorder, Stage
from .dispatch import METHODS, Dispatcher, Kernels, Method
from .source import Source
from .types import Float


class RobotBase(ABC):
    """Names, sizes, and the kernels of any function."""

    _source: Source
    _kernels: dict[Any, Kernels]

    @property
    def model(self) -> Model:
        """The robot as data."""
        return self._source.model

    @property
    def dynamics_model(self) -> Model:
        """A model with the same joint forces, on which joint-space dynamics run: see `optimise`."""
        return self._source.dynamics_model

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

    def neutral(self) -> Float:
        """The configuration (nq,) with every joint at its zero.

        >>> import kinetrace as kt
        >>> kt.load("planar2r").neutral()
        array([0., 0.])
        """
        return np.asarray(self.model.neutral())

    def random(self, shape: int | tuple[int, ...] = (), seed: int | np.random.Generator | None = None) -> Float:
        """Configurations (*shape, nq) within the joint limits; the same ones for the same seed.

        >>> import kinetrace as kt
        >>> kt.load("panda").random(100, seed=1).shape
        (100, 7)
        """
        return np.asarray(self.model.random(plain_rng(seed), checked_shape("shape", shape)))

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
        general, function = plain_flag("general", general), self._function(algorithm)
        names, sizes = checked_inputs(inputs), checked_shapes(shapes)
        given = {**static, **sizes, **dict.fromkeys(names)}
        model = generalised(self.model) if general else model_of(self._source, function, given)
        if by is None:
            return program(function, model, static, inputs=names, shapes=sizes, graph=Graph(in_any_order=True)).count()
        if by != "stage":
            raise unknown("by", by, ("stage",))
        recorder = Recorder([str(Path(algorithms.__file__).parent), *_file(function)])
        return recorder.count(program(function, model, static, inputs=names, shapes=sizes, graph=recorder))

    def kernel(
        self,
        algorithm: str | Callable[..., Any],
        *,
        inputs: str | Sequence[str] = (),
        shapes: Mapping[str, Any] | None = None,
        compact: bool = False,
        **static: Any,
    ) -> Kernel:
        """The compiled kernel of an algorithm by name, or of any function of (model, q, ...); made on first use.

        Keywords are those of `compile`; its settings (dtype, backend, threads) are the robot's.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.kernel("pose", frame="tip").program.signature
        '(2)->(4,4)'
        >>> robot.kernel("pose", frame="tip") is robot.kernel(kt.algorithms.pose, frame="tip")
        True
        >>> robot.kernel("pose", frame="tip", compact=True).program.signature
        '(2)->(5)'
        """
        for name in static.keys() & self._source.settings.keys():
            raise InputError(f"{name} is a setting of the robot: give it to kt.load, kt.Robot or kt.compile")
        kernels = self._kernels_of(self._function(algorithm))
        return kernels.find(static, checked_shapes(shapes), checked_inputs(inputs), plain_flag("compact", compact))

    def _function(self, algorithm: str | Callable[..., Any]) -> Callable[..., Any]:
        """An algorithm by its name, or a function as it is."""
        if not isinstance(algorithm, str):
            return algorithm
        found = lookup("algorithm", algorithm, ALGORITHMS)
        found.check_size(self.nv)
        return found.function

    def _kernels_of(self, function: Callable[..., Any], method: Method | None = None) -> Kernels:
        """All kernels of a function, which may be that of a method; if it cannot be looked up, they are not kept."""
        if not is_hashable(function):
            return Kernels(self._source, function)
        if function not in self._kernels:
            method = method or METHODS.get(function)
            made = (
                Kernels(self._source, function)
                if method is None
                else Dispatcher(self._source, method, weakref.ref(self), self._origin())
            )
            self._kernels.setdefault(function, made)  # another thread's, if that was quicker
        return self._kernels[function]

    def _dispatcher(self, method: Method) -> Kernels:
        """What answers calls of a method; from now on in its place, unless a subclass has another method there."""
        found = self._kernels_of(method.function, method)
        if getattr(type(self), method.name) is method.answers:
            vars(self).setdefault(method.name, found)
        return found

    @abstractmethod
    def _origin(self) -> tuple[Any, ...]:
        """A function and its arguments, which make this robot again."""


def _file(function: Any) -> list[str]:
    """The file in which a function is written, where that is known."""
    inner = getattr(function, "func", function)
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return [] if code is None else [code.co_filename]
