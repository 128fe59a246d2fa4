"""One thread at a time compiles, and a fork waits for it: a child must find no lock taken, nor LLVM at work.

The thread that compiles hands work to others (`engine`), for which Python has a lock of its own, that forks take too.
What registers last is taken first: that module is imported before, so that a fork waits for ours without holding it.
"""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401
import os
import threading

lock = threading.RLock()
"""Held while the compiler is imported, compiles and loads: LLVM and its tables are for one thread at a time."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
