"""Sine and cosine.

x = k π/2 + r with |r| ≤ π/4. π/2 = P1 + P2 + P3, where P1 and P2 have 37 bits, so k P1 and k P2 are exact for
|k| ≤ 2^16 (|x| < 102943): Cody and Waite, Software Manual for the Elementary Functions, 1980. The rounding error of r
is kept as a second word.

Angles beyond that, and what is not finite, take the rare path, in functions that are called: it multiplies by the 192
bits of 2/π that matter (Payne and Hanek, SIGNUM Newsletter 18, 1983). No double comes closer than about 2^-61 to a
multiple of π/2 (Muller, Elementary Functions, ch. 11), so of the 128 leading bits of the fraction more than 64 are
good.

The polynomials approximate (sin r / r − 1) / r² with the weight r² and (cos r − 1 + r²/2) / r⁴ with the weight r⁴ on
r² ≤ (π/4)².
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from .vector_text import SIGN_BIT, VectorText, checked_text


def _pi(bits: int) -> int:
    """The integer nearest below π 2^bits, or one off, by Machin's formula."""
    one = 1 << (bits + 32)

    def arccot(n: int) -> int:
        power, total, k = one // n, 0, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power, k = power // (n * n), k + 2
        return total

    return (16 * arccot(5) - 4 * arccot(239)) >> 32


_PI = _pi(1400)
"""π 2^1400."""
PI_HIGH = _PI / (1 << 1400)
PI_LOW = (_PI - int(PI_HIGH * 2**60) * (1 << 1340)) / (1 << 1400)
"""π - PI_HIGH."""
TWO_OVER_PI = (1 << 1401) / _PI
HALF_PI_64 = _PI >> 1338
"""π/2 2^63."""


def half_pi_parts(bits: int) -> tuple[float, float, float]:
    """P1, P2 of so many bits each and P3 of 53, adding up to π/2."""
    p1 = (_PI >> 1) >> (1401 - bits)
    rest = (_PI >> 1) - (p1 << (1401 - bits))
    shift = rest.bit_length() - bits
    p2 = rest >> shift
    return p1 * 2.0 ** (1 - bits), p2 * 2.0 ** (shift - 1400), (rest - (p2 << shift)) / (1 << 1400)


def two_over_pi_words(zeros: int, words: int) -> list[int]:
    """2/π in words of 64 bits, with so many zeros before its first bit."""
    digits = (1 << (64 * words - zeros + 1401)) // _PI
    return [(digits >> (64 * (words - 1 - i))) & ((1 << 64) - 1) for i in range(words)]


_LEADING_ZEROS, _WORD_COUNT = 64, 20
_TWO_OVER_PI_WORDS = two_over_pi_words(_LEADING_ZEROS, _WORD_COUNT)
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


def quadrant(w: VectorText, x: str) -> tuple[str, str]:
    """k, the integer nearest to 2 x / π, as a bit pattern (plus 2^16, see `_ROUND`) and as a number."""
    t = w.muladd(x, w.number(TWO_OVER_PI), w.number(_ROUND))
    return w.pattern(t), w.op("fsub", t, w.number(_ROUND))


def beyond_range(w: VectorText, k: str) -> str:
    """A word that is zero where k is in the range of the inline path."""
    return w.bit("and", w.bit("xor", k, _ROUND_BITS), _HIGH)


def by_quadrant(w: VectorText, k: str, s: str, c: str) -> tuple[str, str]:
    """sin and cos of r + k π/2 from those of r."""
    odd, half = w.bit("shl", k, 63), w.bit("shl", k, 62)
    swap = w.put(f"icmp slt {w.bits} {odd}, {w.word(0)}")
    sine = w.flip(w.pick(swap, c, s), w.bit("and", half, SIGN_BIT))
    cosine = w.flip(w.pick(swap, s, c), w.bit("and", w.bit("xor", half, odd), SIGN_BIT))
    return sine, cosine


def sincos_near_zero(w: VectorText, r: str, short: str) -> tuple[str, str]:
    """sin and cos of `r - short`, |r| ≤ π/4 and `short` below a unit in its last place.

    The signs are such that sin(-0) = -0 - (+0) = -0.
    """
    z = w.op("fmul", r, r)
    zz = w.op("fmul", z, z)
    sine = w.muladd(w.op("fmul", r, z), w.polynomial(z, [-c for c in _SIN], zz), short)
    cosine = w.muladd(r, w.muladd(z, w.polynomial(z, _COS, zz), w.number(-0.5)), short)
    return w.op("fsub", r, sine), w.muladd(r, cosine, w.number(1.0))


def _inline(w: VectorText, x: str, dtype: str) -> tuple[str, str, str]:
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
    w = checked_text(prefix, lanes, dtype)
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


