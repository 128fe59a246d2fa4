"""Models as text: JSON of our own, which holds every digit, and formats of others as far as they can say it."""

from .json import json_text
from .urdf import urdf_text

__all__ = ["json_text", "urdf_text"]
