"""Pages of the API reference, written before Sphinx reads: every public name is on one, by subject.

`Robot` has a page per class that it is made of (robot/*.py), algorithms are grouped as the methods of the same names
are, and modules have a page each. Little is listed by hand, and new names appear by themselves: a method that the
tables below do not name is on the page of its class.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import io
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from check_docstrings import members
from numpydoc.docscrape import get_doc_object
from sphinx.application import Sphinx

import kinetrace as kt
from _site.docstrings import escaped
from kinetrace.cli import main
from kinetrace.support.attributes import cached_property
from kinetrace.view.view import View

MAKING = ["load", "robot_names", "from_dh", "from_screws", "random_chain", "random_tree", "Builder"]
FUNCTIONS = ["compile", "Kernel", "jacobian", "hessian", "jvp", "vjp", "sparsity", "CompactLayout", "OpCount"]
SUBJECTS = [
    *("Kinematics", "Dynamics", "Mass", "Momentum", "OperationalSpace", "Simulation", "InverseKinematics"),
    *("Configurations", "Editing", "Conveniences", "Pictures", "Saving"),
    *("Closures", "ClosedDynamics", "Regressors", "Quasivelocities", "Curvature"),
]
"""Subjects of the methods of `Robot` in the order of the pages; others follow."""
SUBJECT_OF_METHOD = {
    **dict.fromkeys(("simulate", "rollout", "rollout_derivatives", "with_world"), "Simulation"),
    **dict.fromkeys(("inverse_kinematics", "inverse_velocity", "reachability"), "InverseKinematics"),
    **dict.fromkeys(("riemann", "ricci", "scalar_curvature", "is_flat", "geodesic", "geodesic_between"), "Curvature"),
    **dict.fromkeys(("with_payload", "with_link_frames", "with_closures", "with_motors"), "Editing"),
    **dict.fromkeys(("with_joint_effects", "without_joint_effects", "with_parameters"), "Editing"),
}
"""Methods that belong to another subject than the class that has them."""
PLURALS = {x[:-1]: x for x in SUBJECTS if x.endswith("s")} | {"Quasivelocity": "Quasivelocities"}
TITLES = {
    "Mass": "Mass matrix, gravity, Coriolis forces",
    "Momentum": "Energy and momentum",
    "Conveniences": "Checks, repairs, formulas",
}
ABOUT = {
    "Simulation": "Motions in time, of one state or a batch, with controllers and wrenches.",
    "InverseKinematics": "Configurations and velocities that bring frames to goals, and where frames can be.",
    "Conveniences": "Faults of a model and their repairs, comparisons, operation counts, formulas.",
}
"""Subject → what its page says, where that is not the docstring of a class."""
ALGORITHMS = {"closure_jacobian_rate": "Closures", "mass_pivots": "Quasivelocities"}
"""Algorithms without a method of their name → subject."""
MANY = 8
"""Classes with more members have a page of their own."""
IN_PACKAGE = ".. currentmodule:: kinetrace\n\n"


def subject_of(owner: type) -> str:
    """The subject of one of the classes that `Robot` is made of."""
    name = owner.__name__.removesuffix("Methods")
    return PLURALS.get(name, name)


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


def table(things: Mapping[str, Any], owner: str = "") -> str:
    """Names, each with the first line of its docstring."""
    rows = ((name, escaped((inspect.getdoc(thing) or "").partition("\n")[0])) for name, thing in things.items())
    lines = "".join(f"   * - :py:obj:`~{owner}{name}`\n     - {about}\n" for name, about in rows)
    return f".. list-table::\n   :class: names\n\n{lines}\n"


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


def attributes(name: str, owner: type) -> str:
    """The fields of a data class, as its docstring describes them, so that links find them."""
    if not dataclasses.is_dataclass(owner):
        return ""
    fields = {x.name for x in dataclasses.fields(owner) if not x.name.startswith("_")}
    found = ""
    for each in get_doc_object(owner)["Parameters"]:
        if each.name in fields:
            about = [f"*{escaped(each.type.partition(', default')[0])}*", "", *map(escaped, each.desc)]
            found += directive("py:attribute", f"{name}.{each.name}", body=about)
    return found


def of_module(module: ModuleType) -> list[str]:
    """Public names of a module."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [x for x, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
        names = [x for x in names if not x.startswith("_") and callable(getattr(module, x))]
    return list(names)


