"""Kernels as functions of CasADi: around compiled kernels, as a library of C, as C text, and as expressions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ...engine.compilation.program import program
from ...engine.runtime.kernel import Kernel
from ...engine.trace.interpreter import on_scalars
from ...errors import InputError, name_list
from ...robot import Robot as NumPyRobot
from ...support.optional import require_package
from ..methods import kernel_of
from .c_source import build, text
from .callback import callback
from .parts import Part, checked_in_c, checked_name, part

ORDERS = (0, 1, 2)


def package() -> Any:
    """CasADi, or an error that names the extra."""
    return require_package("casadi", "kinetrace.casadi", "casadi")


def function(
    what: str | Callable[..., Any] | Kernel,
    robot: NumPyRobot | None = None,
    *,
    name: str | None = None,
    **settings: Any,
) -> Any:
    """Function of CasADi around compiled kernels, with exact derivatives to every order.

    Arguments and results are matrices: vectors are columns, arrays with more axes have their first axis as rows and
    all others, in C order, as columns. Entries that are always zero are not stored, in results, Jacobians and
    Hessians. Configurations with quaternions may have any length but zero, and derivatives are by all nq entries.
    A matrix of n columns in the place of a column, or `Function.map`, evaluates n states. The function lives as long
    as the process.

    Parameters
    ----------
    what : Kernel or str or callable
        Kernel of `kinetrace.compile`; or the name of an algorithm, or a function of (model, q, ...), for a robot.
    robot : Robot, optional
        Robot to compile for, unless a kernel is given.
    name : str, optional
        Name of the function; that of the algorithm unless given.
    **settings
        Keywords of `Robot.kernel`, such as ``frame="tip"`` or ``inputs="inertial"``.

    Returns
    -------
    casadi.Function
        The function, of DM and MX.

    Raises
    ------
    InputError
        If CasADi is missing, a setting is unknown, or the kernel cannot be differentiated.

    Examples
    --------
    >>> import casadi, kinetrace as kt
    >>> gravity = kt.casadi.function("gravity", kt.load("planar2r"))
    >>> gravity.name_in(), gravity.name_out(), gravity.size_out(0)
    (['q'], ['out'], (2, 1))
    >>> gravity([0, 0])
    DM([19.62, 4.905])
    >>> q = casadi.MX.sym("q", 2)
    >>> stiffness = casadi.Function("stiffness", [q], [casadi.jacobian(gravity(q), q)])
    >>> stiffness([0.5, 0.5]).full().round(3)
    array([[-11.182,  -4.127],
           [ -4.127,  -4.127]])
    """
    casadi = package()
    return callback(casadi, _part_named(kernel_of(what, robot, settings), name))


def sx(
    what: str | Callable[..., Any] | Kernel,
    robot: NumPyRobot | None = None,
    *,
    name: str | None = None,
    **settings: Any,
) -> Any:
    """Function of CasADi's scalar expressions, which CasADi differentiates itself.

    It works on SX, MX and DM, and can be serialised, expanded and printed. For robots with more than a few joints,
    derivatives by CasADi take longer to make and to evaluate than those of `function` and `external`.

    Parameters
    ----------
    what : Kernel or str or callable
        As in `function`.
    robot : Robot, optional
        Robot to trace for, unless a kernel is given.
    name : str, optional
        Name of the function; that of the algorithm unless given.
    **settings
        Keywords of `Robot.kernel`.

    Returns
    -------
    casadi.Function
        The function.

    Raises
    ------
    InputError
        If CasADi is missing, a setting is unknown, or the program has loops whose length is not fixed.

    Examples
    --------
    >>> import casadi, kinetrace as kt
    >>> height = kt.casadi.sx(lambda model, q: kt.algorithms.pose(model, q, frame="tip")[2, 3], kt.load("planar2r"))
    >>> height(casadi.SX.sym("q", 2))
    SX(@1=sin(q_0), (@1+((cos(q_0)*sin(q_1))+(@1*cos(q_1)))))
    """
    return of_scalars(package(), _part_named(kernel_of(what, robot, settings), name))


def source(
    what: str | Callable[..., Any] | Kernel,
    robot: NumPyRobot | None = None,
    *,
    name: str | None = None,
    order: int = 2,
    **settings: Any,
) -> str:
    """C text with the interface that CasADi expects of external functions, and their derivatives.

    The text is C99 with nothing but libm: for `casadi.external` after a compiler has made a shared library of it, for
    programs that call CasADi's functions through their C interface, or beside code that CasADi generates for a
    function that calls this one. CasADi itself is not needed.

    Parameters
    ----------
    what : Kernel or str or callable
        As in `function`.
    robot : Robot, optional
        Robot to generate code for, unless a kernel is given.
    name : str, optional
        Name of the function; that of the algorithm unless given.
    order : {0, 1, 2}, default 2
        Order of the derivatives: 0 for NAME alone; 1 for jac_NAME and adj1_NAME too; 2 for jac_adj1_NAME too, which
        Hessians need.
    **settings
        Keywords of `Robot.kernel`.

    Returns
    -------
    str
        Text of the C file.

    Raises
    ------
    InputError
        If a setting is unknown, or the kernel cannot be differentiated.

    Examples
    --------
    >>> import kinetrace as kt
    >>> text = kt.casadi.source("gravity", kt.load("planar2r"), order=0)
    >>> [line for line in text.splitlines() if line.startswith("CASADI_SYMBOL_EXPORT")][:2]
    ['CASADI_SYMBOL_EXPORT int gravity(', 'CASADI_SYMBOL_EXPORT casadi_int gravity_n_in(void) { return 1; }']
    """
    return _text(_part_named(kernel_of(what, robot, settings), name), order)


def external(
    what: str | Callable[..., Any] | Kernel,
    robot: NumPyRobot | None = None,
    *,
    name: str | None = None,
    order: int = 2,
    folder: str | os.PathLike[str] | None = None,
    compiler: str | None = None,
    **settings: Any,
) -> Any:
    """Function of CasADi in a shared library of generated C: the fastest one to evaluate.

    The C text of `source` is compiled and loaded. No Python runs when it is evaluated, from any thread.

    Parameters
    ----------
    what : Kernel or str or callable
        As in `function`.
    robot : Robot, optional
        Robot to generate code for, unless a kernel is given.
    name : str, optional
        Name of the function and of the files; that of the algorithm unless given.
    order : {0, 1, 2}, default 2
        Order of the exact derivatives; without those of second order CasADi can make no Hessian.
    folder : str or path, optional
        Folder for copies of NAME.c and the library, which are written anew: for ``casadi.external(NAME, library)`` in
        other programs. The function itself is loaded from a temporary folder that lives as long as the process.
    compiler : str, optional
        C compiler that takes the options of GCC; that of the environment variable CC, or cc, gcc or clang, unless
        given.
    **settings
        Keywords of `Robot.kernel`.

    Returns
    -------
    casadi.Function
        The function, of DM and MX.

    Raises
    ------
    InputError
        If CasADi or a compiler is missing, or fails, or a setting is unknown.

    Examples
    --------
    >>> import kinetrace as kt
    >>> kt.casadi.external("gravity", kt.load("planar2r"))([0, 0])
    DM([19.62, 4.905])
    """
    casadi = package()
    named = _part_named(kernel_of(what, robot, settings), name)
    library = build(_text(named, order), named.name, folder, compiler)
    return casadi.external(named.name, str(library), named.options)


def _part_named(kernel: Kernel, name: str | None) -> Part:
    return part(kernel, None if name is None else checked_name(name))


def _text(of: Part, order: int) -> str:
    if order not in ORDERS or isinstance(order, bool):
        raise InputError(f"order must be one of {name_list(ORDERS)}; got {order!r}")
    checked_in_c(of.name)
    parts = [of, *((of.jacobian, of.adjoint) if order else ()), *((of.adjoint.jacobian,) if order == 2 else ())]
    return text(parts, [f"{of.name} of robot {of.families[0].model.name!r}.", ""])


def operations(casadi: Any) -> Mapping[str, Callable[..., Any]]:
    """How SX does each operation of a program; `minimum` and `maximum` pass NaN on."""

    def choose(condition: Any, a: Any, b: Any) -> Any:
        return casadi.if_else(condition, a, b)

    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "neg": lambda a: -a,
        **{name: getattr(casadi, name) for name in ("sqrt", "sin", "cos", "atan2", "exp", "log", "floor")},
        "abs": casadi.fabs,
        "lt": lambda a, b: a < b,
        "minimum": lambda a, b: choose(a < b, a, choose(b <= a, b, a + b)),
        "maximum": lambda a, b: choose(b < a, a, choose(a <= b, b, a + b)),
        "select": lambda c, a, b: choose(c != 0, a, b),
    }


def of_scalars(casadi: Any, part: Part) -> Any:
    """The function of SX for a part, traced anew without loops over bodies."""
    (family,) = part.families
    line = program(family.flat, family.model)
    if not line.loops.are_choices:
        raise InputError(
            f"{part.name} has a loop that ends when it has converged, or runs along an array: it has no SX; "
            "kt.casadi.function has no such limit"
        )
    given = [casadi.SX.sym(m.name, *m.shape) for m in part.inputs]
    scalars = {number: x.nz[k] for x, m in zip(given, part.inputs, strict=True) for k, number in enumerate(m.stored)}
    results = [x for entries in on_scalars(line, scalars.__getitem__, casadi.SX, operations(casadi)) for x in entries]
    outputs = [
        casadi.SX(casadi.Sparsity(*m.shape, *m.columns), casadi.vertcat(*(results[n] for n in m.stored)))
        for m in part.outputs
    ]
    return casadi.Function(part.name, given, outputs, [m.name for m in part.inputs], [m.name for m in part.outputs])
