"""Logs of robots: times, configurations and joint forces, from arrays, trajectories and tables in files.

Columns of a table are found by the names of joints or by numbers, with what they hold before or behind: "q_elbow",
"q:elbow [rad]", "elbow.position", "q1". Columns of other names are given by `columns`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..algorithms.registry.choices import StepMethod
from ..errors import InputError, lookup, name_list, shorten, unknown_name_error
from ..robot import Robot
from ..robot.types import Float
from ..simulation import Trajectory
from ..simulation.metadata import names_of
from ..simulation.trajectory_files import read_table
from ..support.conversion import as_flag, as_reals
from ..support.keywords import known_keywords
from .base_parameters import check_robot

COLUMN_WORDS = {
    "q": ("q", "position", "pos", "joint_position", "angle"),
    "tau": ("tau", "torque", "effort", "force", "joint_torque"),
}
"""Names of columns of q and tau, beside the joint's."""
TIMES = ("t", "time", "timestamp", "stamp", "seconds")
TIME_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNITS = {
    **{(unit, unit): 1.0 for unit in ("rad", "m", "1", "N m", "N")},
    ("rad", "deg"): np.pi / 180,
    ("rad", "degrees"): np.pi / 180,
    ("rad", "°"): np.pi / 180,
    ("m", "mm"): 1e-3,
    ("m", "cm"): 1e-2,
    ("N m", "Nm"): 1.0,
    ("N m", "N*m"): 1.0,
    ("N m", "mNm"): 1e-3,
}
"""(Unit of the robot, unit of a column) → factor."""
MISSING = ("", "na", "n/a", "null", "none", "-")
"""Entries for a missing number, in lower case."""


@dataclass(frozen=True, eq=False)
class Log:
    """Measurements of a robot: times, configurations and joint forces.

    Parameters
    ----------
    t : ndarray, shape (n,)
        Times [s].
    q : ndarray, shape (n, nq)
        Measured configurations.
    tau : ndarray, shape (n, nv)
        Measured joint forces [N m, N].
    name : str, default ""
        Name, as that of the file.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> kt.identify.Log(np.arange(3) * 0.01, np.zeros((3, 2)), np.zeros((3, 2)))
    Log(3 samples, 0…0.02 s)
    """

    t: Float
    q: Float
    tau: Float
    name: str = ""

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: slice) -> Log:
        """The samples of a slice."""
        if not isinstance(rows, slice):
            raise InputError(f"take samples by a slice, as log[10:20], or arrays by name, as log.q[10]; got {rows!r}")
        return Log(self.t[rows], self.q[rows], self.tau[rows], self.name)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g}…{self.t[-1]:g} s" if len(self) else "empty"
        return f"Log({self.name + ': ' if self.name else ''}{len(self)} samples, {span})"


def log_of(robot: Robot, log: Any, what: str = "log") -> Log:
    """A log, a trajectory, arrays (t, q, tau) or the path of a file, as a log of this robot, checked."""
    if isinstance(log, str | Path):
        return read_log(log, robot)
    if isinstance(log, Trajectory):
        t, q, tau, name = log.t, log.q, _forces_at_rows(log), ""
    elif isinstance(log, Log):
        t, q, tau, name = log.t, log.q, log.tau, log.name
    elif isinstance(log, tuple | list) and len(log) == 3:
        (t, q, tau), name = log, ""
    else:
        raise InputError(f"{what} must be a Log, a Trajectory, a file or arrays (t, q, tau), got {type(log).__name__}")
    arrays = {"t": as_reals("t", t), "q": as_reals("q", q), "tau": as_reals("tau", tau)}
    n = len(arrays["t"]) if arrays["t"].ndim == 1 else -1
    for key, shape in (("t", (n,)), ("q", (n, robot.nq)), ("tau", (n, robot.nv))):
        if arrays[key].shape != shape:
            wanted = ", ".join(["n", *map(str, shape[1:])])
            raise InputError(f"{what}: {key} must have shape ({wanted}), got {arrays[key].shape}")
    return Log(arrays["t"], arrays["q"], arrays["tau"], name)


def _forces_at_rows(motion: Trajectory) -> Float:
    """Forces at the times of rows: those of steps act from a row on, so half a step later than it on average."""
    tau, rows = motion.tau, np.diff(motion.t)
    if motion.method not in get_args(StepMethod) or not len(rows) or not (rows > 0).all():
        return tau
    late = 0.5 * np.minimum(motion.dt / rows, 1.0)
    return np.concatenate([tau[..., :1, :], tau[..., 1:, :] - late[:, None] * np.diff(tau, axis=-2)], axis=-2)


