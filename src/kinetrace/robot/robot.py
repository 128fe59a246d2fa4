"""`Robot`: a model with its compiled functions, the main class of the package."""

from __future__ import annotations

import sys
from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from ..algorithms.closed.mobility import with_assembly, with_assembly_near, with_motors
from ..engine.cache import one_per_content
from ..engine.compilation import trace_cache
from ..engine.runtime.recipe import Backend
from ..errors.unknown_names import hint
from ..model import parameters
from ..model.checks import Check
from ..model.closures import Description
from ..model.effects.idle_laws import LAWS, check_laws
from ..model.effects.joint_effects import EFFECT_LAWS, FrictionLaw, StopLaw
from ..model.model import Model
from ..model.parameters import JOINT_EFFECT_NAMES, ParameterName
from ..support.attributes import Frozen
from ..support.keywords import known_keywords
from .conveniences import Conveniences
from .editing import Editing
from .methods.closures import ClosedDynamicsMethods
from .methods.configurations import ConfigurationMethods
from .methods.curvature import CurvatureMethods
from .methods.dynamics import RegressorMethods
from .methods.mass import QuasivelocityMethods
from .methods.operational_space import OperationalSpaceMethods
from .methods.scenes import SceneMethods
from .pictures import Pictures
from .saving import Saving
from .settings import RobotSettings
from .types import Float

_INSTEAD = {
    "with_frames": "with_frame adds a named frame, with_link_frames changes the frames that bodies are described in"
}
"""Attribute that a user might expect → what there is."""


class _RobotType(ABCMeta):
    """The class of `Robot`, which knows what its methods that make robots are called elsewhere.

    Only the class of a class is asked for attributes that the class lacks: `kt.Robot.from_urdf` is what people try who
    come from other libraries, and names of theirs within the class would be listed by `dir(robot)`.
    """

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            """Raise an error with the nearest names; called for missing attributes alone."""
            if name.startswith("_"):
                raise AttributeError(name)
            meant = hint("Robot", name, dir(cls), "kt.load(path) makes a robot of a file, kt.Robot(model) of a model")
            raise AttributeError(f"the class Robot has no {name!r}; {meant}", name=name, obj=None)


