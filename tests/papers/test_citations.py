"""What the pages say of the papers: numbers of equations, of operations, and who errs.

An equation is cited beside what it says; the table has the numbers as the papers print them, each read in its text.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
CITED = {
    "theory/coriolis.md": {  # Ploen: (24) is M, (25) the C of the recursion, (26) gravity
        "Newton–Euler recursion gives a $C$ directly": "(25)",
        '| `"newton"` | not skew | no |': "(25)",
        "g = kt.operators.global_matrices(robot.model, q, v)": "(25)",
    },
    "theory/sweeps.md": {  # Park et al.: section 3 is the recursion, (22) its start, (26) forces of a body
        "Park, Bobrow and Ploen (1995),": "section 3,",
        "are one equation in the body's frame": "(26)",
    },
    "theory/mass_matrix.md": {  # Rodriguez and Kreutz: (4.14) inverts the factor, (4.16) the mass matrix
        "assert np.allclose((eye - o.H @ o.Psi @ o.L) @ factor, eye)": "(4.14)",
        "assert np.allclose(factor @ o.D @ factor.T,": "(4.11)",
    },
    "theory/screws.md": {  # Park et al.: (12) is e^{Px} M, (23) M e^{Sx}
        "assert np.allclose(links[-1], tip)": "(23)",
    },
    "identification.md": {"pivots D(k) of the mass matrix": "M = W Wᵀ"},
    "papers.md": {"Of part II": "only the table of contents was available"},
}


@pytest.mark.parametrize("page", CITED)
def test_pages_cite_the_equation_that_says_it(page):
    lines = (DOCS / page).read_text("utf-8").splitlines()
    for said, cited in CITED[page].items():
        (line,) = (line for line in lines if said in line)
        after = line.split(said)[1].split(":")[0]
        assert cited in after, f"{page}: {line}"


def test_errata_say_who_errs():
    tables = re.findall(r"(?:^\|.*\n)+", (DOCS / "errata.md").read_text("utf-8"), flags=re.MULTILINE)
    assert len(tables) == 10
    for head, _, *rows in (table.splitlines() for table in tables):
        assert head.endswith("| errs |")
        assert {row.split("|")[-2].strip() for row in rows} <= {"paper", "scan", "one mark"}


def test_errata_have_what_the_tests_show_of_park():
    text = (DOCS / "errata.md").read_text("utf-8")
    for place in ("(50)", "(73)", "before (80)", "(82), (83)", "after (83)"):
        assert f"\n| {place} | " in text, place


def test_featherstones_count_stands_beside_the_recursion_that_is_like_his():
    lines = (DOCS / "counts.md").read_text("utf-8").splitlines()
    (theirs,) = (line for line in lines if line.startswith("| Newton–Euler, spatial vectors (Featherstone 1987) |"))
    (ours,) = (line for line in lines if line.startswith('| `method="spatial"` |'))
    assert "| 130N − 68 |" in theirs and "| 101N − 56 |" in theirs
    assert "| 130N − 151 |" in ours and "| 102N − 125 |" in ours
