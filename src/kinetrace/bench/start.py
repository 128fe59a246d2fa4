"""How long a new process takes until it has a result: import, load, compile or fetch from the cache, call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence

from ..model import zoo
from .measure import Samples
from .peers import adapter
from .process import in_new_process

_TIMED = "from time import perf_counter as now; t = now(); {}; print(now() - t)"
_OURS = "import numpy as np, kinetrace as kt; x = np.zeros(7); kt.load('panda').inverse_dynamics(x, x, x)"
_PINOCCHIO = (
    "import numpy as np, pinocchio as pin; x = np.zeros(7); "
    "m = pin.buildModelFromUrdf({path!r}); pin.rnea(m, m.createData(), x, x, x)"
)


def measure_start(repeats: int, peers: Sequence[str] = ()) -> dict[str, Samples]:
    """Seconds in new processes: imports, and the first inverse dynamics of the Panda, imports included."""
    with tempfile.TemporaryDirectory() as cache:
        in_new_process(_TIMED.format(_OURS), cache=cache)
        runs: dict[str, Callable[[], float]] = {
            "import numpy": lambda: in_new_process(_TIMED.format("import numpy"), cache=cache),
            "import kinetrace": lambda: in_new_process(_TIMED.format("import kinetrace"), cache=cache),
            "first result, code in the cache": lambda: in_new_process(_TIMED.format(_OURS), cache=cache),
            "first result, nothing cached": lambda: in_new_process(_TIMED.format(_OURS), cache="off"),
        }
        if "pinocchio" in peers and adapter("pinocchio").missing() is None:
            theirs = _PINOCCHIO.format(path=str(zoo.path("panda")))
            runs["first result of Pinocchio"] = lambda: in_new_process(_TIMED.format(theirs), cache=cache)
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(repeats):
            for name, run in runs.items():
                seconds[name].append(run())
    return {name: Samples(tuple(x)) for name, x in seconds.items()}
