"""Elements of xacro: what `<xacro:include>`, `macro`, `property`, `if` … and calls of macros stand for.

    include filename ns optional               the elements of another file, its names below `ns.` if that is given
    property name value default scope …        a name for a value, or for the elements inside
    macro name params                          elements with parameters: `a b:=2 c:=^ d:=^|2 *block **blocks`
    NAME, call macro                           the elements of a macro
    insert_block name                          a block that the macro was given, or the elements of a property
    if value, unless value                     the elements inside, if the condition holds, or does not
    arg name default                           an argument of the robot
    element xacro:name, attribute name value   an element, or an attribute of the one around, with a computed name

A macro sees the properties of whoever calls it. An element is expanded into a new one; files are never changed.
"""

from __future__ import annotations

import ast
import glob
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .....errors import LONGEST_NAME, ModelError, name_list, printable, shorten, unknown_name_error
from .....support.files import regular_file
from ..xml import TEXT, Element, XmlSource, decode_xml, read_text
from .substitution import Budget, Scope, Substitution, truth

PREFIX = "xacro:"
MAX_FILE_SIZE = 50_000_000
"""Bytes of a file that is included."""
_PARAMETER = re.compile(
    r"""\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?(\$\{[^}]*\}|\$\([^)]*\)|(?:'[^']*'|"[^"]*"|[^\s'"])+|)(?:\s+|$)"""
)
"""A parameter of a macro with its default, in time that is linear in the text."""
_PARAMETER_NAME = re.compile(r"\s*([^ ]*)")
"""A parameter without default."""


class MacroParameter(NamedTuple):
    """A parameter of a macro: whether a property of its name at the call is its value, and its default."""

    is_forwarded: bool = False
    default: str | None = None


class Macro(NamedTuple):
    """A macro: its element, and its parameters by name; names of blocks begin with `*` or `**`."""

    body: Element
    parameters: Mapping[str, MacroParameter]


class Context(NamedTuple):
    """Properties and macros that can be used at a place."""

    properties: Scope
    macros: Scope


