"""Robots and kernels over Dask: arrays larger than memory, files, several machines."""

from .evaluate import Evaluation, EvaluationError, Failure, evaluate
from .robot import Robot

__all__ = ["Evaluation", "EvaluationError", "Failure", "Robot", "evaluate"]
