"""The sweeps over the tree: the only loops of recursions over bodies in the library.

`outward` runs base → tips and hands each body its parent's state (the papers' forward recursion, anticausal in
Rodriguez and Kreutz); `inward` runs tips → base and hands each body the sum of its children's messages (backward,
causal); `toward_base` runs along one path. An algorithm is a list of sweeps; a step sees its own body and joint and
nothing else of the tree. The few joints between the two frames of a closure are a chain, not a tree: `closure_paths`
finds them by `toward_base`, and loops along them stand there and in `derivatives.closures`. In a compiled
function, `outward` and `inward` take long chains of bodies in loops of the program: `long_chains`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from ...model import WORLD
from .long_chains import chain_loops


class Tree(Protocol):
    """A tree of bodies: a model, or its `elimination_tree`."""

    @property
    def bodies(self) -> Sequence[Any]:
        """Base → tips, each with its `index` and `parent`."""


def outward(tree: Tree, step: Callable[..., Any], base: Any, *per_body: Sequence[Any]) -> list[Any]:
    """state_i = step(body_i, state of its parent, items_i...), base → tips.

    `base` is the state of the world; each sequence in `per_body` gives one item per body.
    """
    states: list[Any] = []
    loops = {loop.bodies[0].index: loop for loop in chain_loops(tree.bodies, base, *per_body)}
    for body, *items in zip(tree.bodies, *per_body, strict=True):
        if body.index < len(states):  # in a loop
            continue
        parent = base if body.parent == WORLD else states[body.parent]
        swept = loops[body.index].outward(step, parent) if body.index in loops else None
        states += [step(body, parent, *items)] if swept is None else swept
    return states


def inward(tree: Tree, step: Callable[..., Any], nothing: Any, *per_body: Sequence[Any]) -> list[Any]:
    """(result_i, message_i) = step(body_i, sum of its children's messages, items_i...), tips → base.

    `nothing` is what a body without children receives. Messages are arrays, or tuples and dicts of messages that are
    added entry by entry, a missing entry of a dict being zero. Returns the results.
    """
    received: list[Any] = [nothing] * len(tree.bodies)
    results: list[Any] = []
    loops = {loop.bodies[-1].index: loop for loop in chain_loops(tree.bodies, nothing, *per_body)}
    for body, *items in zip(reversed(tree.bodies), *(reversed(list(x)) for x in per_body), strict=True):
        at = body.index
        if at >= len(tree.bodies) - len(results):  # in a loop
            continue
        swept = loops[at].inward(step, received[at], partial(_sum, nothing)) if at in loops else None
        if swept is None:
            result, message = step(body, received[at], *items)
            swept = [result], message
        results += reversed(swept[0])
        parent = tree.bodies[len(tree.bodies) - len(results)].parent
        if parent != WORLD:
            received[parent] = _sum(received[parent], swept[1])
    return results[::-1]


def toward_base(tree: Tree, body: int, step: Callable[..., Any], tip: Any, *per_body: Sequence[Any]) -> dict[int, Any]:
    """state of the parent = step(body_i, state_i, items_i...), from one body to the world.

    `tip` is the state of the body to begin with. Returns the states of the bodies on the way, and that of the world.
    """
    states = {body: tip}
    while body != WORLD:
        at = tree.bodies[body]
        states[at.parent] = step(at, states[body], *(items[body] for items in per_body))
        body = at.parent
    return states


def _sum(a: Any, b: Any) -> Any:
    if isinstance(b, tuple):
        return tuple(_sum(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(b, dict):
        return a | {key: _sum(a[key], y) if key in a else y for key, y in b.items()}
    return a + b
