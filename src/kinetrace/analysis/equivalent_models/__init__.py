"""The cheapest equivalent of a robot: other body frames, other inertial parameters, the same joint forces.

frames      where each body's frame is: Ploen and Park's change of coordinates Q
regrouping  the fewest inertial parameters with the same joint forces, by `identify.identifiable_spaces`
search      both, body by body, as long as the count of operations falls
"""

from .search import cheapest, difference

__all__ = ["cheapest", "difference"]
