"""The order of a region's items: operations as the program has them, loads as late and stores as early as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..trace.ops import LEAVES, operands
from .items import Item

if TYPE_CHECKING:
    from .plan import Plan


class Ordering:
    """Puts the items of a region, or of what is in none, in their order."""

    def __init__(self, plan: Plan, scope: int) -> None:
        self.plan, self.scope, self.nodes, self.loops = plan, scope, plan.program.nodes, plan.program.loops
        self.together = {i: group for group in plan.sincos_groups(scope) for i in group}
        self.stores = plan.stores(scope)
        self.waiting: list[int] = []
        """How many entries each of the stores waits for."""
        self.of_node: dict[int, list[int]] = {}
        """Which of them a node belongs to."""
        for k, store in enumerate(self.stores):
            entries = {i for i in store.nodes if self.nodes[i][0] != "const" and plan.scopes[i] == scope}
            self.waiting.append(len(entries))
            for i in entries:
                self.of_node.setdefault(i, []).append(k)
        self.items: list[Item] = []
        self.known: set[int] = set()
        apart = set(plan.constants)
        self.items += [x for k, x in enumerate(self.stores) if not self.waiting[k] and x not in apart]
        early = [group for group in plan.sincos_groups(scope) if group[0] in plan.early]
        for i in [*(self.nodes[i][1] for group in early for i in group), *(group[0] for group in early)]:
            self.compute(i)
        region = self.loops.regions[scope] if scope >= 0 else None
        begin, end = (region.begin, region.end) if region else (0, len(self.nodes))
        for first, last in self.loops.layout(scope, begin, end):
            if first < 0:
                self.loop(last)
            for i in range(first, last) if first >= 0 else ():
                self.compute(i)
        for k, store in enumerate(self.stores):
            if self.waiting[k]:  # an output that is a leaf
                for j in store.nodes:
                    self.define(j)
        if region:
            for c in self.loops.carried_by(scope):
                self.define(self.loops.carried[c].next)
            self.items.append(Item("latch", self.carries(scope), scope))

    def carries(self, region: int) -> tuple[int, ...]:
        """The leaves of what a region carries."""
        return tuple(self.plan.carry_nodes[c] for c in self.loops.carried_by(region))

    def loop(self, region: int) -> None:
        """A loop, and before it what it reads."""
        enter = Item("enter", self.carries(region), region)
        begin, end = self.loops.regions[region].begin, self.loops.regions[region].end
        inside = [j for node in self.nodes[begin:end] for j in operands(node)]
        for c in (self.loops.carried[c] for c in range(len(self.loops.carried)) if self.within(c, region)):
            inside += [c.initial, c.next]
        around = self.loops.around
        read = {x.source[1] for x in self.loops.reads if x.source[0] == "kept" and region in around(x.regions[-1])}
        for k, w in enumerate(self.loops.writes):  # what is written in it, and tables that it reads
            inside += self.plan.filled(k) if region in around(w.inside) or (w.rows and k in read) else ()
        for j in (*self.plan.reads(enter), *inside):
            self.define(j)
        self.items += [enter, Item("loop", (), region)]

    def within(self, c: int, region: int) -> bool:
        """Whether a region, or one inside of it, carries value c."""
        return region in self.loops.around(self.loops.carried[c].region)

    def compute(self, i: int) -> None:
        """An operation, and what it reads."""
        if self.nodes[i][0] not in LEAVES and i not in self.plan.within_sums:
            for j in self.plan.reads(Item("compute", self.together.get(i, (i,)))):
                self.define(j)
            self.define(i)

    def define(self, i: int) -> None:
        """Put the item that makes node i known, and what was waiting for it."""
        kind = self.nodes[i][0]
        if i in self.known or kind == "const" or self.plan.scopes[i] != self.scope:
            return
        item = Item("compute", self.together.get(i, (i,)))
        if kind in ("input", "item", "element"):
            item = self.plan.group_of[i]
        elif kind in ("carry", "final"):
            item = Item("carried", (i,))  # it has a slot
        if kind not in ("carry", "final") and (kind != "input" or self.plan.lanes > 1):
            self.items.append(item)
        self.known.update(item.nodes)
        for j in item.nodes:
            for k in self.of_node.get(j, ()):
                self.waiting[k] -= 1
                if not self.waiting[k]:
                    self.items.append(self.stores[k])
