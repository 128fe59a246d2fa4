"""The methods of a robot on the arrays of a framework."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from difflib import get_close_matches
from functools import update_wrapper
from typing import Any

from ..codegen.runtime.kernel import Kernel
from ..errors import InputError, listed
from ..robot import Robot
from ..robot.common import robot_of
from ..robot.dispatch import METHODS


class RobotMethods(ABC):
    """A robot whose methods take and return arrays of a framework; a subclass says how a kernel is evaluated.

    Parameters of the robot ("inertial", "gravity", ...; see `Robot.parameters`) may be given to any method by name.
    """

    framework: str
    robot: Robot

    def __init__(self, robot: Robot) -> None:
        vars(self)["robot"] = robot_of(robot)

    @abstractmethod
    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        """The results of a kernel for these arrays."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        method = names().get(name)
        if method is None:
            near = get_close_matches(name, names(), n=1)
            more = f"; robot.{name} runs on NumPy" if hasattr(Robot, name) else ""
            meant = f"did you mean {near[0]!r}?" if near else f"Valid: {listed(sorted(names()))}"
            raise AttributeError(f"{self.framework} has no method {name!r} of a robot{more}; {meant}")

        def call(*given: Any, **named: Any) -> Any:
            arrays, kernel = self.robot._resolved(method, given, named)
            return self._evaluate(kernel, arrays)

        made = update_wrapper(call, method.stub)
        vars(self)[name] = made
        return made

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *names()})

    def __repr__(self) -> str:
        return f"<{self.robot!r} for {self.framework}>"


def names() -> dict[str, Any]:
    """The methods of robots that are kernels, by name.

    >>> "inverse_dynamics" in names(), "simulate" in names()
    (True, False)
    """
    return {method.name: method for method in METHODS.values()}


def kernel_of(what: Any, robot: Robot | None, settings: dict[str, Any]) -> Kernel:
    """The kernel that is meant: one of `compile`, or that of a name or function for a robot with settings."""
    if isinstance(what, Kernel):
        if robot is not None or settings:
            raise InputError(f"{what.__name__} is a kernel already: it needs no robot, and its settings are chosen")
        return what
    if robot is None:
        raise InputError("a robot is missing: give (function, robot), or a kernel of kt.compile")
    return robot_of(robot).kernel(what, **settings)
