"""Mesh files: from the names that robot files give them to paths that exist.

    meshes/a.stl             beside the robot's file, or in a folder above it
    package://name/a.stl     in the folder of the package: as given in `packages`, in ROS_PACKAGE_PATH and
                             AMENT_PREFIX_PATH, or the folder of that name beside, or above, the robot's file
    file:///folder/a.stl     there

Backslashes count as slashes and letters may differ in case, where no file has the very name. Nothing is downloaded.
Files that a mesh names in turn, such as textures, are read below the folders that `roots_of` tells alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from ....errors import InputError, unknown_name_error, value_text

PACKAGE = ("package://", "model://")
"""Prefixes of names of files in packages."""


_ROOTS: dict[str, tuple[Path, ...]] = {}
"""Mesh file that a robot file of this process names → folders of that robot: its own, and its packages."""


def package_of(folder: Path) -> Path:
    """The package that a folder belongs to; itself if it belongs to none."""
    return next((each for each in (folder, *folder.parents) if (each / "package.xml").is_file()), folder)


def roots_of(mesh: Path) -> list[Path]:
    """The folders below which a mesh may name other files: those of its robot, and its own folder or package.

    Of meshes that no robot file of this process has named, such as those of pickles, the last alone. A mesh that is a
    link may lead into another package, as those that colcon installs do.
    """
    linked = package_of(mesh.resolve().parent)
    found = [*_ROOTS.get(str(mesh), ()), package_of(mesh.absolute().parent)]
    found += [linked] if (linked / "package.xml").is_file() else []
    return list(dict.fromkeys(each.resolve() for each in found))


def package_folders(packages: Mapping[str, str | os.PathLike[str]] | None) -> dict[str, Path]:
    """The argument `packages`, checked: package name → its folder."""
    if packages is None:
        return {}
    if not isinstance(packages, Mapping) or not all(isinstance(name, str) for name in packages):
        raise InputError(
            f"packages must be a mapping of names to folders, such as {{'my_robot': '..'}}; {value_text(packages)}"
        )
    found = {}
    for name, folder in packages.items():
        try:
            path = Path(folder).expanduser()
            is_folder = path.is_dir()
        except (TypeError, ValueError, RuntimeError, OSError) as error:  # ~nobody, a null character, a name too long
            told = f"must be a path, got {value_text(folder)}: {getattr(error, 'strerror', None) or error}"
            raise InputError(f"packages: the folder of {name!r} {told}") from None
        if not is_folder:
            raise InputError(f"packages: {str(path)!r}, the folder of {name!r}, does not exist")
        found[name] = path.resolve()
    return found


def package_folder(name: str, folder: Path | None, packages: Mapping[str, Path]) -> Path | None:
    """The folder of a package, seen from a folder; None if it is not found."""
    return next((path for path in _package_folders(name, folder, packages) if path.is_dir()), None)


def no_package(name: str, packages: Mapping[str, Path]) -> str:
    """The message for a package that is not found."""
    told = (
        str(unknown_name_error("package", name, packages, called="Given"))
        if packages
        else f"package {name!r} is not found"
    )
    return f"{told}; {package_option(name)} says where it is"


def package_option(name: str) -> str:
    """How it is said where a package is.

    >>> package_option("arm")
    "packages={'arm': folder} (--package arm=FOLDER)"
    """
    return f"packages={{{name!r}: folder}} (--package {name}=FOLDER)"


def _package_folders(name: str, folder: Path | None, packages: Mapping[str, Path]) -> Iterator[Path]:
    if name in packages:
        yield packages[name]
        return
    for above in _above(folder):
        if above.name == name:
            yield above
        yield above / name
    for each in _environment("ROS_PACKAGE_PATH"):
        if each.name == name:
            yield each
        yield each / name
        with suppress(OSError):
            yield from (inner / name for inner in each.iterdir() if inner.is_dir())
    for each in _environment("AMENT_PREFIX_PATH"):
        yield each / "share" / name


def _environment(name: str) -> list[Path]:
    return [Path(each) for each in os.environ.get(name, "").split(os.pathsep) if each]


def _above(folder: Path | None) -> list[Path]:
    """A folder and all above it."""
    return [] if folder is None else [folder, *folder.parents]


class MeshFinder:
    """Finds the mesh files that one robot file names, and remembers those that it does not find."""

    def __init__(self, folder: Path | None, packages: Mapping[str, Path]) -> None:
        self.folder, self.packages = folder, packages
        self.missing: dict[str, str] = {}
        """Name of a file that is not found → the place that names it first."""
        self._found: dict[str, str | None] = {}

    def __call__(self, name: str, place: str) -> str:
        """The file's path; the name itself if there is no such file, below the robot's folder if it is relative."""
        if name not in self._found:
            self._found[name] = self._search(name)
        found = self._found[name]
        if found is not None:
            own = () if self.folder is None else (package_of(self.folder),)
            _ROOTS[found] = tuple(dict.fromkeys((*_ROOTS.get(found, ()), *own, *self.packages.values())))
            return found
        self.missing.setdefault(name, place)
        return name if self.folder is None or "://" in name else str(self.folder / name)

    def remark(self) -> str:
        """Remark about files that are not found; empty if there are none, or no folder to look in."""
        if not self.missing or (self.folder is None and not self.packages):
            return ""
        first, place = next(iter(self.missing.items()))
        count = (
            f"{len(self.missing)} mesh files are not found, the first is" if len(self.missing) > 1 else "no mesh file"
        )
        named = [name for name in self.missing if name.startswith(PACKAGE)]
        package = named[0].partition("://")[2].partition("/")[0] if named else ""
        remedy = f"; {package_option(package)} says where a package is" if package else ""
        return f"{count} {first!r} ({place}); motion does not depend on it{remedy}"

    def _search(self, name: str) -> str | None:
        names = dict.fromkeys((name, name.replace("\\", "/")))
        for look in (_exact, _any_case):
            for each in names:
                for base, rest in self._places(each):
                    with suppress(OSError, ValueError):
                        found = look(base, rest)
                        if found is not None:
                            return str(found)
        return None

    def _places(self, name: str) -> Iterator[tuple[Path, str]]:
        """Where a file may be: folder, and path in it."""
        if name.lower().startswith(PACKAGE):
            package, _, rest = name.partition("://")[2].lstrip("/").partition("/")
            for folder in _package_folders(package, self.folder, self.packages):
                yield folder, rest
            for above in _above(self.folder):  # a copy without the package's own folder
                yield above, rest
        elif name.lower().startswith("file:"):
            path = name[5:].removeprefix("//").removeprefix("localhost")
            for each in dict.fromkeys((path, unquote(path))):
                yield from self._places(each)
        elif "://" not in name:
            if os.path.isabs(name):
                yield Path(Path(name).anchor), os.path.relpath(name, Path(name).anchor)
            for above in () if os.path.isabs(name) else _above(self.folder):
                yield above, name


def _exact(folder: Path, name: str) -> Path | None:
    path = folder / name
    return Path(os.path.normpath(path)) if name and path.is_file() else None


def _any_case(folder: Path, name: str) -> Path | None:
    """The file, where letters of its path in the folder may differ in case."""
    path = folder
    if not path.is_dir():
        return None
    for part in name.split("/"):
        if part in ("", "."):
            continue
        if part == ".." or (path / part).exists():
            path = path / part
            continue
        alike = [entry for entry in os.listdir(path) if entry.casefold() == part.casefold()]
        if not alike:
            return None
        path = path / min(alike)
    return Path(os.path.normpath(path)) if path.is_file() else None
