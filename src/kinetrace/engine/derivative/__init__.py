"""Derivatives of any function of (model, q, ...), as functions of the same arguments.

`jacobian`, `hessian`, `jvp` and `vjp` take a function of plain array code, such as an algorithm, and return another
one: it runs on numbers, inside a trace, under `compile`, on JAX arrays, and can be differentiated again. The function
is run once on fresh variables in the place of the arguments of differentiation, the resulting expressions are
differentiated (see `trace.derivatives`), and the actual values are substituted.

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

from ...errors import LONGEST_NAME, InputError, lookup, shorten, unknown_name_error
from ...model.arguments import ModelSource, argument_shapes
from ...model.model import Model
from ...support.conversion import as_flag
from ...support.keywords import known_keywords
from .derived_function import MODES, Hessian, Jacobian, Jvp, Vjp, check_no_series
from .traced_function import TraceContext, arguments_of, trace_function

__all__ = ["hessian", "jacobian", "jvp", "sparsity", "vjp"]


@known_keywords
def jacobian(
    function: Callable[..., Any], wrt: str | tuple[str, ...] = "q", mode: str | None = None, sparse: bool = False
) -> Callable[..., Any]:
    """Function of the same arguments that computes the derivative df/dwrt.

    The result has the axes of f, then those of the directions; along q ⊕ ε there are nv. If there is a tuple of names,
    or the function returns a tuple, the result is a tuple: all derivatives of the first output, then of the next.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) in plain array code.
    wrt : str or tuple of str, default "q"
        Arguments, or parameters of the model such as "inertial", "placements", "screws" or "gravity".
    mode : {"forward", "reverse"}, optional
        Mode of differentiation, which affects cost only; reverse where there are fewer outputs than directions unless
        given.
    sparse : bool, default False
        Whether a derivative is the array (n,) of its entries that may be other than zero, in C order; `sparsity` tells
        where they are.

    Returns
    -------
    callable
        The derivative, a function like any other: to call, to compile or to differentiate.

    Raises
    ------
    InputError
        If `mode` is unknown or `wrt` is not a name.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> stiffness = kt.jacobian(kt.algorithms.gravity, wrt="q")
    >>> stiffness(robot.model, np.array([0.5, 0.5])).round(3)
    array([[-11.182,  -4.127],
           [ -4.127,  -4.127]])
    >>> kt.compile(stiffness, robot)([0.5, 1.0]).round(3)
    array([[-11.947,  -4.893],
           [ -4.893,  -4.893]])
    """
    if mode is not None:
        lookup("mode", mode, MODES)
    return Jacobian(function, *_names(wrt), mode, as_flag("sparse", sparse))


@known_keywords
def hessian(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """Function of the same arguments that computes second derivatives.

    The result has the axes of f, then (n, n) with n the number of all directions together, those of several names in
    their order. Along q it is the second derivative of f(q ⊕ ε) at ε = 0, which is symmetric. For joints with
    quaternions the derivatives along two directions, one after the other, depend on the order; this is their symmetric
    part.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) in plain array code.
    wrt : str or tuple of str, default "q"
        Arguments or parameters of the model, as in `jacobian`.

    Returns
    -------
    callable
        The second derivative.

    Raises
    ------
    InputError
        If `wrt` is not a name.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> M = kt.hessian(kt.algorithms.kinetic_energy, wrt="v")
    >>> M(robot.model, np.zeros(2), np.zeros(2)).round(3)
    array([[2.667, 0.833],
           [0.833, 0.333]])
    """
    return Hessian(function, *_names(wrt))


@known_keywords
def jvp(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """Function that computes the derivative along one direction, given by further arguments.

    The directions come after the other arguments, in the order of `wrt`: dq (nv,) for q, and so on; if the function has
    an argument dq already, that of q is ddq. No Jacobian is formed: for inverse dynamics along q and v the cost is 2.5
    times that of the function.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) in plain array code.
    wrt : str or tuple of str, default "q"
        Arguments or parameters of the model, as in `jacobian`.

    Returns
    -------
    callable
        The directional derivative, with the shape of f.

    Raises
    ------
    InputError
        If `wrt` is not a name.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> rate = kt.jvp(kt.algorithms.mass_matrix, wrt="q")
    >>> rate(robot.model, np.array([0.0, 0.5]), dq=np.ones(2)).round(3)
    array([[-0.479, -0.24 ],
           [-0.24 ,  0.   ]])
    """
    return Jvp(function, *_names(wrt))


@known_keywords
def vjp(function: Callable[..., Any], wrt: str | tuple[str, ...] = "q") -> Callable[..., Any]:
    """Function that computes the gradient of ⟨weight, f⟩, with `weight` a further argument.

    No Jacobian is formed: for inverse dynamics with respect to q and v the cost is 2.5 times that of the function. The
    weight has the shape of f; if the function returns a tuple, it is a tuple of arrays, or a mapping whose values are
    arrays in that order.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) in plain array code.
    wrt : str or tuple of str, default "q"
        Arguments or parameters of the model, as in `jacobian`.

    Returns
    -------
    callable
        The gradient: (nv,) for q, and the shape of the argument for others.

    Raises
    ------
    InputError
        If `wrt` is not a name.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> pull = kt.vjp(kt.algorithms.gravity, wrt="q")
    >>> pull(robot.model, np.array([0.5, 0.5]), weight=np.ones(2)).round(3)
    array([-15.31 ,  -8.255])
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
    """Pattern of the entries of df/dwrt that may be other than zero for this robot.

    Parameters
    ----------
    function : callable
        Function of (model, q, ...) in plain array code.
    robot : Robot or Model
        Robot to analyse.
    wrt : str or tuple of str, default "q"
        Arguments or parameters of the model, as in `jacobian`.
    shapes : mapping of str to tuple of int, optional
        Shapes of further arguments, as in `compile`.
    **static
        Further keywords of the function, as in `compile`.

    Returns
    -------
    ndarray of bool or tuple of ndarray
        The patterns, of the shapes of the derivatives.

    Raises
    ------
    InputError
        If an argument is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.sparsity(kt.algorithms.pose, kt.load("planar2r"), frame="link2")[:3, 3].tolist()
    [[True, False], [False, False], [True, False]]
    """
    model = robot.model if isinstance(robot, ModelSource) else robot
    if not isinstance(model, Model):
        raise InputError(f"expected a Robot or a Model, got {robot!r}")
    derived = Jacobian(function, *_names(wrt), None, False)
    arguments = inspect.signature(derived).parameters
    for name in (*(shapes or {}), *static):
        if name not in arguments and not any(p.kind is p.VAR_KEYWORD for p in arguments.values()):
            raise unknown_name_error("argument", name, list(arguments)[1:])
    sizes = {**argument_shapes(model), **(shapes or {})}
    sizes |= derived.argument_shapes(model, sizes, **static)
    context = TraceContext.among(model, static)
    f = trace_function(function, derived.wrt, arguments_of(function, model, sizes, static, context), context)
    check_no_series("sparsity", f)
    blocks = tuple(f.blocks(f.pattern()))
    return blocks if f.several or not derived.single else blocks[0]


def _names(wrt: str | tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Names as a tuple, and whether a single name was given."""
    names, single = (tuple(wrt), False) if isinstance(wrt, tuple | list) else ((wrt,), True)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"wrt must be a name or a tuple of names, got {shorten(repr(wrt), LONGEST_NAME)}")
    return names, single
