"""Contacts and their rules in edited models: other bodies, frames and names, parts that are gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ...arrays import Array
from .contacts import ContactRules, Contacts

Moved = Mapping[int, tuple[int, Array | None]]
"""Body of before → the body that it is part of now, and its pose there; None: the same frame."""


def moved_contacts(contacts: Contacts | None, place: Moved) -> Contacts | None:
    """The contacts on the bodies that their own are part of now; those of bodies that are gone are gone."""
    if contacts is None:
        return None
    kept = [k for k, shape in enumerate(contacts.shapes) if shape.body in place]
    number = {k: new for new, k in enumerate(kept)}
    shapes = []
    for shape in (contacts.shapes[k] for k in kept):
        body, X = place[shape.body]
        shapes.append(replace(shape, body=body, X=shape.X if X is None else X @ shape.X))
    pairs = tuple(
        replace(pair, a=number[pair.a], b=number[pair.b])
        for pair in contacts.pairs
        if pair.a in number and pair.b in number
    )
    return replace(contacts, shapes=tuple(shapes), pairs=pairs)


def both_contacts(a: Contacts | None, b: Contacts | None) -> Contacts | None:
    """The contacts of two models that are joined; the solver is that of the first."""
    if a is None or b is None:
        return b if a is None else a
    n = len(a.shapes)
    more = tuple(replace(pair, a=pair.a + n, b=pair.b + n) for pair in b.pairs)
    return replace(a, shapes=(*a.shapes, *b.shapes), pairs=(*a.pairs, *more))


def renamed_contacts(contacts: Contacts | None, link: Mapping[str, str], prefix: str) -> Contacts | None:
    """The contacts under other names of links and with a prefix to those of shapes and pairs."""
    if contacts is None:
        return None
    shapes = tuple(replace(x, name=prefix + x.name, link=link.get(x.link, x.link)) for x in contacts.shapes)
    return replace(contacts, shapes=shapes, pairs=tuple(replace(x, name=prefix + x.name) for x in contacts.pairs))


def left_rules(rules: ContactRules | None, shapes: Collection[str], links: Collection[str]) -> ContactRules | None:
    """The rules about shapes and links that are left."""
    if rules is None:
        return None
    pairs = tuple(rule for rule in rules.pairs if rule.a in shapes and rule.b in shapes)
    excludes = tuple(x for x in rules.excludes if {x.a, x.b} <= {*links, "world"})
    return replace(rules, pairs=pairs, excludes=excludes)


def both_rules(a: ContactRules | None, b: ContactRules | None) -> ContactRules | None:
    """The rules of two models that are joined: neighbours touch if one of them says so."""
    if a is None or b is None:
        return b if a is None else a
    return ContactRules((*a.pairs, *b.pairs), (*a.excludes, *b.excludes), a.neighbours or b.neighbours)


def renamed_rules(rules: ContactRules | None, link: Mapping[str, str], prefix: str) -> ContactRules | None:
    """The rules under other names of links and with a prefix to those of shapes."""
    if rules is None:
        return None
    pairs = tuple(replace(x, a=prefix + x.a, b=prefix + x.b, name=x.name and prefix + x.name) for x in rules.pairs)
    excludes = tuple(
        replace(x, a=link.get(x.a, x.a), b=link.get(x.b, x.b), name=x.name and prefix + x.name) for x in rules.excludes
    )
    return replace(rules, pairs=pairs, excludes=excludes)
