"""Measuring in a new interpreter: what a process takes to start, and what memory it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

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
