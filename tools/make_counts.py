"""Write docs/counts.md and its picture: operation counts beside the tables of Kozłowski (1995), section 6.

    python tools/make_counts.py            # count, and rewrite docs/counts.md, docs/counts.svg, docs/counts.png
    python tools/make_counts.py --check    # exit 1 if one of them differs from what the library counts now

`TABLE_2`, `TABLE_3` and `INVERSE` hold the published numbers as printed, `REPAIRED_2` and `REPAIRED_3` the corrected
ones. The library's figures are counted for arms of 2 to 9 joints and fitted by polynomials in
the number of joints, exactly: a formula is given only if the counts follow it, from some N on, to the last operation.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

import kinetrace as kt
from kinetrace.algorithms import forward_dynamics, inverse_dynamics
from kinetrace.arrays import Array, stack
from kinetrace.linalg import dense
from kinetrace.model import Model
from kinetrace.model.zoo.random import random_inertia

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PICTURE = DOCS / "counts.md", DOCS / "counts.svg"
TEXT = Path(__file__).with_name("counts.md")
"""Template of the page, with placeholders for the counts."""
N = range(2, 10)
LONGEST = 24


@dataclass(frozen=True)
class Polynomial:
    """c₀ + c₁ N + …, and the first N for which counts follow it."""

    coefficients: tuple[Fraction, ...]
    since: int = 0

    def __call__(self, n: int) -> Fraction:
        """Its value."""
        return sum((c * n**k for k, c in enumerate(self.coefficients)), start=Fraction(0))

    def __add__(self, other: Polynomial) -> Polynomial:
        size = max(len(self.coefficients), len(other.coefficients))
        mine, theirs = (p.coefficients + (Fraction(0),) * (size - len(p.coefficients)) for p in (self, other))
        return Polynomial(tuple(a + b for a, b in zip(mine, theirs, strict=True)), max(self.since, other.since))

    def __str__(self) -> str:
        """In the usual notation: ⅓N³ + 20½N² − 395."""
        powers, parts = ("", "N", "N²", "N³"), {0: "", 1 / 3: "⅓", 1 / 2: "½", 1 / 6: "⅙", 2 / 3: "⅔", 5 / 6: "⅚"}
        terms = []
        for k, c in reversed([*enumerate(self.coefficients)]):
            whole, rest = divmod(abs(c), 1)
            number = f"{whole or ''}{parts[float(rest)]}"
            if c:
                terms.append(f"{'−' if c < 0 else '+'} {'' if number == '1' and k else number}{powers[k]}")
        return " ".join(terms).removeprefix("+ ") or "0"


def polynomial(*highest_first: Fraction | float) -> Polynomial:
    """From coefficients in the order in which they are written."""
    return Polynomial(tuple(Fraction(c).limit_denominator(6) for c in reversed(highest_first)))


def fitted(counts: Mapping[int, int]) -> Polynomial:
    """The polynomial of least degree, at most cubic, that the counts follow to the end, two more than define it."""
    lengths = sorted(counts)
    for degree in range(4):
        found = _through({n: counts[n] for n in lengths[-degree - 1 :]})
        wrong = [n for n in lengths if found(n) != counts[n]]
        since = lengths[lengths.index(wrong[-1]) + 1] if wrong and wrong[-1] != lengths[-1] else lengths[0]
        if not wrong or lengths[-1] - wrong[-1] >= degree + 3:
            return replace(found, since=since)
    raise ValueError(f"no polynomial in N gives these counts: {dict(counts)}")


def _through(points: Mapping[int, int]) -> Polynomial:
    """Newton's interpolation, in powers."""
    total, product, done = Polynomial((Fraction(0),)), [Fraction(1)], []
    for n, value in points.items():
        scale = (value - total(n)) / math.prod((Fraction(n - m) for m in done), start=Fraction(1))
        total += Polynomial(tuple(scale * c for c in product))
        product = [b - n * a for a, b in zip([*product, Fraction(0)], [Fraction(0), *product], strict=True)]
        done.append(n)
    return total


