"""Write the scripts of examples/ as notebooks, run, with what they print and draw.

python tools/make_notebooks.py build/notebooks          # all
python tools/make_notebooks.py build/notebooks 01 09    # those whose names begin so
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

EXAMPLES = Path(__file__).parents[1] / "examples"


def notebook(script: Path) -> Any:
    """A script as a notebook, the one that its page of the site offers."""
    _, blocks = split_code_and_text_blocks(str(script))
    made = jupyter_notebook(blocks, DEFAULT_GALLERY_CONF, str(script.parent))
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
