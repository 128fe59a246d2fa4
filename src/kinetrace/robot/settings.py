"""Models and settings from which a robot's kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from ..algorithms.closed.mobility import analysed
from ..algorithms.registry.declaration import algorithm_of
from ..algorithms.registry.signature import Algorithm
from ..engine.compilation.compile import checked_model, make_kernel
from ..engine.runtime.batch import check_threads
from ..engine.runtime.kernel import Kernel, check_settings
from ..engine.runtime.recipe import Backend
from ..errors import InputError
from ..model.build.specialisation import with_rotating_frames
from ..model.model import Model
from ..support.conversion import as_flag


@dataclass(frozen=True)
class RobotSettings:
    """Models and settings; `dynamics_model` has the same joint forces as `model`, and may cost less."""

    model: Model
    dynamics_model: Model
    dtype: str
    backend: Backend
    threads: int | None
    check: bool = False
    """Whether methods check configurations and velocities before they run."""

    @staticmethod
    def checked(
        model: Model,
        dynamics_model: Model | None,
        dtype: npt.DTypeLike,
        backend: Backend,
        threads: int | None,
        check: bool,
    ) -> RobotSettings:
        """The settings with their arguments checked."""
        model = analysed(checked_model(model))
        dynamics = model if dynamics_model is None else checked_model(dynamics_model)
        if dynamics.joint_names != model.joint_names:
            raise InputError(f"dynamics_model: its joints are not those of {model.name!r}")
        check_threads(threads)
        return RobotSettings(model, dynamics, check_settings(dtype, backend), backend, threads, as_flag("check", check))

    @property
    def keywords(self) -> dict[str, Any]:
        """All but the models, as keywords of `Robot`."""
        return {**self._kernel_settings, "check": self.check}

    @property
    def _kernel_settings(self) -> dict[str, Any]:
        """How kernels are compiled, as keywords."""
        return {"dtype": self.dtype, "backend": self.backend, "threads": self.threads}

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model that a function is compiled for; see `Robot.model_for`."""
        algorithm = algorithm_of(function)
        return self._model_of(algorithm, algorithm.canonical(given or {}))

    def _model_of(self, algorithm: Algorithm, given: Mapping[str, Any]) -> Model:
        """The same for canonical arguments."""
        if (self.model.closures and algorithm.honours_closures) or not algorithm.depends_on_forces_only(given):
            return self.model
        if "wrench" not in given:
            return self.dynamics_model
        return with_rotating_frames(self.dynamics_model)

    def compile(
        self,
        algorithm: Algorithm,
        static: Mapping[str, Any],
        shapes: Mapping[str, Any],
        inputs: tuple[str, ...],
        compact: bool,
    ) -> Kernel:
        """The kernel of an algorithm, of arguments that are checked."""
        algorithm.check_size(self.model.nv)
        model = self._model_of(algorithm, {**static, **shapes, **dict.fromkeys(inputs)})
        return make_kernel(algorithm, model, static, inputs, shapes, compact, self._kernel_settings)
