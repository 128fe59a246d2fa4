"""Contact as data: surfaces of shapes, shapes that count, pairs of them with their laws, rules of descriptions."""

from .contacts import ContactPair, ContactRules, Contacts, ContactShape, Exclusion, PairRule
from .surface import ContactLaw, Surface, acting, combined, meet

__all__ = [
    "ContactLaw",
    "ContactPair",
    "ContactRules",
    "ContactShape",
    "Contacts",
    "Exclusion",
    "PairRule",
    "Surface",
    "acting",
    "combined",
    "meet",
]