@known_keywords
def read_log(
    path: str | Path,
    robot: Robot,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    degrees: bool = False,
    time_unit: str = "s",
) -> Log:
    """Log of a robot from a table in a file.

    Columns are found by the names of the joints with "q", "position", "tau", "torque" or "effort" before or behind
    them, as in "q:elbow [rad]", "q_elbow" or "elbow.effort", or by numbers, as in "q1" or "tau_0", that all begin with
    0 or all with 1. Units in brackets are converted. Times begin at zero. Entries that are empty or "n/a" are NaN,
    lines that begin with # are skipped, and commas are decimal where other signs separate columns.

    Parameters
    ----------
    path : str or Path
        Table .csv (with commas, semicolons or tabs) or .parquet.
    robot : Robot
        Robot that was measured.
    columns : mapping of str to str or sequence of str, optional
        Names of the columns of "t", "q" and "tau", the latter two in the order of the robot's joints, as far as they
        are not found by themselves.
    degrees : bool, default False
        Whether angles without a unit are in degrees.
    time_unit : {"s", "ms", "us", "ns"}, default "s"
        Unit of times without a unit.

    Returns
    -------
    Log
        The log.

    Raises
    ------
    InputError
        If there is no such file, a column is missing or there twice, or an entry is not a number; the message lists
        what is there.

    Examples
    --------
    >>> import pathlib, tempfile, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "log.csv"
    ...     _ = file.write_text("time,q1 [deg],q2 [deg],tau1,tau2\\n0,0,90,1,2\\n0.01,1,90,1,2\\n")
    ...     log = kt.identify.read_log(file, robot)
    >>> log.q.round(4), log.name
    (array([[0.    , 1.5708],
           [0.0175, 1.5708]]), 'log.csv')
    """
    check_robot(robot)
    if not isinstance(path, str | Path):
        raise InputError(f"path must be that of a file, got {type(path).__name__}")
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(f"columns must map 't', 'q' and 'tau' to names, got {type(columns).__name__}")
    path = Path(path)
    table = read_table(path)
    given = dict(columns or {})
    for key in given.keys() - {"t", "q", "tau"}:
        raise unknown_name_error("columns", key, ("t", "q", "tau"))
    names = names_of(robot.model)
    lookup("time_unit", time_unit, TIME_UNITS)
    angle = "deg" if as_flag("degrees", degrees) else None
    t = _numbers(path, table, _time_column(path, table, given.get("t")), lambda unit: TIME_UNITS[unit or time_unit])
    parts, first = {}, dict[str, int]()
    for kind, labels, units in (("q", names.q, names.q_units), ("tau", names.v, names.tau_units)):
        found = _columns(path, table, kind, labels, given.get(kind), first)
        parts[kind] = [
            _convert_column(path, table, column, unit, angle) for column, unit in zip(found, units, strict=True)
        ]
    if len(set(first.values())) > 1:
        said = " and ".join(f"{kind!r} from {k}" for kind, k in first.items())
        raise InputError(f"{path.name!r} counts {said}: columns={{'q': [...], 'tau': [...]}} says which is which")
    q, tau = (np.stack(x, axis=-1) if x else np.zeros((len(t), 0)) for x in parts.values())
    return Log(t - t[:1], q, tau, path.name)


def _plain(column: str) -> tuple[str, str]:
    """A column's name in small letters with single underscores, and its unit."""
    head, _, unit = column.partition("[")
    return re.sub(r"[^a-z0-9]+", "_", head.lower()).strip("_"), unit.strip().removesuffix("]").strip()


def _time_column(path: Path, table: Mapping[str, Any], given: str | Sequence[str] | None) -> str:
    if given is not None:
        return _present(path, table, given if isinstance(given, str) else "".join(given))
    for column in table:
        if _plain(column)[0] in TIMES:
            return column
    raise InputError(f"{path.name!r} has no column of times ({', '.join(TIMES)}); it has {_name_list(table)}")


