"""Robots and kernels over Dask: arrays larger than memory, files, several machines."""

from ...support.public_names import listing as _listing
from .evaluate import Evaluation, EvaluationError, Failure, evaluate
from .robot import DaskRobot as Robot

__all__ = ["Evaluation", "EvaluationError", "Failure", "Robot", "evaluate"]

__dir__ = _listing(__name__)
