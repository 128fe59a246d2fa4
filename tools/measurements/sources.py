"""Where measured numbers come from: functions of this folder, and scripts, whose text is searched."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from pages import ROOT

Result = Mapping[str, float] | str
"""Name → value in seconds, bytes or parts of one; or what a script printed."""


def function_of(source: str) -> Callable[[bool], Mapping[str, float]]:
    """`module.function` of this folder, which takes whether to be quick."""
    module, _, name = source.partition(".")
    found: Any = getattr(import_module(module), name)
    return found


def is_script(source: str) -> bool:
    """Whether a source is a script with its arguments."""
    return "/" in source.partition(" ")[0]


def measure(source: str, quick: bool) -> Result:
    """What a source gives."""
    if not is_script(source):
        return function_of(source)(quick)
    path, *arguments = shlex.split(source)
    command = [sys.executable, str(ROOT / path), *arguments, *(["--quick"] if quick else [])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{source} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout
