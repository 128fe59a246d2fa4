"""Trajectories in files and tables: npz, CSV and Parquet, pandas and xarray.

Tables have one column per number, "q:joint [rad]", and one row per time; columns "lane" distinguish the
motions of a batch. They keep numbers, names and units alone; dt of a motion read from them is the time between two
rows, that is, of `record` steps.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import tree_leaves
from ..cache.whole import write_whole
from ..errors import InputError
from ..support.optional import needed
from .names import Names
from .outcome import Failure

if TYPE_CHECKING:
    from .trajectory import Trajectory

_COLUMN = re.compile(r"(q|v|tau):(.*) \[([^\]]*)\]", re.DOTALL)
LARGEST = 1 << 30
"""Bytes of a table that is read."""
WRITTEN = (".npz", ".csv", ".parquet")
_PLAIN = ("robot_name", "method", "interrupted", "dt")


def save(motion: Trajectory, path: Path) -> None:
    """Write a file in the format of its suffix."""
    check_place(path)
    kinds = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    write_whole({path: kinds[path.suffix](motion)})


def check_place(path: Path) -> None:
    """An error if no trajectory can be written there."""
    if path.suffix not in WRITTEN:
        raise InputError(f"{path.name!r}: trajectories are written as {', '.join(WRITTEN)}")
    check_folder(path)
    if path.suffix == ".parquet":
        needed("pyarrow.parquet", "a Parquet file")


def check_folder(path: Path) -> None:
    """An error if there is no folder for a file, or a folder in its place."""
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.absolute().parent)!r}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder")


def load(path: Path) -> dict[str, Any]:
    """Content of a file, by field."""
    kinds = {".npz": _from_npz, ".csv": _from_csv, ".parquet": _from_parquet}
    if path.suffix not in kinds:
        raise InputError(f"{path.name!r}: trajectories are read from {', '.join(kinds)}")
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    try:
        return _consistent(kinds[path.suffix](path))
    except InputError:
        raise
    except Exception as error:  # zipfile, json, csv and NumPy each have their own for damaged files
        raise InputError(f"{path.name!r} holds no trajectory: {reason(error)}") from error


def reason(error: Exception) -> str:
    """Description of a damaged file, without NumPy's advice to allow pickles."""
    if "pickle" in str(error):
        return "it is not an .npz file, or its arrays are Python objects, which are not read"
    return f"{type(error).__name__}: {error}"


def _consistent(found: dict[str, Any]) -> dict[str, Any]:
    """The fields, checked to be consistent; else a ValueError."""
    names: Names = found["names"]
    widths = {"q": len(names.q), "v": len(names.v), "tau": len(names.v)}
    t = found["t"]
    if t.ndim != 1 or t.dtype.kind != "f" or not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise ValueError("t must be increasing times (n,)")
    for name, width in widths.items():
        x = found[name]
        if x.dtype.kind != "f" or x.ndim < 2 or x.shape != (*found["q"].shape[:-2], len(t), width):
            raise ValueError(f"{name} must be numbers (..., {len(t)}, {width}), got {x.dtype} {x.shape}")
    unknown_fields = found.keys() - {"t", *widths, "names", "failures", "states", *_PLAIN}
    if unknown_fields or not isinstance(found["dt"], float | int):
        raise ValueError(f"unexpected content: {sorted(unknown_fields) or found['dt']!r}")
    return found


def _npz(motion: Trajectory) -> bytes:
    buffer, told = io.BytesIO(), {name: getattr(motion, name) for name in _PLAIN}
    about = json.dumps(
        {**told, "names": motion.names._asdict(), "failures": motion.failures, "states": _structure(motion.states)}
    )
    leaves = [] if motion.states is None else tree_leaves(motion.states)
    kept: dict[str, Any] = {f"states{k}": np.asarray(x) for k, x in enumerate(leaves)}
    np.savez(buffer, t=motion.t, q=motion.q, v=motion.v, tau=motion.tau, about=np.array(about), **kept)
    return buffer.getvalue()


def _from_npz(path: Path) -> dict[str, Any]:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as found:
        about = json.loads(str(found["about"]))
        names = Names(**{key: tuple(x) for key, x in about.pop("names").items()})
        failures = tuple(Failure(*x)._replace(lane=tuple(x[2])) for x in about.pop("failures", ()))
        arrays = {x: found[x] for x in ("t", "q", "v", "tau")}
        structure = about.pop("states", None)
        rest = (found[f"states{k}"] for k in count())
        states = None if structure is None else _filled(structure, rest)
        for x in () if states is None else tree_leaves(states):
            if x.dtype.kind != "f" or x.shape[: found["q"].ndim - 1] != found["q"].shape[:-1]:
                raise ValueError(f"states must be numbers (..., {len(arrays['t'])}, ...), got {x.dtype} {x.shape}")
        return {**arrays, **about, "names": names, "failures": failures, "states": states}


