"""Content of mesh files: which are read, how large they may be, which other files they may name.

Meshes may come from strangers: only pictures, .mtl and .bin files are taken beside them, and only regular ones below
the folders of the robot and its packages, wherever names, `..`, links and addresses lead. trimesh reads them.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from errno import ENOENT
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ....arrays import Array
from ....support.files import regular_file
from ....support.optional import require_package
from .meshes import roots_of

MESH_FORMATS = {".stl": "stl", ".dae": "dae", ".obj": "obj", ".gltf": "gltf", ".glb": "gltf"}
"""Suffixes of mesh files that are read."""
MAX_FILE_BYTES = 64 * 2**20
"""Bytes that a file may have."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tga")
"""Kinds of pictures that a mesh may use."""
_ADDRESS = re.compile(r"file:(//(localhost)?(?=/))?", re.IGNORECASE)


def used_file(name: str, folder: Path, roots: list[Path], kinds: Sequence[str]) -> Path | None:
    """The file that a mesh in a folder names; None if it is no name of a file.

    It is as named, or beside the mesh. A ValueError if it is of another kind, or not below one of the roots, once all
    links are followed; an OSError if there is none.
    """
    plain = _ADDRESS.sub("", unquote(name).replace("\\", "/"), count=1)
    if name.startswith("data:"):
        return None
    if Path(plain).suffix.lower() not in kinds:
        if "/" not in plain:
            return None  # the name of an image in the file itself
        raise ValueError(f"a mesh of this kind uses {', '.join(kinds)}")
    for path in (folder / plain, folder / Path(plain).name):
        real = path.resolve()
        if path.is_file() and real.suffix.lower() in kinds and _is_below(real, roots):
            return real
    if not (folder / plain).exists():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT))
    raise ValueError("it is not a regular file below the folders of the robot: packages={name: folder} adds one")


def mesh_file(name: str) -> Path:
    """The path of a regular file with a mesh; ValueError or OSError if it is not one, too large or not there."""
    path = Path(name)
    if path.suffix.lower() not in MESH_FORMATS:
        raise ValueError(f"shown are {', '.join(MESH_FORMATS)}")
    checked_size(path)
    if not _is_below(path.resolve(), roots_of(path)):
        raise ValueError("it is a link that leads out of the folders of the robot")
    return path


def _is_below(real: Path, roots: list[Path]) -> bool:
    return any(real.is_relative_to(root) for root in roots)


def used_bytes(name: str, mesh: Path) -> bytes:
    """The content of a file that a mesh names; a ValueError or an OSError if it may not, or there is none."""
    file = used_file(name, mesh.parent, roots_of(mesh), (*PICTURES, ".mtl", ".bin"))
    if file is None:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), name)
    checked_size(file)
    return regular_file(file, MAX_FILE_BYTES)


def checked_size(path: Path) -> int:
    """The size of a regular file; a ValueError if it is not one, or too large."""
    info = path.stat()
    if not stat.S_ISREG(info.st_mode):
        raise ValueError("it is not a regular file")
    size = info.st_size
    if size > MAX_FILE_BYTES:
        raise ValueError(f"it has {size / 2**20:.0f} MB, more than {MAX_FILE_BYTES // 2**20}")
    return size


def read_mesh(path: Path) -> tuple[Array, Array]:
    """The vertices (n, 3) and triangles (k, 3) of a file, which is read again when it has changed."""
    return _read(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: str, changed: int) -> tuple[Array, Array]:
    """The vertices and triangles of a file, which is read again when it has changed."""
    trimesh: Any = require_package("trimesh", "reading a file of a mesh", "collision")
    mesh = trimesh.load(path, force="mesh", process=False, resolver=_UsedFiles(Path(path)))
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)


class _UsedFiles(Mapping[str, bytes]):
    """Gives trimesh the other files of a mesh by name, those that it may use; it cannot list them."""

    def __init__(self, mesh: Path) -> None:
        self._mesh = mesh

    def __getitem__(self, name: str) -> bytes:
        return used_bytes(name, self._mesh)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True  # it is one, though it lists nothing


def usable(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """The vertices, and the triangles whose corners are there and finite."""
    if vertices.ndim != 2 or faces.ndim != 2:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
    faces = faces[np.all((faces >= 0) & (faces < len(vertices)), axis=1)]
    finite = np.isfinite(vertices).all(axis=1)
    return np.where(finite[:, None], vertices, 0.0), faces[finite[faces].all(axis=1)]
