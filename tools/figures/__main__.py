"""Draw the figures of the docs.

    python tools/figures                    # what there is
    python tools/figures control            # all of a group
    python tools/figures control pd         # some

They need matplotlib and Pillow; those of notebooks and reports need the extra `record` and Chrome or Chromium.
"""

from __future__ import annotations

import sys
from importlib import import_module

GROUPS = {
    "theory": "docs/theory/figures: the figures of docs/theory",
    "control": "docs/control: one picture per page",
    "robots": "docs/mechanisms, docs/pictures: docs/closed_chains.md, docs/pictures.md, docs/inverse_kinematics.md",
    "motions": "docs/pictures: docs/regulators.md, time_scaling.md, design.md, trajectory_optimisation.md, "
    "optimal_control.md; docs/diagonal.png and .svg",
    "identification": "docs/pictures: docs/identification.md",
}
"""Module beside this one → the folder that it writes to, and the pages that show its figures."""


def main(arguments: list[str]) -> int:
    """Draw the figures of a group, or those that are named; list the groups if none is."""
    if not arguments or arguments[0] not in GROUPS:
        print(__doc__, *(f"{group:16}{what}" for group, what in GROUPS.items()), sep="\n")
        return 2 if arguments else 0
    group, *names = arguments
    module = import_module(group)
    wrong = [name for name in names if name not in module.FIGURES]
    if wrong:
        print(f"unknown figure of {group}: {wrong[0]}. Valid: {', '.join(module.FIGURES)}")
        return 2
    for name in names or module.FIGURES:
        print(module.draw(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
