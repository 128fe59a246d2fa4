"""The methods of a robot on matrices of CasADi."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.runtime.kernel import Kernel
from ..errors import InputError
from ..frameworks.methods import RobotMethods
from ..robot import Robot as NumPyRobot
from .callback import callback
from .function import package
from .matrices import Matrix
from .parts import Part, part
from .scalars import of_scalars


class Robot(RobotMethods):
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
    _casadi: Any

    def __init__(self, robot: NumPyRobot) -> None:
        vars(self)["_casadi"] = package()
        super().__init__(robot)

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        casadi, made = self._casadi, _part(kernel)
        scalars = any(isinstance(x, casadi.SX) for x in arrays)
        if scalars and any(isinstance(x, casadi.MX) for x in arrays):
            raise InputError(f"{made.name}: arguments are SX and MX; CasADi does not mix them, take one kind")
        shapes = [a.shape for a in made.families[0].inputs]
        given = [self._matrix(made.name, *each) for each in zip(made.inputs, shapes, arrays, strict=True)]
        function = _scalars(casadi, kernel) if scalars else callback(casadi, made)
        return function(*given)

    def _matrix(self, name: str, m: Matrix, shape: tuple[int, ...], x: Any) -> Any:
        """An argument as a matrix of the right height, with one state or several side by side."""
        casadi, (rows, columns) = self._casadi, m.shape
        if not isinstance(x, casadi.SX | casadi.MX | casadi.DM):
            array = np.asarray(x)
            if array.dtype.kind not in "biuf":
                raise InputError(f"{name}: {m.name} must be a matrix of CasADi or numbers, got {type(x).__name__}")
            array = array.reshape(rows, columns) if array.shape == shape else array
            if array.ndim > 2:
                raise InputError(f"{name}: {m.name} must have shape {shape}, got {array.shape}")
            x = casadi.DM(array.astype(float))
        if x.shape[0] != rows or x.shape[1] % columns or not x.shape[1]:
            raise InputError(
                f"{name}: {m.name} must be a matrix of {rows} rows and {columns} columns, or of several times as many "
                f"columns for as many states; got {x.shape[0]} rows and {x.shape[1]} columns"
            )
        return x


def _part(kernel: Kernel) -> Part:
    made: Part = vars(kernel).setdefault("_casadi_part", None) or part(kernel)
    vars(kernel)["_casadi_part"] = made
    return made


def _scalars(casadi: Any, kernel: Kernel) -> Any:
    """The function of SX, made once for a kernel."""
    if "_casadi_sx" not in vars(kernel):
        vars(kernel)["_casadi_sx"] = of_scalars(casadi, _part(kernel))
    return vars(kernel)["_casadi_sx"]
