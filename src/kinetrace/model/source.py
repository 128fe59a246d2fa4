"""What has a model."""

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
        """The model for one function, from what it is given beyond its required arguments."""
