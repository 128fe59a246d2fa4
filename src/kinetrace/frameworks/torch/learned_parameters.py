"""Parameters of a robot that are learnt: which coordinates an optimiser changes, and the numbers that follow.

plain          the numbers themselves
log-Cholesky   of each body ten coordinates θ, of which `lie.inertia.from_log_cholesky` makes the inertial parameters
               of a body that can exist, whatever they are (Rucker and Wensing 2022)
poses          M exp(ε), of each pose M six coordinates ε, zero at first (ω, v): placements and closures stay poses
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import nn

from ...errors import InputError
from ...lie import inertia


class LearnedQuantity(nn.Module, ABC):
    """Some numbers of a robot as a function of the parameter `coordinates`; `rows` are those of bodies that change.

    A state of it holds all of the numbers, and loads into a module alone that learns in the same way.
    """

    quantity: str
    """Quantity that is learnt, for people."""
    number: int
    """Number of the quantity that is learnt, in states."""
    own: torch.Tensor
    """The robot's own numbers, which stay where nothing is learnt."""
    form: torch.Tensor
    """Of each row of them the `number`, or zero where nothing is learnt: floats, as states may be averaged."""

    def __init__(self, own: np.ndarray, rows: list[int] | None = None) -> None:
        super().__init__()
        self.rows = rows
        self.register_buffer("own", torch.tensor(own))
        self.register_buffer("form", torch.tensor(self._form(len(own)), dtype=self.own.dtype))
        self.coordinates = nn.Parameter(torch.tensor(self.start(own if rows is None else own[rows])))

    @staticmethod
    @abstractmethod
    def start(x: np.ndarray) -> np.ndarray:
        """The coordinates of numbers, in their precision."""

    @staticmethod
    @abstractmethod
    def numbers(coordinates: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The numbers at coordinates; `own` are those of the robot."""

    def forward(self) -> torch.Tensor:
        """All of the numbers, as the methods of a robot take them."""
        if self.rows is None:
            return self.numbers(self.coordinates, self.own)
        rows = torch.tensor(self.rows, device=self.own.device)
        return self.own.index_copy(0, rows, self.numbers(self.coordinates, self.own[rows]))

    def _form(self, length: int) -> np.ndarray:
        """Form of the parameters, also of a module whose numbers are not there yet."""
        form = np.zeros(length)
        form[slice(None) if self.rows is None else self.rows] = self.number
        return form

    def _load_from_state_dict(self, state: dict[str, Any], prefix: str, *further: Any) -> None:
        """An error unless the state is of a module that learns in the same way."""
        theirs = state.get(f"{prefix}form")
        if theirs is not None and not theirs.is_meta and theirs.shape == self.form.shape:
            form = theirs.detach().cpu().double().numpy()
            ours = self._form(len(form))
            if not (np.abs(form - ours) < ROUNDING).all():
                raise InputError(f"the state holds {_describe(form)}, but this robot learns {_describe(ours)}")
        super()._load_from_state_dict(state, prefix, *further)


ROUNDING = 0.25
"""How far the `form` in a state may be from ours, after arithmetic."""


class LearnedNumbers(LearnedQuantity):
    """The numbers themselves."""

    quantity, number = "plain numbers", 1

    @staticmethod
    def start(x: np.ndarray) -> np.ndarray:
        """The same."""
        return x

    @staticmethod
    def numbers(coordinates: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The coordinates."""
        return coordinates


class LogCholesky(LearnedQuantity):
    """Inertial parameters of bodies that can exist."""

    quantity, number = "log-Cholesky coordinates", 2

    @staticmethod
    def start(x: np.ndarray) -> np.ndarray:
        """Those of the nearest bodies with mass and extent."""
        pi = inertia.to_parameters(inertia.with_extent(inertia.from_parameters(x.astype(np.float64))))
        return np.asarray(inertia.to_log_cholesky(pi), x.dtype)

    @staticmethod
    def numbers(coordinates: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """Those of physical bodies."""
        return from_log_cholesky(coordinates)


class Poses(LearnedQuantity):
    """Poses, moved by exponentials."""

    quantity, number = "displacements", 3

    @staticmethod
    def start(x: np.ndarray) -> np.ndarray:
        """Zeros."""
        return np.zeros((*x.shape[:-2], 6), x.dtype)

    @staticmethod
    def numbers(coordinates: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The moved poses M exp(ε)."""
        x, y, z = coordinates[..., :3].unbind(-1)
        o = torch.zeros_like(x)
        W = torch.stack([torch.stack(row, -1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], -2)
        top = torch.cat([W, coordinates[..., 3:, None]], -1)
        return own @ torch.linalg.matrix_exp(torch.cat([top, torch.zeros_like(top[..., :1, :])], -2))


def _describe(form: np.ndarray) -> str:
    """Description of what a form learns, for people.

    >>> _describe(np.array([0.0, 1.0])), _describe(np.array([2.0, 2.0])), _describe(np.array([1.5]))
    ('plain numbers of the rows [1]', 'log-Cholesky coordinates', 'a mixture')
    """
    kinds = {kind.number: kind.quantity for kind in (LearnedNumbers, LogCholesky, Poses)}
    rows = np.flatnonzero(~(np.abs(form) < ROUNDING)).tolist()
    learnt_kinds = {kind for kind in kinds if len(rows) and (np.abs(form[rows] - kind) < ROUNDING).all()}
    kind_name = kinds[learnt_kinds.pop()] if learnt_kinds else "a mixture"
    return kind_name if len(rows) == len(form) else f"{kind_name} of the rows {rows}"


def from_log_cholesky(theta: torch.Tensor) -> torch.Tensor:
    """`lie.inertia.from_log_cholesky` of tensors: ten parameters (..., 10) of a physical body, from any ten numbers.

    >>> from_log_cholesky(torch.zeros(10)) + 0.0
    tensor([1., 0., 0., 0., 2., 0., 0., 2., 0., 2.])
    """
    m = torch.exp(2 * theta[..., :1])
    e1, e2, e3 = torch.exp(theta[..., 1:4]).unbind(-1)
    s12, s23, s13 = theta[..., 4:7].unbind(-1)
    x, y, z = theta[..., 7:10].unbind(-1)
    xx = e1 * e1 + s12 * s12 + s13 * s13 + x * x  # the second moments U Uᵀ + t tᵀ
    xy = s12 * e2 + s13 * s23 + x * y
    xz = s13 * e3 + x * z
    yy = e2 * e2 + s23 * s23 + y * y
    yz = s23 * e3 + y * z
    zz = e3 * e3 + z * z
    one = torch.ones_like(x)
    return m * torch.stack([one, x, y, z, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy], -1)


def learned_quantity(name: str, own: np.ndarray, rows: list[int] | None, physical: bool) -> LearnedQuantity:
    """How a parameter of that name is learnt; `rows` are those of bodies that change, all unless given."""
    kind = (
        Poses
        if name in ("placements", "closures")
        else LogCholesky
        if name == "inertial" and physical
        else LearnedNumbers
    )
    return kind(own, rows)
