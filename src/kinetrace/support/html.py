"""HTML for notebooks: self-contained fragments in the colours of the page around them, with every name escaped.

Nothing is loaded from other hosts, nothing runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import printable, shorten

LONGEST_TEXT = 60
"""Characters of a name; the middle of longer ones is left out."""
MOST_ROWS = 200
"""Rows of a table; further ones are counted."""
FAINT_LINE_COLOR = "color-mix(in srgb, currentColor 18%, transparent)"
"""A line that is faint on light and on dark pages."""
BLOCK_STYLE = "font-size:0.9em;line-height:1.45;max-width:72em"


def html_text(text: object, most: int = LONGEST_TEXT) -> str:
    """Text for HTML, shortened, without control characters.

    >>> html_text("<script>alert('1')</script>\\x00")
    '&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;\\\\x00'
    """
    from html import escape  # its tables take a millisecond to load

    return escape(printable(shorten(text, most)))


def code(text: object) -> str:
    """A name, in the type of code."""
    return f"<code>{html_text(text)}</code>"


def block(title: str, *parts: str) -> str:
    """A fragment: a line of title, already HTML, and parts below it."""
    return f'<div style="{BLOCK_STYLE}"><div>{title}</div>{"".join(parts)}</div>'


def side_by_side(left: str, right: str) -> str:
    """Two parts in one row, below each other where that is too narrow."""
    style = "display:flex;flex-wrap:wrap;gap:1.2em;align-items:flex-start"
    return f'<div style="{style}"><div>{left}</div><div style="flex:1;min-width:16em">{right}</div></div>'


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Facts in a few lines; both sides are HTML."""
    rows = "".join(
        f'<tr><td style="text-align:left;opacity:0.7;padding:0 1em 0 0">{a}</td>'
        f'<td style="text-align:left;padding:0">{b}</td></tr>'
        for a, b in pairs
    )
    return f'<table style="border:none;margin:0.3em 0;background:none;font-size:inherit">{rows}</table>'


def details(summary: str, inside: str, *, is_open: bool = False) -> str:
    """A part that opens when one clicks on its summary; both are HTML."""
    opened = " open" if is_open else ""
    return f'<details{opened}><summary style="cursor:pointer">{summary}</summary>{inside}</details>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table; its entries are HTML, those of the columns `right` are aligned to the right."""

    def cell(tag: str, k: int, x: str) -> str:
        side = "right" if k in right else "left"
        return f'<{tag} style="text-align:{side};padding:0.1em 0.7em 0.1em 0;white-space:nowrap">{x}</{tag}>'

    def line(tag: str, entries: Sequence[str]) -> str:
        inside = "".join(cell(tag, k, x) for k, x in enumerate(entries))
        return f'<tr style="background:none;border-bottom:1px solid {FAINT_LINE_COLOR}">{inside}</tr>'

    rest = len(rows) - MOST_ROWS
    more = f'<div style="opacity:0.7">and {rest} more</div>' if rest > 0 else ""
    body = "".join(line("td", row) for row in rows[:MOST_ROWS])
    style = "border-collapse:collapse;margin:0.3em 0;background:none;font-size:inherit"
    return f'<div style="overflow-x:auto"><table style="{style}">{line("th", head)}{body}</table></div>{more}'
