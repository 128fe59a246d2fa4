"""From a call of a method to the kernel that evaluates it.

A method of `Robot` is a signature and a docstring: `compiled` makes it call the kernels of an algorithm. On the first
call a `Dispatcher` replaces the method in the robot: it finds the kernel for the given choices (a frame, a form) and
arrays, and calls it. On the first call with a single state, compiled code replaces the dispatcher: it evaluates single
states for all choices seen so far, and passes other calls to the dispatcher.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from ..algorithms.registry.declaration import attach
from ..algorithms.registry.signature import Algorithm, ArgumentRules
from ..engine.runtime import fastcall
from ..engine.runtime.kernel import Kernel
from ..errors import InputError, ShapeError, is_hashable, nearest
from ..model.arguments import ARGUMENTS, MAPPINGS, MAPS, with_size_hint
from ..model.parameters import PARAMETERS
from ..support.threads import lock
from .settings import RobotSettings

F = TypeVar("F", bound=Callable[..., Any])


class AlgorithmKernels:
    """All kernels of one function of one robot: (choices, shapes, inputs, whether it is compact) → kernel."""

    def __init__(self, settings: RobotSettings, algorithm: Algorithm) -> None:
        self._settings, self._algorithm = settings, algorithm
        self._kernels: dict[Any, Kernel] = {}

    def find(
        self,
        choices: Mapping[str, Any],
        shapes: Mapping[str, Any],
        inputs: tuple[str, ...] = (),
        compact: bool = False,
    ) -> Kernel:
        """The kernel, made on first use, of canonical choices by name and `shapes` of further arrays.

        All threads get the same one, though several may make it.
        """
        key = (tuple((name, _distinct(x)) for name, x in choices.items()), _frozen(shapes), inputs, compact)
        if not is_hashable(key):  # a choice that is a list or an array
            return self._settings.compile(self._algorithm, choices, shapes, inputs, compact)
        kernel = self._kernels.get(key)
        if kernel is None:
            new = self._settings.compile(self._algorithm, choices, shapes, inputs, compact)
            kernel = self._kernels.setdefault(key, new)
        return kernel


def explain(
    algorithm: Algorithm, given: tuple[Any, ...], named: Mapping[str, Any], takes: Mapping[str, Any] | None = None
) -> None:
    """Python's own error for arguments that are not those of the method, and what it takes: all unless given."""
    method, parameters = algorithm.method, algorithm.arguments
    assert method is not None
    try:
        method(None, *given, **named)
    except TypeError as error:
        from ..errors.other_libraries import EXTRA_ARGUMENT_ADVICE, KEYWORDS  # late: errors alone need it

        wrong = next((x for x in named if x not in algorithm.signature.parameters), "")
        meant = KEYWORDS.get(wrong) or "".join(nearest(wrong, parameters)[:1])
        hint = f"; did you mean {meant!r}?" if wrong and meant in parameters else "."
        hint = f"; {meant[1:]}." if meant.startswith("!") else hint
        if algorithm.name in EXTRA_ARGUMENT_ADVICE and len(given) > len(algorithm.arrays):
            hint = f"; {EXTRA_ARGUMENT_ADVICE[algorithm.name]}."
        raise TypeError(f"{error}{hint} It takes {', '.join(takes or algorithm.signature.parameters)}") from None


def unknown_argument(algorithm: Algorithm, name: str) -> TypeError:
    """The error for an argument by a name that is neither the method's nor of a parameter of the model."""
    near = nearest(name, (*algorithm.arguments, *PARAMETERS))
    text = f"{algorithm.name}() got an unexpected keyword argument {name!r}"
    hint = f"; did you mean {near[0]!r}?" if near else "."
    own, of_robot = ", ".join(algorithm.arguments), ", ".join(PARAMETERS)
    return TypeError(f"{text}{hint} It takes {own}, and by name parameters of the robot: {of_robot}")