class Robot(
    Frozen,
    Editing,
    Saving,
    Conveniences,
    Pictures,
    SceneMethods,
    ConfigurationMethods,
    ClosedDynamicsMethods,
    CurvatureMethods,
    OperationalSpaceMethods,
    QuasivelocityMethods,
    RegressorMethods,
    metaclass=_RobotType,
):
    """Robot with functions that are compiled for it on first use.

    All functions take arrays with any leading batch axes, which broadcast as NumPy's do: q (..., nq), and v, a, tau
    (..., nv). They also take `out`, an array for the result, and `threads`, their number for this call; they
    raise an InputError if a name is unknown, a choice is not valid or the shape of an array does not fit.
    `kinetrace.load` makes robots from files and names. With closed loops, some functions are about the closed robot,
    others about its spanning tree: docs/closed_chains.md lists them.

    A robot does not change, since kernels are compiled for its numbers: assignment is refused, and `with_...` methods
    return other robots. A subclass may have attributes of its own, under names that `Robot` does not use; copies,
    pickles and `checked` keep the class and them. `with_...` and the other methods that make robots return plain
    `Robot`s.

    Parameters
    ----------
    model : Model
        The robot as data.
    dtype : {"float64", "float32"} or dtype, default "float64"
        Precision of the compiled functions.
    backend : {"llvm", "numpy"}, default "llvm"
        Whether functions are compiled, or interpreted, which is slow.
    threads : int, optional
        Number of threads for large batches; as many as there are cores unless given.
    dynamics_model : Model, optional
        Model with the same joint forces, on which joint-space dynamics run; see `optimise`.
    check : bool, default False
        Whether methods check configurations and velocities before they run; see `checked`.

    Raises
    ------
    InputError
        If `model` is not a `Model` of plain numbers, or a setting is unknown.
    ModelError
        If methods of a joint of your own class contradict each other.

    Examples
    --------
    >>> import kinetrace as kt
    >>> robot = kt.load("planar2r")
    >>> robot
    Robot('planar2r', nq=2, nv=2)
    >>> kt.Robot(robot.model, dtype="float32").gravity([[0.0, 0.0], [0.5, 0.5]]).round(3)
    array([[19.62 ,  4.905],
           [15.564,  2.65 ]], dtype=float32)
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
        settings = RobotSettings.checked(model, dynamics_model, dtype, backend, threads, check)
        self._set(_settings=settings, _kernels={}, _searches={}, _scenes={}, _worlds={})

    def __repr__(self) -> str:
        loops = f", dof={self.dof}" if self.dof < self.nv else ""
        check = ", check=True" if self._settings.check else ""
        return f"Robot({self.name!r}, nq={self.nq}, nv={self.nv}{loops}{check})"

    def __reduce__(self) -> Any:
        return *self._origin(), self._own or None

    def _origin(self) -> tuple[Any, ...]:
        """A function and its arguments, which rebuild this robot without the attributes of a subclass."""
        source = self._settings
        return (_rebuild, (source,)) if type(self) is Robot else (_rebuild_subclass, (type(self), source))

    def __eq__(self, other: object) -> bool:
        if self is other or type(other) is not type(self):
            return self is other or NotImplemented
        return self._settings == other._settings and _are_equal(self._own, other._own)

    def __hash__(self) -> int:
        return hash((type(self), self._settings))

    @property
    def _own(self) -> dict[str, Any]:
        """Attributes that a subclass adds."""
        if type(self) is Robot:
            return {}
        return {name: x for name, x in vars(self).copy().items() if self._is_own(name)}  # threads may add methods

    def _with_model(self, model: Model, dynamics_model: Model | None = None) -> Robot:
        return Robot(model, **self._settings.keywords, dynamics_model=dynamics_model)

    def _exact(self) -> Self:
        plain = self._unchecked()
        return plain if plain._settings.dtype == "float64" else plain._with_settings(dtype="float64")

    def _with_settings(self, **settings: Any) -> Self:
        made = type(self).__new__(type(self))
        Robot.__init__(made, **{**vars(self._settings), **settings})
        return made._with_own(self._own)

    def _with_own(self, own: dict[str, Any]) -> Self:
        """This robot, with the attributes that a subclass adds, and no others of that kind."""
        for name in self._own.keys() - own.keys():
            vars(self).pop(name, None)  # another thread may have done it
        vars(self).update(own)
        return self

    def _unchecked(self) -> Self:
        if not self._settings.check:
            return self
        if "_bare" not in vars(self):
            vars(self).setdefault("_bare", self._with_settings(check=False))
        return cast("Self", self._bare._with_own(self._own))

    if not TYPE_CHECKING:  # type checkers see declared attributes alone

        def __getattr__(self, name: str) -> Any:
            """Raise an error with the nearest names; called for missing attributes alone."""
            if name.startswith("_"):
                raise AttributeError(name)
            if name in _INSTEAD:
                meant = _INSTEAD[name]
            elif hasattr(Model, name):
                meant = f"the model has: robot.model.{name}; functions of kinetrace.algorithms take robot.model"
            else:
                meant = hint("robot", name, dir(self), "dir(robot) lists what there is")
            # Without the object, Python adds no guess of its own.
            raise AttributeError(f"a robot has no {name!r}; {meant}", name=name, obj=None)

    @known_keywords
    def with_link_frames(self, frames: Any) -> Robot:
        """Robot with other body frames: Ploen and Park's change of coordinates Q, (15)–(33).

        Forces, accelerations and the mass matrix do not change; operation counts may.

        Parameters
        ----------
        frames : sequence of array_like, shape (4, 4), or "center_of_mass"
            One pose per body, the old frame in the new one; or frames at the centres of mass.

        Returns
        -------
        Robot
            The same robot in these frames.

        Raises
        ------
        InputError
            If there is not one pose per body.

        >>> moved = kt.load("planar2r").with_link_frames("center_of_mass")
        >>> moved.parameters("inertial")[0].round(3)
        array([1.   , 0.   , 0.   , 0.   , 0.001, 0.   , 0.   , 0.083, 0.   ,
               0.083])
        >>> moved.mass_matrix([0.0, 0.0]).round(3)
        array([[2.667, 0.833],
               [0.833, 0.333]])
        """
        return Robot(self.model.with_link_frames(frames), **self._settings.keywords)

    @known_keywords
    def with_closures(
        self, *closures: Description, independent: Sequence[Any] | str | None = None, guess: npt.ArrayLike | None = None
    ) -> Robot:
        """Robot with further loops closed, or joints coupled.

        A configuration in which all closures hold is searched for. There, redundant rows are identified and independent
        velocities chosen.

        Parameters
        ----------
        *closures : Loop or Coupling
            Descriptions from `kinetrace.closures`.
        independent : str or sequence, optional
            Independent velocities, as many as there are degrees of freedom: names of joints, or (name, which of its
            velocities); chosen automatically unless given.
        guess : array_like, shape (nq,), optional
            Configuration from which the search starts; by default where the robot was assembled before, or the start of
            its model, or many guesses.

        Returns
        -------
        Robot
            The closed robot.

        Raises
        ------
        ModelError
            If no closed configuration is found, or names are unknown or used twice.
        InputError
            If `independent` or `guess` is not valid.

        >>> floor = kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
        >>> kt.load("planar2r").with_closures(floor).dof
        1
        """
        model, before = self.model.with_closures(*closures), self.model
        near = before.assembly.q if guess is None and before.assembly is not None else guess
        rather = before.independent if independent is None and not closures else ()
        return Robot(with_assembly(model, independent, near, rather), **self._settings.keywords)

    @known_keywords
    def with_motors(self, *joints: str | Sequence[str]) -> Robot:
        """Robot with motors in these joints alone.

        Unless chosen, all joints but free ones have motors.

        Parameters
        ----------
        *joints : str or sequence of str
            Names of joints, one by one or as one sequence.

        Returns
        -------
        Robot
            The same robot with these motors.

        >>> kt.load("planar2r").with_motors("joint1").motor_names
        ('joint1',)
        """
        model = with_motors(self.model.with_motors(*joints), self.model.assembly)
        return Robot(model, **self._settings.keywords)

    @known_keywords
    def with_joint_effects(
        self,
        *joints: str | Sequence[str],
        armature: npt.ArrayLike | None = None,
        damping: npt.ArrayLike | None = None,
        friction: npt.ArrayLike | None = None,
        friction_width: npt.ArrayLike | None = None,
        stiffness: npt.ArrayLike | None = None,
        rest: npt.ArrayLike | None = None,
        stop_stiffness: npt.ArrayLike | None = None,
        stop_damping: npt.ArrayLike | None = None,
        stop_width: npt.ArrayLike | None = None,
        restitution: npt.ArrayLike | None = None,
        friction_law: FrictionLaw | None = None,
        stop_law: StopLaw | None = None,
    ) -> Robot:
        """Robot with rotors, damping, friction, springs or soft stops in some joints.

        Values are one number, or one per velocity of a joint, in SI units; those that are not given stay as they are.
        See docs/joint_effects.md; `with_parameters(damping=...)` takes arrays over all joints.

        Parameters
        ----------
        *joints : str or sequence of str
            Names of joints, one by one or as one sequence; all but spherical and free ones unless given.
        armature : array_like, optional
            Inertia A of a rotor seen through its gear, ratio² times its own [kg m², kg]; the force is A v̇.
        damping : array_like, optional
            Viscous damping d [N m s/rad, N s/m]; the force is d v.
        friction : array_like, optional
            Coulomb friction f [N m, N]; the force is f v / √(v² + w²).
        friction_width : array_like, optional
            Velocity w over which friction is smoothed [rad/s, m/s]; 0.01 unless given.
        stiffness : array_like, optional
            Stiffness k of a spring [N m/rad, N/m]; the force is k (q ⊖ rest).
        rest : array_like, optional
            Configuration at which the spring is at rest; the joint's zero unless given.
        stop_stiffness : array_like, optional
            Stiffness of soft stops beyond the joint's limits [N m/rad, N/m].
        stop_damping : array_like, optional
            Damping of soft stops [N m s/rad, N s/m].
        stop_width : array_like, optional
            Distance over which stops become stiff [rad, m]; 0.01 unless given.
        restitution : array_like, optional
            Speed after the impact on a hard stop, relative to that before it, from 0 to 1; 0 unless given.
        friction_law : {"smooth", "dry"}, optional
            Whether friction is the smooth force above, or holds joints at rest in the steps that solve for it,
            "semi-implicit" and "implicit"; smooth unless given.
        stop_law : {"soft", "hard"}, optional
            Whether joints may pass their limits, or are stopped there in these steps; soft unless given.

        Returns
        -------
        Robot
            The same robot with these effects.

        Raises
        ------
        ModelError
            If a value is negative or not finite, or the joint cannot have it.
        InputError
            If a joint or a law is unknown.

        >>> robot = kt.load("planar2r").with_joint_effects("joint2", damping=0.5, armature=0.1)
        >>> robot.passive_forces([0.0, 0.0], [0.0, 2.0]), robot.mass_matrix([0.0, 0.0]).round(3)
        (array([0., 1.]), array([[2.667, 0.833],
               [0.833, 0.433]]))
        """
        given = (armature, damping, friction, friction_width, stiffness, rest, stop_stiffness, stop_damping, stop_width)
        names = (*JOINT_EFFECT_NAMES, *EFFECT_LAWS)
        values = dict(zip(names, (*given, restitution, friction_law, stop_law), strict=True))
        values = {name: x for name, x in values.items() if x is not None}
        model = self.model.with_joint_effects(*joints, **values)
        if not values.keys().isdisjoint(LAWS):
            check_laws(model, "warn")
        return Robot(model, **self._settings.keywords)

    @known_keywords
    def without_joint_effects(self, *joints: str | Sequence[str]) -> Robot:
        """Robot without rotors, damping, friction, springs and stops in some joints.

        Parameters
        ----------
        *joints : str or sequence of str
            Names of joints, one by one or as one sequence; all unless given.

        Returns
        -------
        Robot
            The same robot without these effects.

        >>> robot = kt.load("planar2r").with_joint_effects(damping=0.5)
        >>> robot.without_joint_effects().model == kt.load("planar2r").model
        True
        """
        return Robot(self.model.without_joint_effects(*joints), **self._settings.keywords)

    @known_keywords
    def parameters(self, name: ParameterName) -> Float:
        """Parameters of the robot by name: a copy, in the form that `with_parameters` takes.

        "inertial" (nb, 10): (m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) per body, in its body frame [kg, kg m, kg
        m²]. "placements" (nb, 4, 4): pose of each body in its parent at the joint's zero. "screws" (k, 6): screws (ω,
        v) in the body frame of the joints with one degree of freedom. "gravity" (3,): in the world frame [m/s²].
        "closures" (nc, 2, 4, 4): poses of the frames a and b of each closure on their bodies. "armature", "damping" and
        the others of `with_joint_effects` (k,): one number per velocity of all joints, including mimic joints but not
        spherical and free ones, in body order.

        Parameters
        ----------
        name : str
            Name of a kind of parameters.

        Returns
        -------
        ndarray
            The numbers.

        >>> robot = kt.load("planar2r")
        >>> robot.parameters("inertial").round(3)
        array([[1.   , 0.5  , 0.   , 0.   , 0.001, 0.   , 0.   , 0.333, 0.   ,
                0.333],
               [1.   , 0.5  , 0.   , 0.   , 0.001, 0.   , 0.   , 0.333, 0.   ,
                0.333]])
        >>> robot.parameters("gravity")
        array([ 0.  ,  0.  , -9.81])
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
        restitution: npt.ArrayLike | None = None,
        check: Check = "warn",
    ) -> Robot:
        """Robot with other parameters; those that are not given stay as they are.

        To have parameters that change from state to state, make them arguments of a kernel: `robot.kernel(function,
        inputs=("inertial",))`.

        Parameters
        ----------
        inertial : array_like, shape (nb, 10), optional
            Inertial parameters per body, as in `parameters`.
        placements : array_like, shape (nb, 4, 4), optional
            Poses of the bodies in their parents at the joints' zeros.
        screws : array_like, shape (k, 6), optional
            Screws (ω, v) of the joints with one degree of freedom.
        gravity : array_like, shape (3,), optional
            Gravity in the world frame [m/s²].
        closures : array_like, shape (nc, 2, 4, 4), optional
            Poses of the frames a and b of each closure on their bodies.
        armature : array_like, shape (k,), optional
            Rotor inertias; this and the following are those of `with_joint_effects`, for all joints.
        damping : array_like, shape (k,), optional
            Viscous damping.
        friction : array_like, shape (k,), optional
            Coulomb friction.
        friction_width : array_like, shape (k,), optional
            Velocity over which friction is smoothed.
        stiffness : array_like, shape (k,), optional
            Stiffness of springs.
        rest : array_like, shape (k,), optional
            Configurations at which springs are at rest.
        stop_stiffness : array_like, shape (k,), optional
            Stiffness of soft stops.
        stop_damping : array_like, shape (k,), optional
            Damping of soft stops.
        stop_width : array_like, shape (k,), optional
            Distance over which stops become stiff.
        restitution : array_like, shape (k,), optional
            Speed after the impact on a hard stop, relative to that before it.
        check : {"warn", "error", "ignore"}, default "warn"
            Reaction to inertias that no body can have.

        Returns
        -------
        Robot
            The same robot with these numbers.

        Raises
        ------
        InputError
            If a shape does not fit or numbers are not finite.
        ModelError
            If inertias are impossible and check="error".

        >>> moon = kt.load("planar2r").with_parameters(gravity=[0.0, 0.0, -1.62])
        >>> moon.gravity([0.0, 0.0]).round(3)
        array([3.24, 0.81])
        """
        effects = armature, damping, friction, friction_width, stiffness, rest, stop_stiffness, stop_damping, stop_width
        given = {"inertial": inertial, "placements": placements, "screws": screws, "gravity": gravity}
        given |= {"closures": closures, **dict(zip(JOINT_EFFECT_NAMES, (*effects, restitution), strict=True))}
        values = {name: x for name, x in given.items() if x is not None}
        model = self.model.with_parameters(check=check, **values)
        if values.keys() & {"placements", "screws", "closures"}:
            model = with_assembly_near(model, self.model)
        return Robot(model, **self._settings.keywords)

    def model_for(self, function: Callable[..., Any], given: Mapping[str, Any] | None = None) -> Model:
        """Model that a function is compiled for: `dynamics_model` if results are the same, else `model`.

        Parameters
        ----------
        function : callable
            Function of (model, q, ...).
        given : mapping of str to object, optional
            Arguments beyond the required ones, by name, with their values or shapes.

        Returns
        -------
        Model
            The model.

        >>> robot = kt.load("planar2r").optimise()
        >>> robot.model_for(kt.algorithms.inverse_dynamics) is robot.dynamics_model
        True
        >>> robot.model_for(kt.algorithms.inverse_dynamics, {"base_velocity": (6,)}) is robot.model
        True
        """
        return self._settings.model_for(function, given)


