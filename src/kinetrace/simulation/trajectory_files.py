"""Trajectories in files and tables: npz, CSV and Parquet, pandas and xarray.

Tables have one column per number, "q:joint [rad]", and one row per time; columns "lane" distinguish the
motions of a batch. Beside the numbers, all but CSV keep what `metadata` has; without that, as in CSV files, dt of a
motion is the time between two rows, that is, of `record` steps.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import tree_leaves
from ..errors import InputError, value_text
from ..support.conversion import as_rows
from ..support.files import regular_file, write_atomically
from ..support.optional import require_package
from . import metadata
from .metadata import VariableNames

if TYPE_CHECKING:
    from .trajectory import Trajectory

MOST_LANES = 32
"""Axes of a batch."""
_STATE = re.compile(r"state(\d+):.*?(?:\[([\d, ]+)\])?", re.DOTALL)
_ENTRY_AXES = {"q": "position", "v": "velocity", "tau": "velocity"}
"""Numbers at times → the axis of their entries in data sets of xarray."""
METADATA_KEY = "kinetrace"
"""Where tables and data sets have metadata, as JSON."""
LARGEST_TABLE_BYTES = 1 << 30
"""Bytes of a table that is read, and of its numbers."""
UNPACKED, RATIO, PARQUET_RATIO = 1 << 25, 20, 1000
"""Bytes that any file may unpack to, and as a multiple of its own; columns that are constant take next to nothing."""
TRAJECTORY_SUFFIXES = (".npz", ".csv", ".parquet")


def save(motion: Trajectory, path: Path) -> None:
    """Write a file in the format of its suffix."""
    check_place(path)
    kinds = {".npz": _npz, ".csv": _csv, ".parquet": _parquet}
    write_atomically({path: kinds[path.suffix](motion)})


def check_place(path: Path) -> None:
    """An error if no trajectory can be written there."""
    if path.suffix not in TRAJECTORY_SUFFIXES:
        raise InputError(f"{path.name!r}: trajectories are written as {', '.join(TRAJECTORY_SUFFIXES)}")
    check_folder(path)
    if path.suffix == ".parquet":
        require_package("pyarrow.parquet", "a Parquet file")


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
    content = file_content(path)
    try:
        return _consistent(kinds[path.suffix](content))
    except InputError:
        raise
    except Exception as error:  # zipfile, json, csv and NumPy each have their own for damaged files
        raise InputError(f"{path.name!r} holds no trajectory: {reason(error)}") from error


def file_content(path: Path) -> bytes:
    """The bytes of a table or of arrays, if it is a regular file of bounded size."""
    try:
        return regular_file(path, LARGEST_TABLE_BYTES, error=InputError)
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}") from None
    except InputError:
        raise
    except (OSError, ValueError) as error:  # a null character
        raise InputError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def arrays_of(content: bytes) -> Iterator[Mapping[str, Any]]:
    """The arrays of an .npz file by name, read when asked for; a ValueError if they are far larger than the file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > max(UNPACKED, RATIO * len(content)) or size > LARGEST_TABLE_BYTES:
        raise ValueError(f"{len(content)} bytes that unpack to {size}")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        yield found


def reason(error: Exception) -> str:
    """Description of a damaged file, without NumPy's advice to allow pickles."""
    if "pickle" in str(error) or isinstance(error, zipfile.BadZipFile):
        return "it is not an .npz file, or its arrays are Python objects, which are not read"
    return f"{type(error).__name__}: {error}"


def _consistent(found: dict[str, Any]) -> dict[str, Any]:
    """The fields, checked to be consistent; else a ValueError."""
    names: VariableNames = found["names"]
    widths = {"q": len(names.q), "v": len(names.v), "tau": len(names.v)}
    t, lanes = found["t"], found["q"].shape[:-2]
    if t.ndim != 1 or t.dtype.kind != "f" or not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise ValueError("t must be increasing times (n,)")
    for name, width in widths.items():
        x = found[name]
        if x.dtype.kind != "f" or x.ndim < 2 or x.shape != (*lanes, len(t), width):
            raise ValueError(f"{name} must be numbers (..., {len(t)}, {width}), got {x.dtype} {x.shape}")
    metadata.check_fields(found)
    found = metadata.further_rows(found)
    if [len(x) for x in names] != [widths[name] for name in ("q", "v", "q", "v", "v")]:
        raise ValueError("there must be a unit for each name")
    for x in tree_leaves((found.get("states"), found.get("reported"))):
        if x.dtype.kind != "f" or x.shape[: len(lanes) + 1] != (*lanes, len(t)):
            raise ValueError(f"states must be numbers (..., {len(t)}, ...), got {x.dtype} {x.shape}")
    return {**found, "end": metadata.fitting_end(found.get("end"), found)}


