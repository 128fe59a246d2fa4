"""Sine and cosine.

x = k π/2 + r with |r| ≤ π/4. π/2 = P1 + P2 + P3, where P1 and P2 have 37 bits, so k P1 and k P2 are exact for
|k| ≤ 2^16 (|x| < 102943): Cody and Waite, Software Manual for the Elementary Functions, 1980. The rounding error of r
is kept as a second word. Beyond that, and for what is not finite, see `large_angles`.

The polynomials approximate (sin r / r − 1) / r² with the weight r² and (cos r − 1 + r²/2) / r⁴ with the weight r⁴ on
r² ≤ (π/4)².
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from .pi import TWO_OVER_PI, half_pi_parts
from .writer import SIGN, Writer, checked_writer

_SIN = (  # 2^-58
    -0.16666666666666632,
    0.008333333333322425,
    -0.0001984126982981698,
    2.755731369523814e-06,
    -2.5050758655279464e-08,
    1.5896828051864414e-10,
)
_COS = (  # 2^-64
    0.0416666666666666,
    -0.0013888888888874138,
    2.4801587289491908e-05,
    -2.755731435526536e-07,
    2.0875723687619448e-09,
    -1.1359670030770004e-11,
)
_SIN_FLOAT = (  # 2^-37
    -0.16666666641626918,
    0.0083333293859341,
    -0.0001983933485089557,
    2.7183116395655383e-06,
)
_COS_FLOAT = (  # 2^-33
    0.04166664686637076,
    -0.001388736751230653,
    2.443845121820304e-05,
)

_K = 16
"""The inline path takes -2^16 ≤ k < 2^16; a wider range would cost a fourth part of π/2."""
_P1, _P2, _P3 = half_pi_parts(53 - _K)
# Adding 1.5 2^52 + 2^16 rounds to an integer and leaves k + 2^16 in the low 17 bits; the bits above are then
# those of 1.5 2^52, unless |k| was too large or x not finite.
_ROUND = 1.5 * 2**52 + 2**_K
_ROUND_BITS = 0x4338000000000000
_HIGH = ((1 << 64) - 1) ^ ((2 << _K) - 1)


def quadrant(w: Writer, x: str) -> tuple[str, str]:
    """k, the integer nearest to 2 x / π, as a bit pattern (plus 2^16, see `_ROUND`) and as a number."""
    t = w.muladd(x, w.number(TWO_OVER_PI), w.number(_ROUND))
    return w.pattern(t), w.op("fsub", t, w.number(_ROUND))


def beyond_range(w: Writer, k: str) -> str:
    """A word that is zero where k is in the range of the inline path."""
    return w.bit("and", w.bit("xor", k, _ROUND_BITS), _HIGH)


def by_quadrant(w: Writer, k: str, s: str, c: str) -> tuple[str, str]:
    """sin and cos of r + k π/2 from those of r."""
    odd, half = w.bit("shl", k, 63), w.bit("shl", k, 62)
    swap = w.put(f"icmp slt {w.bits} {odd}, {w.word(0)}")
    sine = w.flip(w.pick(swap, c, s), w.bit("and", half, SIGN))
    cosine = w.flip(w.pick(swap, s, c), w.bit("and", w.bit("xor", half, odd), SIGN))
    return sine, cosine


def sincos_near_zero(w: Writer, r: str, short: str) -> tuple[str, str]:
    """sin and cos of `r - short`, |r| ≤ π/4 and `short` below a unit in its last place.

    The signs are such that sin(-0) = -0 - (+0) = -0.
    """
    z = w.op("fmul", r, r)
    zz = w.op("fmul", z, z)
    sine = w.muladd(w.op("fmul", r, z), w.polynomial(z, [-c for c in _SIN], zz), short)
    cosine = w.muladd(r, w.muladd(z, w.polynomial(z, _COS, zz), w.number(-0.5)), short)
    return w.op("fsub", r, sine), w.muladd(r, cosine, w.number(1.0))


def _inline(w: Writer, x: str, dtype: str) -> tuple[str, str, str]:
    """sin, cos, and a word that is zero in the lanes where these hold."""
    bits, k = quadrant(w, x)
    r1 = w.muladd(k, w.number(-_P1), x)  # exact
    if dtype == "double":
        r = w.muladd(k, w.number(-_P2), r1)
        short = w.muladd(k, w.number(_P2), w.op("fsub", r, r1))  # exact: what r has too much
        s, c = sincos_near_zero(w, r, w.muladd(k, w.number(_P3), short))
    else:
        r = w.muladd(k, w.number(-(_P2 + _P3)), r1)
        z = w.op("fmul", r, r)
        s = w.op("fmul", r, w.polynomial(z, (1.0, *_SIN_FLOAT)))
        c = w.polynomial(z, (1.0, -0.5, *_COS_FLOAT))
    return *by_quadrant(w, bits, s, c), beyond_range(w, bits)


class SinCos(NamedTuple):
    """Instructions to paste into a function, and what is known after them."""

    lines: list[str]
    sin: list[str]
    """The names of the sines."""
    cos: list[str]
    """The names of the cosines."""
    block: str
    """The label of the basic block that is open after the last line."""


def sincos(angles: Sequence[str], prefix: str, lanes: int, dtype: str) -> SinCos:
    """Sines and cosines of `angles`, the names of `<lanes x dtype>` values.

    Everything that is defined here, labels too, is named `{prefix}.…`. If any lane of any angle is beyond the inline
    range or not finite, the lines call the rare path: the module needs `definitions({"sincos"}, lanes, dtype)`.
    """
    w = checked_writer(prefix, lanes, dtype)
    w.lines += [f"  br label %{prefix}.inline", f"{prefix}.inline:"]
    xs = [w.widen(x, dtype) for x in angles]
    found = [_inline(w, x, dtype) for x in xs]
    anywhere = reduce(lambda a, b: w.put(f"or {w.bits} {a}, {b}"), [beyond for _, _, beyond in found])
    whole = w.put(f"bitcast {w.bits} {anywhere} to i{64 * lanes}")
    good = w.put(f"icmp eq i{64 * lanes} {whole}, 0")
    w.lines += [f"  br i1 {good}, label %{prefix}.join, label %{prefix}.rare", f"{prefix}.rare:"]
    pair = f"{{{w.real}, {w.real}}}"
    called = f"call {pair} @kt.sincos.rare.v{lanes}"
    both = [
        w.put(f"{called}({w.real} {x}, {w.real} {s}, {w.real} {c})") for x, (s, c, _) in zip(xs, found, strict=True)
    ]
    rare = [[w.put(f"extractvalue {pair} {y}, {i}") for y in both] for i in (0, 1)]
    w.lines += [f"  br label %{prefix}.join", f"{prefix}.join:"]

    def joined(i: int) -> list[str]:
        pairs = zip(found, rare[i], strict=True)
        return [w.put(f"phi {w.real} [ {a[i]}, %{prefix}.inline ], [ {b}, %{prefix}.rare ]") for a, b in pairs]

    sin, cos = ([w.narrow(x, dtype) for x in names] for names in [joined(0), joined(1)])
    return SinCos(w.lines, sin, cos, f"{prefix}.join")


def sincos_operations() -> int:
    """Multiplications and additions inside the sine and cosine of one angle, without the rare path.

    >>> 30 < sincos_operations() < 60
    True
    """
    lines = sincos(["%x"], "f", 1, "double").lines
    inline = "\n".join(lines[: lines.index("f.rare:")])
    return sum(inline.count(f" {x} ") for x in ("fmul", "fadd", "fsub")) + 2 * inline.count("@llvm.fmuladd")
