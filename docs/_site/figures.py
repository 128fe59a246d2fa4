"""What a tutorial may rely on: NumPy and Matplotlib as they are at first, and pictures that fit the page."""

from __future__ import annotations

from typing import Any

import numpy as np

DIGITS = np.get_printoptions()


def reset(gallery: dict[str, Any], file: str) -> None:
    """Undo what the script before has set."""
    import matplotlib

    np.set_printoptions(**DIGITS)
    plain = {"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
    matplotlib.rcParams.update({"figure.dpi": 150, **plain})
