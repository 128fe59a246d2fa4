"""How much an MJCF file expands to, counted in its text before MuJoCo compiles it."""

from __future__ import annotations

import math
import re
from pathlib import Path

from ....errors import ModelError
from ..xml import regular_file

MOST = 300_000
"""Elements of a file after all repetitions."""
LARGEST_FILE, MOST_FILES = 100_000_000, 200
"""Bytes of a file; files that include each other."""
_TAG = re.compile(r"<!--.*?-->|<(/?)([A-Za-z][\w:.-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>", re.DOTALL)
_VALUE = re.compile(r"\b(count|file)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_GRIDS = ("composite", "flexcomp")


def check_size(source: str | Path, file: str) -> None:
    """An error if a text or file, with what it includes, expands to more than any robot has."""
    _Sizes(file).add(source, Path() if isinstance(source, str) else source.parent, 1)


class _Sizes:
    def __init__(self, file: str) -> None:
        self.file, self.elements, self.files = file, 0, 0

    def add(self, source: str | Path, folder: Path, factor: int) -> None:
        """The elements of a text or file, each this many times."""
        self.files += 1
        if self.files > MOST_FILES:
            raise ModelError(f"includes more than {MOST_FILES} files", file=self.file)
        text = source if isinstance(source, str) else self._text(source)
        factors = [factor]
        for match in _TAG.finditer(text):
            closing, tag, inside = match.groups()
            if tag == "replicate" and closing:
                del factors[max(1, len(factors) - 1) :]
            if tag is None or closing:
                continue
            found = {name: a or b for name, a, b in _VALUE.findall(inside)}
            count = self._count(tag, found.get("count", "1"))
            self.elements += factors[-1] * (count if tag in _GRIDS else 1)
            if tag == "replicate" and not inside.endswith("/"):
                factors.append(factors[-1] * max(count, 1))
            if max(self.elements, factors[-1]) > MOST:
                raise ModelError(f"<{tag}>: the file expands to more than {MOST} elements", file=self.file)
            if tag == "include" and "file" in found:
                beside = folder if isinstance(source, str) else source.parent
                for place in dict.fromkeys((folder, beside)):  # versions of MuJoCo differ
                    self.add(place / found["file"], folder, factors[-1])

    def _count(self, tag: str, text: str) -> int:
        """The product of the numbers that a repetition has as its count."""
        if tag not in ("replicate", *_GRIDS):
            return 1
        try:
            count = math.prod(max(float(x), 1.0) for x in text.split())
        except ValueError:
            return 1  # MuJoCo says what is wrong
        return int(min(count, 10.0 * MOST))

    def _text(self, path: Path) -> str:
        try:
            return regular_file(path, LARGEST_FILE, self.file).decode("utf-8", "replace")
        except (OSError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            return ""  # MuJoCo says what is wrong
