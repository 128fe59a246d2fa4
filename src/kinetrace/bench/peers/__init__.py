"""Other libraries, one small file each: the same interface, nothing imported before it is used.

A new peer is a class with the four members that `Peer` lacks, in a file of its own, and a line in `PEERS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

from ..measure import Run, version
from ..tasks import BenchStates, BenchTask, Subject

LOOP_STATES = 1024
"""States that a loop in Python is timed on; its time per state does not depend on how many there are."""


class Unsupported(Exception):
    """A peer cannot do this; the message says why."""


class Peer(ABC):
    """One robot in another library. Construction may raise `Unsupported`, and so may the methods, for a task."""

    name: ClassVar[str]
    """Name of the library in tables."""
    module: ClassVar[str]
    """Module that is imported."""
    package: ClassVar[str]
    """Package that is installed."""
    rolls_out: ClassVar[bool] = False
    """Whether it has a loop over time."""
    touches: ClassVar[bool] = False
    """Whether it has contacts."""
    slow: ClassVar[bool] = False
    """Whether it compiles for seconds: in a quick run it has one robot alone."""

    @classmethod
    def missing(cls) -> str | None:
        """Why it cannot be used here, or None."""
        return None if find_spec(cls.module) else f"not installed (pip install {cls.package})"

    @classmethod
    def version(cls) -> str:
        """Of the installed package."""
        return version(cls.package)

    @abstractmethod
    def __init__(self, subject: Subject) -> None: ...

    @abstractmethod
    def results(self, task: BenchTask, states: BenchStates) -> tuple[Any, ...]:
        """The results (batch, ...) in this library's order of variables, to be compared before anything is timed."""

    def one_call(self, task: BenchTask, states: BenchStates) -> dict[str, Run]:
        """Columns of the table → a call on the first state."""
        raise Unsupported("has no cheap call on one state")

    @abstractmethod
    def batch(self, task: BenchTask, states: BenchStates, threads: int) -> dict[str, Run]:
        """Columns of the table → the work on a batch; empty if it cannot use so many threads."""


PEERS = {"pinocchio": "PinocchioPeer", "mujoco": "MujocoPeer", "casadi": "CasadiPeer", "jax": "JaxPeer"}
"""Files here, each with the class of its library."""


def adapter(name: str) -> type[Peer]:
    """The class of a peer.

    >>> adapter("mujoco").name
    'MuJoCo'
    """
    return getattr(import_module(f"{__name__}.{name}"), PEERS[name])
