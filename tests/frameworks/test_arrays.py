"""Arrays of other libraries: what they are given for, the results have the bits of the gufunc."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import algorithm_of
from kinetrace.engine.compilation.compile import INPUTS, result_axes
from kinetrace.robot.common import METHODS
from kinetrace.simulation.metadata import MotionFailure
from kinetrace.support.conversion import as_array


@pytest.fixture(scope="module")
def robot():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(0).standard_normal((3, 20, 2))


def both(model, q, v):
    """A function of two results."""
    return kt.algorithms.gravity(model, q), kt.algorithms.kinetic_energy(model, q, v)


@pytest.fixture(scope="module")
def pair(robot):
    return kt.compile(both, robot)


@pytest.fixture(scope="module")
def da():
    return pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def lazy(da, states):
    return [da.from_array(x, chunks=(chunk, 1)) for x, chunk in zip(states, (6, 7, 20), strict=True)]


def never(*_, **__):
    raise AssertionError("computed too early")


def test_dask_in_dask_out(da, robot, pair, states, lazy):
    import dask

    with dask.config.set(scheduler=never):
        tau = robot.inverse_dynamics(*lazy)
        energies = robot.kinetic_energy(lazy[0][:, None], states[1])  # with an axis of its own for each, and NumPy's
        gravity, energy = pair(*lazy[:2])
        M = robot.mass_matrix(lazy[0][0])  # one state
    for found, chunks in ((tau, 2), (energies, 2), (gravity, 2), (energy, 1), (M, 2)):
        assert isinstance(found, da.Array) and found.dtype == float and found._meta.ndim == found.ndim == chunks
    assert tau.chunks[1] == (2,) and tau.name.startswith("inverse_dynamics-")
    wanted = (robot.inverse_dynamics(*states), robot.kinetic_energy(states[0][:, None], states[1]))
    wanted = (*wanted, *pair(*states[:2]), robot.mass_matrix(states[0][0]))
    for found, expected in zip(dask.compute(tau, energies, gravity, energy, M, scheduler="sync"), wanted, strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_the_same_graph_has_the_same_keys(robot, pair, lazy):
    assert robot.gravity(lazy[0]).name == robot.kernel("gravity")(lazy[0]).name != robot.gravity(lazy[1]).name
    assert pair(*lazy[:2])[0].name != pair(*lazy[:2])[1].name


def test_what_travels_is_the_kernel(robot, lazy, states):
    tau = pickle.loads(pickle.dumps(robot.inverse_dynamics(*lazy)))
    np.testing.assert_array_equal(tau.compute(scheduler="sync"), robot.inverse_dynamics(*states))
    single = kt.load("planar2r", dtype="float32")
    found = single.gravity(lazy[0])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found.compute(scheduler="sync"), single.gravity(states[0]), strict=True)


def test_a_robot_that_checks_needs_numbers(robot, lazy):
    xarray = pytest.importorskip("xarray")
    for q in (lazy[0], xarray.DataArray(lazy[0])):
        with pytest.raises(kt.InputError, match=r"gravity: q is of Dask, .* robot\.checked\(False\)"):
            robot.checked().gravity(q)


def test_lengths_that_dask_does_not_know(da, robot, states):
    x = da.from_array(states[0], chunks=(7, 2))
    some = x[x[:, 0] > 0]
    found = robot.gravity(some)
    assert np.isnan(found.shape[0])
    np.testing.assert_array_equal(found.compute(scheduler="sync"), robot.gravity(states[0][states[0][:, 0] > 0]))
    with pytest.raises(kt.InputError, match=r"kinetic_energy: blocks do not fit: .*compute_chunk_sizes\(\)"):
        robot.kinetic_energy(some, x)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, q: r.gravity(q[:, :1]), r"q must have shape \(\.\.\., 2\), got \(20, 1\)"),
        (lambda r, q: r.kinetic_energy(q, q[:3]), r"the batch axes do not broadcast: q \(20,\), v \(3,\)"),
        (lambda r, q: r.gravity(q.astype(complex)), "got dtype complex128"),
        (lambda r, q: r.kernel("gravity")(q, q), "takes 1 array"),
        (lambda r, q: r.gravity(q, out=np.zeros((20, 2))), "out takes NumPy arrays"),
        (lambda r, q: r.gravity(q, threads=0), "threads must be"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(robot, lazy, call, message):
    with pytest.raises(kt.InputError, match=message):
        call(robot, lazy[0])


@pytest.fixture(scope="module")
def xr():
    return pytest.importorskip("xarray")


@pytest.fixture(scope="module")
def arm():
    return kt.load("ur5e")  # whose forces have as many entries as twists


@pytest.fixture(scope="module")
def named(xr, arm):
    numbers = np.random.default_rng(1).standard_normal((3, 4, 6))
    where = {
        "time": ("time", np.arange(4.0), {"units": "s"}),
        "joint": list(arm.joint_names),
        "run": ("time", [*"abcd"]),
    }
    return [xr.DataArray(x, where, ("time", "joint"), "q", {"units": "rad"}) for x in numbers]


def test_xarray_in_xarray_out(xr, arm, named):
    plain = [x.values for x in named]
    tau = arm.inverse_dynamics(*named)
    assert tau.dims == ("time", "joint") and tau.name == "inverse_dynamics" and tau.attrs == {}  # rad would be wrong
    assert tau.time.attrs == {"units": "s"} and list(tau.run.values) == [*"abcd"]
    assert list(tau.joint.values) == list(arm.joint_names)
    np.testing.assert_array_equal(tau, arm.inverse_dynamics(*plain))
    M, J = arm.mass_matrix(named[0]), arm.jacobian(named[0], "tool0")
    assert M.dims == ("time", "joint", "joint2") and list(M.joint2.values) == list(arm.joint_names)
    assert J.dims == ("time", "axis0", "joint")
    twist = xr.dot(J, named[1], dim="joint")
    np.testing.assert_allclose(twist, arm.velocity(plain[0], plain[1], "tool0"), atol=1e-14)
    derivatives = arm.inverse_dynamics_derivatives(*named)
    assert [x.name for x in derivatives] == ["dq", "dv", "da"]
    for found, expected in zip(derivatives, arm.inverse_dynamics_derivatives(*plain), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_axes_of_xarray_are_matched_by_name(da, arm, named):
    q, v = named[0], named[1].rename(time="guess").drop_vars(("run", "guess"))
    energy = arm.kinetic_energy(q, v)
    assert energy.dims == ("time", "guess") and "run" in energy.coords
    np.testing.assert_array_equal(energy, arm.kinetic_energy(q.values[:, None], v.values))
    lazy = arm.kinetic_energy(q.chunk(time=3), named[1].values)
    assert isinstance(lazy.data, da.Array) and lazy.chunks == ((3, 1),)
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), arm.kinetic_energy(q.values, named[1].values))


def test_columns_of_tables_have_the_robots_order(robot, states):
    pandas, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    table = pandas.DataFrame(states[0], columns=list(robot.joint_names))
    lazy = dd.from_pandas(table, npartitions=2)
    np.testing.assert_array_equal(robot.gravity(table), robot.gravity(states[0]))
    np.testing.assert_array_equal(robot.gravity(table.rename(columns=str.upper)), robot.gravity(states[0]))
    for x in (table, lazy):
        with pytest.raises(kt.InputError, match=r"labelled 'joint2', 'joint1', but .* q\[list\(robot.joint_names\)\]"):
            robot.gravity(x[["joint2", "joint1"]])
    for _ in range(3):  # by compiled code, from the second call on
        robot.gravity([0.0, 0.0])
        with pytest.raises(kt.InputError, match="labelled 'joint2', 'joint1', but"):
            robot.gravity(table.iloc[0][["joint2", "joint1"]])


def test_trajectories_go_through_the_methods(xr, robot):
    motion = robot.simulate(np.zeros((3, 2)), np.zeros(2), t=0.1, dt=0.05)
    found = motion.to_xarray()
    missing = robot.gravity(found.q) - found.tau
    assert missing.dims == ("lane", "t", "velocity") and list(missing.velocity.values) == ["joint1", "joint2"]
    np.testing.assert_array_equal(missing, robot.gravity(motion.q))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r, q: r.gravity(q[:, :5]), r"q must have shape \(\.\.\., 6\), got \(4, 5\)"),
        (lambda r, q: r.gravity(q[:, ::-1]), "labelled 'wrist_3_joint', .* the robot's order is 'shoulder_pan_joint'"),
        (lambda r, q: r.kinetic_energy(q, q.assign_coords(time=q.time + 1)), "cannot align"),
        (
            lambda r, q: r.kinetic_energy(q[:1], q[0].drop_vars("joint").rename(joint="time")),
            "'time' is a batch axis of q",
        ),
        (lambda r, q: r.pose(q.rename(time="axis0"), "tool0"), "'axis0', a batch axis of q, is an axis of the result"),
        (lambda r, q: r.gravity(q[:1].isel(time=[0] * 6).T), "is labelled with times"),
        (lambda r, q: r.gravity(q.isel(time=[0] * 6, joint=0)), "is labelled with times"),
        (lambda r, q: r.gravity(q.isel(time=[0] * 6).drop_vars(("time", "run")).T), "'joint' of q .* with joints, but"),
        (lambda r, q: r.gravity(q, out=q.values), "out takes NumPy arrays"),
        (lambda r, q: r.gravity(q.astype(complex)), "got dtype complex128"),
        (lambda r, q: r.gravity(q.to_dataset()), "xarray.Dataset"),
    ],
)
def test_wrong_arrays_of_xarray(arm, named, call, message):
    with pytest.raises(kt.InputError, match=message):
        call(arm, named[0])


def test_only_what_speaks_against_states_is_refused(xr, robot):
    names, zeros = list(robot.joint_names), np.zeros((2, 2))
    by_joint = xr.DataArray(zeros, {"p": names}, ("p", "joint"))  # one joint after the other was moved
    assert robot.gravity(by_joint).dims == ("p", "joint")
    assert robot.gravity(xr.DataArray(zeros, {"joint": [1.0, 2.0]}, ("trial", "joint"))).dims == ("trial", "joint")
    days = np.array(["2024-01-01", "2024-01-02"], "datetime64[ns]")
    for labels, dims in (
        ({"p": names, "other": ["a", "b"]}, ("p", "other")),
        ({"p": names}, ("p", "t")),
        ({"t": [0.0, 0.5]}, ("joint", "t")),
        ({"day": days}, ("joint", "day")),
    ):
        with pytest.raises(kt.InputError, match="see transpose"):
            robot.gravity(xr.DataArray(zeros, labels, dims))
    times = xr.DataArray(np.ones(3), {"time": [0.0, 0.5, 1.0]}, ("time",))
    weighted = kt.compile(lambda model, q, w: q * (w[0] + w[1] + w[2]), robot, shapes={"w": (3,)})
    np.testing.assert_array_equal(weighted(np.ones(2), times), [3.0, 3.0])
    rates = kt.compile(lambda model, q, v: q * v[2], robot, shapes={"v": (3,)})  # v is no velocity here
    np.testing.assert_array_equal(rates(np.ones(2), times), [1.0, 1.0])


SHAPE = re.compile(r"^ *(?:([\w, ]+) : )?(?:array_like|ndarray), shapes? (\(.*?\)(?:, \(.*?\))*)", re.MULTILINE)


def shapes(text):
    """Names of arrays and their axes behind batch axes, in a docstring."""
    for names, each in SHAPE.findall(text):
        axes, names = re.findall(r"\((.*?)\)", each), names.split(", ")
        for name, inner in zip(names, axes if len(axes) > 1 else axes * len(names), strict=True):
            yield name, tuple(x.strip().replace(" ", "") for x in inner.split(",") if x.strip() not in ("", "..."))


def test_axes_are_those_of_docstrings_and_of_results():
    """Here, nq, nv and 6 differ."""
    free, counted = kt.random_chain(1, base="free", backend="numpy"), 0
    closed = kt.load("planar2r", backend="numpy").with_closures(
        kt.closures.Loop("world", "tip", kt.closures.FrictionlessPoint())
    )
    for function, method in ((x.function, x) for x in METHODS.values()):
        outputs = result_axes(function)
        given, _, results = method.method.__doc__.partition("Returns\n")
        assert outputs == list(shapes(results.partition("Raises\n")[0])), method.name
        given = dict(shapes(given))
        assert given.keys() >= set(method.arrays)
        named = {x: axes for x, axes in given.items() if any(not n.isdigit() for n in axes)}
        assert named == {x: axes for x, axes in INPUTS.items() if x in given}, method.name
        if algorithm_of(function).most_nv is not None:
            continue
        robot = closed if algorithm_of(function).about_closures else free
        sizes = {"nq": robot.nq, "nv": robot.nv, "dof": robot.model.dof, "rows": robot.model.closure_rows}
        frame = {"frame": robot.frame_names[-1]} if algorithm_of(function).needs_frame else {}
        arrays = robot.kernel(function, **frame).program.outputs
        for (_, axes), a in zip(outputs, arrays, strict=True):
            wanted = [sizes.get(x, int(x) if x.isdigit() else n) for x, n in zip(axes, a.shape, strict=True)]
            assert wanted == list(a.shape), method.name
        counted += 1
    assert counted > 60


class Foreign:
    """An array of another library, on some device of DLPack."""

    def __init__(self, x, device=(1, 0)):
        self._x, self._device = x, device

    def __dlpack__(self, **how):
        return self._x.__dlpack__(**how)

    def __dlpack_device__(self):
        return self._device


class OnGpu:
    """What CuPy's arrays have."""

    __cuda_array_interface__, device = {"version": 3}, "<CUDA Device 0>"

    def get(self):
        raise AssertionError("copied in silence")

    __array__ = get


