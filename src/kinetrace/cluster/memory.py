"""Memory of processes."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path


def peak_memory() -> tuple[str, int]:
    """The name of this process, and the most memory that it has had so far, in bytes: pages of its own and shared ones.

    >>> peak_memory()[1] > 1_000_000
    True
    """
    name = f"{socket.gethostname()}:{os.getpid()}"
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the process that started this one
        found = (x.split() for x in status.read_text().splitlines())
        return name, next((int(x[1]) * 1024 for x in found if x[0] == "VmHWM:"), 0)
    if sys.platform == "win32":
        import psutil  # which Dask brings

        return name, int(psutil.Process().memory_info().peak_wset)
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return name, most if sys.platform == "darwin" else most * 1024