def _columns(
    path: Path,
    table: Mapping[str, Any],
    kind: str,
    labels: Sequence[str],
    given: str | Sequence[str] | None,
    first: dict[str, int],
) -> list[str]:
    """The columns of one kind, in the robot's order; if they are numbered, `first` gets the number of the first."""
    if given is not None:
        return _given_columns(path, table, kind, labels, given)
    known: dict[str, list[str]] = {}
    for column in table:
        known.setdefault(_plain(column)[0], []).append(column)
    n, missing = len(labels), list(labels)
    by_name = [_plain(x.replace("[", "_"))[0] for x in labels]
    for begin, suffixes in ((None, by_name), (1, range(1, n + 1)), (0, range(n))):
        for word in COLUMN_WORDS[kind]:
            columns = [_columns_named(known, word, x) for x in suffixes]
            absent = [label for label, x in zip(labels, columns, strict=True) if not x]
            if not absent:
                zero = _columns_named(known, word, 0) if begin == 1 and n > 0 else []
                _check_unique(path, kind, columns, zero)
                first.update({} if begin is None else {kind: begin})
                return [x[0] for x in columns]
            missing = absent if len(absent) < len(missing) else missing
    if len(missing) < n:
        raise InputError(f"{path.name!r} has no column {kind!r} of {_name_list(missing)}; it has {_name_list(table)}")
    wanted = f"{kind}_{labels[0]}"
    raise InputError(
        f"{path.name!r} has no columns {kind!r} of the joints, such as {wanted!r}; it has {_name_list(table)}; "
        f"columns={{{kind!r}: [...]}} names others"
    )


def _given_columns(
    path: Path, table: Mapping[str, Any], kind: str, labels: Sequence[str], given: str | Sequence[str]
) -> list[str]:
    """The columns that the user names, as many as there are labels."""
    chosen = [given] if isinstance(given, str) else list(given)
    if len(chosen) != len(labels):
        raise InputError(f"columns: {kind!r} must be {len(labels)} names, those of {_name_list(labels)}; got {chosen}")
    return [_present(path, table, x) for x in chosen]


def _check_unique(path: Path, kind: str, columns: list[list[str]], zero: list[str]) -> None:
    """An error if a joint has several columns, or if those that count from one have one of number zero too."""
    several = [x for x in columns if len(x) > 1]
    if zero:
        several = [[*zero, *(x[0] for x in columns)]]
    if several:
        said = f"columns={{{kind!r}: [...]}} says which are meant"
        raise InputError(f"{path.name!r} has {_name_list(several[0])}: {said}")


def _columns_named(known: Mapping[str, list[str]], word: str, which: object) -> list[str]:
    """All columns of a word and a joint or number."""
    names = dict.fromkeys((f"{word}_{which}", f"{which}_{word}", f"{word}{which}"))
    return [column for name in names for column in known.get(name, [])]


def _present(path: Path, table: Mapping[str, Any], column: str) -> str:
    if column not in table:
        raise unknown_name_error("column", column, list(table), f" in {path.name!r}")
    return column


def _convert_column(path: Path, table: Mapping[str, Any], column: str, unit: str, angle: str | None) -> Float:
    def factor(found: str) -> float:
        found = found or (angle if unit == "rad" and angle else unit)
        if (unit, found) not in UNITS:
            valid = [x for own, x in UNITS if own == unit]
            raise InputError(f"{path.name!r}: column {column!r} has the unit {found!r}; known are {', '.join(valid)}")
        return float(UNITS[unit, found])

    return _numbers(path, table, column, factor)


def _numbers(path: Path, table: Mapping[str, Any], column: str, factor: Any) -> Float:
    """The numbers of a column, NaN where it is empty."""
    unit = _plain(column)[1]
    try:
        scale = factor(unit)
    except KeyError:
        known = ", ".join(TIME_UNITS)
        raise InputError(f"{path.name!r}: column {column!r} has the unit {unit!r}; known are {known}") from None
    values = table[column]
    if isinstance(values, list):
        values = ["nan" if x.lower() in MISSING else x for x in values]
        if any("," in x for x in values):  # of a decimal: commas that separate columns are not there any more
            values = [x.replace(",", ".") for x in values]
    try:
        return scale * np.array(values, dtype=float)
    except (TypeError, ValueError):
        k, entry = next((k, x) for k, x in enumerate(values) if not _numeric(x))
        raise InputError(
            f"{path.name!r}: column {column!r} has entries that are not numbers: {shorten(repr(entry), 40)} in row "
            f"{k + 1}"
        ) from None


def _numeric(x: object) -> bool:
    try:
        float(x)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _name_list(names: Any) -> str:
    return name_list(names, 12)
