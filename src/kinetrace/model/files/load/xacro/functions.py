"""Callables of xacro's expressions: functions of Python and `math`; methods of texts, lists, mappings and sets.

They are those that xacro offers, on plain values: numbers, texts, None, and lists, tuples, mappings and sets of these.
Sets have an order, in which they are gone through and written: Python's own depends on hashes, which differ by process.
What Python makes step by step (`range`, `zip`, `map`, `items` …) is a list here. Each is bounded before it is computed:
no text, list or number can grow beyond `MAX_VALUE_SIZE` and `MAX_BITS`, and none reaches an object of Python's.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .....errors import LONGEST_NAME, ModelError, shorten

MAX_VALUE_SIZE = 200_000
"""Characters of a text, and items of a value with all that is in them."""
MAX_BITS = 4096
"""Bits of a whole number."""
MAX_DISTINCT_ITEMS = 1000
"""Items of a set, and of a mapping that an expression makes: they may all have the same hash."""
MAX_FIELD_WIDTH = 100
"""Characters that a number or text is formatted to, and digits that it is rounded to."""


def _place(x: Any) -> tuple[Any, ...]:
    """Where an item of a set is in its order: numbers, texts, tuples, sets; none is left where hashes put it."""
    if isinstance(x, str):
        return 3, x
    if isinstance(x, tuple):
        return 4, [_place(item) for item in x]
    if isinstance(x, frozenset):
        return 5, [_place(item) for item in x]
    return (0,) if x is None else (1, x) if x == x else (2,)


class Set(set[Any]):
    """A set of an expression."""

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(super().__iter__(), key=_place))

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"


class FrozenSet(frozenset[Any]):
    """A set of an expression that may be in another."""

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(super().__iter__(), key=_place))

    def __repr__(self) -> str:
        return f"frozenset({{{', '.join(map(repr, self))}}})" if self else "frozenset()"


PLAIN = (str, bool, int, float, list, tuple, dict, Set, FrozenSet, type(None))
"""The types of values."""
_MATH = (
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh"),
    *("degrees", "dist", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "floor", "fmod", "frexp", "fsum", "gamma"),
    *("gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "ldexp", "lgamma", "log", "log10", "log1p"),
    *("log2", "modf", "nextafter", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "ulp"),
)
_FIELD = re.compile(r"(?:.?[<>=^])?[-+ ]?#?0?(\d*)[,_]?(?:\.(\d+))?[bcdeEfFgGnosxX%]?")
"""How a value is formatted: `08.3f`; the width and the digits."""
_PERCENT = re.compile(r"%(?:\((\w*)\))?([-+ 0#]*\d*(?:\.\d+)?[diouxXeEfFgGsr%]|)")


def check_value_size(count: int, what: str) -> None:
    """An error if something would have more than `MAX_VALUE_SIZE` parts."""
    if count > MAX_VALUE_SIZE:
        raise ModelError(f"{what} of an expression would have more than {MAX_VALUE_SIZE} items or characters")


def items_of(values: Any) -> list[Any]:
    """Items of a loop over a value."""
    if type(values) not in (str, list, tuple, dict, Set, FrozenSet):
        raise TypeError(f"a {type(values).__name__} has no items")
    return list(values)


def distinct_items(values: Iterable[Any]) -> list[Any]:
    """Distinct items of a set or mapping."""
    found = list(values)
    if len(found) > MAX_DISTINCT_ITEMS:
        raise ModelError(f"a set or mapping of an expression would have more than {MAX_DISTINCT_ITEMS} items")
    return found


def check_distinct(found: Any) -> Any:
    """A value, with an error if it is a set or mapping of too many items."""
    if isinstance(found, set | frozenset | dict):
        distinct_items(found)
    return found


def with_order(found: Any) -> Any:
    """A value; one of Python's sets as one that has an order."""
    return Set(found) if type(found) is set else FrozenSet(found) if type(found) is frozenset else found


def raise_to(x: Any, y: Any) -> Any:
    """Python's x ** y."""
    if isinstance(x, int) and isinstance(y, int) and abs(y) * max(abs(x).bit_length(), 1) > MAX_BITS:
        raise ModelError(f"a power in an expression has more than {MAX_BITS} bits")
    return x**y


def multiply(x: Any, y: Any) -> Any:
    """Python's x * y."""
    for values, count in ((x, y), (y, x)):
        if isinstance(values, str | list | tuple) and isinstance(count, int):
            check_value_size(len(values) * abs(count), "a product")
    return x * y


def shift_left(x: Any, y: Any) -> Any:
    """Python's x << y."""
    if isinstance(x, int) and isinstance(y, int) and x.bit_length() + y > MAX_BITS:
        raise ModelError(f"a number of an expression has more than {MAX_BITS} bits")
    return x << y


