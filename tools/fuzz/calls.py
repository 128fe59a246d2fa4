"""Random calls of a robot's methods: each raises an error of kinetrace, or equals plain calls with one state each.

Arguments have every type (lists, subclasses, masked arrays, memoryviews, objects with `__array__`, other
precisions, byte orders and layouts), with batch axes that broadcast, `out=` and `threads=`, valid and not. A call that
compiled code for one state may answer is made a second time, the long way, by NumPy's gufunc: results have the same
bits and types, errors the same text. It leaves as many references to its arguments as there were.
"""

from __future__ import annotations

import inspect
import itertools
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

import kinetrace as kt
from fuzzing import main
from kinetrace.engine.runtime import batch as module
from kinetrace.engine.runtime import python_threads

ROBOTS: dict[str, Callable[..., kt.Robot]] = {
    "planar2r": lambda **settings: kt.load("planar2r", **settings),
    "tree": lambda **settings: kt.random_tree(3, seed=1, **settings),
    "free": lambda **settings: kt.random_tree(1, seed=2, base="free", **settings),
}
SETTINGS = [{}, {"dtype": "float32"}, {"backend": "numpy"}, {"backend": "numpy", "dtype": "float32"}]
COMPUTED = ("riemann", "ricci", "scalar_curvature", "log_det_mass")  # partly by NumPy: no bits in common
MAY_LACK = (
    *(*COMPUTED, "mass", "diagonal", "forward", "step", "linearise", "operational", "dynamically", "nullspace"),
    "motor",
)
SKIPPED = ("geodesic", "geodesic_between", "is_flat", "optimise")  # searches; their arguments are drawn in the suite
SIZES = {"q": "nq", "q0": "nq", "q1": "nq", **dict.fromkeys(("v", "a", "tau", "u", "nu"), "nv")}
CHOICES = {
    "expressed_in": ("body", "space", "aligned"),
    "axes": ("position", (3, 5), [1]),
    "method": ("semi-implicit", "euler", "rk4"),
    "form": ("christoffel", "skew", "newton"),
    "kind": (1, 2),
    **dict.fromkeys(("normalised", "friction", "rotor"), (True, False)),
}
CALLS = 100
"""In a case."""
BATCHES = [(), (), (), (1,), (1,), (3,), (2, 3), (4, 1), (1, 1), (8,), (9,), (0,), (2, 0), (2, 1, 2), (200,), (2, 150)]


@contextmanager
def eager_threads() -> Iterator[None]:
    """Small batches run in threads, too, in robots made here."""
    before = module.PARALLEL_FROM, python_threads.SLICES_FROM, python_threads.SLICE_WORK
    module.PARALLEL_FROM = python_threads.SLICES_FROM = 1 << 14
    python_threads.SLICE_WORK = 64
    try:
        yield
    finally:
        module.PARALLEL_FROM, python_threads.SLICES_FROM, python_threads.SLICE_WORK = before


@cache
def robot(name: str, settings: tuple[tuple[str, str], ...]) -> kt.Robot:
    """One of them, made once."""
    return ROBOTS[name](**dict(settings))


@cache
def methods() -> dict[str, inspect.Signature]:
    """The methods that take states and `threads`, and need nothing else but a frame."""
    found = {name: inspect.signature(f) for name, f in inspect.getmembers(kt.Robot, inspect.isfunction)}
    known = {"self", "dt", "frame", *SIZES}
    return {
        name: s
        for name, s in found.items()
        if "threads" in s.parameters
        and name[0] != "_"
        and name not in SKIPPED
        and known.issuperset(x for x, p in s.parameters.items() if p.default is p.empty)
    }


# What follows disguises float64 numbers; what a disguise stands for is read off before the call.


class Tagged(np.ndarray):
    """A subclass."""


