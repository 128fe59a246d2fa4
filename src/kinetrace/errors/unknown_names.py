"""Advice for names that do not exist: names spelt alike, and what other libraries call things.

`hint` is the end of a message about an unknown attribute or keyword. Modules and classes call it in their own
`__getattr__`; `errors.unknown_name_error` is the error for an unknown value of an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from . import bare, nearest


def hint(
    owner: str,
    name: str,
    names: Iterable[str],
    otherwise: str = "",
    *,
    prefix: str = "",
    most: int = 3,
    cutoff: float = 0.6,
) -> str:
    """The advice for a name that `owner`, a key of `other_libraries.ATTRIBUTES` or another word, does not have.

    `names` are those that it has, `otherwise` is the advice if none of them is near, `prefix` stands before them.
    Of names that are spelt alike it tells at most `most`, whose likeness is at least `cutoff`.

    >>> hint("robot", "fk", ["pose", "jacobian"]), hint("robot", "jacobain", ["pose", "jacobian"])
    ('did you mean pose?', 'did you mean jacobian?')
    """
    from .other_libraries import ATTRIBUTES  # late: errors alone need it

    names = list(names)
    options = translations(name, ATTRIBUTES.get(owner, {}), names) or similar_names(name, names, cutoff)[:most]
    return advice(options, otherwise, prefix)


def translations(name: str, table: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """The same name in another spelling, or what a table of names says of it; empty if neither is known.

    >>> translations("inverseDynamics", {}, ["pose", "inverse_dynamics"])
    ['inverse_dynamics']
    >>> translations("fk", {"fk": "pose"}, ["pose"])
    ['pose']
    """
    same = [x for x in names if not x.startswith("_") and bare(x) == bare(name)]
    if same and name not in table:
        return same[:1]
    entry = table.get(name) or next((text for x, text in table.items() if len(x) > 2 and bare(x) == bare(name)), None)
    return [] if entry is None else [entry.replace("{}", name)]


def similar_names(name: str, names: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Names that are spelt alike, or end with this one.

    >>> similar_names("Kernal", ["Kernel", "_kernal", "Robot"])
    ['Kernel']
    """
    names = [x for x in names if not x.startswith("_")]
    return nearest(name, names, cutoff)[:3] or [x for x in names if len(name) > 3 and x.endswith(f"_{name}")]


def advice(options: list[str], otherwise: str = "", prefix: str = "") -> str:
    """The sentence that a message ends with; names of ours get the prefix.

    >>> advice(["pose"], "", "robot."), advice(["!there is no planner"])
    ('did you mean robot.pose?', 'there is no planner')
    """
    if not options:
        return otherwise
    if options[0].startswith("!"):
        return options[0][1:]
    text, _, remark = " or ".join(f"{prefix}{x}" if x.isidentifier() else x for x in options).partition("; ")
    return f"did you mean {text}?{remark and f' {remark[0].upper()}{remark[1:]}'}"
