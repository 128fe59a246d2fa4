"""What the comparisons with other libraries share: the robots, the translation of variables, the tolerance.

Every URDF of the `example-robot-data` wheel and every bundled robot is compared, with its base fixed and free. A
library has its own variables for a joint; `Translation` maps kinetrace's to them, and forces and Jacobians back,
from the joints' names and types in the file alone:

    q_peer = f(q),   v_peer = T v,   a_peer = T a + bias,   tau = Tᵀ tau_peer,   J = J_peer T

The peers take mimic joints as independent, so their couplings are part of T.
"""

import xml.etree.ElementTree as ET
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.model import zoo
from kinetrace.model.files.load import from_urdf

STATES = 2
EXACT = 1e-12
"""Relative to the norm of the quantity; what is left is rounding."""
ROUNDING = 1e-14
"""Absolute: for quantities that are zero but for rounding."""


def _robots() -> dict[str, Path]:
    """Readable name → URDF file."""
    robots = {f"kinetrace/{name}": Path(zoo.path(name)) for name in kt.robot_names(closed=False)}
    try:
        wheel = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return robots
    for file in sorted(wheel.files or [], key=str):
        if file.suffix == ".urdf":
            folder = file.parts[file.parts.index("robots") + 1]
            robots[f"{folder.removesuffix('_description')}/{file.stem}"] = Path(wheel.locate_file(file))
    return robots


ROBOTS = _robots() | {"every_joint": Path(__file__).with_name("every_joint.urdf")}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names = metafunc.fixturenames
    if "urdf" in names and "base" in names:
        cases = [
            pytest.param(base, urdf, id=f"{name}-{base}", marks=_part(name, k))
            for name, urdf in ROBOTS.items()
            for k, base in enumerate(("fixed", "free"))
        ]
        metafunc.parametrize(("base", "urdf"), cases)
    elif "urdf" in names:
        metafunc.parametrize("urdf", ROBOTS.values(), ids=ROBOTS.keys())


def _part(name: str, k: int) -> tuple[pytest.MarkDecorator, ...]:
    """By day, bundled robots are compared with a fixed base or a free one, and a third of the others, chosen by their
    names, with one of both."""
    of = 2 if name.startswith("kinetrace/") else 6
    return () if name == "every_joint" else (pytest.mark.part(zlib.crc32(name.encode()) + k, of),)


@pytest.fixture
def urdfs() -> dict[str, Path]:
    """The files that describe a robot, by readable name."""
    return {name: urdf for name, urdf in ROBOTS.items() if defect(urdf) is None}


