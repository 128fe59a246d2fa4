"""Measured quantities in the pages: where they are, and which entry of `entries/` stands for each.

An entry quotes the text around numbers, with a placeholder for each number; its name is the unit:

    {ns} {us} {ms} {s}    times, compared after scaling by the speed of the machine
    {x}                   ratios
    {B} {kB} {MB} {GB}    sizes
    {n}                   counts, which have to be equal
    {e}                   errors, such as 1.9e-8 or 1.9·10⁻⁸, compared by their order of magnitude
    {p}                   per cent

A text that begins with "table:" and the first cells of a header stands for all numbers of that table. Its source prints
the table too: rows are found by their first cells, as many as `labels` says; what has no unit in its cell is of `unit`.

A placeholder with a sign, such as {s+} or {x-}, is an upper or a lower bound: "{us-} to {us+}", "below {s+}". White
space of a quote stands for any white space, so a quote may go on over the end of a line.

Code is left out: snippets are run, and the text that they print is compared, by tests/test_docs.py.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
REGISTRY = Path(__file__).with_name("entries")
"""Folder of entries, one file for pages of one subject."""
REASONS = {
    "setting": "chosen, not measured: a step, a limit, a default, a condition of an experiment",
    "quoted": "printed in a paper or a standard, or a constant of mathematics",
    "tested": "compared with the library by a test, which a comment names",
    "renewed": "written by a script, which a comment names",
}
"""Why a number of a page is not measured here; each is a table of a file of entries, by page."""

UNITS = {
    "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "x": 1.0, "n": 1.0, "e": 1.0, "p": 0.01,
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9,
}  # fmt: skip
"""Placeholder → what one of it is, in seconds, bytes or parts of one."""
_DIGITS = r"\d(?:[\d, ]*\d)?(?:\.\d+)?"
NUMBER = rf"{_DIGITS}(?:e[-+]?\d+)?(?:·10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|10⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_EXPONENT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

QUANTITY = re.compile(
    r"(?<![\w.^])\d[\d,.]*(?: ?(?:–|to|and|or) ?\d[\d.]*)?"
    r"(?:"
    r" (?:ns|µs|ms|s|seconds|minutes|hours)(?![\w/])"
    r"| (?:kB|MB|GB|kilobytes|megabytes|gigabytes|bytes)\b"
    r"| ?×(?! ?[\dn(])"
    r"| times (?:as (?:fast|slow|long|many|much)|faster|slower|longer|less|fewer|the (?:speed|time|cost))"
    r"| ?(?:%|per cent)"
    r"| (?:thousand |million )?(?:operations|multiplications|additions|instructions)\b"
    r"| (?:tests|modules|robots|mechanisms|models|algorithms|functions|lines)\b"
    r"|(?:·10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r")"
    r"|\*\*\d[\d.]*\*\*(?= \|)"
)
"""What looks measured. Units of mechanics (m, kg, rad, Hz, N m) are none of it."""


def kind(unit: str) -> str:
    """What a placeholder compares."""
    named = {"x": "ratio", "n": "count", "e": "error", "p": "share"}
    return named.get(unit) or ("size" if unit.endswith("B") else "time")


def number(text: str) -> float:
    """The value of a number as pages print it: 1,333 or 1.9·10⁻⁸ or 10 000."""
    plain = text.replace(",", "").replace(" ", "")
    if "10⁻" in plain or re.search(r"10[⁰¹²³⁴⁵⁶⁷⁸⁹]", plain):
        head, _, power = plain.rpartition("10")
        return float(head.rstrip("·") or 1) * 10.0 ** int(power.translate(_EXPONENT))
    return float(plain)


@dataclass(frozen=True)
class Entry:
    """Numbers of a page and where they come from."""

    page: str
    text: str
    source: str = ""
    """A function of this folder, `module.function`, or a script, `benchmarks/threads.py --repeat 9`."""
    values: tuple[str, ...] = ()
    """What the source names them; of a script, regular expressions whose group finds the number in what it prints."""
    reason: str = ""
    """Why nothing is measured: one of the names of `REASONS`."""
    spread: float | None = None
    machine: float | None = None
    labels: int = 1
    """Of a table: how many cells name a row."""
    unit: str = "n"
    """Of a table: what numbers without a unit are."""

    @property
    def is_table(self) -> bool:
        """Whether it stands for a whole table."""
        return self.text.startswith("table:")

    @property
    def units(self) -> list[str]:
        """Its placeholders, with their signs."""
        return re.findall(r"\{(\w+[-+]?)\}", self.text)

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds its text: a group for each placeholder, or a whole table."""
        if self.is_table:
            return re.compile(rf"^{_quoted(self.text[6:].strip())}.*\n(?:\|.*(?:\n|\Z))+", re.M)
        return re.compile(_quoted(self.text))


def _quoted(text: str) -> str:
    """A regular expression for a quote."""
    pieces = re.split(r"(\{\w+[-+]?\}|\s+)", text)
    return "".join(
        rf"({NUMBER})" if re.fullmatch(r"\{\w+[-+]?\}", x) else r"\s+" if x.isspace() else re.escape(x) for x in pieces
    )


@dataclass(frozen=True)
class Place:
    """A number on a page."""

    page: str
    line: int
    begin: int
    end: int
    shown: str


