"""The records that files of models may hold: a closed list of classes, what their fields are, and their checks.

What a field holds is told by its annotation: `str`, `Array`, `tuple[int, ...]`, `Joint`, … with `| None` behind it if
it may be missing. A new record class is saved and loaded once it has an entry here; what its constructor does not check
of untrusted numbers is checked by `check_record`.

A model that was read from a file is checked for all that holds of a model that a builder made. `check_record` is about
one record by itself: its class would accept its numbers, and would not change them but for rounding. `check_model` is
about the parts together: indices, names, shapes, poses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError, ModelError, value_text
from ...lie import inertia
from .. import body, constraints, joints
from ..actuation.methods import check_actuators
from ..actuation.records import Actuator, Gear, Keyframe
from ..body import WORLD, Body, Frame, Geometry, Limits
from ..checks import MAX_INERTIA, pose, sane
from ..closures import Assembly, Closure, Term
from ..configurations import check_q
from ..constraints import Constraint, Nothing, Shifted, Together
from ..constraints.checks import check_constraint
from ..contact import (
    ContactLaw,
    ContactPair,
    ContactRules,
    Contacts,
    ContactShape,
    Exclusion,
    PairRule,
    Surface,
)
from ..contact.checks import check_contact_shape, check_rules, check_shape
from ..contact.names import COLLISION, check_names
from ..effects.joint_effects import EFFECT_LAWS, EFFECT_NUMBERS, JointEffects
from ..effects.link_effects import Fluid, LinkEffects
from ..joints import Fixed, Joint
from ..model import Model
from ..record import Record, field_names

FORMAT, VERSION = "kinetrace.model", 1
"""Name of the format in a file, and its version."""

DTYPES = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
"""Types of arrays that a file may hold."""


def _classes(module: Any, base: type[Record]) -> dict[str, type[Record]]:
    """The classes of a package that can be instantiated, by name."""
    found = [x for x in vars(module).values() if isinstance(x, type) and issubclass(x, base) and x is not base]
    return {c.__name__: c for c in found if not getattr(c, "__abstractmethods__", None)}


JOINTS = _classes(joints, Joint)
CONSTRAINTS = _classes(constraints, Constraint)
FAMILIES: dict[str, dict[str, type[Record]]] = {"Joint": JOINTS, "Constraint": CONSTRAINTS}
"""Classes of which a field may hold any: the file says which."""
_PARTS = {name: c for name, c in _classes(body, Record).items() if c.__module__ == body.__name__}
_OF_CONTACT = (Surface, ContactLaw, Contacts, ContactShape, ContactPair, ContactRules, PairRule, Exclusion)
_OF_ACTUATION = (Actuator, Gear, Keyframe)
_OTHER_RECORDS = (Model, JointEffects, LinkEffects, Fluid, Closure, Term, Assembly, *_OF_CONTACT, *_OF_ACTUATION)
RECORDS: dict[str, type[Record]] = _PARTS | {c.__name__: c for c in _OTHER_RECORDS}
"""Classes that a field holds by itself."""
INFINITE = (Limits, Actuator)
"""Classes whose numbers may be infinite."""


def _defaults(kind: Any) -> dict[str, Callable[[Any], Any]]:
    """The values that records of a class have without being given them, but for None."""
    given = [x.name for x in fields(kind) if x.default is not MISSING and x.default is not None]
    # Of an array the default is a number, which the class makes an array of.
    made = kind(**{x.name: "" for x in fields(kind) if x.default is MISSING})
    return {name: partial(_same_of, made, name) for name in given}


def _same_of(made: Any, name: str, _: Any) -> Any:
    return getattr(made, name)


LATER_FIELDS: dict[type, dict[str, Callable[[Any], Any]]] = {
    JointEffects: {
        "restitution": lambda effects: 0.0 * effects.armature,
        "friction_law": lambda _: EFFECT_LAWS["friction_law"][0],
        "stop_law": lambda _: EFFECT_LAWS["stop_law"][0],
    },
    Geometry: {"name": lambda _: ""},
    **{kind: _defaults(kind) for kind in (ContactLaw, Surface, PairRule, Exclusion, ContactRules)},
    Model: {"actuators": lambda _: (), "keyframes": lambda _: ()},
}
"""Fields that files of earlier versions lack, and the values that these mean: they are not written."""


def families_with(joint_classes: Sequence[type[Joint | Constraint]]) -> Mapping[str, Mapping[str, type[Record]]]:
    """FAMILIES with joints and constraints of a user's own classes."""
    found: dict[str, dict[str, type[Record]]] = {family: dict(classes) for family, classes in FAMILIES.items()}
    for kind in joint_classes:
        if not (isinstance(kind, type) and issubclass(kind, Joint | Constraint)):
            told = "joint_classes must be classes derived from kt.joints.Joint or kt.closures.Constraint"
            raise InputError(f"{told}, such as [MyJoint], got {value_text(kind)}")
        classes = found[family_of(kind)]
        if classes.get(kind.__name__, kind) is not kind:
            raise InputError(f"joint_classes: {kind.__name__!r} is the name of two classes; rename yours")
        classes[kind.__name__] = kind
    return found


