"""Sine, cosine, the two-argument arctangent, exponential, logarithm and floor as LLVM IR text, W lanes at a time.

    sincos(xs, prefix, lanes, dtype)     lines to paste, with one branch to a rare path
    atan2(y, x, prefix, lanes, dtype)    lines to paste, without a branch
    exp(x, prefix, lanes, dtype)         so too
    log(x, prefix, lanes, dtype)         so too
    floor(x, prefix, lanes, dtype)       so too
    definitions(names, lanes, dtype)     what those lines call, once a module

`dtype` is "double" or "float"; a value is a `<lanes x dtype>`. A lane's result depends on that lane alone:
neither its neighbours nor the number of lanes change a bit of it. No library is called and no hardware FMA is
needed. Intrinsics need no declaration (LLVM 20 and later declare them by themselves).

Largest error in units in the last place, for every finite argument (measured; the tests assert it):

                         with FMA   without
    sin, cos   double      0.90      1.20     sin keeps the sign of zero; infinities and NaN give NaN
    atan2      double      1.50      1.50     signed zeros, infinities and NaN as in C
    exp        double      0.70      0.75     0.87 for a subnormal result; 0 below -745.2, infinity above 709.8
    log        double      0.80      0.80     -infinity at ±0, NaN below; subnormal arguments too
    all        float       0.502     0.502    computed in double

exp 0 = 1 and log 1 = 0 are exact, and NaN gives NaN.

**Reduction.** x = k π/2 + r with |r| ≤ π/4. π/2 = P1 + P2 + P3, where P1 and P2 have 37 bits, so k P1 and
k P2 are exact for |k| ≤ 2^16 (|x| < 102943): Cody and Waite, Software Manual for the Elementary Functions,
1980. The rounding error of r is kept as a second word. Beyond that, and for what is not finite, the rare path
multiplies by the 192 bits of 2/π that matter: Payne and Hanek, SIGNUM Newsletter 18, 1983. No double comes
closer than about 2^-61 to a multiple of π/2 (Muller, Elementary Functions, ch. 11), so of the 128 leading
bits of the fraction more than 64 are good.

exp x = 2^k exp r with x = k ln 2 + r, |r| ≤ ln 2 / 2, and log x = k ln 2 + log m with x = 2^k m, m within
[√½, √2); here ln 2 = L1 + L2, where L1 has 40 bits.

**Polynomials** are minimax, by a Remez exchange in 50 digits: (sin r / r − 1) / r² with the weight r²,
(cos r − 1 + r²/2) / r⁴ with the weight r⁴ on r² ≤ (π/4)², (atan q / q − 1) / q² with the weight q² on q ≤ 1,
(exp r − 1 − r) / r² with the weight r² / exp r, (2 atanh s / s − 2) / s² with the weight s² / 2 on s² ≤ (3 − √8)²,
and for float (exp r − 1) / r with the weight r / exp r.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from kinetrace.errors import InputError, unknown

# Lowest power first; the comment gives the largest error times its weight.
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
_EXP = (  # 2^-58
    0.5000000000000011,
    0.16666666666666413,
    0.04166666666653026,
    0.008333333333494264,
    0.001388888894359934,
    0.00019841269506902268,
    2.4801493134390868e-05,
    2.755758617346623e-06,
    2.763023459708973e-07,
    2.5000098119513365e-08,
)
_LOG = (  # 2^-59
    0.6666666666666734,
    0.399999999994147,
    0.28571428742384747,
    0.22222198573359045,
    0.18183564322745827,
    0.15314050502540022,
    0.14795951455337683,
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

_EXP_FLOAT = (  # 2^-34
    1.0000000002086322,
    0.5000000077147785,
    0.16666665163659186,
    0.04166627254965782,
    0.008333568919162952,
    0.0013945897883635976,
    0.0001976766269764604,
)
_LOG_FLOAT = (  # 2^-38
    0.6666666564552242,
    0.40000335174287016,
    0.28537309636138797,
    0.23582130908171892,
)


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
_K = 16
"""The inline path takes -2^16 ≤ k < 2^16; a wider range would cost a fourth part of π/2."""
_PART = 53 - _K


def _parts() -> tuple[float, float, float]:
    """P1, P2 of `_PART` bits each and P3 of 53, adding up to π/2."""
    p1 = (_PI >> 1) >> (1401 - _PART)
    rest = (_PI >> 1) - (p1 << (1401 - _PART))
    shift = rest.bit_length() - _PART
    p2 = rest >> shift
    return p1 * 2.0 ** (1 - _PART), p2 * 2.0 ** (shift - 1400), (rest - (p2 << shift)) / (1 << 1400)


_P1, _P2, _P3 = _parts()
_TWO_OVER_PI = (1 << 1401) / _PI
_PI_HI = _PI / (1 << 1400)
_PI_LO = (_PI - int(_PI_HI * 2**60) * (1 << 1340)) / (1 << 1400)
_PI_HALF_64 = _PI >> 1338
"""π/2 2^63."""

# Adding 1.5 2^52 + 2^16 rounds to an integer and leaves k + 2^16 in the low 17 bits; the bits above are then
# those of 1.5 2^52, unless |k| was too large or x not finite.
_ROUND = 1.5 * 2**52 + 2**_K
_ROUND_BITS = 0x4338000000000000
_HIGH = ((1 << 64) - 1) ^ ((2 << _K) - 1)
_SIGN = 1 << 63
_FUNCTIONS = ("sincos", "atan2", "exp", "log", "floor")

_ZEROS, _WORDS = 64, 20
_TABLE = [
    (((1 << (64 * _WORDS - _ZEROS + 1401)) // _PI) >> (64 * (_WORDS - 1 - i))) & ((1 << 64) - 1) for i in range(_WORDS)
]
"""2/π, 64 zeros before its first bit."""


_LN2 = sum((1 << 200) // (n << n) for n in range(1, 200))
"""ln 2 2^200, but for a few units: the sum of 1 / (n 2^n)."""
_L1 = (_LN2 >> 160) / (1 << 40)
_L2 = (_LN2 & ((1 << 160) - 1)) / (1 << 200)
_ONE_BITS = 1023 << 52
_ROOT_BITS = 0x3FE6A09E667F3BCD
"""√½."""


class _Writer:
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


def _quadrant(w: _Writer, x: str) -> tuple[str, str]:
    """k, the integer nearest to 2 x / π, as a bit pattern (plus 2^16, see `_ROUND`) and as a number."""
    t = w.muladd(x, w.number(_TWO_OVER_PI), w.number(_ROUND))
    return w.pattern(t), w.op("fsub", t, w.number(_ROUND))


def _beyond(w: _Writer, k: str) -> str:
    """A word that is zero where k is in the range of the inline path."""
    return w.bit("and", w.bit("xor", k, _ROUND_BITS), _HIGH)


def _by_quadrant(w: _Writer, k: str, s: str, c: str) -> tuple[str, str]:
    """sin and cos of r + k π/2 from those of r."""
    odd, half = w.bit("shl", k, 63), w.bit("shl", k, 62)
    swap = w.put(f"icmp slt {w.bits} {odd}, {w.word(0)}")
    sine = w.flip(w.pick(swap, c, s), w.bit("and", half, _SIGN))
    cosine = w.flip(w.pick(swap, s, c), w.bit("and", w.bit("xor", half, odd), _SIGN))
    return sine, cosine


def _kernels(w: _Writer, r: str, short: str) -> tuple[str, str]:
    """sin and cos of `r - short`, |r| ≤ π/4 and `short` below a unit in its last place.

    The signs are such that sin(-0) = -0 - (+0) = -0.
    """
    z = w.op("fmul", r, r)
    zz = w.op("fmul", z, z)
    sine = w.muladd(w.op("fmul", r, z), w.polynomial(z, [-c for c in _SIN], zz), short)
    cosine = w.muladd(r, w.muladd(z, w.polynomial(z, _COS, zz), w.number(-0.5)), short)
    return w.op("fsub", r, sine), w.muladd(r, cosine, w.number(1.0))


def _fast(w: _Writer, x: str, dtype: str) -> tuple[str, str, str]:
    """sin, cos, and a word that is zero in the lanes where these hold."""
    bits, k = _quadrant(w, x)
    r1 = w.muladd(k, w.number(-_P1), x)  # exact
    if dtype == "double":
        r = w.muladd(k, w.number(-_P2), r1)
        short = w.muladd(k, w.number(_P2), w.op("fsub", r, r1))  # exact: what r has too much
        s, c = _kernels(w, r, w.muladd(k, w.number(_P3), short))
    else:
        r = w.muladd(k, w.number(-(_P2 + _P3)), r1)
        z = w.op("fmul", r, r)
        s = w.op("fmul", r, w.polynomial(z, (1.0, *_SIN_FLOAT)))
        c = w.polynomial(z, (1.0, -0.5, *_COS_FLOAT))
    return *_by_quadrant(w, bits, s, c), _beyond(w, bits)


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
    _check(["sincos"], [lanes], dtype)
    w = _Writer(prefix, lanes)
    w.lines += [f"  br label %{prefix}.inline", f"{prefix}.inline:"]
    xs = [w.widen(x, dtype) for x in angles]
    found = [_fast(w, x, dtype) for x in xs]
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


def atan2(y: str, x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the angle of the point (x, y) in [-π, π], and the name of the result.

    With q = min / max of |x| and |y|, the angle of (|x|, |y|) is atan q or π/2 − atan q; so on by symmetry.
    """
    _check(["atan2"], [lanes], dtype)
    w = _Writer(prefix, lanes)
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
    sign_x = w.bit("and", w.pattern(x), _SIGN)
    left = w.put(f"icmp ne {w.bits} {sign_x}, {w.word(0)}")
    base = w.pick(steep, w.number(_PI_HI / 2), w.pick(left, w.number(_PI_HI), zero))
    base_low = w.pick(steep, w.number(_PI_LO / 2), w.pick(left, w.number(_PI_LO), zero))
    sign_steep = w.put(f"select {w.type('i1')} {steep}, {w.bits} {w.word(_SIGN)}, {w.bits} {w.word(0)}")
    q = w.flip(q, w.bit("xor", sign_x, sign_steep))
    total = w.op("fadd", base, q)
    lost = w.op("fsub", q, w.op("fsub", total, base))
    small = w.muladd(w.op("fmul", q, z), slope, base_low)
    angle = w.op("fadd", total, w.op("fadd", lost, small))
    return w.lines, w.narrow(w.flip(angle, w.bit("and", w.pattern(y), _SIGN)), dtype)