class Converts:
    """An object that says itself which array it is."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if isinstance(self.x, Exception):
            raise self.x
        return self.x


def unaligned(x: Any) -> Any:
    """The same numbers at an odd address."""
    return np.frombuffer(b"." + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


def read_only(x: Any) -> Any:
    """The same numbers, not to be changed."""
    x = x.copy()
    x.flags.writeable = False
    return x


def nested(x: Any) -> Any:
    """Lists down to arrays, or to NumPy's numbers."""
    return [*x] if x.ndim else x[()]


def mixed(x: Any) -> Any:
    """A list of numbers of Python and NumPy."""
    kinds = (float, np.float64, np.float32, lambda y: round(3 * y), lambda y: y > 0, lambda y: 2**53 + round(3 * y))
    return [kinds[k % len(kinds)](y) for k, y in enumerate(np.clip(np.nan_to_num(x), -9.0, 9.0))] if x.ndim == 1 else x


VALID: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "int64": lambda x: np.round(3 * np.nan_to_num(x, posinf=1.0) % 1e9).astype(np.int64),
    "long integers": lambda x: np.arange(x.size).reshape(x.shape) * 3 + 2**60,
    "list of integers": lambda x: (np.arange(x.size).reshape(x.shape) * 3 + 2**60).tolist() if x.size else x,
    "list of small integers": lambda x: np.arange(x.size).reshape(x.shape).tolist() if x.size else x,
    "list of booleans": lambda x: (x > 0).tolist() if x.size else x,
    "list of float32": lambda x: [*x.astype(np.float32)] if x.ndim == 1 else x.astype(np.float32),
    "mixed list": mixed,
    "huge integers": lambda x: [2**63 + 7 * k for k in range(x.size)] if x.ndim == 1 else x,
    "pickled": lambda x: pickle.loads(pickle.dumps(x)),
    "a row of many": lambda x: np.stack([x, x, x], axis=-1)[..., 1],
    "list": lambda x: x.tolist() if x.size else x,  # a list does not tell how long its missing rows are
    "tuple": lambda x: (tuple(x.tolist()) if x.ndim else x.item()) if x.size else x,
    "list of arrays": lambda x: nested(x) if x.size else x,
    "Fortran": np.asfortranarray,
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x,
    "reversed": lambda x: np.ascontiguousarray(x[..., ::-1])[..., ::-1] if x.ndim else x,
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "unaligned": unaligned,
    "read only": read_only,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "int8": lambda x: np.round(3 * np.nan_to_num(x)).astype(np.int8),
    "uint64": lambda x: np.round(3 * np.abs(np.nan_to_num(x))).astype(np.uint64),
    "booleans": lambda x: x > 0,
    "subclass": lambda x: x.view(Tagged),
    "record": lambda x: x.view(np.recarray),
    "matrix": lambda x: x.view(np.matrix) if x.ndim == 2 else x,
    "masked, no mask": np.ma.array,
    "masked, nothing masked": lambda x: np.ma.array(x, mask=np.zeros(x.shape, bool)),
    "masked in a list": lambda x: [*np.ma.array(x)] if x.ndim > 1 and x.size else np.ma.array(x),
    "memoryview": lambda x: memoryview(x) if x.size else x,
    "strided memoryview": lambda x: memoryview(np.repeat(x, 2, axis=0))[::2] if x.size and x.ndim else x,
    "has __array__": Converts,
    "__array__ of a subclass": lambda x: Converts(x.view(Tagged)),
}


def one_masked(x: Any) -> Any:
    """The last entry is masked."""
    mask = np.zeros(x.shape, bool)
    mask.flat[-1:] = True
    return np.ma.array(x, mask=mask)


def released(x: Any) -> Any:
    """A view of nothing."""
    view = memoryview(bytearray(8))
    view.release()
    return view


