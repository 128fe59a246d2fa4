"""Pages of the API reference, written before Sphinx reads: every public name is on one, by subject.

`Robot` has a page per class that it is made of (robot/*.py), algorithms are grouped as the methods of the same names are, and
modules have a page each. Nothing is listed by hand but the order, so new names appear by themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from check_docstrings import members
from sphinx.application import Sphinx

import kinetrace as kt
from kinetrace.support.lazy import cached_property

MAKING = ["load", "robot_names", "from_dh", "from_screws", "random_chain", "random_tree", "Builder"]
FUNCTIONS = ["compile", "Kernel", "jacobian", "hessian", "jvp", "vjp", "sparsity", "Layout", "OpCount"]
SUBJECTS = [
    *("Kinematics", "Dynamics", "Mass", "Momentum", "OperationalSpace", "Simulation", "Configurations", "Editing"),
    *("Closures", "ClosedDynamics", "Regressors", "Quasivelocities", "Curvature"),
]
"""The classes of `Robot` in the order of the pages; others follow."""
TITLES = {"Mass": "Mass matrix, gravity, Coriolis forces", "Momentum": "Energy and momentum"}
ALGORITHMS = {"closure_jacobian_rate": "Closures", "mass_pivots": "Quasivelocities"}
"""Algorithms without a method of their name → subject."""


def words(name: str) -> str:
    """CamelCase as words."""
    return TITLES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def title(text: str, mark: str = "=") -> str:
    """A heading."""
    return f"{text}\n{mark * len(text)}\n\n"


def directive(name: str, argument: str = "", options: Iterable[str] = (), body: Iterable[str] = ()) -> str:
    """A directive of reStructuredText."""
    lines = [f".. {name}:: {argument}".rstrip(), *(f"   {option}" for option in options)]
    return "\n".join([*lines, "", *(f"   {line}" for line in body), ""]) + "\n"


def table(names: Iterable[str]) -> str:
    """Names, each with the first line of its docstring."""
    return directive("autosummary", options=[":nosignatures:"], body=names)


def kind(thing: Any) -> str:
    """The directive of autodoc for an object."""
    if inspect.isclass(thing):
        return "autoexception" if issubclass(thing, BaseException) else "autoclass"
    if inspect.isroutine(thing):
        return "autofunction"
    return "autodata"


def entry(path: str, thing: Any) -> str:
    """All of an object; a class with its members."""
    if not inspect.isclass(thing):
        return directive(kind(thing), path)
    text, inner = directive(kind(thing), path), list(members(path, thing))[1:]
    return text + "".join(member(name, each) for name, each in inner)


def member(path: str, thing: Any) -> str:
    """A method or a property of a class."""
    if isinstance(thing, cached_property):
        return directive("autoattribute", path, [":no-value:"])
    return directive("autoproperty" if isinstance(thing, property) else "automethod", path)


def of_module(module: ModuleType) -> list[str]:
    """Public names of a module."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [x for x, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
        names = [x for x in names if not x.startswith("_") and callable(getattr(module, x))]
    return list(names)


