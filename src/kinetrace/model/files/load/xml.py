"""XML with line numbers, and numbers out of it with errors that name the element.

Only what robot files use: elements and attributes. Document type and entity declarations are refused, so a
file can neither expand itself without end nor reach for other files.
"""

from __future__ import annotations

import codecs
import math
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ....arrays import Array
from ....errors import LONGEST_NAME, InputError, ModelError, name_list, nearest, printable, shorten, value_text
from ....support.files import head_of, regular_file
from ...checks import MAX_NUMBER
from .meshes import package_option

MAX_FILE_SIZE = 200_000_000
"""Bytes, or characters, of a file that is read."""
TEXT = ""
"""Tag of a text between elements, which is the attribute of this name; `read_text` keeps them with `texts`."""
_BLANK = "\ufeff \t\r\n"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""First bytes of a file → its encoding."""
_ABOVE = {"<?": "?>", "<!--": "-->", "<!DOCTYPE": ">"}
"""Beginnings and ends of parts that may stand above the outermost element."""
_FIRST_TAG = re.compile(r"<\s*([\w:.-]+)")
_HEAD_LENGTH = 1_000_000
"""Characters in which the outermost element is looked for."""
_NO_CHARACTERS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7")
"""Python's encodings that escape or transform text."""


@dataclass(eq=False)
class XmlSource:
    """Source of a text, and its irregularities: (kind, whether it is harmless) → places."""

    file: str = "XML text"
    folder: Path | None = None
    oddities: dict[tuple[str, bool], dict[str, None]] = field(default_factory=dict)

    def remark(self, kind: str, place: str, *, harmless: bool) -> None:
        """Record an irregularity and how it is handled; a harmless one does not affect motion. A place counts once."""
        self.oddities.setdefault((kind, harmless), {})[place] = None

    def error(self, line: int, problem: str) -> ModelError:
        """An error about a line, to be raised."""
        return ModelError(problem, file=self.file, place=f"line {line}")

    def remarks(self, most: int = 4) -> list[tuple[str, bool]]:
        """One message per kind, with the first few of its places, and whether it is harmless."""
        found = []
        for (kind, harmless), places in self.oddities.items():
            more = f"; and {len(places) - most} more" if len(places) > most else ""
            each = "; ".join(shorten(place, 2 * LONGEST_NAME) for place in list(places)[:most])
            found.append((f"{kind}: {each}{more}", harmless))
        return found


