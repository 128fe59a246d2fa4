"""Looks of the pictures that tutorials make."""

from __future__ import annotations

from typing import Any


def reset(gallery: dict[str, Any], file: str) -> None:
    """Set matplotlib up before a script runs."""
    import matplotlib

    matplotlib.rcParams.update(
        {
            "figure.dpi": 100,
            "figure.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "font.size": 10,
            "legend.frameon": False,
        }
    )
