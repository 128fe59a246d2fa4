"""What tracing found last time: a kernel whose code is on disk need not be traced again to be called.

For the library's own functions of the library's own joints, what a trace gives depends on the model, the arguments and
the library's sources alone, as long as nobody replaces a part of the library, or its files, while it runs. Under a hash
of these the cache keeps an outline of the program: its arrays, its size and the name of its code. The operations
themselves are traced when somebody asks for them.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_
from pathlib import Path
from typing import Any

import numpy as np

from .codegen import cache as disk
from .model import joints
from .model.model import Model
from .trace import Argument, Program

_TRACED = ("arrays.py", "dense.py", "lie", "model", "trace", "derivative", "algorithms")
_FILES = (*_TRACED, "compile.py", "recall.py")
_PLAIN = (str, int, float, bool, type(None))


class Recalled(Program):
    """A program of which the outline is known; its nodes and results are traced on demand."""

    def __init__(self, outline: dict[str, Any], make: Callable[[], Program]) -> None:
        inputs, outputs = ([Argument(name, tuple(shape)) for name, shape in outline[k]] for k in ("inputs", "outputs"))
        known = {"name": outline["name"], "inputs": tuple(inputs), "outputs": tuple(outputs)}
        vars(self).update(known, digest=outline["digest"], size=outline["size"], _make=make)

    def __getattr__(self, name: str) -> Any:
        if name not in ("nodes", "results"):
            raise AttributeError(name)
        made = vars(self)["_make"]()
        vars(self).update(nodes=made.nodes, results=made.results)
        return vars(self)[name]

    def __reduce__(self) -> Any:
        return Program, (self.name, self.inputs, self.outputs, self.nodes, self.results)


def recalled(key: str | None, make: Callable[[], Program]) -> Program:
    """The program that `make` traces: its outline, if that is on disk under this key; without a key, always all."""
    if key is None:
        return make()
    kept = disk.fetch(key)
    if kept is not None:
        return Recalled(json.loads(kept), make)
    program = make()
    outline = {
        "name": program.name,
        "inputs": [(a.name, a.shape) for a in program.inputs],
        "outputs": [(a.name, a.shape) for a in program.outputs],
        "digest": program.digest,
        "size": program.size,
    }
    disk.store(key, json.dumps(outline).encode())
    return program


def _owners() -> Iterator[Any]:
    """The modules that take part in tracing, and their classes."""
    names = tuple(f"{__package__}.{part.removesuffix('.py')}" for part in _TRACED)
    for module in [x for name, x in sys.modules.items() if name.startswith(names)]:
        yield module
        yield from (x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__)


_WRITTEN = [(owner, tuple(vars(owner)), tuple(vars(owner).values())) for owner in _owners()]


def _is_as_written() -> bool:
    """Whether all these have what they had when they were imported, and their classes nothing else."""
    return all(
        all(map(is_, map(vars(owner).get, names), values))
        and (not isinstance(owner, type) or all(x.startswith("__") for x in vars(owner).keys() - names))
        for owner, names, values in _WRITTEN
    )


def key(function: Any, model: Model, **settings: Any) -> str | None:
    """A name for what tracing a function of a model will give; None if more may decide it than is known here."""
    ours = (
        getattr(sys.modules.get(getattr(function, "__module__", "")), getattr(function, "__qualname__", ""), None)
        is function
        and function.__module__.startswith(f"{__package__}.algorithms.")
        and type(model) is Model
        and all(type(body.joint).__module__ == joints.__name__ for body in model.bodies)
        and _is_plain(settings)
        and _is_as_written()
    )
    if not ours or disk.directory() is None or _sources() is None:
        return None
    content = f"{function.__module__}|{function.__qualname__}|{settings!r}|{_sources()}|".encode()
    return hashlib.sha256(content + pickle.dumps(model, protocol=5)).hexdigest() + disk.OUTLINE


def _is_plain(x: Any) -> bool:
    if isinstance(x, Mapping):
        return type(x) is dict and all(map(_is_plain, x)) and all(map(_is_plain, x.values()))
    return type(x) in _PLAIN or (type(x) in (tuple, list) and all(map(_is_plain, x)))


@cache
def _sources() -> str | None:
    """A name for all code that decides what is kept; None if what is on disk may not be what runs."""
    places = [Path(__file__).parent / part for part in _FILES]
    found = disk.fingerprint(x for place in places for x in ([place] if place.suffix else sorted(place.rglob("*.py"))))
    return found and f"{sys.version}|{np.__version__}|{found}"
