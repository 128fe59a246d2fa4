"""Check the pages of the documentation site: links within it lead somewhere, and it loads nothing from other hosts.

python tools/check_site.py build/docs

Addresses of other hosts are not fetched; their hosts are compared with a list. In a browser, if there is one: what a
search finds first, that the first screen has the install line, a film and four figures with their commands, that the
first page fits a phone, and that the page of the viewer runs.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote_plus, unquote, urlsplit

from kinetrace.view import capture

COLAB = "colab.research.google.com"
HOSTS = {
    *("github.com", "raw.githubusercontent.com", "doi.org", "arxiv.org", "ntrs.nasa.gov", "numpy.org", "pradyunsg.me"),
    *("www.sphinx-doc.org", "sphinx-gallery.github.io", "docs.python.org", "pypi.org", "mujoco.readthedocs.io"),
    *(COLAB, "docs.dask.org", "jobqueue.dask.org", "kubernetes.dask.org", "www.sympy.org"),
}
"""Hosts that pages may link to."""
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""What a browser fetches by itself; a link of another kind is followed by its reader."""

FOUND_FIRST = {
    "contact": "howto/contact.html",
    "PD controller": "control/pd.html",
    "swing up": "trajectory_optimisation.html#swing-up",
    "degrees": "conventions.html#units-radians-not-degrees",
    "inverse kinematics": "howto/inverse_kinematics.html",
    "mass_matrix": "reference/robot_mass.html#kinetrace.Robot.mass_matrix",
    "MPC": "howto/mpc.html",
    "load a urdf": "loading.html",
    "install": "ten_minutes.html#install",
    "friction": "control/friction_compensation.html",
}
"""What people look for, and the page or heading that a search has to name first."""
SCREEN = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
FIRST_SCREEN = {".highlight-sh": 1, ".film img": 1, ".figures li code": 4}
"""What it has to show, and how many."""


class Page(HTMLParser):
    """Names of the places of a page, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag has."""
        given = {name: value for name, value in attrs if value}
        self.places.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if LOADED.get(tag) in given and given.get("rel") not in ("canonical", "edit"):
            self.loaded.append(given[LOADED[tag]])


def complaints(root: Path) -> list[str]:
    """Everything that is wrong, as lines."""
    pages = {
        path: Page(path.read_text("utf-8")) for path in sorted(root.rglob("*.html")) if "_static" not in path.parts
    }
    found = [] if pages else [f"{root} has no pages"]
    for path, page in pages.items():
        name = path.relative_to(root)
        found += [f"{name}: loads {x} from another host" for x in page.loaded if urlsplit(x).netloc]
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme == "mailto" or link.startswith("data:"):
                continue
            if parts.netloc:
                if parts.scheme != "https" or parts.netloc not in HOSTS:
                    found.append(
                        f"{name}: {link} is not an https address of a known host (HOSTS in {Path(__file__).name})"
                    )
                elif parts.netloc == COLAB and not (root / "notebooks" / Path(parts.path).name).is_file():
                    found.append(f"{name}: {link} opens a notebook that notebooks/ has not")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{name}: no file {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{name}: no place {link}")
    return found


def complaints_in_a_browser(root: Path) -> list[str]:
    """What a reader would miss, as lines."""
    with capture.browser() as browser:
        tab = browser.new_page(viewport=SCREEN)
        found = []
        for words, wanted in FOUND_FIRST.items():
            tab.goto(f"{(root / 'search.html').as_uri()}?q={quote_plus(words)}")
            first = tab.wait_for_selector("#search-results li a").get_attribute("href")
            found += [f"a search for {words!r} finds {first} first, not {wanted}"] if first != wanted else []
        tab.goto((root / "index.html").as_uri())
        for what, count in FIRST_SCREEN.items():
            places = [x.bounding_box() for x in tab.query_selector_all(what)]
            inside = sum(place["y"] + place["height"] <= SCREEN["height"] for place in places)
            found += [f"the first screen shows {inside} of {count} {what}"] if inside < count else []
        tab.set_viewport_size(PHONE)
        width = tab.evaluate("document.documentElement.scrollWidth")
        found += [f"the first page is {width} pixels wide on a phone"] if width > PHONE["width"] else []
        tab.click(".film")
        capture.wait_until_ready(tab)
    return found


def main() -> int:
    """Print what is wrong; 1 if there is anything."""
    root = Path(sys.argv[1]).resolve()
    found = complaints(root)
    if capture.browser_path() is None:
        print("no browser: searches and the first screen are not checked")
    else:
        found += complaints_in_a_browser(root)
    print("\n".join(found[:50]))
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    print(f"{len(list(root.rglob('*.html')))} pages, {size / 1e6:.1f} MB, {len(found)} complaints")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