def _structure(states: Any) -> Any:
    """How dicts and tuples of a controller's states nest: [keys, entries], with 0 for an array.

    >>> _structure({"observer": {"residual": np.zeros(2)}, "pair": (np.zeros(1), np.zeros(1))})
    [['observer', 'pair'], [[['residual'], [0]], [None, [0, 0]]]]
    """
    if states is None:
        return None
    if isinstance(states, Mapping):
        return [list(states), [_structure(x) for x in states.values()]]
    if hasattr(states, "_fields"):
        return _structure(states._asdict())
    return [None, [_structure(x) for x in states]] if isinstance(states, tuple | list) else 0


def _filled(structure: Any, rest: Iterator[Any]) -> Any:
    """The dicts and tuples of a structure, with arrays."""
    if not isinstance(structure, list):
        return next(rest)
    keys, inner = structure
    entries = [_filled(x, rest) for x in inner]
    return tuple(entries) if keys is None else dict(zip(keys, entries, strict=True))


def columns(motion: Trajectory) -> dict[str, Any]:
    """The table: name of a column → numbers (rows,)."""
    batch, n, names = motion.q.shape[:-2], len(motion), motion.names
    found: dict[str, Any] = {}
    for k, index in enumerate(np.indices(batch)):
        found[f"lane{k}" if len(batch) > 1 else "lane"] = np.repeat(index.reshape(-1), n)
    found["t [s]"] = np.tile(motion.t, int(np.prod(batch, dtype=int)))
    for kind, labels, units in (
        ("q", names.q, names.q_units),
        ("v", names.v, names.v_units),
        ("tau", names.v, names.tau_units),
    ):
        flat = getattr(motion, kind).reshape(-1, len(labels))
        heads = [f"{kind}:{name} [{unit}]" for name, unit in zip(labels, units, strict=True)]
        found |= dict(zip(heads, flat.T, strict=True))
    return found


def _csv(motion: Trajectory) -> bytes:
    table, text = columns(motion), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(x.tolist() for x in table.values()), strict=True))
    return text.getvalue().encode()


def _from_csv(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", newline="") as text:
        head, *rows = list(csv.reader(text))
    numbers = np.array(rows, dtype=float).reshape(len(rows), len(head))
    return _of_columns(dict(zip(head, numbers.T, strict=True)))


def read_table(path: Path) -> dict[str, Any]:
    """Columns of any table .csv or .parquet by name: texts of a CSV file, arrays of a Parquet file."""
    kinds = {".csv": _csv_table, ".parquet": _parquet_table}
    if path.suffix not in kinds:
        raise InputError(f"{path.name!r}: tables are read from {', '.join(kinds)}")
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}")
    if path.stat().st_size > LARGEST:
        raise InputError(f"{path.name!r} has more than {LARGEST >> 20} MB")
    try:
        return kinds[path.suffix](path)
    except InputError:
        raise
    except Exception as error:  # csv, pyarrow and the decoder each have their own for damaged files
        raise InputError(f"{path.name!r} holds no table: {reason(error)}") from error


