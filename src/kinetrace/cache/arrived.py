"""Robots and kernels that arrived by pickle: a process that receives one repeatedly has it once.

They are found by their content as long as anything uses them. A worker may use none between two tasks, so the latest
are kept until others arrive.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

MOST_KEPT = 16
"""Robots and kernels that are kept though they are not in use."""
_in_use: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_latest: OrderedDict[Hashable, Any] = OrderedDict()


def shared(key: Hashable, make: Callable[[], T]) -> T:
    """What was made under this key, or is made now.

    >>> shared("a key", set) is shared("a key", set)
    True
    """
    found = _in_use.get(key)
    if found is None:
        found = _in_use.setdefault(key, make())  # another thread's, if that was quicker
    _latest.pop(key, None)
    _latest[key] = found
    if len(_latest) > MOST_KEPT:
        _latest.popitem(last=False)
    return found