@dataclass(eq=False)
class Element:
    """One element: its tag, its attributes, its children, and its line."""

    tag: str
    attributes: dict[str, str]
    source: XmlSource
    line: int
    children: list[Element] = field(default_factory=list, repr=False)

    def __str__(self) -> str:
        name = shorten(printable(self.attributes.get("name", "")), LONGEST_NAME)
        return f"<{shorten(self.tag, LONGEST_NAME)}" + (f' name="{name}">' if "name" in self.attributes else ">")

    @property
    def place(self) -> str:
        """Its place in the file."""
        return f"line {self.line}: {self}"

    def error(self, message: str) -> ModelError:
        """An error about this element, to be raised."""
        return ModelError(message, file=self.source.file, place=self.place)

    def remark(self, kind: str, *, harmless: bool, detail: str = "") -> None:
        """Record an irregularity of this element."""
        self.source.remark(kind, f"{self.place}{detail and ': '}{detail}", harmless=harmless)

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str, *, first: bool = False, harmless: bool = False) -> Element | None:
        """The child with this tag, or None. Of several equal ones the first; with `first`, of any."""
        found = self.all(tag)
        if len(found) > 1:
            differ = not all(same(found[0], other) for other in found[1:])
            lines = "lines " + ", ".join(str(child.line) for child in found[:5])
            if differ and not first:
                raise self.error(f"more than one <{tag}> ({lines}), and they differ; keep the right one")
            detail = f"they differ, {lines}" if differ else ""
            self.remark(f"more than one <{tag}>, the first is taken", harmless=harmless, detail=detail)
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
        if value is None:
            raise self.error(f"needs the attribute {attribute!r}")
        if not value.strip():
            raise self.error(f"needs the attribute {attribute!r}, which is empty here")
        return value

    def numbers(
        self, attribute: str, count: int | None, default: tuple[float, ...] | None = None, *, bounded: bool = True
    ) -> Array:
        """The attribute as `count` numbers (count,), or as any; `default`, if there is one, when it is missing.

        >>> parse("<box size='1 2 3'/>").numbers("size", 3).tolist()
        [1.0, 2.0, 3.0]
        """
        if attribute not in self.attributes and default is not None:
            return np.array(default, dtype=float)
        wanted = "a number" if count == 1 else "numbers" if count is None else f"{count} numbers"
        value = self.attributes.get(attribute, "")
        if attribute in self.attributes and not value.strip():
            advice = "" if default is None else ", or left out"
            raise self.error(f"attribute {attribute!r} is empty; it must be {wanted}{advice}")
        value, got = self.text(attribute), value_text(value)
        try:
            numbers = [_number(word) for word in value.split()]
        except ValueError:
            decimal = count is not None and len(value.split()) == count and re.search(r"\d,\d", value)
            advice = "; decimals take a point" if decimal else "; separate them by blanks" if "," in value else ""
            advice = "; load the xacro file itself" if is_macro(value) else advice
            raise self.error(f"attribute {attribute!r} must be {wanted}, got {got}{advice}") from None
        if count is not None and len(numbers) != count:
            raise self.error(f"attribute {attribute!r} must be {wanted}, got {len(numbers)}: {got}")
        if any(math.isnan(x) or (bounded and abs(x) > MAX_NUMBER) for x in numbers):
            most = f", at most {MAX_NUMBER:g}" if bounded else ""
            raise self.error(f"attribute {attribute!r} must be finite{most}, got {got}")
        return np.array(numbers)

    def number(self, attribute: str, default: float | None = None, *, bounded: bool = True) -> float:
        """The attribute as one number; one that is not `bounded` may be infinite."""
        return float(self.numbers(attribute, 1, None if default is None else (default,), bounded=bounded)[0])


def _number(word: str) -> float:
    if "_" in word or not word.isascii():  # Python's digit groups, and digits of other scripts, are not valid in XML
        raise ValueError(word)
    return float(word)


def same(a: Element, b: Element) -> bool:
    """Whether two elements are equal: attributes, compared as numbers where possible, and children."""
    pending = [(a, b)]
    while pending:  # without recursion: files may be deeply nested
        a, b = pending.pop()
        if a.tag != b.tag or _content(a) != _content(b) or len(a.children) != len(b.children):
            return False
        pending += zip(a.children, b.children, strict=True)
    return True


def _content(element: Element) -> dict[str, list[float | str]]:
    def read(word: str) -> float | str:
        try:
            return _number(word)
        except ValueError:
            return word

    return {name: [read(word) for word in value.split()] for name, value in element.attributes.items()}


def is_macro(text: str) -> bool:
    """Whether the text has an expression of xacro's that was not expanded."""
    return "${" in text or "$(" in text


def is_text(source: object) -> bool:
    """Whether the source is XML itself rather than a path to it."""
    return isinstance(source, str) and source.lstrip(_BLANK).startswith("<")


def is_json_text(source: Any) -> bool:
    """Whether a source is the text of a JSON object."""
    return isinstance(source, str) and source.lstrip(_BLANK).startswith("{")


def read_bounded(opened: Any) -> Any:
    """Content of an open file: bytes or text; an error if it is too large."""
    data = opened.read(MAX_FILE_SIZE + 1)
    if len(data) > MAX_FILE_SIZE:
        raise ModelError(f"is larger than {MAX_FILE_SIZE} bytes")
    return data