def _name_methods() -> None:
    """Name all public methods after `Robot`, in Python's own errors too, wherever they are defined.

    Their modules know `Robot` then, so that pickles find methods by that name.
    """
    for kind in (x for x in Robot.__mro__ if x.__module__.startswith(f"{__package__}.")):
        vars(sys.modules[kind.__module__])["Robot"] = Robot
        for name, method in vars(kind).items():
            while isinstance(method, FunctionType) and not name.startswith("_"):
                method.__qualname__ = f"Robot.{name}"
                method = getattr(method, "__wrapped__", None)


_name_methods()


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


def _rebuild(source: RobotSettings) -> Robot:
    """A robot from a pickle; the same one for the same model, so that a process compiles for it once."""
    models = (trace_cache.digest(x) or x for x in (source.model, source.dynamics_model))
    start = None if source.model.start is None else source.model.start.tobytes()
    model = source.model
    apart = model.geometry, model.contact_rules, model.keyframes, start  # which are in no digest
    content = (Robot, *models, *apart, *source.keywords.values())
    return one_per_content(content, partial(Robot, **vars(source)))


def _rebuild_subclass(kind: type[Robot], source: RobotSettings) -> Robot:
    """A robot of a subclass from a pickle; always a new one, since it may have attributes of its own."""
    robot = kind.__new__(kind)
    Robot.__init__(robot, **vars(source))
    return robot
