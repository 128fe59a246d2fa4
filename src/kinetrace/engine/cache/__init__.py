"""Caches: of files on disk, which are checked before use (`disk`), and here of robots and kernels that were unpickled.

A process that receives one repeatedly has it once: they are found by their content as long as anything uses them. A
worker may use none between two tasks, so the latest are kept until others arrive.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

UNPICKLED_LIMIT = 16
"""How many robots and kernels are kept though they are not in use."""
_unpickled_in_use: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
_latest_unpickled: OrderedDict[Hashable, Any] = OrderedDict()


def one_per_content(key: Hashable, make: Callable[[], T]) -> T:
    """The object that was made under this key, or is made now.

    >>> one_per_content("a key", set) is one_per_content("a key", set)
    True
    """
    unpickled = _unpickled_in_use.get(key)
    if unpickled is None:
        unpickled = _unpickled_in_use.setdefault(key, make())  # another thread's, if that was quicker
    _latest_unpickled.pop(key, None)
    _latest_unpickled[key] = unpickled
    if len(_latest_unpickled) > UNPICKLED_LIMIT:
        _latest_unpickled.popitem(last=False)
    return unpickled
