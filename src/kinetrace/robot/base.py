"""Base of `Robot`: names, sizes, and the kernels of its functions."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import Any, Literal, Self, cast, overload

import numpy as np

from .. import algorithms
from ..algorithms.registry.declaration import algorithm_named, algorithm_of
from ..algorithms.registry.signature import Algorithm
from ..engine.compilation.compile import model_of
from ..engine.compilation.program import checked_inputs, checked_shapes, program_of
from ..engine.runtime.kernel import Kernel
from ..engine.trace import Graph, OpCount, Recorder, Stage
from ..errors import InputError, is_hashable, unknown_name_error
from ..model import generalised
from ..model.actuation.records import Keyframe
from ..model.body import Limits
from ..model.model import Model
from ..support.conversion import as_flag, as_rng, as_shape
from ..support.keywords import known_keywords
from .checked_calls import dispatcher_of
from .dispatch import AlgorithmKernels, Dispatcher
from .settings import RobotSettings
from .types import Float


class RobotBase(ABC):
    """Names, sizes, and the kernels of any function."""

    _settings: RobotSettings
    _kernels: dict[Any, AlgorithmKernels]

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Complete the docstrings of the package's own methods."""
        super().__init_subclass__(**keywords)
        if cls.__module__.startswith(__name__.rpartition(".")[0]):
            for method in vars(cls).values():
                complete_docstring(method)

    @property
    def model(self) -> Model:
        """The robot as data."""
        return self._settings.model

    @property
    def dynamics_model(self) -> Model:
        """Model with the same joint forces, on which joint-space dynamics run; see `optimise`."""
        return self._settings.dynamics_model

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.model.name

    @property
    def nq(self) -> int:
        """Number of configuration variables."""
        return self.model.nq

    @property
    def nv(self) -> int:
        """Number of velocities: the size of v, a and tau."""
        return self.model.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that have variables, in their order in q and v."""
        return self.model.joint_names

    @property
    def actuator_names(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of controls."""
        return self.model.actuator_names

    @property
    def keyframes(self) -> Mapping[str, Keyframe]:
        """States with controls that the source of the robot names, by name; see `with_keyframe`.

        >>> kt.load("planar2r").with_keyframe("up", [1.5, 0.0]).keyframes["up"].v
        array([0., 0.])
        """
        return MappingProxyType({keyframe.name: keyframe for keyframe in self.model.keyframes})

    @property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all links and further frames."""
        return tuple(self.model.frames)

    @known_keywords
    def q_slice(self, joint: str) -> slice:
        """Slice of a joint's configuration in q.

        Parameters
        ----------
        joint : str
            Name of a joint; `robot.joint_names` lists them.

        Returns
        -------
        slice
            Entries of q.

        >>> kt.load("quadruped", base="free").q_slice("floating_base")
        slice(0, 7, None)
        """
        return self.model.joint_slices(joint)[0]

    @known_keywords
    def v_slice(self, joint: str) -> slice:
        """Slice of a joint's velocity in v, a and tau.

        Parameters
        ----------
        joint : str
            Name of a joint; `robot.joint_names` lists them.

        Returns
        -------
        slice
            Entries of v, a and tau.

        >>> kt.load("quadruped", base="free").v_slice("floating_base")
        slice(0, 6, None)
        """
        return self.model.joint_slices(joint)[1]

    @property
    def limits(self) -> Limits:
        """Bounds `lower`, `upper` (nq,), `velocity` and `effort` (nv,); infinite where there is none.

        >>> kt.load("ur5e").limits.effort
        array([150., 150., 150.,  28.,  28.,  28.])
        """
        return self.model.limits

    @known_keywords
    def neutral(self) -> Float:
        """Configuration with every joint at its zero, which may be outside its limits; see `home`.

        Returns
        -------
        ndarray, shape (nq,)
            The configuration; quaternions are (1, 0, 0, 0). Closed loops may be open there.

        >>> kt.load("planar2r").neutral()
        array([0., 0.])
        """
        return np.asarray(self.model.neutral())

    @known_keywords
    def random(self, shape: int | tuple[int, ...] = (), seed: int | np.random.Generator | None = None) -> Float:
        """Random configurations within the joint limits, also those of mimic joints.

        Variables are uniform between their limits, or in an interval of length 2π without limits; quaternions are
        uniform over rotations, and positions of free joints within ±1 m. Closed loops are open there; see `assemble`.

        Parameters
        ----------
        shape : int or tuple of int, default ()
            Batch axes.
        seed : int or numpy.random.Generator, optional
            Seed or generator; the same seed gives the same configurations.

        Returns
        -------
        ndarray, shape (*shape, nq)
            Configurations.

        >>> kt.load("planar2r").random(2, seed=1).round(3)
        array([[ 0.074, -2.236],
               [ 2.83 ,  2.819]])
        """
        return np.asarray(self.model.random(as_rng(seed), as_shape("shape", shape)))

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
        """Number of scalar operations of an algorithm for one state of this robot.

        Parameters
        ----------
        algorithm : str or callable
            Name of an algorithm, or any function of (model, q, ...).
        by : {"stage"}, optional
            If given, each statement of the algorithm has its own count, in the order in which they begin; they add up
            to the total.
        general : bool, default False
            Whether to count on a robot of the same joints with arbitrary twists, offsets and inertias, where nothing
            vanishes.
        inputs : str or sequence of str, optional
            Parameters of the model that are arguments, as in `compile`.
        shapes : mapping of str to tuple of int, optional
            Shapes of further arguments, as in `compile`.
        **static
            Choices of the algorithm, such as `frame`.

        Returns
        -------
        OpCount or dict of Stage to OpCount
            The count, or those of the stages.

        >>> robot = kt.load("planar2r")
        >>> print(robot.count("inverse_dynamics"))
        18 mul, 15 add, 0 div, 0 sqrt, 4 trig
        >>> for stage, count in robot.count("mass_pivots", by="stage").items():
        ...     print(stage, "|", count)
        articulated_body: X, S | 0 mul, 0 add, 0 div, 0 sqrt, 1 trig
        articulated_body: return | 2 mul, 1 add, 0 div, 0 sqrt, 0 trig
        articulated_body: P | 0 mul, 1 add, 0 div, 0 sqrt, 0 trig
        """
        meant, names, sizes = self._algorithm(algorithm), checked_inputs(inputs), checked_shapes(shapes)
        choices = meant.canonical(static)
        if as_flag("general", general):
            model = generalised(self.model)
        else:
            model = model_of(self._settings, meant.function, {**choices, **sizes, **dict.fromkeys(names)})
        if by is None:
            return program_of(meant, model, choices, names, sizes, graph=Graph(in_any_order=True)).count()
        if by != "stage":
            raise unknown_name_error("by", by, ("stage",))
        recorder = Recorder([str(Path(algorithms.__file__).parent), *_file(meant.function)])
        return recorder.count(program_of(meant, model, choices, names, sizes, graph=recorder))

    def kernel(
        self,
        algorithm: str | Callable[..., Any],
        *,
        inputs: str | Sequence[str] = (),
        shapes: Mapping[str, Any] | None = None,
        compact: bool = False,
        **static: Any,
    ) -> Kernel:
        """Compiled kernel of an algorithm, or of any function of (model, q, ...); made on first use.

        The robot's `dtype`, `backend` and `threads` apply.

        Parameters
        ----------
        algorithm : str or callable
            Name of an algorithm, or a function.
        inputs : str or sequence of str, optional
            Parameters of the model that the kernel takes as further arrays, as in `compile`.
        shapes : mapping of str to tuple of int, optional
            Shapes of further arguments, as in `compile`.
        compact : bool, default False
            Whether outputs are rows of their distinct entries, as in `compile`.
        **static
            Choices of the algorithm, such as `frame`.

        Returns
        -------
        Kernel
            The kernel; the same one for the same arguments.

        >>> robot = kt.load("planar2r")
        >>> kernel = robot.kernel("pose", frame="tip")
        >>> kernel.program.signature, kernel is robot.kernel(kt.algorithms.pose, frame="tip")
        ('(2)->(4,4)', True)
        >>> robot.kernel("pose", frame="tip", compact=True).program.signature
        '(2)->(5)'
        """
        for name in static.keys() & self._kernel_settings.keys():
            raise InputError(f"{name} is a setting of the robot: give it to kt.load, kt.Robot or kt.compile")
        meant = self._algorithm(algorithm)
        choices, sizes, names = meant.canonical(static), checked_shapes(shapes), checked_inputs(inputs)
        return self._kernels_of(meant).find(choices, sizes, names, as_flag("compact", compact))

    @property
    def _kernel_settings(self) -> Mapping[str, Any]:
        """How its kernels are compiled, as keywords of `compile`."""
        return self._settings._kernel_settings

    def _function(self, algorithm: str | Callable[..., Any]) -> Callable[..., Any]:
        """An algorithm by its name, or a function as it is."""
        return self._algorithm(algorithm).function if isinstance(algorithm, str) else algorithm

    def _algorithm(self, algorithm: str | Callable[..., Any]) -> Algorithm:
        """An algorithm by its name, or what is declared of a function."""
        if not isinstance(algorithm, str):
            return algorithm_of(algorithm)
        named = algorithm_named(algorithm)
        named.check_size(self.nv)
        return named

    def _kernels_of(self, algorithm: Algorithm) -> AlgorithmKernels:
        """All kernels of an algorithm; not cached if its function is not hashable."""
        function, settings = algorithm.function, self._settings
        if not is_hashable(function):
            return AlgorithmKernels(settings, algorithm)
        if function not in self._kernels:
            kernels = (
                AlgorithmKernels(settings, algorithm)
                if algorithm.method is None
                else dispatcher_of(settings)(settings, algorithm, weakref.ref(self), self._origin())
            )
            self._kernels.setdefault(function, kernels)  # those of another thread, if it was first
        return self._kernels[function]

    def _dispatcher(self, algorithm: Algorithm) -> Dispatcher:
        """Dispatcher of a method; it replaces the method in this robot, unless a subclass overrides the method."""
        dispatcher = cast(Dispatcher, self._kernels_of(algorithm))  # of an algorithm with a method
        if getattr(getattr(type(self), algorithm.name), "__wrapped__", None) is algorithm.method:
            vars(self).setdefault(algorithm.name, dispatcher)
        return dispatcher

    @abstractmethod
    def _on_checked(self, q: Any, v: Any = None, *, what: str = "q", limits: bool = True, closed: bool = True) -> Self:
        """This robot; if it checks its arguments, one that does not, after checking q, called `what`, and v."""

    @abstractmethod
    def _unchecked(self) -> Self:
        """The same robot, which does not check its arguments."""

    @abstractmethod
    def _origin(self) -> tuple[Any, ...]:
        """A function and its arguments, which rebuild this robot."""


def complete_docstring(method: Any) -> None:
    """Add to the docstring of a method what all have in common: `out` and `threads`, and the heading of its example.

    >>> import kinetrace as kt
    >>> [x in kt.Robot.gravity.__doc__ for x in ("out, threads : optional", "Examples", ">>> import kinetrace as kt")]
    [True, True, True]
    """
    chain = [method]
    while isinstance(chain[-1], FunctionType) and "__wrapped__" in vars(chain[-1]):
        chain.append(vars(chain[-1])["__wrapped__"])
    function = chain[-1]
    text = function.__doc__ if isinstance(function, FunctionType | property) else None
    if not text or "\n" not in text:  # `python -OO` has none
        return
    margin = "\n" + " " * (len(text) - len(text.rstrip(" ")))  # of Python before 3.13
    code = getattr(function, "__code__", None)
    names = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    returns, example = f"\n{margin}Returns{margin}---", f"\n{margin}>>> "
    if "threads" in names and "threads :" not in text and returns in text:
        results = "Arrays for the results" if function.__annotations__.get("out") == "Outs" else "Array for the result"
        head, about = ("out, threads :", f"{results}; number") if "out" in names else ("threads : int,", "Number")
        entry = f"{head} optional{margin}    {about} of threads for this call, the robot's unless given."
        text = text.replace(returns, f"{margin}{entry}{returns}", 1)
    if example in text and "Examples" not in text:
        lines = ("", "Examples", "--------", ">>> import kinetrace as kt", ">>> ")
        text = text.replace(example, "\n" + margin.join(lines), 1)
    for each in chain:
        each.__doc__ = text


def _file(function: Any) -> list[str]:
    """The source file of a function, if it is known."""
    inner = getattr(function, "func", function)
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return [] if code is None else [code.co_filename]


for _method in vars(RobotBase).values():
    complete_docstring(_method)
