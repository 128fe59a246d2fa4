"""Put a site that `make docs` has built beside those of other versions.

    python tools/make_versions.py build/docs build/pages 0.1.0
    python tools/make_versions.py build/docs build/pages          # dev until CHANGELOG.md has a date, then the version

Afterwards build/pages/0.1.0/ is that site, and other versions are as before. `stable/` leads to the newest release,
page by page, and index.html to its first page, or to that of `dev` until there is a release. versions.json is the
list that the sites show above their search; versions.js is the same list for sites that are opened as files, where a
browser fetches nothing. Twice the same call changes nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES_BRANCH = "gh-pages"
"""The branch that has the folder of all versions; Colab reads notebooks from it."""
NUMBER = r"(0|[1-9]\d*)"
RELEASE = re.compile(rf"{NUMBER}\.{NUMBER}\.{NUMBER}(?:(a|b|rc){NUMBER})?")
LEFT_OUT = (".doctrees", ".buildinfo*")
"""What Sphinx keeps for its next run."""


def rank(name: str) -> tuple[int | str, ...]:
    """The order of versions: candidates before their release, dev after all. A ValueError for other names."""
    if name == "dev":
        return (sys.maxsize,)
    found = RELEASE.fullmatch(name)
    if found is None:
        raise ValueError(f"a version is dev, 0.1.0 or 0.1.0rc1 (a and b as well), not {name!r}")
    *numbers, kind, count = found.groups()
    return (*map(int, numbers), kind or "release", int(count or 0))


def is_release(name: str) -> bool:
    """Whether this is a final version."""
    return name != "dev" and rank(name)[3] == "release"


def own_version(changelog: Path = ROOT / "CHANGELOG.md") -> str:
    """The version of this source: that of the changelog's first heading, and dev if it has no date yet."""
    heading = re.search(r"^## (\S+) \((.*)\)$", changelog.read_text("utf-8"), flags=re.MULTILINE)
    if heading is None:
        raise ValueError(f"{changelog.name} has no heading like '## 0.1.0 (2026-01-31)' or '## 0.1.0 (unreleased)'")
    return "dev" if heading[2] == "unreleased" else heading[1]


def published(pages: Path) -> list[str]:
    """Versions that are there, the newest first."""
    folders = [x.name for x in pages.iterdir() if (x / "index.html").is_file()]
    return sorted((x for x in folders if x == "dev" or RELEASE.fullmatch(x)), key=rank, reverse=True)


def check_built(built: Path, pages: Path, name: str) -> None:
    """Raise a ValueError if this is no site, or that of another version."""
    if not (built / "index.html").is_file():
        raise ValueError(f"{built} has no index.html: `make docs` builds the site in build/docs")
    if pages.resolve().is_relative_to(built.resolve()) or built.resolve().is_relative_to(pages.resolve()):
        raise ValueError(f"{built} and {pages} must be apart from each other")
    options = built / "_static" / "documentation_options.js"
    found = re.search(r"VERSION: '(.*?)'", options.read_text("utf-8")) if options.is_file() else None
    if name != "dev" and found and found[1] != name:
        raise ValueError(f"{built} is the site of version {found[1]}, not {name}")


def redirection(target: str, more: str = "") -> str:
    """A page that leads to another, at the same heading."""
    to = escape(target)
    go = f"location.replace({json.dumps(target)} + location.search + location.hash)"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>kinetrace</title>\n'
        f'<script>{go}</script>\n<meta http-equiv="refresh" content="0; url={to}">\n'
        f'<link rel="canonical" href="{to}"></head>\n<body><p><a href="{to}">{to}</a></p>{more}</body></html>\n'
    )


def put(path: Path, text: str) -> None:
    """Write a file whose text differs."""
    if not path.is_file() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def copy_site(built: Path, target: Path) -> None:
    """Replace what a version has by a site; a copy that fails leaves the old one."""
    fresh = target.with_name(f".{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(built, fresh, ignore=shutil.ignore_patterns(*LEFT_OUT))
    shutil.rmtree(target, ignore_errors=True)
    fresh.rename(target)


def point_stable(pages: Path, release: str | None) -> None:
    """Let stable/ have a redirection for each page of a release, and no others."""
    stable = pages / "stable"
    wanted = {}
    if release is not None:
        for page in (pages / release).rglob("*.html"):
            path = page.relative_to(pages / release)
            wanted[stable / path] = redirection(f"{'../' * len(path.parts)}{release}/{path.as_posix()}")
    for old in set(stable.rglob("*.html")) - wanted.keys():
        old.unlink()
    for path, text in wanted.items():
        put(path, text)
    if release is None:
        shutil.rmtree(stable, ignore_errors=True)


def write_list(pages: Path) -> list[str]:
    """Write what depends on all versions; return their names, the newest first."""
    names = published(pages)
    release = next(filter(is_release, names), None)
    rows = [{"name": x, "url": f"{x}/index.html", "stable": x == release} for x in names]
    text = json.dumps(rows, indent=1)
    links = "".join(f'<li><a href="{x["url"]}">{x["name"]}{" (stable)" * x["stable"]}</a></li>' for x in rows)
    point_stable(pages, release)
    put(pages / "versions.json", f"{text}\n")
    put(pages / "versions.js", f"window.kinetraceVersions = {text};\n")
    put(pages / "index.html", redirection(f"{release or names[0]}/index.html", f"<ul>{links}</ul>"))
    put(pages / ".nojekyll", "")  # GitHub would leave out folders like _static
    return names


def make_versions(built: Path, pages: Path, name: str) -> list[str]:
    """Put a site beside those of other versions; return the names of all, the newest first."""
    rank(name)
    check_built(built, pages, name)
    pages.mkdir(parents=True, exist_ok=True)
    copy_site(built, pages / name)
    return write_list(pages)


def main() -> int:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("built", type=Path, help="the site")
    parser.add_argument("pages", type=Path, help="the folder of all versions; made if it is not there")
    parser.add_argument("version", nargs="?", help="its version, or dev")
    given = parser.parse_args()
    try:
        print(" ".join(make_versions(given.built, given.pages, given.version or own_version())))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
