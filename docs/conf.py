"""The documentation site: `make docs` builds it in build/docs, without a network, and fails on any warning."""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tools")]

from jupyter_client import KernelManager  # noqa: E402
from make_notebooks import REPOSITORY, colab_folder, install_cell  # noqa: E402
from make_versions import own_version  # noqa: E402

import kinetrace  # noqa: E402

project = "kinetrace"
author = "The kinetrace developers"
copyright = author
version = release = kinetrace.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "sphinx_design",
    "_site.contents",
    "_site.docstrings",
    "_site.links",
    "_site.live",
    "_site.mathml",
    "_site.notebooks",
    "_site.reference",
]
repository = REPOSITORY  # pyproject.toml has it; links to sources and to Colab are made of it
colab_folder = colab_folder(repository, own_version())
exclude_patterns = ["tutorials/*.ipynb", "tutorials/*.py"]
nitpicky = True
nitpick_ignore_regex = [("py:class", r"collections\.abc\..*|numpy\..*|.*\bFloat")]  # annotations of properties

# Pages in Markdown; they are read on GitHub as well.
myst_enable_extensions = ["dollarmath", "colon_fence", "html_image", "attrs_inline", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
if "transport_encryption" in KernelManager.class_traits():  # newer kernels warn of ports that are not encrypted
    KernelManager.transport_encryption.default_value = "auto"

# Docstrings are in NumPy style; types are in their text.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
default_role = "name"
add_module_names = False
toc_object_entries_show_parents = "hide"
python_display_short_literal_types = True

# Scripts of examples/ are the tutorials: each is run, with its pictures, and offered as a notebook.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"/\d\d_",
    "within_subsection_order": "FileNameSortKey",
    "thumbnail_size": (480, 320),
    "matplotlib_animations": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "download_all_examples": True,
    "first_notebook_cell": install_cell(repository, own_version()),
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "reference_url": {"kinetrace": None},
    "doc_module": ("kinetrace",),
    "backreferences_dir": None,
    "plot_gallery": "True",
    "reset_modules": ("matplotlib", "_site.figures.reset"),
}
# A script that draws ends with plt.show(), which has no window here.
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"kinetrace {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("versions.js", {"defer": "defer"})]
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        *("sidebar/brand.html", "sidebar/versions.html", "sidebar/search.html", "sidebar/scroll-start.html"),
        *("sidebar/navigation.html", "sidebar/scroll-end.html"),
    ]
}
html_search_scorer = str(HERE / "_site" / "search.js")  # titles and headings first
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "source_repository": f"{repository}/",
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#0b6e99", "color-brand-content": "#0b6e99"},
    "dark_css_variables": {"color-brand-primary": "#5cc3ee", "color-brand-content": "#5cc3ee"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
