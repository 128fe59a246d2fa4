"""Slots of a program's values: where those live that cross from block to block, reused by liveness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .items import Loop, Piece, flat

if TYPE_CHECKING:
    from .plan import Plan


def slots(plan: Plan) -> dict[int, int]:
    """Node → slot, for values that a later block reads, and all that loops carry."""
    last_reader, found = _last_readers(plan), dict[int, int]()
    free: dict[int, list[int]] = {width: [] for width in (plan.lanes, plan.passes)}
    end = dict.fromkeys(free, 0)
    expiring: dict[int, list[int]] = {}
    widths = {i: plan.passes for i, scope in enumerate(plan.scopes) if scope in plan.wide_regions}
    for k, piece in enumerate(plan.pieces):
        for i in expiring.pop(k, []):
            free[widths.get(i, plan.lanes)].append(found[i])
        for item in piece:
            for i in item.nodes if item.kind in ("compute", "load", "fetch", "enter") else ():
                if i not in found and (item.kind == "enter" or last_reader.get(i, k) > k):
                    width = widths.get(i, plan.lanes)
                    if not free[width]:
                        free[width].append(end[width])
                        end[width] += 1
                    found[i] = free[width].pop()
                    expiring.setdefault(last_reader[i] + 1, []).append(i)
    for i in found.keys() & widths.keys():  # behind the others, as many places as there are lanes for each
        found[i] = end[plan.lanes] + plan.passes * found[i]
    nodes = plan.program.nodes
    finals = ((i, plan.carry_nodes[node[1]]) for i, node in enumerate(nodes) if node[0] == "final")
    return found | {i: found[carry] for i, carry in finals}


def _last_readers(plan: Plan) -> dict[int, int]:
    """Node → the last block that needs it: in a loop in which it does not change, the last one of that."""
    loops, nodes, last = plan.program.loops, plan.program.nodes, dict[int, int]()
    ends = dict(_loop_ends(plan.schedule, 0))
    for k, piece in enumerate(plan.pieces):
        inside = loops.around(plan.scope_of(piece)) if loops.regions else ()
        for i in (i for item in piece for i in plan.reads(item)):
            ending = next((ends[r] for r in inside if r not in loops.around(plan.scopes[i])), k) if inside else k
            last[i] = max(last.get(i, ending), ending)
    for i, node in enumerate(nodes):
        if node[0] == "final":
            carry = plan.carry_nodes[node[1]]
            last[carry] = max(last.get(carry, 0), last.get(i, 0))
    for c, carried in enumerate(loops.carried):
        last[plan.carry_nodes[c]] = max(last.get(plan.carry_nodes[c], 0), ends[carried.region])
    return last


def _loop_ends(schedule: list[Piece | Loop], first: int) -> Iterator[tuple[int, int]]:
    """The last block of each loop."""
    for part in schedule:
        blocks = len(flat(part.body)) if isinstance(part, Loop) else 1
        if isinstance(part, Loop):
            yield from _loop_ends(part.body, first)
            yield part.region, first + blocks - 1
        first += blocks