class Quantity(np.ndarray):
    unit = "deg"

    def to_value(self, unit):
        raise NotImplementedError


def test_dlpack(robot, states):
    q = states[0]
    assert np.shares_memory(as_array("q", Foreign(q)), q)
    for x in (q, q.astype("f4"), q[::2], q[0]):
        np.testing.assert_array_equal(robot.gravity(Foreign(x)), robot.gravity(x), strict=True)
    np.testing.assert_array_equal(np.from_dlpack(robot.gravity(q)), robot.gravity(q))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (Foreign(np.zeros(2), (2, 0)), r"gravity: q is on a GPU \(CUDA\); .* pass a copy .* kt\.cuda\.function"),
        (Foreign(np.zeros(2), (99, 0)), "q is on device 99 of DLPack"),
        (OnGpu(), r"q is on a GPU \(CUDA\): CUDA Device 0; .*x\.get\(\)"),
        ([OnGpu()], "q is on a GPU"),
        (np.zeros(2).view(Quantity), r"q has units \(deg\)"),
    ],
)
def test_what_numpy_would_lose_is_refused(robot, x, message):
    for call in (robot.gravity, robot.kernel("gravity")):
        with pytest.raises(kt.InputError, match=message):
            call(x)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # by torch itself
def test_torch(robot, states):
    torch = pytest.importorskip("torch")
    q = torch.from_numpy(states[0])
    assert np.shares_memory(as_array("q", q), states[0])
    np.testing.assert_array_equal(robot.gravity(q), robot.gravity(states[0]), strict=True)
    with pytest.raises(kt.InputError, match=r"q is a tensor that requires gradients, .* kt\.torch\.Robot"):
        robot.gravity(q.clone().requires_grad_())
    forward, message = torch.autograd.forward_ad, r"q is a tensor with a tangent, .* kt\.torch\.Robot"
    with forward.dual_level(), pytest.raises(kt.InputError, match=message):
        robot.gravity(forward.make_dual(q, q))
    with pytest.raises(kt.InputError, match="out must be an array, got Tensor"):
        robot.gravity(states[0], out=q)


