"""The workflows of GitHub run what .ci/run and the Makefile have; hooks have the versions of `make lint`."""

import re
from pathlib import Path

import check_workflows
import pytest

ROOT = Path(__file__).parents[1]
TEXTS = {path.name: path.read_text("utf-8") for path in check_workflows.WORKFLOWS.glob("*.yml")}
MAKEFILE, GATE = (ROOT / "Makefile").read_text("utf-8"), (ROOT / ".ci" / "run").read_text("utf-8")


def test_workflows_agree_with_makefile_and_gate():
    assert set(TEXTS) == {"ci.yml", "docs.yml", "nightly.yml", "release.yml"}
    assert check_workflows.problems(TEXTS, MAKEFILE, GATE) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("target: [lint, ", "target: [lint, polish, ", "the Makefile has no target polish"),
        ("target: [lint, ", "target: [", ".ci/run has make lint, ci.yml has not"),
        ("target: [lint, ", "target: [lint, clean, ", "ci.yml has make clean, .ci/run has not"),
        ("- run: make test PYTHON", "- run: make tests PYTHON", "the Makefile has no target tests"),
        ("- run: python -m pytest -n auto", "- run: python -m pytest", "on Windows what make test runs"),
        ("permissions:\n  contents: read\n", "", "no permissions"),
        ("    timeout-minutes: 90\n", "", "the job tests has no timeout-minutes"),
        ("@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2", "@v6", "not pinned"),
    ],
)
def test_differences_are_found(before, after, told):
    assert before in TEXTS["ci.yml"]
    found = check_workflows.problems({**TEXTS, "ci.yml": TEXTS["ci.yml"].replace(before, after)}, MAKEFILE, GATE)
    assert any(told in line for line in found), found


def test_hooks_have_the_versions_of_the_constraints():
    pins = dict(re.findall(r"^(\w+)==(.+)$", (ROOT / "tools/constraints.txt").read_text("utf-8"), re.MULTILINE))
    hooks = re.findall(r"\b(ruff|mypy)==([\d.]+)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert {name for name, _ in hooks} == {"ruff", "mypy"}
    assert all(pins[name] == version for name, version in hooks)
