"""Contact as data: surfaces of shapes, shapes that count in a contact, pairs of them with their laws."""

from .contacts import ContactPair, Contacts, ContactShape
from .surface import ContactLaw, Surface

__all__ = ["ContactLaw", "ContactPair", "ContactShape", "Contacts", "Surface"]
