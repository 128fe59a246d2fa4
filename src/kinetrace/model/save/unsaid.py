"""What a format cannot say about a model; some of it changes the motion."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import ModelError, listed


@dataclass
class Unsaid:
    """What a format cannot say, by kind, with the names that it is about.

    >>> unsaid = Unsaid("URDF")
    >>> unsaid.add("armature", "crank", "rocker", changes=True)
    >>> unsaid.add("the order of joints")
    >>> unsaid.lines(), unsaid.changes
    (["armature: 'crank', 'rocker'", 'the order of joints'], ["armature: 'crank', 'rocker'"])
    """

    format: str
    _found: dict[str, dict[str, None]] = field(default_factory=dict)
    _changing: set[str] = field(default_factory=set)

    def add(self, kind: str, *names: str, changes: bool = False) -> None:
        """Record one, and whether the robot would move in another way without it."""
        self._found.setdefault(kind, {}).update(dict.fromkeys(names))
        if changes:
            self._changing.add(kind)

    def add_all(self, kind: str, names: list[str], *, changes: bool = False) -> None:
        """Record one if there are names that it is about."""
        if names:
            self.add(kind, *names, changes=changes)

    def lines(self) -> list[str]:
        """One line per kind, those that change the motion first."""
        return [self._line(kind) for kind in sorted(self._found, key=lambda kind: kind not in self._changing)]

    @property
    def changes(self) -> list[str]:
        """The lines about what changes the motion."""
        return [self._line(kind) for kind in self._found if kind in self._changing]

    def _line(self, kind: str) -> str:
        names = list(self._found[kind])
        return f"{kind}: {listed(names)}" if names else kind

    def checked(self, name: str, lossy: bool) -> list[str]:
        """The lines; an error if there is something that changes the motion, unless `lossy`."""
        if self.changes and not lossy:
            lost = "; ".join(self.changes)
            instead = "A .json file holds everything; lossy=True (convert --lossy) writes what can be said"
            raise ModelError(f"{self.format} cannot say how {name!r} moves: {lost}. {instead}")
        return self.lines()
