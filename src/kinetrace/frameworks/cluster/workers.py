"""Who evaluates pieces: the workers of a Dask cluster, or threads of this process; few pieces are begun at a time."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from ...errors import InputError
from ...support.optional import require_package
from ...support.threads import cores
from .pieces import Job, Piece
from .zarr import ArraySource

Report = tuple[str, int]
"""Name of a process, and the most memory that it has used."""
WARNING_SECONDS = 30.0
"""Seconds without workers that are not worth a warning."""


class Workers(Protocol):
    """Those who evaluate pieces."""

    def window(self) -> int:
        """How many pieces should be under way."""

    def submit(self, piece: Piece) -> None:
        """Begin a piece."""

    def finished(self) -> list[tuple[Piece, Callable[[], Report]]]:
        """Wait for pieces that are done, or failed: their results are functions, which raise errors."""

    def close(self) -> None:
        """Forget all that is under way."""


class Threads:
    """Threads of this process, as many as it has cores."""

    def __init__(self, job: Job) -> None:
        self._job, self._pieces, self._count = job, dict[Future[Report], Piece](), cores()
        self._pool = ThreadPoolExecutor(self._count)

    def window(self) -> int:
        """One piece per thread."""
        return self._count

    def submit(self, piece: Piece) -> None:
        """Begin a piece."""
        self._pieces[self._pool.submit(self._run, piece)] = piece

    def _run(self, piece: Piece) -> Report:
        source = self._job.source
        if not isinstance(source, ArraySource):
            return self._job.run(piece)
        blocks = require_package("dask", "Dask arrays", "cluster").compute(*source.blocks(piece), scheduler="sync")
        return self._job.run(piece, blocks)

    def finished(self) -> list[tuple[Piece, Callable[[], Report]]]:
        """Wait for one at least."""
        done = wait(self._pieces, return_when=FIRST_COMPLETED).done
        return [(self._pieces.pop(future), future.result) for future in done]

    def close(self) -> None:
        """Wait for what is under way."""
        self._pool.shutdown(cancel_futures=True)


class Cluster:
    """The workers of a Dask client. What a worker had begun when it was lost, others begin anew."""

    def __init__(self, job: Job, client: Any) -> None:
        self._job, self._client, self._asked = job, client, -1.0
        self._threads, self._served = 0, time.monotonic()
        self._pieces, self._ready = dict[Any, Piece](), SimpleQueue[Any]()

    def window(self) -> int:
        """Two pieces per thread of a worker, so that none waits; workers may come and go."""
        if time.monotonic() - self._asked > 1.0:
            self._ask()
        return 2 * max(1, self._threads)

    def _ask(self) -> None:
        """Count the threads of workers; say so once if there have been none for a while."""
        self._threads, self._asked = sum(self._client.ncores().values()), time.monotonic()
        self._served = self._asked if self._threads else self._served
        if self._asked - self._served > WARNING_SECONDS:
            warnings.warn("the cluster has no workers; waiting for some", RuntimeWarning, stacklevel=4)
            self._served = float("inf")

    def submit(self, piece: Piece) -> None:
        """Begin a piece."""
        if isinstance(self._job.source, ArraySource):
            task = require_package("dask", "Dask arrays", "cluster").delayed(_run, pure=False)
            delayed = task(self._job, piece, *self._job.source.blocks(piece))
            future = self._client.compute(delayed)
        else:
            future = self._client.submit(_run, self._job, piece, pure=False)
        self._pieces[future] = piece
        future.add_done_callback(self._ready.put)

    def finished(self) -> list[tuple[Piece, Callable[[], Report]]]:
        """Wait for one at least."""
        while True:
            with suppress(Empty):
                done = [self._ready.get(timeout=WARNING_SECONDS / 2)]
                while not self._ready.empty():
                    done.append(self._ready.get())
                return [(self._pieces.pop(future), future.result) for future in done]
            self._ask()

    def close(self) -> None:
        """Cancel what is under way."""
        self._client.cancel(list(self._pieces))
        self._pieces.clear()


def workers(job: Job, client: Any) -> Workers:
    """Those of a client, of the current one if there is any, otherwise threads."""
    distributed = sys.modules.get("distributed")
    if client is None and distributed is not None:
        try:
            client = distributed.default_client()
        except ValueError:  # there is none
            client = None
    if client is None:
        return Threads(job)
    if distributed is None or not isinstance(client, distributed.Client):
        raise InputError(f"client must be a distributed.Client, got {type(client).__name__}")
    if client.asynchronous:
        raise InputError("client is asynchronous: give one of distributed.Client(...) without asynchronous=True")
    return Cluster(job, client)


def _run(job: Job, piece: Piece, *blocks: Any) -> Report:
    """Evaluate a piece on a worker, where kernels of the same recipe are one; see `cache.one_per_content`."""
    return job.run(piece, blocks)