def family_of(kind: type) -> str:
    """The family of a class of joints or constraints."""
    return "Joint" if issubclass(kind, Joint) else "Constraint"


class Field(NamedTuple):
    """One field of a record: what it holds, and whether a file may leave it out."""

    name: str
    kind: str
    optional: bool


_PLAIN_KINDS = ("bool", "int", "float", "str")
_PACKAGE = __name__.partition(".")[0] + "."


@cache
def fields_of(kind: Any) -> tuple[Field, ...]:
    """The fields of a record class; those of a user's class are numbers, texts, tuples, or else arrays."""
    if not is_dataclass(kind):
        return ()
    if not kind.__module__.startswith(_PACKAGE):
        kinds = (x.type if isinstance(x.type, str) else getattr(x.type, "__name__", "Array") for x in fields(kind))
        plain = (x if x in _PLAIN_KINDS or x.startswith("tuple[") else "Array" for x in kinds)
        return tuple(Field(x.name, of, x.default is None) for x, of in zip(fields(kind), plain, strict=True))
    # `x.type` is the text of the annotation, since all modules have `from __future__ import annotations`. This text
    # decides how a field is read: write `tuple[int, ...]` and `str | None` so, not as aliases or Optional[str].
    return tuple(Field(x.name, str(x.type).removesuffix(" | None"), x.default is None) for x in fields(kind))


def later_fields(kind: Any) -> Mapping[str, Any]:
    """Fields that a file may lack, with functions of the record that give their values: those of versions before, and
    those of a user's class that have defaults."""
    if kind.__module__.startswith(_PACKAGE) or not is_dataclass(kind):
        return LATER_FIELDS.get(kind, {})
    makers = {x.name: x.default_factory for x in fields(kind) if x.default_factory is not MISSING}
    made = {name: lambda _, maker=maker: maker() for name, maker in makers.items()}
    return made | {x.name: lambda _, value=x.default: value for x in fields(kind) if x.default is not MISSING}


def choices(kind: str) -> list[str]:
    """Kinds that a field of a union may hold.

    >>> choices("str | Mesh")
    ['str', 'Mesh']
    """
    return kind.split(" | ")


def items(kind: str) -> str | None:
    """Kind of the items of a tuple or a mapping; None for anything else.

    >>> items("tuple[Body, ...]"), items("Mapping[str, Frame]"), items("str")
    ('Body', 'Frame', None)
    """
    for start in ("tuple[", "Mapping[str, "):
        if kind.startswith(start):
            return kind.removeprefix(start).removesuffix("]").partition(",")[0]
    return None


_ROUNDING = 1e-9
"""How far numbers may be from those that their class would make of them."""
_MAX_ROWS = 10_000
"""Of one coupling of joints."""


def check_record(x: Record, place: str) -> None:
    """An error unless the record's own class accepts it."""
    if isinstance(x, Nothing) and not 1 <= x.count <= _MAX_ROWS:
        raise ModelError(f"must be from 1 to {_MAX_ROWS}, got {x.count}", place=f"{place}.count")
    if isinstance(x, Shifted):
        _pose(x.at, place, "at")
    if isinstance(x, Together) and not x.parts:
        raise ModelError("must have parts", place=place)
    if isinstance(x, Joint | Constraint) or (hasattr(x, "__post_init__") and not isinstance(x, Model)):
        names = field_names(type(x))
        kind: Any = type(x)
        made = _at(place, lambda: kind(**{name: getattr(x, name) for name in names}))
        for name in names:
            ours, theirs = getattr(x, name), getattr(made, name)
            if not _alike(ours, theirs):
                raise ModelError(f"would be changed to {np.asarray(theirs).tolist()!r}", place=f"{place}.{name}")


def _alike(a: Any, b: Any) -> bool:
    if a is None or b is None or isinstance(a, Record | tuple | str | bool):
        return a is b or bool(a == b)
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.shape != y.shape:
        return False
    with np.errstate(invalid="ignore"):
        return bool(np.all((x == y) | (np.abs(x - y) <= _ROUNDING * (1.0 + np.abs(y)))))