def rare_vector(lanes: int) -> str:
    """Replaces sin and cos in the lanes that the inline path cannot do."""
    w = VectorText("v", None)
    v = f"<{lanes} x double>"
    x = w.put(f"extractelement {v} %x, i64 %i")
    bits, _ = quadrant(w, x)
    beyond = beyond_range(w, bits)
    return f"""
define internal {{{v}, {v}}} @kt.sincos.rare.v{lanes}({v} %x, {v} %s.0, {v} %c.0) cold noinline nounwind {{
entry:
  br label %lane
lane:
  %i = phi i64 [ 0, %entry ], [ %i.next, %next ]
  %s = phi {v} [ %s.0, %entry ], [ %s.next, %next ]
  %c = phi {v} [ %c.0, %entry ], [ %c.next, %next ]
{chr(10).join(w.lines)}
  %good = icmp eq i64 {beyond}, 0
  br i1 %good, label %next, label %replace
replace:
  %both = call {{double, double}} @kt.sincos.rare(double {x})
  %s.lane = extractvalue {{double, double}} %both, 0
  %c.lane = extractvalue {{double, double}} %both, 1
  %s.new = insertelement {v} %s, double %s.lane, i64 %i
  %c.new = insertelement {v} %c, double %c.lane, i64 %i
  br label %next
next:
  %s.next = phi {v} [ %s, %lane ], [ %s.new, %replace ]
  %c.next = phi {v} [ %c, %lane ], [ %c.new, %replace ]
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, {lanes}
  br i1 %more, label %lane, label %done
done:
  %r.0 = insertvalue {{{v}, {v}}} poison, {v} %s.next, 0
  %r.1 = insertvalue {{{v}, {v}}} %r.0, {v} %c.next, 1
  ret {{{v}, {v}}} %r.1
}}
"""


def rare_scalar() -> str:
    """sin and cos of one x, |x| ≥ 2^14 or not finite, by the 192 bits of 2/π that matter to it."""
    w = VectorText("w", None)
    a = w.put("bitcast double %x to i64")
    sign = w.bit("and", a, SIGN_BIT)
    biased = w.bit("and", w.bit("lshr", a, 52), 2047)
    m = w.bit("or", w.bit("and", a, (1 << 52) - 1), 1 << 52)
    k, r, short = _remainder(w, *_quarter_turns(w, m, biased))
    s, c = by_quadrant(w, k, *sincos_near_zero(w, r, short))
    s = w.flip(s, sign)
    nan = w.compare("uno", w.op("fsub", "%x", "%x"), w.number(0.0))
    s, c = (w.pick(nan, w.number(float("nan")), value) for value in (s, c))
    body = "\n".join(w.lines)
    return f"""
@kt.two_over_pi = internal constant [{_WORD_COUNT} x i64] [{", ".join(f"i64 {w.word(x)}" for x in _TWO_OVER_PI_WORDS)}]

define internal {{double, double}} @kt.sincos.rare(double %x) cold noinline nounwind {{
{body}
  %r.0 = insertvalue {{double, double}} poison, double {s}, 0
  %r.1 = insertvalue {{double, double}} %r.0, double {c}, 1
  ret {{double, double}} %r.1
}}
"""


def _quarter_turns(w: VectorText, m: str, biased: str) -> tuple[str, str, str]:
    """2 |x| / π modulo 4 in units of 2^-190, as three words, the highest first; |x| = m 2^(biased - 1075)."""
    # With e = biased - 1075, the bit of weight 2^-i gives m 2^(e-i): a multiple of 4 for i < e - 1.
    first = w.bit("sub", biased, 1075 + 2 - _LEADING_ZEROS)
    index, shift = w.bit("lshr", first, 6), w.bit("and", first, 63)
    words = []
    for i in range(4):
        at = w.put(f"getelementptr i64, ptr @kt.two_over_pi, i64 {w.bit('add', index, i)}")
        words.append(w.put(f"load i64, ptr {at}"))
    window = [w.put(f"call i64 @llvm.fshl.i64(i64 {x}, i64 {y}, i64 {shift})") for x, y in pairwise(words)]

    # Only products of 64-bit halves are sure to be instructions: wider ones may call a library.
    low = _wide(w, "mul", _extend(w, m), _extend(w, window[2]))
    middle = _wide(w, "add", _wide(w, "mul", _extend(w, m), _extend(w, window[1])), _wide(w, "lshr", low, 64))
    return w.bit("add", w.bit("mul", m, window[0]), _word(w, middle, 64)), _word(w, middle), _word(w, low)


