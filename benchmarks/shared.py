"""What the scripts here share: a quick mode, packages that may be missing, and robots without effects of joints."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

import kinetrace as kt
from kinetrace.bench.measure import reason

INSTALL = {"pinocchio": "pin", "pink": "pin-pink", "crocoddyl": 'crocoddyl "pin==4.0.0"'}
"""Module → what pip calls it, where that differs."""


def parser(text: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the text of a script."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def options(made: argparse.ArgumentParser, effects: str = "none, in any library", **quick: Any) -> argparse.Namespace:
    """The options, with one more: `--quick` replaces defaults by `quick`. Which effects joints have is printed."""
    shown = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in quick.items())
    made.add_argument("--quick", action="store_true", help=f"everything once, in seconds: {shown}")
    if made.parse_known_args()[0].quick:
        made.set_defaults(**quick)
    given = made.parse_args()
    print(f"joint effects: {effects}")
    return given


def package(name: str) -> Any:
    """A module, or None where it is missing or broken, after a line that says so."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        print(f"skipped {name}: {missing} is not installed (pip install {INSTALL.get(missing, missing)})", flush=True)
    except Exception as error:
        print(f"skipped {name}: {reason(error)}", flush=True)
    return None


def needed(name: str) -> Any:
    """A module without which there is nothing to measure: the script ends, and nothing has failed."""
    found = package(name)
    if found is None:
        raise SystemExit(0)
    return found


def load(name: Any, **settings: Any) -> kt.Robot:
    """A robot as its bare URDF has it: other libraries read that file, or get this model."""
    return kt.load(name, **settings).without_joint_effects()