def _at(place: str, check: Callable[[], Any]) -> Any:
    """The result of a check, whose error gets the place."""
    try:
        return check()
    except ModelError as error:
        error.place = error.place or place
        raise
    except (InputError, ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise ModelError(str(error), place=place) from None


def check_model(model: Model) -> None:
    """An error unless the parts of the model fit together."""
    _shape(model.gravity, (3,), "model.gravity")
    _number(model.gravity, "model.gravity")
    for k, each in enumerate(model.bodies):
        _check_body(model, k, each, f"model.bodies[{k}]")
    _unique((each.name for each in model.bodies), "model.bodies: name")
    _unique((body.joint_name for body in model.bodies), "model.bodies: joint_name")
    for name, frame in model.frames.items():
        _check_frame(model, frame, f"model.frames: {name!r}")
    for k, shape in enumerate(model.geometry):
        place = f"model.geometry[{k}]"
        _pose(shape.placement, place, "placement")
        if shape.frame not in model.frames:
            raise ModelError(f"is on {shape.frame!r}, which is not a frame of the model", place=place)
        if shape.color is not None and len(shape.color) != 4:
            raise ModelError("must be 4 numbers", place=f"{place}.color")
        if shape.role == COLLISION:
            _at(place, partial(check_shape, shape))
    _at("model.geometry", lambda: check_names(model.geometry))
    _check_contacts(model)
    if model.resting is not None:
        _inertia(model.resting, "model.resting")
    _unique((closure.name for closure in model.closures), "model.closures: name")
    for k, closure in enumerate(model.closures):
        _check_closure(model, closure, f"model.closures[{k}]")
    _names(model.motors or (), model.joint_names, "model.motors")
    if model.start is not None:
        _shape(model.start, (model.nq,), "model.start")
        _at("model.start", lambda: check_q(model, model.start, limits=False, what="it"))
    if model.wanted_independent is not None and not (
        model.closures and all(0 <= k < model.nv for k in model.wanted_independent)
    ):
        raise ModelError(
            f"must be places in v, below {model.nv}, of a model with closures", place="model.wanted_independent"
        )
    check_actuators(model, "model")
    if model.assembly is not None:
        _check_assembly(model, model.assembly, "model.assembly")


def _check_body(model: Model, k: int, body: Body, place: str) -> None:
    if body.index != k:
        raise ModelError(f"must be {k}, its place, got {body.index}", place=f"{place}.index")
    if not WORLD <= body.parent < k:
        raise ModelError(f"must be a body before it, or -1, got {body.parent}", place=f"{place}.parent")
    if not body.name or not body.joint_name:
        raise ModelError("needs a name, and one for its joint", place=place)
    if isinstance(body.joint, Fixed):
        raise ModelError("a Fixed joint carries no body of its own", place=f"{place}.joint")
    for name in ("X_pj", "X_ji"):
        _pose(getattr(body, name), place, name)
    _inertia(body.J, f"{place}.J")
    for name, size in zip(
        field_names(Limits), (body.joint.nq, body.joint.nq, body.joint.nv, body.joint.nv), strict=True
    ):
        _shape(getattr(body.limits, name), (size,), f"{place}.limits.{name}")
    if body.effects is not None:
        effects = body.effects
        for name in EFFECT_NUMBERS:
            value = getattr(effects, name)
            if value is not None and not isinstance(value, np.ndarray):
                raise ModelError("must have one number per velocity of the joint", place=f"{place}.effects.{name}")
        made = _at(f"{place}.effects", lambda: effects.of(body.joint, "its effects"))
        for name in field_names(JointEffects):
            if not _alike(getattr(effects, name), getattr(made, name)):
                raise ModelError("must have one number per velocity of the joint", place=f"{place}.effects.{name}")
    if body.mimic is not None:
        _check_mimic(model, body, f"{place}.mimic")


def _check_mimic(model: Model, body: Body, place: str) -> None:
    mimic = body.mimic
    assert mimic is not None
    if not 0 <= mimic.source < len(model.bodies) or model.bodies[mimic.source].mimic is not None:
        raise ModelError("must be the index of a body whose joint mimics none", place=f"{place}.source")
    source = model.bodies[mimic.source].joint
    if not (body.joint.has_coordinates and source.has_coordinates):
        raise ModelError(f"cannot follow {model.bodies[mimic.source].joint_name!r}: v is not q̇", place=place)
    for name, shape in (("ratio", (body.joint.nq, source.nq)), ("offset", (body.joint.nq,))):
        _shape(getattr(mimic, name), shape, f"{place}.{name}")


def _check_frame(model: Model, frame: Frame, place: str) -> None:
    if not WORLD <= frame.body < len(model.bodies):
        raise ModelError(f"must be the index of a body, or -1, got {frame.body}", place=f"{place}.body")
    _pose(frame.X_bf, place, "X_bf")


def _check_contacts(model: Model) -> None:
    """An error unless contacts are about bodies and shapes that there are."""
    rules, contacts = model.contact_rules, model.contacts
    if rules is not None:
        _at("model.contact_rules", lambda: check_rules(model, rules))
    for k, shape in enumerate(() if contacts is None else contacts.shapes):
        place = f"model.contacts.shapes[{k}]"
        if not WORLD <= shape.body < len(model.bodies):
            raise ModelError(f"must be the index of a body, or -1, got {shape.body}", place=f"{place}.body")
        _pose(shape.X, place, "X")
        _at(place, partial(check_contact_shape, shape))
    count = 0 if contacts is None else len(contacts.shapes)
    for k, pair in enumerate(() if contacts is None else contacts.pairs):
        if not all(0 <= x < count for x in (pair.a, pair.b)) or pair.a == pair.b:
            place = f"model.contacts.pairs[{k}]"
            raise ModelError(f"must be two of {count} shapes, got {pair.a} and {pair.b}", place=place)


def _check_closure(model: Model, closure: Closure, place: str) -> None:
    _at(f"{place}.constraint", lambda: check_constraint(closure.constraint, f"closure {closure.name!r}"))
    for name, frame in zip("ab", closure.frames, strict=True):
        _check_frame(model, frame, f"{place}.{name}")
    for k, term in enumerate(closure.terms):
        if not 0 <= term.body < len(model.bodies):
            raise ModelError(f"must be the index of a body, got {term.body}", place=f"{place}.terms[{k}].body")
        _shape(term.factors, (closure.size, model.bodies[term.body].joint.nv), f"{place}.terms[{k}].factors")
        _number(term.factors, f"{place}.terms[{k}].factors")
    if np.shape(closure.offset) not in ((), (closure.size,)):
        raise ModelError(f"must have shape ({closure.size},), got {np.shape(closure.offset)}", place=f"{place}.offset")
    _number(closure.offset, f"{place}.offset")


def _check_assembly(model: Model, assembly: Assembly, place: str) -> None:
    _shape(assembly.q, (model.nq,), f"{place}.q")
    _number(assembly.q, f"{place}.q")
    rows = model.closure_rows
    for name, most in (("rows", rows), ("candidates", rows), ("independent", model.nv), ("places", model.nv)):
        indices = getattr(assembly, name)
        if len(set(indices)) < len(indices) or not all(0 <= i < most for i in indices):
            raise ModelError(f"must be different indices below {most}", place=f"{place}.{name}")
    if not set(assembly.rows) <= set(assembly.candidates):
        raise ModelError("must be among the candidates", place=f"{place}.rows")
    _names(assembly.undriven, model.joint_names, f"{place}.undriven")
    if len(assembly.groups) not in (0, len(model.closures)) or any(
        not 0 <= x <= k for k, x in enumerate(assembly.groups)
    ):
        what = (
            f"must be empty, or have for each of {len(model.closures)} closures the index of one that is not after it"
        )
        raise ModelError(what, place=f"{place}.groups")


def _pose(X: Any, place: str, name: str) -> None:
    _shape(X, (4, 4), f"{place}.{name}")
    _at(f"{place}.{name}", lambda: pose(X, name))


def _shape(x: Any, wanted: tuple[int, ...], place: str) -> None:
    if np.shape(x) != wanted:
        raise ModelError(f"must have shape {wanted}, got {np.shape(x)}", place=place)


def _number(x: Any, place: str) -> None:
    if not sane(np.asarray(x, dtype=float)):
        raise ModelError("must be finite numbers, at most 1e30", place=place)


def _inertia(J: Any, place: str) -> None:
    _shape(J, (6, 6), place)
    made = inertia.from_parameters(inertia.to_parameters(J))
    if not sane(J, MAX_INERTIA) or np.abs(made - J).max() > _ROUNDING * np.abs(J).max():
        raise ModelError("must be the spatial inertia of a rigid body, angular rows first", place=place)


def _unique(names: Iterable[str], place: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{name!r} is used twice", place=place)
        seen.add(name)


def _names(names: tuple[str, ...], valid: tuple[str, ...], place: str) -> None:
    _unique(names, place)
    for name in names:
        if name not in valid:
            raise ModelError(f"{name!r} is not a joint with variables of its own", place=place)