@pytest.fixture
def agree(record_property: Callable[[str, object], None]) -> Iterator[Callable[..., None]]:
    """Assert that two arrays agree, and record the largest relative error of a test."""
    worst = 0.0

    def check(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
        nonlocal worst
        assert np.shape(ours) == np.shape(theirs), what
        size, error = np.linalg.norm(theirs), np.linalg.norm(ours - theirs)
        assert error <= EXACT * size + ROUNDING, f"{what}: {error:.1e}, of {size:.1e}"
        worst = max(worst, float(error / size) if error > ROUNDING else 0.0)

    yield check
    record_property("relative_error", worst)


@dataclass(frozen=True)
class FileJoint:
    """A moving joint as its file describes it; its q is ratio · q_source + offset."""

    name: str
    kind: str
    source: str
    ratio: float
    offset: float


def defect(urdf: Path) -> str | None:
    """Why a file describes no robot, if so."""
    robot = ET.parse(urdf).getroot()
    if robot.find("link") is None:
        return "the file has no links"
    missing = {m.get("joint") for m in robot.findall("joint/mimic")} - {j.get("name") for j in robot.findall("joint")}
    return f"joints mimic {', '.join(sorted(missing))}, not in the file" if missing else None


def moving_joints(urdf: Path) -> list[FileJoint]:
    """Joints that are not fixed, chains of mimics resolved."""
    elements = {j.get("name"): j for j in ET.parse(urdf).getroot().findall("joint")}
    found = []
    for name, element in elements.items():
        source, ratio, offset = name, 1.0, 0.0
        while (mimic := elements[source].find("mimic")) is not None:
            offset += ratio * float(mimic.get("offset", 0))
            ratio *= float(mimic.get("multiplier", 1))
            source = mimic.get("joint")
        if element.get("type") != "fixed":
            found.append(FileJoint(name, element.get("type"), source, ratio, offset))
    return found


Convention = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""(q, v) of one joint → its (q_peer, T, bias)."""


@dataclass(frozen=True)
class Translation:
    """From kinetrace's variables to a peer's."""

    robot: kt.Robot
    joints: list[FileJoint]
    conventions: Mapping[str, Convention]
    places: Callable[[str], tuple[int, int]]
    """Joint name → where its variables begin in the peer's q and v."""
    nq: int
    nv: int

    def __call__(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, ...]:
        """The peer's q, v and a, and T."""
        q_peer, T, bias = np.zeros(self.nq), np.zeros((self.nv, self.robot.nv)), np.zeros(self.nv)
        for joint in self.joints:
            own_q, own_v = self.robot.q_slice(joint.source), self.robot.v_slice(joint.source)
            convention = self.conventions[joint.kind]
            q_j, T_j, bias_j = convention(joint.ratio * q[own_q] + joint.offset, joint.ratio * v[own_v])
            iq, iv = self.places(joint.name)
            q_peer[iq : iq + len(q_j)] = q_j
            T[iv : iv + len(T_j), own_v] = joint.ratio * T_j
            bias[iv : iv + len(T_j)] = bias_j
        return q_peer, T @ v, T @ a + bias, T


class Floats:
    """The algorithms of a model on plain floats, state by state: nothing is traced or compiled."""

    def __init__(self, model: kt.Model):
        self.model, self.nv = model, model.nv

    def __getattr__(self, name: str) -> Callable[..., np.ndarray]:
        function = getattr(kt.algorithms, name)

        def of_states(*arrays, wrench=None, **choices):
            if isinstance(arrays[-1], str):
                *arrays, choices["frame"] = arrays
            found = []
            for k in range(len(arrays[0])):
                given = {} if wrench is None else {"wrench": {frame: F[k] for frame, F in wrench.items()}}
                found.append(function(self.model, *(x[k] for x in arrays), **choices, **given))
            return np.array(found)

        return of_states


@dataclass(frozen=True)
class Case:
    """One robot, with states to compare it in and some of its frames."""

    robot: kt.Robot
    """As users load it, compiled."""
    exact: Floats
    """With every digit of the file, on floats."""
    joints: list[FileJoint]
    frames: list[str]
    rng: np.random.Generator

    def states(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, a, of which the last state is at rest."""
        model, rng = self.robot.model, self.rng
        q = np.array([model.integrate(model.neutral(), rng.uniform(-2, 2, model.nv)) for _ in range(STATES)])
        v, a = rng.normal(size=(2, STATES, model.nv))
        v[-1] = a[-1] = 0
        return q, v, a


@lru_cache(2)
def _robots_of(urdf: Path, base: str) -> tuple[kt.Robot, Floats]:
    """Both robots of a case, the first with the kernels that tests have asked for so far."""
    builder = _described(urdf)
    robot, exact = (builder.build(base, check="ignore", snap_constants=snap) for snap in (True, False))
    return kt.Robot(robot), Floats(exact)


@lru_cache(2)
def _described(urdf: Path) -> kt.Builder:
    """What `kt.load` reads, once for all; without joint effects, which the peers' rnea, crba and aba leave out."""
    return from_urdf(urdf, joint_effects=False)


@pytest.fixture
def case(urdf: Path, base: str) -> Case:
    """Skips a file that describes no robot, after seeing that kinetrace refuses it."""
    if (reason := defect(urdf)) is not None:
        with pytest.raises(kt.ModelError):
            kt.load(urdf, base=base)
        pytest.skip(f"{reason}; kinetrace refuses it")
    joints = moving_joints(urdf)
    robot, exact = _robots_of(urdf, base)
    if base == "free":
        joints.append(FileJoint("floating_base", "floating", "floating_base", 1.0, 0.0))
    rng = np.random.default_rng(robot.nv)
    others = rng.permutation(robot.frame_names[:-1])[:2].tolist()
    return Case(robot, exact, joints, [*others, robot.frame_names[-1]], rng)


@pytest.fixture
def on_floats(case: Case) -> Floats:
    """The robot as users load it, on floats."""
    return Floats(case.robot.model)


@pytest.fixture
def translation() -> type[Translation]:
    return Translation
