"""The README and the docs say what is true: their Python runs, and the files that they name exist."""

import ast
import importlib
import re
import shutil
import sys
import tomllib
import warnings
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import mpmath
import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import algorithm_of
from kinetrace.cli import make_parser
from kinetrace.engine.targets.text import c
from kinetrace.engine.targets.text.unit import unit
from kinetrace.errors import other_libraries

ROOT = Path(__file__).parents[1]
FOLDERS = ("howto", "coming_from", "control", "theory")
PAGES = [
    ROOT / "README.md",
    ROOT / "llms.txt",
    *sorted((ROOT / "docs").glob("*.md")),
    *(page for folder in FOLDERS for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
OTHER_LIBRARIES = (
    *("casadi", "dask", "jax", "joblib", "modern_robotics", "mujoco", "pinocchio", "pydrake", "roboticstoolbox"),
    *("sympy", "torch", "xarray"),
)
"""Pages that use them run where they are installed; the development environment has Pinocchio and MuJoCo."""
URL = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
HOSTED = [f"{URL}/blob/main/", f"{URL.replace('github.com', 'raw.githubusercontent.com')}/main/"]
"""Where files of the repository are to be seen, by readers of the package's page in an index."""
FOR_AUTHORS = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "tools" / "README.md",
    *(ROOT / "src" / "kinetrace" / name / "README.md" for name in ("engine", "algorithms")),
]


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    """What a page sets for its reader is not left to other tests."""
    digits, before = mpmath.mp.dps, sys.modules.get("jax")
    wide = before is not None and before.config.read("jax_enable_x64")
    with np.printoptions():
        yield
    mpmath.mp.dps = digits
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_enable_x64", wide)


@pytest.mark.filterwarnings("error::kinetrace.LimitWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_snippets_run(
    page: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """And print what a block of text right after a snippet shows, and draw the pictures that the page shows.

    Robots stay within their limits, unless the page says that they do not.
    """
    monkeypatch.chdir(tmp_path)
    text, scope = page.read_text(encoding="utf-8"), dict[str, object]()
    if "LimitWarning" in text:
        warnings.simplefilter("ignore", kt.LimitWarning)
    for library in OTHER_LIBRARIES:
        if re.search(rf"^(import|from) {library}\b", text, flags=re.MULTILINE):
            pytest.importorskip(library)
    update = request.config.getoption("--update")

    def run(block: re.Match[str]) -> str:
        exec(compile(block[1], page.name, "exec"), scope)
        printed = capsys.readouterr().out
        if block[2] and not update:
            assert printed == block[2], "pytest --update writes it anew"
        return f"```python\n{block[1]}```\n" + (f"\n```text\n{printed}```" if block[2] else "")

    new = re.sub(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", run, text, flags=re.DOTALL)
    if update and new != text:
        page.write_text(new, encoding="utf-8")
    for picture in tmp_path.glob("*.png"):
        if update and f"pictures/{picture.name})" in text:
            shutil.copy(picture, ROOT / "docs" / "pictures" / picture.name)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_page_is_in_its_index(folder: str) -> None:
    pages = {page.name for page in (ROOT / "docs" / folder).glob("*.md")}
    assert pages - {"index.md"} <= set(
        re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs" / folder / "index.md").read_text("utf-8"))
    )


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "coming_from").glob("*.md")), ids=lambda page: page.stem)
def test_tables_of_other_libraries(page: Path) -> None:
    """Our names, in the last column, exist; error messages that know a name of theirs say the same."""
    rows = [line.split(" | ") for line in page.read_text("utf-8").splitlines() if line.startswith("| ")]
    for theirs, *_, ours in rows:
        for owner, names in re.findall(r"\b(robot|kt)\.([a-z][\w.]*)", ours):
            reduce(getattr, names.split("."), kt.Robot if owner == "robot" else kt)
        for name in re.findall(r"\b(?:pin|plant|robot|data)\.(\w+)|\b(mj\w*_\w+)", theirs):
            told = other_libraries.ROBOT.get("".join(name), "!")
            assert told.startswith("!") or told.partition(";")[0].partition("(")[0].strip("-") in ours, (name, told)


