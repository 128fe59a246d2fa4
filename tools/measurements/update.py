"""Numbers that moved, written into the pages in the notation that they have there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from comparison import Comparison
from pages import ROOT, Page, kind, number

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_POWER = re.compile(r"(?P<digits>[\d, .]*?)(?P<mark>·?10(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])|e).*")
"""A number with an exponent: 1.9·10⁻⁸, 10⁻⁸, 1.9e-8."""


def significant(digits: str) -> int:
    """How many digits of a number without an exponent count: those from the first that is not zero, at least one."""
    return max(1, len(re.sub(r"\D", "", digits).lstrip("0")))


def in_digits(value: float, count: int) -> str:
    """A positive number with so many significant digits, without an exponent."""
    power = int(f"{value:.{count - 1}e}".partition("e")[2])
    decimals = max(0, count - 1 - power)
    return f"{round(value, count - 1 - power):.{decimals}f}"


def grouped(plain: str, shown: str) -> str:
    """Thousands apart as in the number that is shown; by commas if it has none."""
    whole, dot, rest = plain.partition(".")
    if "," not in shown and " " not in shown and number(shown) >= 1000:
        return plain
    return f"{int(whole):,}".replace(",", " " if " " in shown else ",") + dot + rest


def restyled(shown: str, value: float, unit: str) -> str:
    """A value that is not negative, with the digits, separators and kind of exponent of `shown`; counts in full."""
    if kind(unit) == "count" and value == round(value):
        return grouped(f"{value:.0f}", shown)
    if value == 0:
        return "0"
    found = _POWER.fullmatch(shown)
    if not found:
        return grouped(in_digits(value, significant(shown)), shown)
    if not found["digits"]:  # a power alone
        return "10" + str(round(math.log10(value))).translate(_SUPERSCRIPTS)
    digits, _, power = f"{value:.{significant(found['digits']) - 1}e}".partition("e")
    if found["mark"] == "e":
        return f"{digits}e{int(power)}"
    return f"{digits}·10{str(int(power)).translate(_SUPERSCRIPTS)}"


def can_be_written(x: Comparison) -> bool:
    """Whether a number moved that is no bound, and to a value that a page can show."""
    return x.moved and x.unit[-1] not in "+-" and x.measured is not None and 0 <= x.measured < math.inf


def update(pages: Mapping[str, Page], made: Iterable[Comparison], root: Path = ROOT) -> list[str]:
    """Write those that moved into the files of the pages, the last one first; what changed."""
    changed = []
    texts = {name: page.text for name, page in pages.items()}
    one_each = {(x.place.page, x.place.begin): x for x in made if can_be_written(x)}
    for _, x in sorted(one_each.items(), reverse=True):
        place, text = x.place, texts[x.place.page]
        assert x.measured is not None
        new = restyled(place.shown, x.measured, x.unit)
        if new != place.shown:
            texts[place.page] = text[: place.begin] + new + text[place.end :]
            changed.append((place.page, place.line, place.begin, f"{place.shown} → {new}"))
    for name in {x[0] for x in changed}:
        (root / name).write_text(texts[name], encoding="utf-8")
    return [f"{name}:{line}: {told}" for name, line, _, told in sorted(changed)]
