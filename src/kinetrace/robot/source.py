"""Models and settings from which a robot's kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from ..algorithms.declaration import declared
from ..codegen.runtime.batch import check_threads
from ..codegen.runtime.kernel import Kernel, check_settings
from ..codegen.runtime.origin import Backend
from ..compilation.compile import checked_model, compile
from ..errors import InputError
from ..loops.structure import with_assembly
from ..model.customise import with_rotating_frames
from ..model.model import Model
from ..support.plain import plain_flag


@dataclass(frozen=True)
class Source:
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
    ) -> Source:
        """The source with its arguments checked."""
        if checked_model(model).closures and model.assembly is None:
            model = with_assembly(model)
        dynamics = model if dynamics_model is None else checked_model(dynamics_model)
        if dynamics.joint_names != model.joint_names:
            raise InputError(f"dynamics_model: its joints are not those of {model.name!r}")
        check_threads(threads)
        return Source(model, dynamics, check_settings(dtype, backend), backend, threads, plain_flag("check", check))

    @property
    def settings(self) -> dict[str, Any]:
        """All but the models, as keywords of `Robot`."""
        return {**self._of_kernels, "check": self.check}

    @property
    def _of_kernels(self) -> dict[str, Any]:
        """How kernels are compiled, as keywords."""
        return {"dtype": self.dtype, "backend": self.backend, "threads": self.threads}

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model that a function is compiled for; see `Robot.model_for`."""
        says = declared(function)
        if (self.model.closures and says.honours_closures) or not says.depends_on_forces_only(given or {}):
            return self.model
        if "wrench" not in (given or {}):
            return self.dynamics_model
        return with_rotating_frames(self.dynamics_model)

    def compile(
        self,
        function: Callable[..., Any],
        static: Mapping[str, Any],
        shapes: Mapping[str, Any],
        inputs: tuple[str, ...],
        compact: bool,
    ) -> Kernel:
        """The kernel of a function."""
        declared(function).check_size(self.model.nv)
        return compile(function, self, inputs=inputs, shapes=shapes, compact=compact, **static)
