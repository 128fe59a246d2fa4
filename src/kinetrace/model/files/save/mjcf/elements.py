"""Elements of MJCF as plain data and text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr


@dataclass
class MjcfElement:
    """An element: tag, attributes, children."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[MjcfElement] = field(default_factory=list)

    def text(self) -> str:
        """The XML text, indented; without recursion: chains may be long."""
        lines, pending = list[str](), [(self, 0, False)]
        while pending:
            element, depth, is_end = pending.pop()
            indent = "  " * depth
            if is_end:
                lines.append(f"{indent}</{element.tag}>")
                continue
            inside = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
            lines.append(f"{indent}<{element.tag}{inside}{'' if element.children else '/'}>")
            if element.children:
                pending.append((element, depth, True))
                pending += [(child, depth + 1, False) for child in reversed(element.children)]
        return "\n".join(lines) + "\n"


def joints_in(element: MjcfElement) -> list[str]:
    """Names of the joints in an element, in the order of qpos: those of a body before those of its children."""
    found, pending = list[str](), [element]
    while pending:
        body = pending.pop()
        found += [x.attributes["name"] for x in body.children if x.tag == "joint"]
        pending += [x for x in reversed(body.children) if x.tag == "body"]
    return found
