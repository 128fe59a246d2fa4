"""Exponential and natural logarithm.

exp x = 2^k exp r with x = k ln 2 + r, |r| ≤ ln 2 / 2, and log x = k ln 2 + log m with x = 2^k m, m within
[√½, √2); here ln 2 = L1 + L2, where L1 has 40 bits.

The polynomials approximate (exp r − 1 − r) / r² with the weight r² / exp r, (2 atanh s / s − 2) / s² with the weight
s² / 2 on s² ≤ (3 − √8)², and for float (exp r − 1) / r with the weight r / exp r.
"""

from __future__ import annotations

from .vector_text import VectorText, checked_text

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

_LN2 = sum((1 << 200) // (n << n) for n in range(1, 200))
"""ln 2 2^200, but for a few units: the sum of 1 / (n 2^n)."""
_L1 = (_LN2 >> 160) / (1 << 40)
_L2 = (_LN2 & ((1 << 160) - 1)) / (1 << 200)
_ONE_BITS = 1023 << 52
_ROOT_BITS = 0x3FE6A09E667F3BCD
"""√½."""


def exp(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the exponential of `x`, and the name of the result.

    Beyond its range x is clamped to where the result is 0 or infinite anyway; a comparison leaves NaN as it is.
    """
    w = checked_text(prefix, lanes, dtype)
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


def _power(w: VectorText, k: str, offset: int) -> str:
    """2 to the power of the integer k - offset."""
    return w.of_pattern(w.bit("shl", w.bit("sub", k, offset - 1023), 52))


def log(x: str, prefix: str, lanes: int, dtype: str) -> tuple[list[str], str]:
    """Lines that compute the natural logarithm of `x`, and the name of the result.

    With f = m − 1 and s = f / (2 + f), log m = 2 atanh s = s (2 + R(s²)); and 2 s = f − f²/2 + s f²/2, whose first
    term is exact.
    """
    w = checked_text(prefix, lanes, dtype)
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
