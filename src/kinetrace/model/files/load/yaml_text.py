"""YAML of strangers: plain values from the events of PyYAML's parser, with all that they expand to counted.

PyYAML's own constructors follow aliases and merge keys without end, and numbers of any length. Here a value is null,
true or false, a number, a text, a list or a mapping; an alias counts as much as what it stands for, each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ....errors import ModelError, value_text
from ....support.optional import require_package

MAX_TEXT_LENGTH = 200_000
"""Characters of a text."""
MAX_VALUES, MAX_DEPTH, MAX_NUMBER_LENGTH = 100_000, 100, 1000
"""Values with all that is in them; lists in lists; characters of a number."""
_CHARACTERS_PER_VALUE = 100
"""Characters of a text that count as one value."""
_MAX_KEY = 2**60
"""Whole numbers below it have hashes of their own."""
_TAG = "tag:yaml.org,2002:"
_MERGE = object()
"""The key << of a mapping."""


def read_yaml(text: str, tags: Mapping[str, Callable[[str], Any]] | None = None, *, once: bool = True) -> Any:
    """The value of a YAML text; `tags` are further kinds of scalars. With `once`, no key may be given twice.

    >>> read_yaml("{a: &a [1, 2.5], b: *a, c: !mm 3}", {"!mm": lambda x: float(x) / 1000})
    {'a': [1, 2.5], 'b': [1, 2.5], 'c': 0.003}
    """
    yaml = require_package("yaml", "YAML, unlike JSON,", "yaml")
    if len(text) > MAX_TEXT_LENGTH:
        raise ModelError(f"is larger than {MAX_TEXT_LENGTH} characters")
    parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, fifty times as fast, if it is there
    try:
        return _Values(yaml, tags or {}, once).of(yaml.parse(text, Loader=parser))
    except yaml.YAMLError as error:
        raise ModelError(" ".join(str(error).split())) from None


@dataclass
class _Open:
    """A list or mapping of which not all has been read."""

    is_mapping: bool
    anchor: str | None
    values: list[Any] = field(default_factory=list)
    size: int = 1


class _Values:
    def __init__(self, yaml: Any, tags: Mapping[str, Callable[[str], Any]], once: bool) -> None:
        self.yaml, self.once = yaml, once
        self.resolve = yaml.resolver.Resolver().resolve
        self.scalars = {**_scalars(yaml), **tags}
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.open = [_Open(False, None)]

    def of(self, events: Iterable[Any]) -> Any:
        """The only value of a stream of events; None if there is none."""
        yaml = self.yaml
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._add(self._scalar(event), 1 + len(event.value) // _CHARACTERS_PER_VALUE, event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self._add(*self._alias(event.anchor), None)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event, isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                ended = self.open.pop()
                self._add(self._mapping(ended.values) if ended.is_mapping else ended.values, ended.size, ended.anchor)
        found = self.open[0].values
        if len(found) > 1:
            raise ModelError("holds more than one document")
        return found[0] if found else None

    def _begin(self, event: Any, is_mapping: bool) -> None:
        if event.tag not in (None, "!", _TAG + ("map" if is_mapping else "seq")):
            raise self._unknown(event.tag)
        if len(self.open) > MAX_DEPTH:
            raise ModelError(f"is nested more than {MAX_DEPTH} deep")
        self.open.append(_Open(is_mapping, event.anchor))

    def _add(self, value: Any, size: int, anchor: str | None) -> None:
        above = self.open[-1]
        if value is _MERGE and not (above.is_mapping and len(above.values) % 2 == 0):
            raise ModelError('<< merges mappings as the key of a mapping; as a text it is "<<"')
        above.values.append(value)
        above.size += size
        if above.size > MAX_VALUES:
            raise ModelError(f"expands to more than {MAX_VALUES} values")
        if anchor is not None:
            self.anchors[anchor] = value, size

    def _alias(self, name: str) -> tuple[Any, int]:
        if name not in self.anchors:
            raise ModelError(f"alias {value_text(name)} stands for nothing that ends before it")
        return self.anchors[name]

    def _scalar(self, event: Any) -> Any:
        tag = event.tag
        if tag is None or tag == "!":
            tag = self.resolve(self.yaml.ScalarNode, event.value, event.implicit)
        if tag not in self.scalars:
            raise self._unknown(tag)
        if tag not in (f"{_TAG}str", f"{_TAG}timestamp") and len(event.value) > MAX_NUMBER_LENGTH:
            raise ModelError(
                f"{value_text(event.value)} has more than {MAX_NUMBER_LENGTH} characters, too many for a number"
            )
        try:
            return self.scalars[tag](event.value)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            kind = tag.removeprefix(_TAG).removeprefix("!")
            raise ModelError(f"{value_text(event.value)} is no value of the kind {value_text(kind)}") from None

    def _mapping(self, values: list[Any]) -> dict[Any, Any]:
        made, merged = dict[Any, Any](), dict[Any, Any]()
        for key, value in zip(values[::2], values[1::2], strict=True):
            if key is _MERGE:
                for each in reversed(value if isinstance(value, list) else [value]):  # of several, the first holds
                    if not isinstance(each, dict):
                        raise ModelError(f"<< takes a mapping or a list of mappings, got {value_text(each)}")
                    merged.update(each)
                continue
            if not isinstance(key, str | int | float):
                raise ModelError(f"the name of a field must be text, got {value_text(key)}")
            if isinstance(key, int) and abs(key) >= _MAX_KEY:
                raise ModelError(
                    f"the name of a field must be text or a number below {_MAX_KEY}, got {value_text(key)}"
                )
            if self.once and key in made:
                raise ModelError(f"field {value_text(key)} is given twice")
            made[key] = value
        return {**merged, **made}

    def _unknown(self, tag: str) -> ModelError:
        known = sorted(x.replace(_TAG, "!!") for x in (*self.scalars, f"{_TAG}map", f"{_TAG}seq"))
        return ModelError(f"tag {value_text(tag.replace(_TAG, '!!'))} is not one of {', '.join(known)}")


def _scalars(yaml: Any) -> dict[str, Callable[[str], Any]]:
    """Tag → what makes a value of a text."""
    made = yaml.constructor.SafeConstructor()

    def number(kind: str) -> Callable[[str], Any]:
        construct = getattr(made, f"construct_yaml_{kind}")
        return lambda text: construct(yaml.ScalarNode(_TAG + kind, text))

    return {
        **{_TAG + kind: number(kind) for kind in ("int", "float")},
        **{_TAG + kind: str for kind in ("str", "timestamp", "value")},
        f"{_TAG}null": lambda _: None,
        f"{_TAG}bool": lambda text: made.bool_values[text.lower()],
        f"{_TAG}merge": lambda _: _MERGE,
    }
