"""Robots and kernels under PyTorch: the numbers of the kernel, PyTorch's gradient checkers and transforms."""

import copy
import gc
import importlib.util
import io
import pickle
import threading
import weakref

import numpy as np
import pytest

import kinetrace as kt
from kinetrace.frameworks.differentiable import DerivativeFamily

torch = F64 = gradcheck = gradgradcheck = functional_call = grad = hessian = jacfwd = jacrev = jvp = vmap = None


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """PyTorch and some of its names, for these globals: only the worker that takes these tests imports it."""
    torch = pytest.importorskip("torch")
    autograd, func = torch.autograd, torch.func
    names = {x.__name__: x for x in (autograd.gradcheck, autograd.gradgradcheck, func.functional_call)}
    names |= {x.__name__: x for x in (func.grad, func.hessian, func.jacfwd, func.jacrev, func.jvp, func.vmap)}
    globals().update(names, torch=torch, F64=torch.float64)


def close(x, y):
    """Whether two tensors agree but for rounding."""
    return torch.allclose(x, y, rtol=1e-10, atol=1e-12)


def rand(*shape, seed=0, **options):
    return torch.randn(*shape, dtype=F64, generator=torch.Generator().manual_seed(seed), **options)


@pytest.fixture(scope="module")
def planar():
    return kt.load("planar2r")


@pytest.fixture(scope="module")
def arm(planar):
    return kt.torch.Robot(planar)


@pytest.fixture(scope="module")
def tree():
    """A free base and a joint: configurations have quaternions."""
    made = kt.random_tree(2, seed=1, base="free")
    assert made.nq > made.nv
    return made


def tip_and_inertia(model, q, v):
    """Two results of different shapes."""
    return kt.algorithms.pose(model, q, frame="tip")[:3, 3], kt.algorithms.kinetic_energy(model, q, v)


def square(model, q, tau):
    """A series: its length is known when it is called."""
    return kt.arrays.scan(lambda x, row: (x + kt.arrays.sin(x) * row, x[0]), q, tau)[0]


def test_results_are_those_of_the_kernel_to_the_bit(planar, arm):
    q, v, a = (rand(5, 3, 2, seed=k) for k in range(3))
    q, v, a = q.transpose(0, 1), v[:1, 0].expand(5, 2), a[0, ::2, :][:1]  # strided, stride 0, broadcast
    found = arm.inverse_dynamics(q, v, a)
    assert torch.equal(found, torch.from_numpy(planar.inverse_dynamics(q.numpy(), v.numpy(), a.numpy())))
    assert found.is_contiguous() and found.shape == (3, 5, 2)
    small = kt.load("planar2r", dtype="float32").inverse_dynamics(*(x.float().numpy() for x in (q, v, a)))
    assert torch.equal(arm.inverse_dynamics(q.float(), v.float(), a.float()), torch.from_numpy(small))
    assert arm.total_energy(q[0, 0], v[0]).shape == () and arm.mass_matrix(q[:0]).shape == (0, 5, 2, 2)
    for name, args in {"pose": (q, "tip"), "linearise": (q, v, a)}.items():
        ours, theirs = (
            getattr(arm, name)(*args),
            getattr(planar, name)(*(np.asarray(x) if torch.is_tensor(x) else x for x in args)),
        )
        for x, y in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(x.numpy(), y)


def test_nothing_is_copied(planar):
    f = kt.torch.Function(planar.kernel("gravity"))
    operator, seen = f.operator(F64), []

    class Spy:
        def __call__(self, *arrays, threads=None):
            seen.extend([*arrays, planar.gravity(*arrays)])
            return seen[-1]

        batch = property(lambda self: self)  # what is called where PyTorch has one thread

    kept, operator.family = operator.family, type("", (), {"kernel": Spy()})
    try:
        q = rand(6, 4, seed=1)[:, ::2].requires_grad_()
        found = f(q)
    finally:
        operator.family = kept
    into, out = (x.__array_interface__["data"][0] for x in seen)
    assert (into, out) == (q.data_ptr(), found.data_ptr()) and seen[0].strides == (32, 16)


