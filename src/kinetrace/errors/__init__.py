"""Errors of the package: one root class, and messages that list valid values."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")
_PACKAGE = __name__.partition(".")[0]

LISTED_NAMES, NEAREST = 20, 5
"""Lists of up to LISTED_NAMES names are given in full; of longer ones, NEAREST names."""
LONGEST_NAME, LONGEST_MESSAGE = 80, 600
"""Lengths in characters; the middle of longer texts is left out, since files may have names of any length."""


LONGEST_NUMBER = 10_000
"""Bits of an integer that messages write: some 3,000 digits, fewer than the 4,300 from which on Python refuses."""


class KinetraceError(ValueError):
    """Root of every error that kinetrace raises on purpose.

    It is a `ValueError`.

    Parameters
    ----------
    message : str, default ""
        Message; the middle of a long one is left out.

    Examples
    --------
    >>> import kinetrace as kt
    >>> try:
    ...     kt.load("pnada")
    ... except kt.KinetraceError as error:
    ...     print(type(error).__name__)
    InputError
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten(message))


class ModelError(KinetraceError):
    """Error of a robot's description that is malformed or impossible.

    Parameters
    ----------
    problem : str, default ""
        Message, without the place.
    file : str, default ""
        File that the description comes from.
    place : str, default ""
        Place in the file.

    Examples
    --------
    >>> import kinetrace as kt
    >>> str(kt.ModelError("needs a <mass> inside", file="arm.urdf", place="line 3: <inertial>"))
    'arm.urdf, line 3: <inertial>: needs a <mass> inside'
    """

    def __init__(self, problem: str = "", *, file: str = "", place: str = "") -> None:
        super().__init__(problem)
        self.problem, self.file, self.place = problem, file, place

    @property
    def detail(self) -> str:
        """The place and the problem, without the file."""
        return ": ".join(filter(None, (self.place, self.problem)))

    def __str__(self) -> str:
        return shorten((", " if self.place else ": ").join(filter(None, (self.file, self.detail))))


class InputError(KinetraceError):
    """Error of an argument with a wrong name, shape or type.

    Parameters
    ----------
    message : str, default ""
        Message; it names the argument and lists valid values.

    Examples
    --------
    >>> import kinetrace as kt
    >>> try:
    ...     kt.load("planar2r").pose([0.0, 0.0], "tpi")
    ... except kt.InputError as error:
    ...     print(error)
    unknown frame 'tpi'; did you mean 'tip'? Valid: base_link, link1, link2, tip
    """


