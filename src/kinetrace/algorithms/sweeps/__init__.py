"""Sweeps over the bodies of a tree, also as loops over long chains."""
