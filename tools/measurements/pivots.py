"""How well pivots of the mass matrix are identified: the experiments of the picture in docs/identification.md."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
from pages import ROOT

import kinetrace as kt


def _figures() -> Any:
    """The script of the pictures: its motions, logs and drawn parameters."""
    spec = spec_from_file_location("figures_identification", ROOT / "tools" / "figures" / "identification.py")
    assert spec is not None and spec.loader is not None
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def _identified(name: str, figures: Any, quick: bool) -> kt.identify.Identification:
    """One robot, from two periods of its exciting motion with noise."""
    robot = kt.load(name, joint_effects=False)
    panda = name == "panda"
    true = figures.true_robot(robot) if panda else robot.with_joint_effects(damping=0.4, friction=0.5)
    few: dict[str, Any] = {"starts": 1, "iterations": 2} if quick else {}
    motion = kt.identify.exciting_motion(robot, progress=False, **{**figures.MOTIONS[name], **few})
    unseen = {"validation": figures.measured(true, motion, 1)} if panda else {}
    return kt.identify.identify(robot, figures.measured(true, motion, 0 if panda else 2), **unseen)


def errors(quick: bool) -> dict[str, float]:
    """Medians over configurations of relative standard errors, "panda 1", and "panda drawn", beside first order."""
    figures, made = _figures(), dict[str, float]()
    for name in ("puma560",) if quick else ("panda", "puma560"):
        found = _identified(name, figures, quick)
        q = found.robot.random(100 if quick else 1000, seed=0)
        of = kt.identify.pivot_errors(found, q)
        medians = np.median(of.relative, axis=0)
        made |= {f"{name} {k}": float(x) for k, x in enumerate(medians, 1)}
        if name == "panda":
            first = medians[:4]
            made |= {"panda least of 4": float(first.min()), "panda most of 4": float(first.max())}
            drawn = np.median(figures.monte_carlo(found, q[:200]) / of.errors[:200], axis=0)
            made["panda drawn"] = float(np.abs(drawn - 1).max())
    return made