def _remainder(w: VectorText, p2: str, p1: str, p0: str) -> tuple[str, str, str]:
    """k and r, |x| = k π/2 + r modulo 2 π, |r| ≤ π/4, from the three words; and what r lacks as one double."""
    # The fraction in [-1/2, 1/2) is in units of 2^-128. Its magnitude (but for one unit), normalised, times π/2 is r
    # in two words.
    k = w.bit("lshr", w.bit("add", p2, 1 << 61), 62)
    f2, f1 = (w.put(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {b}, i64 2)") for a, b in ((p2, p1), (p1, p0)))
    fraction = _wide(w, "or", _wide(w, "shl", _extend(w, f2), 64), _extend(w, f1))
    minus = _wide(w, "ashr", fraction, 127)
    fraction = _wide(w, "xor", fraction, minus)
    zeros = w.put(f"call i128 @llvm.ctlz.i128(i128 {fraction}, i1 false)")
    product = _wide(w, "mul", _wide(w, "lshr", _wide(w, "shl", fraction, zeros), 64), HALF_PI_64)
    scale = w.of_pattern(w.bit("shl", w.bit("sub", w.word(1023 - 52), _word(w, zeros)), 52))
    h, l = _word(w, product, 75), w.bit("and", _word(w, product, 22), (1 << 53) - 1)
    head = w.op("fmul", w.put(f"sitofp i64 {h} to double"), scale)
    tail = w.op("fmul", w.op("fmul", w.put(f"sitofp i64 {l} to double"), w.number(2.0**-53)), scale)
    r = w.op("fadd", head, tail)
    short = w.op("fsub", w.op("fsub", r, head), tail)
    turn = w.bit("and", _word(w, minus), SIGN_BIT)
    return k, w.flip(r, turn), w.flip(short, turn)


def _wide(w: VectorText, name: str, a: str, b: str | int) -> str:
    return w.put(f"{name} i128 {a}, {b}")


def _extend(w: VectorText, a: str) -> str:
    return w.put(f"zext i64 {a} to i128")


def _word(w: VectorText, a: str, lowest: int = 0) -> str:
    """64 of 128 bits."""
    return w.put(f"trunc i128 {_wide(w, 'lshr', a, lowest) if lowest else a} to i64")


_ATAN = (  # 2^-57
    -0.33333333333333093,
    0.19999999999955442,
    -0.14285714282802614,
    0.11111111013661921,
    -0.0909090711944345,
    0.0769228118884187,
    -0.06666415013704446,
    0.05880592647732727,
    -0.0525380595938266,
    0.047232947189265996,
    -0.042217213116070726,
    0.036693596205437315,
    -0.029985675322688057,
    0.02208527500875975,
    -0.013995102067713351,
    0.007263439937549893,
    -0.0029193853803635037,
    0.0008435005135921477,
    -0.00015480063905965504,
    1.3489653481535434e-05,
)
_ATAN_FLOAT = (  # 2^-34
    -0.33333332235236296,
    0.19999932194780976,
    -0.14284250829754652,
    0.11095202192307282,
    -0.08988790956448327,
    0.07269381244420657,
    -0.054704434834288,
    0.03470460027449514,
    -0.016471417638334346,
    0.004999301751793973,
    -0.000711302313283246,
)


def atan2(y: str, x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the angle of the point (x, y) in [-π, π], and the name of the result.

    With q = min / max of |x| and |y|, the angle of (|x|, |y|) is atan q or π/2 − atan q; so on by symmetry.
    """
    w = checked_text(prefix, lanes, dtype)
    x, y = w.widen(x, dtype), w.widen(y, dtype)
    ax, ay = w.magnitude(x), w.magnitude(y)
    steep = w.compare("ogt", ay, ax)
    low, high = w.pick(steep, ax, ay), w.pick(steep, ay, ax)
    one, zero = w.number(1.0), w.number(0.0)
    divisor = w.pick(w.compare("oeq", high, zero), one, high)  # 0/0 is 0 here ...
    q = w.pick(w.compare("oeq", low, divisor), one, w.op("fdiv", low, divisor))  # ... and inf/inf is 1
    z = w.op("fmul", q, q)
    slope = w.polynomial(z, _ATAN if dtype == "double" else _ATAN_FLOAT)

    # angle = base ± atan q with base 0, π/2 or π, as base + q in two words plus what is small
    sign_x = w.bit("and", w.pattern(x), SIGN_BIT)
    left = w.put(f"icmp ne {w.bits} {sign_x}, {w.word(0)}")
    base = w.pick(steep, w.number(PI_HIGH / 2), w.pick(left, w.number(PI_HIGH), zero))
    base_low = w.pick(steep, w.number(PI_LOW / 2), w.pick(left, w.number(PI_LOW), zero))
    sign_steep = w.put(f"select {w.type('i1')} {steep}, {w.bits} {w.word(SIGN_BIT)}, {w.bits} {w.word(0)}")
    q = w.flip(q, w.bit("xor", sign_x, sign_steep))
    total = w.op("fadd", base, q)
    lost = w.op("fsub", q, w.op("fsub", total, base))
    small = w.muladd(w.op("fmul", q, z), slope, base_low)
    angle = w.op("fadd", total, w.op("fadd", lost, small))
    return w.lines, w.narrow(w.flip(angle, w.bit("and", w.pattern(y), SIGN_BIT)), dtype)
