"""Protocols: objects that have a model, or settings of kernels, and functions that know the shapes of arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from .model import Model


@runtime_checkable
class ModelSource(Protocol):
    """An object that stands for its model where functions are compiled or differentiated; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints and bodies."""

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model for one function, given its arguments beyond the required ones."""


@runtime_checkable
class SettingsSource(Protocol):
    """An object that says how its kernels are compiled; a `Robot` is one."""

    @property
    def _of_kernels(self) -> Mapping[str, Any]:
        """Settings as keywords of `compile`: `dtype`, `backend` and `threads`."""


@runtime_checkable
class ShapeSource(Protocol):
    """A function of a model that gives the shapes of arguments of its own, as derivatives do."""

    def argument_shapes(self, model: Model, sizes: Mapping[str, Any], **static: Any) -> Mapping[str, Any]:
        """Name → shape, from the shapes that are known and the values of other arguments."""


class HasSizes(Protocol):
    """An object with a model and the sizes of its vectors; a `Robot` is one."""

    @property
    def model(self) -> Model:
        """Joints and bodies."""

    @property
    def nq(self) -> int:
        """Numbers in q."""

    @property
    def nv(self) -> int:
        """Numbers in v."""
