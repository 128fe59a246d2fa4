"""The methods of a robot on matrices of CasADi."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.runtime.kernel import Kernel
from ...errors import InputError, ShapeError
from ...robot import Robot as NumPyRobot
from ...robot.dispatch import UNKNOWN
from ...support.attributes import memo
from ..methods import RobotMethods
from .callback import callback
from .function import of_scalars, package
from .matrices import Matrix
from .parts import Part, part


class CasadiRobot(RobotMethods):
    """Robot whose methods take and return matrices of CasADi.

    Vectors are columns. Methods are functions of `kinetrace.casadi.function` on MX and DM, with exact derivatives, and
    of `kinetrace.casadi.sx` if an argument is SX. NumPy's arrays may stand beside them. A matrix of n columns in the
    place of a vector is n states, whose results stand side by side. Parameters of the robot, such as `inertial`, may
    be given to any method by name.

    Parameters
    ----------
    robot : Robot
        Robot of `kinetrace.load`.

    Raises
    ------
    InputError
        If CasADi is missing, or it is no robot.

    Examples
    --------
    >>> import casadi, kinetrace as kt
    >>> robot = kt.casadi.Robot(kt.load("planar2r"))
    >>> q = casadi.MX.sym("q", 2)
    >>> height = robot.pose(q, frame="tip")[2, 3]
    >>> slope = casadi.Function("slope", [q], [casadi.gradient(height, q)])
    >>> slope([0.0, 0.0])
    DM([2, 1])
    >>> robot.gravity(casadi.DM([[0.0, 0.5], [0.0, 0.5]])).full().round(3)
    array([[19.62 , 15.564],
           [ 4.905,  2.65 ]])
    """

    framework = "CasADi"
    public_name = "kt.casadi.Robot"
    array = "casadi matrix"

    def __init__(self, robot: NumPyRobot) -> None:
        package()
        super().__init__(robot)

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        casadi, made = package(), _part(kernel)
        scalars = any(isinstance(x, casadi.SX) for x in arrays)
        if scalars and any(isinstance(x, casadi.MX) for x in arrays):
            raise InputError(f"{made.name}: arguments are SX and MX; CasADi does not mix them, take one kind")
        shapes = [a.shape for a in made.families[0].inputs]
        given = [self._matrix(made.name, *each) for each in zip(made.inputs, shapes, arrays, strict=True)]
        _check_states(made, given)
        function = _scalars(casadi, kernel) if scalars else callback(casadi, made)
        return function(*given)

    def _matrix(self, name: str, m: Matrix, shape: tuple[int, ...], x: Any) -> Any:
        """An argument as a matrix of the right height, with one state or several side by side."""
        casadi, (rows, columns) = package(), m.shape
        if not isinstance(x, casadi.SX | casadi.MX | casadi.DM):
            array = np.asarray(x)
            if array.dtype.kind not in "biuf":
                raise InputError(f"{name}: {m.name} must be a matrix of CasADi or numbers, got {type(x).__name__}")
            array = array.reshape(rows, columns) if array.shape == shape else array
            if array.ndim > 2:
                raise InputError(f"{name}: {m.name} must have shape {shape}, got {array.shape}")
            x = casadi.DM(array.astype(float))
        if x.shape[0] != rows or x.shape[1] % columns or not x.shape[1]:
            raise ShapeError(
                f"{name}: {m.name} must be a matrix of {rows} rows and {columns} columns, or of several times as many "
                f"columns for as many states; got {x.shape[0]} rows and {x.shape[1]} columns",
                m.name,
                (x.shape[0],),
            )
        return x

    def _numbers(self, x: Any) -> Any:
        casadi = package()
        if isinstance(x, casadi.SX | casadi.MX):
            return UNKNOWN
        array = x.full() if isinstance(x, casadi.DM) else np.asarray(x)
        return array.reshape(-1) if array.ndim == 2 and array.shape[1] == 1 else array.T  # states are columns


def _check_states(of: Part, given: list[Any]) -> None:
    """An error unless all arguments have as many states, or one."""
    numbers = {m.name: x.shape[1] // m.shape[1] for m, x in zip(of.inputs, given, strict=True)}
    if len({n for n in numbers.values() if n > 1}) > 1:
        counts = ", ".join(f"{name} {n}" for name, n in numbers.items())
        raise InputError(f"{of.name}: arguments must have one state, or as many as each other: {counts}")


def _part(kernel: Kernel) -> Part:
    return memo(kernel, Part, lambda: part(kernel))


def _scalars(casadi: Any, kernel: Kernel) -> Any:
    """The function of SX, made once for a kernel."""
    return memo(kernel, "casadi.SX", lambda: of_scalars(casadi, _part(kernel)))
