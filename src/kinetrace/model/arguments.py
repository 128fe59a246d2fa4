"""Arguments of functions of a model: a name determines the shape and meaning of an array.

Protocols describe objects that have a model, or settings of kernels, and functions that know the shapes of arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from ..errors import InputError, ShapeError, name_list, unknown_name_error
from ..support.functions import name_of, signature_text
from .contact.inputs import contact_input_shape

if TYPE_CHECKING:
    from .model import Model

Shape = tuple[int, ...]


class ArgumentDeclaration(NamedTuple):
    """An array that is known by its name."""

    shape: Callable[[Model], Shape]
    meaning: str


def _q(model: Model) -> Shape:
    return (model.nq,)


def _v(model: Model) -> Shape:
    return (model.nv,)


def _closure_rows(model: Model) -> Shape:
    return (model.closure_rows,)


ARGUMENTS = {
    "q": ArgumentDeclaration(_q, "configuration, joints in the order below"),
    "q0": ArgumentDeclaration(_q, "configuration at the beginning"),
    "q1": ArgumentDeclaration(_q, "configuration at the end"),
    "v": ArgumentDeclaration(_v, "velocity, joints in the order below"),
    "a": ArgumentDeclaration(_v, "acceleration, joints as in v"),
    "tau": ArgumentDeclaration(_v, "joint forces [N m, N], joints as in v"),
    "u": ArgumentDeclaration(_v, "any vector, joints as in v"),
    "nu": ArgumentDeclaration(_v, "quasi-velocity, as many entries as v"),
    **{
        f"d{name}": ArgumentDeclaration(_v, f"direction of the derivative by {name}")
        for name in ("q", "v", "a", "tau", "u", "nu")
    },
    "control": ArgumentDeclaration(lambda model: (len(model.actuators),), "controls, in the order of actuator_names"),
    "activation": ArgumentDeclaration(
        lambda model: (sum(x.has_activation for x in model.actuators),), "activations of the actuators that have some"
    ),
    "dy": ArgumentDeclaration(lambda model: (model.dof,), "rate of the independent velocities"),
    "tau_weight": ArgumentDeclaration(_v, "of joint forces, joints as in v: positive"),
    "internal_forces": ArgumentDeclaration(_closure_rows, "wanted forces of the closures, row by row"),
    "point": ArgumentDeclaration(
        lambda _: (3,), "point of the frame, in its axes [m]: the frame's origin unless given"
    ),
    "dt": ArgumentDeclaration(lambda _: (), "time step [s]"),
    "base_velocity": ArgumentDeclaration(lambda _: (6,), "twist of the base in its own frame"),
    "base_acceleration": ArgumentDeclaration(lambda _: (6,), "rate of the components of base_velocity"),
    "task_damping": ArgumentDeclaration(
        lambda _: (), "of operational space: its square is added to the diagonal of the compliance"
    ),
    "stabilisation": ArgumentDeclaration(
        lambda _: (2,), "of closures: frequency [1/s] and damping ratio of Baumgarte's method"
    ),
}
"""Name → shape, without batch axes, and meaning."""
CONFIGURATIONS = frozenset({"q", "q0", "q1"})
"""Arguments that are configurations, which may have quaternions among their entries."""


def _drive_shape(model: Model, name: str) -> Shape:
    closure = next((c for c in model.closures if c.name == name), None)
    if closure is None:
        raise unknown_name_error("closure", name, model.closure_slices)
    return (3, closure.size if closure.terms else 6)


MAPPINGS: dict[str, Callable[[Model, str], Shape]] = {
    "wrench": lambda model, frame: (6,),
    "drive": _drive_shape,
    "contact": contact_input_shape,
}
"""Arguments that map names of frames, closures or shapes to arrays, with functions for the shapes of these."""
MAPS = {
    "wrench": "frame names to arrays (..., 6)",
    "drive": "closure names to arrays (..., 3, k), displacement, velocity and acceleration",
    "contact": '"friction", or shapes with ".pose", ".size" or ".heights" behind them, to arrays',
}
"""Keys and values of arguments that are mappings, for messages."""


def argument_shapes(model: Model) -> dict[str, Shape]:
    """The shapes of all arrays that are known by their names.

    >>> import kinetrace as kt
    >>> shapes = argument_shapes(kt.load("quadruped", base="free").model)
    >>> shapes["q"], shapes["tau"], shapes["dt"]
    ((19,), (18,), ())
    """
    return {name: argument.shape(model) for name, argument in ARGUMENTS.items()}


def check_first(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """An error unless a function takes the model first, and has names for what follows."""
    name, first = name_of(function), parameters[0] if parameters else None
    if first is None:
        raise InputError(f"{name} has no argument; expected a function of (model, q, ...)")
    if first.name in ARGUMENTS:
        write = (
            f"write {name}{signature_text(parameters, 'model')}"
            if inspect.isfunction(function)
            else f"kt.algorithms.{name}"
        )
        raise InputError(
            f"{name} has {first.name!r} as its first argument; expected a function of (model, q, ...): {write}"
        )
    if len(parameters) <= 2 and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL:
        told = f"{name} takes *{parameters[-1].name}, which have no names; expected a function of (model, q, ...)"
        raise InputError(f"{told}, whose names tell the shapes")


def with_size_hint(model: Model, error: ShapeError) -> InputError:
    """An error about the shape of an argument, with a hint for this model."""
    return InputError(f"{error}{size_hint(model, error.argument, error.shape)}")


def size_hint(model: Model, argument: str, shape: Shape) -> str:
    """Remark on a likely meaning of an argument of a wrong shape; empty if nothing is known.

    >>> import kinetrace as kt
    >>> size_hint(kt.load("quadruped", base="free").model, "q", (18,))
    ': 18 is nv; q has nq = 19: a free base has 7, its position and a quaternion (w, x, y, z)'
    """
    if argument not in ARGUMENTS:
        return ""
    (wanted, *more), got = (*ARGUMENTS[argument].shape(model), 0), shape[-1] if shape else 1
    if wanted not in (model.nq, model.nv) or not more:
        return ""
    is_q, base = argument.lstrip("d").startswith("q") and wanted == model.nq, model.nq - model.nv
    size = f"{argument} has {'nq' if is_q else 'nv'} = {wanted}"
    if len(shape) > 1 and shape[-2] == wanted:
        told = f"{argument}.T" if len(shape) == 2 else f"np.swapaxes({argument}, -1, -2)"
        return f": batch axes lead and the {wanted} variables come last: pass {told}"
    if base and got == (model.nv if is_q else model.nq):
        quaternions = ": a free base has 7, its position and a quaternion (w, x, y, z)" if is_q else ""
        return f": {got} is {'nv' if is_q else 'nq'}; {size}{quaternions}"
    if base and got == wanted - (7 if is_q else 6):
        return f": {size}, of which the first {wanted - got} are the free base's"
    if model.nq == len(model.joint_names):
        mimics = f"; mimic joints have none: {name_list(model.coupled_joints)}" if model.coupled_joints else ""
        return f": one for each of {wanted} joints, robot.joint_names{mimics}"
    return f": {size}"


@runtime_checkable
class ModelSource(Protocol):
    """An object that stands for its model where functions are compiled or differentiated; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints and bodies."""

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model for one function, given its arguments beyond the required ones."""

    @property
    def _kernel_settings(self) -> Mapping[str, Any]:
        """Settings of its kernels as keywords of `compile`: `dtype`, `backend` and `threads`."""


@runtime_checkable
class ShapeSource(Protocol):
    """A function of a model that gives the shapes of arguments of its own, as derivatives do."""

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> Mapping[str, Any]:
        """Name → shape, from the shapes that are known and the values of other arguments."""
