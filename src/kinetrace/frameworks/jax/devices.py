"""Several devices: arrays that are cut along batch axes, by XLA or by the user (`jax.shard_map`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from ..differentiable import DerivativeFamily

_lax: Any = jax.lax
_Spec: Any = PartitionSpec


def together(xs: Sequence[Any]) -> Sequence[Any]:
    """Arrays that all differ from device to device in `shard_map`, or none: so gradients are summed over devices."""
    axes = [_varying(jax.typeof(x)) for x in xs]
    everything = frozenset[Any]().union(*axes)
    return [_cast(x, tuple(everything - own)) for x, own in zip(xs, axes, strict=True)]


def _varying(aval: Any) -> frozenset[Any]:
    """The axes of the mesh along which an array differs: `vma` from JAX 0.6 on, `manual_axis_type` from 0.10 on."""
    earlier: frozenset[Any] = getattr(aval, "vma", frozenset())
    found: frozenset[Any] = getattr(getattr(aval, "manual_axis_type", None), "varying", earlier)
    return found


def _cast(x: Any, axes: tuple[Any, ...]) -> Any:
    """An array that differs along these axes too; `pcast` from JAX 0.8 on."""
    if not axes:
        return x
    return _lax.pcast(x, axes, to="varying") if hasattr(_lax, "pcast") else _lax.pvary(x, axes)


def result(shape: tuple[int, ...], dtype: str, axes: int, whole: Sequence[Any]) -> Any:
    """Type of a result with so many batch axes: cut as the arrays that have them are cut."""
    mesh = getattr(getattr(whole[0], "sharding", None), "mesh", None) if whole else None
    if mesh is None or mesh.empty:
        return jax.core.ShapedArray(shape, jnp.dtype(dtype))
    cut = _batch_partition([x.sharding.spec for x in whole], axes, len(shape))
    return whole[0].update(shape=shape, dtype=jnp.dtype(dtype), weak_type=False, sharding=NamedSharding(mesh, cut))


def _batch_partition(specs: Sequence[Any], axes: int, ndim: int) -> Any:
    """How batch axes are cut, by the first array that is; other axes are not."""
    leading = [(*spec, *[None] * axes)[:axes] for spec in specs]
    chosen = next((x for x in leading if any(part is not None for part in x)), (None,) * axes)
    return _Spec(*chosen, *[None] * (ndim - axes))


def is_partitioned(context: Any) -> bool:
    """Whether XLA cuts arrays for several devices of a mesh here, and asks how a function may be cut.

    Without a mesh there is no telling which axes are cut: XLA gathers arrays for a call.
    """
    about = context.module_context.axis_context
    devices, mesh = getattr(about, "device_assignment", None) or (), getattr(about, "abstract_mesh", None)
    known = mesh is not None and not mesh.empty
    return known and len(devices) > 1 and bool(getattr(jax.config, "jax_use_shardy_partitioner", False))


def by_parts(primitive: Any, family: DerivativeFamily, avals: Sequence[Any]) -> Callable[..., Any]:
    """The same function of arrays, which XLA may cut along batch axes and no others."""
    from jax.experimental.custom_partitioning import custom_partitioning

    def run(*xs: Any) -> Any:
        return primitive.bind(*xs, family=family)

    def part(mesh: Any, given: Any, results: Any) -> Any:
        everything = (*given, *results)
        full = [x.sharding for x, own in zip(everything, ranks, strict=True) if own == most]
        specs = [x.spec for x in full if isinstance(x, NamedSharding)]  # of others nothing is known: they are gathered
        cuts = [_batch_partition(specs, own, len(x.shape)) for x, own in zip(everything, ranks, strict=True)]
        shardings = [NamedSharding(mesh, cut) for cut in cuts]
        return mesh, run, shardings[inputs:], tuple(shardings[:inputs])

    inputs = len(family.inputs)
    ranks = [x.ndim - len(a.shape) for x, a in zip(avals, family.inputs, strict=True)]
    most = max(ranks)
    ranks += [most] * len(family.outputs)
    names = (f"x{k}" for k in count())
    cores = [[next(names) for _ in a.shape] for a in (*family.inputs, *family.outputs)]
    sides = [" ".join([*(f"b{k}" for k in range(own)), *core]) for own, core in zip(ranks, cores, strict=True)]
    rule = f"{', '.join(sides[:inputs])} -> {', '.join(sides[inputs:])}"
    make: Any = custom_partitioning
    made = make(run)
    fixed = tuple(x for core in cores for x in core)
    made.def_partition(partition=part, sharding_rule=rule, need_replication_factors=fixed)
    return made


def needs_devices(primitive: Any) -> None:
    """Let JAX say which devices there are when a primitive is lowered; else XLA gathers arrays that are cut."""
    with suppress(ImportError):
        from jax._src.dispatch import prim_requires_devices_during_lowering

        prim_requires_devices_during_lowering.add(primitive)
