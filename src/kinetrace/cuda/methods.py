"""The methods of a robot on arrays of the GPU."""

from __future__ import annotations

from typing import Any, final

from ..codegen.runtime.kernel import Kernel
from ..frameworks.methods import RobotMethods
from ..robot import Robot as NumPyRobot
from .launch import check_device, launcher_of


@final
class CudaRobot(RobotMethods):
    """Robot whose methods run on a GPU, on CuPy arrays with leading batch axes.

    All methods of `kinetrace.Robot` that are compiled are here, `inverse_dynamics`, `pose`, `jacobian` and so on, with
    their arguments. They return CuPy arrays, in one launch each, on CuPy's current stream. Parameters of the robot
    ("inertial", "gravity", …; see `Robot.parameters`) may be given to any of them by name.

    Parameters
    ----------
    robot : Robot
        The robot; its precision is that of the results.

    Raises
    ------
    InputError
        If CuPy or a GPU is missing; methods raise it for wrong arguments.

    Examples
    --------
    >>> import kinetrace as kt
    >>> arm = kt.cuda.Robot(kt.load("panda", dtype="float32"))  # doctest: +SKIP
    >>> arm.mass_matrix(cupy.zeros((1_000_000, 7), "float32")).shape  # doctest: +SKIP
    (1000000, 7, 7)
    """

    framework = "CuPy"
    public_name = "kt.cuda.Robot"
    array = "cupy.ndarray"

    def __init__(self, robot: NumPyRobot) -> None:
        super().__init__(robot)
        check_device()

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        return launcher_of(kernel)(*arrays)

    def _numbers(self, x: Any) -> Any:
        cupy = check_device()
        return cupy.asnumpy(cupy.asarray(x)) if hasattr(x, "__cuda_array_interface__") else x
