"""The cheapest equivalent of a robot: other body frames, other inertial parameters, the same joint forces.

frames      where each body's frame is: Ploen and Park's change of coordinates Q
regroup     the fewest inertial parameters with the same joint forces, by `identify.structure`
pattern     what the count of operations depends on: which numbers are 0, 1 and equal
search      both, body by body, as long as the count of operations falls
"""

from .equal import difference
from .search import cheapest

__all__ = ["cheapest", "difference"]