def exp(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the exponential of `x`, and the name of the result.

    Beyond its range x is cut to where the result is 0 or infinite all the same; a comparison leaves NaN alone.
    """
    _check(["exp"], [lanes], dtype)
    w = _Writer(prefix, lanes)
    x = w.widen(x, dtype)
    for how, end in zip(("ogt", "olt"), (710.0, -746.0) if dtype == "double" else (89.0, -104.0), strict=True):
        x = w.pick(w.compare(how, x, w.number(end)), w.number(end), x)
    t = w.muladd(x, w.number((1 << 200) / _LN2), w.number(1.5 * 2**52 + 2**11))
    shifted = w.bit("and", w.pattern(t), 2**12 - 1)  # k + 2^11
    k = w.op("fsub", t, w.number(1.5 * 2**52 + 2**11))
    r1 = w.muladd(k, w.number(-_L1), x)  # exact
    r = w.muladd(k, w.number(-_L2), r1)
    if dtype == "float":
        value = w.polynomial(r, (1.0, *_EXP_FLOAT), w.op("fmul", r, r))
        return w.lines, w.narrow(w.op("fmul", value, _power(w, shifted, 2**11)), dtype)
    missing = w.muladd(k, w.number(-_L2), w.op("fsub", r1, r))  # from r
    square = w.op("fmul", r, r)
    total = w.op("fadd", w.number(1.0), r)
    lost = w.op("fsub", r, w.op("fsub", total, w.number(1.0)))
    small = w.muladd(square, w.polynomial(r, _EXP, square), w.muladd(missing, total, lost))
    # 2^k in two halves: it may be out of range where the result is not, and only the last product rounds
    half = w.bit("lshr", shifted, 1)
    value = w.op("fmul", w.op("fadd", total, small), _power(w, half, 2**10))
    return w.lines, w.op("fmul", value, _power(w, w.bit("sub", shifted, half), 2**10))


def _power(w: _Writer, k: str, offset: int) -> str:
    """2 to the power of the integer k - offset."""
    return w.of_pattern(w.bit("shl", w.bit("sub", k, offset - 1023), 52))


def log(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the natural logarithm of `x`, and the name of the result.

    With f = m − 1 and s = f / (2 + f), log m = 2 atanh s = s (2 + R(s²)); and 2 s = f − f²/2 + s f²/2, whose first
    term is exact.
    """
    _check(["log"], [lanes], dtype)
    w = _Writer(prefix, lanes)
    x = w.widen(x, dtype)
    normal, bias = x, w.number(2.0**52 + 1023)
    if dtype == "double":  # a float is never subnormal as a double
        tiny = w.compare("olt", x, w.number(2.0**-1022))
        normal = w.pick(tiny, w.op("fmul", x, w.number(2.0**54)), x)
        bias = w.pick(tiny, w.number(2.0**52 + 1023 + 54), bias)
    bits = w.bit("add", w.pattern(normal), _ONE_BITS - _ROOT_BITS)  # k + 1023, and m from √½ up
    k = w.op("fsub", w.of_pattern(w.bit("or", w.bit("lshr", bits, 52), (1023 + 52) << 52)), bias)
    m = w.of_pattern(w.bit("add", w.bit("and", bits, (1 << 52) - 1), _ROOT_BITS))
    f = w.op("fsub", m, w.number(1.0))
    s = w.op("fdiv", f, w.op("fadd", f, w.number(2.0)))
    z = w.op("fmul", s, s)
    if dtype == "float":
        value = w.muladd(k, w.number(_L1 + _L2), w.op("fmul", s, w.polynomial(z, (2.0, *_LOG_FLOAT))))
    else:
        rest = w.polynomial(z, (0.0, *_LOG), w.op("fmul", z, z))
        half = w.op("fmul", w.op("fmul", f, w.number(0.5)), f)
        whole = w.op("fmul", k, w.number(_L1))  # exact
        sum1 = w.op("fadd", whole, f)
        lost1 = w.op("fsub", f, w.op("fsub", sum1, whole))
        sum2 = w.op("fsub", sum1, half)
        lost2 = w.op("fsub", w.op("fsub", sum1, sum2), half)
        small = w.muladd(s, w.op("fadd", half, rest), w.muladd(k, w.number(_L2), lost1))
        value = w.op("fadd", sum2, w.op("fadd", lost2, small))
    infinity, zero = w.number(float("inf")), w.number(0.0)
    value = w.pick(w.compare("olt", x, infinity), value, x)
    outside = w.pick(w.compare("oeq", x, zero), w.number(float("-inf")), w.number(float("nan")))
    return w.lines, w.narrow(w.pick(w.compare("ole", x, zero), outside, value), dtype)


def floor(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the largest whole number that is not above `x`, and the name of the result.

    LLVM's own calls a library where the processor has no such instruction. Below 2^52, adding and subtracting 2^52
    rounds |x| to the nearest whole number; a larger one is whole.
    """
    _check(["floor"], [lanes], dtype)
    w = _Writer(prefix, lanes)
    x = w.widen(x, dtype)
    sign, whole = w.bit("and", w.pattern(x), _SIGN), w.number(2.0**52)
    size = w.magnitude(x)
    near = w.flip(w.op("fsub", w.op("fadd", size, whole), whole), sign)
    low = w.pick(w.compare("ogt", near, x), w.op("fsub", near, w.number(1.0)), near)
    return w.lines, w.narrow(w.pick(w.compare("olt", size, whole), low, x), dtype)


def definitions(names: Collection[str], lanes: int | Iterable[int], dtype: str) -> str:
    """What the pasted lines of these functions call, for every number of lanes in use (all but sincos: nothing)."""
    widths = sorted({lanes} if isinstance(lanes, int) else set(lanes))
    _check(names, widths, dtype)
    if "sincos" not in names:
        return ""
    return "\n".join([_rare_scalar(), *(_rare_vector(n) for n in widths)])


def _rare_vector(lanes: int) -> str:
    """Replaces sin and cos in the lanes that the inline path cannot do."""
    w = _Writer("v", None)
    v = f"<{lanes} x double>"
    x = w.put(f"extractelement {v} %x, i64 %i")
    bits, _ = _quadrant(w, x)
    beyond = _beyond(w, bits)
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


def _rare_scalar() -> str:
    """sin and cos of one x, |x| ≥ 2^14 or not finite, by the 192 bits of 2/π that matter to it."""
    w = _Writer("w", None)
    a = w.put("bitcast double %x to i64")
    sign = w.bit("and", a, _SIGN)
    biased = w.bit("and", w.bit("lshr", a, 52), 2047)
    m = w.bit("or", w.bit("and", a, (1 << 52) - 1), 1 << 52)

    # |x| = m 2^e, e = biased - 1075. The bit of weight 2^-i gives m 2^(e-i): a multiple of 4 for i < e - 1.
    first = w.bit("sub", biased, 1075 + 2 - _ZEROS)
    index, shift = w.bit("lshr", first, 6), w.bit("and", first, 63)
    words = []
    for i in range(4):
        at = w.put(f"getelementptr i64, ptr @kt.two_over_pi, i64 {w.bit('add', index, i)}")
        words.append(w.put(f"load i64, ptr {at}"))
    window = [w.put(f"call i64 @llvm.fshl.i64(i64 {x}, i64 {y}, i64 {shift})") for x, y in pairwise(words)]

    # 2 |x| / π modulo 4 in units of 2^-190, as three words. Only products of 64-bit halves are sure to be
    # instructions: wider ones may call a library.
    def big(name: str, a: str, b: str | int) -> str:
        return w.put(f"{name} i128 {a}, {b}")

    def extend(a: str) -> str:
        return w.put(f"zext i64 {a} to i128")

    def word(a: str, lowest: int = 0) -> str:
        return w.put(f"trunc i128 {big('lshr', a, lowest) if lowest else a} to i64")

    low = big("mul", extend(m), extend(window[2]))
    middle = big("add", big("mul", extend(m), extend(window[1])), big("lshr", low, 64))
    p2, p1, p0 = w.bit("add", w.bit("mul", m, window[0]), word(middle, 64)), word(middle), word(low)

    # k, and the fraction in [-1/2, 1/2) in units of 2^-128. Its magnitude (but for one unit), normalised,
    # times π/2 is r in two words.
    k = w.bit("lshr", w.bit("add", p2, 1 << 61), 62)
    f2, f1 = (w.put(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {b}, i64 2)") for a, b in ((p2, p1), (p1, p0)))
    fraction = big("or", big("shl", extend(f2), 64), extend(f1))
    minus = big("ashr", fraction, 127)
    fraction = big("xor", fraction, minus)
    zeros = w.put(f"call i128 @llvm.ctlz.i128(i128 {fraction}, i1 false)")
    product = big("mul", big("lshr", big("shl", fraction, zeros), 64), _PI_HALF_64)
    scale = w.of_pattern(w.bit("shl", w.bit("sub", w.word(1023 - 52), word(zeros)), 52))
    h, l = word(product, 75), w.bit("and", word(product, 22), (1 << 53) - 1)
    head = w.op("fmul", w.put(f"sitofp i64 {h} to double"), scale)
    tail = w.op("fmul", w.op("fmul", w.put(f"sitofp i64 {l} to double"), w.number(2.0**-53)), scale)
    r = w.op("fadd", head, tail)
    short = w.op("fsub", w.op("fsub", r, head), tail)
    turn = w.bit("and", word(minus), _SIGN)
    s, c = _by_quadrant(w, k, *_kernels(w, w.flip(r, turn), w.flip(short, turn)))
    s = w.flip(s, sign)
    nan = w.compare("uno", w.op("fsub", "%x", "%x"), w.number(0.0))
    s, c = (w.pick(nan, w.number(float("nan")), value) for value in (s, c))
    body = "\n".join(w.lines)
    return f"""
@kt.two_over_pi = internal constant [{_WORDS} x i64] [{", ".join(f"i64 {w.word(x)}" for x in _TABLE)}]

define internal {{double, double}} @kt.sincos.rare(double %x) cold noinline nounwind {{
{body}
  %r.0 = insertvalue {{double, double}} poison, double {s}, 0
  %r.1 = insertvalue {{double, double}} %r.0, double {c}, 1
  ret {{double, double}} %r.1
}}
"""


def _check(names: Iterable[str], lanes: Iterable[int], dtype: str) -> None:
    for name in names:
        if name not in _FUNCTIONS:
            raise unknown("elementary function", name, _FUNCTIONS)
    if dtype not in ("double", "float"):
        raise unknown("dtype", dtype, ("double", "float"))
    for n in lanes:
        if n < 1:
            raise InputError(f"lanes is {n}; it must be at least 1")
