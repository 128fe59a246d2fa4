"""Whether several threads are sooner ready than one, as the calls themselves show.

What a second core is worth depends on who else uses it, on memory and on other callers: no rule of operations knows it.
So a kernel remembers, for calls of about one size, how long one thread took, and compares with it what several take.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST = 1.05
"""Times as fast as one thread that several have to be."""
LOSSES = 4
"""Calls in a row without that gain after which one thread is taken: a single one may have been disturbed."""
TRIALS = 3
"""Calls that one thread has to itself at first: the first of them finds caches cold."""
FIRST_PAUSE, LONGEST_PAUSE = 8, 128
"""Calls for which one thread is then taken before several are tried: twice as many after each trial that is lost."""
GROWTH = 1.02
"""By how much the time of one thread may grow from call to call: a disturbance is no measure."""


@dataclass
class Gain:
    """What threads gain in calls of about one size; seconds are per unit of that size."""

    alone: float = float("inf")
    """Seconds that one thread takes."""
    left: int = TRIALS
    """Calls that one thread takes before several are tried again."""
    pause: int = FIRST_PAUSE
    lost: int = 0
    """Calls in a row in which several did not gain."""

    def pays(self) -> bool:
        """Whether the next call is one for several threads.

        >>> gain = Gain()
        >>> for _ in range(TRIALS):
        ...     assert not gain.pays()
        ...     gain.one_took(2.0)
        >>> gain.pays(), gain.several_took(1.0), gain.pays()
        (True, None, True)
        >>> for _ in range(LOSSES):
        ...     gain.several_took(2.0)
        >>> gain.pays()
        False
        """
        if self.left:
            self.left -= 1
            return False
        return True

    def one_took(self, seconds: float) -> None:
        """Remember what one thread takes."""
        self.alone = min(seconds, GROWTH * self.alone)

    def several_took(self, seconds: float) -> None:
        """If that is no gain, for some calls, one thread has the next ones; the first trial after these decides."""
        if LEAST * seconds < self.alone:
            self.lost, self.pause = 0, FIRST_PAUSE
        elif self.lost + 1 < LOSSES:
            self.lost += 1
        else:
            self.left, self.pause = self.pause, min(2 * self.pause, LONGEST_PAUSE)
