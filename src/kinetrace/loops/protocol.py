"""What these functions ask of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from .. import algorithms
from ..arrays import Array
from ..model.model import Model


class HasClosures(Protocol):
    """A model, and its closures at many configurations at once; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints, bodies and closures."""

    def closure_residual(self, q: Any, /) -> Array:
        """φ (..., rows)."""

    def closure_jacobian(self, q: Any, /) -> Array:
        """K (..., rows, nv)."""

    def integrate(self, q: Any, v: Any, /) -> Array:
        """q ⊕ v (..., nq)."""


class on_floats:
    """The same of a model without compiling anything: what is found out once is found out sooner so."""

    def __init__(self, model: Model, drive: Mapping[str, Array] | None = None) -> None:
        self.model, self.drive = model, drive

    def closure_residual(self, q: Array) -> Array:
        """φ (k, rows) of q (k, nq)."""
        return np.array([algorithms.closure_residual(self.model, x, drive=self.drive) for x in q])

    def closure_jacobian(self, q: Array) -> Array:
        """K (k, rows, nv) of q (k, nq)."""
        with np.errstate(all="ignore"):  # a wheel that lies flat has no rows
            return np.array([algorithms.closure_jacobian(self.model, x, drive=self.drive) for x in q])

    def integrate(self, q: Array, v: Array) -> Array:
        """q ⊕ v (k, nq)."""
        return np.array([self.model.integrate(x, y) for x, y in zip(q, v, strict=True)])
