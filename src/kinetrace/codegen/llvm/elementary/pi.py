"""π as an integer, and the numbers that are made of it."""

from __future__ import annotations


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