class Pages:
    """Pages by name, in the order of the table of contents."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, name: str, heading: str, *parts: str) -> None:
        """Add a page."""
        self.texts[name] = title(heading) + "".join(parts)


def robot_pages(pages: Pages) -> Iterator[tuple[str, str]]:
    """Write the pages of `Robot`; yields name and first line of each subject."""
    owners = {c.__name__: c for c in kt.Robot.__mro__ if c.__module__.startswith("kinetrace.robot")}
    own = ("Robot", "RobotBase")
    for subject in [*SUBJECTS, *(name for name in owners if name not in (*SUBJECTS, *own))]:
        owner = owners[subject]
        things = {name: inspect.getattr_static(owner, name) for name in vars(owner) if not name.startswith("_")}
        if things:
            about = inspect.getdoc(owner) or ""
            pages.add(
                f"robot_{subject.lower()}",
                words(subject),
                about + "\n\n",
                directive("currentmodule", "kinetrace"),
                table(f"~Robot.{name}" for name in things),
                *(member(f"Robot.{name}", thing) for name, thing in things.items()),
            )
            yield f"robot_{subject.lower()}", about.partition("\n")[0]
    things = {name: x for c in own for name, x in vars(owners[c]).items() if not name.startswith("_")}
    things = {name: inspect.getattr_static(kt.Robot, name) for name in sorted(things)}
    pages.add(
        "robot",
        "Robot",
        directive("currentmodule", "kinetrace"),
        directive("autoclass", "Robot"),
        title("Names, sizes, numbers, kernels", "-"),
        table(f"~Robot.{name}" for name in things),
        *(member(f"Robot.{name}", thing) for name, thing in things.items()),
    )


def algorithms_page(pages: Pages) -> None:
    """Write the page of algorithms, by the subjects of the methods of their names."""
    owners = {name: c.__name__ for c in reversed(kt.Robot.__mro__) for name in vars(c)}
    names = [*kt.algorithms.__all__, "rollout", "rollout_derivatives"]
    subjects: dict[str, list[str]] = {}
    for name in names:
        subjects.setdefault(ALGORITHMS.get(name) or owners.get(name, "Other"), []).append(name)
    order = [*(s for s in SUBJECTS if s in subjects), *(s for s in subjects if s not in SUBJECTS)]
    parts = [(inspect.getdoc(kt.algorithms) or "") + "\n\n"]
    parts += [
        "They are what `kinetrace.compile` takes and what your own functions are built of; `Robot` has most of them as methods "
        "for batches.\n\n",
        directive("currentmodule", "kinetrace.algorithms"),
    ]
    for subject in order:
        parts += [title(words(subject), "-"), table(subjects[subject])]
    for subject in order:
        inner = [directive("currentmodule", "kinetrace.algorithms")]
        inner += [directive("autofunction", name) for name in subjects[subject]]
        pages.add(f"algorithms_{subject.lower()}", f"Algorithms: {words(subject)}", *inner)
    inside = [f"algorithms_{subject.lower()}" for subject in order]
    pages.add("algorithms", "Algorithms", *parts, directive("toctree", options=[":hidden:"], body=inside))


def module_pages(pages: Pages, module: ModuleType, public: str) -> str:
    """Write the page of a module, and those of its public modules; returns its name."""
    page = public.removeprefix("kinetrace.").replace(".", "_")
    things = {name: getattr(module, name) for name in of_module(module)}
    inner = {name: x for name, x in things.items() if inspect.ismodule(x)}
    homes = {id(thing) for x in inner.values() for thing in vars(x).values() if callable(thing)}
    things = {name: x for name, x in things.items() if name not in inner and id(x) not in homes}
    about = inspect.getdoc(module) or ""
    head, _, rest = about.partition("\n")
    parts = [head + "\n\n", literal_blocks(rest), directive("currentmodule", public)]
    if things:
        parts.append(table(things))
    below = [module_pages(pages, x, f"{public}.{name}") for name, x in inner.items()]
    parts += [entry(name, thing) for name, thing in things.items()]
    if below:
        parts.append(directive("toctree", options=[":maxdepth: 1"], body=below))
    pages.add(page, public.replace("kinetrace.", "kt."), *parts)
    return page


def literal_blocks(text: str) -> str:
    """Docstring of a module as reStructuredText: its indented tables are shown as they are."""
    lines = text.strip("\n").split("\n")
    found: list[str] = []
    for line in lines:
        if line.startswith("    ") and (not found or found[-1] == ""):
            found += ["::", ""]
        found.append(line)
    return "\n".join(found) + "\n\n"


def group(pages: Pages, name: str, heading: str, about: str, names: list[str]) -> str:
    """Write a page of names of the package."""
    things = {each: getattr(kt, each) for each in names}
    parts = [entry(each, thing) for each, thing in things.items()]
    pages.add(name, heading, about + "\n\n", directive("currentmodule", "kinetrace"), table(names), *parts)
    return name


def command_page(pages: Pages) -> str:
    """Write the page of the command: the help of each sub-command."""
    from kinetrace.cli import _parser

    parser = _parser()
    inner = next(x for x in parser._actions if isinstance(x, argparse._SubParsersAction))
    parts = ["What ``--help`` says, of each.\n\n", directive("code-block", "text", body=helped(parser).splitlines())]
    for name, each in inner.choices.items():
        parts += [title(f"kinetrace {name}", "-"), directive("code-block", "text", body=helped(each).splitlines())]
    pages.add("command", "The command", *parts)
    return "command"


def helped(parser: argparse.ArgumentParser) -> str:
    """Help of a parser, for a page of 88 columns."""
    parser.formatter_class = wide(parser.formatter_class)
    with contextlib.redirect_stdout(io.StringIO()):
        return parser.format_help()


def wide(base: Any) -> Any:
    """A formatter that does not ask the terminal for its width."""
    return lambda prog: base(prog, width=88)


def write(app: Sphinx) -> None:
    """Write all pages into docs/reference."""
    pages, folder = Pages(), Path(app.srcdir) / "reference"
    subjects = list(robot_pages(pages))
    making = group(pages, "making", "Making robots", "From files, tables and numbers.", MAKING)
    own = group(pages, "functions", "Functions of your own", "Compile and differentiate any function.", FUNCTIONS)
    classes = {name: x for name in kt.__all__ if inspect.isclass(x := getattr(kt, name))}
    errors = [name for name, x in classes.items() if issubclass(x, BaseException)]
    wrong = group(pages, "errors", "Errors and warnings", "What is raised, and when.", sorted(errors))
    modules = {name: x for name in kt.__all__ if inspect.ismodule(x := getattr(kt, name))}
    placed = {"Robot", *MAKING, *FUNCTIONS, *errors, *modules}
    data = group(pages, "data", "Data", "What robots are made of and return.", [x for x in kt.__all__ if x not in placed])
    algorithms_page(pages)
    below = [module_pages(pages, x, f"kinetrace.{name}") for name, x in modules.items() if name != "algorithms"]
    command = command_page(pages)
    contents = directive("toctree", options=[":hidden:", ":maxdepth: 1"], body=["robot", *(name for name, _ in subjects)])
    rows = "".join(f"   * - :doc:`{pages.texts[name].partition(chr(10))[0]} <{name}>`\n     - {about}\n" for name, about in subjects)
    inside = f".. list-table:: Methods by subject\n   :widths: 35 65\n\n{rows}\n"
    pages.texts["robot"] = pages.texts["robot"].replace(title("Names, sizes, numbers, kernels", "-"), inside + title("Names, sizes, numbers, kernels", "-"))
    index = [
        title("API reference"),
        "Everything public, from the docstrings that ``help()`` shows: shapes, frames, units, errors and an example of each.\n\n",
        table_of_contents("Robots", ["robot", *(name for name, _ in subjects), making, data]),
        table_of_contents("Functions", [own, "algorithms"]),
        table_of_contents("Modules", [x for x in below]),
        table_of_contents("Errors, command", [wrong, command]),
    ]
    pages.texts["index"] = "".join(index)
    save(folder, {f"{name}.rst": text for name, text in pages.texts.items()} | copies(Path(app.srcdir).parent))


def table_of_contents(caption: str, names: list[str]) -> str:
    """A visible list of pages."""
    return title(caption, "-") + directive("toctree", options=[":maxdepth: 1"], body=names)


def copies(root: Path) -> dict[str, str]:
    """Pages of the repository's root that the site has too."""
    names = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
    return {name: (root / source).read_text("utf-8") for name, source in names.items()}


def save(folder: Path, texts: dict[str, str]) -> None:
    """Write files that differ from what is there, and remove others: unchanged ones are not read again."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in texts:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write before anything is read."""
    app.connect("builder-inited", write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
