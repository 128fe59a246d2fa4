"""The README and the docs say what is true: their Python runs, and the files that they name exist."""

import re
from collections.abc import Iterator
from pathlib import Path

import jax
import mpmath
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FOR_AUTHORS = [ROOT / "CONTRIBUTING.md", ROOT / "src" / "kinetrace" / "codegen" / "README.md"]


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    """What a page sets for its reader is not left to other tests."""
    digits, wide = mpmath.mp.dps, jax.config.read("jax_enable_x64")
    yield
    mpmath.mp.dps = digits
    jax.config.update("jax_enable_x64", wide)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page: Path) -> None:
    scope: dict[str, object] = {}
    for snippet in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(snippet, page.name, "exec"), scope)


@pytest.mark.parametrize("page", [*PAGES, *FOR_AUTHORS], ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page: Path) -> None:
    """Links, directories of the repository, and Python files, whose paths may begin at the page or in the package."""
    text = page.read_text(encoding="utf-8")
    for pattern in (
        r"\]\(((?!http)[^)#]+)\)",
        r"`((?:tests|docs|src|tools|examples)/[\w/.]+)`",
        r"\b(\w+/[\w/]+\.py)\b",
    ):
        for path in re.findall(pattern, text):
            places = (page.parent, ROOT, ROOT / "src" / "kinetrace")
            assert any((place / path).exists() for place in places), f"{page.name} names {path}"


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_run(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example.read_text(encoding="utf-8"), example.name, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out