def compiled_call(algorithm: Algorithm, arrays: tuple[str, ...], origin: tuple[Any, ...]) -> fastcall.Call | None:
    """How compiled code is called with these arrays and all choices; None if they are not the method's own."""
    names, positional = (*arrays, *algorithm.defaults), algorithm.positional
    if len(algorithm.defaults) > fastcall.MOST_CHOICES or not algorithm.arguments.keys() >= set(names):
        return None
    fixed = [k for k, x in enumerate(names) if positional[k : k + 1] != (x,)]
    needed = [k for k, x in enumerate(names, 1) if k <= len(arrays) or x in algorithm.required]
    defaults = tuple(algorithm.defaults.values())
    return fastcall.Call(names, min(fixed, default=len(names)), max(needed), defaults, origin)


def compiled(
    function: Callable[..., Any],
    *,
    velocities: tuple[str, ...] = ("v",),
    open_loops: bool = False,
    any_length: bool = False,
) -> Callable[[F], F]:
    """Evaluate calls of a method, which has no body of its own, by the kernels of a function of the model.

    The keywords are those of `ArgumentRules`.
    """

    def make(stub: F) -> F:
        stub.__qualname__ = f"Robot.{stub.__name__}"  # for messages
        algorithm = attach(function, stub, ArgumentRules(velocities, open_loops, any_length))

        @wraps(stub)
        def call(self: Any, *given: Any, **named: Any) -> Any:
            return self._dispatcher(algorithm)(*given, **named)

        vars(call)["algorithm"] = algorithm
        return cast(F, call)

    return make


def _advice(x: Any) -> str:
    """Remedy for a function in the place of numbers."""
    return ": call it for a state; simulate and rollout take functions of (t, q, v)" if callable(x) else ""


WORLD = "world"
"""The argument that makes a robot in a world step instead."""
UNKNOWN = object()
"""Stands for the numbers of an array that has none yet: while a framework traces a function."""


