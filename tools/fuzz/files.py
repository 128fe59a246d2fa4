"""Hostile files: each is refused by an error of the package, or read, in a bounded time.

Closures in YAML and JSON, MJCF, and trajectories in .npz, .csv and .parquet, with parts exchanged for numbers of any
length, anchors and aliases, references and sections of XML, bytes that flipped, names of pipes and devices.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.errors import LONGEST_MESSAGE

Rng = np.random.Generator
SECONDS = 20
"""Of one file, on a machine that is busy."""
NUMBERS = (
    *("0", "-1", "1e999", ".nan", "nan", "0x" + "f" * 9000, "0b" + "1" * 9000, "1" + ":59" * 900, "9" * 5000),
    *("true", "~", "''", "!!int ''", "!!bool x", "!!timestamp x", "!!binary x", "2001-99-99", "*a", "&a [*a]"),
    *("100000000", "&#49;0000", "30000", "-5", "[1, [2]]", "{<<: *a}", "{<<: [*a, *a]}", "1j", '"x', "\0"),
)
YAML = """a: &a {joint1: 1, joint2: 2}
closures: [{coupling: *a, offset: 0.5}, {gear: {driver: joint1, driven: joint2, ratio: 2}},
  {frame_a: tip, frame_b: world, joint: rows, rows: [[0, 0, 0, 0, 0, 1], [0, 0, 0, 1, 0, 0]]}]
guess: {joint1: 0.5, joint2: [1.0]}
"""
MJCF = """<mujoco><size nkey="1" nuserdata="3"/><custom><numeric name="n" size="2"/></custom>
<asset><hfield name="h" nrow="3" ncol="4" size="1 1 1 1"/><mesh name="m" file="mesh.stl"/>
<texture name="t" builtin="flat" width="8" height="8"/></asset>
<worldbody><replicate count="3" offset="1 0 0"><body><joint/><geom size="0.1"/></body></replicate>
<geom type="hfield" hfield="h"/><body name="b"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
SECTIONS = ("<![CDATA[<!--]]>", "<!--", "-->", "<!-- -- -->", "<?x ?>", "</replicate>", "<replicate count='10000'>")


def pick(rng: Rng, choices: Any) -> Any:
    """One of them."""
    return choices[int(rng.integers(len(choices)))]


def changed_words(rng: Rng, text: str) -> str:
    """A text with some of its numbers exchanged."""
    parts, made = "".join(x if x.isdigit() or x == "." else f"\1{x}\1" for x in text).split("\1"), []
    for part in parts:
        made.append(pick(rng, NUMBERS) if part[:1].isdigit() and rng.random() < 0.1 else part)
    return "".join(made)


def flipped(rng: Rng, data: bytes) -> bytes:
    """Bytes of which a few have changed, or the end is missing."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 4))):
        found[int(rng.integers(len(found)))] ^= 1 << int(rng.integers(8))
    return bytes(found[: int(rng.integers(len(found)))]) if rng.random() < 0.2 else bytes(found)


def yaml_case(rng: Rng, folder: Path) -> Callable[[], Any]:
    """A file of closures."""
    place = folder / "a.yaml"
    place.write_bytes(changed_words(rng, YAML).encode() if rng.random() < 0.7 else flipped(rng, YAML.encode()))
    return lambda: kt.load("planar2r", closures=place, backend="numpy")


def mjcf_case(rng: Rng, folder: Path) -> Callable[[], Any]:
    """A file of MuJoCo's."""
    text, place = changed_words(rng, MJCF), folder / "a.xml"
    if rng.random() < 0.5:
        at = int(rng.integers(len(text)))
        text = text[:at] + pick(rng, SECTIONS) + text[at:]
    place.write_bytes(text.encode())
    return lambda: kt.load(place, backend="numpy")


def table_case(rng: Rng, folder: Path) -> Callable[[], Any]:
    """A trajectory."""
    place = folder / f"a.{pick(rng, ('npz', 'csv', 'parquet'))}"
    kt.load("planar2r", backend="numpy").simulate(np.zeros(2), np.zeros(2), 0.003, 0.001).save(place)
    data = place.read_bytes()
    text = place.suffix == ".csv" and rng.random() < 0.7
    place.write_bytes(changed_words(rng, "lane," + data.decode()).encode() if text else flipped(rng, data))
    return lambda: kt.Trajectory.load(place)


def place_case(rng: Rng, folder: Path) -> Callable[[], Any]:
    """What is no regular file."""
    place = folder / f"a.{pick(rng, ('urdf', 'xml', 'xacro', 'json', 'yaml', 'npz', 'csv', 'parquet'))}"
    kind = pick(rng, ("pipe", "/dev/zero", "/dev/null", "/proc/self/mem", "folder", str(place)))
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(kind)
    if place.suffix in (".npz", ".csv", ".parquet"):
        return lambda: kt.Trajectory.load(place)
    if place.suffix == ".yaml":
        return lambda: kt.load("planar2r", closures=place)
    return lambda: kt.load(place)


@contextlib.contextmanager
def bounded_time() -> Iterator[None]:
    """An error if what is done takes too long."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def case(rng: Rng) -> int:
    """One file."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = pick(rng, (yaml_case, mjcf_case, table_case, place_case))(rng, Path(folder))
        try:
            with bounded_time():
                read()
        except kt.KinetraceError as error:
            assert 0 < len(str(error)) <= 2 * LONGEST_MESSAGE, error
    return 1


if __name__ == "__main__":
    sys.exit(main(case, "hostile files"))
