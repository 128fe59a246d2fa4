"""The report of an identification: one HTML file with figures and tables, which loads nothing and runs nothing."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Array
from ..errors import InputError
from ..lie import inertia
from ..simulation.figures import new_figure
from ..simulation.metadata import names_of
from ..simulation.trajectory_files import check_folder
from ..support.files import write_atomically
from ..support.html import code, details, facts, html_text, table
from ..support.optional import require_package
from .identification import force_names
from .regression_data import joint_values

if TYPE_CHECKING:
    from .identification import Identification

MOST_PANELS, MOST_POINTS = 40, 900
"""Joints in a figure, and points of a curve."""
MOST_NAMES = 200
"""Base parameters in a figure with their names."""
MEASURED, PREDICTED, GIVEN = "#9aa5b1", "#1f5fa8", "#d08a3e"
STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1.5em; max-width: 72em; }
h1 { font-size: 1.6em; margin: 0; } h2 { font-size: 1.15em; margin: 1.8em 0 0.4em; }
figure { margin: 0.6em 0; padding: 0.6em; background: #fff; border-radius: 6px; border: 1px solid #8884; }
figure svg { width: 100%; height: auto; display: block; }
p { max-width: 60em; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(13em, 1fr)); gap: 1.2em; }
.figures b { display: block; font-size: 1.7em; line-height: 1.2; }
.figures span { opacity: 0.75; } ul { padding-left: 1.2em; }
"""


def write_report(found: Identification, path: Path) -> None:
    """Write the report to a file."""
    if path.suffix != ".html":
        raise InputError(f"{path.name!r}: reports are written as .html")
    check_folder(path)
    require_package("matplotlib.figure", "a report", "plot")
    write_atomically({path: report(found).encode()})


def report(found: Identification) -> str:
    """The page."""
    robot: Any = found.given
    title = f"Identification of {robot.name}"
    parts = [
        _summary(found),
        _section("Forces on motion that was not fitted", _joint_table(found), _svg(_forces(found)), _LEGEND),
        _section("What is left", _svg(_residual_figure(found)), _LEFT),
        _section("Base parameters", _svg(_errors(found)), _base_table(found), _BASE),
        _section("Bodies, before and after", _bodies(found), _BODIES),
        *([_section("Joints, before and after", _joints(found))] if found.fit.joints else []),
        _section("What the forces do not tell", _unidentifiable(found)),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{html_text(title)}</title><style>{STYLE}</style></head>'
        f"<body><h1>{html_text(title)}</h1>{''.join(parts)}</body></html>\n"
    )


_LEGEND = (
    "<p>Grey: measured. Blue: the identified robot. Orange, dashed: the robot as it was given. All along the filtered "
    "motion of the part of the log that was held out; forces as they were measured, without a filter. The noise is "
    "estimated from what measured forces have above the frequency of the filter.</p>"
)
_LEFT = (
    "<p>Measured minus predicted, divided by the noise. If nothing but noise is left, the histogram follows the normal "
    "distribution (line), and the spectrum is flat at 1; peaks at low frequencies are effects that the model does not "
    "have.</p>"
)
_BASE = (
    "<p>Sums of parameters that forces depend on, by least squares, and their standard errors. Errors above 100 % say "
    "that the value cannot be told from zero with this motion.</p>"
)
_BODIES = (
    "<p>Bodies that can exist, nearest to the data and, where forces do not tell, to the robot as it was given. Only "
    "the sums above are determined by the data: single numbers here may change without any force changing.</p>"
)


def _section(title: str, *parts: str) -> str:
    return f"<h2>{title}</h2>{''.join(parts)}"


def _number(x: float, digits: int = 4) -> str:
    return f"{x:.{digits}g}".replace("-", "−") if np.isfinite(x) else "∞"


def _excess(ratio: float) -> str:
    """How far a ratio is above 1, in percent."""
    if not np.isfinite(ratio):
        return "∞"
    return f"{100 * (ratio - 1) + 0.0:+.1f} %".replace("-0.0", "+0.0").replace("-", "−")


def _summary(found: Identification) -> str:
    fit, samples = found.fit, found.samples
    before, after = (float(np.sqrt(np.mean(x.rms**2))) for x in (found.before, found.after))
    heads = [
        (_excess(found.ratio), "error above the noise on motion not seen"),
        (f"{_number(before, 3)} → {_number(after, 3)}", "rms error before → after [N m, N]"),
        (_number(fit.condition, 3), "condition of the excitation; below 100 is good"),
        (f"{int(np.isfinite(fit.errors).sum())} of {fit.base.count}", "base parameters determined"),
    ]
    big = "".join(f"<div><b>{a}</b><span>{b}</span></div>" for a, b in heads)
    cut = "none" if np.isinf(samples.cutoff) else f"{samples.cutoff:.3g} Hz, without phase, on both sides of the fit"
    pairs = [
        ("fitted", f"{len(samples)} samples of {samples.dt:.4g} s"),
        ("held out", f"{len(found.held_out)} samples"),
        ("filter", cut),
        ("parameters", f"{fit.base.count} base parameters of {len(fit.base.parameters)}"),
    ]
    notes = "".join(f"<li>{html_text(note, 300)}</li>" for note in found.notes)
    return f'<div class="figures">{big}</div>{facts(pairs)}' + (f"<ul>{notes}</ul>" if notes else "")