INVALID: dict[str, Callable[[Any], Any]] = {
    "masked entry": one_masked,
    "masked entry in a list": lambda x: [[one_masked(x)]],
    "masked from __array__": lambda x: Converts(one_masked(x)),
    "complex": lambda x: x + 1j,
    "complex list": lambda x: (x * 1j).tolist(),
    "objects": lambda x: x.astype(object),
    "strings": lambda x: x.astype(str),
    "a string": lambda x: "0.5",
    "bytes": lambda x: b"0.5",
    "None": lambda x: None,
    "None in a list": lambda x: [None] * max(1, x.size),
    "longdouble": lambda x: x.astype(np.longdouble),
    "dates": lambda x: np.zeros(x.shape, "M8[s]"),
    "spans of time": lambda x: np.zeros(x.shape, "m8[s]"),
    "structured": lambda x: np.zeros(x.shape, [("x", float)]),
    "huge integers": lambda x: np.full(x.shape, 10**400, object).tolist(),
    "ragged": lambda x: [[1.0, 2.0], [3.0]],
    "dict": lambda x: {},
    "set": lambda x: {1.0},
    "generator": lambda x: (y for y in x.ravel()),
    "released memoryview": released,
    "__array__ raises": lambda x: Converts(RuntimeError("not now")),
    "__array__ returns a list": lambda x: Converts(x.tolist()),
    "one more axis": lambda x: x[..., None] if x.ndim and x.shape[-1] != 1 else "one",
    "too long": lambda x: np.concatenate([x, x[..., :1], x[..., :1]], axis=-1) if x.ndim and x.shape[-1] else "long",
    "no axis": lambda x: 0.5 if x.ndim else None,
}


@np.errstate(all="ignore")
def disguise(rng: np.random.Generator, x: Any, odd: bool, bare: bool) -> tuple[Any, Any]:
    """What is passed for x, and the numbers that it stands for: None if it must be refused."""
    if odd:
        name = rng.choice([*INVALID])
        if name.startswith(("masked", "complex list")) and not x.size:
            name = "complex"
        if name == "longdouble" and np.dtype(np.longdouble).itemsize == 8:
            name = "complex"
        return INVALID[name](x), None
    made = x if bare else VALID[rng.choice([*VALID])](x)
    return made, np.array(made.x if isinstance(made, Converts) else made, dtype=float)


