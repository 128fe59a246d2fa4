"""What a robot's methods take and return, as types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.ArrayLike
"""Numbers with any leading batch axes, which broadcast."""
Float = npt.NDArray[np.float64]
Out = npt.NDArray[Any] | None
"""Where the result goes."""
Outs = tuple[npt.NDArray[Any], ...] | None
"""Where several results go."""
Threads = int | None
"""How many threads may share a batch; None: as many as pay."""
Wrenches = Mapping[str, npt.ArrayLike] | None
"""Frame → the wrench (..., 6) that the environment exerts on it, in it, moment first."""
Drives = Mapping[str, npt.ArrayLike] | None
"""Closure → its prescribed motion (..., 3, k): displacement, velocity, acceleration."""
