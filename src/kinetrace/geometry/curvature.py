"""Curvature of batches: a kernel of O(n³) operations gives what Gauss's equation needs; NumPy makes the n⁴ products."""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt

from ..algorithms import curvature
from ..algorithms.christoffel import INSTEAD_FOR_LOOPS, christoffel
from ..algorithms.declaration import check_tree
from ..errors import InputError
from ..robot import Robot
from ..robot.types import Float
from ..support.plain import as_rng
from ..trace import Program

RANDOM_STATES = 64
"""Random states that `is_flat` looks at."""


def riemann(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """The curvature tensor (..., nv, nv, nv, nv); see `algorithms.riemann`."""
    _check("riemann", robot)
    return _riemann_and_mass(robot, q, threads)[0]


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def ricci(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """Ricci's tensor (..., nv, nv); see `algorithms.ricci`."""
    _check("ricci", robot)
    R, M = _riemann_and_mass(robot, q, threads)
    n = robot.nv
    mixed = _solve(M, R.reshape(*R.shape[:-3], n**3)).reshape(R.shape)
    return np.einsum("...kjkl->...jl", mixed)


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def scalar_curvature(robot: Robot, q: npt.ArrayLike, threads: int | None = None) -> Float:
    """The trace (...) of Ricci's tensor; see `algorithms.scalar_curvature`."""
    _check("scalar_curvature", robot)
    return np.einsum("...kk->...", _solve(robot.mass_matrix(q, threads=threads), ricci(robot, q, threads)))


def is_flat(robot: Robot, tol: float = 1e-9, seed: int = 0) -> bool:
    """Whether the curvature vanishes; see `Robot.is_flat`."""
    if not tol > 0:
        raise InputError(f"tol must be positive, got {tol!r}")
    _check("is_flat", robot)
    if robot.nv < 2 or _is_zero(robot.kernel(christoffel).program):
        return True
    rng = as_rng(seed)
    u, v = rng.normal(size=(2, RANDOM_STATES, robot.nv))
    kernel = robot.kernel(curvature.plane_curvature)
    value, scale = np.moveaxis(kernel(robot.random(RANDOM_STATES, seed=rng), u, v), -1, 0)
    return bool(np.all(np.abs(value) <= tol * np.sqrt(scale)))


def _check(what: str, robot: Robot) -> None:
    """An error, by the name that was called, if the robot has closed loops."""
    check_tree(what, robot.model, INSTEAD_FOR_LOOPS)


@np.errstate(all="ignore")  # a state that is not finite spoils itself alone
def _riemann_and_mass(robot: Robot, q: npt.ArrayLike, threads: int | None) -> tuple[Float, Float]:
    """The curvature tensor and the mass matrix."""
    n = robot.nv
    if n == 0:
        M = robot.mass_matrix(q, threads=threads)
        return M.reshape(*M.shape, 0, 0), M
    screws, rates, P, Gamma, M = robot.kernel(curvature.ingredients)(q, threads=threads)
    rows = Gamma.reshape(*Gamma.shape[:-3], n * n, n).swapaxes(-1, -2)
    raised = _solve(M, rows).swapaxes(-1, -2).reshape(Gamma.shape)
    return curvature.gauss(robot.model, screws, rates, P, Gamma, raised).astype(M.dtype, copy=False), M


def _solve(M: Float, b: Float) -> Float:
    try:
        return cast(Float, np.linalg.solve(M, b))
    except np.linalg.LinAlgError:
        raise InputError("the mass matrix is singular, so it is not a metric and has no curvature") from None


def _is_zero(program: Program) -> bool:
    """Whether a program's results are the constant zero, whatever its inputs."""
    return all(program.nodes[i] == ("const", 0.0) for result in program.results for i in result)