def _joint_table(found: Identification) -> str:
    names, units = force_names(found.given.model)
    columns = (found.before.rms, found.trained.rms, found.after.rms, found.noise_floor)
    rows = []
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        floor = found.noise_floor[k]
        share = _excess(found.after.rms[k] / floor) if floor > 0 else ""
        rows.append([code(name), *(_number(x[k], 3) for x in columns), share, unit])
    head = ["joint", "rms before", "rms, fitted part", "rms, not seen", "noise", "above noise", ""]
    return table(head, rows, right=(1, 2, 3, 4, 5))


def _grid(n: int, height: float) -> tuple[Any, Array]:
    rows = -(-n // 2)
    figure = new_figure(11.0, height * rows + 0.4)
    axes = figure.subplots(rows, 2 if n > 1 else 1, sharex=True, squeeze=False).ravel()
    for at in axes[n:]:
        at.set_visible(False)
    return figure, axes


def _forces(found: Identification) -> Any:
    names, units = force_names(found.given.model)
    n = min(len(names), MOST_PANELS)
    figure, axes = _grid(n, 1.9)
    some = _places(len(found.after.t))
    t = found.after.t[some]
    for k, at in enumerate(axes[:n]):
        at.plot(t, found.after.measured[some, k], color=MEASURED, linewidth=0.8)
        at.plot(t, found.before.predicted[some, k], color=GIVEN, linewidth=1.0, linestyle="--")
        at.plot(t, found.after.predicted[some, k], color=PREDICTED, linewidth=1.2)
        at.set_title(names[k], fontsize=9, parse_math=False)
        at.set_ylabel(f"[{units[k]}]", fontsize=8)
        _tidy(at)
    for at in axes[max(n - 2, 0) : n]:
        at.tick_params(labelbottom=True)
    figure.supxlabel("t [s]", fontsize=8)
    return figure


def _residual_figure(found: Identification) -> Any:
    names, _ = force_names(found.given.model)
    figure = new_figure(11.0, 3.6)
    left, right = figure.subplots(1, 2)
    scaled = (found.after.measured - found.after.predicted) / np.where(found.noise_floor > 0, found.noise_floor, np.inf)
    edges = np.linspace(-5, 5, 61)
    for k, name in enumerate(names[:MOST_PANELS]):
        look = {"color": f"C{k % 10}", "linewidth": 1.0}
        density, _ = np.histogram(np.clip(scaled[:, k], -5, 5), edges, density=True)
        left.stairs(density, edges, **look)
        f, power = _spectrum(scaled, found, k)
        right.plot(f, power, label=name if not name.startswith("_") else f" {name}", **look)
    x = np.linspace(-5, 5, 200)
    left.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), color="black", linewidth=1.2)
    left.set_xlabel("residual / noise", fontsize=8)
    left.set_ylabel("density", fontsize=8)
    right.axhline(1, color="black", linewidth=1.2)
    if np.isfinite(found.samples.cutoff):
        right.axvline(found.samples.cutoff, color="0.6", linewidth=1.0, linestyle=":")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xlabel("frequency [Hz]; dotted: that of the filter", fontsize=8)
    right.set_ylabel("power of the residual / noise", fontsize=8)
    if len(names) <= 12:
        for text in right.legend(fontsize=7, frameon=False, ncols=2).get_texts():
            text.set_parse_math(False)
    for at in (left, right):
        _tidy(at)
    return figure


def _spectrum(scaled: Array, found: Identification, k: int) -> tuple[Array, Array]:
    """Power of a residual by frequency, 1 for white noise of unit deviation, averaged over a tenth of a decade."""
    n, dt = len(scaled), found.held_out.dt
    window = np.hanning(n)
    power = np.abs(np.fft.rfft(scaled[:, k] * window)) ** 2 / np.sum(window**2)
    f = np.fft.rfftfreq(n, dt)
    edges = np.geomspace(f[1], f[-1] * 1.0001, max(8, int(12 * np.log10(f[-1] / f[1]))))
    which = np.digitize(f, edges)
    bands = [i for i in range(1, len(edges)) if (which == i).any()]
    return np.array([f[which == i].mean() for i in bands]), np.array([power[which == i].mean() for i in bands])


