"""Shorter forms of polynomials in sines and cosines: products become functions of sums of angles, and back.

A product of sines and cosines of angles θ is a sum of cos(n·θ) and sin(n·θ) with whole n: the Fourier form, in which
equal terms cancel. From it there is a way back to products of cos θ′ and sin θ′ with sin² θ′ = 1 - cos² θ′, of the
angles themselves or of their sums θ′_k = θ_k + θ′_{k-1}, as those of parallel axes are. The shortest form is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from .numbers import sympy

MOST_SUMS = 5
"""Angles up to which all choices of sums are tried."""
ROUNDING = 1e-15
"""Of a coefficient relative to the largest one: what is less is rounding."""

Frequencies = tuple[int, ...]


def simplified(expression: Any) -> Any:
    """The shortest form that is found.

    >>> import sympy
    >>> a, b = sympy.symbols("a b")
    >>> simplified(sympy.sin(a) * sympy.cos(b) + sympy.cos(a) * sympy.sin(b))
    sin(a + b)
    >>> simplified(sympy.cos(a) ** 4 + sympy.sin(a) ** 2 * sympy.cos(a) ** 2)
    cos(a)**2
    """
    s = sympy()
    if expression.is_Atom:
        return expression
    if expression.is_Piecewise:
        return s.Piecewise(*((simplified(value), condition) for value, condition in expression.args))
    above, below = s.fraction(s.together(expression))
    if not below.is_number:
        return min((expression, simplified(above) / simplified(below)), key=_length)
    angles = sorted({x.args[0] for x in expression.atoms(s.sin, s.cos)}, key=s.default_sort_key)
    pairs = [(s.Dummy(), s.Dummy()) for _ in angles]
    functions = {f(x): d for x, pair in zip(angles, pairs, strict=True) for f, d in zip((s.cos, s.sin), pair, strict=True)}
    generators = [d for pair in pairs for d in pair]
    plain = expression.xreplace(functions)
    if not generators or not plain.is_polynomial(*generators):
        return min((expression, s.expand(expression), s.factor_terms(expression)), key=_length)
    waves = Waves(s.Poly(plain, *generators), len(angles))
    return min((expression, *waves.forms(angles)), key=_length)


def _length(expression: Any) -> tuple[int, int]:
    return int(expression.count_ops()), len(str(expression))


class Waves:
    """A polynomial in cosines and sines as a sum of cosines and sines of sums of angles."""

    def __init__(self, polynomial: Any, angles: int) -> None:
        self.even: dict[Frequencies, Any] = {}
        """n → the factor of cos(n·θ)."""
        self.odd: dict[Frequencies, Any] = {}
        """n → the factor of sin(n·θ)."""
        for powers, factor in polynomial.terms():
            sines = sum(powers[1::2])
            terms, sign = (self.odd, (-1) ** ((1 - sines) // 2)) if sines % 2 else (self.even, (-1) ** (sines // 2))
            for n, weight in _waves(powers):
                self._add(terms, n, factor * sign * sympy().Rational(weight.numerator, weight.denominator))
        for terms in (self.even, self.odd):
            for n in list(terms):
                terms[n] = sympy().expand(terms[n])
        self._drop_rounding()

    def _add(self, terms: dict[Frequencies, Any], n: Frequencies, factor: Any) -> None:
        """Add one, of n or -n: the first frequency that is not zero is positive."""
        first = next((x for x in n if x), 0)
        if first == 0 and terms is self.odd:
            return
        if first < 0:
            n, factor = tuple(-x for x in n), factor if terms is self.even else -factor
        terms[n] = terms.get(n, 0) + factor

    def _drop_rounding(self) -> None:
        every = [x for terms in (self.even, self.odd) for x in terms.values()]
        largest = max((abs(x) for x in every if x.is_number), default=0)
        for terms in (self.even, self.odd):
            for n in [n for n, x in terms.items() if x == 0 or (x.is_Float and abs(x) < ROUNDING * largest)]:
                del terms[n]

    def forms(self, angles: list[Any]) -> Iterator[Any]:
        """The ways to write it."""
        s = sympy()

        def at(n: Frequencies) -> Any:
            return sum(k * x for k, x in zip(n, angles, strict=True))

        yield s.Add(
            *(_short(x) * s.cos(at(n)) for n, x in self.even.items()),
            *(_short(x) * s.sin(at(n)) for n, x in self.odd.items()),
        )
        free = [False, True] if len(angles) <= MOST_SUMS and all(x.is_Symbol for x in angles) else [False]
        for summed in product([False], *[free] * (len(angles) - 1)):
            yield self._in_products(angles, summed)

    def _in_products(self, angles: list[Any], summed: tuple[bool, ...]) -> Any:
        """In cosines and sines of angles, or of the sums that they end."""
        s = sympy()
        last, each = 0, list[Any]()
        for angle, is_sum in zip(angles, summed, strict=True):
            last = angle + last if is_sum else angle
            each.append(last)
        cosines, sines = ([f(x) for x in each] for f in (s.cos, s.sin))
        total = 0
        for terms, part in ((self.even, 0), (self.odd, 1)):
            for n, factor in terms.items():
                turned = [k - (n[j + 1] if summed[j + 1] else 0) for j, k in enumerate(n[:-1])] + [n[-1]]
                total += factor * _product(turned, cosines, sines)[part]
        terms = s.collect(s.expand(total), [*cosines, *sines], evaluate=False, exact=False)
        return s.Add(*(_short(factor) * term for term, factor in terms.items()))


def _product(n: list[int], cosines: list[Any], sines: list[Any]) -> tuple[Any, Any]:
    """cos and sin of a sum of multiples of angles."""
    s = sympy()
    real, imaginary = s.Integer(1), s.Integer(0)
    for k, c, sine in zip(n, cosines, sines, strict=True):
        if k:
            sign = 1 if k > 0 else -1
            a, b = s.chebyshevt(abs(k), c), sign * sine * s.chebyshevu(abs(k) - 1, c)
            real, imaginary = s.expand(real * a - imaginary * b), s.expand(real * b + imaginary * a)
    squares = {sine**2: 1 - c**2 for c, sine in zip(cosines, sines, strict=True)}
    return real.subs(squares), imaginary.subs(squares)


def _short(factor: Any) -> Any:
    """A factor, as a product if that is shorter."""
    return factor if factor.is_Atom else min((factor, sympy().factor_terms(factor), sympy().factor(factor)), key=_length)


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