def good_out(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array that the result fits in."""
    other = rng.choice([dtype, dtype, "f8", "f4", ">f8", "g"])
    make: list[Callable[[], Any]] = [
        lambda: np.full(shape, 7.0, other),
        lambda: np.full(shape[::-1], 7.0, other).T,
        lambda: np.full((*shape, 2), 7.0, other)[..., 1],
        lambda: np.full(shape, 7.0, other)[::-1] if shape else np.full(shape, 7.0, other),
        lambda: np.full(shape, 7.0, other).view(Tagged),
        lambda: np.frombuffer(bytearray(1 + 8 * int(np.prod(shape))), "f8", offset=1).reshape(shape),
    ]
    return make[rng.integers(len(make))]()


def bad_out(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """What is no place for the result."""
    plain = np.zeros(shape)
    return [
        lambda: plain.tolist(),
        lambda: read_only(plain),
        lambda: plain.astype(int),
        lambda: plain.astype(complex),
        lambda: plain.astype(object),
        lambda: plain.astype("U32"),
        lambda: np.zeros((*shape[:-1], shape[-1] + 1) if shape else (2,), "i1"),
        lambda: np.zeros((*shape, 3))[..., None] if shape else plain.astype(int),  # NumPy broadcasts numbers to `out`
        lambda: np.ma.array(plain),
        lambda: "out",
        lambda: memoryview(bytearray(8)),
        lambda: 1.0,
    ][rng.integers(12)]()


def outs(rng: np.random.Generator, like: tuple[Any, ...], dtype: Any) -> tuple[Any, bool]:
    """`out` for results like these, and whether it will do."""
    if rng.random() < 0.25:
        places = [bad_out(rng, x.shape) for x in like]
        wrong: list[Any] = [
            places[0] if len(like) == 1 else tuple(places),
            (),
            tuple([*places, *places]),
            (None,) * len(like),
        ]
        return wrong[rng.integers(4)], False
    places = tuple(good_out(rng, x.shape, dtype) for x in like)
    return places[0] if len(like) == 1 and rng.random() < 0.8 else places, True


def shapes_of(rng: np.random.Generator, batch: tuple[int, ...], count: int) -> list[tuple[int, ...]]:
    """Batch shapes that broadcast to `batch`; the first is all of it."""
    found = [batch]
    for _ in range(count - 1):
        cut = batch[rng.integers(len(batch) + 1) :] if rng.random() < 0.5 else batch
        found.append(tuple(1 if rng.random() < 0.2 else n for n in cut))
    return found


def numbers(rng: np.random.Generator, of: kt.Robot, name: str, batch: tuple[int, ...]) -> Any:
    """Values of an argument, of which one may not be finite."""
    if name == "dt":
        return rng.uniform(0.01, 0.1, batch)
    if SIZES.get(name) == "nq":
        x = of.random(batch, seed=rng)
    else:
        x = rng.normal(size=(*batch, getattr(of, SIZES[name]) if name in SIZES else 6))
    if x.size and rng.random() < 0.1:
        x.flat[rng.integers(x.size)] = rng.choice([np.nan, np.inf, 1e300])
    return x


def chosen(rng: np.random.Generator, of: kt.Robot, method: str, signature: inspect.Signature) -> dict[str, Any]:
    """What is no array: names, methods, flags."""
    found = {}
    for name, p in signature.parameters.items():
        if name == "frame":
            found[name] = str(rng.choice(of.frame_names[-2:]))
        elif name in CHOICES and rng.random() < 0.1:
            valid: Any = CHOICES[name]
            if name == "method" and p.default not in valid:
                valid = {"forward_dynamics": ("solve",), "mass_matrix": ("composite", "jacobians")}.get(
                    method, (p.default,)
                )
            found[name] = valid[rng.integers(len(valid))]
    return found


def case(rng: np.random.Generator) -> int:
    """Some calls of one method, since most of the time is that of compiling it."""
    settings = tuple(SETTINGS[rng.choice(4, p=[0.4, 0.35, 0.15, 0.1])].items())
    of = robot(str(rng.choice([*ROBOTS])), settings)
    method = str(rng.choice([*methods()]))
    return sum(call(rng, of, method) for _ in range(CALLS))


def call(rng: np.random.Generator, of: kt.Robot, method: str) -> int:
    """One random call of one method; the number of checks, 0 if the robot has no such thing."""
    signature = methods()[method]
    names = [name for name in signature.parameters if name in SIZES or name == "dt"]
    optional = [n for n in ("base_velocity", "base_acceleration", "wrench") if n in signature.parameters]
    names += [n for n in optional if rng.random() < 0.05]
    others = chosen(rng, of, method, signature)
    batch = BATCHES[rng.integers(len(BATCHES))]
    xs = [numbers(rng, of, n, s) for n, s in zip(names, shapes_of(rng, batch, len(names)), strict=True)]
    odd = rng.integers(len(names)) if rng.random() < 0.2 else -1
    odd = -1 if odd >= 0 and names[odd] == "dt" and not xs[odd].size else odd
    if odd >= 0 and names[odd] == "dt":  # it may have any shape
        pairs = [disguise(rng, x, False, True) for x in xs]
        pairs[odd] = ([None, "0.1", xs[odd] + 1j, one_masked(xs[odd])][rng.integers(4)], None)
    else:
        pairs = [disguise(rng, x, k == odd, rng.random() < 0.2) for k, x in enumerate(xs)]
    given, valid = dict(zip(names, (p[0] for p in pairs), strict=True)), odd < 0
    given |= {n: "none" for n in optional if n in given and given[n] is None}  # where None means: not given
    if "wrench" in given:
        given["wrench"] = {of.frame_names[-1]: given["wrench"]}
    expected = one_by_one(of, method, names, [p[1] for p in pairs], others, batch) if valid else (np.zeros(batch),)
    if expected is None:
        return 0
    if "out" in signature.parameters and rng.random() < 0.4:
        given["out"], fits = outs(rng, expected, of._settings.keywords["dtype"])
        valid = valid and fits
        same = [x for x, _ in pairs if type(x) is np.ndarray and x.dtype == float and x.flags.writeable]
        same = [x for x in same if valid and len(expected) == 1 and x.shape == expected[0].shape and x.base is None]
        if same and rng.random() < 0.5:
            given["out"] = same[0]  # in place
    if rng.random() < 0.5:
        given["threads"] = [1, 2, 3, 5, 0, -1, 2.5, "2", True][rng.choice(9, p=[0.2, 0.3, 0.2, 0.2, *[0.02] * 5])]
        valid = valid and type(given["threads"]) is int and given["threads"] > 0
    watched = [(x, x.copy()) for x, _ in pairs if isinstance(x, np.ndarray) and x is not given.get("out")]
    leading = names[: rng.integers(len(arrays_of(signature)) + 1)]  # those that are given without names
    leading = leading if [*given][: len(leading)] == leading else []

    def attempt(given: dict[str, Any], **settings: Any) -> Any:
        rest = {name: x for name, x in given.items() if name not in (*leading, "out", "threads")}
        last = {name: given[name] for name in ("out", "threads") if name in given}
        return outcome(of, method, [given[name] for name in leading], {**rest, **others, **last, **settings})

    long_way = None if "threads" in given else attempt(duplicated(given), threads=1)
    result = attempt(given)
    if long_way is not None:
        compare_ways(method, result, long_way, given)
    if isinstance(result, kt.InputError):
        assert not valid, f"refused: {method}, {given}"
        return 1
    assert valid, f"taken: {method}, {given}"
    for x, before in watched:
        np.testing.assert_array_equal(x, before)
    compare(of, method, result, expected, given.get("out"), given)
    return 1


def arrays_of(signature: inspect.Signature) -> list[str]:
    """The arguments that may be given without names: states, and the step."""
    kinds = {name: p.kind for name, p in signature.parameters.items()}
    return [
        name for name in kinds if (name in SIZES or name == "dt") and kinds[name] is not inspect.Parameter.KEYWORD_ONLY
    ]


def outcome(of: kt.Robot, method: str, given: Any, named: dict[str, Any]) -> Any:
    """What a call returns, or the error that it raises; it holds none of its arguments afterwards."""
    shared = [x for x in (*given, *named.values()) if isinstance(x, np.ndarray | list)]
    before = [sys.getrefcount(x) for x in shared]
    try:
        result = getattr(of, method)(*given, **named)
    except kt.InputError as error:
        return error.with_traceback(None)
    returned = result if isinstance(result, tuple) else (result,)
    after = [sys.getrefcount(x) - sum(x is y for y in returned) for x in shared]
    may_hold = result is named.get("out") or of._settings.keywords["backend"] == "numpy"  # whose results may be views
    may_hold = (
        may_hold or named.get("threads", 1) != 1 or any(n > 100 for n in np.shape(returned[0]))
    )  # threads let go later
    assert may_hold or after == before, f"{method} holds references: {before}, {after}"
    return result


def duplicated(given: dict[str, Any]) -> dict[str, Any]:
    """The same arguments, with an `out` of its own; also where that is one of the arguments."""
    out = given.get("out")
    if isinstance(out, np.ndarray):
        same = out.copy("K") if type(out) is np.ndarray and out.flags.writeable and out.dtype == float else out
        return {name: same if x is out else x for name, x in given.items()}
    return given


def compare_ways(method: str, short: Any, long: Any, given: dict[str, Any]) -> None:
    """Two outcomes of one call: to the bit, but for signs of zeros, and in words."""
    assert type(short) is type(long), f"{method}, {given}: {short!r} and {long!r}"
    if isinstance(short, Exception):
        assert str(short) == str(long), f"{method}, {given}"
        return
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (short, long)), strict=True)
    for x, y in pairs:
        any_layout = "out" in given or x.size > 50  # threads write in C order
        about = [(type(z), z.shape, z.dtype, any_layout or z.strides, z.flags.writeable) for z in (x, y)]
        assert about[0] == about[1], f"{method}, {given}: {about}"
        np.testing.assert_array_equal(x, y, err_msg=f"{method}, {given}")


def one_by_one(
    of: kt.Robot, method: str, names: list[str], xs: list[Any], others: dict[str, Any], batch: tuple[int, ...]
) -> tuple[Any, ...] | None:
    """The results, state after state, from plain arrays of the robot's own precision; None if it has none."""
    dtype = of._settings.keywords["dtype"]
    cores = [1 if name != "dt" else 0 for name in names]
    shape = np.broadcast_shapes(*(x.shape[: x.ndim - c] for x, c in zip(xs, cores, strict=True)))
    with np.errstate(all="ignore"):
        rows = [
            np.broadcast_to(x, (*shape, *x.shape[x.ndim - c :])).astype(dtype) for x, c in zip(xs, cores, strict=True)
        ]
    states = [*itertools.islice(np.ndindex(shape), 0, None, max(1, int(np.prod(shape)) // 12))]
    found = []
    for index in states or [None]:
        given: dict[str, Any] = {}
        for name, x, c in zip(names, rows, cores, strict=True):
            state = np.ones(x.shape[x.ndim - c :], dtype) if index is None else x[index]
            given[name] = np.array(state, order="C")
        if "wrench" in given:
            given["wrench"] = {of.frame_names[-1]: given["wrench"]}
        try:
            result = getattr(of, method)(**given, **others)
        except kt.KinetraceError:
            if any(word in method for word in MAY_LACK):
                return None  # a mimic joint, a singular matrix
            raise
        found.append(result if isinstance(result, tuple) else (result,))
    filled = []
    for k in range(len(found[0])):
        whole = np.full((*shape, *np.shape(found[0][k])), -1.25, dtype)  # which stands for: not computed
        for index, result in zip(states, found, strict=False):
            whole[index] = result[k]
        filled.append(whole)
    return tuple(filled)


def compare(of: kt.Robot, method: str, result: Any, expected: tuple[Any, ...], out: Any, given: Any) -> None:
    """The numbers, their types, and that `out` is what is returned."""
    results = result if isinstance(result, tuple) else (result,)
    places = () if out is None else out if isinstance(out, tuple) else (out,)
    assert len(results) == len(expected)
    assert all(x is y for x, y in zip(results, places, strict=False))
    exact = of._settings.keywords["backend"] == "llvm" and method not in COMPUTED
    for x, y in zip(results, expected, strict=True):
        assert np.shape(x) == y.shape, f"{method}: shape {np.shape(x)} for {y.shape}"
        assert out is not None or (x.dtype == y.dtype and isinstance(x, np.generic if not y.shape else np.ndarray))
        assert out is not None or not y.shape or type(x) is np.ndarray
        known = y != -1.25
        rounded = np.float32 if out is not None and np.asarray(x).dtype.itemsize == 4 else y.dtype
        x, y = np.asarray(x)[known].astype(rounded), y[known]
        with np.errstate(all="ignore"):
            y = y.astype(rounded)
        if exact:
            np.testing.assert_array_equal(x, y, err_msg=f"{method}, {given}")
        else:
            tol = {8: 1e-9, 4: 1e-3}[np.dtype(rounded).itemsize]
            scale = max(1.0, float(np.abs(y[np.isfinite(y)]).max(initial=0.0)))
            if np.isfinite(y).all() and scale < 1e6:
                np.testing.assert_allclose(x, y, rtol=tol, atol=tol * scale, err_msg=f"{method}, {given}")


if __name__ == "__main__":
    with eager_threads():
        sys.exit(main(case, "random calls"))
