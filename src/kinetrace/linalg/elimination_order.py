"""The order in which blocks of rows are eliminated, from their graph: see `row_elimination`.

Costs are numbers of products, for the factors and two solutions with them. The block comes next that costs least; one
that it shares variables with is taken together with it, in one stage, where that costs no more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

Places = frozenset[int]
Pattern = dict[int, Places]
"""Variable → those whose covariance with it is not zero."""
SOLVES_PER_FACTOR = 2
"""With the same factors: one, and one that refines it."""


class JoinedBlocks(NamedTuple):
    """Blocks that are eliminated in one stage."""

    rows: tuple[int, ...]
    places: Places
    """Variables in which they have entries."""
    blocks: tuple[tuple[int, Places], ...]
    """Number and variables of the rows of each."""


class Stage(NamedTuple):
    """What is eliminated together, in the order of elimination."""

    rows: tuple[int, ...]
    places: tuple[int, ...]
    """Variables in which they have entries."""
    shared: tuple[int, ...]
    """Variables that the elimination changes, and that later stages have."""


def elimination_order(patterns: Sequence[Places], blocks: Iterable[Sequence[int]]) -> list[Stage]:
    """The cheapest order for rows with entries in these places; `blocks` are rows that stay together.

    >>> arms = [frozenset({2 * k, 2 * k + 1, 6}) for k in range(3)]
    >>> [(stage.rows, stage.shared) for stage in elimination_order(arms, [[0], [1], [2]])]
    [((0,), (6,)), ((1, 2), ())]
    """
    each = [(tuple(x), _union(patterns[k] for k in x)) for x in blocks if len(x)]
    left = [JoinedBlocks(rows, places, ((len(rows), places),)) for rows, places in each]
    near, found = {i: frozenset({i}) for i in _union(patterns)}, list[Stage]()
    while left:
        owners = Counter(chain.from_iterable(x.places for x in left))
        chosen = min(left, key=lambda x: _cost(x, near, _later(owners, x)))
        left.remove(chosen)
        for other in [x for x in left if x.places & chosen.places]:
            before, later = _later(owners, chosen), _later(owners, chosen, other)
            after, both = _joined(near, chosen.places, before), _together(chosen, other)
            apart = _cost(chosen, near, before) + _cost(other, after, later)
            if _cost(both, near, later) <= apart:
                left.remove(other)
                owners.subtract(chosen.places & other.places)
                chosen = both
        later = _later(owners, chosen)
        shared = _union(near[i] for i in chosen.places) & later
        near = _joined(near, chosen.places, later)
        found.append(Stage(chosen.rows, tuple(sorted(chosen.places)), tuple(sorted(shared))))
    return found


def _together(a: JoinedBlocks, b: JoinedBlocks) -> JoinedBlocks:
    return JoinedBlocks(a.rows + b.rows, a.places | b.places, a.blocks + b.blocks)


def _union(sets: Iterable[Places]) -> Places:
    return frozenset[int]().union(*sets)


def _later(owners: Counter[int], *joined: JoinedBlocks) -> Places:
    """Variables of blocks that come after these."""
    own = Counter(chain.from_iterable(x.places for x in joined))
    return frozenset(i for i, count in owners.items() if count > own[i])


def _joined(near: Pattern, places: Places, later: Places) -> Pattern:
    """The pattern of the covariance after a stage with these variables, of what is needed later."""
    clique = _union(near[i] for i in places) & later
    return {i: (others | clique if i in clique else others) for i, others in near.items()}


def _cost(stage: JoinedBlocks, near: Pattern, later: Places) -> float:
    """Products that a stage takes, of m rows and w variables that its elimination changes.

    - `covariances`: C Kᵀ of each row's own variables, for the covariance C of all of the stage;
    - `products`: K (C Kᵀ), its upper triangle, of rows that share variables;
    - m (m + 1)/2 w: the response of the w variables to the rows, by triangular solutions;
    - m³/6: the factors of K C Kᵀ;
    - m w (w + 1)/2: the change of the covariance of the w variables;
    - m (m + 2 (w + known)), in each solution: with these factors, and with K and its response.
    """
    clique = _union(near[i] for i in stage.places) & later
    m, w, known = len(stage.rows), len(clique), sum(len(near[i]) > 1 for i in stage.places)
    covariances = sum(m_a * len(near[i] & T_a) for m_a, T_a in stage.blocks for i in stage.places | clique)
    products = 0.0
    for k, (m_a, T_a) in enumerate(stage.blocks):
        reached = _union(near[i] for i in T_a)
        products += m_a * (m_a + 1) / 2 * len(T_a)
        products += sum(m_a * m_b * len(T_b & reached) for m_b, T_b in stage.blocks[k + 1 :])
    factors = covariances + products + m * (m + 1) / 2 * w + m**3 / 6 + m * w * (w + 1) / 2
    return factors + SOLVES_PER_FACTOR * m * (m + 2 * (w + known))