def remainder(x: Any, y: Any) -> Any:
    """Python's x % y, of numbers, and of a text that is formatted."""
    if not isinstance(x, str):
        return x % y
    for found in _PERCENT.finditer(x):
        if not found[2] or any(int(number) > MAX_FIELD_WIDTH for number in re.findall(r"\d+", found[2])):
            raise ModelError(f"the format {shorten(x, LONGEST_NAME)!r} is not accepted: at most {MAX_FIELD_WIDTH} wide")
    check_value_size(len(x) + x.count("%") * (MAX_FIELD_WIDTH + _length(y)), "a text")
    return x % y


def _length(x: Any) -> int:
    """Characters that a value is written with, at most."""
    if isinstance(x, dict):
        return _length(list(x)) + _length(list(x.values()))
    if isinstance(x, list | tuple | set | frozenset):
        return 12 + sum(_length(item) + 2 for item in x)
    return 10 * len(x) + 2 if isinstance(x, str) else x.bit_length() // 3 + 2 if isinstance(x, int) else 24


def _as_text(x: Any = "") -> str:
    if isinstance(x, str):
        return x
    check_value_size(_length(x), "a text")
    return str(x)


def _as_representation(x: Any) -> str:
    check_value_size(_length(x), "a text")
    return repr(x)


def _round(x: float, digits: int | None = None) -> float:
    if digits is not None and abs(digits) > MAX_FIELD_WIDTH:
        raise ModelError(f"round has more than {MAX_FIELD_WIDTH} digits")
    return round(x, digits)


def _range(*ends: int) -> list[int]:
    check_value_size(len(range(*ends)), "a range")
    return list(range(*ends))


def _sum(values: Any, start: Any = 0) -> Any:
    if isinstance(start, list | tuple):
        return type(start)([*start, *(item for part in items_of(values) for item in start[:0] + part)])
    return sum(items_of(values), start)


def _product(values: Any, *, start: Any = 1) -> Any:
    for x in items_of(values):
        start = multiply(start, x)
        if isinstance(start, int) and start.bit_length() > MAX_BITS:
            raise ModelError(f"a product in an expression has more than {MAX_BITS} bits")
    return start


def _bounded_counting(name: str) -> Callable[..., int]:
    """Functions of `math` on whole numbers whose results grow fast."""

    def bounded(*numbers: int) -> int:
        if max(map(abs, numbers), default=0) > 500:
            raise ModelError(f"{name} takes numbers up to 500")
        return int(getattr(math, name)(*numbers))

    return bounded


def _filter(keep: Callable[..., Any] | None, values: Any) -> list[Any]:
    return [x for x in items_of(values) if (x if keep is None else keep(x))]


def _map(function: Callable[..., Any], *values: Any) -> list[Any]:
    return [function(*items) for items in zip(*map(items_of, values), strict=False)]


def _collection(kind: type) -> Callable[..., Any]:
    return lambda values=(): kind(distinct_items(items_of(values)) if kind in (Set, FrozenSet) else items_of(values))


def _dict(*values: Any, **named: Any) -> Any:
    return check_distinct(
        dict(*(x if isinstance(x, dict) else distinct_items(map(items_of, items_of(x))) for x in values), **named)
    )


def _update(x: dict[Any, Any], *values: Any, **named: Any) -> None:
    x.update(_dict(*values, **named))


def _zip(*values: Any) -> list[tuple[Any, ...]]:
    check_value_size(sum(len(x) for x in values), "a value")
    return list(zip(*map(items_of, values), strict=False))