@pytest.fixture(scope="module")
def motions(robot):
    """One with events; and a batch with a controller's states and a failure."""

    def height(t, q, v):
        return q[0] + 0.01

    one = robot.simulate([0.0, 0.1], [0.0, 0.2], t=0.1, dt=0.01, method="RK45", events={"down": height})

    def law(t, q, v, state):
        return -v, {"sum": state["sum"] + q, "pair": (state["pair"][0] + 1.0, None)}

    state = {"sum": np.zeros(2), "pair": (np.zeros(()), None)}
    given = {"t": 0.05, "dt": 0.01, "record": 2, "compiled": True}
    many = robot.simulate(np.arange(12.0).reshape(2, 3, 2), np.zeros(2), controller=law, state=state, **given)
    return one, replace(many, failures=(MotionFailure(3, 0.03, (1, 2), "joint2", True),), interrupted=True)


def same(found, motion):
    for name in ("t", "q", "v", "tau"):
        np.testing.assert_array_equal(getattr(found, name), getattr(motion, name), strict=True)
    for name in ("dt", "names", "robot_name", "method", "interrupted", "failures"):
        assert getattr(found, name) == getattr(motion, name), name
    assert [x[:2] for x in found.events] == [x[:2] for x in motion.events]
    for x, y in zip(found.events, motion.events, strict=True):
        np.testing.assert_array_equal(np.concatenate(x[2:]), np.concatenate(y[2:]))
    if motion.states is None:
        assert found.states is None
    else:
        assert found.states["pair"][1] is None
        np.testing.assert_array_equal(found.states["sum"], motion.states["sum"], strict=True)
        np.testing.assert_array_equal(found.states["pair"][0], motion.states["pair"][0], strict=True)