def first_tag(source: str | os.PathLike[str]) -> str:
    """The tag of the outermost element of a text, or of the file at a path, by a look at its beginning; "" if none.

    >>> first_tag("<?xml version='1.0'?> <!-- of MuJoCo --> <mujoco/>")
    'mujoco'
    """
    if is_text(source):
        head = str(source)[:_HEAD_LENGTH]
    else:
        try:
            head = head_of(Path(source).expanduser(), _HEAD_LENGTH).decode("utf-8", "replace")
        except (OSError, ValueError, RuntimeError, TypeError):
            return ""
    at = _after_blanks(head, 0)
    while opening := next((x for x in _ABOVE if head.startswith(x, at)), None):
        end = head.find(_ABOVE[opening], at + len(opening))
        if end < 0:
            return ""
        at = _after_blanks(head, end + len(_ABOVE[opening]))
    found = _FIRST_TAG.match(head, at)
    return found[1] if found else ""


def _after_blanks(text: str, at: int) -> int:
    """Where blanks from a place on end."""
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def is_mjcf(source: str | os.PathLike[str]) -> bool:
    """Whether a text or file is in MuJoCo's format."""
    return first_tag(source) in ("mujoco", "mujocoinclude")


def parse(source: str | os.PathLike[str], made_of: Path | None = None) -> Element:
    """The root element of an XML text (a string that starts with "<") or of the file at a path.

    Blanks before the XML declaration, which XML forbids, are passed over. `made_of` is the file that a text comes from.

    >>> parse("<robot><link name='a'/></robot>").children[0].attributes
    {'name': 'a'}
    """
    if is_text(source):
        where = XmlSource() if made_of is None else XmlSource(str(made_of), made_of.resolve().parent)
        return read_text(str(source), where)
    if not isinstance(source, str | os.PathLike):
        raise InputError(f"expected a path or XML text, got {type(source).__name__}")
    try:
        path = Path(source).expanduser()
        data = regular_file(path, MAX_FILE_SIZE)
        where = XmlSource(str(path), path.resolve().parent)
    except ModelError:
        raise
    except (OSError, ValueError, RuntimeError, TypeError) as error:  # a null character, ~nobody, a path of bytes
        reason = f"{getattr(error, 'strerror', None) or error}{_alternatives(os.fspath(source))}"
        raise InputError(f"cannot read {value_text(os.fspath(source), 2 * LONGEST_NAME)}: {reason}") from None
    return read_text(decode_xml(data, where), where)


def _alternatives(source: str | bytes) -> str:
    """Alternatives to a file that cannot be read, for a message."""
    if not isinstance(source, str):
        return ""
    if "://" in source:
        if not source.startswith("package"):
            return "; download it first"
        package = source.partition("://")[2].partition("/")[0]
        return f"; give the path of the file itself, without package://, or {package_option(package)}"
    path, found = Path(source), list[str]()
    with suppress(OSError, ValueError):
        folder = path if path.is_dir() else path.parent
        files = sorted(x.name for x in folder.iterdir() if x.suffix.lower() == ".urdf")
        found = files if folder is path else nearest(path.name, files)[:1]
    if not found:
        return ""
    return f"; it holds {name_list(found)}" if path.is_dir() else f"; did you mean {name_list(found)}?"


def _declared_encoding(data: bytes) -> str:
    """The encoding that the text declares; UTF-8 if none, or one that its first letters show it does not have."""
    declaration = re.match(rb"\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([^\"'>]*)", data)
    if declaration is None:  # UTF-16 without a mark shows by its zeros
        return "utf-16-le" if data.startswith(b"<\0") else "utf-16-be" if data.startswith(b"\0<") else "utf-8"
    name = declaration[1].decode("latin-1")
    return "utf-8" if re.match(r"(utf|ucs).?(16|32|2|4)", name, re.IGNORECASE) else name


def decode_xml(data: bytes, source: XmlSource) -> str:
    """The text of a file, in the encoding that it declares or shows."""
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None) or _declared_encoding(data)
    try:
        if codecs.lookup(encoding).name in _NO_CHARACTERS:
            raise LookupError(f"unknown encoding: {encoding}")
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if encoding.lower() in ("utf-8", "utf8"):
            line = data.count(b"\n", 0, error.start) + 1
            source.remark("bytes that are not UTF-8, read as Latin-1", f"line {line}", harmless=True)
            return data.decode("latin-1")
        raise source.error(1, f"malformed XML: not {encoding}: {error.reason}") from None
    except (LookupError, ValueError) as error:
        problem = f"{shorten(error, LONGEST_NAME)}; save the file as UTF-8"
        raise source.error(1, f"malformed XML: {problem}") from None


