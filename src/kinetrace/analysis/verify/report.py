"""What `verify` found about a robot: a result for each identity, and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from ...support.tables import plural
from .state import Result


class Verification(Sequence[Result]):
    """Results of the identities on a robot, in their order; true if all hold, and its text is for people.

    >>> import kinetrace as kt
    >>> found = kt.load("planar2r").verify(states=1)
    >>> found.holds, [result.identity.name for result in found][:2]
    (True, ['pose_is_a_product', 'velocity_is_the_rate_of_the_pose'])
    """

    def __init__(self, name: str, states: int, seed: int, tolerance: float, results: Sequence[Result]) -> None:
        self.name = name
        """The robot's."""
        self.states, self.seed = states, seed
        """Number of random states, and which ones."""
        self.tolerance = tolerance
        """Largest residual that passes."""
        self._results = list(results)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...

    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        return self._results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def holds(self) -> bool:
        """Whether every identity holds that the robot has what it needs for."""
        return not self.wrong

    @property
    def wrong(self) -> list[Result]:
        """Those that do not hold."""
        return [x for x in self if not x.holds(self.tolerance)]

    @property
    def skipped(self) -> dict[str, list[str]]:
        """Names of those that were not computed, by the reason."""
        found = dict[str, list[str]]()
        for x in self:
            if x.skipped is not None:
                found.setdefault(x.skipped, []).append(x.identity.name)
        return found

    @property
    def computed(self) -> int:
        """Number of identities that were computed."""
        return sum(x.skipped is None for x in self)

    @property
    def worst(self) -> float:
        """The largest residual; zero if nothing was computed."""
        return max((x.residual for x in self if x.skipped is None), default=0.0)

    @property
    def summary(self) -> str:
        """How many hold, in a line."""
        if wrong := self.wrong:
            return f"WRONG: {len(wrong)} of {plural(self.computed, 'identity', 'identities')} fail"
        return f"all {self.computed} identities hold: worst residual {self.worst:.1e}, tolerance {self.tolerance:g}"

    def why(self, result: Result) -> str:
        """Why one of the results is wrong."""
        return result.error or f"residual {result.residual:.1e} > tolerance {self.tolerance:g}"

    def __str__(self) -> str:
        states = plural(self.states, "random state", "random states")
        lines = [f"{self.name}, {states}: {self.summary}"]
        lines += [f"WRONG: {x.identity.name}, {x.identity.equation}: {self.why(x)}" for x in self.wrong]
        lines += [f"skipped {len(names)}: {reason}" for reason, names in self.skipped.items()]
        return "\n".join(lines)

    __repr__ = __str__
