"""`compile`: from a function of a model to a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy.typing as npt

from ...algorithms.registry.declaration import algorithm_of
from ...algorithms.registry.signature import Algorithm
from ...errors import InputError, value_text
from ...model import manifold
from ...model.arguments import ModelSource
from ...model.joints.checks import check_joints
from ...model.model import Model
from ...support.conversion import as_flag
from ..cache import one_per_content
from ..derivative.array_function import BoundFunction, bound_function
from ..runtime.kernel import Kernel
from ..runtime.recipe import ArrayLabels, Backend
from . import trace_cache
from .program import checked_inputs, checked_shapes, program_of, wanted_arrays

_OF_MODELS: Mapping[str, Any] = {"dtype": "float64", "backend": "llvm", "threads": None}
"""How kernels of a model are compiled, which has no settings of its own, as keywords of `Kernel`."""


def compile(
    function: Callable[..., Any],
    robot: ModelSource | Model,
    *,
    inputs: str | Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    dtype: npt.DTypeLike | None = None,
    backend: Backend | None = None,
    threads: int | None = None,
    compact: bool = False,
    **static: Any,
) -> Kernel:
    """Compile a function of (model, q, ...) for one robot.

    The function is run once on symbols, so it must be plain array code without branches on values; `kinetrace.arrays`
    and `kinetrace.linalg` have the functions that NumPy lacks for symbols. Arguments with known names have known
    shapes: q, q0, q1 (nq,); v, a, tau, u, nu and the directions dq, dv, da, dtau, du, dnu (nv,); dt and task_damping
    (); point (3,); base_velocity and base_acceleration (6,); and dy, tau_weight, internal_forces and stabilisation as
    in `Robot.motor_forces` and its relatives. A callable may give the shapes of others itself, by an attribute
    `argument_shapes`: a function of the model, the shapes known so far and the further keywords.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) that returns an array or a tuple of arrays.
    robot : Robot or Model
        Robot to compile for; its numbers become constants, and its `dtype`, `backend` and `threads` those of the kernel
        unless others are given.
    inputs : str or sequence of str, optional
        Parameters of the model that the kernel takes as further arrays, after the function's own, instead of the
        robot's numbers: "inertial", "placements", "screws", "gravity", "closures" and those of joint effects (see
        `Robot.parameters`).
    shapes : mapping of str to tuple of int, optional
        Shapes of arguments without a known name, without batch axes.
    dtype : {"float64", "float32"} or dtype, optional
        Precision of the kernel: that of the robot unless given, "float64" for a model.
    backend : {"llvm", "numpy"}, optional
        Whether the kernel is compiled or interpreted: as those of the robot unless given, "llvm" for a model.
    threads : int, optional
        Number of threads for large batches: that of the robot unless given; if that has none, or for a model, as many
        as there are cores.
    compact : bool, default False
        Whether an output with axes is a row (..., k) of those entries that are neither constant for this robot nor
        equal to an earlier one, which writes less memory. `Kernel.dense` makes arrays of rows, `Kernel.layouts`
        describe them.
    **static
        Further keywords of the function, which are passed as they are; those that it declares as `bool` must be True or
        False.

    Returns
    -------
    Kernel
        The kernel, a function of arrays with leading batch axes.

    Raises
    ------
    InputError
        If the shape of an argument is not known, or an argument is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def height(model, q):
    ...     return kt.algorithms.pose(model, q, frame="tip")[2, 3]

    >>> kt.compile(height, robot)([[0.0, 0.0], [0.5, 0.0]]).round(3)
    array([0.   , 0.959])

    >>> kernel = kt.compile(kt.algorithms.gravity, robot, inputs="gravity")
    >>> kernel([0.0, 0.0], [0, 0, -1.62]).round(3)
    array([3.24, 0.81])

    >>> small = kt.load("planar2r", dtype="float32")
    >>> kt.compile(height, small).dtype, kt.compile(height, small, dtype="float64").dtype
    (dtype('float32'), dtype('float64'))

    >>> kernel = kt.compile(kt.algorithms.mass_matrix, robot, compact=True)
    >>> M = kernel([0.0, 0.0])
    >>> M.round(3), kernel.dense(M).round(3)
    (array([2.667, 0.833]), array([[2.667, 0.833],
           [0.833, 0.333]]))
    """
    given = {"dtype": dtype, "backend": backend, "threads": threads}
    settings = {**_OF_MODELS, **(robot._kernel_settings if isinstance(robot, ModelSource) else {})}
    settings |= {name: x for name, x in given.items() if x is not None}
    algorithm = algorithm_of(function)
    choices, names, sizes = algorithm.canonical(static), checked_inputs(inputs), checked_shapes(shapes)
    model = model_of(robot, function, {**choices, **sizes, **dict.fromkeys(names)})
    return make_kernel(algorithm, model, choices, names, sizes, as_flag("compact", compact), settings)


def make_kernel(
    algorithm: Algorithm,
    model: Model,
    static: Mapping[str, Any],
    inputs: tuple[str, ...],
    shapes: Mapping[str, Any],
    compact: bool,
    settings: Mapping[str, Any],
) -> Kernel:
    """The kernel of arguments that are checked; `settings` are those of `Kernel`: `dtype`, `backend`, `threads`."""
    what: dict[str, Any] = {"static": static, "inputs": inputs, "shapes": shapes, "compact": compact}
    if plain := trace_cache.is_plain(what):
        what = deepcopy(what)  # a kernel may be traced later, here or elsewhere
    function = algorithm.function
    key = trace_cache.key(function, model, **what) if plain and settings["backend"] == "llvm" else None
    program = trace_cache.recall(key, partial(program_of, algorithm, model, **what, rolls=True))
    return Kernel(program, **settings, origin=Recipe(function, model, **what, plain=plain))


def model_of(robot: ModelSource | Model, function: Callable[..., Any], given: Mapping[str, Any]) -> Model:
    """The model that a function of a robot is traced for; see `Robot.model_for`."""
    return checked_model(robot.model_for(function, given) if isinstance(robot, ModelSource) else robot)


def checked_model(model: Any) -> Model:
    """The model, if it is one, of plain numbers, and of joints whose methods do not contradict each other."""
    if not isinstance(model, Model):
        build = "; Builder.build() makes a Model" if hasattr(model, "build") else ""
        raise InputError(
            f"expected a Model, got {value_text(model)}; kinetrace.load makes a Robot of a name or a file{build}"
        )
    if not model.is_concrete:
        raise InputError(
            f"model {model.name!r} has numbers that are traced, complex or of another library: algorithms take it as "
            "it is, but a kernel needs plain real numbers, or takes them as arguments: compile(..., inputs=...)"
        )
    check_joints(model)
    return model


@dataclass(frozen=True, eq=False)
class Recipe:
    """Function, model and settings that a kernel is made of."""

    function: Callable[..., Any]
    model: Model
    static: Mapping[str, Any]
    inputs: tuple[str, ...]
    shapes: Mapping[str, Any]
    compact: bool
    plain: bool
    """Whether all but the function and the model is texts, numbers and collections of these."""

    @property
    def keywords(self) -> dict[str, Any]:
        """Those of `compile` that are not settings of the kernel."""
        return {**self.static, "inputs": self.inputs, "shapes": self.shapes, "compact": self.compact}

    @property
    def labels(self) -> ArrayLabels:
        """Names of the axes and entries of the kernel's arrays."""
        return array_labels(self.function, self.model, self.compact)

    def flat(self) -> BoundFunction:
        """The function as one of plain arrays; see `derivative.array_function`."""
        arguments = wanted_arrays(algorithm_of(self.function), self.model, self.static, self.shapes)
        return bound_function(self.function, self.model, arguments, self.static, self.inputs)

    def __call__(self, dtype: str, backend: Backend, threads: int | None) -> tuple[Any, ...] | None:
        """A function and its arguments, for pickle: some kilobytes; None if another process may not find all of it."""
        if not self.plain or trace_cache.digest(self.model) is None or not trace_cache.is_importable(self.function):
            return None
        ours = trace_cache.digest(self.function) is not None  # a function of ours, which reads no shapes
        model = trace_cache.bare(self.model) if ours else self.model
        return _from_recipe, (
            self.function,
            model,
            {**self.keywords, "dtype": dtype, "backend": backend, "threads": threads},
        )


