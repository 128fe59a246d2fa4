"""`Robot`: a model with its compiled functions, the face most users see."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from .. import loops, optimise
from ..algorithms.declaration import ALGORITHMS
from ..cache import arrived
from ..codegen.runtime.kernel import Backend
from ..compilation import trace_cache
from ..compilation.program import program
from ..errors import lookup
from ..model import parameters
from ..model.checks import Check
from ..model.closures import Description
from ..model.model import Model
from ..model.parameters import EFFECTS, ParameterName
from ..support.frozen import Frozen
from ..support.keywords import known_keywords
from ..support.plain import plain_flag
from .configurations import Configurations
from .curvature import Curvature
from .editing import Editing
from .quasivelocities import Quasivelocities
from .regressors import Regressors
from .simulation import Simulation
from .source import Source
from .types import Float

_ELSEWHERE = {alias: name for name, says in ALGORITHMS.items() for alias in says.aliases}
"""What other libraries call a method → our name."""

_INSTEAD = {
    "with_frames": "with_frame adds a named frame, with_link_frames changes the frames that bodies are described in"
}
"""Attribute that a user might expect → what there is."""


class Robot(Frozen, Editing, Configurations, Curvature, Simulation, Quasivelocities, Regressors):
    """A robot: names, sizes, and functions compiled on first use.

    All functions take arrays with any leading batch axes, which broadcast as NumPy's do: `q (..., nq)`,
    `v, a, tau (..., nv)`. Every function also takes `out`, an array for the result, and `threads`.

    `dtype` is the precision of the compiled functions, `backend` "llvm" (compiled) or "numpy" (interpreted, slow),
    `threads` the number of threads for large batches (None: as many as there are cores). `dynamics_model` is a model
    with the same joint forces, on which joint-space dynamics run: see `optimise`. With `check`, methods look at
    configurations and velocities before they run: see `checked`.

    >>> import kinetrace as kt
    >>> kt.load("panda")
    Robot('panda', nq=7, nv=7)

    A robot does not change: kernels are compiled for its numbers. Assignment is refused, but a subclass may have
    attributes of its own, under names that `Robot` does not use; copies and pickles keep them.
    """

    _instead: ClassVar = {
        "gravity": "robot.with_parameters(gravity=...) or kt.load(..., gravity=...) gives a robot with another gravity",
        **dict.fromkeys(
            ("dtype", "backend", "threads"),
            "give it to kt.load or kt.Robot(robot.model, ...); a call takes threads= too",
        ),
        "check": "robot.checked() gives a robot that checks its arguments",
        **dict.fromkeys(("model", "dynamics_model"), "kt.Robot(model) makes another robot"),
        "limits": "they are those of the joints: in the URDF, or Builder.joint(..., limits=...)",
    }
    _bare: Robot
    """The same robot, which does not check its arguments."""
    _otherwise = "robot.with_parameters(...) gives a robot with other numbers; a subclass may have its own attributes"

    @known_keywords
    def __init__(
        self,
        model: Model,
        *,
        dtype: npt.DTypeLike = "float64",
        backend: Backend = "llvm",
        threads: int | None = None,
        dynamics_model: Model | None = None,
        check: bool = False,
    ) -> None:
        self._set(_source=Source.checked(model, dynamics_model, dtype, backend, threads, check), _kernels={})

    def __repr__(self) -> str:
        loops = f", dof={self.dof}" if self.model.closures else ""
        check = ", check=True" if self._source.check else ""
        return f"Robot({self.name!r}, nq={self.nq}, nv={self.nv}{loops}{check})"

    def __reduce__(self) -> Any:
        return *self._origin(), self._own or None

    def _origin(self) -> tuple[Any, ...]:
        """A function and its arguments, which make this robot, but for what a subclass adds."""
        source = self._source
        return (_rebuild, (source,)) if type(self) is Robot else (_rebuild_subclass, (type(self), source))

    def __eq__(self, other: object) -> bool:
        if self is other or type(other) is not type(self):
            return self is other or NotImplemented
        return self._source == other._source and _are_equal(self._own, other._own)

    def __hash__(self) -> int:
        return hash((type(self), self._source))

    @property
    def _own(self) -> dict[str, Any]:
        """What a subclass adds."""
        return {name: x for name, x in vars(self).items() if self._is_own(name)}

    def _with_model(self, model: Model, dynamics_model: Model | None = None) -> Robot:
        return Robot(model, **self._source.settings, dynamics_model=dynamics_model)

    def _exact(self) -> Robot:
        plain = self._unchecked()
        return plain if plain._source.dtype == "float64" else plain._with_settings(dtype="float64")

    def _with_settings(self, **settings: Any) -> Robot:
        return Robot(**{**vars(self._source), **settings})

    def _unchecked(self) -> Robot:
        if not self._source.check:
            return self
        if "_bare" not in vars(self):
            self._set(_bare=self.checked(False))
        return self._bare

    if not TYPE_CHECKING:  # for which there is nothing but what is declared

        def __getattr__(self, name: str) -> Any:
            """An error that names what was perhaps meant; only called for what is not there."""
            if name.startswith("_"):
                raise AttributeError(name)
            if name in _INSTEAD:
                hint = _INSTEAD[name]
            elif hasattr(Model, name):
                hint = f"the model has: robot.model.{name}; functions of kinetrace.algorithms take robot.model"
            else:
                near = [_ELSEWHERE[name]] if name in _ELSEWHERE else difflib.get_close_matches(name, dir(self), n=3)
                hint = f"did you mean {' or '.join(near)}?" if near else "dir(robot) lists what there is"
            raise AttributeError(f"a robot has no {name!r}; {hint}", name=name, obj=self)

    def with_link_frames(self, frames: Any) -> Robot:
        """The same robot with other body frames: Ploen and Park's change of coordinates Q, (15)–(33).

        `frames` is one pose Q_i (4, 4) per body, the old frame in the new one, or "center_of_mass". Forces,
        accelerations and the mass matrix do not change; what a computation costs may.

        >>> import numpy as np, kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> moved = robot.with_link_frames("center_of_mass")
        >>> np.allclose(moved.mass_matrix([0.1, 0.2]), robot.mass_matrix([0.1, 0.2]))
        True
        """
        return Robot(self.model.with_link_frames(frames), **self._source.settings)

    def with_closures(
        self, *closures: Description, independent: Sequence[Any] | str | None = None, guess: npt.ArrayLike | None = None
    ) -> Robot:
        """The same robot with further loops closed, or joints coupled: see `kinetrace.closures`.

        A configuration in which all closures hold is looked for, from a `guess` (nq,), from where the robot was
        assembled before, or from many guesses; there it is found out which rows follow from others, and which
        velocities are independent. `independent` chooses these: names of joints, or (name, which of its velocities), as
        many as there are degrees of freedom.

        >>> import kinetrace as kt
        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> kt.load("planar2r").with_closures(floor).dof
        1
        """
        model, before = self.model.with_closures(*closures), self.model
        near = before.assembly.q if guess is None and before.assembly is not None else guess
        rather = before.independent if independent is None and not closures else ()
        return Robot(loops.analysed(model, independent, near, rather), **self._source.settings)

    def with_motors(self, *joints: str | Sequence[str]) -> Robot:
        """The same robot with motors in these joints alone; all joints but free ones have motors unless chosen.

        >>> import kinetrace as kt
        >>> kt.load("four_bar").with_motors("crank").motor_names
        ('crank',)
        """
        names = joints[0] if len(joints) == 1 and isinstance(joints[0], list | tuple) else joints
        model = loops.with_motors(self.model.with_motors(*names), self.model.assembly)
        return Robot(model, **self._source.settings)

    @known_keywords
    def with_joint_effects(
        self,
        *joints: str,
        armature: npt.ArrayLike | None = None,
        damping: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        friction_width: npt.ArrayLike | None = None,
        stiffness: npt.ArrayLike | None = None,
        rest: npt.ArrayLike | None = None,
        stop_stiffness: npt.ArrayLike | None = None,
        stop_damping: npt.ArrayLike | None = None,
        stop_width: npt.ArrayLike | None = None,
    ) -> Robot:
        """The same robot, of which these joints, or all but spherical and free ones, do something by themselves.

        `armature` is the inertia of a rotor seen through its gear, ratio² times its own; `damping` d v; `friction`
        f v / √(v² + w²) with w the `friction_width`, 0.01 [rad/s, m/s] unless given; `stiffness` k (q ⊖ rest);
        `stop_stiffness` and `stop_damping` are of soft stops, which hold beyond the joint's limits and become stiff
        within `stop_width`, 0.01 [rad, m]. One number, or one for each velocity of a joint, in SI units; what is not
        given stays as it is (docs/joint_effects.md). Arrays over all joints are `with_parameters(damping=...)`.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5, armature=0.1)
        >>> robot.inverse_dynamics([0.0, 0.0], [0.0, 2.0], [0.0, 0.0])[1] - robot.bias([0.0, 0.0], [0.0, 0.0])[1]
        np.float64(1.0)
        """
        given = (armature, damping, friction, friction_width, stiffness, rest, stop_stiffness, stop_damping, stop_width)
        values = {name: x for name, x in zip(EFFECTS, given, strict=True) if x is not None}
        return Robot(self.model.with_joint_effects(*joints, **values), **self._source.settings)

    def without_joint_effects(self, *joints: str) -> Robot:
        """The same robot, of which these joints, or all, do nothing by themselves: no rotors, damping, springs, stops.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").with_joint_effects(damping=0.5)
        >>> robot.without_joint_effects().model == kt.load("planar2r").model
        True
        """
        return Robot(self.model.without_joint_effects(*joints), **self._source.settings)

    def parameters(self, name: ParameterName) -> Float:
        """The robot's numbers of one kind, by name: a copy, which `with_parameters` makes a robot of again.

        "inertial" (nb, 10): each body's (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) in its body frame [kg, kg m,
        kg m²]. "placements" (nb, 4, 4): each body's pose in its parent at the joint's zero. "screws" (k, 6): the screws
        (ω, v) in the body frame of the joints with one degree of freedom. "gravity" (3,) [m/s²], in the world frame.
        "armature", "damping" and the others of `with_joint_effects` (k,): one number for each velocity of all joints,
        mimics too, but spherical and free ones, in body order.

        >>> import kinetrace as kt
        >>> kt.load("panda").parameters("inertial").shape
        (7, 10)
        """
        return np.array(parameters.get(self.model, name))

    @known_keywords
    def with_parameters(
        self,
        *,
        inertial: npt.ArrayLike | None = None,
        placements: npt.ArrayLike | None = None,
        screws: npt.ArrayLike | None = None,
        gravity: npt.ArrayLike | None = None,
        closures: npt.ArrayLike | None = None,
        armature: npt.ArrayLike | None = None,
        damping: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        friction_width: npt.ArrayLike | None = None,
        stiffness: npt.ArrayLike | None = None,
        rest: npt.ArrayLike | None = None,
        stop_stiffness: npt.ArrayLike | None = None,
        stop_damping: npt.ArrayLike | None = None,
        stop_width: npt.ArrayLike | None = None,
        check: Check = "warn",
    ) -> Robot:
        """The same robot with other numbers; names, shapes and frames are those of `parameters`.

        `check` says what to do about inertias that no body can have: "warn", "error" or "ignore". To have numbers that
        change from state to state, make them arguments: `kernel(function, inputs=("inertial",))`.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> heavier = robot.with_parameters(inertial=2 * robot.parameters("inertial"))
        >>> bool((heavier.mass_matrix([0.1, 0.2]) == 2 * robot.mass_matrix([0.1, 0.2])).all())
        True
        """
        effects = armature, damping, friction, friction_width, stiffness, rest, stop_stiffness, stop_damping, stop_width
        given = {"inertial": inertial, "placements": placements, "screws": screws, "gravity": gravity}
        given |= {"closures": closures, **dict(zip(EFFECTS, effects, strict=True))}
        values = {name: x for name, x in given.items() if x is not None}
        model = self.model.with_parameters(check=check, **values)
        if values.keys() & {"placements", "screws", "closures"}:
            model = loops.reanalysed(model, self.model)
        return Robot(model, **self._source.settings)

    def optimise(
        self,
        algorithm: str = "inverse_dynamics",
        *,
        frames: bool = True,
        regroup: bool = True,
        progress: Callable[[int, int], None] | None = None,
    ) -> Robot:
        """The same robot, with joint-space dynamics that take fewer operations.

        Searches for body frames (`frames`) and a regrouping of inertial parameters (`regroup`) for which the algorithm
        takes the fewest operations, and compares joint forces on random states. What it finds is `dynamics_model`: all
        algorithms that depend on τ(q, v, a) alone run on it, on a base that rests; everything else (frames, momentum,
        parameters, a moving base) runs on `model`, which stays as it is. Robots with other numbers, link frames or
        bodies that are made of this one forget it. `progress` is told how many bodies are done, of how many at most.

        >>> import kinetrace as kt
        >>> robot = kt.load("ur5e")
        >>> robot.optimise().count("inverse_dynamics").flops < 0.8 * robot.count("inverse_dynamics").flops
        True
        """
        names = {name: says for name, says in ALGORITHMS.items() if says.keeps_forces is not None}
        function = lookup("algorithm", algorithm, names).function

        def cost(model: Model) -> tuple[int, int]:
            count = program(function, model).count()
            return count.flops, count.mul

        chosen = {"frames": plain_flag("frames", frames), "regroup": plain_flag("regroup", regroup)}
        found = optimise.cheapest(self.model, cost, **chosen, progress=progress)
        return Robot(self.model, **self._source.settings, dynamics_model=found)

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """The model that a function is compiled for: `dynamics_model` if the results are the same, else `model`.

        `given` are the names of what the function takes beyond its required arguments, with their values or shapes.

        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r").optimise()
        >>> robot.model_for(kt.algorithms.inverse_dynamics) is robot.dynamics_model
        True
        >>> robot.model_for(kt.algorithms.inverse_dynamics, {"base_velocity": (6,)}) is robot.model
        True
        """
        return self._source.model_for(function, given)


def _are_equal(a: Any, b: Any) -> bool:
    """Whether values, which may be arrays or hold some, are certainly equal."""
    if a is b:
        return True
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_are_equal(x, b[name]) for name, x in a.items())
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    try:
        return type(a) is type(b) and bool(a == b)
    except (TypeError, ValueError):  # a collection of arrays
        return False


def _rebuild(source: Source) -> Robot:
    """A robot that was pickled; the same one for the same model, so that a process compiles for it once."""
    models = (trace_cache.digest(x) or x for x in (source.model, source.dynamics_model))
    return arrived.shared((Robot, *models, *source.settings.values()), partial(Robot, **vars(source)))


def _rebuild_subclass(kind: type[Robot], source: Source) -> Robot:
    """A robot of a class that may take other arguments, and have attributes of its own: always another one."""
    robot = kind.__new__(kind)
    Robot.__init__(robot, **vars(source))
    return robot
