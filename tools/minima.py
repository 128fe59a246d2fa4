"""Minimum versions of pyproject.toml as pins for pip: `make test-minima` runs the tests on them.

    python tools/minima.py          numpy==2.0 llvmlite==0.45 ...

It fails unless Python has the minimum version declared there.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def pins(dependencies: list[str]) -> list[str]:
    """Pin each dependency to its minimum version.

    >>> pins(["numpy>=2.0", "llvmlite>=0.45; platform_system != 'Emscripten'"])
    ['numpy==2.0', 'llvmlite==0.45']
    """
    return [re.sub(r"^([\w.-]+)\s*>=\s*([\w.]+).*", r"\1==\2", x) for x in dependencies]


def main() -> int:
    """Print the pins."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    least = project["requires-python"].removeprefix(">=")
    here = ".".join(map(str, sys.version_info[:2]))
    if here != least:
        print(
            f"this is Python {here}, the least one is {least}: make test-minima PYTHON=python{least}", file=sys.stderr
        )
        return 1
    print(*pins(project["dependencies"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
