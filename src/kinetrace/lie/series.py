"""The scalar functions behind exp and log: smooth, exact and differentiable through zero, for every scalar.

Near zero a function is its power series, elsewhere its closed form. Each branch sees a harmless argument
where the other holds, so that derivatives of every order stay finite. A branch ends where both are good to
float64's last digits, and so are second derivatives; for mpmath's numbers it ends nearer to zero, where the
same series is good for 50 digits.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array, atan2, cos, less, sin, sqrt, where

_STUMPFF_TERMS, _ATAN_TERMS = 12, 10


def _has_many_digits(x: Array) -> bool:
    """Whether these are mpmath's numbers."""
    return isinstance(x, np.ndarray) and x.dtype == object and any(hasattr(e, "context") for e in x.flat)


def stumpff(x: Array, n: int) -> list[Array]:
    """The Stumpff functions c_0 ... c_n (n >= 1) of x = t^2: c_k = 1/k! - x/(k+2)! + x^2/(k+4)! - ...

    c_0 = cos t, c_1 = sin t / t, c_2 = (1 - cos t) / t^2, c_3 = (t - sin t) / t^3. The recurrence
    c_k = 1/k! - x c_{k+2} is read upwards for large x, downwards from two series for small x: neither loses
    digits.

    >>> [float(c) for c in stumpff(0.0, 3)] == [1, 1, 1 / 2, 1 / 6]
    True
    """
    bound = 2**-7 if _has_many_digits(x) else 4
    small = less(x, bound)
    factorial = [math.factorial(k) for k in range(n + 1)]

    y = where(small, x, 0)
    low: list[Array] = [1, 1]
    for j in range(_STUMPFF_TERMS, 0, -1):
        low = [1 - y * s / ((k + 2 * j - 1) * (k + 2 * j)) for k, s in zip((n - 1, n), low, strict=True)]
    low = [s / factorial[k] for k, s in zip((n - 1, n), low, strict=True)]
    for k in range(n - 2, -1, -1):
        low.insert(0, (1 - factorial[k] * y * low[1]) / factorial[k])

    y = where(small, bound, x)
    t = sqrt(y)
    high = [cos(t), sin(t) / t]
    for k in range(n - 1):
        high.append((1 - factorial[k] * high[k]) / (factorial[k] * y))
    return [where(small, a, b) for a, b in zip(low, high, strict=True)]


def angle_over_sine(w: Array, x: Array) -> Array:
    """atan2(n, w) / n for w >= 0 and x = n^2: the half angle of the quaternion (w, n axis), divided by n.

    >>> float(angle_over_sine(1.0, 0.0))
    1.0
    """
    bound = 2**17 if _has_many_digits(x) else 2**6
    small = less(bound * x, w * w)
    c = where(small, w, 1)
    y = where(small, x, 0) / (c * c)
    low: Array = 1
    for j in range(_ATAN_TERMS, 0, -1):
        low = 1 - y * low * (2 * j - 1) / (2 * j + 1)
    n = sqrt(where(small, 1, x))
    return where(small, low / c, atan2(n, w) / n)
