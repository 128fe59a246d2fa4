"""`Robot`: the methods of a robot on Dask arrays, in blocks sized by memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.runtime import arguments
from ...engine.runtime.kernel import Kernel
from ...robot import Robot as NumPyRobot
from ...support.optional import require_package
from ..methods import RobotMethods
from .pieces import CHUNK_BYTES, checked_bytes, state_bytes

JOINED_BLOCKS = 8
"""Blocks are joined if so many of the largest one fit into a chunk."""


class DaskRobot(RobotMethods):
    """Robot whose methods take arrays of any size and return Dask arrays, which are evaluated when they are computed.

    Methods of `kinetrace.Robot` take Dask arrays too, in the blocks that they have. Here blocks are made as large as
    `chunk_bytes` allows: larger ones are cut, and small ones joined; NumPy arrays are divided as well. Axes of xarray's
    arrays are matched by name, and results are xarray's, on Dask arrays. Parameters of the robot, such as
    ``inertial=``, may be given by name to any method.

    Parameters
    ----------
    robot : Robot
        Robot to evaluate.
    chunk_bytes : int, default 16777216
        Bytes of the arguments and results of a block; a worker's thread needs about four times as much.

    Raises
    ------
    InputError
        If it is no robot, `chunk_bytes` is no positive number, or Dask is missing.

    Examples
    --------
    >>> import dask.array as da, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> on_dask = kt.cluster.Robot(robot, chunk_bytes=3200)
    >>> q = da.random.default_rng(0).uniform(-1, 1, size=(1000, 2), chunks=1000)
    >>> tau = on_dask.gravity(q)
    >>> tau.shape, tau.numblocks, bool((tau.compute() == robot.gravity(q.compute())).all())
    ((1000, 2), (10, 1), True)
    """

    framework = "Dask"
    public_name = "kt.cluster.Robot"
    array = "dask.array.Array"
    chunk_bytes: int

    def __init__(self, robot: NumPyRobot, chunk_bytes: int = CHUNK_BYTES) -> None:
        super().__init__(robot)
        require_package("dask.array", "kinetrace.cluster.Robot", "cluster")
        self.chunk_bytes = checked_bytes(chunk_bytes)

    def _evaluate(self, kernel: Kernel, arrays: tuple[Any, ...]) -> Any:
        dask = require_package("dask.array", "kinetrace.cluster.Robot", "cluster")
        if any(map(arguments.is_xarray, arrays)):
            return kernel(*self._rechunk_by_name(kernel, arrays))
        arguments.check_tables(kernel.batch, arrays)
        blocks = []
        for k, x in enumerate(arrays):
            x = x.to_dask_array() if hasattr(x, "to_dask_array") else x
            plain = x if isinstance(x, dask.Array) else arguments.plain_one(kernel.program, k, x)
            blocks.append(dask.asarray(plain, chunks=-1))
        axes = [x.ndim - len(a.shape) for x, a in zip(blocks, kernel.program.inputs, strict=False)]
        if not blocks or min(axes) < 0 or any(math.isnan(n) for x in blocks for n in x.shape):
            return kernel(*blocks)  # which says what is wrong, or takes blocks as they are
        return kernel(*self._rechunk(blocks, axes, state_bytes(kernel)))

    def _rechunk_by_name(self, kernel: Kernel, arrays: tuple[Any, ...]) -> list[Any]:
        """Arrays of xarray in blocks of the same size along axes of the same name."""
        dask = require_package("dask.array", "kinetrace.cluster.Robot", "cluster")
        pairs = [(x, a) for x, a in zip(arrays, kernel.program.inputs, strict=False) if arguments.is_xarray(x)]
        sizes = {dim: n for x, a in pairs for dim, n in list(x.sizes.items())[: max(0, x.ndim - len(a.shape))]}
        kind = np.dtype((np.void, state_bytes(kernel)))
        blocks = dask.core.normalize_chunks("auto", tuple(sizes.values()), limit=self.chunk_bytes, dtype=kind)
        chunks = dict(zip(sizes, blocks, strict=True))
        return [
            x.chunk({dim: n for dim, n in chunks.items() if dim in x.dims}) if arguments.is_xarray(x) else x
            for x in arrays
        ]

    def _rechunk(self, arrays: list[Any], axes: list[int], size: int) -> list[Any]:
        """The arrays in blocks of the same rows: those of the array with most batch axes, cut or joined if need be."""
        dask = require_package("dask.array", "kinetrace.cluster.Robot", "cluster")
        count = max(axes)
        largest = [[1] * count for _ in arrays]
        lengths = [1] * count
        for x, n, blocks in zip(arrays, axes, largest, strict=True):
            for k in range(n):
                blocks[count - n + k] = max(x.chunks[k], default=0)
                lengths[count - n + k] = max(lengths[count - n + k], x.shape[k])
        rows = math.prod(max(x) for x in zip(*largest, strict=True))
        is_small = rows < self.chunk_bytes / size / JOINED_BLOCKS and rows < math.prod(lengths)
        if rows * size <= self.chunk_bytes and not is_small:
            return arrays
        kind = np.dtype((np.void, size))
        chunks = dask.core.normalize_chunks("auto", tuple(lengths), limit=self.chunk_bytes, dtype=kind)
        result = []
        for x, n in zip(arrays, axes, strict=True):
            sizes = {k: chunks[count - n + k] for k in range(n) if x.shape[k] == lengths[count - n + k]}
            result.append(x.rechunk({**sizes, **{k: -1 for k in range(n, x.ndim)}}))
        return result
