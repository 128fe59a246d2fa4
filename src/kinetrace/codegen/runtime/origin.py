"""What a kernel is made of, as far as parts beside it need to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol

Backend = Literal["llvm", "numpy"]


class Origin(Protocol):
    """What a kernel of `compile` is made of."""

    @property
    def function(self) -> Callable[..., Any]:
        """The function of a model."""

    @property
    def model(self) -> Any:
        """The model that it is compiled for; its class is unknown here."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Parameters of the model that are arrays of the kernel."""

    @property
    def compact(self) -> bool:
        """Whether outputs are rows of their distinct entries."""

    def flat(self) -> Any:
        """The function as one of plain arrays; see `derivative.flat`."""

    def __call__(self, dtype: str, backend: Backend, threads: int | None) -> tuple[Any, ...] | None:
        """A function and its arguments, which are pickled instead of the program; None if the program must be."""