def _npz(motion: Trajectory) -> bytes:
    buffer = io.BytesIO()
    told, motion = np.array(metadata.to_json(motion)), metadata.whole(motion)
    kept: dict[str, Any] = {f"states{k}": x for k, x in enumerate(metadata.leaves(motion).values())}
    np.savez(buffer, t=motion.t, q=motion.q, v=motion.v, tau=motion.tau, about=told, **kept)
    return buffer.getvalue()


def _from_npz(content: bytes) -> dict[str, Any]:
    with arrays_of(content) as found:
        told, (nesting, _) = metadata.from_json(str(found["about"]))
        arrays = {x: found[x] for x in ("t", "q", "v", "tau")}
        return {**arrays, **told, "states": metadata.fill_structure(nesting, (found[f"states{k}"] for k in count()))}


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
        flat = as_rows(getattr(motion, kind))
        heads = [f"{kind}:{name} [{unit}]" for name, unit in zip(labels, units, strict=True)]
        found |= dict(zip(heads, flat.T, strict=True))
    return found


def _with_states(motion: Trajectory) -> dict[str, Any]:
    """The same with columns for the controller's states: "state0:observer.residual[2]"."""
    found, axes = columns(motion), motion.q.ndim - 1
    for name, x in metadata.leaves(motion).items():
        for k in np.ndindex(x.shape[axes:]):
            found[f"{name}{list(k) if k else ''}"] = x[(..., *k)].reshape(-1)
    return found


def _csv(motion: Trajectory) -> bytes:
    table, text = columns(motion), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(x.tolist() for x in table.values()), strict=True))
    return text.getvalue().encode()


