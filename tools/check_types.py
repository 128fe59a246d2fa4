"""Check docs/types.md with mypy, and with pyright if installed: the script must pass, the four lines must fail."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "types.md"
CHECKERS = {"mypy": ["mypy", "--strict"], "pyright": ["pyright", "--pythonpath", sys.executable]}


def wrong_lines(checker: str, file: Path) -> set[int]:
    """Lines in which a checker reports errors."""
    command = [sys.executable, "-m", *CHECKERS[checker], file.name]
    found = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
    return {int(line) for line in re.findall(rf"{file.name}:(\d+)(?::\d+)?(?:: error| - error)", found.stdout)}


def main() -> int:
    """Print the results; 1 if a checker disagrees with the page."""
    text, failed = PAGE.read_text(encoding="utf-8"), 0
    (script,), (lines,) = (re.findall(rf"```{name}\n(.*?)```", text, flags=re.DOTALL) for name in ("python", "py"))
    first = len(script.splitlines()) + 1
    expected = set(range(first, first + len(lines.splitlines())))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "script.py"
        file.write_text(script + lines, encoding="utf-8")
        file.with_name("pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', encoding="utf-8")
        for checker in CHECKERS:
            if find_spec(checker) is None:
                print(f"{checker} is not installed")
                continue
            found = wrong_lines(checker, file)
            print(f"{checker}: errors on lines {sorted(found)}, expected {sorted(expected)}")
            failed |= found != expected
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
