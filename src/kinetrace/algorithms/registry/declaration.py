"""The library's algorithms: each is declared once, beside its function. All that offers algorithms reads it here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from ...engine.derivative.derived_function import Derived
from ...errors import InputError, lookup
from ...errors.unknown_names import advice, translations
from ...model.model import Model
from .descriptions import Texts, composed_docstring
from .signature import Algorithm, ArgumentRules

F = TypeVar("F", bound=Callable[..., Any])

ALGORITHMS: dict[str, Algorithm] = {}
"""The library's algorithms by name."""


_NO_KERNEL = {
    **dict.fromkeys(
        ("rollout", "rollout_derivatives"),
        "!robot.{} runs it; robot.kernel(kt.algorithms.{}, shapes={'tau': ('t', robot.nv)}) is its kernel",
    ),
    **dict.fromkeys(("integrate", "difference", "normalise"), "kt.Model.{}, a function of the model"),
    "simulate": "!robot.simulate runs it; kt.algorithms.rollout can be compiled",
}


def algorithm_named(name: str, among: Mapping[str, Algorithm] | None = None) -> Algorithm:
    """The algorithm of a name, or an error that says what it is called here.

    >>> algorithm_named("rnea")
    Traceback (most recent call last):
    kinetrace.errors.InputError: unknown algorithm 'rnea'; did you mean 'inverse_dynamics'?
    """
    table = ALGORITHMS if among is None else among
    if not isinstance(name, str) or name in table:
        return lookup("algorithm", name, table)
    from ...errors.other_libraries import ROBOT  # late: errors alone need it

    aliases = {alias: each.name for each in table.values() for alias in each.aliases}
    options = translations(name, {**ROBOT, **_NO_KERNEL, **aliases}, table)
    if options and (name in _NO_KERNEL or options[0] in table):
        hint = advice([repr(x) if x in table else x for x in options])
        raise InputError(f"unknown algorithm {name!r}; {hint}")
    return lookup("algorithm", name, table)


def algorithm(
    label: str = "",
    *,
    aliases: tuple[str, ...] = (),
    keeps_forces: tuple[str, ...] | None = None,
    most_nv: int | None = None,
    beyond: str = "",
    honours_closures: bool = False,
    inverts_compliance: bool = False,
    about_closures: bool = False,
    instead_for_loops: str = "",
    arguments: Mapping[str, str] | None = None,
    returns: Texts = "",
    raises: str = "",
    listed: bool = True,
) -> Callable[[F], F]:
    """Declare a function as an algorithm of the library; see `Algorithm`.

    The function is returned unchanged but for its docstring; with `instead_for_loops`, it refuses robots with closed
    loops. The docstring has a summary, explanations and an example: the sections on arguments, results and errors are
    put between (`descriptions.composed_docstring`). `arguments` says what is particular to this algorithm about some of
    them; `returns` are the shape and meaning of the result, "(nv,) Joint forces [N m, N].", or of several by name;
    `raises` is when there is an InputError, if that is particular. It is in `ALGORITHMS` if `listed`.
    """

    def declare(given: F) -> F:
        function = _of_trees(given, instead_for_loops) if instead_for_loops else given
        function.__doc__ = composed_docstring(given, arguments or {}, returns, raises)
        declared = Algorithm(
            function,
            label=label or function.__name__.replace("_", " "),
            aliases=aliases,
            keeps_forces=None if keeps_forces is None else frozenset(keeps_forces),
            most_nv=most_nv,
            beyond=beyond,
            honours_closures=honours_closures,
            inverts_compliance=inverts_compliance,
            about_closures=about_closures,
            instead_for_loops=instead_for_loops,
            returns=returns,
            listed=listed,
        )
        vars(function)["algorithm"] = declared
        if listed:
            ALGORITHMS[declared.name] = declared
        return function

    return declare


def attach(function: Callable[..., Any], method: Callable[..., Any], rules: ArgumentRules) -> Algorithm:
    """The algorithm that a method of `Robot` evaluates, from now on with the signature of the method."""
    algorithm = algorithm_of(function)
    algorithm.method, algorithm.rules = method, rules
    vars(function)["algorithm"] = algorithm  # functions of a model that are no algorithm of the library
    return algorithm


def _of_trees(function: F, instead: str) -> F:
    @wraps(function)
    def checked(model: Model, *args: Any, **named: Any) -> Any:
        check_tree(function.__name__, model, instead)
        return function(model, *args, **named)

    return cast(F, checked)


def check_tree(what: str, model: Model, instead: str) -> None:
    """An error if a model has closed loops, which says what there is for these.

    >>> import kinetrace as kt
    >>> check_tree("spread", kt.load("four_bar").model, "there is reduced_mass_matrix")
    Traceback (most recent call last):
    kinetrace.errors.InputError: spread is for robots without closed loops, not 'four_bar': there is reduced_mass_matrix
    """
    if model.closures:
        raise InputError(f"{what} is for robots without closed loops, not {model.name!r}: {instead}")


def algorithm_of(function: Callable[..., Any]) -> Algorithm:
    """The declared algorithm of a function, or that of any other function by its signature.

    >>> import kinetrace as kt
    >>> algorithm_of(kt.algorithms.jacobian).choices["expressed_in"].values
    ('body', 'space', 'aligned')
    """
    algorithm = getattr(function, "algorithm", None)  # a wrapper may have it from the function that it wraps
    return algorithm if isinstance(algorithm, Algorithm) and algorithm.function is function else Algorithm(function)


def underlying(function: Callable[..., Any]) -> Algorithm:
    """The algorithm that a derivative is made of; that of another function itself.

    >>> import kinetrace as kt
    >>> underlying(kt.jacobian(kt.algorithms.gravity)).name
    'gravity'
    """
    while isinstance(function, Derived):
        function = function.function
    return algorithm_of(function)
