"""The one primitive: a kernel on arrays, with its rules for batches and derivatives.

An array of a call has all batch axes of the results, or none: one state for all. Derivatives are kernels too, so the
rules give the same primitive again, with the families of `frameworks.family`.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ...engine.derivative.array_function import Pullback, Pushforward
from ...engine.plan.memory import SCALAR_TYPES
from ...engine.runtime import compiler
from ...engine.targets.llvm.xla import HANDLER
from ...engine.targets.llvm.xla_team import XLA_HOST_FUNCTIONS
from ...engine.trace import Argument
from ...errors import InputError
from ...support.attributes import memo
from ...support.threads import lock
from ..differentiable import DerivativeFamily, move_mapped_axis
from . import devices

primitive: Any = Primitive("kinetrace")
primitive.multiple_results = True


def call(family: DerivativeFamily, *xs: Any) -> list[Any]:
    """The results of a kernel for arrays whose batch axes broadcast."""
    own = [_batch(x, a) for x, a in zip(xs, family.inputs, strict=True)]
    batch = jnp.broadcast_shapes(*own)
    aligned = [_align(x, a, b, batch) for x, a, b in zip(xs, family.inputs, own, strict=True)]
    return list(primitive.bind(*devices.together(aligned), family=family))


def _batch(x: Any, a: Argument) -> tuple[int, ...]:
    """The batch axes of an array."""
    return tuple(x.shape[: x.ndim - len(a.shape)])


def _core(x: Any, a: Argument) -> tuple[int, ...]:
    """Its other axes."""
    return tuple(x.shape[x.ndim - len(a.shape) :])


def _align(x: Any, a: Argument, own: tuple[int, ...], batch: tuple[int, ...]) -> Any:
    """An array with all batch axes, or none."""
    if own == batch:
        return x
    return x.reshape(_core(x, a)) if math.prod(own) == 1 else jnp.broadcast_to(x, batch + _core(x, a))


def _run(*xs: Any, family: DerivativeFamily) -> Any:
    """Outside of `jit`."""
    jitted: Any = memo(family, "jax.jit", lambda: jax.jit(lambda *ys: primitive.bind(*ys, family=family)))
    with jax.disable_jit(False):  # under `disable_jit`, it would call itself
        return jitted(*xs)


def _shapes(*xs: Any, family: DerivativeFamily) -> list[Any]:
    """The shapes of the results."""
    lengths: dict[Any, int] = {}
    for x, a in zip(xs, family.inputs, strict=True):
        lengths |= dict(zip(a.dims, _core(x, a), strict=False))
    batch = max((_batch(x, a) for x, a in zip(xs, family.inputs, strict=True)), key=len, default=())
    whole = [x for x, a in zip(xs, family.inputs, strict=True) if len(_batch(x, a)) == len(batch)]
    shapes = [(*batch, *(lengths.get(n, n) for n in a.shape)) for a in family.outputs]
    return [devices.result(shape, family.dtype, len(batch), whole) for shape in shapes]


def _lower(context: Any, *xs: Any, family: DerivativeFamily) -> Any:
    name, avals = target(family), context.avals_in
    has_batch = any(_batch(x, a) for x, a in zip(avals, family.inputs, strict=True))
    if has_batch and devices.is_partitioned(context):
        return mlir.lower_fun(devices.by_parts(primitive, family, avals))(context, *xs)
    return jax.ffi.ffi_lowering(name)(context, *xs)


def _refuse_platform(context: Any, *_: Any, family: DerivativeFamily) -> Any:
    platforms = ", ".join(getattr(context.module_context, "platforms", ()) or ("another platform",))
    raise InputError(
        f"{family.kernel.__name__}: kernels run on the CPU, and this array is on {platforms}: move it by "
        'jax.device_put(x, jax.devices("cpu")[0]), or use kt.algorithms on the arrays of JAX'
    )


primitive.def_impl(_run)
primitive.def_abstract_eval(_shapes)
devices.needs_devices(primitive)
mlir.register_lowering(primitive, _refuse_platform)
mlir.register_lowering(primitive, _lower, platform="cpu")


def _batching_rule(xs: Sequence[Any], axes: Sequence[Any], *, family: DerivativeFamily) -> Any:
    """One call for all: the new axis comes first."""
    cores = [len(a.shape) for a in family.inputs]
    results = call(family, *move_mapped_axis(xs, axes, cores, jnp.moveaxis))
    return results, (0,) * len(results)


def _jvp_rule(xs: Sequence[Any], tangents: Sequence[Any], *, family: DerivativeFamily) -> Any:
    """Tangents of the results: by the kernel of the derivative, and where a function is linear by itself."""
    results = primitive.bind(*xs, family=family)
    real = [k for k, t in enumerate(tangents) if type(t) is not ad.Zero]
    curved = tuple(k for k in real if k not in family.linear)
    parts = []
    if curved:
        parts.append(call(family.pushforward(curved), *xs, *(tangents[k] for k in curved)))
    if len(curved) < len(real):
        along = [_dense(t, a) for t, a in zip(tangents, family.inputs, strict=True)]
        parts.append(call(family, *(along[k] if k in family.linear else x for k, x in enumerate(xs))))
    tangents = [sum(same[1:], same[0]) for same in zip(*parts, strict=True)]
    return results, [_with_batch_of(t, x) for t, x in zip(tangents, results, strict=True)]


def _with_batch_of(tangent: Any, result: Any) -> Any:
    """A tangent with the batch axes of its result: what has them may have had a tangent of zero."""
    whole = tangent if tangent.shape == result.shape else jnp.broadcast_to(tangent, result.shape)
    return devices.together([whole, result])[0]


def _transpose_rule(weights: Sequence[Any], *xs: Any, family: DerivativeFamily) -> list[Any]:
    """Gradients by the arrays in which a function is linear: those without a value."""
    unknown = [k for k, x in enumerate(xs) if isinstance(x, ad.UndefinedPrimal)]
    others = [family.names[k] for k in unknown if k not in family.linear]
    if others:
        raise InputError(
            f"{family.kernel.__name__}: JAX knows no transpose by {others[0]}, as a kernel does not say whether it is "
            f"linear in it; jax.vjp at zero is the transpose if it is"
        )
    cotangents = [_dense(w, a) for w, a in zip(weights, family.outputs, strict=True)]
    base, flat = family.base, family.flat
    assert base is not None  # else it is linear in nothing
    known = len(base.names)
    if isinstance(flat, Pushforward):
        results = call(base.pullback(tuple(flat.wrt[k - known] for k in unknown)), *xs[:known], *cotangents)
    else:
        assert isinstance(flat, Pullback)
        pushed = call(base.pushforward(flat.wrt), *xs[:known], *cotangents)
        results = [pushed[k - known] for k in unknown]
    gradients: list[Any] = [None] * len(xs)
    for k, gradient in zip(unknown, results, strict=True):
        gradients[k] = gradient.sum(range(gradient.ndim - xs[k].aval.ndim))  # one state for all
    return gradients


def _dense(x: Any, a: Argument) -> Any:
    """An array; zeros of one state for all where JAX knows that there is nothing else."""
    if type(x) is not ad.Zero:
        return x
    aval: Any = x.aval
    return jnp.zeros(_core(aval, a), aval.dtype)


batching.primitive_batchers[primitive] = _batching_rule
ad.primitive_jvps[primitive] = _jvp_rule
ad.primitive_transposes[primitive] = _transpose_rule


_ffi: Any = jax.ffi
_alive: dict[str, Any] = {}
"""Name → code, which XLA may call as long as the process lives."""


def target(family: DerivativeFamily) -> str:
    """The name by which XLA calls a kernel: JAX's own cache of executables depends on nothing else of it."""
    name = f"kinetrace_{HANDLER}_{family.identity}"
    if name not in _alive:
        program = family.kernel.program
        empty = [a.name for a in family.outputs if a.size == 0]
        if empty:
            raise InputError(f"{program.name}: {empty[0]} has no entries; XLA calls no kernel for nothing")
        with lock:
            if name not in _alive:
                code = compiler.get().xla(program, SCALAR_TYPES[family.dtype])
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code["prepare"])(ctypes.addressof(_host()))
                _ffi.register_ffi_target(name, _ffi.pycapsule(code["xla"]), platform="cpu")
                _alive[name] = code
    return name


@cache
def _host() -> Any:
    """Arguments of the handler's `prepare`."""
    addresses = [ctypes.cast(getattr(ctypes.pythonapi, x), ctypes.c_void_p).value or 0 for x in XLA_HOST_FUNCTIONS]
    major, minor = _version()
    return (ctypes.c_uint64 * (len(XLA_HOST_FUNCTIONS) + 1))(*addresses, minor << 32 | major)


def _version() -> tuple[int, int]:
    """That of the interface in the headers of jaxlib, which handlers then claim; they are written for 0.x."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    text = header.read_text(encoding="utf-8") if header.is_file() else ""
    matches = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (int(x[1]) if x else None for x in matches)
    if major != 0 or minor is None:
        version = "no version in its headers" if major is None or minor is None else f"version {major}.{minor}"
        raise InputError(
            f"kinetrace.jax calls kernels by version 0.x of XLA's foreign function interface; jaxlib of JAX "
            f"{jax.__version__} has {version}: take another version of JAX"
        )
    return major, minor
