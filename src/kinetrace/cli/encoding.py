"""Text for encodings that lack some of its characters, such as ASCII, in which headers of generated source are.

Importing this registers the error handler PLAINER of `str.encode` and of streams.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

PLAINER = "kinetrace.plainer"
"""Name of the error handler."""
_RAISED = {**{x: str(k) for k, x in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, "⁺": "+", "⁻": "-", "ᵀ": "T"}
_LOWERED = {x: str(k) for k, x in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_SAME = {
    **{"→": "->", "↔": "<->", "·": "*", "×": "x", "−": "-", "–": "-", "…": "...", "½": "1/2", "±": "+-", "ł": "l"},
    **{"≤": "<=", "≥": ">=", "≠": "!=", "⊕": "(+)", "⊖": "(-)", "∘": "o", "∂": "d", "√": "sqrt ", "∫": "integral "},
    **{"Σ": "Sum", "ε": "eps", "δ": "delta ", "Λ": "Lambda", "λ": "lambda", "µ": "mu", "˙": "'"},
    **{"\N{COMBINING DOT ABOVE}": "'", "\N{COMBINING MACRON}": "bar"},
}
"""Character → what stands for it; Greek letters that are not here have their names."""


def plainer(text: str) -> str:
    """What stands for characters that an encoding lacks; "?" for those without a name or a plain form.

    >>> plainer("Ṁ, J̄, δτ, Γ ξ²"), plainer("M⁻¹"), plainer("é"), plainer("中")
    ("M', Jbar, delta tau, Gamma xi^2", 'M^-1', 'e', '?')
    """
    text = re.sub(f"[{''.join(_RAISED)}]+", lambda run: "^" + "".join(_RAISED[x] for x in run[0]), text)
    return "".join(map(_one, text))


def _one(x: str) -> str:
    if x.isascii():
        return x
    if x in _SAME or x in _LOWERED:
        return _SAME.get(x) or f"_{_LOWERED[x]}"
    parts = unicodedata.normalize("NFD", x)
    if len(parts) > 1:
        return "".join(map(_one, parts))
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(x, ""))
    if greek:
        return greek[2].lower() if greek[1] == "SMALL" else greek[2].capitalize()
    return "" if unicodedata.combining(x) else "?"


def _handle(error: UnicodeError) -> tuple[str, int]:
    """The error handler."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plainer(error.object[error.start : error.end]), error.end


codecs.register_error(PLAINER, _handle)
