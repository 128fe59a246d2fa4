"""Kernels in notebooks: signature, arrays, and operation counts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ...support.html import block, code, details, escaped, facts, table

if TYPE_CHECKING:
    from .kernel import Kernel

LABELS = {
    "mul": "multiplications",
    "add": "additions",
    "div": "divisions",
    "sqrt": "square roots",
    "trig": "sines, cosines, …",
}
COLOR = "#4c8bd0"
WIDE = 160
"""Of the longest bar in pixels."""


def of_kernel(kernel: Kernel) -> str:
    """The HTML of a kernel."""
    program, count = kernel.program, asdict(kernel.count())
    title = f"<b>{escaped(kernel.__name__)}</b> <span style='opacity:0.7'>Kernel</span>"
    arrays = [
        [code(a.name), "argument" if k < len(program.inputs) else "result", escaped(_shape(a.shape))]
        for k, a in enumerate((*program.inputs, *program.outputs))
    ]
    most = max(count.values()) or 1
    rows = [[LABELS[kind], f"{n:,}", _bar(n / most)] for kind, n in count.items()]
    found = [
        ("signature", code(program.signature)),
        ("computes in", f"{kernel.dtype.name}, {'compiled' if kernel.compiled else 'interpreted'}"),
        ("operations", f"{sum(count.values()):,} per state"),
    ]
    parts = facts(found), details("arrays", table(["", "", "shape"], arrays), is_open=len(arrays) <= 6)
    return block(title, *parts, details("operations", table(["", "", ""], rows, right=(1,)), is_open=True))


def _shape(shape: tuple[int, ...]) -> str:
    return f"(..., {', '.join(map(str, shape))})" if shape else "(...)"


def _bar(share: float) -> str:
    wide = round(WIDE * share)
    return f'<svg width="{WIDE}" height="10" role="img"><rect width="{wide}" height="10" fill="{COLOR}"/></svg>'