class ShapeError(InputError):
    """An argument of that name has the wrong shape."""

    def __init__(self, message: str = "", argument: str = "", shape: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.argument, self.shape = argument, shape


class TracedError(InputError, TypeError):
    """A traced value was used as a number; `told` says whether the message names the place."""

    told = False


class FrozenError(InputError, AttributeError):
    """Assignment to an immutable object."""


class MissingPackageError(InputError, ImportError):
    """Error of a call that needs an optional package, which is not installed or cannot be imported.

    It is an `InputError` and an `ImportError`; the message says what to install.

    Parameters
    ----------
    message : str, default ""
        Message.

    Examples
    --------
    >>> import kinetrace as kt
    >>> issubclass(kt.MissingPackageError, kt.InputError), issubclass(kt.MissingPackageError, ImportError)
    (True, True)
    """


class PhysicsWarning(UserWarning):
    """Warning that no physical body has the numbers of a robot's description, or that they are those of other units.

    Examples
    --------
    >>> import warnings, numpy as np, kinetrace as kt
    >>> b = kt.Builder("odd")
    >>> b.link("bob", inertia=np.diag([1.0, 1.0, 5.0, 1.0, 1.0, 1.0]))
    >>> b.joint("hinge", kt.joints.Revolute([0, 1, 0]), parent="base", child="bob")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = b.build()
    >>> caught[0].category
    <class 'kinetrace.errors.PhysicsWarning'>
    """


class ModelWarning(UserWarning):
    """Warning that a robot's file deviates from its format; the message says how it was read.

    Examples
    --------
    >>> import warnings, kinetrace as kt
    >>> b = kt.Builder("post")
    >>> b.link("base")
    >>> b.remark("line 3: an unknown element is ignored")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = b.build()
    >>> caught[0].category
    <class 'kinetrace.errors.ModelWarning'>
    """


class HarmlessWarning(ModelWarning):
    """Warning about what cannot change the motion, such as a shape or a colour."""


class SimulationWarning(UserWarning):
    """Warning that a simulation ended early or lost a motion; the message says where.

    Examples
    --------
    >>> import warnings, kinetrace as kt
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     motion = kt.load("planar2r").simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=0.01, tau=[1e200, 0.0])
    >>> caught[0].category, len(motion.failures)
    (<class 'kinetrace.errors.SimulationWarning'>, 1)
    """


class LimitWarning(SimulationWarning):
    """Warning that a simulation begins or goes beyond limits of joints; the message says which, by how much and when.

    `warnings.simplefilter("ignore", kt.LimitWarning)` silences these alone.

    Examples
    --------
    >>> import warnings, kinetrace as kt
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     motion = kt.load("planar2r").simulate([0.0, 90.0], [0.0, 0.0], t=0.1, dt=0.01)
    >>> caught[0].category
    <class 'kinetrace.errors.LimitWarning'>
    """


def warn(message: str, category: type[Warning]) -> None:
    """Warn with the location of the call of the library, however deep the cause."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(shorten(message), category, stacklevel=level)


def printable(text: object) -> str:
    r"""Text with escapes for control characters, line ends and changes of direction.

    >>> print(printable("a\x9b2Jb\n\u202ec"), printable("Gelenk ½"))
    a\x9b2Jb\n\u202ec Gelenk ½
    """
    return "".join(x if x.isprintable() else ascii(x)[1:-1] for x in str(text))


def shorten(text: object, most: int = LONGEST_MESSAGE) -> str:
    """The text, without its middle if it is longer than `most` characters.

    >>> shorten("abcdefghijklmnopqrstuvwxyz", 11)
    'abc … vwxyz'
    """
    text = text if isinstance(text, str) else _text(text)
    end = most // 2
    return text if len(text) <= most else f"{text[: most - end - 3]} … {text[-end:]}"


def value_text(x: object, most: int = LONGEST_NAME) -> str:
    """A value as a message shows it: its `repr`, shortened; its kind alone if it has no text.

    >>> value_text("tip"), value_text(16**5000)
    ("'tip'", 'an integer of 20001 bits')
    """
    return shorten(_text(x, repr), most)


def _text(x: object, write: Callable[[object], str] = str) -> str:
    """Text of a value; its kind alone if it has none."""
    if isinstance(x, int) and x.bit_length() > LONGEST_NUMBER:
        return f"an integer of {x.bit_length()} bits"
    try:
        return write(x)
    except (
        Exception
    ):  # of integers too long for Python inside, of arrays of other libraries, of a class of the caller's
        return f"a {type(x).__name__}"


def name_list(names: Iterable[object], most: int = NEAREST, *, of_names: bool = True) -> str:
    """Names for a message, or else texts, which are not quoted: the first few of many.

    >>> name_list(["a", "b"]), name_list("abcdefgh", 2)
    ("'a', 'b'", "'a', 'b' and 6 more")
    >>> name_list(["joint 'a'", "link 'b'"], of_names=False)
    "joint 'a', link 'b'"
    """
    names = list(names)
    text = ", ".join(value_text(name) if of_names else str(name) for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def count_text(n: int, what: str) -> str:
    """A number of things, with a plural unless it is one.

    >>> count_text(1, "array"), count_text(2, "array")
    ('1 array', '2 arrays')
    """
    return f"{n} {what}{'s'[: n != 1]}"


def bare(name: str) -> str:
    """A name without regard to case, underscores and hyphens.

    >>> bare("Mass_Matrix") == bare("massMatrix")
    True
    """
    return name.replace("_", "").replace("-", "").lower()


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Names that are the same but for case and underscores; if there are none, a few that are spelt alike.

    `cutoff` is the least likeness of these, between 0 and 1, as `difflib` measures it.

    >>> nearest("UpperArm", ["upper_arm", "upper_arms"]), nearest("hnad", ["hand", "base"])
    (['upper_arm'], ['hand'])
    """
    names = list(names)
    same = [x for x in names if bare(x) == bare(name)]
    return same or difflib.get_close_matches(name, names, n=NEAREST, cutoff=cutoff)


def unknown_name_error(
    kind: str, name: object, valid: Iterable[str], where: str = "", called: str = "Valid"
) -> InputError:
    """The error for an unknown name, with the nearest and the valid ones.

    `where` is the attribute that lists all; `called` is what the valid ones are called.

    >>> print(unknown_name_error("frame", "hnad", ["hand", "base"]))
    unknown frame 'hnad'; did you mean 'hand'? Valid: base, hand
    >>> print(unknown_name_error("frame", 3, ["hand", "base"]))
    frame must be a name (text), got int. Valid: base, hand
    >>> print(unknown_name_error("joint", "j77", [f"j{i}" for i in range(50)], "robot.joint_names"))
    unknown joint 'j77'; did you mean 'j7'? Nearest of 50: j7, j47, j37, j27, j17 (all: robot.joint_names)
    """
    names, wanted = sorted(map(str, valid)), shorten(name, LONGEST_NAME)
    from .other_libraries import VALUE_MEANINGS, VALUES  # late: errors alone need it

    meant = VALUES.get(kind.partition(" ")[0], {}).get(wanted.lower(), "").split()
    near = [x for x in names if x in meant] or nearest(wanted, names)
    near = near or [x for x in names if wanted and wanted.lower() in x.lower()]
    meanings = VALUE_MEANINGS.get(kind, {})
    alike = [f"{x!r} ({meanings[x]})" for x in near if x in meanings and x in meant]
    likely = " or ".join(alike) if len(alike) > 1 else repr(shorten(near[0], LONGEST_NAME)) if near else ""
    hint = f"; did you mean {likely}?" if near else "."
    choice = f"{called}: {', '.join(shorten(x, LONGEST_NAME) for x in names[:LISTED_NAMES]) or '(none)'}"
    if len(names) > LISTED_NAMES:
        far = difflib.get_close_matches(wanted, names[:1000], n=2 * NEAREST, cutoff=0.0)
        text = ", ".join(shorten(x, LONGEST_NAME) for x in list(dict.fromkeys([*near[:NEAREST], *far]))[:NEAREST])
        choice = f"Nearest of {len(names)}: {text}" + (f" (all: {where})" if where else "")
    if not isinstance(name, str):
        return InputError(f"{kind} must be a name (text), got {type(name).__name__}. {choice}")
    return InputError(f"unknown {kind} {value_text(name)}{hint} {choice}")


def lookup(kind: str, name: str, table: Mapping[str, T]) -> T:
    """The entry of that name, or an error that lists the valid names.

    >>> lookup("form", "a", {"a": 1})
    1
    """
    if not is_hashable(name) or name not in table:
        raise unknown_name_error(kind, name, table)
    return table[name]


EXTRAS = {
    "yaml": "pyyaml",
    "grasp": "clarabel scipy",
    "motion": "scipy casadi",
    "casadi": "casadi",
    "simulate": "scipy matplotlib pandas pyarrow xarray",
    "plot": "matplotlib trimesh",
    "collision": "scipy trimesh coacd",
    "live": "viser",
    "timing": "toppra scipy",
    "torch": "torch",
    "jax": "jax",
    "cluster": "dask distributed pyarrow zarr",
    "bench": "pin mujoco casadi jax matplotlib",
    "record": "playwright pillow imageio imageio-ffmpeg",
    "mujoco": "mujoco",
    "descriptions": "robot_descriptions",
    "symbolic": "sympy",
    "cuda": "cupy-cuda12x",
}
"""Extra of the package → the packages that it brings, as in pyproject.toml."""


def install(extra: str, package: str = "") -> str:
    """How to get a package that is missing, or all of an extra.

    >>> install("simulate", "matplotlib")
    "pip install matplotlib (the extra 'simulate': pip install 'kinetrace[simulate]')"
    """
    wanted = package if package in EXTRAS[extra].split() else EXTRAS[extra]
    return f"pip install {wanted} (the extra {extra!r}: pip install 'kinetrace[{extra}]')"


def is_hashable(x: object) -> bool:
    """Whether x may be a key: not a list, nor a tuple with one in it.

    >>> is_hashable("a"), is_hashable(("a", []))
    (True, False)
    """
    try:
        hash(x)
    except TypeError:
        return False
    return True
