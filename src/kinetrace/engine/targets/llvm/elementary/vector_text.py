"""Instructions on vectors of doubles and on their bits, and the largest whole number that is not above a number."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from kinetrace.errors import InputError, unknown_name_error

SIGN_BIT = 1 << 63
"""The sign bit."""


class VectorText:
    """Writes instructions on `<lanes x double>`, or on `double` without lanes; methods name their result."""

    def __init__(self, prefix: str, lanes: int | None) -> None:
        self.prefix = prefix
        self.lanes = lanes
        self.lines: list[str] = []
        self.real = self.type("double")
        self.bits = self.type("i64")
        self.suffix = "f64" if lanes is None else f"v{lanes}f64"
        self._count = 0

    def type(self, scalar: str) -> str:
        """The type of one value."""
        return scalar if self.lanes is None else f"<{self.lanes} x {scalar}>"

    def put(self, instruction: str) -> str:
        """Append an instruction and return the name of its result."""
        self._count += 1
        name = f"%{self.prefix}.{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def _splat(self, scalar: str, value: str) -> str:
        return value if self.lanes is None else f"<{', '.join([f'{scalar} {value}'] * self.lanes)}>"

    def number(self, value: float) -> str:
        """The same number in every lane."""
        return self._splat("double", f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}")

    def word(self, value: int) -> str:
        """The same 64-bit pattern in every lane."""
        return self._splat("i64", str(value - (1 << 64) if value >> 63 else value))

    def op(self, name: str, a: str, b: str) -> str:
        """A binary operation on numbers."""
        return self.put(f"{name} {self.real} {a}, {b}")

    def bit(self, name: str, a: str, b: str | int) -> str:
        """A binary operation on 64-bit patterns."""
        return self.put(f"{name} {self.bits} {a}, {b if isinstance(b, str) else self.word(b)}")

    def muladd(self, a: str, b: str, c: str) -> str:
        """`a b + c`, rounded once where the processor does that at no cost, else twice."""
        r = self.real
        return self.put(f"call {r} @llvm.fmuladd.{self.suffix}({r} {a}, {r} {b}, {r} {c})")

    def polynomial(self, z: str, coefficients: Sequence[float], zz: str = "") -> str:
        """Horner's rule; in z² over pairs of terms if `zz` names z², which takes half as long."""
        terms = [self.number(c) for c in coefficients]
        if zz:
            pairs = zip(terms[1::2], terms[::2], strict=True)
            return self._horner(zz, [self.muladd(b, z, a) for b, a in pairs])
        return self._horner(z, terms)

    def _horner(self, z: str, terms: Sequence[str]) -> str:
        value = terms[-1]
        for term in reversed(terms[:-1]):
            value = self.muladd(value, z, term)
        return value

    def pick(self, condition: str, a: str, b: str) -> str:
        """`a` in the lanes where the condition holds, else `b`."""
        return self.put(f"select {self.type('i1')} {condition}, {self.real} {a}, {self.real} {b}")

    def compare(self, how: str, a: str, b: str) -> str:
        """An ordered or unordered comparison of numbers."""
        return self.put(f"fcmp {how} {self.real} {a}, {b}")

    def pattern(self, a: str) -> str:
        """A number's 64 bits."""
        return self.put(f"bitcast {self.real} {a} to {self.bits}")

    def of_pattern(self, a: str) -> str:
        """The number with these 64 bits."""
        return self.put(f"bitcast {self.bits} {a} to {self.real}")

    def flip(self, a: str, sign: str) -> str:
        """`a` with its sign changed where the top bit of `sign` (all others zero) is set."""
        return self.of_pattern(self.bit("xor", self.pattern(a), sign))

    def magnitude(self, a: str) -> str:
        """|a|."""
        return self.put(f"call {self.real} @llvm.fabs.{self.suffix}({self.real} {a})")

    def widen(self, a: str, dtype: str) -> str:
        """A value of `dtype` as double."""
        return a if dtype == "double" else self.put(f"fpext {self.type(dtype)} {a} to {self.real}")

    def narrow(self, a: str, dtype: str) -> str:
        """A double as `dtype`."""
        return a if dtype == "double" else self.put(f"fptrunc {self.real} {a} to {self.type(dtype)}")


def checked_text(prefix: str, lanes: int, dtype: str) -> VectorText:
    """A writer for values `<lanes x dtype>`, computed in double."""
    check_type(lanes, dtype)
    return VectorText(prefix, lanes)


def check_type(lanes: int, dtype: str) -> None:
    """Refuse what is no type of a value."""
    if dtype not in ("double", "float"):
        raise unknown_name_error("dtype", dtype, ("double", "float"))
    if lanes < 1:
        raise InputError(f"lanes is {lanes}; it must be at least 1")


def floor(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the largest whole number that is not above `x`, and the name of the result.

    LLVM's own calls a library where the processor has no such instruction. Below 2^52, adding and subtracting 2^52
    rounds |x| to the nearest whole number; a larger one is whole.
    """
    w = checked_text(prefix, lanes, dtype)
    x = w.widen(x, dtype)
    sign, whole = w.bit("and", w.pattern(x), SIGN_BIT), w.number(2.0**52)
    size = w.magnitude(x)
    near = w.flip(w.op("fsub", w.op("fadd", size, whole), whole), sign)
    low = w.pick(w.compare("ogt", near, x), w.op("fsub", near, w.number(1.0)), near)
    return w.lines, w.narrow(w.pick(w.compare("olt", size, whole), low, x), dtype)