def read_text(text: str, source: XmlSource, *, texts: bool = False) -> Element:
    """The root element of a text; with `texts`, what is between elements is among their children, tagged `TEXT`."""
    rest = text.lstrip(_BLANK)
    above = text[: len(text) - len(rest)].count("\n")
    return _parse(rest.encode("utf-8", "surrogatepass"), source, above, texts)


def _parse(data: bytes, source: XmlSource, above: int, texts: bool) -> Element:
    """The root element of UTF-8 text, ignoring its declaration; `above` lines of the source precede it."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    roots: list[Element] = []
    open_elements: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, source, above + parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(tag: str) -> None:
        open_elements.pop()

    def text(content: str) -> None:
        element = Element(TEXT, {TEXT: content}, source, above + parser.CurrentLineNumber)
        open_elements[-1].children.append(element)

    def refuse(*_: Any) -> None:
        problem = "document type and entity declarations are not accepted"
        problem += "; this is a web page: download the raw file" if b"<!doctype html" in data[:100].lower() else ""
        raise source.error(above + parser.CurrentLineNumber, problem)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    if texts:
        parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = _problem(error, data, parser.ErrorByteIndex) + _format_of(data)
        raise source.error(above + error.lineno, f"malformed XML: {problem}") from None
    return roots[0]


def _format_of(data: bytes) -> str:
    """Format of a file that does not begin as XML does."""
    if data.startswith(b"<"):
        return ""
    begins = {b"": "the file is empty", b"#usda": "this is USD", b"PXR-USDC": "this is USD", b"solid": "this is a mesh"}
    begins |= {b"{": "this is JSON", b"---": "this is YAML", b"${": "load the xacro file itself"}
    known = next((what for mark, what in begins.items() if (data.startswith(mark) if mark else not data)), "")
    return f": {known or 'this is not XML'}; a URDF file begins with <robot>, or with <?xml ...?> above it"


def _problem(error: expat.ExpatError, data: bytes, at: int) -> str:
    """Message of expat, with a remedy for common causes."""
    problem = expat.ErrorString(error.code)
    opened = data.rfind(b"<!--", 0, max(at, 0))
    if opened >= 0 and b"-->" not in data[opened:at] and data[opened + 4 : at].endswith(b"--"):
        return f"{problem}: '--' within the comment; write '- -', or remove the comment"
    if problem == "XML or text declaration not at start of entity":
        return f"{problem}; move <?xml ...?> to the very beginning"
    if problem == "undefined entity":
        return f"{problem}; write '&amp;' for '&'"
    return problem


def serialise(element: Element) -> str:
    """XML text of an element, one element a line."""
    lines = ['<?xml version="1.0" ?>']
    _write(element, "", lines)
    return "\n".join([*lines, ""])


def _write(element: Element, indent: str, lines: list[str]) -> None:
    names = "".join(f" {name}={quoteattr(value)}" for name, value in sorted(element.attributes.items()))
    children = [x for x in element.children if x.tag != TEXT or x.attributes[TEXT].strip()]
    if not children:
        lines.append(f"{indent}<{element.tag}{names}/>")
    elif all(child.tag == TEXT for child in children):
        text = "".join(escape(child.attributes[TEXT]) for child in element.children)
        lines.append(f"{indent}<{element.tag}{names}>{text}</{element.tag}>")
    else:
        lines.append(f"{indent}<{element.tag}{names}>")
        for child in children:
            if child.tag == TEXT:
                lines.append(f"{indent}  {escape(child.attributes[TEXT].strip())}")
            else:
                _write(child, f"{indent}  ", lines)
        lines.append(f"{indent}</{element.tag}>")
