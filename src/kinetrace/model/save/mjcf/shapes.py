"""Shapes of a model as geoms and meshes of MJCF."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....arrays import Array
from ...body import WORLD, Geometry, Mesh
from ...model import Model
from ..unsaid import Unsaid
from .elements import Element
from .joints import pose_text, text

_READ = (".stl", ".obj", ".msh")
"""Files that MuJoCo reads."""
_MOST_FACES = 200_000
"""Of an STL file that MuJoCo reads."""
_GROUPS = {"visual": "2", "collision": "3"}


class Shapes:
    """Geoms by body, and the meshes that they use."""

    def __init__(self, model: Model, unsaid: Unsaid) -> None:
        self.assets, self.geoms = list[Element](), dict[int, list[Element]]()
        self._names: dict[object, str] = {}
        for shape in model.geometry:
            frame = model.frames[shape.frame]
            found = self._geom(shape, frame.X_bf @ shape.placement, frame.body, unsaid)
            if found is not None:
                self.geoms.setdefault(frame.body, []).append(found)

    def _geom(self, shape: Geometry, X: Array, body: int, unsaid: Unsaid) -> Element | None:
        half = [x / 2 for x in shape.size]
        sizes = {
            "box": half,
            "sphere": shape.size,
            "ellipsoid": shape.size,
            "cylinder": [shape.size[0], *half[1:]],
            "capsule": [shape.size[0], *half[1:]],
            "plane": [*half[:2], 0.05],
        }
        if shape.kind == "plane" and body != WORLD:
            unsaid.add("planes on moving bodies", shape.frame)
            return None
        found = {"type": shape.kind, "group": _GROUPS.get(shape.role, "2"), **pose_text(X)}
        if shape.kind == "mesh":
            name = self._mesh(shape, unsaid)
            if name is None:
                return None
            found["mesh"] = name
        elif shape.kind in sizes:
            found["size"] = text(np.array(sizes[shape.kind]))
        else:
            unsaid.add("shapes of a kind that MJCF does not have", shape.kind)
            return None
        if shape.role == "visual":
            found |= {"contype": "0", "conaffinity": "0"}
        if shape.color is not None:
            found["rgba"] = text(np.array(shape.color))
        return Element("geom", found)

    def _mesh(self, shape: Geometry, unsaid: Unsaid) -> str | None:
        """The name of a mesh, which is added if it is new."""
        key = (id(shape.mesh) if isinstance(shape.mesh, Mesh) else shape.mesh, shape.size)
        if key in self._names:
            return self._names[key]
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
        self.assets.append(Element("mesh", found))
        return name


def _is_read(file: Path) -> bool:
    """Whether MuJoCo reads a file: of STL, only the binary form, which its length shows."""
    suffix = file.suffix.lower()
    if suffix not in _READ or not file.is_file():
        return False
    if suffix != ".stl":
        return True
    with file.open("rb") as opened:
        count = int.from_bytes(opened.read(84)[80:], "little")
    return 0 < count <= _MOST_FACES and file.stat().st_size == 84 + 50 * count
