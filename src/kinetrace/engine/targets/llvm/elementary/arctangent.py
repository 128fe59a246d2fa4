"""The two-argument arctangent.

The polynomial approximates (atan q / q − 1) / q² with the weight q² on q ≤ 1.
"""

from __future__ import annotations

from .trigonometric import PI_HIGH, PI_LOW
from .vector_text import SIGN, checked_text

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
    sign_x = w.bit("and", w.pattern(x), SIGN)
    left = w.put(f"icmp ne {w.bits} {sign_x}, {w.word(0)}")
    base = w.pick(steep, w.number(PI_HIGH / 2), w.pick(left, w.number(PI_HIGH), zero))
    base_low = w.pick(steep, w.number(PI_LOW / 2), w.pick(left, w.number(PI_LOW), zero))
    sign_steep = w.put(f"select {w.type('i1')} {steep}, {w.bits} {w.word(SIGN)}, {w.bits} {w.word(0)}")
    q = w.flip(q, w.bit("xor", sign_x, sign_steep))
    total = w.op("fadd", base, q)
    lost = w.op("fsub", q, w.op("fsub", total, base))
    small = w.muladd(w.op("fmul", q, z), slope, base_low)
    angle = w.op("fadd", total, w.op("fadd", lost, small))
    return w.lines, w.narrow(w.flip(angle, w.bit("and", w.pattern(y), SIGN)), dtype)
