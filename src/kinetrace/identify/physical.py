"""Inertial parameters of bodies that can exist, nearest to what data say and to a robot's own.

    minimise |R B π(θ) − z|² + |θ − θ°|² / spread²

over log-Cholesky coordinates θ (Rucker and Wensing 2022), by Levenberg and Marquardt's method. R, z and B are the data
and the regrouping of `fit`. Friction and rotors are squares, so never negative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..arrays import Array
from ..lie import inertia
from .base_parameters import BaseParameters

_STEP, _TRIALS = 1e-30, 100


def nearest_bodies(base: BaseParameters, R: Array, z: Array, nearest: Array, own: Array, spread: float) -> Array:
    """The parameters (p,) of physically possible bodies; those of joints are squares, starting from the `nearest`."""
    n, RB = own.size, R @ base.regrouping
    theta0 = inertia.to_log_cholesky(inertia.to_parameters(inertia.with_extent(inertia.from_parameters(own)))).ravel()
    x0 = np.concatenate([theta0, np.sqrt(np.maximum(nearest[n:], 1e-6))])

    def residual(x: Array, ease: float) -> Array:
        return np.concatenate([(RB @ _parameters(x, n) - z) / ease, (x - x0) / spread])

    def slope(x: Array, ease: float) -> Array:
        steps = x[:n].reshape(-1, 1, 10) + 1j * _STEP * np.eye(10)  # (nb, direction, 10)
        blocks = inertia.from_log_cholesky(steps).imag.transpose(0, 2, 1) / _STEP
        by_body = [RB[:, 10 * i : 10 * i + 10] @ block for i, block in enumerate(blocks)]
        data = np.concatenate([*by_body, RB[:, n:] * (2 * x[n:])], axis=1)
        return np.concatenate([data / ease, np.eye(len(x)) / spread])

    x = x0
    hardest = max(float(np.abs(RB @ _parameters(x0, n) - z).max()), 1.0)
    for ease in np.geomspace(hardest, 1.0, 1 + int(np.ceil(np.log10(hardest)))):  # far away, less weight
        x = _least_squares(partial(residual, ease=ease), partial(slope, ease=ease), x)
    return _parameters(x, n)


def _parameters(x: Array, n: int) -> Array:
    return np.concatenate([inertia.from_log_cholesky(x[:n].reshape(-1, 10)).ravel(), x[n:] ** 2])


def _least_squares(residual: Callable[[Array], Array], slope: Callable[[Array], Array], x: Array) -> Array:
    """A minimum of |residual(x)|², by Levenberg and Marquardt's method from x."""
    r, damping = residual(x), 1e-3
    for _ in range(_TRIALS):
        A = slope(x)
        H, gradient = A.T @ A, A.T @ r
        dx = -np.linalg.solve(H + damping * np.diag(np.diag(H)), gradient)
        dx = dx / max(1.0, np.abs(dx).max(initial=0) / 3)  # exponentials overflow far away
        ahead = residual(x + dx)
        gain = r @ r - ahead @ ahead
        if gain > 0:
            x, r, damping = x + dx, ahead, damping / 10
        else:
            damping = max(damping, 1e-9) * 10
        if 0 <= gain <= 1e-10 * (r @ r) or damping > 1e6:
            break
    return x
