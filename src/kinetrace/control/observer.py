"""`Observer`: an estimator of external joint forces, written once as plain array code of one state.

τ_ext, state = law(model, t, q, v, state, tau, **parameters)          tau: the joint forces since the last call
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array, scan
from ..codegen.runtime.kernel import Kernel
from ..errors import InputError
from ..model.model import Model
from ..robot import Robot
from ..support.lazy import cached_property
from ..support.plain import plain_reals
from .controller import Controller, Float
from .making import ORIGIN, known_fields, made_again


@known_fields
@dataclass(frozen=True, eq=False, repr=False)
class Observer:
    """Estimator of external joint forces, fed with q, v and the joint forces that act.

    It runs alone, on one state or a batch, beside a controller in `Robot.simulate` (`observed`), and as generated C.
    `momentum_observer` makes one.

    Parameters
    ----------
    law : Controller
        The law, with τ as its parameter `tau`; it returns the estimate and the next state.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> observer = kt.control.momentum_observer(robot, 50.0)
    >>> q, v, tau = np.zeros(2), np.zeros(2), robot.gravity(np.zeros(2))
    >>> r, state = observer(0.0, q, v, tau)
    >>> r, state = observer(0.001, q, v, tau - [1.0, 0.0], state)  # it rests, though a newton metre is missing
    >>> r.round(4)
    array([0.0488, 0.    ])
    """

    law: Controller
    """The law, with τ as its parameter `tau`."""

    @property
    def robot(self) -> Robot:
        """The robot whose model is used."""
        return self.law.robot

    @property
    def initial_state(self) -> Any:
        """The state at the beginning."""
        return self.law.initial_state

    @property
    def parameters(self) -> Mapping[str, Float]:
        """Numbers that the law takes by name."""
        return {name: x for name, x in self.law.parameters.items() if name != "tau"}

    @property
    def kernel(self) -> Kernel:
        """Compiled law, a function of t, q, v, the arrays of the state, tau and the parameters, in this order."""
        return self.law.kernel

    def __call__(self, t: Any, q: Any, v: Any, tau: Any, state: Any = None, /, **parameters: Any) -> tuple[Any, Any]:
        """Estimate and next state, from the state at time t and the joint forces (..., nv) since the last call."""
        found: tuple[Any, Any] = self.law(t, q, v, state, tau=tau, **parameters)
        return found

    def along(self, t: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike) -> Float:
        """Estimates along a motion, such as a log or a `Trajectory`.

        Parameters
        ----------
        t : array_like, shape (n,)
            Times of the rows [s].
        q : array_like, shape (..., n, nq)
            Configurations.
        v : array_like, shape (..., n, nv)
            Velocities [rad/s, m/s].
        tau : array_like, shape (..., n, nv)
            Joint forces from each row to the next [N m, N].

        Returns
        -------
        ndarray, shape (..., n, nv)
            Estimates at the rows [N m, N].

        Raises
        ------
        InputError
            If the shapes do not fit, numbers are not finite, or times do not increase.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> push = robot.simulate([0.0, 0.0], [0.0, 0.0], t=0.1, dt=1e-3, wrench={"tip": [0, 0, 0, 0, 0, 10.0]})
        >>> kt.control.momentum_observer(robot, 100.0).along(push.t, push.q, push.v, push.tau)[-1].round(2)
        array([19.61, 10.  ])
        """
        given = {"t": t, "q": q, "v": v, "tau": tau}
        robot, rows = self.robot, [plain_reals(name, x) for name, x in given.items()]
        n, sizes = rows[0].shape[-1:], (robot.nq, robot.nv, robot.nv)
        if rows[0].ndim != 1 or [x.shape[-2:] for x in rows[1:]] != [(*n, size) for size in sizes]:
            shapes = f"t (n,), q (..., n, {robot.nq}), v and tau (..., n, {robot.nv})"
            raise InputError(f"rows must be {shapes}; got {[x.shape for x in rows]}")
        if not all(np.isfinite(x).all() for x in rows) or not (np.diff(rows[0]) > 0).all():
            raise InputError("rows must be finite numbers, at times t that increase")
        found: Float = self._rows(*rows)
        return found

    @cached_property
    def _rows(self) -> Kernel:
        """The law as a loop over rows."""
        robot, first = self.robot, self.initial_state
        own = tuple(self.parameters.values())

        def run(model: Model, times: Array, qs: Array, vs: Array, taus: Array) -> Array:
            def one(carry: Any, row: Any) -> Any:
                inner, tau = carry
                t, q, v, next_tau = row
                found, inner = self.law.law(model, t, q, v, inner, tau, *own)
                return (inner, next_tau), found

            return scan(one, (first, np.zeros(robot.nv)), (times, qs, vs, taus))[1]

        shapes = {"times": ("n",), "qs": ("n", robot.nq), "vs": ("n", robot.nv), "taus": ("n", robot.nv)}
        return robot.kernel(run, shapes=shapes)

    def source(self, name: str | None = None, *, lang: str = "c", dtype: str = "float64") -> dict[str, str]:
        """Files of the law in another language.

        Parameters
        ----------
        name : str, optional
            Name of the function and of the files; by default that of the robot and of the observer.
        lang : {"c", "cuda", "javascript"}, default "c"
            Language.
        dtype : {"float64", "float32"}, default "float64"
            Precision.

        Returns
        -------
        dict of str to str
            Text by file name: header, source, a test, and how to build them.

        Raises
        ------
        InputError
            If the language or the name is not valid.

        Examples
        --------
        >>> import kinetrace as kt
        >>> observer = kt.control.momentum_observer(kt.load("planar2r"), 50.0)
        >>> sorted(observer.source())[2]
        'planar2r_momentum_observer.c'
        """
        return self.law.source(name, lang=lang, dtype=dtype)

    def __reduce__(self) -> Any:
        if ORIGIN in vars(self):
            return made_again, (*vars(self)[ORIGIN], {})
        return Observer, (self.law,)

    def __copy__(self) -> Observer:
        return self

    def __deepcopy__(self, memo: Any) -> Observer:
        return self

    def __repr__(self) -> str:
        return f"Observer({self.law.name!r} of {self.robot.name!r}, {', '.join(self.parameters)})"
