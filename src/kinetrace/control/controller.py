"""`Controller`: a law of joint forces for one robot, written once as plain array code of one state.

    τ = law(model, t, q, v, **parameters)                       without a state of its own
    τ, state = law(model, t, q, v, state, **parameters)         with one

Called with numbers, a controller runs its compiled law, for one state or a batch; called with symbols, as inside a
simulation that is compiled, it is the law itself. The model is the controller's own: it may differ from the robot that
is controlled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import Array, floor, less, maximum, tree_leaves, tree_map, where
from ..engine.runtime.kernel import Kernel
from ..engine.targets.text.sources import sources
from ..errors import InputError, shorten, unknown_name_error
from ..robot import Robot
from ..robot.common import robot_of
from ..support.attributes import cached_property
from ..support.conversion import as_flag, as_positive, plain_finite
from .pickling import ORIGIN, check_importable, known_fields, made_again

Float = npt.NDArray[np.float64]
NO_CALL_TIME = np.array(-1e9)
"""Time of the last call of a law that has not been called [s]."""
RESERVED_NAMES = ("model", "t", "q", "v", "state", "parameters")
"""Arguments of laws that are no parameters."""


@known_fields
@dataclass(frozen=True, eq=False, repr=False)
class Controller:
    """Law of joint forces for one robot.

    It runs alone, on one state or a batch, in `Robot.simulate`, where it is compiled into the loop, and as generated C.
    The functions of `kinetrace.control` make controllers; a law of your own is plain array code, as in `compile`.

    Parameters
    ----------
    robot : Robot
        Robot whose model the law uses. Laws of your own return forces of all joints, and all of them act; which joints
        have motors (`Robot.with_motors`) counts in the ready-made laws alone.
    law : callable
        Function `law(model, t, q, v, **parameters)` that returns joint forces (nv,) of one state, or, with a state of
        its own, `law(model, t, q, v, state, **parameters)` that returns (tau, state).
    name : str, default "controller"
        Name, for generated code.
    initial_state : Array, or tuple or dict of them, optional
        The controller's own state at the beginning, if it has one.
    parameters : mapping of str to array_like, optional
        Numbers that the law takes by name, such as gains; they can be changed without compiling again.
    storage : callable, optional
        Function with the arguments of the law that returns one number: a Lyapunov or storage function, which does not
        grow under the conditions that the controller states.
    dissipation : str, optional
        Name of the parameter K (nv,), if V falls at least as −sᵀ K s, with s the velocity (nv,), such as −v, for which
        joint forces f that the law does not know change V̇ by −sᵀ f.
    keeps_storage : bool, default False
        Whether V of another controller holds in the sum with this one too, under the conditions that this one states.
    acting : callable, optional
        Function of (state, tau) that returns the state, for a law whose next state depends on the joint forces (nv,)
        that act in the end: those after limits, and with all terms of a sum. Without one, the state is what the law
        returns.
    is_limited : bool, default False
        Whether the joint forces stay within the parameter `limits` (nv,), as those of `saturated` do.
    includes_friction : bool, default False
        Whether the joint forces include those that overcome damping and friction of the model's joints: two such
        controllers are not added.
    period : float, optional
        Time between samples [s] of a law that holds its forces in between, as those of `sampled` do, or 0 of a sum in
        which some terms do: `simulate` holds such forces over a step whatever its method is.
    nonnegative : tuple of str, default ()
        Names of parameters, such as gains, that `with_parameters` does not make negative.

    Notes
    -----
    Controllers of `kinetrace.control` are pickled as the calls that made them; those with laws of your own if the laws
    are functions at the top of a module.

    Examples
    --------
    >>> import numpy as np, kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> def law(model, t, q, v, damping):
    ...     return kt.algorithms.gravity(model, q) - damping * v

    >>> controller = kt.control.Controller(robot, law, parameters={"damping": 2.0})
    >>> controller(0.0, [0.0, 0.0], [1.0, 0.0]).round(3)
    array([17.62 ,  4.905])
    >>> motion = robot.simulate([0.0, 0.0], [1.0, 0.0], t=2.0, dt=0.01, controller=controller)
    >>> motion.kinetic_energy()[[0, -1]].round(3)
    array([1.333, 0.092])
    """

    robot: Robot
    law: Callable[..., Any]
    name: str = "controller"
    initial_state: Any = None
    """The state at the beginning; None if the controller has none."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Numbers that the law takes by name."""
    storage: Callable[..., Any] | None = None
    """Lyapunov or storage function, with the arguments of the law."""
    dissipation: str | None = None
    """Name of the parameter K (nv,) with which the storage function falls at least as −sᵀ K s."""
    keeps_storage: bool = False
    """Whether the storage function of another controller holds in the sum with this one too."""
    acting: Callable[..., Any] | None = None
    """(state, tau) → the state, once the joint forces that act are known."""
    is_limited: bool = False
    """Whether the joint forces stay within the parameter `limits`."""
    includes_friction: bool = False
    """Whether the joint forces include those that overcome friction of the model's joints."""
    period: float | None = None
    """Time between samples [s] of a law that holds its forces in between."""
    nonnegative: tuple[str, ...] = ()
    """Names of parameters that `with_parameters` does not make negative."""

    def __post_init__(self) -> None:
        robot_of(self.robot)
        if not callable(self.law) or not (self.storage is None or callable(self.storage)):
            raise InputError("law and storage must be functions of (model, t, q, v, **parameters)")
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f"name must be a text, got {self.name!r}")
        for name in self.parameters:
            if not (isinstance(name, str) and name.isidentifier()) or name in RESERVED_NAMES:
                told = f"must be an identifier, none of {', '.join(RESERVED_NAMES)}"
                raise InputError(f"a parameter cannot be called {name!r}: its name {told}")
        for what, function in {"law": self.law, "storage": self.storage}.items():
            if function is not None:
                _check_arguments(what, function, self.initial_state is not None, self.parameters)
        own = {name: plain_finite(name, x) for name, x in dict(self.parameters).items()}
        for name in self.nonnegative:
            if name not in own:
                raise unknown_name_error("nonnegative parameter", name, own)
        if self.dissipation is not None and getattr(own.get(self.dissipation), "shape", ()) != (self.robot.nv,):
            raise InputError(f"dissipation must name a parameter of shape ({self.robot.nv},), got {self.dissipation!r}")
        as_flag("keeps_storage", self.keeps_storage)
        as_flag("includes_friction", self.includes_friction)
        if self.period is not None and self.period != 0:
            as_positive("period", self.period, " [s]")
        if self.acting is not None and not (callable(self.acting) and self.initial_state is not None):
            raise InputError("acting must be a function of (state, tau) of a controller with an initial_state")
        if as_flag("is_limited", self.is_limited) and getattr(own.get("limits"), "shape", ()) != (self.robot.nv,):
            raise InputError(f"a controller with is_limited must have a parameter limits of shape ({self.robot.nv},)")
        state = self.initial_state
        if state is not None:
            state = tree_map(lambda x: plain_finite("initial_state", x), state)
        object.__setattr__(self, "parameters", own)
        object.__setattr__(self, "initial_state", state)

    def __add__(self, other: Any) -> Controller:
        """Sum of two controllers of one robot, such as PD and friction compensation."""
        if not isinstance(other, Controller):
            return NotImplemented
        from .compose import total

        return total(self, other)

    def __call__(self, t: Any, q: Any, v: Any, state: Any = None, /, **parameters: Any) -> Any:
        """Joint forces (..., nv); if the controller has a state, a tuple of these and of the next state."""
        return self._evaluated(self.law, "kernel", (t, q, v), state, parameters)

    def stored(self, t: Any, q: Any, v: Any, state: Any = None, /, **parameters: Any) -> Any:
        """Value of the Lyapunov or storage function.

        Parameters
        ----------
        t : array_like, shape (...)
            Times [s].
        q : array_like, shape (..., nq)
            Configurations.
        v : array_like, shape (..., nv)
            Velocities [rad/s, m/s].
        state : object, optional
            States of the controller, if it has one, such as `Trajectory.states`.
        **parameters
            Parameters other than the controller's own, by name.

        Returns
        -------
        ndarray, shape (...)
            Values.

        Raises
        ------
        InputError
            If the controller states no such function, or a parameter is unknown.

        Examples
        --------
        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> energy = lambda model, t, q, v: kt.algorithms.kinetic_energy(model, q, v)
        >>> damper = kt.control.Controller(robot, lambda model, t, q, v: -v, storage=energy)
        >>> damper.stored(0.0, [0.0, 0.0], [1.0, 0.0]).round(3)
        np.float64(1.333)
        """
        if self.storage is None:
            raise InputError(f"the controller {self.name!r} states no Lyapunov or storage function")
        return self._evaluated(self.storage, "_storage_kernel", (t, q, v), state, parameters)

    def with_parameters(self, **parameters: Any) -> Controller:
        """Controller with other parameters.

        Parameters
        ----------
        **parameters
            Parameters by name, with the shapes that they have, or one number for all entries.

        Returns
        -------
        Controller
            The same law with these numbers.

        Raises
        ------
        InputError
            If a parameter is unknown or has another shape, or one of `nonnegative` is negative.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> damper = kt.control.Controller(robot, lambda model, t, q, v, c: -c * v, parameters={"c": 1.0})
        >>> damper.with_parameters(c=3.0)(0.0, [0.0, 0.0], [1.0, 0.0])
        array([-3., -0.])
        """
        changed = {}
        for name, x in parameters.items():
            shape = self.parameters[name].shape if name in self.parameters else ()
            numbers = plain_finite(name, x)
            if numbers.ndim and numbers.shape != shape:
                told = "give arrays with batch axes to a call, or to simulate(..., parameters=)"
                raise InputError(f"{name} must have shape {shape}, got {numbers.shape}; {told}")
            if name in self.nonnegative and np.any(numbers < 0):
                raise InputError(f"{name} must not be negative, got {shorten(repr(x))}")
            changed[name] = np.array(np.broadcast_to(numbers, shape))
        controller = replace(self, parameters=self._known(changed))
        for name in ("kernel", "_storage_kernel", ORIGIN):  # the same programs
            if name in vars(self):
                vars(controller)[name] = vars(self)[name]
        return controller

    @cached_property
    def kernel(self) -> Kernel:
        """Compiled law, a function of t, q, v, the arrays of the state and the parameters, in this order."""
        return self._compiled(self.law)

    def source(self, name: str | None = None, *, lang: str = "c", dtype: str = "float64") -> dict[str, str]:
        """Files of the law in another language.

        Parameters
        ----------
        name : str, optional
            Name of the function and of the files; by default that of the robot and of the controller.
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
        >>> robot = kt.load("planar2r")
        >>> damper = kt.control.Controller(robot, lambda model, t, q, v: -v, name="damper")
        >>> sorted(damper.source())[2:]
        ['planar2r_damper.c', 'planar2r_damper.h', 'planar2r_damper_test.c']
        """
        chosen = name or f"{self.robot.name}_{self.name}".replace("-", "_").replace(" ", "_")
        return sources(self.kernel.program, chosen, lang=lang, dtype=dtype)

    def __repr__(self) -> str:
        state = "" if self.initial_state is None else ", with a state"
        return (
            f"Controller({self.name!r} of {self.robot.name!r}, {', '.join(self.parameters) or 'no parameters'}{state})"
        )

    def __reduce__(self) -> Any:
        if ORIGIN in vars(self):
            return made_again, (*vars(self)[ORIGIN], dict(self.parameters))
        check_importable(repr(self), self.law, self.storage, self.acting)
        return Controller, tuple(getattr(self, x.name) for x in fields(self))

    def __copy__(self) -> Controller:
        return self

    def __deepcopy__(self, memo: Any) -> Controller:
        return self

    @cached_property
    def _storage_kernel(self) -> Kernel:
        assert self.storage is not None
        return self._compiled(self.storage)

    def _compiled(self, function: Callable[..., Any]) -> Kernel:
        shapes: dict[str, Any] = {"t": ()}
        if self.initial_state is not None:
            names = _names_of(self.initial_state)
            shapes["state"] = {
                name: np.shape(x) for name, x in zip(names, tree_leaves(self.initial_state), strict=True)
            }
        if self.parameters:
            shapes["parameters"] = {name: x.shape for name, x in self.parameters.items()}
        force = (self.robot.nv,) if function is self.law else ()
        return self.robot.kernel(_FlatLaw(function, self.initial_state, self.name, force), shapes=shapes)

    def _evaluated(
        self,
        function: Callable[..., Any],
        kernel: str,
        at: tuple[Any, Any, Any],
        state: Any,
        parameters: dict[str, Any],
    ) -> Any:
        has_state = self.initial_state is not None
        if not has_state and state is None and not parameters and not any(map(_is_symbolic, at)):
            return getattr(self, kernel)(*at, *self._values)
        own = self._known(parameters)
        if state is None:
            state = self.initial_state
        elif not has_state:
            raise InputError(f"the controller {self.name!r} has no state")
        elif len(tree_leaves(state)) != len(tree_leaves(self.initial_state)):
            raise InputError(f"the state of {self.name!r} must have the structure of its initial_state")
        leaves = [] if state is None else tree_leaves(state)
        if any(map(_is_symbolic, (*at, *leaves, *own.values()))):
            return function(self.robot.model, *at, *([state] if has_state else []), **own)
        found = getattr(self, kernel)(*at, *leaves, *own.values())
        if not (has_state and kernel == "kernel"):
            return found
        rest = iter(found[1:])
        return found[0], tree_map(lambda _: next(rest), self.initial_state)

    @cached_property
    def _values(self) -> tuple[Any, ...]:
        return tuple(self.parameters.values())

    def _known(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, with these in place of the controller's own."""
        for name, x in parameters.items():
            if name not in self.parameters:
                raise unknown_name_error("parameter", name, self.parameters)
            if np.shape(x)[max(0, np.ndim(x) - self.parameters[name].ndim) :] != self.parameters[name].shape:
                raise InputError(f"{name} must have shape {self.parameters[name].shape}, got {np.shape(x)}")
        return {**self.parameters, **parameters}


def state_after_force(controller: Controller, state: Any, tau: Array) -> Any:
    """The state that a law returned, once the joint forces that act are known."""
    return state if controller.acting is None else controller.acting(state, tau)


class _FlatLaw:
    """A law whose state and parameters are arrays by name, as kernels take them; its results are checked."""

    def __init__(self, function: Callable[..., Any], state: Any, name: str, shape: tuple[int, ...]) -> None:
        self.function, self.state, self.name, self.shape = function, state, name, shape
        self.__name__ = name

    def __call__(self, model: Any, t: Array, q: Array, v: Array, state: Any = None, parameters: Any = None) -> Any:
        """τ and the arrays of the next state; or the value of a storage function."""
        own, what = parameters or {}, "law" if self.shape else "storage"
        rest = iter((state or {}).values())
        inner = [] if self.state is None else [tree_map(lambda _: next(rest), self.state)]
        found = self.function(model, t, q, v, *inner, **own)
        after: list[Any] = []
        if inner and self.shape:
            if not (isinstance(found, tuple) and len(found) == 2):
                raise InputError(f"the law of {self.name!r} must return (tau, state), got {type(found).__name__}")
            found, after = found[0], tree_leaves(found[1])
            before = [np.shape(x) for x in tree_leaves(self.state)]
            if [np.shape(x) for x in after] != before:
                told = f"the law of {self.name!r} must return a state like its initial_state, with shapes {before}"
                raise InputError(f"{told}; got {[np.shape(x) for x in after]}")
        if isinstance(found, tuple) or np.shape(found) != self.shape:
            got = "a tuple; a controller with a state has an initial_state" if isinstance(found, tuple) else "shape "
            got = got if isinstance(found, tuple) else got + str(np.shape(found))
            raise InputError(f"the {what} of {self.name!r} must return shape {self.shape} for one state, got {got}")
        return (found, *after) if inner and self.shape else found


def _check_arguments(what: str, function: Callable[..., Any], has_state: bool, parameters: Mapping[str, Any]) -> None:
    """An error unless a law can be called with the model, the time, a state, and parameters by name."""
    wanted = "(model, t, q, v, state" if has_state else "(model, t, q, v"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of C, perhaps
        return
    try:
        signature.bind(*(None,) * (5 if has_state else 4), **parameters)
    except TypeError as error:
        given = "".join(f", {name}" for name in parameters)
        raise InputError(f"{what} must be a function of {wanted}{given}): {error}") from None


def _is_symbolic(x: Any) -> bool:
    """Whether a law must run as it is: on traced expressions, complex numbers, JAX's arrays."""
    if isinstance(x, float | np.ndarray):
        return isinstance(x, np.ndarray) and x.dtype.kind in "Oc"
    return hasattr(x, "__array_namespace__") or np.asarray(x).dtype.kind in "Oc"


def _names_of(state: Any) -> list[str]:
    """Names of the arrays of a state: keys and fields, one after the other; numbers where there are none.

    >>> _names_of({"observer": {"residual": np.zeros(2), "time": 0.0}, "tau": np.zeros(2)})
    ['observer_residual', 'observer_time', 'tau']
    >>> _names_of((np.zeros(2), np.zeros(3)))
    ['state0', 'state1']
    """

    def walked(x: Any, path: tuple[str, ...]) -> list[str]:
        if isinstance(x, Mapping):
            return [name for key, y in x.items() for name in walked(y, (*path, str(key)))]
        if isinstance(x, tuple | list):
            keys = getattr(x, "_fields", None) or [str(k) for k in range(len(x))]
            return [name for key, y in zip(keys, x, strict=True) for name in walked(y, (*path, key))]
        return ["_".join(path)]

    found = ["".join(c if c.isalnum() or c == "_" else "_" for c in name) for name in walked(state, ())]
    plain = [name if name[:1].isalpha() else f"state{name}" for name in found]
    return plain if len(set(plain)) == len(plain) else [f"state{k}" for k in range(len(plain))]


def time_since_call(t: Array, before: Array) -> Array:
    """Time since the last call [s]; zero at the first call, and if the clock was set back.

    The state of a law keeps the time of its last call: no sampling rate is assumed.

    >>> time_since_call(0.25, np.array(0.24)).round(3), time_since_call(0.0, NO_CALL_TIME)
    (np.float64(0.01), array(0.))
    """
    gone = t - before
    return where(less(0.0, gone), where(less(0.5 * NO_CALL_TIME, before), gone, 0.0 * gone), 0.0 * gone)


def rounded_up(t: Array, period: float) -> Array:
    """The time, a millionth of the period and a few roundings later: a multiple but for rounding counts as one."""
    return t + (1e-6 * period + 4e-16 * maximum(t, -t)[()])


def latest(t: Array, period: float) -> Array:
    """The latest multiple of the period [s].

    >>> latest(0.27, 0.1), latest(0.3 - 1e-12, 0.1)
    (np.float64(0.2), np.float64(0.30000000000000004))
    """
    return period * floor(np.asarray(rounded_up(t, period)) / period)[()]
