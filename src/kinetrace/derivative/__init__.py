"""Derivatives of any function of (model, q, ...), as functions of the same arguments.

`jacobian`, `hessian`, `jvp` and `vjp` take a function of plain array code, such as an algorithm, and return another
one: it runs on numbers, inside a trace, under `compile`, on JAX arrays, and can be differentiated again. The function
is run once on fresh variables in the place of what it is differentiated by, the expressions that it made are
differentiated (see `trace.differentiate`), and the actual values are substituted.

An argument called q is differentiated along q ⊕ ε, which gives nv directions: with T(q) the derivative of q ⊕ ε,
df = ∂f/∂q · T(q) ε. All other arguments are differentiated entry by entry. The model's parameters, see
`model.parameters`, may be named like arguments. The axes of the directions come last.

A function may enclose plain real numbers, or values of the trace in which it is called; other scalars (complex,
mpmath's, JAX's) must come as arguments or with the model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import LONGEST_NAME, InputError, lookup, shortened, unknown
from ..model.arguments import argument_shapes
from ..model.model import Model
from ..model.source import ModelSource
from ..support.plain import plain_flag
from .derived import MODES, Hessian, Jacobian, Jvp, Vjp
from .series import check_no_series
from .traced import TraceContext, arguments_of, traced

__all__ = ["hessian", "jacobian", "jvp", "sparsity", "vjp"]


def jacobian(
    function: Callable[..., Any], wrt: str | tuple[str, ...] = "q", mode: str | None = None, sparse: bool = False
) -> Callable[..., Any]:
    """The function of the same arguments that gives df/dwrt, (*shape of f, *shape of the directions).

    `wrt` names an argument or a parameter of the model ("inertial", "placements", "screws", "gravity"), or is a tuple
    of names; along q the derivative has nv columns. If there is a tuple of names, or the function returns a tuple, the
    result is a tuple: all derivatives of the first output, then of the next. `mode` is "forward" or "reverse", which
    differ in cost only; None takes reverse where there are fewer outputs than directions. With `sparse`, a derivative
    is the array (n,) of its entries that may be other than zero, in C order; `sparsity` tells where they stand.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> stiffness = kt.jacobian(kt.algorithms.gravity, wrt="q")
    >>> stiffness(robot.model, np.zeros(2)).shape
    (2, 2)
    >>> kernel = kt.compile(stiffness, robot)
    >>> kernel(np.zeros((1000, 2))).shape
    (1000, 2, 2)
    """
    if mode is not None:
        lookup("mode", mode, MODES)
    return Jacobian(function, *_names(wrt), mode, plain_flag("sparse", sparse))


def hessian(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """The function of the same arguments that gives the second derivatives, (*shape of f, n, n), symmetric.

    `wrt` is as in `jacobian`; n is the number of all directions together, those of several names in their order. Along
    q it is the second derivative of f(q ⊕ ε) at ε = 0. For joints with quaternions the derivatives along two
    directions, one after the other, depend on the order; this is their symmetric part.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> M = kt.hessian(kt.algorithms.kinetic_energy, wrt="v")(robot.model, np.zeros(2), np.zeros(2))
    >>> np.allclose(M, robot.mass_matrix(np.zeros(2)))
    True
    """
    return Hessian(function, *_names(wrt))


def jvp(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """The derivative along one direction, which further arguments give: dq (nv,) for q, and so on; shaped as f is.

    They come behind the others, in the order of `wrt`. If the function has an argument dq already, that of q is ddq.
    No Jacobian is formed: along q and v, that of inverse dynamics costs 2.5 times what the function does.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> rate = kt.jvp(kt.algorithms.mass_matrix, wrt="q")
    >>> rate(robot.model, np.zeros(2), dq=np.ones(2)).shape
    (2, 2)
    """
    return Jvp(function, *_names(wrt))


def vjp(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """The gradient of ⟨weight, f⟩, where `weight` is a further argument of the shape of f: (nv,) for q, and so on.

    No Jacobian is formed: by q and v, that of inverse dynamics costs 2.5 times what the function does. If the function
    returns a tuple, `weight` is a tuple of arrays, or a mapping whose values are arrays in that order.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> pull = kt.vjp(kt.algorithms.gravity, wrt="q")
    >>> pull(robot.model, np.zeros(2), weight=np.ones(2)).shape
    (2,)
    """
    return Vjp(function, *_names(wrt))


def sparsity(
    function: Callable[..., Any],
    robot: Model | ModelSource,
    wrt: str | tuple[str, ...] = "q",
    *,
    shapes: Mapping[str, Any] | None = None,
    **static: Any,
) -> Any:
    """Where df/dwrt may be other than zero for this robot: Booleans of the Jacobian's shape, or a tuple of such arrays.

    `robot` is a `Robot` or a `Model`; `shapes` and further keywords are those of `compile`.

    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> kt.sparsity(kt.algorithms.pose, robot, frame="link1")[:, 3].tolist()  # its origin stays
    [[False, False], [False, False], [False, False], [False, False]]
    """
    model = robot.model if isinstance(robot, ModelSource) else robot
    if not isinstance(model, Model):
        raise InputError(f"expected a Robot or a Model, got {robot!r}")
    derived = Jacobian(function, *_names(wrt), None, False)
    arguments = inspect.signature(derived).parameters
    for name in (*(shapes or {}), *static):
        if name not in arguments and not any(p.kind is p.VAR_KEYWORD for p in arguments.values()):
            raise unknown("argument", name, list(arguments)[1:])
    sizes = {**argument_shapes(model), **(shapes or {})}
    sizes |= derived.argument_shapes(model, sizes, **static)
    context = TraceContext.among(model, static)
    f = traced(function, derived.wrt, arguments_of(function, model, sizes, static, context), context)
    check_no_series("sparsity", f)
    blocks = tuple(f.blocks(f.pattern()))
    return blocks if f.several or not derived.single else blocks[0]


def _names(wrt: str | tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Names as a tuple, and whether there was but one."""
    names, single = (tuple(wrt), False) if isinstance(wrt, tuple | list) else ((wrt,), True)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"wrt must be a name or a tuple of names, got {shortened(repr(wrt), LONGEST_NAME)}")
    return names, single
