"""Docstrings of algorithms, composed of texts that stand here once.

In the source, the docstring of an algorithm has a summary, explanations and an example. What its arguments are follows
from their names and annotations; what is particular to one algorithm, and its results, are declared with it
(`declaration.algorithm`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

from . import choices

Texts = str | Mapping[str, str]
"""The shape and meaning of a result, "(nv,) Joint forces [N m, N]."; or of several, by name."""

ARRAYS: dict[str, tuple[str, str]] = {
    "model": ("Model", "Robot as data; `robot.model`."),
    "q": ("Array, shape (nq,)", "Configuration."),
    "v": ("Array, shape (nv,)", "Velocity [rad/s, m/s]."),
    "u": ("Array, shape (nv,)", "Second velocity [rad/s, m/s]."),
    "a": ("Array, shape (nv,)", "Acceleration, the rate of v [rad/s², m/s²]."),
    "tau": ("Array, shape (nv,)", "Joint forces [N m, N]."),
    "nu": ("Array, shape (nv,)", "Quasi-velocity ν = Wᵀ v; ξ = Nᵀ v with `normalised=False`."),
    "control": ("Array, shape (controls,)", "Controls of the actuators, in the order of `robot.actuator_names`."),
    "activation": (
        "Array, shape (activations,)",
        "Activations of the actuators that have dynamics; their controls unless given.",
    ),
    "dy": ("Array, shape (dof,)", "Rate of the independent velocities [rad/s², m/s²]."),
    "dt": ("float or Array, shape ()", "Time step [s]."),
    "point": (
        "Array, shape (3,)",
        "Point of the frame that takes the place of its origin [m]; the origin unless given.",
    ),
    "base_velocity": ("Array, shape (6,)", "Twist of the base in its own frame; at rest unless given."),
    "base_acceleration": ("Array, shape (6,)", "Rate of the components of `base_velocity`; zero unless given."),
    "tau_weight": ("Array, shape (nv,)", "Weights of the squared joint forces; ones unless given."),
    "internal_forces": (
        "Array, shape (rows,)",
        'Wanted λ of the closures [N m, N], for `least="forces"`; zero unless given.',
    ),
    "stabilisation": (
        "Array, shape (2,)",
        "Frequency [1/s] and damping ratio of Baumgarte's stabilisation of closures; none unless given.",
    ),
    "contact": (
        "mapping of str to array",
        'Of robots in a world, numbers instead of the world\'s: "friction" (pairs,), and of shapes that are fixed to\n'
        'the world their name with ".pose" (7,), ".size" or ".heights".',
    ),
    "task_damping": (
        "Array, shape ()",
        "Number λ; λ² is added to the diagonal of J M⁻¹ Jᵀ [1/(kg m²) in rows of rotation, 1/kg in those of\n"
        "translation], so that Λ exists at singular configurations too and none of its eigenvalues exceeds 1/λ².\n"
        "Results are then approximate. Nothing is added unless given.",
    ),
    "wrench": (
        "mapping of str to Array, shape (6,)",
        "Wrenches [N m, N] of the environment by frame name, each in the axes of its frame and about its origin.",
    ),
    "drive": (
        "mapping of str to Array, shape (3, k)",
        "Prescribed motions of closures by name, as in `closure_residual`.",
    ),
    "frame": ("str", "Name of a frame; `robot.frame_names` lists them."),
    "normalised": ("bool", "Whether to use W = N Ω^½ or, if false, its unit factor N."),
    "friction": ("bool", "Whether to append 2 nv columns: viscous, then Coulomb friction of the joints."),
    "project": ("bool", "Whether to project states on closed loops after each step: see `closed.step_projection`."),
    "rotor": ("bool", "Whether to append nv columns: the inertias of rotors, seen through their gears."),
}
"""Argument → its type, and what it is."""
ANNOTATED: dict[str, str] = {
    "Frames": "Name of a frame, or several; their rows are stacked in this order.",
    "Rows": "Rows of the twist: all six, the last three, the first three, or indices from 0 to 5 (rotation x, y, z,\n"
    "then translation x, y, z); k rows in all. For several frames, one choice for all or a sequence with one for each.",
    "ExpressedIn": "Axes and point of the twist: those of the frame, of the world, or the world's axes at the frame's\n"
    "origin.",
    "CoriolisForm": "How C is written: by the Christoffel symbols of M, in another way with Ṁ − 2C skew, or by Newton\n"
    "and Euler.",
    "ChristoffelKind": "First or second kind.",
    "ClosedMethod": "Algorithm for closed chains, as in `Robot.forward_dynamics`; chosen by the model unless given.",
    "StepMethod": "Integrator; `Robot.step` describes them.",
}
"""Annotation of a choice → what it chooses."""
_TYPES = {
    "Frames": "str or sequence of str",
    "Rows": '{"pose", "position", "orientation"} or sequence of int',
    **{
        name: "{" + ", ".join(f'"{x}"' if isinstance(x, str) else str(x) for x in get_args(hint)) + "}"
        for name, hint in vars(choices).items()
        if get_origin(hint) is Literal
    },
}
"""Annotation of a choice → its valid values, as docstrings write them."""


def composed_docstring(
    function: Callable[..., Any], arguments: Mapping[str, str], returns: Texts, raises: str
) -> str | None:
    """The docstring of an algorithm with all sections; None under `python -OO`, which has none.

    `arguments` replace the texts of this module; one that begins with its type ends that by " | ".
    """
    if function.__doc__ is None:
        return None
    text, _, example = function.__doc__.partition(">>> ")
    margin = "\n" + " " * (len(text) - len(text.rstrip(" ")))  # of Python before 3.13
    lines = [text.rstrip(), *_section("Parameters", _arguments(function, arguments))]
    of_results = returns.items() if isinstance(returns, Mapping) else [("", returns)] if returns else []
    lines += _section("Returns", map(_result, of_results))
    lines += _section("Raises", [("InputError", raises)]) if raises else ()
    lines += ("", "Examples", "--------", ">>> import numpy as np, kinetrace as kt", f">>> {example}")
    return margin.join(lines)


def _section(title: str, entries: Iterable[tuple[str, str]]) -> list[str]:
    """Lines of a section, an empty one first."""
    lines = ["", title, "-" * len(title)]
    for head, text in entries:
        lines.append(head)
        lines += [f"    {line}" for line in text.split("\n")]
    return lines


def _arguments(function: Callable[..., Any], particular: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """All arguments of a function: name and type, and what they are."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    plain = function.__defaults__ or ()
    defaults = {
        **dict(zip(names[code.co_argcount - len(plain) :], plain, strict=False)),
        **(function.__kwdefaults__ or {}),
    }
    for name in names:
        annotation = function.__annotations__[name].removesuffix(" | None")
        kind, text = ARRAYS.get(name, ("", ""))
        kind, text = _TYPES.get(annotation, kind), ANNOTATED.get(annotation, text)
        if name in particular:
            own, bar, text = particular[name].rpartition(" | ")
            kind = own if bar else kind
        if name in defaults:
            default = defaults[name]
            shown = f'"{default}"' if isinstance(default, str) else default
            kind += ", optional" if default is None else f", default {shown}"
        yield f"{name} : {kind}", text


def _result(entry: tuple[str, str]) -> tuple[str, str]:
    name, text = entry
    axes, _, meaning = text.partition(") ")
    return f"{name}{' : ' if name else ''}Array, shape {axes})", meaning


def result_axes(returns: Texts) -> list[tuple[str, tuple[str, ...]]]:
    """Names of results, empty if there is one, and their axes, from the texts that describe them.

    >>> result_axes({"A": "(2 nv, 2 nv) Derivative by the state.", "b": "() Number."})
    [('A', ('2nv', '2nv')), ('b', ())]
    """
    texts = returns if isinstance(returns, Mapping) else {"": returns} if returns else {}
    found = []
    for name, text in texts.items():
        axes = text[1 : text.index(")")].replace(" ", "").split(",")
        found.append((name, tuple(x for x in axes if x)))
    return found
