"""XML with line numbers, and numbers out of it with errors that name the element.

Only what robot files use: elements and attributes. Document type and entity declarations are refused, so a
file can neither expand itself without end nor reach for other files.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from ...arrays import Array
from ...errors import InputError, ModelError


@dataclass(eq=False)
class Element:
    """One element: its tag, its attributes, its children, and where it stands."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[Element] = field(default_factory=list, repr=False)

    def error(self, message: str) -> ModelError:
        """An error about this element, to be raised."""
        name = f' name="{self.attributes["name"]}"' if "name" in self.attributes else ""
        return ModelError(f"{self.file}, line {self.line}: <{self.tag}{name}>: {message}")

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> Element | None:
        """The only child with this tag, or None."""
        found = self.all(tag)
        if len(found) > 1:
            lines = ", ".join(str(child.line) for child in found)
            raise self.error(f"more than one <{tag}> (lines {lines})")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """The only child with this tag."""
        child = self.find(tag)
        if child is None:
            raise self.error(f"needs a <{tag}> inside")
        return child

    def text(self, attribute: str) -> str:
        """The attribute, which must be there and not blank."""
        value = self.attributes.get(attribute)
        if value is None or not value.strip():
            raise self.error(f"needs the attribute {attribute!r}")
        return value

    def numbers(
        self, attribute: str, count: int, default: tuple[float, ...] | None = None, *, finite: bool = True
    ) -> Array:
        """The attribute as `count` numbers (count,); `default`, if there is one, when it is missing.

        >>> parse("<box size='1 2 3'/>").numbers("size", 3).tolist()
        [1.0, 2.0, 3.0]
        """
        if attribute not in self.attributes and default is not None:
            return np.array(default, dtype=float)
        value = self.text(attribute)
        wanted = "a number" if count == 1 else f"{count} numbers"
        try:
            numbers = [_number(word) for word in value.split()]
        except ValueError:
            raise self.error(f"attribute {attribute!r} must be {wanted}, got {value!r}") from None
        if len(numbers) != count:
            raise self.error(f"attribute {attribute!r} must be {wanted}, got {len(numbers)}: {value!r}")
        if any(math.isnan(x) or (finite and math.isinf(x)) for x in numbers):
            raise self.error(f"attribute {attribute!r} must be finite, got {value!r}")
        return np.array(numbers)

    def number(self, attribute: str, default: float | None = None, *, finite: bool = True) -> float:
        """The attribute as one number."""
        return float(self.numbers(attribute, 1, None if default is None else (default,), finite=finite)[0])


def _number(word: str) -> float:
    if "_" in word:  # Python's digit groups are not XML's
        raise ValueError(word)
    return float(word)


def is_text(source: object) -> bool:
    """Whether the source is XML itself rather than a path to it."""
    return isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")


def parse(source: str | os.PathLike[str]) -> Element:
    """The root element of an XML text (a string that starts with "<") or of the file at a path.

    >>> parse("<robot><link name='a'/></robot>").children[0].attributes
    {'name': 'a'}
    """
    if is_text(source):
        text = str(source).lstrip("\ufeff \t\r\n")
        return _parse(text.encode("utf-8", "surrogatepass"), "XML text", "utf-8")
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"expected a path or XML text, got {type(source).__name__}")
    path = Path(source).expanduser()
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {str(path)!r}: {reason}") from None
    return _parse(data, str(path), None)


def _parse(data: bytes, file: str, encoding: str | None) -> Element:
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    roots: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, file, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def refuse(*_: Any) -> None:
        line = parser.CurrentLineNumber
        raise ModelError(f"{file}, line {line}: document type and entity declarations are not accepted")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = expat.ErrorString(error.code)
        raise ModelError(f"{file}, line {error.lineno}: malformed XML: {problem}") from None
    except LookupError as error:
        raise ModelError(f"{file}, line 1: malformed XML: {error}") from None
    return roots[0]
