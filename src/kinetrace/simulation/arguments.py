"""Arguments of a simulation, checked before anything is computed or allocated; how it shows its progress."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..arrays import asarray
from ..engine.trace.hints import explanation
from ..errors import InputError, ShapeError, shortened, unknown
from ..model.arguments import with_size_hint
from ..robot import Robot
from ..robot.types import Float
from ..support.conversion import as_positive, as_reals


def state_of(robot: Robot, q: Any, v: Any) -> tuple[Float, Float]:
    """q (..., nq) and v (..., nv) with the same batch axes, copies; unit quaternions."""
    try:
        found = [finite("q", q, robot.nq), finite("v", v, robot.nv)]
    except ShapeError as error:
        raise with_size_hint(robot.model, error) from None
    batch = broadcast({"q": found[0].shape[:-1], "v": found[1].shape[:-1]})
    q, v = (np.array(np.broadcast_to(x, (*batch, x.shape[-1]))) for x in found)
    with np.errstate(all="ignore"):
        unit = np.array(robot.normalise(q))
    if not np.isfinite(unit).all():
        _refuse_zeros(robot, unit)
    return unit, v


def _refuse_zeros(robot: Robot, unit: Float) -> None:
    """An error that names the joint whose quaternion cannot be scaled to unit length."""
    for body in robot.model.independent_joints:
        if not np.isfinite(unit[..., robot.model.slices[body.index][0]]).all():
            raise InputError(f"the quaternion of joint {body.joint_name!r} has length 0")


def one_of(valid: tuple[str, ...], method: Any) -> None:
    """An error unless a method is one of these; names that differ in upper and lower case come first."""
    if isinstance(method, str) and method in valid:
        return
    same = [x for x in valid if x.lower() == shortened(method).lower()]
    if same:
        told = f"unknown method {method!r}; did you mean {same[0]!r}?"
        raise InputError(f"{told} Valid: {', '.join(sorted(valid))}")
    raise unknown("method", method, valid)


def owned(x: Any) -> Any:
    """Arrays in tuples, lists and dicts, copied: a controller may change them.

    >>> mine = np.zeros(2)
    >>> owned({"a": mine})["a"] is mine
    False
    """
    if isinstance(x, dict):
        return x.copy() | {key: owned(part) for key, part in x.items()}  # of its own kind, such as a defaultdict
    if isinstance(x, tuple | list):
        parts = [owned(part) for part in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x.copy() if isinstance(x, np.ndarray) else x


def of_symbols(what: str, function: Callable[..., Any], *arguments: Any, **parameters: Any) -> Any:
    """Result of a user's function for symbols, of which it may change its own copies.

    Its exceptions are input errors, which name it as `what`.
    """
    try:
        return owned(function(*owned(arguments), **owned(parameters)))
    except Exception as error:  # any error of a function that does not support symbols
        told = explanation(error) or f": {error}"
        raise InputError(f"{what} is not plain array code of one state{told}") from error


def array_of_symbols(x: Any) -> tuple[Any, str]:
    """The array, and its shape, or its type if it is none, for messages."""
    kind, x = type(x).__name__, asarray(x)
    return x, f"shape {x.shape}" if x.ndim or x.dtype.kind in "biuf" else kind


def finite(name: str, x: Any, size: int) -> Float:
    """Numbers (..., size), finite, as floats."""
    array = as_reals(name, x)
    if array.shape[-1:] != (size,):
        raise ShapeError(f"{name} must have shape (..., {size}), got {array.shape}", name, array.shape)
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"{name} must be finite; entry {where} is {array[tuple(where)]}")
    return array


def broadcast(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The common batch axes."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise InputError(f"batch axes do not broadcast: {told}") from None


def positive(name: str, x: Any) -> float:
    """A time above zero."""
    return as_positive(name, x, " [s]")


def steps_of(t: Any, dt: Any) -> tuple[int, float]:
    """How many equal steps reach the time t, and how long each is: dt, or less if t is not a multiple of it."""
    end, step = positive("t", t), positive("dt", dt)
    if end / step > 1e15:
        raise InputError(f"t / dt is {end / step:.3g} steps, more than can be counted")
    steps = max(1, math.ceil(end / step * (1 - 1e-12) - 1e-9))
    return steps, end / steps


def check_memory(rows: int, lanes: int, width: int, hint: str) -> None:
    """An error if results take more memory than the machine has."""
    size = 8 * rows * lanes * width
    if size > available():
        taken = f"{rows:,} rows of {lanes:,} states take {size / 1e9:,.1f} GB"
        raise InputError(f"{taken}; there are {available() / 1e9:,.1f} GB: {hint}")


def available() -> int:
    """Bytes of memory of the machine; a terabyte if that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 10**12


Progress = Callable[[int, int], object]
"""Callback of (steps done, steps in all)."""
LINE_AFTER_SECONDS, BAR_WIDTH = 2.0, 30
"""A line appears after so many seconds, with a bar of so many characters."""


def shown(progress: Progress | bool | None, unit: str = "steps") -> Progress | None:
    """The callback; True draws a line on stderr, None does so if that is a terminal."""
    if progress is False or (progress is None and not _is_terminal(sys.stderr)):
        return None
    if progress is None or progress is True:
        return Line(unit)
    if not callable(progress):
        raise InputError(f"progress must be True, False or a function of (done, of), got {progress!r}")
    return progress


def _is_terminal(stream: Any) -> bool:
    return stream is not None and stream.isatty()


class Line:
    """A progress bar, drawn once a simulation has taken a while."""

    def __init__(self, unit: str = "steps") -> None:
        self.begin, self.drawn, self.unit = time.perf_counter(), False, unit

    def __call__(self, done: int, of: int) -> None:
        """Draw it."""
        spent = time.perf_counter() - self.begin
        if done < of and spent > LINE_AFTER_SECONDS and sys.stderr is not None:
            bar = "#" * (BAR_WIDTH * done // of)
            left = spent / max(done, 1) * (of - done)
            sys.stderr.write(f"\r{bar:-<{BAR_WIDTH}} {done:,} of {of:,} {self.unit}, {left:.0f} s left ")
            sys.stderr.flush()
            self.drawn = True

    def clear(self) -> None:
        """Remove it."""
        if self.drawn and sys.stderr is not None:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()
        self.drawn = False


@contextmanager
def cleared(progress: Progress | None) -> Iterator[None]:
    """Context of a running simulation: its line, if any, is removed at the end, also after errors."""
    try:
        yield
    finally:
        if isinstance(progress, Line):
            progress.clear()