def test_links_of_the_readme_work_where_there_is_no_repository() -> None:
    """They are relative in the file, and absolute in the description of the package, by substitutions at build time."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
    for rule in hook["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20
    assert all(link.startswith(tuple(HOSTED)) for link in links)
    assert [link for link in links if link.endswith(".gif")] == [HOSTED[1] + "docs/pictures/viewer.gif"]


@pytest.mark.parametrize("page", [*PAGES, *FOR_AUTHORS], ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page: Path) -> None:
    """Links, directories of the repository, and Python files, whose paths may begin at the page or in the package."""
    text = re.sub("|".join(map(re.escape, HOSTED)), "", page.read_text(encoding="utf-8"))
    for pattern in (
        r"\]\(((?!http)[^)#]+)\)",
        r'src="([^"]+)"',
        r"`((?:tests|docs|src|tools|examples)/[\w/.]+)`",
        r"\b(\w+/[\w/]+\.py)\b",
    ):
        for path in re.findall(pattern, text):
            places = (page.parent, ROOT, ROOT / "src" / "kinetrace")
            assert any((place / path).exists() for place in places), f"{page.name} names {path}"


def test_tables_of_commands_variables_and_tools_are_complete() -> None:
    command = (ROOT / "docs" / "command.md").read_text("utf-8")
    of_commands = command.partition("## Exit codes")[0]
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", of_commands)) == set(make_parser().commands.choices)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "src" / "kinetrace").rglob("*.py"))
    of_variables = command.partition("## Environment")[2]
    assert set(re.findall(r"(?m)^\| `(KINETRACE_\w+)` \|", of_variables)) == set(re.findall(r"KINETRACE_\w+", sources))
    tools = (ROOT / "tools" / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"(?m)^\| `(\w+)\.py` \|", tools)) == sorted(x.stem for x in (ROOT / "tools").glob("*.py"))
    groups = {path.stem for path in (ROOT / "tools" / "figures").glob("*.py")} - {"__main__"}
    assert set(re.findall(r"(?m)^\| `(\w+)` \| docs/", tools)) == groups


def functions_named() -> list[str]:
    """What docs/papers.md names as functions, with their choices."""
    lines = (ROOT / "docs" / "papers.md").read_text("utf-8").splitlines()
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    spans = [span for row in rows if len(row) == 4 for span in re.findall("`([^`]+)`", row[2])]
    return sorted({span.replace("\\|", "|") for span in spans if "/" not in span})


@pytest.mark.parametrize("named", functions_named())
def test_functions_in_the_table_of_equations_exist(named: str) -> None:
    """And so do the choices that it gives them."""
    node = ast.parse(named.replace("…", "..."), mode="eval").body
    path = ast.unparse(getattr(node, "func", node)).removeprefix("kt.")
    *owners, name = path.split(".")
    try:
        found = reduce(getattr, [*owners, name], kt)
    except AttributeError:  # of a module that hides behind the function of its name
        found = getattr(importlib.import_module(f"kinetrace.{'.'.join(owners)}"), name)
    for given in getattr(node, "keywords", ()):
        choice = algorithm_of(found).choices.get(given.arg)
        values = {x.value for x in ast.walk(given.value) if isinstance(x, ast.Constant)}
        assert choice is None or not choice.values or values <= set(choice.values)


def row_of_code(robot: str, base: str, algorithm: str) -> str:
    """A row of the table in docs/codegen.md."""
    kernel = kt.load(robot, base=base, backend="numpy").kernel(algorithm)
    of, count = unit(kernel.program, "of_docs"), kernel.count()
    lines, scratch = len(c.source(of).splitlines()), f"{of.scratch_bytes / 1000:.1f} kB" if of.scratch_bytes else "0"
    free = ", free base" if base == "free" else ""
    return f"| {robot}{free}, `{algorithm}` | {count.flops + count.trig:,} | {lines:,} | {scratch} |\n"


def test_sizes_of_generated_code(request: pytest.FixtureRequest) -> None:
    page = ROOT / "docs" / "codegen.md"
    text, header = page.read_text("utf-8"), "| | operations, with sines | lines | scratch |\n|---|---|---|---|\n"
    before, rest = text.split(header)
    old = re.match(r"(?:\|.*\n)*", rest)[0]
    programs = re.findall(r"\| (\w+)(?:, (free) base)?, `(\w+)`", old)
    assert len(programs) == 4
    new = "".join(row_of_code(robot, base or "fixed", algorithm) for robot, base, algorithm in programs)
    if request.config.getoption("--update"):
        page.write_text(before + header + new + rest[len(old) :], "utf-8")
    else:
        assert new == old, "pytest --update writes the table anew"


def test_notebooks_are_the_examples() -> None:
    """`make docs` runs the scripts; their notebooks have the same code, cell by cell."""
    pytest.importorskip("sphinx_gallery")
    from make_notebooks import EXAMPLES, notebook

    scripts = sorted(EXAMPLES.glob("*.py"))
    assert len(scripts) > 10
    for script in scripts:
        first, *cells = [cell.source for cell in notebook(script).cells if cell.cell_type == "code"]
        assert "if 'google.colab' in sys.modules:\n    %pip install" in first
        assert len(cells) > 1
        whole = ast.parse(script.read_text("utf-8")).body[1:]  # without the docstring, which is the first text
        assert ast.dump(ast.Module(whole, [])) == ast.dump(
            ast.Module([x for c in cells for x in ast.parse(c).body], [])
        )
