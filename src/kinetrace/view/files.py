"""Mesh files as they stand in a page: read once, packed if that pays, shared by all shapes that use them.

A page needs nothing besides itself, so the files that meshes name go with them: textures of Collada files, the material
library and textures of OBJ files, buffers and textures of glTF files. Meshes may come from strangers: only pictures,
.mtl and .bin files are taken, and only regular ones below the folders of the robot and its packages, wherever names,
`..`, links and addresses lead. What is left out is said.
"""

from __future__ import annotations

import base64
import gzip
import os
import re
import stat
from collections.abc import Iterator, Sequence
from errno import ENOENT
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..model.body import Mesh
from ..model.files.load.meshes import roots_of
from ..support.files import regular_file

MESH_FORMATS = {".stl": "stl", ".dae": "dae", ".obj": "obj", ".gltf": "gltf", ".glb": "gltf"}
"""Suffixes of mesh files that are shown."""
MAX_FILE_BYTES = 64 * 2**20
"""Bytes that a file may have."""
MAX_PAGE_BYTES = 256 * 2**20
"""Bytes of all files of a page."""
PACKED_PART = 0.9
"""A file is packed if that leaves less than this part of it."""
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tga")
_USES = {
    "dae": re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<>\s][^<>]*?)\s*<", re.IGNORECASE),
    "obj": re.compile(rb"^\s*mtllib\s+(.+?)\s*$", re.MULTILINE),
    "mtl": re.compile(rb"^\s*(?:map_\w+|bump|disp|norm)\s+(?:.*\s)?(\S+)\s*$", re.MULTILINE | re.IGNORECASE),
    "gltf": re.compile(rb'"uri"\s*:\s*"([^"]+)"'),
}
"""Format → the names of other files in it."""
_USED_SUFFIXES = {"dae": _PICTURES, "mtl": _PICTURES, "obj": (".mtl",), "gltf": (*_PICTURES, ".bin")}
"""Format → kinds of other files that are taken."""
_ADDRESS = re.compile(r"file:(//(localhost)?(?=/))?", re.IGNORECASE)


