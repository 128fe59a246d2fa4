"""`Robot`: the methods of a robot on tensors, as a module that may learn the robot's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ...engine.trace import Program
from ...errors import InputError, is_hashable, lookup, unknown_name_error
from ...model.arguments import MAPPINGS
from ...model.parameters import PARAMETERS
from ...robot import Robot as NumPyRobot
from ...robot.common import METHODS, dtype_of, method_of
from ...robot.dispatch import UNKNOWN
from ..methods import RobotMethods
from .function import TorchFunction, call_operator, key_of, of_key, ready
from .learned_parameters import learned_quantity
from .private import constant, is_plain


class CallPlan(NamedTuple):
    """How a method is called whose arguments have a certain structure."""

    function: TorchFunction
    order: tuple[tuple[str, Any], ...]
    """Where each array is found: ("given", place), ("named", name), ("learnt", name), or (name, key) of a mapping."""


class TorchRobot(RobotMethods, nn.Module):
    """Robot whose methods take and return tensors, with derivatives of any order; a module that may learn parameters.

    All methods of `kinetrace.Robot` that are kernels are there, under their names, and take the same choices.
    Parameters of the robot ("inertial", "gravity", ...; see `Robot.parameters`) may be given to any method by name;
    those that are learnt are given to every method that reads them, and have gradients. Tensors are as in
    `kinetrace.torch.function`.

    Parameters
    ----------
    robot : Robot
        The robot.
    learn : str or sequence of str, optional
        Parameters of the robot to learn, as in `Robot.parameters`. They are parameters of the module, in the precision
        of the robot, which start at its numbers: ``learnt.inertial.coordinates`` and so on. Placements and closures
        are poses M exp(ε), of which ε is learnt.
    physical : bool, default False
        Whether inertial parameters stay those of bodies that can exist, whatever an optimiser does: what is learnt are
        log-Cholesky coordinates of each body's pseudo-inertia. Bodies without mass or extent get a little of both.
    bodies : sequence of str, optional
        Bodies whose inertial parameters or placements are learnt; all unless given.

    Raises
    ------
    InputError
        If it is no robot, or a name is unknown.

    Examples
    --------
    >>> import torch, kinetrace as kt
    >>> arm = kt.torch.Robot(kt.load("planar2r"), learn="inertial", physical=True)
    >>> q = torch.zeros(2, dtype=torch.float64)
    >>> arm.gravity(q)
    tensor([19.6200,  4.9050], dtype=torch.float64, grad_fn=<_RecordedBackward>)
    >>> arm.gravity(q).sum().backward()
    >>> [(name, tuple(x.grad.shape)) for name, x in arm.named_parameters()]
    [('learnt.inertial.coordinates', (2, 10))]
    """

    framework = "PyTorch"
    public_name = "kt.torch.Robot"
    array = "Tensor"
    learned_quantity: nn.ModuleDict

    def __init__(
        self,
        robot: NumPyRobot,
        learn: str | Sequence[str] = (),
        *,
        physical: bool = False,
        bodies: Sequence[str] | None = None,
    ) -> None:
        nn.Module.__init__(self)
        RobotMethods.__init__(self, robot)
        wanted = (learn,) if isinstance(learn, str) else tuple(learn)
        if physical and "inertial" not in wanted:
            raise InputError('physical=True is about inertial parameters, which are not learnt: learn="inertial"')
        rows = None if bodies is None else self._rows(bodies, wanted)
        self.learnt = nn.ModuleDict()
        for name in wanted:
            own = lookup("parameter", name, PARAMETERS).get(self.robot.model).astype(dtype_of(self.robot))
            of_bodies = rows if name in ("inertial", "placements") else None
            self.learnt[name] = learned_quantity(name, own, of_bodies, physical)
        self._plans: dict[Any, CallPlan] = {}
        self._key = key_of(self)

    def forward(self, method: str, *arrays: Any, **named: Any) -> Any:
        """Call a method by its name, as `torch.func.functional_call` and hooks of modules do.

        Parameters
        ----------
        method : str
            Name of the method.
        *arrays
            Its arguments.
        **named
            Its arguments by name.

        Returns
        -------
        Tensor or tuple of Tensor
            What the method returns.

        Raises
        ------
        InputError
            If there is no such method.

        Examples
        --------
        >>> import torch, kinetrace as kt
        >>> arm = kt.torch.Robot(kt.load("planar2r"))
        >>> arm("gravity", torch.zeros(2))
        tensor([19.6200,  4.9050])
        """
        if not isinstance(method, str):
            raise InputError(f"the name of a method comes first, such as 'gravity'; got {type(method).__name__}")
        if method not in METHODS:
            raise unknown_name_error("method", method, METHODS)
        return getattr(self, method)(*arrays, **named)

    def numbers(self, name: str) -> Tensor:
        """Numbers of the robot as they are learnt now, with their gradients.

        Parameters
        ----------
        name : str
            Parameter that is learnt, such as "inertial".

        Returns
        -------
        Tensor
            The numbers, of the shape that `Robot.parameters` has.

        Raises
        ------
        InputError
            If the parameter is not learnt.

        Examples
        --------
        >>> import kinetrace as kt
        >>> arm = kt.torch.Robot(kt.load("planar2r"), learn="inertial")
        >>> arm.numbers("inertial")[:, 0].tolist()
        [1.0, 1.0]
        """
        values: Tensor = lookup("learnt parameter", name, dict(self.learnt.items()))()
        return values

    def robot_now(self) -> NumPyRobot:
        """Robot on NumPy arrays with the numbers that are learnt now.

        Returns
        -------
        Robot
            The robot.

        Raises
        ------
        InputError
            If numbers are not finite.
        ModelError
            If no physical body has the inertial parameters.

        Examples
        --------
        >>> import torch, kinetrace as kt
        >>> arm = kt.torch.Robot(kt.load("planar2r"), learn="gravity")
        >>> with torch.no_grad():
        ...     arm.learnt["gravity"].coordinates *= 2
        >>> arm.robot_now().gravity([0.0, 0.0])
        array([39.24,  9.81])
        """
        values: dict[str, Any] = {name: self.numbers(name).detach().double().numpy() for name in self.learnt}
        return self.robot.with_parameters(**values) if values else self.robot

    def _rows(self, bodies: Sequence[str], learn: tuple[str, ...]) -> list[int]:
        if not {"inertial", "placements"} & set(learn):
            raise InputError("bodies are named, but neither their inertial parameters nor their placements are learnt")
        index = {body.name: body.index for body in self.robot.model.bodies}
        return sorted({lookup("body", name, index) for name in ((bodies,) if isinstance(bodies, str) else bodies)})

    def _call(self, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The results of a method: its structure, which is constant, selects the kernel; its arrays go there."""
        count, structure = _ARRAY_COUNTS[name], []
        for key, x in named.items():
            if key in MAPPINGS and isinstance(x, Mapping):
                structure.append((key, "mapping", tuple(x)))
            elif key in _ARRAYS[name]:
                structure.append((key, "none" if x is None else "array", ()))
            else:
                structure.append((key, "choice", x))
        call = name, min(len(given), count), given[count:], tuple(structure)
        if not torch.compiler.is_compiling():
            plan = self._plan(*call)
            return plan.function(*self._arrays(plan.order, given, named))
        function, names, order = _constants(self._key, *call)
        arrays = ready(function, names, self._arrays(order, given, named))
        return call_operator(_operator_name(self._key, arrays[0].dtype, *call), arrays)

    def _arrays(self, order: tuple[tuple[str, Any], ...], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The arrays of a call in the order of the kernel."""
        arrays = []
        for where, key in order:
            if where == "given":
                arrays.append(given[key])
            elif where == "named":
                arrays.append(named[key])
            elif where == "learnt":
                arrays.append(self.learnt[key]())
            else:
                arrays.append(named[where][key])
        return tuple(arrays)

    def _plan(self, name: str, count: int, choices: tuple[Any, ...], structure: tuple[Any, ...]) -> CallPlan:
        """The plan for a call of this structure, made once."""
        key = (name, count, choices, structure, tuple(map(type, choices)), tuple([type(x) for _, _, x in structure]))
        plan = self._plans.get(key) if (known := is_hashable(key)) else None
        if plan is None:
            plan = self._make_plan(name, count, choices, structure)
            if known:
                self._plans[key] = plan
        return plan

    def _make_plan(self, name: str, count: int, choices: tuple[Any, ...], structure: tuple[Any, ...]) -> CallPlan:
        """The plan: places are given for arrays, and where they come out is their order."""
        method, named = METHODS[name], dict[str, Any]()
        for key, kind, x in structure:
            if kind == "mapping":
                named[key] = {each: _Place(key, each) for each in x}
            else:
                named[key] = {"array": _Place("named", key), "none": None, "choice": x}[kind]
        further = {x: _Place("learnt", x) for x in self.learnt if x not in named and x not in method.arguments}
        given = *(_Place("given", k) for k in range(count)), *choices
        resolve = method_of(self.robot, name).resolve
        arrays, kernel = resolve(given, {**named, **further})
        read = _arrays_read(kernel.program)
        if unread := {x.key for k, x in enumerate(arrays) if x.where == "learnt" and k not in read}:
            left = {x: place for x, place in further.items() if x not in unread}
            arrays, kernel = resolve(given, {**named, **left})
        return CallPlan(TorchFunction(kernel), tuple((x.where, x.key) for x in arrays))

    def _check(self, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        if not torch.compiler.is_compiling():
            super()._check(name, given, named)

    def _numbers(self, x: Any) -> Any:
        if not isinstance(x, Tensor):
            return super()._numbers(x)
        return x.numpy(force=True) if x.is_cpu and x.layout is torch.strided and is_plain((x,)) else UNKNOWN

    def __getattr__(self, name: str) -> Any:
        for table in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(table, ()):  # not by `vars`, which the compiler of PyTorch 2.7 cannot trace
                return self.__dict__[table][name]
        return super().__getattr__(name)

    __eq__, __hash__ = nn.Module.__eq__, nn.Module.__hash__  # by what it is: it has parameters of its own

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_plans": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._key = key_of(self)


@constant
def _constants(key: str, *call: Any) -> tuple[str, tuple[str, ...], tuple[tuple[str, Any], ...]]:
    function, order = of_key(key)._plan(*call)
    return function.__name__, function.names, order


@constant
def _operator_name(key: str, dtype: Any, *call: Any) -> str:
    plan: CallPlan = of_key(key)._plan(*call)
    return plan.function.operator(dtype).name


class _Place(NamedTuple):
    """Stands for an array while a call is planned."""

    where: str
    key: Any


def _arrays_read(program: Program) -> set[int]:
    """The places of the arrays that a program reads."""
    owners = [place for place, _ in program.inputs_by_scalar()]
    return {owners[node[1]] for node in program.nodes if node[0] in ("input", "column")}


_ARRAY_COUNTS = {name: len(method.arrays) for name, method in METHODS.items()}
_ARRAYS = {
    name: frozenset((*method.arrays, *method.further, *(PARAMETERS.keys() - method.arguments.keys())))
    for name, method in METHODS.items()
}
"""The arrays of a method, and the parameters of a robot, unless the method has a choice of that name."""
