"""What the comment on top of a file says in every language: what is computed, its arguments, and what it costs."""

from __future__ import annotations

from .unit import Unit


def about(of: Unit) -> list[str]:
    """What `about` says, and what lengths are."""
    return [
        *of.about,
        *([""] if of.about else []),
        *(f"{word}: how many rows the arrays with {name} in their shapes have" for name, word in of.lengths.items()),
    ]


def listed(of: Unit) -> list[str]:
    """The arguments with their shapes, one per line."""
    inputs = len(of.program.inputs)
    shapes = [f"({', '.join(map(str, a.shape))}{',' * (len(a.shape) == 1)})" for a in of.arguments]
    width, wide = max(map(len, of.names)), max(map(len, shapes))
    return [
        f"  {name:{width}}  {'in ' if k < inputs else 'out'}  {shape:{wide}}{_alias(a.name, name)}".rstrip()
        for k, (name, shape, a) in enumerate(zip(of.names, shapes, of.arguments, strict=True))
    ]


def cost(of: Unit, memory: str = "") -> list[str]:
    """What a state costs: all that stands outside of loops, and a pass of each."""
    loops, (outside, *passes) = of.program.loops, of.program.counts()
    found = [f"One state: {outside}{memory}."]
    for r, (region, inside) in enumerate(zip(loops.regions, passes, strict=True)):
        margin = "  " * len(loops.around(r))
        often = f"at most {region.length}, until it has converged" if region.active >= 0 else of.length(region.length)
        found.append(f"{margin}Each pass of loop {r} ({often}): {inside}.")
    return found


def _alias(name: str, word: str) -> str:
    return "" if name == word else f"  {name}"
