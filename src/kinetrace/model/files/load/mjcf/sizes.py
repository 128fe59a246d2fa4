"""How much an MJCF file asks for, counted before MuJoCo compiles it: elements, numbers and the files that it names.

The count is of the elements that a parser sees, not of the text: character references, CDATA sections and comments hide
nothing. Comments are removed first, since MuJoCo's parser accepts them where XML does not (`<!-- -- -->`). Files that
the description names, whatever for, are regular ones of bounded size; pictures are as large as they say.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from .....errors import ModelError, value_text
from .....support.files import head_of, regular_file
from ..xml import Element, parse

MAX_OBJECTS, MAX_REPETITIONS = 300_000, 10_000
"""Elements of a file with all that it includes; those that repetitions add to them."""
MAX_NUMBERS = 10_000_000
"""Numbers that `<size>` and its like reserve, and points of all height fields."""
MAX_PIXELS = 70_000_000
"""Pixels of all textures."""
MAX_FILE_SIZE, MAX_FILES, MAX_DEPTH = 100_000_000, 200, 50
"""Bytes of a file; files that are read, each as often as it is named; models that are attached to each other."""
_GRIDS = ("composite", "flexcomp")
_DIRECTORIES = ("assetdir", "meshdir", "texturedir")
_PNG = b"\x89PNG\r\n\x1a\n"
_RESERVED = {"numeric": ("size",), "user": ("dim",), "general": ("actdim", "nsample"), "plugin": ("actdim",)}
"""Elements → attributes that reserve so many numbers."""
_TAG_DELIMITER = re.compile("[\"'>]")
_MARKUP_DELIMITERS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
"""Beginnings and ends of parts in which a bracket opens no element."""


def check_size(source: str | Path, file: str) -> None:
    """An error if a text or file, with what it includes, asks for more than any robot has, or names what is no file."""
    sizes = (
        _Sizes(file, Path(), (), {}) if isinstance(source, str) else _Sizes(file, source.parent, (_place(source),), {})
    )
    sizes.add(source, 1)


Place = tuple[str, str]
"""A file without links, and the folder from which the names in it count, without links as well."""


def _place(path: Path) -> Place:
    return os.path.realpath(path), os.path.realpath(path.parent)


class _Sizes:
    """Sizes of a description so far; `known` are models that are counted, `above` those that lead here."""

    def __init__(self, file: str, folder: Path, above: tuple[Place, ...], known: dict[Place, _Sizes]) -> None:
        self.file, self.folder, self.above, self.known = file, folder, above, known
        self.elements, self.repeated, self.read, self.files = 0, 0, 0, 0
        """Elements that are written here, that repetitions add, that are read with those of other models; files."""
        self.numbers, self.points, self.pixels = 0, 0, 0
        self.models: dict[str, _Sizes] = {}
        """Models that may be attached, by their names."""
        self.attached = set[str]()

    def add(self, source: str | Path, factor: int) -> None:
        """The elements of a text or file, each this many times."""
        self._add_files(1)
        text = source if isinstance(source, str) else self._text(source)
        if not text:
            return  # MuJoCo says what is wrong
        root = parse(_without_comments(text), made_of=Path(source) if isinstance(source, Path) else None)
        beside = self.folder if isinstance(source, str) else source.parent
        named = {x.attributes[name] for x, _ in _repeated(root, 1) for name in _DIRECTORIES if name in x.attributes}
        folders = [place / each for place in dict.fromkeys((self.folder, beside)) for each in ("", *named)]
        for element, times in _repeated(root, factor):
            self._count(element, times)
            for name, value in element.attributes.items():
                if name.startswith("file") and element.tag not in ("include", "model"):
                    self._file(element, value, folders)
            self._others(element, beside, times)

    def _others(self, element: Element, beside: Path, times: int) -> None:
        """The files that an element stands for."""
        if element.tag == "include" and "file" in element.attributes:
            named = element.attributes["file"]
            for path in dict.fromkeys((self.folder / named, beside / named)):  # versions of MuJoCo differ
                self.add(path, times)
        elif element.tag == "model" and "file" in element.attributes:
            inner = self._model(element, beside / element.attributes["file"])
            self.models[element.attributes.get("name", "")] = inner
            self.read += times * inner.read
            self._add_files(times * inner.files)
            self._reserve(element, inner, times)
        elif element.tag == "attach":
            name = element.attributes.get("model", "")
            other = self.models.get(name)
            self._repeat(element, times * (other.elements + other.repeated if other else 1))
            if other:  # what it reserves is counted where it is named, and is once more with each copy
                self._reserve(element, other, times - (name not in self.attached))
                self.attached.add(name)

    def _model(self, element: Element, path: Path) -> _Sizes:
        """Sizes of an attached model, with those attached to it: read once, however often it is named."""
        place = _place(path)
        if place in self.above:
            raise element.error(f"{value_text(str(path))} is attached to itself")
        if len(self.above) > MAX_DEPTH:
            raise element.error(f"more than {MAX_DEPTH} models are attached to each other")
        if place not in self.known:
            inner = _Sizes(self.file, path.parent, (*self.above, place), self.known)
            inner.add(path, 1)
            self.known[place] = inner
        return self.known[place]

    def _add_files(self, more: int) -> None:
        self.files += more
        if self.files > MAX_FILES:
            raise ModelError(f"includes more than {MAX_FILES} files", file=self.file)

    def _reserve(self, element: Element, other: _Sizes, times: int) -> None:
        """The numbers of another model, so many times."""
        self.numbers += times * other.numbers
        self.points += times * other.points
        self.pixels += times * other.pixels
        self._check_numbers(element)

    def _repeat(self, element: Element, more: int) -> None:
        """So many elements beyond those that are written."""
        self.repeated += more
        if self.read > MAX_OBJECTS or self.repeated > MAX_REPETITIONS:
            most = f"{MAX_OBJECTS} elements, or to {MAX_REPETITIONS} more than are written"
            raise element.error(f"the file expands to more than {most}")

    def _count(self, element: Element, times: int) -> None:
        """An element that is there so many times."""
        grid = math.prod(_counts(element, "count") + _counts(element, "cellcount")) if element.tag in _GRIDS else 1
        self.elements, self.read = self.elements + 1, self.read + 1
        self._repeat(element, times * grid - 1)
        reserved = element.attributes if element.tag == "size" else _RESERVED.get(element.tag, ())
        self.numbers += times * sum(sum(_counts(element, name)) - 1 for name in reserved if name != "memory")
        if element.tag == "mesh" and "builtin" in element.attributes:
            self.numbers += max(_counts(element, "params")) ** 2
        if element.tag == "hfield":
            self.points += math.prod(_counts(element, "nrow") + _counts(element, "ncol"))
        if element.tag == "texture" and "builtin" in element.attributes:
            width, height = _counts(element, "width")[0], _counts(element, "height")[0]
            self.pixels += width * height if element.attributes.get("type") == "2d" else 6 * width**2  # of a cube
        self._check_numbers(element)

    def _check_numbers(self, element: Element) -> None:
        for found, most, what in (
            (self.numbers, MAX_NUMBERS, "numbers are reserved"),
            (self.points, MAX_NUMBERS, "points of height fields are asked for"),
            (self.pixels, MAX_PIXELS, "pixels of textures are asked for"),
        ):
            if found > most:
                raise element.error(f"more than {most} {what}")

    def _file(self, element: Element, name: str, folders: list[Path]) -> None:
        """A file that MuJoCo may open, wherever it looks for it."""
        names = dict.fromkeys((name, os.path.basename(name.replace("\\", "/"))))  # without its folders: strippath
        for path in dict.fromkeys(folder / each for folder in folders for each in names if each):
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                continue  # MuJoCo says what is wrong
            if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                raise element.error(f"{str(path)!r} is not a regular file")
            if status.st_size > MAX_FILE_SIZE:
                raise element.error(f"{str(path)!r} is larger than {MAX_FILE_SIZE} bytes")
            if stat.S_ISREG(status.st_mode):
                self._picture(element, path)

    def _picture(self, element: Element, path: Path) -> None:
        """The size that a picture says it has."""
        try:
            head = head_of(path, 24) if element.tag in ("hfield", "texture") else b""
        except OSError:
            return  # MuJoCo says what is wrong
        if head.startswith(_PNG) and len(head) == 24:
            pixels = int.from_bytes(head[16:20], "big") * int.from_bytes(head[20:24], "big")
            self.points += pixels if element.tag == "hfield" else 0
            self.pixels += pixels if element.tag == "texture" else 0
            self._check_numbers(element)

    def _text(self, path: Path) -> str:
        try:
            return regular_file(path, MAX_FILE_SIZE, by=self.file).decode("utf-8", "replace")
        except (OSError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            return ""  # MuJoCo says what is wrong


def _repeated(root: Element, factor: int) -> Iterator[tuple[Element, int]]:
    """All elements, each with how many times it is there, parents before children."""
    pending = [(root, factor)]
    while pending:  # without recursion: files may be deeply nested
        element, times = pending.pop()
        yield element, times
        inner = times * _counts(element, "count")[0] if element.tag == "replicate" else times
        pending += [(child, inner) for child in reversed(element.children)]


def _counts(element: Element, attribute: str) -> list[int]:
    """The numbers of an attribute, at least 1 each; [1] if they are none: then MuJoCo says what is wrong."""
    try:
        words = element.attributes.get(attribute, "1").split()[:10]
        return [int(min(max(float(x), 1.0), 1e12)) for x in words] or [1]
    except ValueError:  # no numbers, or NaN
        return [1]


def _without_comments(text: str) -> str:
    """XML without its comments, which end at the first "-->" in MuJoCo's parser, whatever is in them."""
    kept, at = list[str](), 0
    while (begin := text.find("<", at)) >= 0:
        opening = next((x for x in _MARKUP_DELIMITERS if text.startswith(x, begin)), "")
        end = text.find(_MARKUP_DELIMITERS[opening], begin + len(opening)) if opening else _end_of_tag(text, begin)
        if end < 0:
            break
        end += len(_MARKUP_DELIMITERS.get(opening, ">"))
        lines = "\n" * text.count("\n", begin, end) if opening == "<!--" else text[begin:end]
        kept += [text[at:begin], lines]
        at = end
    return "".join([*kept, text[at:]])


def _end_of_tag(text: str, begin: int) -> int:
    """Where the bracket is that closes a tag, behind its quoted values; -1 if there is none."""
    at = begin + 1
    while found := _TAG_DELIMITER.search(text, at):
        if found[0] == ">":
            return found.start()
        closing = text.find(found[0], found.end())
        if closing < 0:
            break
        at = closing + 1
    return -1