class Files:
    """Files of a page by key; `missing` says which could not be taken, and why."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.missing: dict[str, str] = {}
        self._keys: dict[Any, str | None] = {}
        self._size = 0

    def mesh(self, mesh: str | Mesh) -> str | None:
        """The key of a mesh, a path or arrays; None if it cannot be shown."""
        known = mesh if isinstance(mesh, str) else id(mesh)
        if known not in self._keys:
            self._keys[known] = self._file(mesh) if isinstance(mesh, str) else self._arrays(mesh)
        return self._keys[known]

    def _file(self, name: str) -> str | None:
        try:
            path = mesh_file(name)
        except (OSError, ValueError) as error:
            return self._miss(name, getattr(error, "strerror", None) or str(error))
        kind, content = MESH_FORMATS[path.suffix.lower()], self._read(path, name)
        if content is None:
            return None
        if kind == "stl" and not _is_stl(content):
            return self._miss(name, "it is damaged")
        uses, material, roots = {}, None, roots_of(path)
        for used, other in self._others(kind, content, path, roots):
            if other.suffix.lower() == ".mtl":
                material = self._library(other, roots)
            elif (key := self._plain(other)) is not None:
                uses[used] = key
        if material is not None:
            uses.update(material[1])
        more = {} if material is None else {"material": material[0]}
        return self._add(content, name=path.name, format=kind, uses=uses, **more)

    def _library(self, path: Path, roots: list[Path]) -> tuple[str, dict[str, str]] | None:
        """The key of a material library, and the textures that it uses."""
        content = self._read(path, str(path))
        if content is None:
            return None
        textures = {name: key for name, p in self._others("mtl", content, path, roots) if (key := self._plain(p))}
        return self._add(content, name=path.name, format="mtl"), textures

    def _others(self, kind: str, content: bytes, path: Path, roots: list[Path]) -> Iterator[tuple[str, Path]]:
        """Names in a file, and the files that they mean."""
        if kind not in _USES or content[:4] == b"glTF":
            return
        for name in dict.fromkeys(x.decode("utf-8", "replace") for x in _USES[kind].findall(content)):
            try:
                file = used_file(name, path.parent, roots, _USED_SUFFIXES[kind])
            except (OSError, ValueError) as error:
                self._miss(f"{name} of {path.name}", getattr(error, "strerror", None) or str(error))
                continue
            if file is not None:
                yield unquote(name), file

    def _plain(self, path: Path) -> str | None:
        known = str(path)
        if known not in self._keys:
            content = self._read(path, known)
            self._keys[known] = None if content is None else self._add(content, name=path.name, format="data")
        return self._keys[known]

    def _arrays(self, mesh: Mesh) -> str | None:
        vertices = np.ascontiguousarray(mesh.vertices, dtype="<f4")
        faces = np.ascontiguousarray(mesh.faces, dtype="<u4")
        content = vertices.tobytes() + faces.tobytes()
        if not self._fits(len(content)):
            return self._miss(f"{len(faces)} triangles", "the page would be too large")
        return self._add(content, name="mesh", format="arrays", vertices=len(vertices))

    def _read(self, path: Path, name: str) -> bytes | None:
        try:
            if not self._fits(_checked_size(path)):
                self._miss(name, "the page would be too large")
                return None
            return regular_file(path, MAX_FILE_BYTES)
        except (OSError, ValueError) as error:
            self._miss(name, getattr(error, "strerror", None) or str(error))
            return None

    def _fits(self, size: int) -> bool:
        return self._size + size <= MAX_PAGE_BYTES

    def _miss(self, name: str, why: str) -> str | None:
        """None, and a remark about what is missing."""
        self.missing[name] = why
        return None

    def _add(self, content: bytes, **more: Any) -> str:
        self._size += len(content)
        key = str(len(self.items))
        self.items[key] = {**pack(content), **{k: v for k, v in more.items() if v != {}}}
        return key


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
    _checked_size(path)
    if not _is_below(path.resolve(), roots_of(path)):
        raise ValueError("it is a link that leads out of the folders of the robot")
    return path


def _is_below(real: Path, roots: list[Path]) -> bool:
    return any(real.is_relative_to(root) for root in roots)


def used_bytes(name: str, mesh: Path) -> bytes:
    """The content of a file that a mesh names; a ValueError or an OSError if it may not, or there is none."""
    file = used_file(name, mesh.parent, roots_of(mesh), (*_PICTURES, ".mtl", ".bin"))
    if file is None:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), name)
    _checked_size(file)
    return regular_file(file, MAX_FILE_BYTES)


def _checked_size(path: Path) -> int:
    info = path.stat()
    if not stat.S_ISREG(info.st_mode):
        raise ValueError("it is not a regular file")
    size = info.st_size
    if size > MAX_FILE_BYTES:
        raise ValueError(f"it has {size / 2**20:.0f} MB, more than {MAX_FILE_BYTES // 2**20}")
    return size


def _is_stl(content: bytes) -> bool:
    """Whether the content may be that of an STL file: text, or as many triangles as it says."""
    count = int.from_bytes(content[80:84], "little")
    return b"facet" in content[:10_000] or (len(content) >= 84 + 50 * count and len(content) > 84)


def pack(content: bytes) -> dict[str, Any]:
    """Bytes as text of a page, in gzip if that pays.

    >>> pack(b"kinetrace")
    {'data': 'a2luZXRyYWNl'}
    >>> pack(bytes(1000))["gzip"]
    True
    """
    small = gzip.compress(content, 6, mtime=0) if len(content) > 200 else content
    pays = len(small) < PACKED_PART * len(content)
    text: dict[str, Any] = {"data": base64.b64encode(small if pays else content).decode("ascii")}
    return {**text, "gzip": True} if pays else text


def floats(x: Any) -> dict[str, Any]:
    """Numbers as text of a page, in single precision."""
    return pack(np.ascontiguousarray(x, dtype="<f4").tobytes())