def _csv_table(path: Path) -> dict[str, Any]:
    """Columns of a CSV file; lines that are empty or begin with # are skipped, but the last of these before all others
    is the head if the first row consists of numbers."""
    with path.open(encoding="utf-8-sig", newline="") as text:
        lines = [line for line in text if line.strip()]
    begin = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    notes, lines = lines[:begin], [line for line in lines[begin:] if not line.startswith("#")]
    mark = max(",;\t", key=(lines or [""])[0].count)
    if notes and lines and all(_is_number(x) for x in next(csv.reader(lines, delimiter=mark))):
        lines.insert(0, notes[-1].lstrip("# "))
    head, *rows = [row for row in csv.reader(lines, delimiter=mark) if row] or [[]]
    head = [name.strip() for name in head]
    if len(set(head)) < len(head):
        twice = next(name for name in head if head.count(name) > 1)
        raise InputError(f"{path.name!r} has two columns {twice!r}")
    for k, row in enumerate(rows):
        if len(row) != len(head):
            hint = (
                "; decimal commas need another separator, as semicolons" if mark == "," and len(row) > len(head) else ""
            )
            raise InputError(f"{path.name!r}: row {k + 1} has {len(row)} entries, not {len(head)}{hint}")
    columns = zip(*rows, strict=True) if rows else ([] for _ in head)
    return {name: [x.strip() for x in column] for name, column in zip(head, columns, strict=True)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet_table(path: Path) -> dict[str, Any]:
    parquet = needed("pyarrow.parquet", "a Parquet file")
    about = parquet.ParquetFile(path).metadata
    if about.num_rows * about.num_columns * 8 > LARGEST:
        raise InputError(f"{path.name!r} has more than {LARGEST >> 20} MB of numbers")
    table = parquet.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def _of_columns(table: dict[str, Any]) -> dict[str, Any]:
    lanes = [np.asarray(table[x], dtype=float) for x in table if x.startswith("lane")]
    batch = tuple(int(x.max(initial=-1)) + 1 for x in lanes)
    parts: dict[str, list[tuple[str, str, Any]]] = {"q": [], "v": [], "tau": []}
    for name, x in table.items():
        if match := _COLUMN.fullmatch(name):
            parts[match[1]].append((match[2], match[3], np.asarray(x, dtype=float)))
    t = np.asarray(table["t [s]"], dtype=float)
    order = np.lexsort((t, *lanes[::-1]))  # rows may have been sorted since
    t, parts = t[order], {kind: [(name, unit, x[order]) for name, unit, x in found] for kind, found in parts.items()}
    n = len(t) // max(1, int(np.prod(batch, dtype=int)))
    grid = [np.repeat(x.ravel(), n) for x in np.indices(batch)]
    whole = len(t) == n * int(np.prod(batch, dtype=int)) and np.array_equal(t, np.resize(t[:n], len(t)))
    if not whole or any(not np.array_equal(x[order], y) for x, y in zip(lanes, grid, strict=True)):
        raise InputError("rows of some lanes are missing, or are of other times than those of the first lane")
    arrays = {
        kind: np.stack([x for *_, x in found], axis=-1).reshape(*batch, n, len(found)) for kind, found in parts.items()
    }
    labels = {kind: tuple(name for name, *_ in found) for kind, found in parts.items()}
    units = {kind: tuple(unit for _, unit, _ in found) for kind, found in parts.items()}
    names = Names(labels["q"], labels["v"], units["q"], units["v"], units["tau"])
    t = t[:n]
    return {"t": t, **arrays, "dt": float(t[1] - t[0]) if n > 1 else 0.0, "names": names}


def to_pandas(motion: Trajectory) -> Any:
    """A table of pandas."""
    return needed("pandas", "to_pandas").DataFrame(columns(motion))


def _parquet(motion: Trajectory) -> bytes:
    pyarrow, parquet = needed("pyarrow", "a Parquet file"), needed("pyarrow.parquet", "a Parquet file")
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(columns(motion)), buffer)
    return buffer.getvalue()


def _from_parquet(path: Path) -> dict[str, Any]:
    table = needed("pyarrow.parquet", "a Parquet file").read_table(path)
    return _of_columns({name: table[name].to_numpy() for name in table.column_names})


def to_xarray(motion: Trajectory) -> Any:
    """A data set of xarray."""
    xarray, names = needed("xarray", "to_xarray"), motion.names
    lanes = [f"lane{k}" for k in range(motion.q.ndim - 2)] if motion.q.ndim > 3 else ["lane"] * (motion.q.ndim - 2)
    made = {
        kind: ((*lanes, "t", axis), getattr(motion, kind), {"units": list(units)})
        for kind, axis, units in (
            ("q", "position", names.q_units),
            ("v", "velocity", names.v_units),
            ("tau", "velocity", names.tau_units),
        )
    }
    places = {"t": ("t", motion.t, {"units": "s"}), "position": list(names.q), "velocity": list(names.v)}
    return xarray.Dataset(made, places, {name: getattr(motion, name) for name in ("robot_name", "method", "dt")})


def from_pandas(table: Any) -> dict[str, Any]:
    """Content of a table of `to_pandas`, by field."""
    try:
        return _of_columns({name: table[name].to_numpy() for name in table.columns})
    except (AttributeError, KeyError, ValueError) as error:
        raise InputError(f"the table holds no trajectory: {error}") from error


def from_xarray(dataset: Any) -> dict[str, Any]:
    """Content of a data set of `to_xarray`, by field."""
    try:
        arrays = {x: np.asarray(dataset[x].values, dtype=float) for x in ("t", "q", "v", "tau")}
        units = [tuple(dataset[x].attrs["units"]) for x in ("q", "v", "tau")]
        labels = [tuple(map(str, dataset[x].values)) for x in ("position", "velocity")]
        about = {x: dataset.attrs[x] for x in ("robot_name", "method", "dt")}
    except (AttributeError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"the data set holds no trajectory: {error}") from error
    return {**arrays, **about, "names": Names(*labels, *units)}
