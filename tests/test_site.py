"""The first page of the site, and what is made of the site: the folder of all versions."""

import json
import re
from pathlib import Path

import pytest
from make_versions import ROOT, make_versions, own_version, rank

from kinetrace.cli import make_parser


def site(folder: Path, version: str, *pages: str) -> Path:
    """A small site, as Sphinx would leave it."""
    for page in ("index.html", *pages):
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{page} of {version}")
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "documentation_options.js").write_text(f"const OPTIONS = {{\n    VERSION: '{version}',\n}};")
    (folder / ".buildinfo").write_text("of Sphinx")
    return folder


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Files with their bytes, and when they were written."""
    files = [x for x in folder.rglob("*") if x.is_file()]
    return {x.relative_to(folder).as_posix(): (x.read_bytes(), x.stat().st_mtime_ns) for x in files}


def test_three_versions(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    assert make_versions(site(tmp_path / "new", "0.2.0"), pages, "dev") == ["dev"]
    assert "dev/index.html" in (pages / "index.html").read_text() and not (pages / "stable").exists()
    make_versions(site(tmp_path / "first", "0.9.0", "old.html", "howto/mpc.html"), pages, "0.9.0")
    (pages / "CNAME").write_text("of somebody")
    make_versions(site(tmp_path / "next", "0.10.0", "howto/mpc.html"), pages, "0.10.0")
    names = make_versions(site(tmp_path / "candidate", "0.11.0rc1"), pages, "0.11.0rc1")
    assert names == ["dev", "0.11.0rc1", "0.10.0", "0.9.0"]

    rows = json.loads((pages / "versions.json").read_text())
    assert [x["name"] for x in rows] == names and [x["name"] for x in rows if x["stable"]] == ["0.10.0"]
    assert all((pages / x["url"]).is_file() for x in rows)
    script = (pages / "versions.js").read_text()
    assert json.loads(re.fullmatch(r"window\.kinetraceVersions = (.*);\n", script, re.DOTALL)[1]) == rows

    assert "0.10.0/index.html" in (pages / "index.html").read_text()
    stable = {x.relative_to(pages / "stable").as_posix() for x in (pages / "stable").rglob("*.html")}
    assert stable == {"index.html", "howto/mpc.html"}  # old.html was of 0.9.0 alone
    for page in (pages / "stable").rglob("*.html"):
        target = re.search(r'url=([^"]+)"', page.read_text())[1]
        assert (page.parent / target).resolve() == pages / "0.10.0" / page.relative_to(pages / "stable")
    assert (pages / "0.9.0" / "old.html").read_text() == "old.html of 0.9.0"
    assert (pages / ".nojekyll").exists() and (pages / "CNAME").exists()
    assert not list(pages.rglob(".buildinfo")) and not list(pages.glob(".*.new"))


def test_twice_is_once(tmp_path: Path) -> None:
    built, pages = site(tmp_path / "built", "0.1.0", "speed.html"), tmp_path / "pages"
    make_versions(built, pages, "0.1.0")
    before = contents(pages)
    make_versions(built, pages, "0.1.0")
    assert contents(pages) == before


@pytest.mark.parametrize(
    "name", ["", "v0.1.0", "0.1", "stable", "../0.1.0", "0.1.0/x", "01.0.0", "0.1.0-rc1", "0.1.0\n"]
)
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"a version is dev, 0\.1\.0 or 0\.1\.0rc1"):
        make_versions(site(tmp_path / "built", "0.1.0"), tmp_path / "pages", name)
    assert not (tmp_path / "pages").exists()


def test_wrong_sites_are_refused(tmp_path: Path) -> None:
    built = site(tmp_path / "built", "0.1.0")
    with pytest.raises(ValueError, match=r"is the site of version 0\.1\.0, not 0\.2\.0"):
        make_versions(built, tmp_path / "pages", "0.2.0")
    with pytest.raises(ValueError, match=r"no index\.html"):
        make_versions(tmp_path / "empty", tmp_path / "pages", "dev")
    for pages in (built, built / "pages", tmp_path):
        with pytest.raises(ValueError, match="apart from each other"):
            make_versions(built, pages, "dev")


def test_own_version(tmp_path: Path) -> None:
    log = tmp_path / "CHANGELOG.md"
    for text, version in (("0.2.0 (unreleased)", "dev"), ("0.2.0 (2026-11-18)", "0.2.0")):
        log.write_text(f"# Changelog\n\n## {text}\n\n## 0.1.0 (2026-01-01)\n")
        assert own_version(log) == version
    rank(own_version(ROOT / "CHANGELOG.md"))


def test_figures_of_the_first_page() -> None:
    """Each is in the page that it is taken from, and names the command that measures it."""
    docs = ROOT / "docs"
    text = (docs / "index.md").read_text("utf-8").partition('<div class="figures">')[2].partition("</div>")[0]
    rows = re.findall(r"^- \*\*(.+?)\*\*(.+)\n  `(.+)`$", text, flags=re.MULTILINE)
    assert len(rows) == 4
    measured = "".join((docs / page).read_text("utf-8") for page in ("speed.md", "inverse_kinematics.md"))
    for figure, told, command in rows:
        number = figure.removesuffix(" ×")
        assert f"| {number} |" in measured or f"| **{number}** |" in measured, told
        program, *words = command.split()
        if program == "kinetrace":
            make_parser().parse_args(words)
        else:
            assert (ROOT / words[0]).is_file()


def test_the_film_is_small() -> None:
    assert sum(path.stat().st_size for path in (ROOT / "docs" / "_static").glob("film*.webp")) <= 1_000_000


def test_notebooks_install_in_colab_only() -> None:
    """The first cell is valid, does nothing here, and has what the scripts need."""
    pytest.importorskip("sphinx_gallery")
    nbformat = pytest.importorskip("nbformat")
    transform = pytest.importorskip("IPython.core.inputtransformer2").TransformerManager().transform_cell
    from make_notebooks import EXAMPLES, EXTRAS, REPOSITORY, install_cell, notebook

    assert f"'.[{EXTRAS}]'" in (EXAMPLES / "README.rst").read_text("utf-8")
    assert f"'kinetrace[{EXTRAS}]==0.2.0'" in install_cell(REPOSITORY, "0.2.0")
    assert f"'kinetrace[{EXTRAS}] @ git+{REPOSITORY}'" in install_cell(REPOSITORY, "dev")
    for script in EXAMPLES.glob("[0-9]*.py"):
        made = notebook(script)
        nbformat.validate(made)
        exec(transform(made.cells[0].source), {})  # get_ipython is not called: there is none


def test_links_to_colab() -> None:
    pytest.importorskip("sphinx_gallery")
    from make_notebooks import colab_folder

    found = colab_folder("https://github.com/a/b/", "0.2.0")
    assert found == "https://colab.research.google.com/github/a/b/blob/gh-pages/0.2.0/notebooks"
    assert colab_folder("https://example.org/a/b", "dev") is None  # which Colab does not read
