"""Random xacro files: what the package xacro expands is expanded here to the same elements, attributes and texts.

Files have properties in every scope, lazy, with defaults and removed; macros with defaults, forwarded parameters and
blocks, in macros and in namespaces; conditions, includes, arguments, computed names of elements and attributes.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing import main
from kinetrace.errors import KinetraceError
from kinetrace.model.files.load.xacro.macros import expand_macros

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
NAMES = ("a", "b", "c", "width", "side")
MACROS = ("arm", "leg", "tip")
LITERALS = ("1", "2.5", "-3", "true", "False", "left", "'7'", "x y", "1e-3", "", "1_0", "$${a}", "a$b", "inf")
OPERATIONS = (
    *("{0} + {1}", "{0} * 2", "[{0}, {1}]", "{0} == {1}", "{0} if {1} else 3", "str({0}) + 'q'", "not {0}", "({0}, 1)"),
    *("max(1, 2)", "len(str({0}))", "'%s' % {0}", "2 ** 3", "{{'k': {0}}}['k']", "-{0}", "'$(arg size)'", "pi / 2"),
)


class Writer:
    """Writes one random file, and the files that it includes."""

    def __init__(self, rng: np.random.Generator, folder: Path) -> None:
        self.rng, self.folder, self.count = rng, folder, 0

    def pick(self, *choices: Any) -> Any:
        """One of them."""
        return choices[int(self.rng.integers(len(choices)))]

    def expression(self) -> str:
        """An expression of properties."""
        operands = [self.pick(*NAMES, "n.a", "n.b", "1", "2.5", "'s'", "True") for _ in range(2)]
        return str(self.pick(*OPERATIONS)).format(*operands) if self.rng.random() < 0.6 else operands[0]

    def text(self) -> str:
        """The value of an attribute."""
        kind = self.rng.random()
        if kind < 0.4:
            return str(self.pick(*LITERALS))
        if kind < 0.85:
            return f"${{{self.expression()}}}"
        pieces = (f"${{{self.expression()}}}", "$(arg size)", "$(arg tool)", "$(eval 1 + 1)", "_", "$(eval size)")
        return "".join(self.pick(*pieces) for _ in range(int(self.rng.integers(1, 4))))

    def attributes(self, **values: str) -> str:
        """Attributes as they are written."""
        return "".join(f' {name.replace("__", ":")}="{text}"' for name, text in values.items())

    def content(self, depth: int) -> str:
        """Some elements."""
        return "\n".join(self.element(depth) for _ in range(int(self.rng.integers(1, 4 if depth else 6))))

    def element(self, depth: int) -> str:
        """One element, with others inside if it is not too deep."""
        kinds = ["property", "property", "property", "link", "link", "text", "call", "arg", "attribute", "default"]
        if depth < 3:
            kinds += ["macro", "macro", "if", "block", "include", "element", "link", "insert", "dynamic", "call"]
        return str(getattr(self, f"_{self.pick(*kinds)}")(depth))

    def _property(self, depth: int) -> str:
        values = {"name": self.pick(*NAMES), self.pick("value", "value", "value", "default"): self.text()}
        if self.rng.random() < 0.3 and "value" in values and depth:
            values["scope"] = self.pick("global", "parent", "local")
        if self.rng.random() < 0.2:
            values["lazy_eval"] = self.pick("false", "true", "0", "${1 == 1}")
        return f"<xacro:property{self.attributes(**values)}/>"

    def _default(self, depth: int) -> str:
        return f"<xacro:property name='{self.pick(*NAMES)}' default='1'/>"

    def _link(self, depth: int) -> str:
        inside = self.content(depth + 1) if depth < 3 and self.rng.random() < 0.3 else ""
        return f"<link{self.attributes(name=self.text(), mass=self.text())}>{inside}</link>"

    def _text(self, depth: int) -> str:
        return f"<note>{self.text()}</note>"

    def _arg(self, depth: int) -> str:
        return f"<xacro:arg{self.attributes(name=self.pick('size', 'tool', 'side'), default=self.text())}/>"

    def _attribute(self, depth: int) -> str:
        return f'<part><xacro:attribute name="x{self.count}" value="v{self.text()}"/></part>'

    def _element(self, depth: int) -> str:
        name = self.pick("link", "part", "${'jo' + 'int'}", "l${1}")
        return f'<xacro:element xacro:name="{name}" name="{self.text()}">{self.content(depth + 1)}</xacro:element>'

    def _if(self, depth: int) -> str:
        tag, value = self.pick("if", "unless"), self.pick(self.text(), "1", "true", "${a}", "${not b}", "0")
        return f'<xacro:{tag} value="{value}">{self.content(depth + 1)}</xacro:{tag}>'

    def _block(self, depth: int) -> str:
        return f"<xacro:property name='{self.pick(*NAMES)}'>{self.content(depth + 1)}</xacro:property>"

    def _insert(self, depth: int) -> str:
        return f'<xacro:insert_block name="{self.pick(*NAMES, "block", "blocks")}"/>'

    def _macro(self, depth: int) -> str:
        choices = (
            "{}",
            "{}:=1",
            "{}:='x y'",
            "{}:=${{a}}",
            "{}:=^",
            "{}:=^|2",
            "{}=3",
            "{}:=^|${{b}}",
            "{}:=$(arg size)",
        )
        parameters = [self.pick(*choices).format(name) for name in NAMES if self.rng.random() < 0.4]
        blocks = self.pick("", "", "*block", "**blocks", "*block **blocks")
        name = self.pick(*MACROS)
        inside = self.content(depth + 1) + (self._insert(3) if blocks else "")
        return f'<xacro:macro name="{name}" params="{" ".join([*parameters, blocks])}">{inside}</xacro:macro>'

    def _call(self, depth: int) -> str:
        values = {name: self.text() for name in NAMES if self.rng.random() < 0.4}
        inside = self.pick("", "", "<origin/>", "<origin/><many><m/></many>", f"<origin x='{self.text()}'/>")
        name = self.pick(*MACROS, *MACROS, "n.arm", "n.leg")
        return f"<xacro:{name}{self.attributes(**values)}>{inside}</xacro:{name}>"

    def _dynamic(self, depth: int) -> str:
        values = {name: self.text() for name in NAMES if self.rng.random() < 0.3}
        return f'<xacro:call macro="{self.pick(*MACROS, "${c}", "n.tip")}"{self.attributes(**values)}/>'

    def _include(self, depth: int) -> str:
        self.count += 1
        name, count = f"part{self.count}.xacro", self.count
        (self.folder / name).write_text(HEAD + self.content(depth + 1) + "</robot>", "utf-8")
        namespace = self.pick("", ' ns="n"')
        written = self.pick(name, f"${{'part' + str({count})}}.xacro", f"part{count}.x*")
        return f'<xacro:include filename="{written}"{namespace}/>'


def expanded_by_package(path: Path) -> str | None:
    """Canonical XML of what the package xacro makes of a file; None if it refuses it."""
    import xacro

    silent = io.StringIO()
    with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
        try:
            document = xacro.process_file(str(path), mappings={"tool": "hand"})
            return ET.canonicalize(document.toprettyxml(), strip_text=True)
        except Exception:
            return None


def expanded_here(path: Path) -> tuple[str | None, str]:
    """Canonical XML of what is made of a file here, or None and the reason."""
    try:
        return ET.canonicalize(expand_macros(path, {"tool": "hand"}, {})[0], strip_text=True), ""
    except KinetraceError as error:
        return None, str(error)


def case(rng: np.random.Generator) -> int:
    """One file; 1 if both expand it."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "robot.xacro"
        writer = Writer(rng, path.parent)
        known = "".join(f'<xacro:property name="{x}" value="{writer.text()}"/>' for x in NAMES if rng.random() < 0.8)
        macros = "".join(writer._macro(2) for _ in MACROS)
        path.write_text(
            f"{HEAD}<xacro:arg name='size' default='4'/>{known}{macros}{writer.content(0)}</robot>", "utf-8"
        )
        theirs, (ours, reason) = expanded_by_package(path), expanded_here(path)
        if theirs is not None and theirs != ours and "unknown xacro argument" not in reason:
            raise AssertionError(f"{path.read_text('utf-8')}\nthe package: {theirs}\nhere: {ours} {reason}")
    return int(theirs is not None)


if __name__ == "__main__":
    sys.exit(main(case, "random xacro files"))
