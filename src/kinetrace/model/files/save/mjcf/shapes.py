"""Elements of MJCF as plain data and text, and shapes of a model as geoms and meshes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from .....arrays import Array
from .....support.files import head_of, regular_file
from ....body import WORLD, Geometry, Mesh
from ....model import Model
from ..losses import Unsaid
from .joints import pose_text, text


@dataclass
class MjcfElement:
    """An element: tag, attributes, children."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: list[MjcfElement] = field(default_factory=list)

    def text(self) -> str:
        """The XML text, indented; without recursion: chains may be long."""
        lines, pending = list[str](), [(self, 0, False)]
        while pending:
            element, depth, is_end = pending.pop()
            indent = "  " * depth
            if is_end:
                lines.append(f"{indent}</{element.tag}>")
                continue
            inside = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
            lines.append(f"{indent}<{element.tag}{inside}{'' if element.children else '/'}>")
            if element.children:
                pending.append((element, depth, True))
                pending += [(child, depth + 1, False) for child in reversed(element.children)]
        return "\n".join(lines) + "\n"


def joints_in(element: MjcfElement) -> list[str]:
    """Names of the joints in an element, in the order of qpos: those of a body before those of its children."""
    found, pending = list[str](), [element]
    while pending:
        body = pending.pop()
        found += [x.attributes["name"] for x in body.children if x.tag == "joint"]
        pending += [x for x in reversed(body.children) if x.tag == "body"]
    return found


_READ = (".stl", ".obj", ".msh")
"""Files that MuJoCo reads."""
_MAX_FACES = 200_000
"""Of an STL file that MuJoCo reads."""
_GROUPS = {"visual": "2", "collision": "3"}
_FLAT = "shapes without thickness, which MuJoCo does not have"
_FLAT_MESH_RATIO = 1e-6
"""Thickness of a mesh relative to its length, below which MuJoCo takes it for flat."""
_STL = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("more", "<u2")])


class Shapes:
    """Geoms by body, and the meshes that they use."""

    def __init__(self, model: Model, unsaid: Unsaid) -> None:
        self.assets, self.geoms = list[MjcfElement](), dict[int, list[MjcfElement]]()
        self._names: dict[object, str] = {}
        for shape in model.geometry:
            frame = model.frames[shape.frame]
            found = self._geom(shape, frame.X_bf @ shape.placement, frame.body, unsaid)
            if found is not None:
                self.geoms.setdefault(frame.body, []).append(found)

    def _geom(self, shape: Geometry, X: Array, body: int, unsaid: Unsaid) -> MjcfElement | None:
        kind, size = _primitive(shape)
        if kind == "plane" and body != WORLD:
            unsaid.add("planes on moving bodies", shape.frame)
            return None
        found = {"type": kind, "group": _GROUPS.get(shape.role, "2"), **pose_text(X)}
        if kind == "mesh":
            name = self._mesh(shape, unsaid)
            if name is None:
                return None
            found["mesh"] = name
        elif size is None:
            unsaid.add("shapes of a kind that MJCF does not have", kind)
            return None
        elif not np.all(np.array(size) > 0.0) and kind != "plane":
            unsaid.add(_FLAT, shape.frame)
            return None
        else:
            found["size"] = text(np.array(size))
        if shape.role == "visual":
            found |= {"contype": "0", "conaffinity": "0"}
        if shape.color is not None:
            found["rgba"] = text(np.array(shape.color))
        return MjcfElement("geom", found)

    def _mesh(self, shape: Geometry, unsaid: Unsaid) -> str | None:
        """The name of a mesh, which is added if it is new."""
        key = (id(shape.mesh) if isinstance(shape.mesh, Mesh) else shape.mesh, shape.size)
        if key in self._names:
            return self._names[key]
        if _is_flat(shape):
            unsaid.add(_FLAT, shape.frame)
            return None
        name = f"mesh{len(self._names)}"
        found = {"name": name, "inertia": "shell"}  # no volume is needed: bodies have inertias of their own
        if not np.array_equal(shape.size, (1.0, 1.0, 1.0)):
            found["scale"] = text(np.array(shape.size))
        if isinstance(shape.mesh, Mesh):
            vertices, faces = shape.mesh.vertices, shape.mesh.faces
            found["vertex"] = " ".join(f"{x:.9g}" for x in vertices.ravel().tolist())
            found["face"] = " ".join(map(str, faces.ravel().tolist()))
        elif shape.mesh is None or not _is_read(Path(shape.mesh)):
            unsaid.add("meshes in files that are missing, or that MuJoCo does not read", Path(shape.mesh or "").name)
            return None
        else:
            found["file"] = shape.mesh
        self._names[key] = name
        self.assets.append(MjcfElement("mesh", found))
        return name


def _primitive(shape: Geometry) -> tuple[str, Sequence[float] | None]:
    """The type of a geom and its size; None for those that have none in MJCF."""
    size = shape.size
    half = [x / 2 for x in size]
    if shape.kind == "capsule" and size[1] == 0.0:
        return "sphere", size[:1]  # its caps alone
    sizes: dict[str, Sequence[float]] = {
        "box": half,
        "sphere": size,
        "ellipsoid": size,
        "cylinder": [*size[:1], *half[1:]],
        "capsule": [*size[:1], *half[1:]],
        "plane": [*half[:2], 0.05],
    }
    return shape.kind, sizes.get(shape.kind)


def _is_flat(shape: Geometry) -> bool:
    """Whether a mesh has no volume around it, for which MuJoCo refuses it; files are read if they are STL."""
    if not np.all(shape.size):
        return True
    if isinstance(shape.mesh, Mesh):
        points = np.asarray(shape.mesh.vertices, dtype=float)
    elif shape.mesh is not None and shape.mesh.lower().endswith(".stl") and _is_read(Path(shape.mesh)):
        faces = regular_file(shape.mesh, 84 + 50 * _MAX_FACES)[84:]
        points = np.frombuffer(faces, dtype=_STL)["points"].reshape(-1, 3).astype(float)
    else:
        return False
    points = points * np.asarray(shape.size)
    moments = np.linalg.eigvalsh(np.cov(points.T)) if len(points) > 3 else np.zeros(3)
    return bool(moments[0] <= _FLAT_MESH_RATIO**2 * moments[2])


def _is_read(file: Path) -> bool:
    """Whether MuJoCo reads a file: of STL, only the binary form, which its length shows."""
    suffix = file.suffix.lower()
    if suffix not in _READ or not file.is_file():
        return False
    if suffix != ".stl":
        return True
    count = int.from_bytes(head_of(file, 84)[80:], "little")
    return 0 < count <= _MAX_FACES and file.stat().st_size == 84 + 50 * count
