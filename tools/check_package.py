"""Build the wheel and the source archive, check them, install the wheel afresh, and test the archive by its own tests.

    python tools/check_package.py [--no-tests]

It needs `build` and `twine`, and an index to install from. What was built stays in dist/; all else is temporary.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
MOST_MB = {".whl": 5.0, ".gz": 15.0}
"""Sizes that a wheel and an archive may have."""
IN_ARCHIVE = ("Makefile", "README.md", "LICENSE", "CHANGELOG.md", "docs/index.md", "examples", "tests", "tools", "src")
NEVER = ("__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", "node_modules", "dist/", "_build/")
"""Parts of paths that were made by a machine."""
OWN_TESTS = (
    "tests/test_bad_input.py",
    "tests/test_calls.py",
    "tests/cli/test_doctor.py",
    "tests/cli/test_completion.py",
)
"""What the archive tests itself by: it needs pytest alone."""
COMMANDS = (
    ("demo", "--batch", "1000"),
    ("doctor", "panda"),
    ("info", "four_bar", "--json"),
    ("completion", "bash"),
)
"""What the installed command must do."""


def main() -> int:
    """Do all of it, one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-tests", action="store_true", help="do not run the tests of the archive")
    args = parser.parse_args()
    begin = time.perf_counter()
    for old in DIST.glob("kinetrace-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    wheel, archive = next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, archive)
    check_content(wheel, archive)
    with tempfile.TemporaryDirectory(prefix="kinetrace-package-") as folder:
        python = install(wheel, Path(folder) / "venv")
        if not args.no_tests:
            test_archive(archive, Path(folder), python)
    print(f"all is well, in {time.perf_counter() - begin:.0f} s")
    return 0


def check_content(wheel: Path, archive: Path) -> None:
    """What must be in the files is, what must not is not, and they are not large."""
    packaged = {x.relative_to(ROOT / "src").as_posix() for x in (ROOT / "src").rglob("*") if is_source(x)}
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        described = file.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    relative = re.findall(r"\]\((?!https://)[^)]*\)", described)
    require(not relative, f"relative links in the description: {relative[:5]}")
    require(not packaged - names, f"not in the wheel: {sorted(packaged - names)[:5]}")
    require(any(name.endswith("licenses/LICENSE") for name in names), "the wheel has no licence")
    with tarfile.open(archive) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    missing = [x for x in IN_ARCHIVE if not any(name == x or name.startswith(f"{x}/") for name in inside)]
    require(not missing, f"not in the archive: {missing}")
    made = [name for name in (*names, *inside) if any(part in name for part in NEVER)]
    require(not made, f"made by a machine: {made[:5]}")
    for path in (wheel, archive):
        size = path.stat().st_size / 1e6
        require(size < MOST_MB[path.suffix], f"{path.name} has {size:.1f} MB, more than {MOST_MB[path.suffix]}")
        print(f"{path.name}: {size:.2f} MB")


def is_source(path: Path) -> bool:
    """Whether a file below src/ belongs into the wheel."""
    return path.is_file() and "__pycache__" not in path.parts and ".egg-info" not in path.as_posix()


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel, in which the command works; its Python."""
    venv.create(folder, with_pip=True)
    python, before = folder / "bin" / "python", size_of(folder)
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    run(python, "-m", "pip", "check", "--disable-pip-version-check")
    core = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    print(f"installed with {len(core)} dependencies: {(size_of(folder) - before) / 1e6:.0f} MB")
    for command in COMMANDS:
        run(folder / "bin" / "kinetrace", *command, cwd=folder)
    return python


def test_archive(archive: Path, folder: Path, python: Path) -> None:
    """Unpack the archive, and run some of its tests on its own sources."""
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    root = folder / archive.name.removesuffix(".tar.gz")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest")
    run(python, "-m", "pytest", "-q", "-x", *OWN_TESTS, cwd=root, PYTHONPATH=str(root / "src"))


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(x.stat().st_size for x in folder.rglob("*") if x.is_file() and not x.is_symlink())


def run(*command: str | os.PathLike[str], cwd: Path = ROOT, **environment: str) -> None:
    """Run a command; if it fails, show what it said, and end."""
    words, begin = [str(x) for x in command], time.perf_counter()
    clean = {name: x for name, x in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=cwd, env={**clean, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    told = " ".join(Path(x).name if os.sep in x else x for x in words)
    require(done.returncode == 0, f"{told} failed:\n{done.stdout[-4000:]}")
    print(f"{time.perf_counter() - begin:5.1f} s  {told}")


def require(condition: bool, problem: str) -> None:
    """End with a message unless a condition holds."""
    if not condition:
        raise SystemExit(f"check_package: {problem}")


if __name__ == "__main__":
    sys.exit(main())
