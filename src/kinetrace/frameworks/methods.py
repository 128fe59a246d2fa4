"""The methods of a robot on the arrays of a framework."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..engine.runtime.kernel import Kernel
from ..errors import InputError, ShapeError, name_list, nearest
from ..model.arguments import with_size_hint
from ..robot import Robot as NumPyRobot
from ..robot.common import METHODS, is_checked, method_of, robot_of
from ..robot.dispatch import UNKNOWN

PARAMETERS_DOC = """**parameters
    Parameters of the robot that take the place of its own, by the names of `Robot.parameters`."""
"""Docstring of the parameters that every method takes besides its own arguments."""


class RobotMethods:
    """A robot whose methods take and return arrays of a framework; a subclass says how a kernel is evaluated.

    Parameters of the robot ("inertial", "gravity", ...; see `Robot.parameters`) may be given to any method by name.
    """

    framework: str
    """Its name, for people."""
    public_name: str
    """How people write the class."""
    array: str
    """Name of its arrays in docstrings."""
    robot: NumPyRobot

    def __init_subclass__(cls, **keywords: Any) -> None:
        """The class of a framework gets the methods, so that it shows them; its own subclasses inherit them."""
        super().__init_subclass__(**keywords)
        if RobotMethods in cls.__bases__:
            made = {
                name: _method(cls, name, x.method.__doc__, list(x.arguments.values())) for name, x in METHODS.items()
            }
            for name, each in {"__init__": _init(cls), **made}.items():
                setattr(cls, name, each)

    def __init__(self, robot: NumPyRobot) -> None:
        self.robot = robot_of(robot)
        self._is_checked = is_checked(self.robot)

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        """The results of a kernel for these arrays: the kernel's own, unless a framework has another way."""
        return kernel(*arrays)

    def _numbers(self, x: Any) -> Any:
        """An argument as NumPy takes it, with leading batch axes, or `UNKNOWN` if its numbers are not there yet.

        The numbers of a list are there if those of all its parts are.
        """
        if not isinstance(x, list | tuple):
            return x
        parts = [self._numbers(part) for part in x]
        return UNKNOWN if any(part is UNKNOWN for part in parts) else parts

    def _call(self, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The results of a method for these arguments."""
        arrays, kernel = method_of(self.robot, name).resolve(given, named)
        try:
            return self._evaluate(kernel, arrays)
        except ShapeError as error:
            raise with_size_hint(self.robot.model, error) from None

    def _check(self, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Check the arguments of a robot that does so, where their numbers are there."""
        method_of(self.robot, name).check(given, named, self._numbers)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        near = nearest(name, METHODS)
        hint = f"did you mean {near[0]!r}?" if near else f"Valid: {name_list(sorted(METHODS))}"
        if hasattr(NumPyRobot, name):
            hint = f".robot.{name} is that of the robot" + (", on NumPy" if callable(getattr(NumPyRobot, name)) else "")
        raise AttributeError(f"{_public_name(type(self))} has no method {name!r}; {hint}")

    def __eq__(self, other: object) -> bool:
        """Whether it is of the same robot and framework, with the same settings: traced functions are kept by it."""
        return self is other or (type(other) is type(self) and vars(other) == vars(self))

    def __hash__(self) -> int:
        return hash((type(self), self.robot))

    def __repr__(self) -> str:
        return f"<{self.robot!r} for {self.framework}>"


def _init(cls: type[RobotMethods]) -> Callable[..., None]:
    """The initialiser of the class of a framework, which names keywords that are not its own."""
    init: Callable[..., None] = cls.__init__
    own = list(inspect.signature(init).parameters)[1:]

    @wraps(init)
    def checked(self: RobotMethods, *given: Any, **named: Any) -> None:
        for name in named:
            if name not in own:
                hint = "; only kt.torch.Robot learns parameters" if name in LEARNING_KEYWORDS else ""
                raise InputError(f"unknown keyword of {_public_name(cls)} {name!r}; it takes {', '.join(own)}{hint}")
        init(self, *given, **named)

    return checked


LEARNING_KEYWORDS = ("learn", "physical", "bodies")
"""Keywords of the robots that learn."""


def _method(
    cls: type[RobotMethods], name: str, doc: str | None, arguments: list[inspect.Parameter]
) -> Callable[..., Any]:
    """A method of a robot as one of the class of a framework."""

    def call(self: RobotMethods, *given: Any, **named: Any) -> Any:
        if "out" in named or "threads" in named:
            for each in ("out", "threads"):
                if named.pop(each, None) is not None:
                    raise InputError(f"{name}: {each} is for NumPy arrays; results of {self.framework} are new arrays")
        if self._is_checked:
            self._check(name, given, named)
        return self._call(name, given, named)

    made: Any = call
    made.__name__, made.__qualname__ = name, f"{cls.__name__}.{name}"
    made.__doc__ = _doc(doc, cls.array)
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    further = inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)
    made.__signature__ = inspect.Signature([own, *arguments, further])
    return call


def _doc(text: str | None, array: str) -> str | None:
    """The docstring of a method, of other arrays: without examples, which are of NumPy, and without `out`, `threads`.

    >>> stub = "Sum.\\n\\nParameters\\n---\\nx : array_like\\nout : ndarray\\n    Array.\\n\\nExamples\\n---"
    >>> _doc(stub, "Tensor")
    'Sum.\\n\\nParameters\\n---\\nx : Tensor or array_like\\n'
    """
    if text is None:  # `python -OO`
        return None
    text = inspect.cleandoc(text).partition("\nExamples\n---")[0].rstrip() + "\n"
    text = re.sub(r"^(out, threads|out|threads) : .*\n(    .*\n)*", "", text, flags=re.MULTILINE)
    text = text.replace("\n\nReturns\n", f"\n{PARAMETERS_DOC}\n\nReturns\n", 1).replace(
        "array_like", f"{array} or array_like"
    )
    return re.sub(r"\bndarray\b", array, text)


def _public_name(cls: type[RobotMethods]) -> str:
    """A class as people write it: by its public name, unless it is a user's own."""
    return cls.public_name if "public_name" in vars(cls) else cls.__name__


def kernel_of(what: str | Callable[..., Any] | Kernel, robot: NumPyRobot | None, settings: dict[str, Any]) -> Kernel:
    """The kernel that is meant: one of `compile`, or that of a name or function for a robot with settings."""
    if isinstance(what, Kernel):
        if robot is not None or settings:
            raise InputError(f"{what.__name__} is a kernel already: it needs no robot, and its settings are chosen")
        return what
    if robot is None:
        raise InputError("a robot is missing: give (function, robot), or a kernel of kt.compile")
    return robot_of(robot).kernel(what, **settings)


def importable(kernel: Kernel) -> Kernel:
    """The kernel, if another process can make it with its derivatives: what functions of frameworks are pickled by."""
    settings = kernel.dtype.name, kernel.backend, kernel.threads
    if kernel.origin is None or kernel.origin(*settings) is None:
        raise InputError(
            f"{kernel.__name__} cannot be pickled: another process must be able to import its function, and its "
            "choices must be plain numbers and texts"
        )
    return kernel