class Expander:
    """Expands the elements of one robot.

    `substitution` evaluates texts; `files`, which `path_of` sees, are the file that is read and those that include it,
    the first one first; `remark` is told what is odd.
    """

    def __init__(
        self,
        substitution: Substitution,
        budget: Budget,
        files: list[str],
        path_of: Callable[[str], str],
        remark: Callable[[str], None],
    ) -> None:
        self.substitution, self.budget, self.remark = substitution, budget, remark
        self.files, self.path_of = files, path_of
        self.texts: list[str] = []
        """The texts of all files."""
        self.current: Element | None = None
        """The element that is expanded."""
        self.calls: list[tuple[str, Element]] = []
        """Macros that are expanded, with the elements that call them."""
        self.elements: dict[str, Callable[[Element, Element, Context], None]] = {
            "include": self._include,
            "property": self._property,
            "macro": self._macro,
            "call": self._call,
            "insert_block": self._insert_block,
            "if": self._condition,
            "unless": self._condition,
            "arg": self._argument,
            "attribute": self._attribute,
        }

    def robot(self, source: Path | str) -> Element:
        """The outermost element of a file, or of a text, expanded."""
        if isinstance(source, Path):
            self.files.append(str(source))
            root = self._file(str(source))
        else:
            root = self._parse(source, XmlSource())
        context = Context(Scope(self.substitution.value), Scope())
        robot = self.expand(root, context)
        if f"{PREFIX}targetNamespace" in root.attributes:
            robot.attributes["xmlns"] = root.attributes[f"{PREFIX}targetNamespace"]
        return robot

    def expand(self, element: Element, context: Context) -> Element:
        """An element with its attributes and all that is in it expanded."""
        self.budget.spend("elements")
        attributes = {
            name: str(self.substitution.value(text, context.properties))
            for name, text in element.attributes.items()
            if not name.startswith(PREFIX) and name != f"xmlns:{PREFIX[:-1]}"
        }
        expanded = Element(element.tag, attributes, element.source, element.line)
        self._expand_content(element, expanded, context)
        return expanded

    def _expand_content(self, element: Element, into: Element, context: Context) -> None:
        """Add what the children of an element stand for to another one."""
        for child in element.children:
            self.current = element if child.tag == TEXT else child
            if child.tag == TEXT:
                text = str(self.substitution.value(child.attributes[TEXT], context.properties))
                into.children.append(Element(TEXT, {TEXT: text}, child.source, child.line))
                continue
            while child.tag == f"{PREFIX}element":
                child = self._with_computed_name(child, context)
            if not child.tag.startswith(PREFIX):
                into.children.append(self.expand(child, context))
                continue
            name = child.tag.removeprefix(PREFIX)
            self.elements.get(name, self._call)(child, into, context)

    def _with_computed_name(self, element: Element, context: Context) -> Element:
        """An <xacro:element> with the name that it says."""
        (text,) = self._attributes(element, f"{PREFIX}name")
        tag = str(self.substitution.value(text, context.properties))
        if not tag:
            raise ModelError("xacro: the name of an element is empty")
        attributes = {name: x for name, x in element.attributes.items() if name != f"{PREFIX}name"}
        return Element(tag, attributes, element.source, element.line, element.children)

    def _attributes(self, element: Element, *names: str, optional: tuple[str, ...] = ()) -> list[str]:
        """Attributes that must be there; what an element has beyond these and the `optional` ones is remarked."""
        for name in names:
            if name not in element.attributes:
                raise ModelError(f"xacro: needs the attribute {name!r}")
        known = (*names, *optional)
        more = [x for x in element.attributes if x not in known and not x.startswith("xmlns:")]
        if more and element.tag in (PREFIX + name for name in self.elements if name not in ("call", "attribute")):
            self.remark(f"{element.place}: unknown attribute(s): {name_list(more)}. Valid: {', '.join(known)}")
        return [element.attributes[name] for name in names]

    def _argument(self, element: Element, into: Element, context: Context) -> None:
        name, default = self._attributes(element, "name", "default")
        if name not in self.substitution.arguments:
            self.substitution.arguments[name] = str(self.substitution.value(default, context.properties))

    def _attribute(self, element: Element, into: Element, context: Context) -> None:
        name, value = (
            str(self.substitution.value(text, context.properties))
            for text in self._attributes(element, "name", "value")
        )
        if not name:
            raise ModelError("xacro: the name of an attribute is empty")
        into.attributes[name] = value

    def _condition(self, element: Element, into: Element, context: Context) -> None:
        (text,) = self._attributes(element, "value")
        holds = truth(self.substitution.value(text, context.properties), text)
        if holds is (element.tag == f"{PREFIX}if"):
            self.budget.spend("elements")
            content = Element(element.tag, {}, element.source, element.line)
            self._expand_content(element, content, context)
            into.children += content.children

    def _property(self, element: Element, into: Element, context: Context) -> None:
        table, value = context.properties, self.substitution.value
        (name,) = self._attributes(element, "name", optional=("value", "default", "remove", "scope", "lazy_eval"))
        name = _checked_name(str(value(name, table)))
        given = element.attributes
        remove = truth(value(given.get("remove", "false"), table), given.get("remove", ""))
        if ("value" in given) + ("default" in given) + remove > 1:
            raise ModelError(f"xacro: property {name!r} has more than one of value, default and remove")
        if remove:
            table.remove(name)
            return
        scope = given.get("scope")
        if "default" in given:
            if scope is not None:
                self.remark(f"property {name!r}: a default holds in the local scope only")
            if name in table:
                return
        content = given.get("value", given.get("default"))
        is_lazy = truth(value(given.get("lazy_eval", "true"), table), given.get("lazy_eval", ""))
        if scope == "global":
            *_, target = table.outward()
        elif scope == "parent":
            target = _scope_of_caller(table, name)
        else:
            target = table
        is_lazy = is_lazy and scope not in ("global", "parent")
        if content is None:
            target.define(f"**{name}", element)
        else:
            target.define(name, content if is_lazy else value(content, table), lazy=is_lazy)

    def _macro(self, element: Element, into: Element, context: Context) -> None:
        (name,) = self._attributes(element, "name", optional=("params",))
        if name == "call" or "." in name:
            raise ModelError(f"xacro: a macro must not be named {name!r}: call, and dots, have a meaning of their own")
        if name.startswith(PREFIX):
            self.remark(f"macro {name!r}: names of macros have no prefix {PREFIX}")
        parameters, at, text = dict[str, MacroParameter](), 0, element.attributes.get("params", "").strip()
        while at < len(text):
            if found := _PARAMETER.match(text, at):
                parameters[found[1]] = MacroParameter(bool(found[2]), found[3] or None)
                at = found.end()
            elif found := _PARAMETER_NAME.match(text, at):
                parameters[found[1]] = MacroParameter()
                at = found.end()
        context.macros.define(name.removeprefix(PREFIX), Macro(element, parameters))

    def _insert_block(self, element: Element, into: Element, context: Context) -> None:
        (name,) = self._attributes(element, "name")
        if f"**{name}" in context.properties:
            content = Element(element.tag, {}, element.source, element.line)
            self._expand_content(context.properties[f"**{name}"], content, context)
            into.children += content.children
        elif f"*{name}" in context.properties:
            into.children.append(self.expand(context.properties[f"*{name}"], context))
        else:
            blocks = {x.lstrip("*") for scope in context.properties.outward() for x in scope if x.startswith("*")}
            raise ModelError(f"xacro: {unknown_name_error('block', name, blocks)}")

    def _include(self, element: Element, into: Element, context: Context) -> None:
        value = self.substitution.value
        (name,) = self._attributes(element, "filename", optional=("ns", "optional"))
        optional = truth(element.attributes.get("optional", "false"), element.attributes.get("optional", ""))
        inner = context
        if element.attributes.get("ns"):
            namespace = _checked_name(str(value(element.attributes["ns"], context.properties)))
            inner = Context(Scope(value, context.properties, is_namespace=True), Scope())
            context.properties.define(namespace, inner.properties)
            context.macros.define(namespace, inner.macros)
        for path in self._matching(self.path_of(str(value(name, context.properties)))):
            try:
                root = self._file(path)
            except ModelError:
                raise
            except OSError as error:
                if optional:
                    continue
                remedy = "; files that are included are looked for beside the file that includes them"
                remedy = remedy if isinstance(error, FileNotFoundError) else ""
                raise ModelError(f"xacro: {error.strerror}: {path!r}{remedy}") from None
            except ValueError:  # a character that no path can have
                raise ModelError(f"xacro: {path!r} is no name of a file") from None
            self.files.append(path)
            included = self.expand(root, inner)
            self.files.pop()
            into.children += included.children
            self._lift_namespaces(included, into)

    def _matching(self, path: str) -> list[str]:
        """The files that a name with wildcards stands for, in their order."""
        if not glob.has_magic(path):
            return [path]
        if glob.has_magic(os.path.dirname(path)):
            raise ModelError(f"{path!r}: only names of files may have wildcards, not folders")
        found = sorted(glob.glob(path))
        if not found:
            self.remark(f"no file matches {path!r}, which is to be included")
        return found

    def _file(self, path: str) -> Element:
        source = XmlSource(path)
        return self._parse(decode_xml(regular_file(path, MAX_FILE_SIZE), source), source)

    def _parse(self, text: str, source: XmlSource) -> Element:
        self.budget.spend("characters", len(text))
        if text not in self.texts:  # of a file that is included again
            self.texts.append(text)
        return read_text(text, source, texts=True)

    def _lift_namespaces(self, element: Element, into: Element) -> None:
        """Declare namespaces of an element that is left out in the one around it."""
        for name, uri in element.attributes.items():
            if name.startswith("xmlns:") and into.attributes.setdefault(name, uri) != uri:
                self.remark(f"namespace {name.removeprefix('xmlns:')!r} is {into.attributes[name]!r}, and {uri!r} too")

    def _call(self, element: Element, into: Element, context: Context) -> None:
        self.budget.spend("calls")
        name, given = element.tag.removeprefix(PREFIX), dict(element.attributes)
        if name == "call":
            (text,) = self._attributes(element, "macro")
            name = str(self.substitution.value(text, context.properties))
            del given["macro"]
        macro, around = self._find_macro(name, context)
        inner = Context(Scope(self.substitution.value, around.properties), Scope(parent=around.macros))
        for parameter, text in given.items():
            if parameter not in macro.parameters:
                valid = [x for x in macro.parameters if not x.startswith("*")]
                raise ModelError(f"xacro: {unknown_name_error(f'parameter of the macro {name!r}:', parameter, valid)}")
            inner.properties.define(parameter, self.substitution.value(text, context.properties))
        self._take_blocks(element, name, macro, inner, context)
        self.current = element
        for parameter in macro.parameters:
            if parameter not in given and not parameter.startswith("*"):
                value = self._default(name, parameter, macro.parameters[parameter], context.properties)
                inner.properties.define(parameter, value)
        self.calls.append((name, element))
        self.budget.spend("elements")
        namespaces = {x: uri for x, uri in macro.body.attributes.items() if x.startswith("xmlns:")}
        namespaces.pop(f"xmlns:{PREFIX[:-1]}", None)
        content = Element(element.tag, namespaces, element.source, element.line)
        self._expand_content(macro.body, content, inner)
        self.calls.pop()
        into.children += content.children
        self._lift_namespaces(content, into)

    def _find_macro(self, name: str, context: Context) -> tuple[Macro, Context]:
        """A macro by its name, or by namespaces and its name, and what it can use."""
        *namespaces, last = name.split(".")
        around = context
        for namespace in namespaces:
            properties, macros = around.properties.get(namespace), around.macros.get(namespace)
            if not isinstance(properties, Scope) or not isinstance(macros, Scope):
                raise ModelError(f"xacro: unknown macro name: {PREFIX}{name}; {namespace!r} is no namespace")
            around = Context(properties, macros)
        macro = around.macros.get(last)
        if not isinstance(macro, Macro):
            names = [x for scope in around.macros.outward() for x in scope]
            raise ModelError(f"xacro: unknown macro name: {PREFIX}{name}; {_nearest(last, names)}")
        return macro, around

    def _take_blocks(self, element: Element, name: str, macro: Macro, inner: Context, context: Context) -> None:
        """Give a macro the elements inside its call, expanded there."""
        content = Element(element.tag, {}, element.source, element.line)
        self.budget.spend("elements")
        self._expand_content(element, content, context)
        blocks = [child for child in content.children if child.tag != TEXT]
        wanted = [parameter for parameter in macro.parameters if parameter.startswith("*")]
        if len(blocks) != len(wanted):
            wants = f"wants {len(wanted)} blocks{' (' if wanted else ''}{', '.join(wanted)}{')' if wanted else ''}"
            raise ModelError(f"xacro: the macro {name!r} {wants}, got {len(blocks)}")
        for parameter, block in zip(wanted, blocks, strict=True):
            inner.properties.define(parameter, block)

    def _default(self, name: str, parameter: str, default: MacroParameter, scope: Scope) -> Any:
        """The value of a parameter that a call does not give."""
        if default.is_forwarded and parameter in scope:
            return scope[parameter]
        if default.default is not None:
            return self.substitution.value(default.default, scope)
        where = ", nor is it a property there" if default.is_forwarded else ""
        raise ModelError(f"xacro: the call of the macro {name!r} does not give {parameter!r}{where}")

    @property
    def place(self) -> str:
        """Where the expansion is: file, if it is not the first one, line, and the macro."""
        if self.current is None:
            return ""
        first = self.files[0] if self.files else XmlSource().file
        parts = [f"in {self.current.source.file!r}"] if self.current.source.file != first else []
        parts.append(self.current.place)
        if self.calls:
            name, call = self.calls[-1]
            where = f" of {call.source.file!r}" if call.source.file != self.current.source.file else ""
            parts.append(f"in the macro {shorten(name, LONGEST_NAME)!r} called at line {call.line}{where}")
        return ", ".join(parts)


def _checked_name(name: str) -> str:
    """The name of a property, which expressions can refer to."""
    tree: Any = None
    if len(name) <= 10 * LONGEST_NAME and name.isidentifier() and not name.startswith("__"):
        try:
            tree = ast.parse(name, mode="eval").body
        except SyntaxError:
            tree = None
    if not isinstance(tree, ast.Name) or tree.id != name:
        got = shorten(printable(name), LONGEST_NAME)
        raise ModelError(f"xacro: property names must be valid Python identifiers without __ in front, got {got!r}")
    return name


def _scope_of_caller(scope: Scope, name: str) -> Scope:
    """The scope around one: of a macro that of its caller."""
    target = scope.parent
    while target is not None and target.is_namespace and not scope.is_namespace:
        target = target.parent
    if target is None:
        raise ModelError(f"xacro: property {name!r} has scope='parent' outside of all macros and namespaces")
    return target


def _nearest(name: str, names: list[str]) -> str:
    return (
        str(unknown_name_error("macro", name, names)).partition("; ")[2]
        or f"defined: {', '.join(sorted(names)) or 'none'}"
    )
