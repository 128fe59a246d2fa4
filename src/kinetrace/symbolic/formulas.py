"""`Symbolic`: a function of a robot as formulas."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from ..engine.compilation.program import checked_inputs, checked_shapes, program
from ..errors import LONGEST_NAME, InputError, lookup, shorten
from ..model.model import Model
from ..support.attributes import cached_property
from ..support.conversion import as_flag
from .expressions import Constants, ExpressionWriter, common_subexpressions, numbers, sympy
from .names import leaves
from .trigonometry import simplify_trigonometry

SHOWN_OPERATIONS = 200
"""Operations up to which formulas are shown without sub-expressions, in their shortest form."""
SHORTENED_OPERATIONS = 1000
"""Operations up to which that form is looked for."""
MOST_WRITTEN_OUT = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class Symbolic:
    """Function of a robot as formulas of SymPy, with common sub-expressions.

    `Robot.symbolic` makes it. `print` and notebooks show small ones in their shortest form, others with their
    sub-expressions. Symbols have no assumptions, so that `sympy.Symbol("q1")` is the one in the formulas.

    Parameters
    ----------
    name : str
        Name of the function.
    robot : str
        Name of the robot.
    subexpressions : tuple of (sympy.Symbol, sympy.Expr)
        Symbols x0, x1, … and what they stand for, each in terms of earlier ones.
    result : sympy.Expr, sympy.ImmutableMatrix or sympy.ImmutableDenseNDimArray, or tuple of these
        What the function returns, in terms of the sub-expressions: a vector is a column, a number an expression, an
        array with three or more axes an N-dimensional array; a tuple if the function returns several.
    symbols : mapping of str to tuple of sympy.Symbol
        Symbols of each array that the function takes, and of each parameter of the robot that has some.
    values : mapping of sympy.Symbol to float
        Numbers of this robot that symbols of its parameters stand for [SI units].

    Examples
    --------
    >>> import kinetrace as kt
    >>> M = kt.load("planar2r").symbolic("mass_matrix", rational=True)
    >>> M
    <mass_matrix of planar2r in q2: 2 sub-expressions, 8 operations>
    >>> M.subexpressions, M.result[0, 1]
    (((x0, cos(q2)/2), (x1, x0 + 1/3)), x1)
    >>> M.simplified()[0, 0]
    cos(q2) + 5/3
    """

    name: str
    robot: str
    subexpressions: tuple[tuple[Any, Any], ...]
    result: Any
    symbols: Mapping[str, tuple[Any, ...]]
    values: Mapping[Any, float]

    @property
    def operations(self) -> int:
        """Number of operations, as SymPy counts them, with each sub-expression computed once."""
        return sum(int(x.count_ops()) for x in (*(x for _, x in self.subexpressions), *self._entries))

    @property
    def _entries(self) -> list[Any]:
        """All entries of all results."""
        results = self.result if isinstance(self.result, tuple) else (self.result,)
        return [x for result in results for x in _flat(result)]

    @cached_property
    def size(self) -> int:
        """Number of operations without sub-expressions."""
        sizes: dict[Any, int] = {}

        def of(expression: Any) -> int:
            inside = (sizes.get(x, 0) for x in sympy().preorder_traversal(expression) if x.is_Symbol)
            return int(expression.count_ops()) + sum(inside)

        for symbol, meaning in self.subexpressions:
            sizes[symbol] = of(meaning)
        return sum(map(of, self._entries))

    def expanded(self, most: int | None = MOST_WRITTEN_OUT) -> Any:
        """Write out what the function returns, without sub-expressions.

        Parameters
        ----------
        most : int or None, default 20000
            Number of operations (`size`) beyond which this is refused; None allows any.

        Returns
        -------
        sympy.Expr, sympy.ImmutableMatrix or sympy.ImmutableDenseNDimArray, or tuple of these
            What `result` is, in terms of the symbols alone.

        Raises
        ------
        InputError
            If there are more operations than `most`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").symbolic("gravity", rational=True).expanded()[1]
        -981*sin(q1)*sin(q2)/200 + 981*cos(q1)*cos(q2)/200
        """
        self._check_size(most)
        constants = Constants()
        written_out = self._written_out(constants)
        return self._mapped(lambda x: constants.shown(written_out(x)))

    def _check_size(self, most: int | None) -> None:
        if self.size > _checked_most(most):
            raise InputError(
                f"{self.name} of {self.robot} has {self.size:,} operations without sub-expressions, more than "
                f"{most:,}: use subexpressions and result, or most=None"
            )

    def _written_out(self, constants: Constants) -> Callable[[Any], Any]:
        """Substitution of sub-expressions by their meanings, with symbols for floats."""
        put: dict[Any, Any] = {}
        for symbol, meaning in self.subexpressions:
            put[symbol] = constants.hidden(meaning).xreplace(put)
        return lambda x: constants.hidden(x).xreplace(put)

    def simplified(self, most: int | None = MOST_WRITTEN_OUT) -> Any:
        """Shortest form found for what the function returns, without sub-expressions.

        Products of sines and cosines become functions of sums of angles where that is shorter. Forms of polynomials in
        sines and cosines, and of quotients of them, are compared; other expressions stay nearly as they are.

        Parameters
        ----------
        most : int or None, default 20000
            Number of operations (`size`) beyond which this is refused; None allows any, and may take long.

        Returns
        -------
        sympy.Expr, sympy.ImmutableMatrix or sympy.ImmutableDenseNDimArray, or tuple of these
            What `result` is, in terms of the symbols alone.

        Raises
        ------
        InputError
            If there are more operations than `most`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> kt.load("planar2r").symbolic("gravity", inputs=("inertial", "gravity", "placements")).simplified()[1]
        c2*g*m2*cos(q1 + q2)
        """
        self._check_size(most)
        constants, known = Constants(), dict[Any, Any]()
        written_out = self._written_out(constants)

        def shorter(x: Any) -> Any:
            if x not in known:
                known[x] = simplify_trigonometry(written_out(x), constants)
            return known[x]

        return self._mapped(shorter)

    def subs(self, values: Mapping[Any, Any]) -> Symbolic:
        """Put numbers, expressions or other symbols in the place of symbols.

        Parameters
        ----------
        values : mapping of str or sympy.Symbol to str, float or sympy.Expr
            Symbols, and what replaces them; a text is read by SymPy.

        Returns
        -------
        Symbolic
            The formulas with the replacements.

        Raises
        ------
        InputError
            If a symbol is not among those of the formulas, or SymPy cannot read a text.

        Examples
        --------
        >>> import kinetrace as kt
        >>> M = kt.load("planar2r").symbolic("mass_matrix", inputs=("inertial", "placements"))
        >>> M.subs({"I_2yy": "m2 * l2**2 / 12", "c2": "l2 / 2"}).simplified()[1, 1]
        l2**2*m2/3
        """
        if not isinstance(values, Mapping):
            raise InputError(f"subs takes a mapping, as {{'m1': 2}}; got {shorten(repr(values), LONGEST_NAME)}")
        own = {x.name: x for symbols in self.symbols.values() for x in symbols}
        constants = Constants()
        put = {lookup("symbol", str(x), own): constants.hidden(_read(str(x), y)) for x, y in values.items()}

        def changed(x: Any) -> Any:
            return constants.shown(constants.hidden(x).subs(put, simultaneous=True))

        pairs = tuple((x, changed(meaning)) for x, meaning in self.subexpressions)
        symbols = {name: tuple(x for x in each if x not in put) for name, each in self.symbols.items()}
        left = {x: value for x, value in self.values.items() if x not in put}
        return replace(self, subexpressions=pairs, result=self._mapped(changed), symbols=symbols, values=left)

    def lambdify(self, modules: str | Sequence[Any] = "numpy") -> Callable[..., Any]:
        """Python function of the arrays, made by `sympy.lambdify` with the sub-expressions.

        It is for checks and other kinds of numbers; a kernel is much faster.

        Parameters
        ----------
        modules : str or sequence, default "numpy"
            Where its functions come from, as in `sympy.lambdify`: "numpy", "math", "mpmath", "jax", ….

        Returns
        -------
        callable
            Function of the arrays of one state in the order of `symbols`, without parameters of the robot: these have
            the robot's values, or those given by keyword under the names of their symbols.

        Raises
        ------
        InputError
            If SymPy does not know `modules`; calls raise it for wrong arguments.

        Examples
        --------
        >>> import kinetrace as kt
        >>> gravity = kt.load("planar2r").symbolic("gravity", inputs="gravity").lambdify()
        >>> gravity([0.0, 0.0]).ravel(), gravity([0.0, 0.0], g=1.62).ravel()
        (array([19.62 ,  4.905]), array([3.24, 0.81]))
        """
        s, arrays = sympy(), {name: each for name, each in self.symbols.items() if not set(each) & self.values.keys()}
        order = [x for each in arrays.values() for x in each]
        flat, formulas = [*order, *self.values], (self.subexpressions, self.result)
        try:
            made = s.lambdify(flat, self.result, modules, cse=lambda _: formulas)
        except (NameError, ImportError, TypeError) as error:
            raise InputError(f"modules: SymPy makes no function with {modules!r}: {error}") from None
        numbers = {x.name: value for x, value in self.values.items()}

        def function(*given: Any, **named: Any) -> Any:
            if len(given) != len(arrays):
                raise InputError(f"{self.name} takes {', '.join(arrays) or 'no array'}; got {len(given)} arrays")
            for name in named:
                lookup("symbol", name, numbers)
            entries = [_checked_entries(array, *symbols) for array, symbols in zip(given, arrays.items(), strict=True)]
            return made(*chain.from_iterable(entries), *{**numbers, **named}.values())

        return function

    def latex(self, name: str | None = None, *, abbreviated: bool = False) -> str:
        """Formulas in LaTeX.

        Parameters
        ----------
        name : str, optional
            Left-hand side, in LaTeX; none unless given.
        abbreviated : bool, default False
            Whether cosines and sines of joint angles and their sums are upright letters with the numbers of joints:
            c with the index 12 for cos(q1 + q2); cos with that index if symbols begin with c or s.

        Returns
        -------
        str
            Text for a display equation; with sub-expressions, lines of `aligned`.

        Examples
        --------
        >>> import kinetrace as kt
        >>> print(kt.load("planar2r").symbolic("potential_energy", inputs="gravity").latex("U"))
        U = 1.5 g \\sin{\\left(q_{1} \\right)} + 0.5 g \\sin{\\left(q_{1} + q_{2} \\right)}
        >>> print(kt.load("planar2r").symbolic("potential_energy").latex(abbreviated=True))
        4.905 \\mathrm{s}_{12} + 14.715 \\mathrm{s}_{1}
        """
        s, (pairs, results) = sympy(), self._shown
        if as_flag("abbreviated", abbreviated):
            pairs = tuple((x, self._abbreviated(meaning)) for x, meaning in pairs)
            results = tuple(_each(x, self._abbreviated) for x in results)
        right = r",\quad ".join(s.latex(x) for x in results)
        left = f"{name} = " if name else ""
        if not pairs:
            return left + right
        lines = [*(f"{s.latex(x)} &= {s.latex(y)}" for x, y in pairs), f"{left.replace('=', '&=') or '&'}{right}"]
        return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}"

    def _abbreviated(self, expression: Any) -> Any:
        """With letters for cosines and sines of angles and of their sums."""
        s, places = sympy(), {x: k for k, x in enumerate(self.symbols.get("q", ()), 1)}
        put, letters = {}, {x.name[0] for each in self.symbols.values() for x in each}
        words = (r"\cos", r"\sin") if letters & {"c", "s"} else (r"\mathrm{c}", r"\mathrm{s}")
        for word, function in zip(words, (s.cos, s.sin), strict=True):
            for x in expression.atoms(function):
                parts = x.args[0].args if x.args[0].is_Add else x.args
                if set(parts) <= places.keys():
                    at = sorted(places[part] for part in parts)
                    index = ("" if at[-1] < 10 else ",").join(map(str, at))
                    put[x] = s.Symbol(f"{word}_{{{index}}}")
        return expression.xreplace(put)

    @cached_property
    def _shown(self) -> tuple[tuple[tuple[Any, Any], ...], tuple[Any, ...]]:
        """Sub-expressions and results that people see."""
        short = (
            replace(self, subexpressions=(), result=self.simplified()) if self.size <= SHORTENED_OPERATIONS else self
        )
        shown = short if short.operations <= SHOWN_OPERATIONS else self
        return shown.subexpressions, shown.result if isinstance(shown.result, tuple) else (shown.result,)

    def __str__(self) -> str:
        s, (pairs, results) = sympy(), self._shown
        lines = [s.pretty(s.Eq(x, y, evaluate=False), wrap_line=False, use_unicode=True) for x, y in pairs]
        return "\n".join([*lines, *(s.pretty(x, wrap_line=False, use_unicode=True) for x in results)])

    def __repr__(self) -> str:
        inside = {x for _, meaning in self.subexpressions for x in meaning.free_symbols}
        inside |= {x for entry in self._entries for x in entry.free_symbols}
        free = [x.name for each in self.symbols.values() for x in each if x in inside]
        pairs = len(self.subexpressions)
        counted = f"{pairs} sub-expression{'s' * (pairs != 1)}, {self.operations} operations"
        return f"<{self.name} of {self.robot} in {', '.join(free) or 'no symbol'}: {counted}>"

    def _latex(self, printer: Any) -> str:
        """Text of `sympy.latex`."""
        return self.latex()

    def _sympy_(self) -> Any:
        """Form in which SymPy's functions take it."""
        return sympy().sympify(self.expanded())

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _mapped(self, change: Callable[[Any], Any]) -> Any:
        """The result with its entries changed."""
        if isinstance(self.result, tuple):
            return tuple(_each(x, change) for x in self.result)
        return _each(self.result, change)


