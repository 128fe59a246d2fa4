"""Tables and lines for people to read; rich is imported when something is printed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def console(**settings: Any) -> Console:
    """The terminal, or whatever stands for it; names in a robot's file are never taken for markup."""
    return terminal_class()(markup=False, highlight=False, emoji=False, **settings)


@cache
def terminal_class() -> type[Console]:
    """The class of consoles that show every character of a text, as `printable` writes it, and take none for markup."""
    from rich.console import Console

    class Terminal(Console):
        """Rich's console, which passes every string that it prints, alone or in a table, through `printable`.

        Line ends are escaped too: what has several lines is printed line by line. A `Text` is taken as it is, so one
        with a name in it is made by `render_str`.
        """

        def render_str(self, text: str, **how: Any) -> Text:
            """A string as styled text."""
            return super().render_str(printable(text), **how)

    return Terminal


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """An empty table; the columns named in `right` hold numbers."""
    from rich.table import Table

    made = Table(header_style="dim", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return made


def show(out: Console, title: str, listing: Table) -> None:
    """Print a table below its title."""
    out.print()
    out.print(title, style="bold")
    out.print(listing)


def plural(n: int, one: str, many: str) -> str:
    """A number with its noun.

    >>> plural(1, "body", "bodies"), plural(1000, "body", "bodies")
    ('1 body', '1,000 bodies')
    """
    return f"{n:,} {one if n == 1 else many}"