def test_dtypes_are_promoted_as_in_torch(arm):
    q = rand(4, 2)
    for kinds in [(F64, torch.float32), (torch.float32, torch.int64), (torch.int64, F64), (torch.int32, torch.bool)]:
        x, y = (q.to(kind) for kind in kinds)
        assert arm.kinetic_energy(x, y).dtype == torch.atan2(x, y).dtype
    f = kt.torch.function("step", arm.robot, method="euler")
    assert all(x.dtype == torch.float32 for x in f(*[q.float()] * 3, torch.tensor(0.1, dtype=F64)))  # no axes: no say
    assert torch.equal(f(q, q, q, 0.1)[0], f(q.numpy(), q, q.tolist(), torch.tensor(0.1, dtype=F64))[0])


def test_lists_of_tensors_and_odd_arrays(planar, arm):
    x, g = rand(2, requires_grad=True), torch.tensor(-9.81, dtype=F64, requires_grad=True)
    whole = torch.autograd.grad(arm.gravity(x, gravity=torch.stack([0 * g, 0 * g, g])).sum(), (x, g))
    parts = torch.autograd.grad(arm.gravity([x[0], x[1]], gravity=[0, 0, g]).sum(), (x, g))
    assert all(map(torch.equal, whole, parts))
    assert torch.equal(arm.gravity([x, [1, x[1]]]), arm.gravity(torch.stack([x, torch.stack([x[1] * 0 + 1, x[1]])])))
    packed = np.zeros(5, [("tag", "i1"), ("q", ">f8", 2)])
    packed["q"] = rand(5, 2).numpy()
    assert torch.equal(arm.gravity(packed["q"]), torch.from_numpy(planar.gravity(packed["q"])))
    states = [x.detach()] * 3
    for friction in (True, False):  # a choice that has the name of a parameter
        exact = planar.regressor(*(y.numpy() for y in states), friction=friction)
        assert torch.equal(arm.regressor(*states, friction=friction), torch.from_numpy(exact))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda q: (q.half(), q.half()),
            r"kinetic_energy: kernels compute in float64 or float32, not float16; got q float16",
        ),
        (lambda q: (q + 0j, q), "not complex128"),
        (lambda q: (q, q[:, :1]), r"kinetic_energy: v must have shape \(..., 2\), got \(4, 1\)"),
        (lambda q: (q, q[:3]), r"do not broadcast: q \(4,\), v \(3,\)"),
        (lambda q: (q, q.to_sparse()), r"v is sparse_coo; pass v.to_dense\(\)"),
        (lambda q: (q, "text"), "v must be a tensor or numbers, got str"),
        (lambda q: (q,), "takes 2 arrays"),
        (lambda q: (q, q.half()), "not float16; got q float64, v float16"),
        (lambda q: (q, q.to("meta")), "meta have no numbers, and cannot be mixed with others: q on cpu, v on meta"),
        (lambda q: (q, [q[0], q[1, :1]]), "v is a list whose tensors cannot be stacked"),
        (lambda q: (q, np.zeros(2, np.longdouble)), "v must hold real numbers of up to 64 bits, got dtype"),
        (lambda q: (q, np.zeros(2, object)), "v must hold real numbers of up to 64 bits, got dtype object"),
    ],
)
def test_wrong_tensors_are_named(arm, wrong, message):
    with pytest.raises(kt.InputError, match=message):
        kt.torch.function("kinetic_energy", arm.robot)(*wrong(rand(4, 2)))


def test_wrong_sizes_of_configurations_are_explained(tree):
    for f in (kt.torch.function("gravity", tree), kt.torch.Robot(tree).gravity):
        with pytest.raises(
            kt.InputError, match=r"gravity: q must have shape \(..., 12\), got \(10,\): 10 is nv; q has nq = 12"
        ):
            f(rand(tree.nv))


def test_versions_that_lack_a_name_are_refused(monkeypatch):
    from kinetrace.frameworks.torch import private

    with monkeypatch.context() as lacking:
        lacking.delattr("torch._C._len_torch_function_stack")  # which saves time
        again = load_again(private)
        assert not again.is_plain((rand(2),))
        lacking.delattr("torch._C._AutoDispatchBelowAutograd")
        with pytest.raises(
            ImportError, match=r"does not fit PyTorch \d.*_AutoDispatchBelowAutograd.*tested with 2.7 to"
        ):
            load_again(private)
    assert load_again(private).is_plain((rand(2),))