def _errors(found: Identification) -> Any:
    fit = found.fit
    relative = 100 * fit.errors / np.maximum(np.abs(fit.values), 1e-12)
    order = np.argsort(relative)
    shown = np.clip(np.where(np.isfinite(relative), relative, 1e6), 1e-3, 1e4)
    named, columns = len(order) <= MOST_NAMES, 1 if len(order) <= 12 else 2
    halves = np.array_split(order, columns)
    figure = new_figure(11.0, 0.6 + (0.19 * len(halves[0]) if named else 3.0))
    for at, some in zip(figure.subplots(1, columns, sharex=True, squeeze=False).ravel(), halves, strict=True):
        places, colours = np.arange(len(some)), np.where(shown[some] < 100, PREDICTED, GIVEN).tolist()
        at.barh(places, shown[some], color=colours)
        at.axvline(100, color="black", linewidth=0.8, linestyle=":")
        at.set_xscale("log")
        at.set_xlabel("standard error [% of the value]", fontsize=8)
        at.set_yticks(places if named else [], [fit.base.names[i] for i in some] if named else [])
        at.invert_yaxis()
        at.margins(y=0.01)
        _tidy(at)
        for text in at.get_yticklabels():
            text.set_parse_math(False)
            text.set_fontsize(8)
    return figure


def _base_table(found: Identification) -> str:
    fit, own = found.fit, found.given.parameters("inertial")
    joints = [joint_values(found.given.model, kind) for kind in fit.joints]
    before = fit.base.of(np.concatenate([own.ravel(), *joints]))
    rows = []
    for k, name in enumerate(fit.base.groupings):
        relative = 100 * fit.errors[k] / max(abs(fit.values[k]), 1e-12)
        numbers = [_number(x) for x in (before[k], fit.values[k])]
        rows.append([html_text(name, 110), *numbers, _number(fit.errors[k], 2), _number(relative, 2)])
    head = ["base parameter (SI units)", "before", "after", "standard error", "%"]
    return details("all base parameters", table(head, rows, right=(1, 2, 3, 4)))


def _bodies(found: Identification) -> str:
    rows = []
    for body, old, new in zip(found.given.model.bodies, found.given.parameters("inertial"), found.fit.pi, strict=True):
        (m0, c0, I0), (m1, c1, I1) = (inertia.to_mass_com(inertia.from_parameters(x)) for x in (old, new))
        moments = [np.linalg.eigvalsh(np.nan_to_num(x)) for x in (I0, I1)]
        rows.append(
            [
                code(body.name),
                *(_number(float(x)) for x in (m0, m1)),
                *(f"{_vector(a)}<br>→ {_vector(b)}" for a, b in ((c0, c1), moments)),
            ]
        )
    head = ["body", "mass [kg]", "→", "centre of mass [m]", "principal moments [kg m²]"]
    return table(head, rows, right=(1, 2))


def _vector(x: Array) -> str:
    return ", ".join(_number(float(v), 3) for v in np.nan_to_num(x))


def _joints(found: Identification) -> str:
    names = names_of(found.given.model).v
    fit, kinds = found.fit, list(found.fit.joints)
    old = {kind: joint_values(found.given.model, kind) for kind in kinds}
    errors = dict(zip(fit.base.names, fit.errors, strict=True))
    first = 10 * len(found.given.model.bodies)
    rows = []
    for k, name in enumerate(names):
        row = [code(name)]
        for i, kind in enumerate(kinds):
            error = errors.get(fit.base.parameters[first + i * len(names) + k])
            said = f" ± {_number(error, 2)}" if error is not None else ""
            row += [_number(old[kind][k]), _number(fit.joints[kind][k]) + said]
        rows.append(row)
    units = {"viscous": "viscous [N m s]", "coulomb": "Coulomb [N m]", "rotor": "rotor [kg m²]"}
    head = ["joint", *(x for kind in kinds for x in (units[kind], "→"))]
    return table(head, rows, right=tuple(range(1, len(head))))


def _unidentifiable(found: Identification) -> str:
    base, errors = found.fit.base, found.fit.errors
    never = base.unidentifiable
    unexcited = [base.groupings[k] for k in np.flatnonzero(~np.isfinite(errors))]
    text = (
        f"<p>{len(never)} of {len(base.parameters)} parameters have no effect on any joint force, whatever the motion; "
        f"the others do in {base.count} sums. {len(unexcited)} of these were not excited by the motion.</p>"
    )
    if never:
        text += details("parameters without effect", f"<p>{' '.join(code(x) for x in never[:400])}</p>")
    if unexcited:
        text += details("sums that were not excited", f"<p>{' '.join(code(x) for x in unexcited[:200])}</p>")
    return text


def _places(n: int) -> slice:
    return slice(None, None, max(1, n // MOST_POINTS))


def _tidy(at: Any) -> None:
    at.grid(alpha=0.3)
    at.tick_params(labelsize=7)
    for side in ("top", "right"):
        at.spines[side].set_visible(False)


def _svg(figure: Any) -> str:
    """A figure as part of a page."""
    matplotlib = require_package("matplotlib", "a report", "plot")
    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "kinetrace", "path.simplify": True}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    whole = re.sub(r"<metadata>.*?</metadata>", "", text.getvalue(), flags=re.DOTALL)
    return f"<figure>{whole[whole.index('<svg') :]}</figure>"
