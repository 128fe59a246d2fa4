"""Files that a release carries beside the code agree with it: citation, recipe, package.xml, NOTICE, forms, paper."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import kinetrace as kt
from kinetrace.cli import make_parser

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
BROUGHT = {".woff", ".woff2", ".ttf", ".otf", ".stl", ".obj", ".dae", ".glb", ".ply", ".urdf", ".xacro", ".mjcf"}
"""Suffixes of fonts, meshes and robots, which are often somebody else's."""


def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def recipe() -> dict:
    return yaml.safe_load(text_of("recipe/recipe.yaml"))


def requirement(text: str) -> str:
    """Name and bounds, without markers and spaces."""
    return text.partition(";")[0].replace(" ", "").lower()


def test_one_version():
    package = ElementTree.fromstring(text_of("package.xml"))
    assert yaml.safe_load(text_of("CITATION.cff"))["version"] == kt.__version__
    assert package.findtext("version") == kt.__version__
    assert recipe()["context"]["version"] == kt.__version__
    assert recipe()["context"]["python_min"] == PROJECT["project"]["requires-python"].removeprefix(">=")


def test_the_date_is_that_of_the_changelog():
    """Before the release, there is none."""
    (told,) = re.findall(rf"(?m)^## {re.escape(kt.__version__)} \((.+)\)$", text_of("CHANGELOG.md"))
    date = yaml.safe_load(text_of("CITATION.cff")).get("date-released")
    assert told == ("unreleased" if date is None else str(date))


def test_one_name_one_licence():
    citation, package = yaml.safe_load(text_of("CITATION.cff")), ElementTree.fromstring(text_of("package.xml"))
    project, about = PROJECT["project"], recipe()["about"]
    assert {"LICENSE", "NOTICE"} <= set(project["license-files"]) & set(about["license_file"])
    assert citation["license"] == package.findtext("license") == project["license"]
    assert project["license"] in about["license"]
    assert citation["authors"] == project["authors"] == [{"name": package.findtext("author")}]
    assert package.findtext("name") == recipe()["package"]["name"] == project["name"]
    assert all((ROOT / name).is_file() for name in about["license_file"])


def test_requirements_of_the_recipe_are_those_of_the_project():
    requirements, project = recipe()["requirements"], PROJECT["project"]
    run = {requirement(x) for x in requirements["run"] if not x.startswith("python ")}
    assert run == {requirement(x) for x in project["dependencies"]}
    host = {requirement(x) for x in requirements["host"] if not x.startswith(("python ", "pip"))}
    assert host == {requirement(x) for x in PROJECT["build-system"]["requires"]}
    (entry,) = recipe()["build"]["python"]["entry_points"]
    assert requirement(entry) == "kinetrace=" + project["scripts"]["kinetrace"]
    for key in ElementTree.fromstring(text_of("package.xml")).findall("exec_depend"):
        found = {f"{key.text.removeprefix('python3-')}>={key.get('version_gte')}"}
        assert key.text == "python3" or found <= run


def bundled_files() -> list[str]:
    """Paths of data in the package, and of fonts, meshes and robots elsewhere."""
    package = [x for x in (ROOT / "src" / "kinetrace").rglob("*") if x.is_file() and "__pycache__" not in x.parts]
    found = [x for x in package if x.suffix not in (".py", ".md") and x.name != "py.typed"]
    for folder in ("docs", "tests", "examples", "tools", "benchmarks"):
        found += [x for x in (ROOT / folder).rglob("*") if x.suffix in BROUGHT]
    return sorted(x.relative_to(ROOT).as_posix() for x in found)


def test_everything_bundled_is_in_the_notice():
    notice = text_of("NOTICE")
    listed = re.findall(r"(?m)^([\w/.-]+): ", notice)
    assert len(bundled_files()) > 20
    assert [path for path in bundled_files() if path not in listed] == []
    assert [path for path in listed if not (ROOT / path).is_file()] == []
    for name in kt.robot_names():
        assert f"/{name}.urdf: " in notice or f"`{name}`" in notice, name


def test_packages_of_the_viewer_are_in_the_notice():
    notice, licences = text_of("NOTICE"), text_of("src/kinetrace/view/assets/LICENSES.txt")
    packages = json.loads(text_of("viewer/package-lock.json"))["packages"]
    bundled = {path: x for path, x in packages.items() if path and not x.get("dev")}
    assert bundled
    for path, package in bundled.items():
        name = path.rpartition("node_modules/")[2]
        assert re.search(rf"(?m)^    {name} {re.escape(package['version'])} \(.*{package['license']}\)$", notice), name
        assert f"\n{name}\n---" in licences


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_forms_are_complete(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    if path.stem == "config":
        assert all(set(link) == {"name", "url", "about"} for link in form["contact_links"])
        return
    assert form["name"] and form["description"]
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    commands = re.findall(r"`(kinetrace [^`]+)`", path.read_text("utf-8"))
    assert commands or path.stem == "feature"
    assert_commands_exist(commands)


def assert_commands_exist(commands: list[str]) -> None:
    """Their options are those of the parser, which ends the program after `--version`."""
    for command in commands:
        words = shlex.split(command, comments=True)[1:]
        if words != ["--version"]:
            assert make_parser().parse_args(words), command


def test_commands_of_the_paper_and_of_the_policy_exist():
    paper = text_of("paper/paper.md")
    blocks = re.findall(r"(?m)^    (kinetrace .+|python .+)$", paper)
    assert len(blocks) >= 4
    assert_commands_exist([x for x in blocks if x.startswith("kinetrace")])
    assert_commands_exist(re.findall(r"`(kinetrace [^`]+)`", paper))
    assert all((ROOT / x.split()[1]).is_file() for x in blocks if x.startswith("python"))
    policy = re.findall(r"`(kinetrace [^`]+)`", text_of("SECURITY.md"))
    assert_commands_exist(
        [x for x in policy if x not in ("kinetrace doctor", "kinetrace codegen", "kinetrace view --live")]
    )
    assert_commands_exist(recipe()["tests"][1]["script"][1:])


def test_figures_of_the_paper_are_those_of_the_page():
    rows = [line for line in text_of("paper/paper.md").splitlines() if line.startswith("| ")]
    page = text_of("docs/speed.md").splitlines()
    assert len(rows) > 5
    assert [row for row in rows if row not in page] == []


def test_citations_of_the_paper():
    paper, entries = text_of("paper/paper.md"), re.findall(r"(?m)^@\w+\{(\w+),", text_of("paper/paper.bib"))
    assert len(entries) == len(set(entries))
    assert set(re.findall(r"@(\w+)", paper.partition("\n---\n")[2])) == set(entries)
    words = paper.partition("\n---\n")[2].split()
    assert 750 <= len(words) <= 1750


def test_files_that_are_named_exist():
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md", ".github/PULL_REQUEST_TEMPLATE.md"):
        page = ROOT / name
        for path in re.findall(r"\]\(((?!http)[^)#]+)", page.read_text("utf-8")):
            assert (page.parent / path).exists(), path
        for path in re.findall(r"`(tests/[\w/.]+)`", page.read_text("utf-8")):
            assert (ROOT / path).exists(), path
