"""Shapes of a model as geoms, meshes and height fields of MJCF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .....arrays import Array
from .....lie import se3
from .....support.files import head_of, regular_file
from ....body import WORLD, Geometry, Mesh
from ....contact.names import COLLISION
from ....model import Model
from ..losses import Unsaid
from .contacts import surface_text
from .elements import MjcfElement
from .joints import pose_text, text

_READ = (".stl", ".obj", ".msh")
"""Files that MuJoCo reads."""
_MAX_FACES = 200_000
"""Of an STL file that MuJoCo reads."""
_THINNEST = 1e-6
"""Extent that height fields have at least, up and down [m]."""
_GROUPS = {"visual": "2", "collision": "3"}
_FLAT = "shapes without thickness, which MuJoCo does not have"
_FLAT_MESH_RATIO = 1e-6
"""Thickness of a mesh relative to its length, below which MuJoCo takes it for flat."""
_STL = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("more", "<u2")])


class Shapes:
    """Geoms by body, and the meshes that they use."""

    def __init__(self, model: Model, unsaid: Unsaid) -> None:
        self.assets, self.geoms = list[MjcfElement](), dict[int, list[MjcfElement]]()
        self.touching = set[str]()
        """The names of geoms for collisions."""
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
        if kind == "heights":
            field_name, X = self._heights(shape, X)
        found = {"type": kind, "group": _GROUPS.get(shape.role, "2"), **pose_text(X)}
        if kind == "heights":
            found |= {"type": "hfield", "hfield": field_name}
        elif kind == "mesh":
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
        if shape.role != COLLISION:
            found |= {"contype": "0", "conaffinity": "0"}
        else:
            found |= {"name": shape.name} if shape.name else {}
            found |= surface_text(shape.surface, shape.name or shape.frame, unsaid)
            self.touching.add(shape.name)
        if shape.color is not None:
            found["rgba"] = text(np.array(shape.color))
        return MjcfElement("geom", found)

    def _heights(self, shape: Geometry, X: Array) -> tuple[str, Array]:
        """The name of a height field, and its pose: heights there are from 0 to 1, rows from the far end of y."""
        assert shape.heights is not None
        x, y, thickness = shape.size
        low, top = float(shape.heights.min()), float(shape.heights.max())
        size = [x / 2, y / 2, max(top - low, _THINNEST), max(thickness + low, _THINNEST)]
        key = (shape.heights.tobytes(), shape.heights.shape, *size)
        if key not in self._names:
            name = self._names[key] = f"heights{len(self._names)}"
            columns, rows = shape.heights.shape
            found = {"name": name, "nrow": str(rows), "ncol": str(columns), "size": text(np.array(size))}
            found["elevation"] = text((shape.heights - low).T[::-1].ravel())
            self.assets.append(MjcfElement("hfield", found))
        name = self._names[key]
        return name, X if low == 0.0 else X @ se3.pose(np.eye(3), np.array([0.0, 0.0, low]))

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