class Dispatcher(AlgorithmKernels):
    """One method of one robot: it finds the kernel for a call, and calls it.

    It holds no strong reference to the robot, which holds it; `origin` rebuilds the robot in another process.
    """

    def __init__(
        self, settings: RobotSettings, algorithm: Algorithm, robot: weakref.ref[Any], origin: tuple[Any, ...]
    ) -> None:
        super().__init__(settings, algorithm)
        self._robot, self._origin, self._count = robot, origin, len(algorithm.arrays)
        self._arrays = frozenset((*algorithm.arrays, *algorithm.further))
        self._by_choices: dict[Any, Kernel] = {}
        """Choices as given after the arrays → kernel."""
        self._plans: dict[Any, tuple[list[str], Kernel]] = {}
        """Structure of a call with arrays by name → their names in the kernel's order, and the kernel."""
        self._chosen: dict[Kernel, dict[str, Any]] = {}
        """Kernel → all its choices."""
        self._tables: dict[Any, fastcall.ChoiceTable] = {}
        """Input and output arrays → the choices for which there is compiled code."""
        self._installed: set[Kernel] = set()
        self.__name__, self.__doc__ = algorithm.name, getattr(algorithm.method, "__doc__", None)
        self.__signature__ = algorithm.signature

    def __call__(self, *given: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        """Evaluate the method."""
        if named.get(WORLD) is not None and WORLD in self._algorithm.arguments:
            return self._in_world(given, {**named, "out": out, "threads": threads})
        if named and not self._arrays.isdisjoint(named):
            given, kernel = self._by_structure(given, named)
        else:
            key: Any = ()
            if named or len(given) > self._count:
                key = (len(given), *given[self._count :], *named.items())
                if self._algorithm.distinguishes_types:
                    key = (*key, *_kinds((*given[self._count :], *named.values())))
            try:
                found = self._by_choices[key] if len(given) >= self._count else None
            except (KeyError, TypeError):
                found = None
            # Outside of `except`, so that its errors have no context.
            kernel = self._resolved(given, named)[1] if found is None else found
            if found is None and is_hashable(key):
                self._by_choices[key] = kernel
            given = given[: self._count]
        try:
            if threads is None:
                if kernel in self._installed:
                    return kernel.call(*given) if out is None else kernel.call(*given, out=out)
                if kernel.is_single(given):
                    return self._first_single(kernel, given, out)
            return kernel.batch(*given, out=out, threads=threads)
        except ShapeError as error:
            raise with_size_hint(self._settings.model, error) from None

    def _in_world(self, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The method of the robot in a world, which is one of another robot."""
        robot = self._robot()
        make, arguments = self._origin
        robot = make(*arguments) if robot is None else robot
        values, others = {**dict(zip(self._algorithm.positional, given, strict=False)), **named}, ("out", "threads")
        values = {x: y for x, y in values.items() if x not in others or y is not None}
        return robot._step_in_world(values.pop(WORLD), **values)

    def resolve(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Kernel]:
        """The arrays in the order of the kernel, of whatever kind they are, and the kernel for a call.

        Parameters of the model may be given by name: the kernel takes them as arrays.
        """
        own, inputs = self._apart(named)
        try:
            if not inputs:
                return self._by_structure(given, own)
            arrays, kernel = self._resolved(given, own, tuple(inputs))
        except TypeError:
            explain(self._algorithm, given, own, self._algorithm.arguments)
            raise
        return (*arrays, *inputs.values()), kernel

    def check(self, given: tuple[Any, ...], named: dict[str, Any], numbers: Callable[[Any], Any]) -> None:
        """Check the arrays of a call, if the robot checks; `numbers` makes NumPy's of them, or `UNKNOWN`."""

    def _apart(self, named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments of the method, and those that are parameters of the model; an error for others."""
        if named.keys() <= self._algorithm.arguments.keys():
            return named, {}
        for name in named:
            if name not in self._algorithm.arguments and name not in PARAMETERS:
                raise unknown_argument(self._algorithm, name)
        own = {x: y for x, y in named.items() if x in self._algorithm.arguments}
        return own, {x: y for x, y in named.items() if x not in own}

    def _by_structure(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], Kernel]:
        """The arrays in order, and the kernel, for a call with arrays by name; cached by the structure of the call."""
        parts: list[Any] = [len(given), *map(_distinct, given[self._count :])]
        for name, x in named.items():
            if name not in self._arrays:
                parts.append((name, _distinct(x)))
            elif x is not None or name in self._algorithm.arrays:  # which the kernel refuses if they are None
                parts.append((name, *x) if name in MAPPINGS and (type(x) is dict or isinstance(x, Mapping)) else name)
        key = tuple(parts)
        try:
            plan = self._plans[key]
        except (KeyError, TypeError):
            plan = None
        if plan is None:
            arrays, kernel = self._resolved(given, named)
            further = [x for x in self._algorithm.further if named.get(x) is not None]
            if is_hashable(key):
                self._plans[key] = [*self._algorithm.arrays[len(given) :], *further], kernel
            return arrays, kernel
        names, kernel = plan
        by_name: list[Any] = []
        for name in names:
            by_name += named[name].values() if name in MAPPINGS else (named[name],)
        return (*given[: self._count], *by_name), kernel

    def _resolved(
        self, given: tuple[Any, ...], named: dict[str, Any], inputs: tuple[str, ...] = ()
    ) -> tuple[tuple[Any, ...], Kernel]:
        """The same from the arguments themselves."""
        values = self._bound(given, named)
        arrays, shapes = [values[name] for name in self._algorithm.arrays], dict[str, Any]()
        for name in (x for x in self._algorithm.further if values.get(x) is not None):
            shape = self._further(name, values[name], arrays)
            shapes |= {} if shape == {} else {name: shape}
        choices = self._algorithm.canonical({name: values[name] for name in self._algorithm.choices if name in values})
        for name, x in choices.items():
            if not is_hashable(x):
                order = f"{self._algorithm.name}({', '.join(self._algorithm.positional)})"
                one = "one at a time" if isinstance(x, list) else f"the order is {order}"
                one = "a tuple of names or whole numbers is valid too" if isinstance(x, slice) else one
                raise InputError(f"{name} must be a name (text), got {type(x).__name__}; {one}")
        kernel = self.find(choices, shapes, inputs)
        self._chosen.setdefault(kernel, {**self._algorithm.defaults, **choices})
        return tuple(arrays), kernel

    def _further(self, name: str, value: Any, arrays: list[Any]) -> Any:
        """The shape of an optional array argument; its arrays are appended to `arrays`."""
        if name not in MAPPINGS:
            arrays.append(value)
            return ARGUMENTS[name].shape(self._settings.model)
        of = MAPS[name]
        if not isinstance(value, Mapping):
            raise InputError(f"{name} must map {of}, got {type(value).__name__}{_advice(value)}")
        for key, x in value.items():
            if callable(x) and not hasattr(x, "dtype"):
                raise InputError(f"{name} must map {of}; {name}[{key!r}] is of type {type(x).__name__}{_advice(x)}")
        arrays += value.values()
        return {key: MAPPINGS[name](self._settings.model, key) for key in value}

    def _bound(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name; Python's own error if they are not those of the method."""
        values = dict(zip(self._algorithm.positional, given, strict=False))
        twice, names = values.keys() & named.keys(), values.keys() | named.keys()
        known = names <= self._algorithm.arguments.keys() and self._algorithm.required <= names
        if twice or not known or len(given) > len(self._algorithm.positional):
            explain(self._algorithm, given, named)
        return {**values, **named}

    def _first_single(self, kernel: Kernel, given: tuple[Any, ...], out: Any) -> Any:
        """The first call with a single state: compiled code replaces the method from the next call on."""
        robot, program = self._robot(), kernel.program
        call = compiled_call(self._algorithm, tuple(a.name for a in program.inputs), self._origin)
        if robot is None or call is None or self._algorithm.name not in vars(robot):
            self._installed.add(kernel)  # a subclass has a method of that name; or there are wrenches
            return kernel.call(*given, out=out)
        fast = self._install(kernel, robot, call)
        arrays = {a.name: x for a, x in zip(program.inputs, given, strict=True)}
        return fast(**arrays, **self._chosen[kernel], out=out)

    def _install(self, kernel: Kernel, robot: Any, call: fastcall.Call) -> Callable[..., Any]:
        """The compiled code of a method, with this kernel added; it passes other calls to the dispatcher."""
        code, chosen = kernel.single(), tuple(self._chosen[kernel].values())
        arrays, name = (kernel.program.inputs, kernel.program.outputs), self._algorithm.name
        with lock:
            if kernel in self._installed:  # by another thread meanwhile
                return cast(Callable[..., Any], vars(robot)[name])
            if arrays in self._tables:
                self._tables[arrays].add(chosen, code)
            else:
                table = self._tables[arrays] = fastcall.ChoiceTable(len(chosen))
                table.add(chosen, code)
                doc = f"{name}{self._algorithm.signature}\n--\n\n{self.__doc__}"  # CPython shows the first line as such
                vars(robot)[name] = fastcall.wrap(code, kernel.dtype, vars(robot)[name], table, call, name, doc)
            self._installed.add(kernel)
        return cast(Callable[..., Any], vars(robot)[name])

    def __reduce__(self) -> Any:
        make, arguments = self._origin
        return _method_of, (make, arguments, self._algorithm.name)

    def __get__(self, instance: Any, owner: Any = None) -> Dispatcher:
        """Itself: with `__get__`, inspection takes it for a routine and shows its signature and docstring."""
        return self


def _method_of(make: Callable[..., Any], arguments: tuple[Any, ...], name: str) -> Any:
    return getattr(make(*arguments), name)


def _distinct(choice: Any) -> Any:
    """A choice as a part of a key in which 1, 1.0 and True differ, and 0.0 and -0.0; names and flags as they are."""
    if type(choice) in (str, bool, type(None)):
        return choice
    if isinstance(choice, tuple):
        return type(choice), *map(_distinct, choice)
    return type(choice), repr(choice) if isinstance(choice, float | complex | np.inexact) else choice


def _kinds(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Key that equal choices share, as of `_distinct`, in less time: their types, where these suffice."""
    kinds = tuple(map(type, choices))
    if _PLAIN.issuperset(kinds):
        return kinds
    return tuple([_kinds(x) if type(x) is tuple else _distinct(x) for x in choices])


_PLAIN = frozenset((str, bool, int, type(None)))


def _frozen(shapes: Mapping[str, Any]) -> tuple[Any, ...]:
    """Shapes as pairs that can be looked up."""
    return tuple((name, _frozen(x) if isinstance(x, Mapping) else x) for name, x in shapes.items())
