"""The page in the package is the one that `make viewer` makes of the sources in viewer/."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

import pytest

VIEWER = Path(__file__).parents[2] / "viewer"


def sources():
    """Names of all that the bundle is made of, and their bytes."""
    found = [VIEWER / name for name in ("package-lock.json", "package.json", "build.mjs")]
    found += (VIEWER / "src").iterdir()
    return {path.relative_to(VIEWER).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in found}


@pytest.mark.parametrize("name", ["viewer.js", "style.css"])
def test_the_bundle_is_built_from_the_sources(name):
    digest = hashlib.sha256()
    for path, content in sorted(sources().items()):
        digest.update(path.encode() + b"\n" + content + b"\n")
    first = (resources.files("kinetrace.view") / "assets" / name).read_text(encoding="utf-8").partition("\n")[0]
    assert digest.hexdigest() in first, "viewer/ has changed: run `make viewer`"
