"""Outlines of programs on disk: a kernel whose code is there need not be traced again to be called.

For the library's own functions of the library's own joints, what a trace gives depends on the model, the arguments and
the library's sources alone. Under a hash of these the cache keeps an outline of the program: its arrays, their layouts,
its size and the name of its code. The operations themselves are traced when somebody asks for them. Who replaces parts
of the library while it runs sets `KINETRACE_CACHE=off`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, reduce
from pathlib import Path
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...model.model import Model
from ...model.record import Structure, flatten
from ..cache import disk
from ..cache.fingerprints import TRACED, fingerprint
from ..derivative.array_function import ArrayFunction
from ..derivative.derived_function import Derived
from ..trace import Argument, CompactLayout, Program
from ..trace.regions import NO_LOOPS, Loops

_ROOT = Path(__file__).parents[2]
_PACKAGES = tuple(f"{_ROOT.name}.{part.removesuffix('.py').replace('/', '.')}" for part in TRACED)
_FILES = (*TRACED, "engine/compilation")
_digests: WeakKeyDictionary[Model, str] = WeakKeyDictionary()
_PLAIN_TYPES = (str, int, float, bool, type(None))
_COLLECTION_TYPES = (tuple, list, dict, Mapping)


class LazyProgram(Program):
    """A program of which the outline is known; its nodes and results are traced on demand."""

    def __init__(self, outline: dict[str, Any], make: Callable[[], Program]) -> None:
        inputs, outputs = ([Argument(name, tuple(shape)) for name, shape in outline[k]] for k in ("inputs", "outputs"))
        known = {"name": outline["name"], "inputs": tuple(inputs), "outputs": tuple(outputs)}
        known["layouts"] = tuple(CompactLayout(tuple(s), c, tuple(n), tuple(x)) for s, c, n, x in outline["layouts"])
        known |= {name: outline[name] for name in ("digest", "size", "work")}
        vars(self).update(known, tables=frozenset(outline["tables"]), _make=make)

    def __getattr__(self, name: str) -> Any:
        if name not in ("nodes", "results"):
            raise AttributeError(name)
        made = vars(self)["_make"]()
        vars(self).update(nodes=made.nodes, results=made.results, _loops=made.loops)
        return vars(self)[name]

    @property
    def loops(self) -> Loops:
        """Traced with the nodes."""
        return vars(self)["_loops"] if self.nodes else NO_LOOPS

    def __reduce__(self) -> Any:
        return Program, (self.name, self.inputs, self.outputs, self.nodes, self.results, self.loops, self.layouts)


def recall(key: str | None, make: Callable[[], Program]) -> Program:
    """The program that `make` traces: its outline, if that is on disk under this key; without a key, always all."""
    if key is None:
        return make()
    outline_on_disk = disk.fetch(key)
    if outline_on_disk is not None:
        return LazyProgram(json.loads(outline_on_disk), make)
    program = make()
    outline = {
        "name": program.name,
        "inputs": [(a.name, a.shape) for a in program.inputs],
        "outputs": [(a.name, a.shape) for a in program.outputs],
        "layouts": [(x.shape, x.is_compact, x.numbers, x.known) for x in program.layouts],
        "digest": program.digest,
        "size": program.size,
        "work": program.work,
        "tables": sorted(program.tables),
    }
    disk.store(key, json.dumps(outline).encode())
    return program


def key(function: Any, model: Model, **settings: Any) -> str | None:
    """A name for what tracing a function of a model will give; None if more may decide it than is known here."""
    if not (is_plain(settings) and disk.directory() is not None):
        return None
    parts = [_sources(), digest(function), digest(model), digest(settings)]
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest() + disk.OUTLINE_SUFFIX if all(parts) else None


def bare(model: Model) -> Model:
    """The model without what no program has in it: shapes, rules of contacts, keyframes, and where it starts."""
    none: dict[str, Any] = {"geometry": (), "keyframes": (), "start": None, "contact_rules": None}
    has_more = any(getattr(model, name) is not empty for name, empty in none.items())
    return replace(model, **none) if has_more else model


def digest(x: Any) -> str | None:
    """A hash of content: the same for equal content in every process; None if there is anything unknown in it.

    >>> digest((1, "a")) == digest((1, "a")), digest((1, "a")) == digest((1, "b")), digest(lambda model, q: q)
    (True, False, None)
    """
    try:
        if not isinstance(x, Model):
            return _digest(x)
        found = _digests.get(x)  # it never changes
        if found is None:
            found = _digests[x] = _digest(bare(x))
        return found
    except TypeError:
        return None


def _digest(x: Any) -> str:
    structure, leaves = flatten(x)
    _check(structure)
    parts = [repr(structure).encode("utf-8", "surrogatepass")]
    for leaf in leaves:
        text = _bytes(leaf)
        parts += [b"\n%s %d\n" % (type(leaf).__name__.encode(), len(text)), text]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _check(structure: Structure) -> None:
    """A TypeError unless the text of a structure says all of it: collections, classes of ours, names."""
    found, pending = set[tuple[Any, Any]](), [structure]
    while pending:
        node = pending.pop()
        if node is not None:
            found.add(node[:2])
            pending += node[2:]
    for kind, names in found:
        if not (kind in _COLLECTION_TYPES or _is_traced(kind)) or not is_plain(names):
            raise TypeError(kind)


def _bytes(x: Any) -> bytes:
    """A leaf as it could be read again."""
    kind = type(x)
    if kind is str:
        return x.encode("utf-8", "surrogatepass")
    if kind in _PLAIN_TYPES:
        return repr(x).encode()
    if (kind is np.ndarray or isinstance(x, np.generic)) and x.dtype.kind in "biuf":
        return b"%s%r\n%s" % (x.dtype.str.encode(), x.shape, x.tobytes())
    if kind is FunctionType and _is_traced(x):
        return f"{x.__module__}.{x.__qualname__}".encode()
    raise TypeError(kind)


def _is_traced(x: Any) -> bool:
    """Whether a function or class is one of those in the files that `_sources` reads."""
    return str(x.__module__).startswith(_PACKAGES) and is_importable(x)


def is_importable(x: Any) -> bool:
    """Whether another process finds this function, or class, or the function in a derivative, by its name.

    >>> is_importable(np.linalg.norm), is_importable(lambda model, q: q)
    (True, False)
    """
    if isinstance(x, Derived | ArrayFunction):
        return is_importable(x.function)
    module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", None)
    if not module or not name or module == "__main__":
        return False
    return reduce(lambda owner, part: getattr(owner, part, None), name.split("."), sys.modules.get(module)) is x


def is_plain(x: Any) -> bool:
    """Whether a value is made of texts, numbers and collections of Python alone.

    >>> is_plain({"frame": "hand"}), is_plain({"weight": np.ones(3)})
    (True, False)
    """
    if isinstance(x, Mapping):
        return type(x) is dict and all(map(is_plain, x)) and all(map(is_plain, x.values()))
    return type(x) in _PLAIN_TYPES or (type(x) in (tuple, list) and all(map(is_plain, x)))


@cache
def _sources() -> str | None:
    """A name for all code that decides what is kept; None if what is on disk may not be what runs."""
    places = [_ROOT / part for part in _FILES]
    code = fingerprint(x for place in places for x in ([place] if place.suffix else sorted(place.rglob("*.py"))))
    return code and f"{sys.version}|{np.__version__}|{code}"