TYPES: dict[str, type] = {x.__name__: x for x in (str, bool, int, float, list, tuple, dict, set, frozenset)}
"""Types that `isinstance` compares with."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in _MATH if hasattr(math, name)},
    **{name: _bounded_counting(name) for name in ("factorial", "comb", "perm")},
    **{"prod": _product, "abs": abs, "sum": _sum, "len": len, "divmod": divmod, "round": _round, "ord": ord},
    **{"int": int, "float": float, "bool": bool, "str": _as_text, "repr": _as_representation},
    **{"range": _range, "zip": _zip, "dict": _dict, "list": _collection(list), "tuple": _collection(tuple)},
    **{"set": _collection(Set), "frozenset": _collection(FrozenSet)},
    **{"reversed": lambda x: items_of(x)[::-1], "enumerate": lambda x, start=0: list(enumerate(items_of(x), start))},
    **{"all": lambda x: all(items_of(x)), "any": lambda x: any(items_of(x)), "map": _map, "filter": _filter},
    **{"min": min, "max": max, "sorted": lambda x, **how: sorted(items_of(x), **how)},
}
"""Functions that expressions may call, by name or below `math.` and `python.`."""
TAKE_FUNCTIONS = ("map", "filter", "sorted", "min", "max")
"""Functions that take others: `map(float, x.split())`, `sorted(x, key=len)`."""
CONSTANTS: dict[str, Any] = {
    **{"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan},
    **{"true": True, "false": False},
}


def _format(text: str, *values: Any, **named: Any) -> str:
    """`str.format` with fields `{}`, `{0}`, `{name}` and how they are formatted; nothing is looked up in values."""
    made, count, formatter = list[str](), 0, string.Formatter()
    for before, field, how, conversion in formatter.parse(text):
        made.append(before)
        if field is None:
            continue
        layout = _FIELD.fullmatch(how or "")
        if layout is None or any(int(x or 0) > MAX_FIELD_WIDTH for x in layout.groups()):
            raise ModelError(
                f"the format {shorten(how, LONGEST_NAME)!r} is not accepted: at most {MAX_FIELD_WIDTH} wide"
            )
        if field == "" or field.isdecimal():
            value, count = values[int(field or count)], count + 1
        elif field in named:
            value = named[field]
        else:
            raise ModelError(f"the field {shorten(field, LONGEST_NAME)!r} of a format is no argument: not accepted")
        length = len(value) if isinstance(value, str) and conversion not in ("r", "a") else _length(value)
        check_value_size(sum(map(len, made)) + length, "a text")
        made.append(format(formatter.convert_field(value, conversion), how or ""))
    return "".join(made)


def _join(text: str, parts: Any) -> str:
    words = items_of(parts)
    check_value_size(len(text) * len(words) + sum(len(x) for x in words), "a text")
    return text.join(words)


def _replace(text: str, old: str, new: str, *count: int) -> str:
    check_value_size(len(text) + text.count(old) * len(new), "a text")
    return text.replace(old, new, *count)


def _padding(name: str) -> Callable[..., str]:
    def pad(text: str, width: int, *fill: str) -> str:
        check_value_size(width, "a text")
        return str(getattr(text, name)(width, *fill))

    return pad


def _bounded_search(name: str) -> Callable[..., Any]:
    """Methods that search from the ends, which takes long for long texts."""

    def bounded(text: str, sought: str | None = None, *more: Any, **named: Any) -> Any:
        if len(sought or "") > MAX_FIELD_WIDTH:
            raise ModelError(f"{name} looks for at most {MAX_FIELD_WIDTH} characters")
        return getattr(text, name)(sought, *more, **named)

    return bounded


def _set_method(name: str) -> Callable[..., Any]:
    return lambda x, *others: with_order(
        check_distinct(getattr(x, name)(*(distinct_items(items_of(y)) for y in others)))
    )


_OF_TEXT = (
    *("capitalize", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdecimal", "isdigit", "isidentifier"),
    *("islower", "isnumeric", "isspace", "istitle", "isupper", "lower", "partition", "removeprefix"),
    *("removesuffix", "split", "splitlines", "startswith", "swapcase", "title", "upper"),
)
_SEQUENCE = {"count": lambda x, y: x.count(y), "index": lambda x, *y: x.index(*y)}
_OF_SETS = (
    *("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"),
    "copy",
)
_CHANGES: dict[type, tuple[str, ...]] = {
    list: ("append", "extend", "insert", "pop", "remove", "reverse", "clear"),
    dict: ("pop", "update", "setdefault", "clear"),
    Set: ("add", "discard", "remove"),
}
CHANGING = frozenset(name for names in _CHANGES.values() for name in names)
"""Methods that change a value, as in loops by `items.pop(0)`."""
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in _OF_TEXT},
        **{"format": _format, "join": _join, "replace": _replace},
        **{name: _padding(name) for name in ("center", "ljust", "rjust", "zfill")},
        **{
            name: _bounded_search(name)
            for name in ("rfind", "rindex", "rpartition", "rsplit", "strip", "lstrip", "rstrip")
        },
    },
    list: {**_SEQUENCE, "copy": list},
    tuple: _SEQUENCE,
    dict: {
        **{"keys": list, "values": lambda x: list(x.values()), "items": lambda x: list(x.items()), "copy": dict},
        "get": lambda x, *y: x.get(*y),
    },
    **{kind: {name: _set_method(name) for name in _OF_SETS} for kind in (Set, FrozenSet)},
}
"""Methods of values."""
for _kind, _names in _CHANGES.items():
    METHODS[_kind] = {**METHODS[_kind], **{name: getattr(_kind, name) for name in _names}}
METHODS[dict]["update"] = _update