def test_trajectories_come_back_whole(xr, motions, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    assert len(motions[0].events) == 1 and motions[1].states["sum"].shape == (2, 3, 4, 2)
    for motion in motions:
        for suffix in ("npz", "parquet"):
            motion.save(tmp_path / f"a.{suffix}")
            same(kt.Trajectory.load(tmp_path / f"a.{suffix}"), motion)
        table = motion.to_pandas()
        same(kt.Trajectory.from_pandas(table.sample(frac=1.0, random_state=1)), motion)  # rows in any order
        table.to_parquet(tmp_path / "b.parquet")
        same(kt.Trajectory.from_pandas(pandas.read_parquet(tmp_path / "b.parquet")), motion)
        whole = motion.to_xarray()
        same(kt.Trajectory.from_xarray(whole), motion)
        same(kt.Trajectory.from_xarray(whole.transpose("t", ...)), motion)
    assert whole.state0.dims == ("lane0", "lane1", "t", "state0_0") and whole.state0.attrs == {"long_name": "sum"}
    assert whole.q.attrs == {"units": "rad"}
    pytest.importorskip("scipy")
    whole.to_netcdf(tmp_path / "c.nc", engine="scipy")
    same(kt.Trajectory.from_xarray(xr.load_dataset(tmp_path / "c.nc", engine="scipy")), motion)
    part = kt.Trajectory.from_xarray(whole.isel(position=[1], velocity=[1], lane0=[0], t=slice(1, 3)))
    assert part.names.tau_units == ("N m",) and part.states["sum"].shape == (1, 3, 2, 2)


def test_zarr(xr, motions):
    pytest.importorskip("zarr")
    store = {}
    motions[1].to_xarray().to_zarr(store, consolidated=False)
    same(kt.Trajectory.from_xarray(xr.open_zarr(store, consolidated=False)), motions[1])


@pytest.mark.parametrize("suffix", ["npz", "parquet"])
def test_damaged_files(motions, tmp_path, suffix):
    pytest.importorskip("pyarrow")
    file, rng = tmp_path / f"a.{suffix}", np.random.default_rng(0)
    motions[1].save(file)
    whole = file.read_bytes()
    for k in range(150):
        damaged = bytearray(whole[: rng.integers(len(whole))] if k % 3 == 0 else whole)
        if damaged:
            damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        file.write_bytes(damaged)
        try:
            found = kt.Trajectory.load(file)
        except kt.InputError:
            continue
        assert k % 3  # no part is taken for the whole; pages of numbers have checksums
        for name in ("t", "q", "v", "tau"):
            np.testing.assert_array_equal(getattr(found, name), getattr(motions[1], name), strict=True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", "[" * 10**5, '{"names": 3}', '{"names": {}, "dt": 1.0}', '{"dt": "x"}', '{"robot": 1}'),
        *('{"interrupted": 2}', '{"states": 0, "shapes": [[9]]}', '{"states": [0]}', '{"failures": [[1]]}'),
        '{"events": [1]}',
    ],
    ids=range(13),
)
def test_damaged_words_beside_the_numbers(motions, text):
    for make, back in (("to_pandas", "from_pandas"), ("to_xarray", "from_xarray")):
        table = getattr(motions[0], make)()
        told = json.loads(table.attrs["kinetrace"])
        try:
            changed = json.dumps({**told, **json.loads(text)}) if len(text) > 2 else text
        except (json.JSONDecodeError, RecursionError):
            changed = text
        table.attrs["kinetrace"] = changed
        with pytest.raises(kt.InputError, match="holds no trajectory"):
            getattr(kt.Trajectory, back)(table)


def test_nothing_is_imported_before_it_is_needed():
    code = """if True:
        import sys, numpy as np, kinetrace as kt
        from kinetrace.engine.compilation.compile import result_axes
        robot = kt.load("planar2r", backend="numpy")
        robot.gravity([0, 0]), robot.gravity(np.zeros((3, 2))), robot.gravity(np.ma.zeros(2))
        print(*{*"casadi cupy dask distributed jax pandas pyarrow sympy torch xarray zarr".split()} & {*sys.modules})
        print(*result_axes(kt.algorithms.mass_matrix))
    """
    done = subprocess.run(
        [sys.executable, "-OO", "-c", code], check=True, capture_output=True, text=True
    )  # no docstrings
    assert done.stdout.splitlines() == ["", "('', ('nv', 'nv'))"]