class Pages:
    """Pages by name, each with a heading and a line about it."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.heads: dict[str, tuple[str, str]] = {}

    def add(self, name: str, heading: str, about: str, *parts: str) -> str:
        """Add a page; returns its name."""
        self.heads[name] = heading, about.partition("\n")[0]
        self.texts[name] = title(heading) + "".join(parts)
        return name

    def linked(self, names: Iterable[str], contents: bool = True) -> str:
        """Table of pages, which are also put below this one in the table of contents."""
        names = list(names)
        rows = "".join(f"   * - :doc:`{self.heads[x][0]} <{x}>`\n     - {self.heads[x][1]}\n" for x in names)
        return f".. list-table::\n   :widths: 34 66\n   :class: pages\n\n{rows}\n" + (hidden(names) if contents else "")


def hidden(names: Iterable[str]) -> str:
    """Table of contents that only the navigation shows."""
    return directive("toctree", options=[":hidden:"], body=names)


def methods_by_subject() -> dict[str, dict[str, Any]]:
    """Public methods and properties of `Robot`, by subject."""
    found: dict[str, dict[str, Any]] = {subject: {} for subject in SUBJECTS}
    for owner in kt.Robot.__mro__:
        if owner.__module__.startswith("kinetrace.robot"):
            for name in (x for x in vars(owner) if not x.startswith("_")):
                subject = SUBJECT_OF_METHOD.get(name) or subject_of(owner)
                found.setdefault(subject, {})[name] = inspect.getattr_static(owner, name)
    return found


def robot_page(pages: Pages) -> str:
    """Write the pages of `Robot`."""
    docstrings = {subject_of(c): inspect.getdoc(c) or "" for c in kt.Robot.__mro__}
    found, subjects = methods_by_subject(), []
    own = found.pop("Robot", {}) | found.pop("RobotBase", {})
    for subject, things in found.items():
        if things:
            about = ABOUT.get(subject) or docstrings[subject]
            entries = (member(f"Robot.{name}", thing) for name, thing in things.items())
            parts = (about + "\n\n", IN_PACKAGE, table(things, "Robot."), *entries)
            subjects.append(pages.add(f"robot_{subject.lower()}", words(subject), about, *parts))
    things = dict(sorted(own.items()))
    return pages.add(
        "robot",
        "Robot",
        "Its methods, by subject.",
        IN_PACKAGE,
        directive("autoclass", "Robot"),
        title("Methods by subject", "-"),
        pages.linked(subjects),
        title("Names, sizes, numbers, kernels", "-"),
        table(things, "Robot."),
        *(member(f"Robot.{name}", thing) for name, thing in things.items()),
    )


def algorithms_page(pages: Pages) -> str:
    """Write the pages of algorithms, by the subjects of the methods of their names."""
    owners = {name: subject for subject, things in methods_by_subject().items() for name in things}
    subjects: dict[str, list[str]] = {}
    for name in [*kt.algorithms.__all__, "rollout", "rollout_derivatives"]:
        subjects.setdefault(ALGORITHMS.get(name) or owners.get(name, "Other"), []).append(name)
    below = []
    for subject in sorted(subjects, key=lambda x: SUBJECTS.index(x) if x in SUBJECTS else len(SUBJECTS)):
        inside = directive("currentmodule", "kinetrace.algorithms")
        entries = (directive("autofunction", name) for name in subjects[subject])
        about = ", ".join(f"`{name}`" for name in subjects[subject])
        heading = f"Algorithms: {words(subject)[0].lower()}{words(subject)[1:]}"
        found = table({name: getattr(kt.algorithms, name) for name in subjects[subject]})
        below.append(pages.add(f"algorithms_{subject.lower()}", heading, about, inside, found, *entries))
    about = inspect.getdoc(kt.algorithms) or ""
    more = "They are what `kinetrace.compile` takes and what functions of your own are built of. "
    more += "Most are methods of `Robot` too, which take batches.\n\n"
    inside = directive("currentmodule", "kinetrace.algorithms")
    return pages.add("algorithms", "kt.algorithms", about, about + "\n\n", more, inside, pages.linked(below))


def module_page(pages: Pages, module: ModuleType, public: str) -> str:
    """Write the page of a module, and those of its public modules."""
    things = {name: x for name in of_module(module) if (x := getattr(module, name)) is not getattr(kt, name, None)}
    for name, thing in things.items():
        if inspect.isclass(thing) and thing.__name__ != name:  # kt.jax.Robot is JaxRobot in its file
            thing.__name__ = thing.__qualname__ = name
    inner = {name: x for name, x in things.items() if inspect.ismodule(x)}
    homes = {id(thing) for x in inner.values() for thing in vars(x).values() if callable(thing)}
    things = {name: x for name, x in things.items() if name not in inner and id(x) not in homes}
    about = inspect.getdoc(module) or ""
    head, _, rest = about.partition("\n")
    below = [module_page(pages, x, f"{public}.{name}") for name, x in inner.items()]
    parts = [escaped(head) + "\n\n", prose(rest), directive("currentmodule", public)]
    parts += [table(things)] if things else []
    parts += [pages.linked(below)] if below else []
    parts += [entry(name, thing) for name, thing in things.items()]
    name = public.removeprefix("kinetrace.").replace(".", "_")
    return pages.add(name, public.replace("kinetrace.", "kt."), about, *parts)


def class_page(pages: Pages, name: str, owner: type, module: str = "kinetrace") -> str:
    """Write the page of a class, of the package unless a module is named."""
    things = dict(list(members(name, owner))[1:])
    parts = [table(things), attributes(name, owner), *(member(each, thing) for each, thing in things.items())]
    about, inside = inspect.getdoc(owner) or "", directive("currentmodule", module)
    return pages.add(name.lower(), name, about, inside, directive(kind(owner), name), *parts)


def group(pages: Pages, name: str, heading: str, about: str, names: list[str]) -> list[str]:
    """Write a page of names of the package, and a page for each large class among them."""
    things = {each: getattr(kt, each) for each in names}
    large = [x for x, thing in things.items() if inspect.isclass(thing) and len(list(members(x, thing))) > MANY]
    small = [x for x in names if x not in large]
    few = table({x: things[x] for x in small})
    found = pages.add(name, heading, about, about + "\n\n", IN_PACKAGE, few, *(entry(x, things[x]) for x in small))
    return [found, *(class_page(pages, x, things[x]) for x in large)]


def prose(text: str) -> str:
    """Docstring of a module as reStructuredText: what is indented is shown as it is, rows of | cells | are a table."""
    found: list[str] = []
    for line in text.strip("\n").split("\n"):
        row = (
            [x.strip().replace(r"\|", "|") for x in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        )
        starts = not found or found[-1] == ""
        if row and starts:
            found += [".. list-table::", "   :header-rows: 1", ""]
        elif line.startswith("    ") and starts:
            found += ["::", ""]
        if not row:
            found.append(line if line.startswith("    ") else escaped(line))
        elif not all(re.fullmatch(":?-+:?", x) for x in row):
            found += [f"   {'-' if i else '* -'} {escaped(x)}".replace("   -", "     -", 1) for i, x in enumerate(row)]
    return "\n".join(found) + "\n\n"


def command_page(pages: Pages) -> str:
    """Write the page of the command: the help of each sub-command."""
    first = helped()
    parts = ["What ``--help`` says.\n\n", directive("code-block", "text", body=first)]
    for name in re.findall(r"^ {4}([a-z]\w*)(?: |$)", "\n".join(first), flags=re.MULTILINE):
        parts += [title(f"kinetrace {name}", "-"), directive("code-block", "text", body=helped(name))]
    return pages.add("command", "kinetrace --help", "The help of the command, and of each sub-command.", *parts)


def helped(*command: str) -> list[str]:
    """Lines that the command prints, on a terminal of 88 columns."""
    os.environ["COLUMNS"] = "88"
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
        main([*command, "--help"])
    return text.getvalue().splitlines()


def write(app: Sphinx) -> None:
    """Write all pages into docs/reference."""
    pages = Pages()
    modules = {name: x for name in kt.__all__ if inspect.ismodule(x := getattr(kt, name))}
    classes = {name: x for name in kt.__all__ if inspect.isclass(x := getattr(kt, name))}
    errors = sorted(name for name, x in classes.items() if issubclass(x, BaseException))
    placed = {"Robot", *MAKING, *FUNCTIONS, *errors, *modules}
    data = [name for name in kt.__all__ if name not in placed]
    robots = [
        robot_page(pages),
        *group(pages, "making", "Making robots", "From files, tables and numbers.", MAKING),
        *group(pages, "data", "Data", "What robots are made of and return.", data),
        class_page(pages, "View", View, View.__module__),
    ]
    functions = group(pages, "functions", "Functions of your own", "Compile and differentiate any function.", FUNCTIONS)
    functions += [algorithms_page(pages)]
    inside = [module_page(pages, x, f"kinetrace.{name}") for name, x in modules.items() if name != "algorithms"]
    wrong = group(pages, "errors", "Errors and warnings", "What is raised, and when.", errors)
    parts = [
        "Everything public, from the docstrings that ``help()`` shows: shapes, frames, units, errors, and an example "
        "of each. :ref:`All names <genindex>` in one list.\n\n",
        *(title("Robots", "-"), pages.linked(robots)),
        *(title("Functions", "-"), pages.linked(functions)),
        *(title("Modules", "-"), pages.linked(inside)),
        *(title("Errors, command", "-"), pages.linked([*wrong, command_page(pages)])),
    ]
    pages.add("index", "API reference", "", *parts)
    root = Path(app.srcdir)
    save(root / "reference", {f"{name}.rst": text for name, text in pages.texts.items()} | copies(root.parent))


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