def symbolic(
    function: Callable[..., Any],
    model: Model,
    *,
    inputs: str | Sequence[str],
    symbols: Mapping[str, str] | None,
    shapes: Mapping[str, Any] | None,
    rational: bool,
    most: int | None,
    static: Mapping[str, Any],
) -> Symbolic:
    """The formulas of a function of (model, q, ...); the arguments are those of `Robot.symbolic`."""
    sympy()
    chosen = checked_inputs(inputs)
    made = program(function, model, static, inputs=chosen, shapes=checked_shapes(shapes))
    if made.dims:
        raise InputError(
            f"{made.name} takes arrays of any length {made.dims[0]!r}: a formula needs a number, as in "
            f"shapes={{'tau': (3, {model.nv})}}"
        )
    number, constants = numbers(rational), Constants()
    found = leaves(model, made.inputs, chosen, symbols or {}, number)
    writer = ExpressionWriter(made, number, constants, _checked_most(most))
    results = writer.results(found.expressions)
    taken = {x.name for each in found.symbols.values() for x in each}
    pairs, entries = common_subexpressions(writer.pairs, results, constants, taken)
    arrays = [_array(x, a.shape) for x, a in zip(entries, made.outputs, strict=True)]
    several = len(arrays) != 1
    return Symbolic(
        made.name, model.name, tuple(pairs), tuple(arrays) if several else arrays[0], found.symbols, found.values
    )


