"""Texts of xacro files: `${expression}`, `$(command …)`, and the properties that expressions refer to.

A text that is one expression has its value, of any type; several pieces are joined to a text. `$$` before a bracket is
one `$`. The text of a property is evaluated where it is defined, when it is first used. The environment is not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from .....errors import LONGEST_NAME, ModelError, printable, shorten
from .expressions import check_plain, evaluate

_PIECE = re.compile(r"(?P<escape>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<command>[^)]*)\)|[^$]+|\$[^{($]+|\$\Z")
_FIND = re.compile(r"\$\( *find +([^\s)]+) *\)")
LIMITS = {"calls": 10_000, "elements": 300_000, "steps": 1_000_000_000, "characters": 100_000_000}
"""Calls of macros, elements that are visited, steps of expressions and characters that texts expand to, per robot."""


class Budget:
    """Counts the work of an expansion; an error if it is more than any robot needs."""

    def __init__(self, limits: Mapping[str, int] = LIMITS) -> None:
        self.limits, self.spent = limits, dict.fromkeys(limits, 0)

    def spend(self, kind: str, count: int = 1) -> None:
        """Add work of a kind, one of `LIMITS`."""
        self.spent[kind] += count
        if self.spent[kind] > self.limits[kind]:
            raise ModelError(f"xacro: the macros need more than {self.limits[kind]} {kind}")

    def steps(self, count: int) -> None:
        """Add steps of expressions."""
        self.spend("steps", count)


class Scope(dict[str, Any]):
    """Names that are defined in a macro, a namespace or outside of all, and those of the scope around it.

    Texts that `define` is given with `lazy` are evaluated by `evaluate(text, scope)` when they are first looked up.
    """

    def __init__(
        self,
        evaluate: Callable[[str, Scope], Any] | None = None,
        parent: Scope | None = None,
        *,
        is_namespace: bool = False,
    ) -> None:
        super().__init__()
        self.evaluate, self.parent, self.is_namespace = evaluate, parent, is_namespace
        self._lazy, self._pending = set[str](), list[str]()

    def outward(self) -> Iterator[Scope]:
        """This scope and those around it, the outermost last."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def __contains__(self, name: object) -> bool:
        return any(dict.__contains__(scope, name) for scope in self.outward())

    def __getitem__(self, name: str) -> Any:
        for scope in self.outward():
            if dict.__contains__(scope, name):
                return scope._resolve(name)
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Value of a name, here or in an outer scope; `default` if it is not defined."""
        return next((scope._resolve(name) for scope in self.outward() if dict.__contains__(scope, name)), default)

    def define(self, name: str, value: Any, *, lazy: bool = False) -> None:
        """Define a name here; numbers and flags may be given as text."""
        value = literal(value)
        self[name] = value
        (self._lazy.add if lazy and isinstance(value, str) else self._lazy.discard)(name)

    def remove(self, name: str) -> None:
        """Remove a name here and in all scopes around."""
        for scope in self.outward():
            scope.pop(name, None)

    def _resolve(self, name: str) -> Any:
        if name in self._lazy and self.evaluate is not None:
            if name in self._pending:
                cycle = " -> ".join([*self._pending, name])
                raise ModelError(f"xacro: circular variable definition: {cycle}; lazy_eval='false' evaluates at once")
            self._pending.append(name)
            try:
                self[name] = literal(self.evaluate(dict.__getitem__(self, name), self))
            finally:
                self._pending.remove(name)
            self._lazy.discard(name)
        return dict.__getitem__(self, name)


def literal(value: Any) -> Any:
    """The number or flag that a text is, or what is between its quotation marks; all else as it is.

    >>> [literal(x) for x in ("7", "0.5", "true", "'7'", "1_0", [1])]
    [7, 0.5, True, '7', '1_0', [1]]
    """
    if not isinstance(value, str):
        return value
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1]
    if "_" in value:  # digit groups of Python's are no numbers here
        return value
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return {"true": True, "True": True, "false": False, "False": False}.get(value, value)


def truth(value: Any, text: str) -> bool:
    """Whether the value of a condition is true.

    >>> truth("True", "x"), truth("0", "x"), truth([], "x")
    (True, False, False)
    """
    if not isinstance(value, str):
        return bool(value)
    value = literal(value) if value in ("true", "True", "false", "False") else value
    with suppress(ValueError):
        return bool(int(value))
    got = f"{shorten(printable(text), LONGEST_NAME)!r} is {shorten(printable(value), LONGEST_NAME)!r}"
    raise ModelError(f"xacro: a condition must be true, false or a number; {got}")


class Substitution:
    """Evaluates texts: with the robot's `arguments`, the `functions` of expressions, and `find` for packages."""

    def __init__(
        self,
        arguments: dict[str, str],
        functions: Mapping[str, Callable[..., Any]],
        find: Callable[[str], str],
        budget: Budget,
        remark: Callable[[str], None],
    ) -> None:
        self.arguments, self.find, self.budget, self.remark = arguments, find, budget, remark
        self.functions = {"xacro.arg": self.argument, **functions}

    def value(self, text: str, scope: Scope) -> Any:
        """The value of a text."""
        self.budget.steps(len(text) * (1 + text.count("$")))
        if "$" not in text:
            self.budget.spend("characters", len(text))
            return text
        values, at = list[Any](), 0
        while at < len(text):
            piece = _PIECE.match(text, at)
            if piece is None:
                raise ModelError(f"xacro: invalid expression: {shorten(printable(text[at:]), LONGEST_NAME)}")
            values.append(self._piece(piece, scope))
            at = piece.end()
        value = values[0] if len(values) == 1 else "".join(map(str, values))
        if isinstance(value, str):
            self.budget.spend("characters", len(value))
        return value

    def argument(self, name: str) -> str:
        """The argument of this name."""
        if name not in self.arguments:
            remedy = f"xacro_args={{{name!r}: ...}} (--xacro-arg {name}=VALUE) gives it"
            raise ModelError(f"xacro: argument {name!r} is not given; {remedy}")
        return self.arguments[name]

    def _piece(self, piece: re.Match[str], scope: Scope) -> Any:
        if piece["escape"] is not None:
            return piece["escape"][1:]
        if piece["expression"] is not None:
            expression = str(self.value(piece["expression"], scope))
            return self._evaluate(expression, scope, self.functions)
        if piece["command"] is not None:
            return self._command(str(self.value(piece["command"], scope)))
        return piece[0]

    def _evaluate(self, expression: str, names: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
        try:
            value = evaluate(expression, names, functions, Scope, self.budget.steps)
            # A list may have grown since it was made: its text must stay bounded.
            return check_plain(value) if type(value) in (list, tuple, dict) else value
        except (ModelError, RecursionError):
            raise
        except Exception as error:  # of Python's operators and functions, any
            message = printable(" ".join(str(error).split())) or type(error).__name__
            where = shorten(printable(expression), LONGEST_NAME)
            raise ModelError(f"xacro: {shorten(message)} when evaluating expression {where!r}") from None

    def _command(self, command: str) -> str:
        """The text that `$(command)` stands for."""
        if command.startswith("eval "):
            names = {name: _typed_argument(text) for name, text in self.arguments.items()}
            functions = {"arg": lambda name: _typed_argument(self.argument(name)), "find": self.find}
            return str(self._evaluate(command[5:], names, functions))
        if not command:
            return "$()"
        name, *words = command.split() or [""]
        if name == "arg" and len(words) == 1:
            return _FIND.sub(lambda found: self.find(found[1]), self.argument(words[0]))
        if name == "find" and len(words) == 1:
            return self.find(words[0])
        if name == "cwd" and not words:
            return os.getcwd()
        if name == "env" and len(words) == 1:
            raise ModelError(f"$(env {words[0]}): the environment is not read; an argument, xacro_args=, can say it")
        if name == "optenv" and words:
            default = " ".join(words[1:])
            if words[0] in os.environ:
                self.remark(f"$(optenv {words[0]}): the environment is not read, the default {default!r} holds")
            return default
        got = shorten(printable(command), LONGEST_NAME)
        usage = "$(arg NAME), $(cwd), $(env NAME), $(eval EXPRESSION), $(find PACKAGE), $(optenv NAME DEFAULT)"
        raise ModelError(f"xacro: unknown command $({got}); valid: {usage}")


def _typed_argument(text: str) -> Any:
    """An argument as `$(eval …)` has it: a number or flag, if it is one."""
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False}.get(text.lower(), text)
