"""Build the wheel and the source archive, check them, install the wheel afresh, and test the archive by its own tests.

    python tools/check_package.py [--quick]

Both are built twice, of copies of the sources in other folders with other times: the bytes must be the same.
It needs `build` and `twine`, and an index to install from. What was built stays in dist/; all else is temporary.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
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
IN_ARCHIVE = (
    "Makefile",
    "README.md",
    "LICENSE",
    "NOTICE",
    "CHANGELOG.md",
    "docs/index.md",
    "examples",
    "tests",
    "tools",
    "src",
)
NEVER = ("__pycache__", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache", "node_modules", "dist/", "_build/")
"""Parts of paths that were made by a machine."""
COPIED_NEVER = (".git", ".venv*", "node_modules", "__pycache__", ".*_cache", ".hypothesis")
"""Names of what a build does not need; in the outermost folder also build/ and dist/."""
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
    parser.add_argument("--quick", action="store_true", help="do not run the tests of the archive")
    args = parser.parse_args()
    begin = time.perf_counter()
    wheel, archive = build_twice()
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, archive)
    check_content(wheel, archive)
    with tempfile.TemporaryDirectory(prefix="kinetrace-package-") as folder:
        python = install(wheel, Path(folder) / "venv")
        if not args.quick:
            test_archive(archive, Path(folder), python)
    print(f"all is well, in {time.perf_counter() - begin:.0f} s")
    return 0


def build_twice() -> tuple[Path, Path]:
    """The wheel and the archive in dist/, after a second build elsewhere, of younger files, gave the same bytes."""
    for old in DIST.glob("kinetrace-*"):
        old.unlink()
    date = source_date()
    with tempfile.TemporaryDirectory(prefix="kinetrace-build-") as folder:
        for place, zone, age in (("first", "UTC", 0), ("another place", "Asia/Tokyo", 86_400)):
            sources = Path(folder) / place / "sources"
            shutil.copytree(ROOT, sources, ignore=_not_copied)
            for path in sources.rglob("*"):
                os.utime(path, (time.time() - age,) * 2)
            run(sys.executable, "-m", "build", "--outdir", sources.parent, sources, TZ=zone, SOURCE_DATE_EPOCH=date)
        first, second = (sorted((Path(folder) / place).glob("kinetrace-*")) for place in ("first", "another place"))
        require([x.name for x in first] == [x.name for x in second], f"built once {first}, once {second}")
        for one, other in zip(first, second, strict=True):
            sums = [hashlib.sha256(x.read_bytes()).hexdigest() for x in (one, other)]
            require(sums[0] == sums[1], f"{one.name} has other bytes when it is built again: {sums}")
            print(f"{one.name}: twice {one.stat().st_size:,} bytes of SHA-256 {sums[0]}")
            DIST.mkdir(exist_ok=True)
            shutil.copy(one, DIST)
    return next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))


def _not_copied(folder: str, names: list[str]) -> set[str]:
    """What is left out of copies of the sources."""
    made = {"build", "dist"} if Path(folder) == ROOT else set()
    return made | shutil.ignore_patterns(*COPIED_NEVER)(folder, names)


def source_date() -> str:
    """The time that files in archives get, in seconds: as the environment says, or of the last commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    last = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return last.stdout.strip() or "1580601600"  # without a repository what hatchling takes, of February 2020


def check_content(wheel: Path, archive: Path) -> None:
    """What must be in the files is, what must not is not, and they are not large."""
    packaged = {x.relative_to(ROOT / "src").as_posix() for x in (ROOT / "src").rglob("*") if is_source(x)}
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        described = file.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    relative = re.findall(r"\]\((?!https://)[^)]*\)", described)
    require(not relative, f"relative links in the description: {relative[:5]}")
    require(not packaged - names, f"not in the wheel: {sorted(packaged - names)[:5]}")
    for licence in ("licenses/LICENSE", "licenses/NOTICE"):
        require(any(name.endswith(licence) for name in names), f"the wheel has no {licence}")
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
    largest = max(packages_of(folder), key=size_of)
    print(f"installed with {len(core)} dependencies: {(size_of(folder) - before) / 1e6:.0f} MB")
    print(f"largest of them: {largest.name}, {size_of(largest) / 1e6:.0f} MB")
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


def packages_of(environment: Path) -> list[Path]:
    """The folders of what is installed."""
    return [x for site in environment.glob("lib/*/site-packages") for x in site.iterdir() if x.is_dir()]


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