def _checked_most(most: Any) -> float:
    if most is None:
        return math.inf
    if not isinstance(most, int) or isinstance(most, bool) or most < 1:
        raise InputError(f"most must be a whole number of operations, at least 1, or None; got {most!r}")
    return most


def _read(symbol: str, value: Any) -> Any:
    s = sympy()
    try:
        return s.sympify(value)
    except (s.SympifyError, TypeError, AttributeError):
        raise InputError(f"subs: {shorten(repr(value), LONGEST_NAME)} for {symbol} is no expression") from None


def _array(entries: list[Any], shape: tuple[int, ...]) -> Any:
    s = sympy()
    if not shape:
        return entries[0]
    if len(shape) > 2:
        return s.ImmutableDenseNDimArray(entries, shape)
    return s.ImmutableMatrix(*shape, entries) if len(shape) == 2 else s.ImmutableMatrix(shape[0], 1, entries)


def _flat(result: Any) -> list[Any]:
    if isinstance(result, sympy().MatrixBase):
        return list(result)
    return list(sympy().flatten(result)) if isinstance(result, sympy().NDimArray) else [result]


def _each(result: Any, change: Callable[[Any], Any]) -> Any:
    is_array = isinstance(result, sympy().MatrixBase | sympy().NDimArray)
    return result.applyfunc(change) if is_array else change(result)


def _checked_entries(array: Any, name: str, symbols: Sequence[Any]) -> list[Any]:
    """The entries of an array of one state, of whatever kind they are."""
    found = _leaves(array)
    if len(found) != len(symbols):
        raise InputError(f"{name} must have {len(symbols)} entries, got {len(found)}")
    return found


def _leaves(x: Any) -> list[Any]:
    if hasattr(x, "ravel"):
        return list(x.ravel())
    return [z for y in x for z in _leaves(y)] if isinstance(x, list | tuple) else [x]