def load_again(module):
    """A new module from the same file."""
    spec = importlib.util.spec_from_file_location(module.__name__, module.__file__)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_other_devices_are_refused(arm):
    with torch._subclasses.FakeTensorMode():
        q = torch.empty(2, device="cuda")
    with pytest.raises(kt.InputError, match=r"gravity: q is on cuda:0, but kernels run on the processor: q.cpu\(\)"):
        arm.gravity(q)
    assert arm.gravity(torch.empty(5, 2, device="meta")).shape == (5, 2)


def test_gradcheck_on_a_free_tree_with_a_wrench_to_second_order(tree):
    arm, frame = kt.torch.Robot(tree), list(tree.model.frames)[-1]
    q = 1.3 * torch.from_numpy(tree.random(2, seed=1))  # of any length
    xs = [q, *(rand(2, tree.nv, seed=k) for k in (1, 2)), rand(6, seed=3)]  # one wrench for both states
    xs = [x.requires_grad_() for x in xs]

    def f(q, v, a, w):
        return arm.inverse_dynamics(q, v, a, wrench={frame: w})

    exact = tree.inverse_dynamics(
        tree.normalise(q.detach()), *(x.detach().numpy() for x in xs[1:3]), wrench={frame: xs[3].detach().numpy()}
    )
    np.testing.assert_allclose(f(*xs).detach(), exact, atol=1e-12)
    every = {"check_batched_grad": True, "fast_mode": True}
    assert gradcheck(f, xs, check_forward_ad=True, check_batched_forward_grad=True, **every)
    assert gradgradcheck(f, xs, check_fwd_over_rev=True, **every)


def test_gradcheck_of_several_results_and_of_parameters(planar):
    f = kt.torch.function(tip_and_inertia, planar, inputs=("inertial", "gravity"))
    inertial, gravity = (torch.tensor(planar.parameters(x)) for x in ("inertial", "gravity"))
    xs = [x.requires_grad_() for x in (rand(3, 1, 2), rand(2, 2, seed=1), inertial, gravity)]
    assert [x.shape for x in f(*xs)] == [(3, 2, 3), (3, 2)]
    assert gradcheck(f, xs, check_forward_ad=True, check_batched_grad=True, fast_mode=True)
    assert gradgradcheck(f, xs, check_fwd_over_rev=True, fast_mode=True)


def test_transforms_of_torch_func_agree_with_kernels(planar, arm):
    q, v, a = (rand(5, 2, seed=k) for k in range(3))

    def f(q):
        return arm.inverse_dynamics(q, v[0], a[0])

    exact = torch.from_numpy(kt.compile(kt.hessian(kt.algorithms.inverse_dynamics, wrt="q"), planar)(q[0], v[0], a[0]))
    for outer in (jacfwd, jacrev):
        assert close(outer(f)(q[0]), torch.from_numpy(planar.inverse_dynamics_derivatives(q[0], v[0], a[0])[0]))
        for inner in (jacfwd, jacrev):
            assert close(outer(inner(f))(q[0]), exact)
    assert close(hessian(lambda q: f(q).sum())(q[0]), exact.sum(0))
    assert close(
        jvp(lambda q: jvp(f, (q,), (v[1],))[1], (q[0],), (a[1],))[1], torch.einsum("kij,i,j", exact, v[1], a[1])
    )
    each = vmap(arm.inverse_dynamics, in_dims=(1, None, 0))(q.T, v[0], a)
    assert torch.equal(each, arm.inverse_dynamics(q, v[0], a))
    twice = vmap(vmap(grad(lambda q, v: arm.kinetic_energy(q, v)), (0, None)), (None, 0))(q, v)
    batch = q.clone().requires_grad_()
    (total,) = torch.autograd.grad(arm.kinetic_energy(batch, v[:, None]).sum(), batch)
    assert close(twice.sum(0), total)
    with torch.no_grad():
        assert not arm.gravity(q.clone().requires_grad_()).requires_grad
    small = q.float()
    found, exact = jacrev(arm.gravity)(small[0]), jacfwd(arm.gravity)(small[0].double())
    assert torch.allclose(found.double(), exact, rtol=1e-5, atol=2e-5)  # in single precision, of 20 N m