@dataclass
class Page:
    """The text of a page, with code blanked out."""

    name: str
    text: str = field(repr=False)

    @property
    def prose(self) -> str:
        """The text in which blocks of code and inline code are blanks: positions stay."""
        blank = lambda found: re.sub(r"[^\n]", " ", found.group())  # noqa: E731
        text = re.sub(r"^ *(```+|~~~+).*?^ *\1", blank, self.text, flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`|\$[^$\n]*\$|\]\([^)\n]*\)", blank, text)
        return re.sub(r"(?<=\n\n)(?:    .*\n)+", blank, text)

    def line(self, position: int) -> int:
        """The number of the line, from 1."""
        return self.text.count("\n", 0, position) + 1

    def quantities(self) -> Iterator[Place]:
        """Everything that looks measured."""
        for found in QUANTITY.finditer(self.prose):
            yield Place(self.name, self.line(found.start()), found.start(), found.end(), found.group())

    def places(self, entry: Entry) -> list[Place]:
        """The numbers of an entry, where its text is first."""
        found = entry.pattern.search(self.text)
        spans = [found.span(k + 1) for k in range(found.re.groups)] if found else []
        return [Place(self.name, self.line(a), a, b, self.text[a:b]) for a, b in spans]

    def table(self, entry: Entry) -> dict[str, list[tuple[Place, str]]]:
        """Of an entry's table: label of a row → its numbers, each with its unit."""
        found = entry.pattern.search(self.text)
        assert found is not None, entry.text
        rows = list(re.finditer(r"^\|.*", found.group(), re.M))[2:]
        result = {}
        for row in rows:
            label, spans = cells_of(row.group(), entry.labels, entry.unit)
            begin = found.start() + row.start()
            result[label] = [
                (Place(self.name, self.line(begin), begin + a, begin + b, row.group()[a:b]), unit)
                for (a, b), unit in spans
            ]
        return result

    def count(self, entry: Entry) -> int:
        """How many numbers an entry has."""
        return sum(map(len, self.table(entry).values())) if entry.is_table else len(entry.units)

    def spans(self, entry: Entry) -> list[tuple[int, int]]:
        """From where to where an entry's text goes, each time that it occurs."""
        return [found.span() for found in entry.pattern.finditer(self.text)]


UNITS_IN_CELLS = {
    "µs": "us",
    "us": "us",
    "×": "x",
    "%": "p",
    **{x: x for x in ("ns", "ms", "s", "B", "kB", "MB", "GB")},
}
"""What stands behind a number in a cell → its unit."""


def cells_of(row: str, labels: int, unit: str) -> tuple[str, list[tuple[tuple[int, int], str]]]:
    """The label of a row of a table, without its typography, and where in the row numbers are, with their units."""
    ends = [x.start() for x in re.finditer(r"\|", row)]
    label = re.sub(r"[`*\s]+", " ", row[ends[0] + 1 : ends[labels]]).strip()
    numbers = re.finditer(rf"(?<![\w.])({NUMBER})(?: ?(ns|µs|us|ms|s|B|kB|MB|GB|×|%)(?!\w))?", row[ends[labels] :])
    at = ends[labels]
    return label, [((at + x.start(1), at + x.end(1)), UNITS_IN_CELLS.get(x[2] or "", unit)) for x in numbers]


@dataclass(frozen=True)
class Registry:
    """What the files of entries have."""

    entries: list[Entry]
    machines: dict[str, float]
    """Page → nanoseconds of the Panda's inverse dynamics where its times were measured; "" for all others."""

    def machine(self, entry: Entry) -> float:
        """That of an entry."""
        return entry.machine or self.machines.get(entry.page, self.machines[""])


def read_registry(folder: Path = REGISTRY) -> Registry:
    """Read the files of `entries`."""
    registry = Registry([], {})
    for path in sorted(folder.glob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        registry.machines.update(content.get("machines", {}))
        for given in content.get("entry", ()):
            registry.entries.append(Entry(**{**given, "values": tuple(given.get("values", ()))}))
        for reason in REASONS:
            for page, texts in content.get(reason, {}).items():
                registry.entries.extend(Entry(page, text, reason=reason) for text in texts)
    return registry


def read_pages(root: Path = ROOT) -> dict[str, Page]:
    """README.md and docs/**/*.md."""
    files = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    skipped = ("reference", "tutorials")  # written by the build of the site
    names = [x.relative_to(root).as_posix() for x in files]
    names = [x for x in names if x.split("/")[1:2] not in [[s] for s in skipped]]
    return {x: Page(x, (root / x).read_text(encoding="utf-8")) for x in names}


def uncovered(pages: dict[str, Page], registry: Registry) -> list[Place]:
    """Quantities that no entry has."""
    left = []
    for page in pages.values():
        spans = [span for entry in registry.entries if page.name == entry.page for span in page.spans(entry)]
        left += [x for x in page.quantities() if not any(a < x.end and x.begin < b for a, b in spans)]
    return left


def faults(pages: dict[str, Page], registry: Registry) -> list[str]:
    """Entries that stand for nothing, or for two things; values that do not fit."""
    found = list[str]()
    for entry in registry.entries:
        told = f"{entry.page}: {entry.text!r}"
        times = len(pages[entry.page].spans(entry)) if entry.page in pages else 0
        if times != 1:
            found.append(f"{told} is there {times} times; lengthen the quote, or remove the entry")
        if bad := [x for x in entry.units if x.rstrip("+-") not in UNITS]:
            found.append(f"{told}: no placeholder {bad}; there are {', '.join(UNITS)}")
        if entry.source and not entry.is_table and len(entry.values) != len(entry.units):
            found.append(f"{told}: {len(entry.units)} placeholders, but {len(entry.values)} values")
        if bool(entry.source) == bool(entry.reason):
            found.append(f"{told}: give a source, or list it under one of {', '.join(REASONS)}")
    return found
