"""Types of the arguments and results of a robot's methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.ArrayLike
"""Numbers with any leading batch axes, which broadcast."""
Float = npt.NDArray[np.float64]
Out = npt.NDArray[Any] | None
"""Array for the result."""
Outs = tuple[npt.NDArray[Any], ...] | None
"""Arrays for the results."""
Threads = int | None
"""Number of threads for a batch; None: chosen by its size."""
Wrenches = Mapping[str, npt.ArrayLike] | None
"""Frame → the wrench (..., 6) that the environment exerts on it, in it, moment first."""
WrenchesOrFunctions = Mapping[str, npt.ArrayLike | Callable[..., Any]] | Callable[..., Any] | None
"""The same, or functions of (t, q, v), or of (model, t, q, v), instead of wrenches or of the whole mapping."""
Drives = Mapping[str, npt.ArrayLike] | None
"""Closure → its prescribed motion (..., 3, k): displacement, velocity, acceleration."""
