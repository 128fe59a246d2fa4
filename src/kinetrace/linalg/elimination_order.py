"""The order in which groups of rows are eliminated, from their graph: see `row_groups`.

Costs are numbers of products, for the factors and two solutions with them. The group comes next that costs least; one
that it shares variables with is taken together with it where that costs no more.
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


class Rows(NamedTuple):
    """Rows that are eliminated together."""

    rows: tuple[int, ...]
    places: Places
    """Variables in which they have entries."""
    atoms: tuple[tuple[int, Places], ...]
    """Number and variables of rows that have the same."""


class RowGroup(NamedTuple):
    """A group in the order of elimination."""

    rows: tuple[int, ...]
    places: tuple[int, ...]
    """Variables in which they have entries."""
    shared: tuple[int, ...]
    """Variables that the elimination changes, and that later groups have."""


def elimination_order(patterns: Sequence[Places], atoms: Iterable[Sequence[int]]) -> list[RowGroup]:
    """The cheapest order for rows with entries in these places; `atoms` are rows that stay together.

    >>> arms = [frozenset({2 * k, 2 * k + 1, 6}) for k in range(3)]
    >>> [(group.rows, group.shared) for group in elimination_order(arms, [[0], [1], [2]])]
    [((0,), (6,)), ((1, 2), ())]
    """
    each = [(tuple(x), _union(patterns[k] for k in x)) for x in atoms if len(x)]
    left = [Rows(rows, places, ((len(rows), places),)) for rows, places in each]
    near, found = {i: frozenset({i}) for i in _union(patterns)}, list[RowGroup]()
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
        found.append(RowGroup(chosen.rows, tuple(sorted(chosen.places)), tuple(sorted(shared))))
    return found


def _together(a: Rows, b: Rows) -> Rows:
    return Rows(a.rows + b.rows, a.places | b.places, a.atoms + b.atoms)


def _union(sets: Iterable[Places]) -> Places:
    return frozenset[int]().union(*sets)


def _later(owners: Counter[int], *groups: Rows) -> Places:
    """Variables of groups that come after these."""
    own = Counter(chain.from_iterable(x.places for x in groups))
    return frozenset(i for i, count in owners.items() if count > own[i])


def _joined(near: Pattern, places: Places, later: Places) -> Pattern:
    """The pattern of the covariance after a group with these variables, of what is needed later."""
    clique = _union(near[i] for i in places) & later
    return {i: (others | clique if i in clique else others) for i, others in near.items()}


def _cost(group: Rows, near: Pattern, later: Places) -> float:
    """Products that a group takes, of m rows and w variables that its elimination changes.

    - `covariances`: C Kᵀ of each row's own variables, for the covariance C of all of the group;
    - `products`: K (C Kᵀ), its upper triangle, of rows that share variables;
    - m (m + 1)/2 w: the response of the w variables to the rows, by triangular solutions;
    - m³/6: the factors of K C Kᵀ;
    - m w (w + 1)/2: the change of the covariance of the w variables;
    - m (m + 2 (w + known)), in each solution: with these factors, and with K and its response.
    """
    clique = _union(near[i] for i in group.places) & later
    m, w, known = len(group.rows), len(clique), sum(len(near[i]) > 1 for i in group.places)
    covariances = sum(m_a * len(near[i] & T_a) for m_a, T_a in group.atoms for i in group.places | clique)
    products = 0.0
    for k, (m_a, T_a) in enumerate(group.atoms):
        reached = _union(near[i] for i in T_a)
        products += m_a * (m_a + 1) / 2 * len(T_a)
        products += sum(m_a * m_b * len(T_b & reached) for m_b, T_b in group.atoms[k + 1 :])
    factors = covariances + products + m * (m + 1) / 2 * w + m**3 / 6 + m * w * (w + 1) / 2
    return factors + SOLVES_PER_FACTOR * m * (m + 2 * (w + known))