Line = tuple[int, int]
TABLE_2: dict[str, tuple[Line, Line, Line, Line]] = {
    "P": ((101, -108), (51, -58), (94, -105), (53, -64)),
    "G": ((5, -1), (5, -1), (0, 0), (0, 0)),
    "V⁺": ((6, -12), (2, -4), (6, -12), (2, -4)),
    "V": ((16, -29), (8, -16), (9, -17), (5, -9)),
    "z": ((6, -12), (2, -4), (6, -12), (2, -4)),
    "ψ": ((44, -1), (12, -1), (19, -1), (5, -1)),
    "b": ((59, -43), (55, -53), (40, -27), (38, -35)),
    "X": ((18, -12), (18, -12), (0, 0), (0, 0)),
    "λ̇": ((159, -6), (95, -6), (171, -6), (113, -6)),
    "subtotal": ((414, -224), (248, -155), (354, -180), (218, -123)),
    "θ̇": ((7, -10), (7, -11), (6, -10), (6, -11)),
    "ε": ((1, 0), (1, 0), (1, -1), (1, -1)),
    "z⁺": ((23, -4), (14, -3), (15, -8), (10, -7)),
    "y": ((158, -223), (134, -211), (162, -249), (140, -217)),
    "C(θ, ν)": ((2, -1), (2, -1), (0, 0), (0, 0)),
    "ν̇": ((0, 0), (0, 0), (1, 0), (1, 0)),
    "subtotal, normalised": ((191, -238), (158, -226), (185, -268), (158, -236)),
    "normalised": ((605, -462), (406, -381), (530, -448), (376, -359)),
    "θ̇ from ξ": ((5, -8), (5, -9), (5, -8), (5, -9)),
    "κ": ((0, 0), (0, 0), (1, -1), (1, -1)),
    "z⁺ from κ": ((21, -4), (43, -3), (13, -8), (9, -7)),
    "y from ξ": ((59, -83), (47, -71), (61, -89), (50, -78)),
    "C(θ, ξ)": ((0, 0), (0, 0), (0, 0), (0, 0)),
    "ξ̇": ((1, 0), (1, 0), (1, 0), (1, 0)),
    "subtotal, unnormalised": ((86, -95), (66, -83), (81, -106), (66, -95)),
    "unnormalised": ((500, -319), (314, -238), (426, -286), (284, -218)),
}
"""Row → slope and constant, as printed: products of general, then of parallel or perpendicular arms; likewise sums."""
COMMON = ("P", "G", "V⁺", "V", "z", "ψ", "b", "X", "λ̇")
NORMALISED = ("θ̇", "ε", "z⁺", "y", "C(θ, ν)", "ν̇")
UNNORMALISED = ("θ̇ from ξ", "κ", "z⁺ from κ", "y from ξ", "C(θ, ξ)", "ξ̇")
REPAIRED_2 = {
    "subtotal": ((414, -224), (248, -155), (345, -180), (218, -123)),
    "z⁺ from κ": ((21, -4), (13, -3), (13, -8), (9, -7)),
}
"""Rows whose printed numbers do not add up, with the one that does."""

THIRD, HALF, SIXTH = 1 / 3, 1 / 2, 1 / 6
TABLE_3: dict[str, tuple[Polynomial, int, int]] = {
    "articulated bodies (Featherstone 1987)": (polynomial(579, -526), 2948, 6422),
    "first method (Walker and Orin 1982)": (polynomial(THIRD, 130 + HALF, 197 + SIXTH, -33), 5920, 21701),
    "second method (Walker and Orin 1982)": (polynomial(THIRD, 66 + HALF, 261 + SIXTH, -33), 4000, 13253),
    "third method (Walker and Orin 1982)": (polynomial(SIXTH, 21 + HALF, 358 + SIXTH, -113), 2882, 7857),
    "fourth method (Walker and Orin 1982)": (polynomial(132 + HALF, 207, -31), 5967, 21537),
    "Brandl, Johanni and Otter (1986)": (polynomial(470, -420), 2400, 5220),
    "numerical solution (Kozłowski 1992)": (polynomial(THIRD, 20 + HALF, 341 + SIXTH, -395), 2462, 7227),
    "Kalman filter and smoother (Kozłowski 1993)": (polynomial(477, -503), 2359, 5221),
    "normalised equations (Kozłowski 1995)": (polynomial(1135, -910), 5900, 12710),
    "unnormalised equations (Kozłowski 1995)": (polynomial(926, -605), 4951, 10507),
}
"""Method → its formula, and its values for N = 6 and 12, all as printed."""
REPAIRED_3 = {
    "third method (Walker and Orin 1982)": polynomial(THIRD, 21 + HALF, 358 + SIXTH, -113),
    "fourth method (Walker and Orin 1982)": polynomial(132 + 2 * THIRD, 207, -51),
}
"""Formulas that do not give the numbers printed beside them, with few changes such that they do."""
INVERSE = {True: (polynomial(142, -161), polynomial(109, -135)), False: (polynomial(104, -117), polynomial(87, -102))}
"""Multiplications and additions of inverse dynamics, for general and for parallel or perpendicular arms; section 6."""
FEATHERSTONE = {True: (polynomial(130, -68), polynomial(101, -56))}
"""The same of Featherstone's recursion (1987) for general arms, from Park, Bobrow and Ploen (1995), section 3."""


