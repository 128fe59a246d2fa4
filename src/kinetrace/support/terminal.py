"""A console that shows every character of a text and takes none for markup; imported when something is printed."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from ..errors import printable


class Terminal(Console):
    """Rich's console, which passes every string that it prints, alone or in a table, through `printable`.

    Line ends are escaped too: what has several lines is printed line by line. A `Text` is taken as it is, so one with a
    name in it is made by `render_str`.
    """

    def render_str(self, text: str, **how: Any) -> Text:
        """A string as styled text."""
        return super().render_str(printable(text), **how)
