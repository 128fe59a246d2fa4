"""What loading a file says about it, as findings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from ..errors import HarmlessWarning, ModelError, ModelWarning, PhysicsWarning
from ..lie import inertia
from ..model.body import WORLD
from ..model.model import Model
from . import written
from .finding import Finding

HARMLESS, IGNORED = "irregular file", "ignored in the file"
"""Kinds of findings whose text alone says what they are about."""


def remarks(said: Sequence[Warning], model: Model) -> Iterator[Finding]:
    """Findings of the warnings that loading a model gave; not of those that an examination finds itself."""
    found = written.file_of(model) is not None
    for warning in said:
        text = _without_file(str(warning))
        if found and text.startswith(written.SWAPPED):
            continue
        if isinstance(warning, ModelWarning):
            harmless = isinstance(warning, HarmlessWarning)
            yield Finding(
                "note" if harmless else "warning",
                HARMLESS if harmless else IGNORED,
                (),
                text,
                "it cannot change the motion" if harmless else "the robot may move otherwise than the file means",
                _given(text) or "correct the file at the given lines",
            )
        elif isinstance(warning, PhysicsWarning):
            yield from _fixed_link(text, model)


def alike(x: Finding, y: Finding) -> bool:
    """Whether two findings, of a file and of one that was written from it, are about the same thing.

    >>> old, new = (Finding("warning", IGNORED, (), f"line {n}: <axes>", "", "") for n in (3, 7))
    >>> alike(old, new)
    True
    """
    if x.kind != y.kind or x.where or y.where:
        return x.kind == y.kind and not set(x.where).isdisjoint(y.where)
    texts = {re.sub(r"\blines? \d+(, \d+)*", "", each.what) for each in (x, y)}
    return x.kind not in (HARMLESS, IGNORED) or len(texts) == 1


def _fixed_link(text: str, model: Model) -> Iterator[Finding]:
    """About a link with an impossible inertia that is part of a possible body, or of the base."""
    found = re.match(r"link '(.*?)': (.*)", text)
    frame = model.frames.get(found[1]) if found else None
    if found is None or frame is None:
        return
    on_base = frame.body == WORLD
    wrong = not on_base and bool(inertia.violations(model.bodies[frame.body].J))
    if wrong and model.bodies[frame.body].name == found[1]:
        return  # said of the body
    carrier = "the base" if on_base else f"body {model.bodies[frame.body].name!r}"
    yield Finding(
        "note",
        "impossible inertia of a part",
        (f"link {found[1]!r}",),
        f"{found[2]}; the link is part of {carrier}",
        "the base does not move"
        if on_base
        else f"the body is {'impossible' if wrong else 'possible, but hardly right'}",
        "correct it in the file",
    )


def refused(error: ModelError) -> Finding:
    """About a file that cannot be read as a robot at all."""
    return Finding(
        "error",
        "not a robot",
        (error.place,) if error.place else (),
        error.problem,
        "it cannot be loaded, so nothing else was looked at",
        _given(error.problem) or "correct the description there",
    )


def _given(text: str) -> str:
    """What to give when loading, if the message is about that; "" otherwise."""
    if "packages={" in text:
        return "say where the package is: --package NAME=FOLDER, in Python kt.load(..., packages={NAME: folder})"
    if "xacro_args={" in text:
        return "give the argument: --xacro-arg NAME=VALUE, in Python kt.load(..., xacro_args={NAME: value})"
    return ""


def _without_file(text: str) -> str:
    """The message without the path before it."""
    head, separator, rest = text.partition(": ")
    is_path = os.sep in head or head.lower().endswith((".urdf", ".xml", ".xacro", ".json")) or head == "XML text"
    return rest if separator and is_path else text
