"""Sine and cosine of angles beyond the inline range, in functions that are called.

The rare path multiplies by the 192 bits of 2/π that matter: Payne and Hanek, SIGNUM Newsletter 18, 1983. No double
comes closer than about 2^-61 to a multiple of π/2 (Muller, Elementary Functions, ch. 11), so of the 128 leading bits of
the fraction more than 64 are good.
"""

from __future__ import annotations

from itertools import pairwise

from .pi import HALF_PI_64, two_over_pi_words
from .trigonometric import beyond_range, by_quadrant, quadrant, sincos_near_zero
from .writer import SIGN, Writer

_ZEROS, _WORDS = 64, 20
_TWO_OVER_PI_WORDS = two_over_pi_words(_ZEROS, _WORDS)


def rare_vector(lanes: int) -> str:
    """Replaces sin and cos in the lanes that the inline path cannot do."""
    w = Writer("v", None)
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
    w = Writer("w", None)
    a = w.put("bitcast double %x to i64")
    sign = w.bit("and", a, SIGN)
    biased = w.bit("and", w.bit("lshr", a, 52), 2047)
    m = w.bit("or", w.bit("and", a, (1 << 52) - 1), 1 << 52)
    k, r, short = _remainder(w, *_quarter_turns(w, m, biased))
    s, c = by_quadrant(w, k, *sincos_near_zero(w, r, short))
    s = w.flip(s, sign)
    nan = w.compare("uno", w.op("fsub", "%x", "%x"), w.number(0.0))
    s, c = (w.pick(nan, w.number(float("nan")), value) for value in (s, c))
    body = "\n".join(w.lines)
    return f"""
@kt.two_over_pi = internal constant [{_WORDS} x i64] [{", ".join(f"i64 {w.word(x)}" for x in _TWO_OVER_PI_WORDS)}]

define internal {{double, double}} @kt.sincos.rare(double %x) cold noinline nounwind {{
{body}
  %r.0 = insertvalue {{double, double}} poison, double {s}, 0
  %r.1 = insertvalue {{double, double}} %r.0, double {c}, 1
  ret {{double, double}} %r.1
}}
"""


def _quarter_turns(w: Writer, m: str, biased: str) -> tuple[str, str, str]:
    """2 |x| / π modulo 4 in units of 2^-190, as three words, the highest first; |x| = m 2^(biased - 1075)."""
    # With e = biased - 1075, the bit of weight 2^-i gives m 2^(e-i): a multiple of 4 for i < e - 1.
    first = w.bit("sub", biased, 1075 + 2 - _ZEROS)
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


def _remainder(w: Writer, p2: str, p1: str, p0: str) -> tuple[str, str, str]:
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
    turn = w.bit("and", _word(w, minus), SIGN)
    return k, w.flip(r, turn), w.flip(short, turn)


def _wide(w: Writer, name: str, a: str, b: str | int) -> str:
    return w.put(f"{name} i128 {a}, {b}")


def _extend(w: Writer, a: str) -> str:
    return w.put(f"zext i64 {a} to i128")


def _word(w: Writer, a: str, lowest: int = 0) -> str:
    """64 of 128 bits."""
    return w.put(f"trunc i128 {_wide(w, 'lshr', a, lowest) if lowest else a} to i64")