@cache
def arm(n: int, general: bool) -> kt.Robot:
    """A revolute arm in modified Denavit–Hartenberg frames, the n links next to the tip of one long arm.

    Twists and offsets are general, or each axis is perpendicular to the last and offsets are along x: of the arms with
    parallel or perpendicular axes, those that cost most.
    """
    rng = np.random.default_rng(0)
    a, d = rng.uniform(0.1, 0.5, (2, LONGEST))
    twists = rng.uniform(0.2, 1.3, LONGEST) if general else np.full(LONGEST, math.pi / 2)
    inertias = [random_inertia(rng) for _ in range(LONGEST)]
    table = np.stack([a, twists, d * general, np.zeros(LONGEST)], axis=-1)[-n:]
    return kt.Robot(kt.from_dh(table, inertias=inertias[-n:]).model)


def inertial_forces(model: Model, q: Array, a: Array) -> Array:
    """M a, by inverse dynamics without velocity and gravity."""
    weightless = replace(model, gravity=np.zeros(3))
    return inverse_dynamics(weightless, q, np.zeros(model.nv), a)


def bias(model: Model, q: Array, v: Array) -> Array:
    """The joint forces that keep v̇ = 0."""
    return inverse_dynamics(model, q, v, np.zeros(model.nv))


def first_method(model: Model, q: Array, v: Array, tau: Array, units: Array) -> tuple[Array, Array]:
    """M column by column, from unit accelerations that are arguments; then the linear system.

    `units` (nv, nv) are the unit vectors: an argument, so that their zeros cannot be exploited. The whole of M is
    returned too, since the method computes it, though the solution reads half of it.
    """
    M = stack([inertial_forces(model, q, unit) for unit in units])
    return dense.solve(dense.factor(M), tau - bias(model, q, v)), M


