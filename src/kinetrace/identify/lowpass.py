"""A low-pass filter without phase: Butterworth's, forward and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..support.optional import needed

ORDER = 4
"""Of the filter in one direction."""


@dataclass(frozen=True)
class Lowpass:
    """Filter along the first axis, for samples at equal times."""

    cutoff: float
    """Frequency at which amplitudes are halved [Hz]: once in each direction, a factor √½."""
    dt: float
    """Time between samples [s]."""

    def __call__(self, x: Array) -> Array:
        """The filtered samples, as many as there are; their ends are less certain."""
        signal = needed("scipy.signal", "a filter")
        sections = signal.butter(ORDER, self.cutoff, fs=1 / self.dt, output="sos")
        flat = np.asarray(x, dtype=float).reshape(len(x), -1)
        used = flat.any(axis=0)  # many columns of regressors are zero
        rows = np.ascontiguousarray(flat[:, used].T)
        filtered = np.zeros_like(flat)
        if used.any():
            filtered[:, used] = signal.sosfiltfilt(sections, rows, axis=-1, padlen=min(self.memory, len(x) - 1)).T
        return filtered.reshape(np.shape(x))

    @property
    def memory(self) -> int:
        """Samples after which a disturbance is forgotten, to 1e-6."""
        return int(np.ceil(6.0 / (self.cutoff * self.dt)))

    @property
    def step(self) -> int:
        """Every so many filtered samples say all that there is, and their noise is nearly white."""
        return max(1, int(0.5 / (self.cutoff * self.dt)))
