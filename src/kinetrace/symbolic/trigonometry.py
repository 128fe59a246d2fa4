"""Shorter forms of polynomials in sines and cosines: products become functions of sums of angles, and back.

A product of sines and cosines of angles θ is a sum of cos(n·θ) and sin(n·θ) with whole n: the Fourier form, in which
equal terms cancel. From it there is a way back to products of cos θ′ and sin θ′ with sin² θ′ = 1 - cos² θ′, of the
angles themselves or of their sums θ′_k = θ_k + θ′_{k-1}, as those of parallel axes are. The shortest form is taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate, product
from math import comb
from typing import Any

from .expressions import Coefficients, Constants, add_to, coefficients, linear_sum, sympy, without_rounding

MOST_SUMS = 5
"""Angles up to which all choices of sums are tried."""

Frequencies = tuple[int, ...]
Powers = tuple[int, ...]
"""Of the cosine and of the sine of each angle."""
Polynomial = dict[Powers, int]


def simplify_trigonometry(expression: Any, constants: Constants | None = None) -> Any:
    """The shortest form that is found; floats may be symbols of `constants`.

    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> simplify_trigonometry(sympy.sin(a) * sympy.cos(b) + sympy.cos(a) * sympy.sin(b))
    sin(a + b)
    >>> simplify_trigonometry(sympy.cos(a) ** 4 + sympy.sin(a) ** 2 * sympy.cos(a) ** 2)
    cos(a)**2
    """
    constants = Constants() if constants is None else constants
    s, hidden = sympy(), constants.hidden(expression)
    expression = constants.shown(hidden)
    if expression.is_Atom:
        return expression
    if expression.is_Piecewise:
        return s.Piecewise(*((simplify_trigonometry(x, constants), constants.shown(when)) for x, when in hidden.args))
    above, below = s.fraction(s.together(hidden))
    if not constants.is_number(below):
        return min(
            (expression, simplify_trigonometry(above, constants) / simplify_trigonometry(below, constants)), key=_length
        )
    angles = sorted({x.args[0] for x in expression.atoms(s.sin, s.cos)}, key=s.default_sort_key)
    pairs = [(s.Dummy(), s.Dummy()) for _ in angles]
    functions = {
        f(x): d for x, pair in zip(angles, pairs, strict=True) for f, d in zip((s.cos, s.sin), pair, strict=True)
    }
    generators = [d for pair in pairs for d in pair]
    value, size = (x.xreplace(functions) for x in (expression, constants.majorant(hidden)))
    if not generators or not value.is_polynomial(*generators):
        terms = without_rounding(*(coefficients(s.expand(x)) for x in (value, size)))
        flat = _whole(linear_sum(terms)).xreplace({d: f for f, d in functions.items()})
        return min((expression, s.factor_terms(expression), _short(flat)), key=_length)
    waves = Waves(*(s.Poly(x, *generators) for x in (value, size)))
    written = min(waves.forms(angles), key=lambda form: form.cost).written(angles)
    return min((expression, written), key=_length)


def _length(expression: Any) -> tuple[int, int, int]:
    """Symbols that cancel are the first thing to leave out."""
    return len(expression.free_symbols), int(expression.count_ops()), len(str(expression))


class Waves:
    """A polynomial in cosines and sines as a sum of cosines and sines of sums of angles.

    Factors are sums of products of symbols. `size` is the majorant of the polynomial.
    """

    def __init__(self, polynomial: Any, size: Any) -> None:
        self.even, self.odd = _multiple_angle_factors(polynomial, signed=True)
        """n → the factor of cos(n·θ), and of sin(n·θ)."""
        self.sizes = _multiple_angle_factors(size, signed=False)
        """Sizes of the terms that these were added up from."""
        for terms, sizes in zip((self.even, self.odd), self.sizes, strict=True):
            for n in list(terms):
                terms[n] = without_rounding(terms[n], sizes[n])
                if not terms[n]:
                    del terms[n]

    def forms(self, angles: list[Any]) -> Iterator[AngleForm]:
        """The ways to write it."""
        parts = ((self.even, 0), (self.odd, 1))
        yield Sums([(_whole(linear_sum(x)), n, kind) for terms, kind in parts for n, x in terms.items()])
        free = [False, True] if len(angles) <= MOST_SUMS and all(x.is_Symbol for x in angles) else [False]
        for summed in product([False], *[free] * (len(angles) - 1)):
            yield self._products(summed)

    def _products(self, summed: tuple[bool, ...]) -> Products:
        """In cosines and sines of angles, or of the sums that they end."""
        values, sizes = dict[Powers, Coefficients](), dict[Powers, Coefficients]()
        for part, (terms, their) in enumerate(zip((self.even, self.odd), self.sizes, strict=True)):
            for n, factor in terms.items():
                turned = [k - (n[j + 1] if summed[j + 1] else 0) for j, k in enumerate(n[:-1])] + [n[-1]]
                for powers, weight in _multiple(tuple(turned))[part].items():
                    add_to(values.setdefault(powers, {}), factor, weight)
                    add_to(sizes.setdefault(powers, {}), their[n], abs(weight))
        left = ((without_rounding(x, sizes[powers]), powers) for powers, x in values.items())
        return Products([(_whole(linear_sum(factor)), powers) for factor, powers in left if factor], summed)


def _multiple_angle_factors(polynomial: Any, *, signed: bool) -> tuple[dict[Frequencies, Coefficients], ...]:
    """Factors of cos(n·θ), and of sin(n·θ), in a polynomial; without signs, what they are added up from."""
    even, odd = dict[Frequencies, Coefficients](), dict[Frequencies, Coefficients]()
    for powers, factor in polynomial.terms():
        terms, sines = coefficients(sympy().expand(factor)), sum(powers[1::2])
        for n, weight in _waves(powers):
            sign = (-1) ** (sines // 2)
            first = next((x for x in n if x), 0)
            if first < 0:  # of n and -n, the one whose first frequency other than zero is positive
                n, sign = tuple(-x for x in n), -sign if sines % 2 else sign
            if first or not sines % 2:
                by = sympy().Rational(weight.numerator, weight.denominator)
                add_to((odd if sines % 2 else even).setdefault(n, {}), terms, sign * by if signed else abs(by))
    return even, odd


class AngleForm(ABC):
    """A sum of factors times functions of angles."""

    @property
    @abstractmethod
    def cost(self) -> int:
        """About how many operations it has."""

    @abstractmethod
    def written(self, angles: list[Any]) -> Any:
        """The expression, with factors in their shortest form."""


@dataclass(frozen=True)
class Sums(AngleForm):
    """Cosines and sines of sums of angles: factors, frequencies, and 0 for cosines, 1 for sines."""

    terms: list[tuple[Any, Frequencies, int]]

    @property
    def cost(self) -> int:
        """Of sums of multiples, their functions, and factors."""
        each = (sum(1 + (abs(k) > 1) for k in n if k) + 2 * any(n) for _, n, _ in self.terms)
        return sum(each) + sum(int(factor.count_ops()) for factor, *_ in self.terms)

    def written(self, angles: list[Any]) -> Any:
        """The sum of factors times cosines and sines."""
        s = sympy()
        functions = ((s.cos, s.sin)[kind](_sum(n, angles)) for _, n, kind in self.terms)
        return s.Add(*(_short(factor) * f for (factor, *_), f in zip(self.terms, functions, strict=True)))


@dataclass(frozen=True)
class Products(AngleForm):
    """Products of powers of cosines and sines: of an angle, or of the sum with what is before it."""

    terms: list[tuple[Any, Powers]]
    summed: tuple[bool, ...]

    @property
    def cost(self) -> int:
        """Of sums, their functions, powers, and factors."""
        lengths = list(accumulate(self.summed, lambda n, is_sum: n + 1 if is_sum else 1, initial=1))[1:]
        each = (
            (1 + length + (power > 1)) * (power > 0)
            for _, powers in self.terms
            for k, length in enumerate(lengths)
            for power in powers[2 * k : 2 * k + 2]
        )
        return sum(each) + sum(int(factor.count_ops()) + 1 for factor, _ in self.terms)

    def written(self, angles: list[Any]) -> Any:
        """The sum of factors times products of powers."""
        s, each = sympy(), list[Any]()
        for angle, is_sum in zip(angles, self.summed, strict=True):
            each.append(each[-1] + angle if is_sum else angle)
        functions = [f(x) for x in each for f in (s.cos, s.sin)]
        powers = (s.Mul(*(f**k for f, k in zip(functions, n, strict=True))) for _, n in self.terms)
        return s.Add(*(_short(factor) * f for (factor, _), f in zip(self.terms, powers, strict=True)))


def _sum(n: Frequencies, angles: list[Any]) -> Any:
    return sympy().Add(*(k * x for k, x in zip(n, angles, strict=True)))


@cache
def _multiple(n: Frequencies) -> tuple[Polynomial, Polynomial]:
    """cos and sin of a sum of multiples of angles, as polynomials in the cosines and sines of the angles.

    >>> _multiple((1, -1))
    ({(1, 0, 1, 0): 1, (0, 1, 0, 1): 1}, {(1, 0, 0, 1): -1, (0, 1, 1, 0): 1})
    """
    if not n:
        return {(): 1}, {}
    (*rest, k), (c, s) = n, _powers(abs(n[-1]))
    real, imaginary = _multiple(tuple(rest))
    if k < 0:
        s = {x: -y for x, y in s.items()}
    return (
        _added(_times(real, c), {x: -y for x, y in _times(imaginary, s).items()}),
        _added(_times(real, s), _times(imaginary, c)),
    )


def _powers(k: int) -> tuple[Polynomial, Polynomial]:
    """cos kθ and sin kθ, from cos (k-1)θ and sin (k-1)θ; of sines the first powers alone."""
    if k == 0:
        return {(0, 0): 1}, {}
    c, s = _powers(k - 1)
    cosine: Polynomial = {(1, 0): 1}
    sine: Polynomial = {(0, 1): 1}
    real, imaginary = _along(c, cosine), _along(c, sine)
    for into, by, sign in ((real, sine, -1), (imaginary, cosine, 1)):
        for x, y in _along(s, by).items():
            into[x] = into.get(x, 0) + sign * y
    return _reduce_squares(real), _reduce_squares(imaginary)


def _along(a: Polynomial, b: Polynomial) -> Polynomial:
    """A product of polynomials in the same angle."""
    found: Polynomial = {}
    for (x, u), (y, v) in product(a.items(), b.items()):
        key = tuple(i + j for i, j in zip(x, y, strict=True))
        found[key] = found.get(key, 0) + u * v
    return found


def _reduce_squares(a: Polynomial) -> Polynomial:
    """With sin² = 1 - cos²."""
    found: Polynomial = {}
    for (c, s), x in a.items():
        for key, y in [((c, 0), x), ((c + 2, 0), -x)] if s == 2 else [((c, s), x)]:
            found[key] = found.get(key, 0) + y
    return {key: x for key, x in found.items() if x}


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    """A product of polynomials in different angles."""
    return {(*x, *y): u * v for (x, u), (y, v) in product(a.items(), b.items())}


def _added(a: Polynomial, b: Polynomial) -> Polynomial:
    return {x: y for x in {**a, **b} if (y := a.get(x, 0) + b.get(x, 0))}


def _whole(factor: Any) -> Any:
    """A factor in which whole numbers are no floats: SymPy's polynomials have numbers of one kind."""
    s = sympy()
    return factor.xreplace({x: s.Integer(int(x)) for x in factor.atoms(s.Float) if float(x).is_integer()})


def _short(factor: Any) -> Any:
    """A factor, as a product if that is shorter."""
    return (
        factor if factor.is_Atom else min((factor, sympy().factor_terms(factor), sympy().factor(factor)), key=_length)
    )


def _waves(powers: tuple[int, ...]) -> Iterator[tuple[Frequencies, Fraction]]:
    """Frequencies and weights of ∏ cos^a sin^b, but for a factor i of each sine: powers are a, b of each angle.

    >>> sorted(_waves((1, 0)))
    [((-1,), Fraction(1, 2)), ((1,), Fraction(1, 2))]
    """
    each = []
    for a, b in zip(powers[::2], powers[1::2], strict=True):
        found: dict[int, Fraction] = {}
        for i, j in product(range(a + 1), range(b + 1)):
            n = a - 2 * i + b - 2 * j
            found[n] = found.get(n, Fraction(0)) + Fraction(comb(a, i) * comb(b, j) * (-1) ** j, 2 ** (a + b))
        each.append([(n, weight) for n, weight in found.items() if weight])
    for chosen in product(*each):
        weight = Fraction(1)
        for _, factor in chosen:
            weight *= factor
        yield tuple(n for n, _ in chosen), weight
