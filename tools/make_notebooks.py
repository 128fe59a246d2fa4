"""Write the scripts of examples/ as notebooks, run, with what they print and draw.

Their first cell installs kinetrace in Google Colab, and does nothing elsewhere.

python tools/make_notebooks.py build/notebooks          # all
python tools/make_notebooks.py build/notebooks 01 09    # those whose names begin so
"""

from __future__ import annotations

import json
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
from make_versions import PAGES_BRANCH, ROOT, own_version
from nbclient import NotebookClient
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

EXAMPLES = ROOT / "examples"
REPOSITORY: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
EXTRAS = "simulate,motion"
"""What the scripts need, as examples/README.rst says."""


def install_cell(repository: str, version: str) -> str:
    """The first cell: a release comes from the package index, dev from the repository."""
    source = f" @ git+{repository}" if version == "dev" else f"=={version}"
    return (
        "# Google Colab has no kinetrace yet; elsewhere this does nothing.\nimport sys\n\n"
        f"if 'google.colab' in sys.modules:\n    %pip install --quiet 'kinetrace[{EXTRAS}]{source}'"
    )


def colab_folder(repository: str, version: str) -> str | None:
    """Where Colab opens the notebooks of a version's site; None if the repository is not on GitHub, which it reads."""
    parts = urlsplit(repository)
    if parts.netloc != "github.com":
        return None
    project = parts.path.strip("/")
    return f"https://colab.research.google.com/github/{project}/blob/{PAGES_BRANCH}/{version}/notebooks"


def notebook(script: Path) -> Any:
    """A script as a notebook, the one that its page of the site offers."""
    _, blocks = split_code_and_text_blocks(str(script))
    first = {"first_notebook_cell": install_cell(REPOSITORY, own_version())}
    made = jupyter_notebook(blocks, {**DEFAULT_GALLERY_CONF, **first}, str(script.parent))
    return nbformat.reads(json.dumps(made), as_version=4)


def run(script: Path, folder: Path) -> Path:
    """Run a script as a notebook, and write it with its outputs."""
    made = notebook(script)
    NotebookClient(made, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    path = folder / f"{script.stem}.ipynb"
    nbformat.write(made, path)
    return path


def main() -> None:
    """Run them, two at a time."""
    folder, *chosen = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    scripts = [x for x in sorted(EXAMPLES.glob("[0-9]*.py")) if not chosen or x.name.startswith(tuple(chosen))]
    with ThreadPoolExecutor(2) as pool:
        for path in pool.map(lambda script: run(script, Path(folder)), scripts):
            print(path)


if __name__ == "__main__":
    main()