def second_method(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """The same with unit accelerations as constants: links before the joint are at rest, and M is symmetric."""
    return first_method(model, q, v, tau, np.eye(model.nv))[0]


def third_method(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """M by composite bodies; then the linear system."""
    return forward_dynamics(model, q, v, tau, method="solve")


def fourth_method(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Conjugate gradients, nv steps, each with one product M p by inverse dynamics."""
    x, r = np.zeros(model.nv), tau - bias(model, q, v)
    p, rr = r, r @ r
    for _ in range(model.nv):
        y = inertial_forces(model, q, p)
        step = rr / (p @ y)
        x, r = x + step * p, r - step * y
        rr, before = r @ r, rr
        p = r + (rr / before) * p
    return x


WALKER_ORIN: tuple[Callable[..., Any], ...] = (first_method, second_method, third_method, fourth_method)


@dataclass(frozen=True)
class Ours:
    """A way to count a row of table 3."""

    label: str
    function: Any
    static: tuple[tuple[str, Any], ...] = ()

    def count(self, robot: kt.Robot) -> kt.OpCount:
        """Operations of the row on a robot."""
        shapes = {"units": (robot.nv, robot.nv)} if self.function is first_method else None
        return robot.count(self.function, shapes=shapes, **dict(self.static))


def _forward(method: str) -> Ours:
    return Ours(f'"{method}"', "forward_dynamics", (("method", method),))


ROWS_3: dict[str, Ours] = {
    "articulated bodies (Featherstone 1987)": _forward("FD4"),
    "first method (Walker and Orin 1982)": Ours("first method", first_method),
    "second method (Walker and Orin 1982)": Ours("second method", second_method),
    "third method (Walker and Orin 1982)": _forward("solve"),
    "fourth method (Walker and Orin 1982)": Ours("fourth method", fourth_method),
    "Brandl, Johanni and Otter (1986)": _forward("FD4"),
    "numerical solution (Kozłowski 1992)": _forward("solve"),
    "Kalman filter and smoother (Kozłowski 1993)": _forward("FD4"),
    "normalised equations (Kozłowski 1995)": Ours("`diagonal_dynamics`", "diagonal_dynamics"),
    "unnormalised equations (Kozłowski 1995)": Ours(
        "`diagonal_dynamics`, unnormalised", "diagonal_dynamics", (("normalised", False),)
    ),
}
"""Published row → the corresponding function of the library."""
FURTHER = (_forward("FD1"), _forward("FD3"))
"""Methods without a published row."""


@cache
def growth(row: Ours, general: bool) -> Polynomial:
    """Multiplications, additions, divisions and roots by N."""
    return fitted({n: row.count(arm(n, general)).flops for n in N})


@cache
def inverse_growth(general: bool, **static: str) -> tuple[Polynomial, Polynomial]:
    """Multiplications and additions of inverse dynamics by N."""
    counts = {n: arm(n, general).count("inverse_dynamics", **static) for n in N}
    return fitted({n: c.mul for n, c in counts.items()}), fitted({n: c.add for n, c in counts.items()})


STAGES: dict[str, tuple[str, ...]] = {
    "P": ("articulated_body: P", "articulated_body: P_plus", "articulated_body: return"),
    "G": ("articulated_body: factors", "articulated_body: G"),
    "V": ("smoother: carried", "smoother: return"),
    "b": ("quasi_force_step: b",),
    "X": ("quasi_force_step: turned",),
    "λ̇": ("quasi_force_step: half", "quasi_force_step: dP_plus", "quasi_force_step: dP_parent"),
    "θ̇": ("motion_by_sweeps: xi", "smoother: x"),
    "ε": ("quasi_force_step: e",),
    "y": ("quasi_force_step: dS, V_joint, p", "quasi_force_step: y", "quasi_force_step: return"),
    "ν̇": ("normalised_rate: return", "motion_by_sweeps: rates"),
    "gravity": ("carried_gravity: return", "motion_by_sweeps: joints"),
    "sines": ("articulated_body: X, S",),
}
"""Row of table 2 → the corresponding statements of `diagonal_dynamics`, as `Stage` writes them."""
OF_ROW = {stage: row for row, stages in STAGES.items() for stage in stages}


@cache
def stage_counts(n: int, general: bool, normalised: bool) -> dict[str, kt.OpCount]:
    """Row of table 2 → operations."""
    found = dict.fromkeys(STAGES, kt.OpCount())
    for stage, count in arm(n, general).count("diagonal_dynamics", by="stage", normalised=normalised).items():
        row = OF_ROW.get(str(stage))
        if row is None:
            raise KeyError(f"give the stage {str(stage)!r} its row of table 2, in STAGES")
        found[row] = found[row] + count
    return found


@cache
def stage_growth(row: str, general: bool, normalised: bool) -> tuple[Polynomial, Polynomial]:
    """Multiplications with divisions, and additions, of a row of table 2, by N."""
    counts = {n: stage_counts(n, general, normalised)[row] for n in N}
    return fitted({n: c.mul + c.div for n, c in counts.items()}), fitted({n: c.add for n, c in counts.items()})


def _cells(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def default_counts(general: bool) -> list[int]:
    """Forward dynamics by the default method, for six and twelve joints."""
    return [arm(n, general).count("forward_dynamics").flops for n in (6, 12)]


def table_3() -> str:
    """Published rows, ours beside them."""
    lines, seen = [], set[Ours]()
    for name, row in [*ROWS_3.items(), *(("", row) for row in FURTHER)]:
        formula, *at = TABLE_3.get(name, ("", "", ""))
        published = (name, str(formula) + " \\*" * (name in REPAIRED_3), *at)
        ours = ["above", *[""] * 7]
        if row not in seen:
            ours = [x for general in (True, False) for x in _formula_and_values(growth(row, general))]
        seen.add(row)
        lines.append(_cells(*published, row.label, *ours))
    defaults = [x for general in (True, False) for x in ("", "", *default_counts(general))]
    return "\n".join([*lines, _cells("", "", "", "", "**default**", *defaults)])


def _formula_and_values(p: Polynomial) -> tuple[object, ...]:
    return p, p.since, p(6), p(12)


def inverse_table() -> str:
    """Published and ours."""
    rows = {
        "Newton–Euler, customised (Kozłowski 1995)": INVERSE,
        "Newton–Euler, spatial vectors (Featherstone 1987)": FEATHERSTONE,
        '`method="spatial"`': {g: inverse_growth(g, method="spatial") for g in INVERSE},
        "**kinetrace**, the default": {g: inverse_growth(g) for g in INVERSE},
    }
    lines = []
    for name, both in rows.items():
        cells: list[object] = [name]
        for general in INVERSE:
            if general not in both:
                cells += [""] * 6
                continue
            mul, add = both[general]
            total = mul + add
            since = "" if both is FEATHERSTONE else "3"
            cells += [mul, mul.since or since, add, add.since or since, total(6), total(12)]
        lines.append(_cells(*cells))
    return "\n".join(lines)


def table_2(general: bool) -> str:
    """Rows of the paper, ours beside them."""
    head = ("", "× ÷ published", "kinetrace", "from N", "+ − published", "kinetrace", "from N")
    lines = [_cells(*head), "|---|---|---|--:|---|---|--:|"]

    def published(row: str) -> tuple[Polynomial, Polynomial]:
        lines = REPAIRED_2.get(row, TABLE_2[row])
        return polynomial(*lines[0 if general else 1]), polynomial(*lines[2 if general else 3])

    def add(label: str, theirs: Sequence[Polynomial], ours: Sequence[Polynomial] | str) -> None:
        mine = [(ours, ""), (ours, "")] if isinstance(ours, str) else [(p, p.since) for p in ours]
        theirs = theirs or ("", "")
        lines.append(_cells(label, theirs[0], *mine[0], theirs[1], *mine[1]))

    def total(rows: Sequence[str], normalised: bool) -> list[Polynomial]:
        each = [stage_growth(row, general, normalised) for row in rows]
        return [sum((pair[k] for pair in each), start=polynomial(0)) for k in (0, 1)]

    where = {"V⁺": "with V", "z": "with y", "ψ": "0", "z⁺": "with y", "C(θ, ν)": "with ν̇"}
    for row in COMMON:
        add(row, published(row), where.get(row) or stage_growth(row, general, True))
    common = [row for row in COMMON if row in STAGES]
    add("subtotal", published("subtotal"), total(common, True))
    for row in NORMALISED:
        add(row, published(row), where.get(row) or stage_growth(row, general, True))
    add("gravity", (), stage_growth("gravity", general, True))
    add("**normalised equations of motion**", published("normalised"), total([*STAGES], True))
    for row, mine in zip(UNNORMALISED, NORMALISED, strict=True):
        here = where.get(mine, "").replace("ν̇", "ξ̇")
        add(row, published(row), here or stage_growth(mine, general, False))
    add("gravity", (), stage_growth("gravity", general, False))
    add("**unnormalised equations of motion**", published("unnormalised"), total([*STAGES], False))
    return "\n".join(lines)


def page() -> str:
    """The text of the page."""
    template = Template(TEXT.read_text(encoding="utf-8"))
    return template.substitute(
        first=N[0],
        last=N[-1],
        table_3=table_3(),
        repaired_3=" and ".join(map(str, REPAIRED_3.values())),
        inverse=inverse_table(),
        table_2_general=table_2(True),
        table_2_special=table_2(False),
    )


BROWN, BLUE, GREEN, VIOLET, GREY, RED = "#bf8700", "#0969da", "#1a7f37", "#8250df", "#6e7781", "#d1242f"
PUBLISHED_STYLE = {
    "first method (Walker and Orin 1982)": (BROWN, ":"),
    "second method (Walker and Orin 1982)": (BROWN, "-."),
    "third method (Walker and Orin 1982)": (BROWN, "--"),
    "fourth method (Walker and Orin 1982)": (BROWN, (0, (1, 3))),
    "articulated bodies (Featherstone 1987)": (BLUE, "--"),
    "Brandl, Johanni and Otter (1986)": (GREEN, "--"),
    "Kalman filter and smoother (Kozłowski 1993)": (VIOLET, "--"),
    "normalised equations (Kozłowski 1995)": (GREY, "--"),
    "unnormalised equations (Kozłowski 1995)": (GREY, ":"),
}
OURS_STYLE = {
    "FD4": (_forward("FD4"), "-"),
    "solve": (_forward("solve"), "-."),
    "normalised equations": (ROWS_3["normalised equations (Kozłowski 1995)"], (0, (4, 1.5))),
}
PLOTTED = range(3, 17)


def curves() -> tuple[dict[str, tuple[Polynomial, str, Any]], dict[str, tuple[Polynomial, str, Any]]]:
    """Label → formula, colour and line, of the two panels."""
    forward = {name: (REPAIRED_3.get(name, TABLE_3[name][0]), *style) for name, style in PUBLISHED_STYLE.items()}
    forward |= {f"kinetrace, {label}": (growth(row, True), RED, line) for label, (row, line) in OURS_STYLE.items()}
    inverse = {}
    for general, kind, line in ((True, "general arm", "--"), (False, "perpendicular", ":")):
        mul, add = INVERSE[general]
        inverse[f"Kozłowski 1995, {kind}"] = (mul + add, VIOLET, line)
        mul, add = inverse_growth(general)
        inverse[f"kinetrace, {kind}"] = (mul + add, RED, "-" if general else ":")
    return forward, inverse


def mark() -> str:
    """Hash of the formulas of a picture's curves."""
    drawn = [f"{label}: {formula}" for panel in curves() for label, (formula, *_) in panel.items()]
    return hashlib.sha256("\n".join(drawn).encode()).hexdigest()[:16]


def draw() -> None:
    """Write the picture as PNG and SVG."""
    from kinetrace.bench import plot

    with plot._style_context():
        figure = plot._figure(10.5, 5.4)
        axes = figure.subplots(1, 2, width_ratios=(1.25, 1))
        for ax, panel, title in zip(axes, curves(), ("Forward dynamics, general arm", "Inverse dynamics"), strict=True):
            for formula, colour, line in panel.values():
                width = 2.2 if colour == RED else 1.3
                ax.plot(PLOTTED, [float(formula(n)) for n in PLOTTED], color=colour, ls=line, lw=width)
            ax.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
            ax.set_xlabel("joints N")
            ax.set_xticks(range(4, PLOTTED[-1] + 1, 4))
            ax.set_yscale("log")
            plot._plain(ax.yaxis)
            plot._plain_axes(ax, "both")
            _label(ax, panel)
        axes[0].set_ylabel("multiplications and additions")
        for suffix in (".png", ".svg"):
            plot._save(figure, str(PICTURE.with_suffix(suffix)))
    text = PICTURE.read_text(encoding="utf-8")
    PICTURE.write_text(text.replace("</svg>", f"<!-- curves {mark()} -->\n</svg>"), encoding="utf-8")


def _label(ax: Any, panel: Mapping[str, tuple[Polynomial, str, Any]]) -> None:
    """Names at the ends of the curves, moved apart where they would overlap."""
    end = PLOTTED[-1]
    low, high = np.log(ax.get_ylim())
    by_height = sorted(panel, key=lambda label: panel[label][0](end))
    heights = [float(np.log(float(panel[label][0](end)))) for label in by_height]
    apart, gap = list(heights), 0.034 * (high - low)
    for _ in range(200):
        for k in range(1, len(apart)):
            short = gap - (apart[k] - apart[k - 1])
            if short > 0:
                apart[k - 1], apart[k] = apart[k - 1] - short / 2, apart[k] + short / 2
    for label, y, y_label in zip(by_height, heights, apart, strict=True):
        colour = panel[label][1]
        ax.annotate(
            label,
            (end, np.exp(y)),
            (end + 0.7, np.exp(y_label)),
            va="center",
            size=8,
            color=colour,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.6, "shrinkA": 0, "shrinkB": 1, "relpos": (0, 0.5)},
        )


def is_current() -> bool:
    """Whether page and picture are up to date."""
    return PAGE.read_text(encoding="utf-8") == page() and f"curves {mark()} " in PICTURE.read_text(encoding="utf-8")


def main() -> int:
    """Write, or check."""
    if "--check" in sys.argv[1:]:
        return 0 if is_current() else 1
    PAGE.write_text(page(), encoding="utf-8")
    draw()
    return 0


if __name__ == "__main__":
    sys.exit(main())