def test_series_of_any_length(planar):
    f = kt.torch.function(square, planar, shapes={"tau": ("t", 2)})
    q, tau = rand(2, requires_grad=True), rand(3, 4, 2, seed=1, requires_grad=True)
    assert gradcheck(f, (q, tau), fast_mode=True)
    with torch._subclasses.FakeTensorMode():
        assert f(torch.empty(2, dtype=F64), torch.empty(3, 7, 2, dtype=F64)).shape == (3, 2)


def torques(robot):
    class Torques(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.f = kt.torch.function(kt.compile(kt.algorithms.inverse_dynamics, robot))

        def forward(self, q, v):
            return self.f(q, v, v)

    return Torques()


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")  # of opcheck itself, in 2.15
def test_compiled_and_exported(planar):
    arm, w = kt.torch.Robot(planar, learn="inertial", physical=True), rand(6)  # nothing of it was called before

    def loss(q, v):
        return arm.inverse_dynamics(q, v, v, wrench={"tip": w}).square().sum() + arm.pose(q, frame="tip").sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager", dynamic=True)
    theta = arm.learnt["inertial"].coordinates
    for n in (3, 5):
        q, v = rand(n, 2, requires_grad=True), rand(n, 2, seed=1)
        found, plain = (torch.autograd.grad(f(q, v), (q, theta)) for f in (compiled, loss))
        assert all(map(close, found, plain))
    slope = torch.compile(lambda q: vmap(jacfwd(arm.gravity))(q), fullgraph=True, backend="aot_eager")
    assert close(slope(q.detach()), vmap(jacrev(arm.gravity))(q.detach()))
    operator = kt.torch.function("inverse_dynamics", planar).operator(F64).call
    torch.library.opcheck(operator, (q, v, v))
    batch = torch.export.Dim("batch")

    program = torch.export.export(torques(planar), (q.detach(), v), dynamic_shapes=({0: batch}, {0: batch}))
    gc.collect()
    q = rand(9, 2)
    assert torch.equal(program.module()(q, q), torch.from_numpy(planar.inverse_dynamics(q, q, q)))


def test_operators_are_shared_and_kernels_are_freed(planar):
    def sums(model, q):
        return q[0] + q[1]

    f, g = (kt.torch.function(kt.compile(sums, planar)) for _ in range(2))
    assert f.operator(F64).call is g.operator(F64).call
    q = rand(2, requires_grad=True)
    f(q).backward()
    dead, call = weakref.ref(DerivativeFamily.of(f.kernel)), f.operator(F64).call
    del f, g
    gc.collect()
    assert dead() is None
    with pytest.raises(kt.InputError, match="no longer in use: make its function again"):
        call(q)


def test_operators_of_different_settings_are_told_apart(planar):
    def moved(model, tau):
        return tau + model.nv

    def moved_too(model, v):
        return v + model.nv

    moved_too.__name__ = "moved"
    alone = kt.load("planar2r", threads=1)
    for first, then in ((planar, alone), (alone, planar)):
        f, g = (kt.torch.function("gravity", robot).operator(F64) for robot in (first, then))
        threads = first.kernel("gravity").threads, then.kernel("gravity").threads
        assert (f.family.kernel.threads, g.family.kernel.threads) == threads and f.call is not g.call
        pulled = [x.pullback((True,))[1] for x in (f, g)]
        assert tuple(x.family.kernel.threads for x in pulled) == threads and pulled[0].call is not pulled[1].call
    for f, name in ((moved, "tau"), (moved_too, "v")):
        with pytest.raises(kt.InputError, match=rf"moved: {name} must have shape \(..., 2\), got \(3,\)"):
            kt.torch.function(f, planar)(rand(3))


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning", "ignore:.torch.jit:FutureWarning")
def test_graphs_keep_what_they_call(planar):
    from torch.fx.experimental.proxy_tensor import make_fx

    def cubes(model, q):
        return q * q * q

    def graphs(x):
        f = kt.torch.function(cubes, planar)
        return make_fx(vmap(grad(lambda x: f(x).sum())))(x), torch.jit.trace(lambda x: f(x), (x,))

    x = rand(1, 2)
    slope, cube = graphs(x)
    gc.collect()
    assert close(slope(x), 3 * x**2) and close(cube(x), x**3)


def test_functions_without_arrays(planar):
    f = kt.torch.function(lambda model: kt.algorithms.gravity(model, np.array([0.3, 0.2])), planar)
    exact, x = torch.from_numpy(planar.gravity([0.3, 0.2])).float(), torch.ones(3, 2)  # PyTorch's default dtype
    assert torch.equal(f(), exact) and torch.equal(vmap(lambda x: x * f())(x), exact.expand(3, 2))
    assert torch.equal(torch.compile(lambda x: x * f(), fullgraph=True, backend="aot_eager")(x), exact.expand(3, 2))


@pytest.mark.parametrize("n", [0, 1, 64, 65, 130, 5000])
def test_gradients_by_what_states_share(planar, n):
    f = kt.torch.function("inverse_dynamics", planar, inputs="inertial")
    pull = DerivativeFamily.of(f.kernel).pullback((3,)).kernel
    q, v, weight = (rand(2, n, 2, seed=k) for k in range(3))
    own = torch.tensor(planar.parameters("inertial"))
    each = pull(q, v, v, own, weight)  # (2, n, bodies, 10)
    for shape, axes in {(): (0, 1), (n,): (0,), (2, 1): (1,)}.items():
        shared = own.expand(*shape, *own.shape).clone().requires_grad_()
        f(q, v, v, shared).backward(weight)
        exact = each.sum(axis=axes).reshape(shared.shape)
        np.testing.assert_allclose(shared.grad, exact, rtol=1e-11, atol=1e-11)  # sums of up to 10⁴ terms of size 10


def test_sums_in_single_precision_lose_nothing():
    from kinetrace.frameworks.torch.operator import _sum_to

    x = rand(200_003, 3).float() + 1
    exact = x.double().sum(0)
    assert (_sum_to(x, torch.Size([3])).double() / exact - 1).abs().max() < 1e-6  # row by row: 2e-5


def test_threads_and_processes(planar):
    f = kt.torch.function("inverse_dynamics", planar)
    again = pickle.loads(pickle.dumps(f))
    q = rand(64, 2)
    assert torch.equal(again(q, q, q), f(q, q, q))
    with pytest.raises(kt.InputError, match="cannot be pickled"):
        pickle.dumps(kt.torch.function(lambda model, q: q, planar))
    found = {}

    def work(k):
        mine = kt.torch.Robot(planar)
        x = rand(8, 2, seed=k, requires_grad=True)
        found[k] = x, torch.autograd.grad(mine.coriolis_product(x, x.detach(), x.detach()).sum(), x)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    alone = kt.torch.Robot(planar)
    for x, slope in found.values():
        assert torch.equal(torch.autograd.grad(alone.coriolis_product(x, x.detach(), x.detach()).sum(), x)[0], slope)


class States:
    def __init__(self, f):
        self.f = f

    def __len__(self):
        return 6

    def __getitem__(self, k):
        q = torch.full((2,), float(k), dtype=F64)
        return self.f(q, q, q)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 and later: it has threads
@pytest.mark.filterwarnings(r"ignore:os.fork\(\) was called:RuntimeWarning")  # JAX, if it is loaded too
def test_workers_of_a_data_loader(planar):
    f = kt.torch.function("inverse_dynamics", planar)
    loader = torch.utils.data.DataLoader(States(f), batch_size=3, num_workers=2, multiprocessing_context="fork")
    q = torch.arange(6, dtype=F64)[:, None].expand(6, 2)
    assert torch.equal(torch.cat(list(loader)), f(q, q, q))


def test_module_of_learnt_parameters(planar):
    arm = kt.torch.Robot(planar, learn=("inertial", "gravity", "placements", "damping"))
    q, v = rand(7, 2), rand(7, 2, seed=1)
    assert [tuple(x.shape) for x in arm.parameters()] == [(2, 10), (3,), (2, 6), (2,)]
    heavy = arm.numbers("inertial").detach().clone()
    heavy[1] *= 2
    with torch.no_grad():
        arm.learnt["inertial"].coordinates.copy_(heavy)
        arm.learnt["placements"].coordinates[1, 3] = 0.3
        arm.learnt["damping"].coordinates += 0.1
    now = arm.robot_now()
    assert now.parameters("inertial")[1].tolist() == heavy[1].tolist() and now.parameters("placements")[1, 0, 3] != 1
    for other in (arm, copy.deepcopy(arm), pickle.loads(pickle.dumps(arm)), saved(arm)):
        found = other.inverse_dynamics(q, v, v)
        np.testing.assert_allclose(found.detach(), now.inverse_dynamics(q, v, v), atol=1e-12)
        found.square().sum().backward()
        assert all(x.grad.abs().sum() > 0 for x in other.parameters())
    fresh = kt.torch.Robot(planar, learn=("inertial", "gravity", "placements", "damping"))
    fresh.load_state_dict(arm.state_dict())
    assert torch.equal(fresh.mass_matrix(q), arm.mass_matrix(q))
    assert not fresh.difference(q, v).requires_grad  # reads none of them
    assert fresh.float().mass_matrix(q.float()).dtype == torch.float32
    given = functional_call(arm, {"learnt.gravity.coordinates": torch.zeros(3, dtype=F64)}, ("gravity", q))
    assert not given.any() and torch.equal(arm.gravity(q, gravity=[0, 0, 0]), given)


def test_states_of_modules_fit_what_is_learnt(planar):
    def arm(**options):
        return kt.torch.Robot(planar, learn="inertial", **options)

    with pytest.raises(
        kt.InputError, match="state holds log-Cholesky coordinates, but this robot learns plain numbers"
    ):
        arm().load_state_dict(arm(physical=True).state_dict())
    with pytest.raises(kt.InputError, match=r"numbers of the rows \[1\], but this robot learns plain .* \[0\]"):
        arm(bodies=["link1"]).load_state_dict(arm(bodies=["link2"]).state_dict())
    with torch.device("meta"):
        deferred = arm(physical=True, bodies=["link2"])
    assert deferred.gravity(torch.empty(5, 2, device="meta", dtype=F64)).shape == (5, 2)
    with pytest.raises(kt.InputError, match="cannot be mixed with others: q on cpu, inertial on meta"):
        deferred.gravity(rand(2))
    whole = arm(physical=True, bodies=["link2"])
    deferred.to_empty(device="cpu").load_state_dict(whole.state_dict())
    assert torch.equal(deferred.gravity(rand(2)), whole.gravity(rand(2)))
    with pytest.raises(kt.InputError, match="physical=True is about inertial parameters"):
        kt.torch.Robot(planar, learn="damping", physical=True)
    with pytest.raises(kt.InputError, match="the name of a method comes first, such as 'gravity'; got Tensor"):
        whole(rand(2))


def test_states_of_modules_may_be_averaged(planar):
    arm = kt.torch.Robot(planar, learn=("inertial", "placements"), physical=True, bodies=["link2"])
    state = copy.deepcopy(arm.state_dict())
    arm.load_state_dict({name: (x + x) / 2 for name, x in state.items()})
    assert all(torch.equal(x, state[name]) for name, x in arm.state_dict().items())
    for x in state.values():  # in place, as averages of weights are made
        x.mul_(0.995).add_(x / 0.995, alpha=0.005)
    arm.float().load_state_dict(state)
    arm.load_state_dict(arm.bfloat16().state_dict())
    plain = kt.torch.Robot(planar, learn="inertial").state_dict()
    physical = kt.torch.Robot(planar, learn="inertial", physical=True)
    with pytest.raises(kt.InputError, match=r"holds a mixture, but this robot learns log-Cholesky coordinates$"):
        physical.load_state_dict({name: (x + plain[name]) / 2 for name, x in physical.state_dict().items()})
    with pytest.raises(kt.InputError, match="state holds plain numbers, but"):
        physical.load_state_dict(plain, strict=False)


def test_lists_of_tensors_are_checked_where_they_have_numbers(planar):
    arm, q = kt.torch.Robot(planar.checked()), [0.25, 0.5]
    parts = [torch.tensor(x, dtype=F64, requires_grad=True) for x in q]
    found = arm.gravity(parts)
    found[0].backward()
    np.testing.assert_allclose(found.detach(), planar.gravity(q))
    assert parts[0].grad
    np.testing.assert_allclose(vmap(lambda x: arm.gravity([x, x]))(torch.ones(3, dtype=F64))[2], planar.gravity([1, 1]))
    assert torch.func.grad(lambda x: arm.gravity((x, 0.5))[0])(parts[0].detach()) == parts[0].grad
    with pytest.raises(kt.InputError, match=r"q: joint 'joint2' is nan"):
        arm.gravity([parts[0], parts[1] * float("nan")])


@pytest.mark.filterwarnings("error")  # PyTorch's own: this is slow
def test_lists_of_arrays(arm, planar):
    np.testing.assert_allclose(arm.gravity([np.zeros(2)] * 3), planar.gravity(np.zeros((3, 2))), rtol=1e-6)
    with pytest.raises(kt.InputError, match="gravity: q must be an array of numbers: its rows differ in length"):
        arm.gravity([np.zeros(2), np.zeros(3)])


def saved(module):
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def test_physical_bodies_whatever_an_optimiser_does(planar):
    arm = kt.torch.Robot(planar, learn="inertial", physical=True)
    np.testing.assert_allclose(
        arm.numbers("inertial").detach(), planar.parameters("inertial"), atol=1e-7
    )  # of thin rods
    theta = rand(2, 10)
    with torch.no_grad():
        arm.learnt["inertial"].coordinates.copy_(theta)
    exact = kt.lie.inertia.from_log_cholesky(theta.numpy())
    np.testing.assert_allclose(arm.numbers("inertial").detach(), exact, rtol=1e-13, atol=1e-14)
    for J in kt.lie.inertia.from_parameters(arm.robot_now().parameters("inertial")):
        assert not kt.lie.inertia.violations(J)
    held = kt.torch.Robot(planar, learn="inertial", physical=True, bodies=["link2"])
    with torch.no_grad():
        held.learnt["inertial"].coordinates += 0.5
    rows = held.numbers("inertial").detach()
    assert rows[0].tolist() == planar.parameters("inertial")[0].tolist() and float(rows[1, 0]) == pytest.approx(np.e)
    with pytest.raises(kt.InputError, match="unknown body 'link3'; did you mean 'link2'"):
        kt.torch.Robot(planar, learn="inertial", bodies=["link3"])
    with pytest.raises(kt.InputError, match="unknown parameter 'mass'"):
        kt.torch.Robot(planar, learn="mass")


def test_wrong_methods_are_named(arm):
    with pytest.raises(AttributeError, match=r"kt.torch.Robot has no method 'mass_matrx'; did you mean 'mass_matrix'"):
        arm.mass_matrx(rand(2))
    with pytest.raises(kt.InputError, match="unknown method 'mass'"):
        arm("mass", rand(2))
    with pytest.raises(kt.InputError, match="out is for NumPy arrays"):
        arm.gravity(rand(2), out=rand(2))
    with pytest.raises(TypeError, match="velocity"):
        arm.gravity(rand(2), velocity=rand(2))


def test_the_panda():
    robot = kt.load("panda")
    arm, q = kt.torch.Robot(robot), torch.from_numpy(robot.random(50, seed=0)).requires_grad_()
    v = rand(50, 7)
    a = arm.forward_dynamics(q, v, torch.zeros(7, dtype=F64))
    np.testing.assert_array_equal(a.detach(), robot.forward_dynamics(q.detach(), v, np.zeros(7)))
    weight = rand(50, 7, seed=1)
    a.backward(weight)
    slope = torch.from_numpy(robot.forward_dynamics_derivatives(q.detach(), v, np.zeros(7))[0])
    assert torch.allclose(q.grad, torch.einsum("ni,nij->nj", weight, slope), rtol=1e-9)
