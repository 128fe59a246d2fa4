"""NumPy without its warnings of divisions by zero and the like.

Compiled code sets the machine's flags where nothing is wrong: in lanes that a selection discards, and in comparisons
with NaN. `numpy.errstate` costs a microsecond, so NumPy's own context variable is set directly, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np
from numpy._core import umath

_settings, _make = getattr(umath, "_extobj_contextvar", None), getattr(umath, "_make_extobj", None)


def _begin() -> Any:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _end(state: Any) -> None:
    state.__exit__(None, None, None)


begin: Callable[[], Any] = _begin
end: Callable[[Any], None] = _end
"""Stop warning; and go on as before, from what `begin` returned. In one thread, one after the other."""
if isinstance(_settings, ContextVar) and _make is not None:
    begin, end = partial(_settings.set, _make(all="ignore")), _settings.reset