def _from_csv(content: bytes) -> dict[str, Any]:
    head, *rows = list(csv.reader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")))
    numbers = np.array(rows, dtype=float).reshape(len(rows), len(head))
    return _of_columns(dict(zip(head, numbers.T, strict=True)))


def read_table(path: Path) -> dict[str, Any]:
    """Columns of any table .csv or .parquet by name: texts of a CSV file, arrays of a Parquet file."""
    kinds = {".csv": _csv_table, ".parquet": _parquet_table}
    if path.suffix not in kinds:
        raise InputError(f"{path.name!r}: tables are read from {', '.join(kinds)}")
    content = file_content(path)
    try:
        return kinds[path.suffix](content, path.name)
    except InputError:
        raise
    except Exception as error:  # csv, pyarrow and the decoder each have their own for damaged files
        raise InputError(f"{path.name!r} holds no table: {reason(error)}") from error


def _csv_table(content: bytes, name: str) -> dict[str, Any]:
    """Columns of a CSV file; lines that are empty or begin with # are skipped, but the last of these before all others
    is the head if the first row consists of numbers."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")
    lines = [line for line in text if line.strip()]
    begin = next((k for k, line in enumerate(lines) if not line.startswith("#")), len(lines))
    notes, lines = lines[:begin], [line for line in lines[begin:] if not line.startswith("#")]
    mark = max(",;\t", key=(lines or [""])[0].count)
    if notes and lines and all(_is_number(x) for x in next(csv.reader(lines, delimiter=mark))):
        lines.insert(0, notes[-1].lstrip("# "))
    head, *rows = [row for row in csv.reader(lines, delimiter=mark) if row] or [[]]
    head = [x.strip() for x in head]
    if twice := next((x for x, times in Counter(head).items() if times > 1), None):
        raise InputError(f"{name!r} has two columns {value_text(twice)}")
    for k, row in enumerate(rows):
        if len(row) != len(head):
            hint = (
                "; decimal commas need another separator, as semicolons" if mark == "," and len(row) > len(head) else ""
            )
            raise InputError(f"{name!r}: row {k + 1} has {len(row)} entries, not {len(head)}{hint}")
    columns = zip(*rows, strict=True) if rows else ([] for _ in head)
    return {label: [x.strip() for x in column] for label, column in zip(head, columns, strict=True)}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet_table(content: bytes, name: str) -> dict[str, Any]:
    table, others = _parquet_columns(content, checked=False)
    return {x: table[x].to_numpy() if x in table.column_names else [others[x]] for x in (*table.column_names, *others)}


def _parquet_columns(content: bytes, *, checked: bool) -> tuple[Any, dict[str, str]]:
    """The columns of numbers of a Parquet file, and the types of the others, which are not read: a few bytes of it may
    stand for gigabytes of texts."""
    pyarrow, parquet = (
        require_package("pyarrow", "a Parquet file"),
        require_package("pyarrow.parquet", "a Parquet file"),
    )
    with parquet.ParquetFile(pyarrow.BufferReader(content), page_checksum_verification=checked) as file:
        types, size = pyarrow.types, file.metadata
        plain = [
            x.name
            for x in file.schema_arrow
            if types.is_integer(x.type) or types.is_floating(x.type) or types.is_boolean(x.type)
        ]
        if size.num_rows * len(plain) * 8 > min(LARGEST_TABLE_BYTES, max(UNPACKED, PARQUET_RATIO * len(content))):
            raise ValueError(f"{len(content)} bytes that unpack to {size.num_rows} rows of {len(plain)} numbers")
        others = {x.name: str(x.type) for x in file.schema_arrow if x.name not in plain}
        return file.read(columns=plain), others


def _of_columns(table: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """The fields of a table, and of what is told beside it."""
    lanes = [np.asarray(table[x], dtype=float) for x in table if x.startswith("lane")]
    batch = tuple(int(x.max(initial=-1)) + 1 for x in lanes)
    t = np.asarray(table["t [s]"], dtype=float)
    if len(batch) > MOST_LANES or math.prod(batch) > len(t):  # each lane has a row
        raise InputError("rows of some lanes are missing: lanes are counted from 0, and each has all times")
    order = np.lexsort((t, *lanes[::-1]))  # rows may have been sorted since
    t, states = t[order], int(np.prod(batch, dtype=int))
    n = len(t) // max(1, states)
    grid = [np.repeat(x.ravel(), n) for x in np.indices(batch)]
    whole = len(t) == n * states and np.array_equal(t, np.resize(t[:n], len(t)))
    if not whole or any(not np.array_equal(x[order], y) for x, y in zip(lanes, grid, strict=True)):
        raise InputError("rows of some lanes are missing, or are of other times than those of the first lane")

    def numbers(heads: list[str]) -> Any:
        each = [np.asarray(table[head], dtype=float)[order] for head in heads]
        return np.array(each).reshape(len(heads), len(t)).T.reshape(*batch, n, len(heads))

    heads = {
        kind: [x for x in table if x.startswith(f"{kind}:") and " [" in x and x[-1] == "]"] for kind in _ENTRY_AXES
    }
    split = {kind: [x[len(kind) + 1 : -1].rpartition(" [") for x in found] for kind, found in heads.items()}
    labels = {kind: tuple(x[0] for x in found) for kind, found in split.items()}
    units = [tuple(x[2] for x in split[kind]) for kind in _ENTRY_AXES]
    arrays = {kind: numbers(found) for kind, found in heads.items()}
    found = {"t": t[:n], **arrays, "dt": float(t[1] - t[0]) if n > 1 else 0.0}
    names = VariableNames(labels["q"], labels["v"], *units)
    if text is None:
        return {**found, "names": names}
    told, (nesting, shapes) = metadata.from_json(text)
    return {
        **found,
        **told,
        "names": names,
        "states": metadata.fill_structure(nesting, _states(table, shapes, numbers)),
    }


def _states(table: dict[str, Any], shapes: list[Any], numbers: Callable[[list[str]], Any]) -> Iterator[Any]:
    """The arrays of a controller's states, one after the other."""
    matches = [match for name in table if (match := _STATE.fullmatch(name))]
    heads = {(int(x[1]), tuple(map(int, x[2].split(","))) if x[2] else ()): x[0] for x in matches}
    for k, shape in enumerate(shapes):
        flat = numbers([heads[k, place] for place in np.ndindex(*shape)])
        yield flat.reshape(*flat.shape[:-1], *shape)


def to_pandas(motion: Trajectory) -> Any:
    """A table of pandas."""
    made = require_package("pandas", "to_pandas").DataFrame(_with_states(metadata.whole(motion)))
    made.attrs[METADATA_KEY] = metadata.to_json(motion)
    return made


def _parquet(motion: Trajectory) -> bytes:
    pyarrow, parquet = (
        require_package("pyarrow", "a Parquet file"),
        require_package("pyarrow.parquet", "a Parquet file"),
    )
    buffer = io.BytesIO()
    about = {METADATA_KEY: metadata.to_json(motion)}
    table = pyarrow.table(_with_states(metadata.whole(motion))).replace_schema_metadata(about)
    parquet.write_table(table, buffer, write_page_checksum=True)
    return buffer.getvalue()


def _from_parquet(content: bytes) -> dict[str, Any]:
    table, _ = _parquet_columns(content, checked=True)
    text = (table.schema.metadata or {}).get(METADATA_KEY.encode())
    return _of_columns({name: table[name].to_numpy() for name in table.column_names}, text and text.decode())


def to_xarray(motion: Trajectory) -> Any:
    """A data set of xarray."""
    xarray, about = require_package("xarray", "to_xarray"), metadata.to_json(motion)
    motion = metadata.whole(motion)
    names = motion.names
    lanes = [f"lane{k}" for k in range(motion.q.ndim - 2)] if motion.q.ndim > 3 else ["lane"] * (motion.q.ndim - 2)
    made: dict[str, Any] = {
        kind: ((*lanes, "t", axis), getattr(motion, kind), {"units": _unit(units)})
        for (kind, axis), units in zip(_ENTRY_AXES.items(), names[2:], strict=True)
    }
    for k, (place, x) in enumerate(metadata.leaves(motion).items()):
        inner = tuple(f"state{k}_{axis}" for axis in range(x.ndim - motion.q.ndim + 1))
        made[f"state{k}"] = ((*lanes, "t", *inner), x, {"long_name": place.partition(":")[2]})
    labels = {axis: np.array(x, dtype=object) for axis, x in (("position", names.q), ("velocity", names.v))}
    places = {"t": ("t", motion.t, {"units": "s"}), **labels}  # texts of any length: Zarr knows no others
    told = {name: getattr(motion, name) for name in ("robot_name", "method", "dt")}
    return xarray.Dataset(made, places, {**told, METADATA_KEY: about})


def _unit(units: tuple[str, ...]) -> str:
    """That of all entries, or of each: a text, as netCDF wants it."""
    return units[0] if len(set(units)) == 1 else ", ".join(units)


def from_pandas(table: Any) -> dict[str, Any]:
    """Content of a table of `to_pandas`, by field."""
    try:
        return _consistent(
            _of_columns({name: table[name].to_numpy() for name in table.columns}, table.attrs.get(METADATA_KEY))
        )
    except InputError:
        raise
    except Exception as error:  # whatever a table of another kind raises
        raise InputError(f"the table holds no trajectory: {reason(error)}") from error


def from_xarray(dataset: Any) -> dict[str, Any]:
    """Content of a data set of `to_xarray`, by field; its axes may have any order."""
    try:
        lanes = [x for x in dataset["q"].dims if x not in ("t", "position")]
        arrays = {
            kind: np.asarray(dataset[kind].transpose(*lanes, "t", axis).values, dtype=float)
            for kind, axis in _ENTRY_AXES.items()
        }
        told, (nesting, _) = metadata.from_json(dataset.attrs[METADATA_KEY])
        q, v = (tuple(map(str, dataset[axis].values)) for axis in ("position", "velocity"))
        before = told["names"].q, told["names"].v, told["names"].v
        known = [dict(zip(*x, strict=True)) for x in zip(before, told["names"][2:], strict=True)]
        units = [tuple(map(unit.__getitem__, x)) for unit, x in zip(known, (q, v, v), strict=True)]  # of those selected
        each = (dataset[f"state{k}"].transpose(*lanes, "t", ...).values for k in count())
        batch = arrays["q"].shape[:-2]
        left = [x for x in told.get("failures", ()) if all(k < n for k, n in zip(x.lane, batch, strict=False))]
        told["failures"] = tuple(left)  # those of lanes that were selected, by their numbers
        found = {"t": np.asarray(dataset["t"].values, dtype=float), **arrays, **told}
        return _consistent(
            {**found, "names": VariableNames(q, v, *units), "states": metadata.fill_structure(nesting, each)}
        )
    except Exception as error:  # whatever a data set of another kind raises
        raise InputError(f"the data set holds no trajectory: {reason(error)}") from error
