"""Mesh files as they stand in a page: read once, packed if that pays, shared by all shapes that use them.

A page needs nothing besides itself, so the files that meshes name go with them: textures of Collada files, the material
library and textures of OBJ files, buffers and textures of glTF files. Meshes may come from strangers: only pictures,
.mtl and .bin files are taken, and only regular ones below the folders of the robot and its packages, wherever names,
`..`, links and addresses lead. What is left out is said.
"""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from ..model.body import Mesh
from ..model.files.load.mesh_files import (
    MAX_FILE_BYTES,
    MESH_FORMATS,
    PICTURES,
    checked_size,
    mesh_file,
    used_file,
)
from ..model.files.load.meshes import roots_of
from ..support.files import regular_file

MAX_PAGE_BYTES = 256 * 2**20
"""Bytes of all files of a page."""
PACKED_PART = 0.9
"""A file is packed if that leaves less than this part of it."""
_USES = {
    "dae": re.compile(rb"<init_from>\s*(?:<ref>)?\s*([^<>\s][^<>]*?)\s*<", re.IGNORECASE),
    "obj": re.compile(rb"^\s*mtllib\s+(.+?)\s*$", re.MULTILINE),
    "mtl": re.compile(rb"^\s*(?:map_\w+|bump|disp|norm)\s+(?:.*\s)?(\S+)\s*$", re.MULTILINE | re.IGNORECASE),
    "gltf": re.compile(rb'"uri"\s*:\s*"([^"]+)"'),
}
"""Format → the names of other files in it."""
_USED_SUFFIXES = {"dae": PICTURES, "mtl": PICTURES, "obj": (".mtl",), "gltf": (*PICTURES, ".bin")}
"""Format → kinds of other files that are taken."""


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
            if not self._fits(checked_size(path)):
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
