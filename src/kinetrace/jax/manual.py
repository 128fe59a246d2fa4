"""Several devices: arrays that are cut along batch axes, by XLA or by the user (`jax.shard_map`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from ..frameworks.family import Family

_lax: Any = jax.lax
_typeof: Any = getattr(jax, "typeof", None) or jax.core.get_aval


def together(xs: Sequence[Any]) -> Sequence[Any]:
    """Arrays that all differ from device to device in `shard_map`, or none: so gradients are summed over devices."""
    axes = [_varying(_typeof(x)) for x in xs]
    everything = frozenset[Any]().union(*axes)
    return [_cast(x, tuple(everything - own)) for x, own in zip(xs, axes, strict=True)]


def _varying(aval: Any) -> frozenset[Any]:
    """The axes of the mesh along which an array differs; JAX has had two names for them."""
    earlier = getattr(aval, "vma", frozenset())
    found: frozenset[Any] = getattr(getattr(aval, "manual_axis_type", None), "varying", earlier)
    return found


def _cast(x: Any, axes: tuple[Any, ...]) -> Any:
    if not axes:
        return x
    return _lax.pcast(x, axes, to="varying") if hasattr(_lax, "pcast") else _lax.pvary(x, axes)


def result(shape: tuple[int, ...], dtype: str, avals: Sequence[Any]) -> Any:
    """What is known of a result of arrays: on which devices it differs, too."""
    if not avals or not _varying(avals[0]):
        return jax.core.ShapedArray(shape, jnp.dtype(dtype))
    uncut = NamedSharding(avals[0].sharding.mesh, PartitionSpec(*[None] * len(shape)))
    return avals[0].update(shape=shape, dtype=jnp.dtype(dtype), weak_type=False, sharding=uncut)


def is_partitioned(context: Any) -> bool:
    """Whether XLA cuts arrays for several devices here, and asks how a function may be cut."""
    devices = getattr(context.module_context.axis_context, "device_assignment", None) or ()
    return len(devices) > 1 and bool(getattr(jax.config, "jax_use_shardy_partitioner", False))


def by_parts(primitive: Any, family: Family, avals: Sequence[Any]) -> Callable[..., Any]:
    """The same function of arrays, which XLA may cut along batch axes and no others."""
    from jax.experimental.custom_partitioning import custom_partitioning

    def whole(*xs: Any) -> Any:
        return primitive.bind(*xs, family=family)

    def part(mesh: Any, given: Any, results: Any) -> Any:
        return mesh, whole, [x.sharding for x in results], tuple(x.sharding for x in given)

    most = max(x.ndim - len(a.shape) for x, a in zip(avals, family.inputs, strict=True))
    batch, names = [f"b{k}" for k in range(most)], (f"x{k}" for k in count())
    cores = [[next(names) for _ in a.shape] for a in (*family.inputs, *family.outputs)]
    ranks = [x.ndim - len(a.shape) for x, a in zip(avals, family.inputs, strict=True)] + [most] * len(family.outputs)
    sides = [" ".join([*batch[:rank], *core]) for rank, core in zip(ranks, cores, strict=True)]
    inputs = len(family.inputs)
    rule = f"{', '.join(sides[:inputs])} -> {', '.join(sides[inputs:])}"
    made = custom_partitioning(whole)
    made.def_partition(partition=part, sharding_rule=rule, need_replication_factors=tuple(sum(cores, [])))
    return made


def needs_devices(primitive: Any) -> None:
    """Let JAX say which devices there are when a primitive is lowered; without that, XLA gathers arrays that are cut."""
    with suppress(ImportError):
        from jax._src.dispatch import prim_requires_devices_during_lowering

        prim_requires_devices_during_lowering.add(primitive)
