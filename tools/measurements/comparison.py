"""Measured numbers beside those of the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pages import UNITS, Entry, Page, Place, Registry, cells_of, kind, number

SPREADS = {"time": 1.5, "ratio": 1.4, "size": 1.1, "count": 1.0, "error": 10.0, "share": 1.1}
"""Kind → the factor by which a number may differ, up or down, unless its entry states another."""
NAMES_OF_UNITS = {
    "ns": "ns",
    "µs": "us",
    "us": "us",
    "ms": "ms",
    "s": "s",
    "kB": "kB",
    "MB": "MB",
    "GB": "GB",
    "%": "p",
}


@dataclass(frozen=True)
class Comparison:
    """A number of a page beside the measured one, in the unit of the page."""

    place: Place
    unit: str
    shown: float
    measured: float | None
    """As it would be on the machine of the page; None if the source did not give it."""
    spread: float

    @property
    def moved(self) -> bool:
        """Whether it is outside its spread, or outside its bound."""
        if self.measured is None:
            return False
        slack = self.spread * (1 + 1e-9) if self.spread > 1 else 1.0
        low, high = self.shown / slack - self.rounding, self.shown * slack + self.rounding
        return not (self.unit.endswith("+") or low <= self.measured) or not (
            self.unit.endswith("-") or self.measured <= high
        )

    @property
    def rounding(self) -> float:
        """Half of the last digit that is shown; none of a count."""
        if kind(self.unit.rstrip("+-")) == "count":
            return 0.0
        decimals = re.fullmatch(r"[\d, ]+\.(\d+)", self.place.shown)
        return 0.5 * 10.0 ** -(len(decimals[1]) if decimals else 0)

    def __str__(self) -> str:
        told = "nothing" if self.measured is None else f"{self.measured:.3g}"
        where = f"{self.place.page}:{self.place.line}"
        return f"{where}: {self.place.shown} {{{self.unit}}}, measured {told} (spread {self.spread:g})"


def value_of(found: str, unit: str) -> float:
    """A number in the unit of a placeholder; what is found may have a unit of its own: 0.31 µs."""
    parts = re.fullmatch(r"\s*(?:×|x)?\s*([\d.,e+-]+)\s*(\S+)?\s*", found)
    if not parts:
        raise ValueError(f"no number: {found!r}")
    own = NAMES_OF_UNITS.get(parts[2] or "", unit)
    return float(parts[1].replace(",", "")) * UNITS[own] / UNITS[unit]


def look_up(result: Mapping[str, float] | str, name: str, unit: str) -> float | None:
    """What a source measured: by name, in units of the SI, or by an expression in what a script prints."""
    if isinstance(result, str):
        found = re.search(name, result, re.M)
        return value_of(" ".join(x for x in found.groups() if x), unit) if found else None
    return result[name] / UNITS[unit] if name in result else None


def numbers_of(
    page: Page, entry: Entry, result: Mapping[str, float] | str
) -> Iterator[tuple[Place, str, float | None]]:
    """The numbers of an entry: where, of which unit, and as measured."""
    if not entry.is_table:
        for place, unit, name in zip(page.places(entry), entry.units, entry.values, strict=True):
            yield place, unit, look_up(result, name, unit.rstrip("+-"))
        return
    assert isinstance(result, str), "the source of a table prints it"
    printed = {}
    for row in re.findall(r"^\|.*", result, re.M):
        if row.count("|") > entry.labels:
            label, spans = cells_of(row, entry.labels, entry.unit)
            printed[label] = [number(row[a:b]) * UNITS[unit] for (a, b), unit in spans]
    for label, cells in page.table(entry).items():
        measured = printed.get(label, [])
        fits = len(measured) == len(cells)
        for k, (place, unit) in enumerate(cells):
            yield place, unit, measured[k] / UNITS[unit] if fits else None


def compare(
    page: Page, entry: Entry, registry: Registry, result: Mapping[str, float] | str, machine: float
) -> list[Comparison]:
    """The numbers of one entry; `machine` is the time of the Panda's inverse dynamics now, in nanoseconds."""
    made = []
    for place, unit, value in numbers_of(page, entry, result):
        plain, measured = unit.rstrip("+-"), value
        if measured is not None and kind(plain) == "time":
            measured *= registry.machine(entry) / machine
        made.append(Comparison(place, unit, number(place.shown), measured, entry.spread or SPREADS[kind(plain)]))
    return made
