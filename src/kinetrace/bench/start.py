"""How long a new process takes until it has a result: import, load, compile or fetch from the cache, call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..model import zoo
from .measure import TimeSamples
from .peers import adapter

_TIMED = "from time import perf_counter as now; t = now(); {}; print(now() - t)"
_OURS = (
    "import numpy as np, kinetrace as kt; x = np.zeros(7); "
    "kt.load('panda').without_joint_effects().inverse_dynamics(x, x, x)"
)
_PINOCCHIO = (
    "import numpy as np, pinocchio as pin; x = np.zeros(7); "
    "m = pin.buildModelFromUrdf({path!r}); pin.rnea(m, m.createData(), x, x, x)"
)
_CACHED = "first result, code in the cache"


def measure_start(
    repeats: int, peers: Sequence[str], raised: Callable[[str, str, Exception], None]
) -> dict[str, TimeSamples]:
    """Seconds in new processes: imports, and the first inverse dynamics of the Panda, imports included.

    Of what raises an error, `raised` is told the library, the line and the error.
    """
    with tempfile.TemporaryDirectory() as cache:
        runs: dict[str, Callable[[], float]] = {
            "import numpy": lambda: in_new_process(_TIMED.format("import numpy"), cache=cache),
            "import kinetrace": lambda: in_new_process(_TIMED.format("import kinetrace"), cache=cache),
            _CACHED: lambda: in_new_process(_TIMED.format(_OURS), cache=cache),
            "first result, nothing cached": lambda: in_new_process(_TIMED.format(_OURS), cache="off"),
        }
        whose = dict.fromkeys(runs, "kinetrace")
        if "pinocchio" in peers and adapter("pinocchio").missing() is None:
            theirs, line = _PINOCCHIO.format(path=str(zoo.path("panda"))), "first result of Pinocchio"
            runs[line] = lambda: in_new_process(_TIMED.format(theirs), cache=cache)
            whose[line] = adapter("pinocchio").name
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for k in range(repeats + 1):
            for name in list(seconds) if k else [_CACHED]:  # which fills the cache, and is not counted
                try:
                    spent = runs[name]()
                except Exception as error:
                    del seconds[name]
                    raised(whose[name], name, error)
                else:
                    seconds[name] += [spent] if k else []
    return {name: TimeSamples(tuple(x)) for name, x in seconds.items()}


MEMORY = """
def memory():
    "Megabytes at most so far; None where the system does not say."
    try:  # not `getrusage`, which starts from the parent's
        with open("/proc/self/status") as lines:
            return next(int(x.split()[1]) / 1024 for x in lines if x.startswith("VmHWM"))
    except (OSError, StopIteration):
        return None
"""
"""A function for code that runs in a new interpreter."""


def in_new_process(code: str, *, cache: str) -> Any:
    """What code prints as JSON in a fresh interpreter with this cache of machine code; bytecode is kept, as usual.

    >>> in_new_process("print(1 + 1)", cache="off")
    2
    """
    kept = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment: Mapping[str, str] = {**kept, "KINETRACE_CACHE": cache}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise RuntimeError(f"a new process ended with: {said[-1]}")
    return json.loads(done.stdout)