def _from_recipe(function: Any, model: Model, keywords: dict[str, Any]) -> Kernel:
    """A kernel that was pickled; the same one for the same recipe, so that a process traces it once."""
    make, content = partial(compile, function, model, **keywords), trace_cache.digest((model, keywords))
    return make() if content is None else one_per_content((function, content), make)


Axes = tuple[str, ...]
INPUTS: dict[str, Axes] = {
    **dict.fromkeys(("q", "q0", "q1"), ("nq",)),
    **dict.fromkeys(("v", "a", "tau", "u", "nu", "tau_weight"), ("nv",)),
    "dy": ("dof",),
    "internal_forces": ("rows",),
    "control": ("controls",),
    "activation": ("activations",),
}
"""Argument → its axes, where these have names."""
_OF_MANIFOLD: dict[Callable[..., Any], Axes] = {
    manifold.integrate: ("nq",),
    manifold.normalise: ("nq",),
    manifold.difference: ("nv",),
}
"""Functions of the manifold of configurations, which declare no results → the axes of theirs."""


def result_axes(function: Callable[..., Any]) -> list[tuple[str, Axes]] | None:
    """Names of the results of an algorithm, empty if there is one, and their axes; None for other functions.

    >>> import kinetrace as kt
    >>> result_axes(kt.algorithms.centroidal_momentum)
    [('', ('6',))]
    """
    if function in _OF_MANIFOLD:
        return [("", _OF_MANIFOLD[function])]
    return algorithm_of(function).results or None


def array_labels(function: Callable[..., Any], model: Model, compact: bool) -> ArrayLabels:
    """The labels of the arrays of a function that is compiled for a model."""
    return ArrayLabels(
        owner="robot",
        attribute="joint_names",
        entries=tuple(model.joint_names),
        inputs=INPUTS,
        outputs=None if compact else result_axes(function),
        state_sizes={"nq": model.nq, "nv": model.nv},
        dimensions={"nq": "position", "nv": "velocity"},  # as in `Trajectory.to_xarray`
        same_entries={"nv": "nq"},
    )
