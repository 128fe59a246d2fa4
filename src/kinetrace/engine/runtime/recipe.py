"""The recipe of a kernel: what it was compiled from, and the labels of its arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ...errors import InputError, name_list

Backend = Literal["llvm", "numpy"]


class ArrayLabels(NamedTuple):
    """Names of the axes of a kernel's arrays and of the entries along them, for arrays that carry labels.

    An axis is a text such as "nv" or "6"; axes of the same name mean the same.
    """

    owner: str = ""
    """Variable by which messages refer to the object that orders the entries, as "robot"."""
    attribute: str = ""
    """Its attribute that has their order, as "joint_names"."""
    entries: tuple[str, ...] = ()
    """Names of entries in that order: labels among these must follow it."""
    inputs: Mapping[str, tuple[str, ...]] = {}
    """Argument → its axes behind batch axes, where they have names."""
    outputs: Sequence[tuple[str, tuple[str, ...]]] | None = None
    """Names of results, empty if there is one, and their axes; None if they are not known."""
    state_sizes: Mapping[str, int] = {}
    """Axis of a state → its length."""
    dimensions: Mapping[str, str] = {}
    """Axis → what it is called in results where no argument has a name for it."""
    same_entries: Mapping[str, str] = {}
    """Axis → another one, whose labels it has too if both are of one length."""

    def check_order(self, function: str, argument: str, labels: Iterable[Any], remedy: str) -> None:
        """An error if entries of an argument are labelled in another order; `remedy` selects by `{order}`.

        >>> ArrayLabels("robot", "joint_names", ("a", "b")).check_order("gravity", "q", ["b", "a"], "q[{order}]")
        Traceback (most recent call last):
        kinetrace.errors.InputError: gravity: entries of q are labelled 'b', 'a', but the robot's order is 'a', 'b': \
q[list(robot.joint_names)] has it
        """
        given = [label for label in labels if isinstance(label, str) and label in self.entries]
        if given != [entry for entry in self.entries if entry in given]:
            select = remedy.format(order=f"list({self.owner}.{self.attribute})")
            right = f"the {self.owner}'s order is {name_list(self.entries)}: {select} has it"
            raise InputError(f"{function}: entries of {argument} are labelled {name_list(given)}, but {right}")


NO_LABELS = ArrayLabels()


class KernelRecipe(Protocol):
    """Function and model that a kernel of `compile` was compiled from."""

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

    @property
    def labels(self) -> ArrayLabels:
        """Names of the axes and entries of its arrays."""

    def flat(self) -> Any:
        """The function as one of plain arrays; see `derivative.array_function`."""

    def __call__(self, dtype: str, backend: Backend, threads: int | None) -> tuple[Any, ...] | None:
        """A function and its arguments, which are pickled instead of the program; None if the program must be."""
