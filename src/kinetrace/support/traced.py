"""The class that traced values are recognised by where `trace` itself must not be imported."""

from __future__ import annotations


class Traced:
    """A value that is not known yet: an expression or a series of expressions, which `trace` defines."""

    __slots__ = ()
