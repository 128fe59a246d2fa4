"""Design of robots by gradients: parameters of a model that are best for an objective."""

from ..support.elsewhere import missing

__all__: list[str] = []

__getattr__ = missing(__name__, {}, "kt.design")
