"""What other libraries call things, and what they are called here: for messages alone.

Pinocchio, MuJoCo, Drake, RBDL, the Robotics Toolbox, the code of "Modern Robotics", JAX. Values of arguments, such as
"LOCAL", are in `errors.ELSEWHERE`, below this, since `errors.unknown` needs them; functions of NumPy and SciPy, with
what to write for traced values, are in `remedies`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import NoReturn

from ..errors import nearest

_NO_STATE = "!a robot holds no state: its methods take q and v; robot.neutral() and robot.random(n) make configurations"
_TOUCH = (
    "there is no detection of contacts: a floor is a function of the state, simulate(..., wrench={frame: function}), "
    "contacts that hold are closures; see docs/howto/contact.md"
)
_TOUCHING = (
    "contact contacts contact_model contact_frames add_contact enable_contact floor ground "
    "terrain plane add_ground add_floor ground_plane ground_contact contact_stiffness restitution "
    "friction_cone"
)
_COLLIDING = (
    "collision collisions collides collide in_collision is_colliding is_in_collision check_collision "
    "collision_check check_collisions self_collision self_collisions self_collides collision_free "
    "collision_pairs computeCollisions computeDistances distance distances distance_to min_distance "
    "minimum_distance clearance obstacles obstacle add_obstacle collision_model collision_geometry "
    "geom_distance iscollided closest_point"
)
CONTACT = dict.fromkeys(_TOUCHING.split(), f"!{_TOUCH}")
"""Names for what touches something."""
COLLISION = dict.fromkeys(
    _COLLIDING.split(),
    "!there are no collision queries: kt.motion.keep_clear keeps motions away from spheres, and robot.pose(q, frame) "
    "is what libraries of geometry take; for floors and contacts see docs/howto/contact.md",
)
"""Names for distances between shapes."""
_ONE = {
    "inverse_dynamics": "rnea rne id inv_dyn CalcInverseDynamics mj_inverse mj_rne idyn",
    "forward_dynamics": "aba fd fwd_dyn accel mj_forward ForwardDynamicsCRBA",
    "mass_matrix": "crba M inertia qM mj_fullM CalcMassMatrix CompositeRigidBodyAlgorithm inertia_matrix D H",
    "pose": "fk fkine fkine_all forward_kinematics framesForwardKinematics updateFramePlacements FKinBody FKinSpace "
    "EvalBodyPoseInWorld CalcRelativeTransform CalcBodyToBaseCoordinates mj_kinematics frame_pose body_pose link_pose "
    "placement frame_placement link_placement oMf oMi xpos site_xpos",
    "bias": "nle nonLinearEffects NonlinearEffects qfrc_bias h",
    "gravity": "gravload computeGeneralizedGravity GravityForces gravity_vector g G",
    "coriolis_matrix": "coriolis computeCoriolisMatrix C",
    "coriolis_product": "VelQuadraticForces CalcBiasTerm",
    "jacobian": "jac J jacob0 jacobe computeJointJacobians computeJointJacobian computeFrameJacobian getFrameJacobian "
    "getJointJacobian JacobianBody JacobianSpace CalcJacobianSpatialVelocity CalcPointJacobian CalcPointJacobian6D "
    "mj_jac mj_jacBody mj_jacSite geometric_jacobian frame_jacobian body_jacobian link_jacobian point_jacobian",
    "velocity": "getFrameVelocity EvalBodySpatialVelocityInWorld CalcPointVelocity6D twist",
    "acceleration": "getFrameAcceleration getFrameClassicalAcceleration CalcPointAcceleration6D",
    "center_of_mass": "com com_position CalcCenterOfMassPositionInWorld subtree_com centre_of_mass",
    "centroidal_momentum_matrix": "ccrba computeCentroidalMap centroidal_map cmm",
    "centroidal_momentum": "computeCentroidalMomentum",
    "kinetic_energy": "computeKineticEnergy CalcKineticEnergy",
    "potential_energy": "computePotentialEnergy CalcPotentialEnergy",
    "total_energy": "hamiltonian mechanical_energy computeMechanicalEnergy",
    "solve_mass": "Minv computeMinverse mass_matrix_inverse inverse_mass_matrix mj_solveM",
    "regressor": "computeJointTorqueRegressor",
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
    "forward_dynamics_derivatives": "computeABADerivatives",
    "operational_inertia": "inertia_x Lambda lambda_matrix task_inertia task_space_inertia",
    "inverse_kinematics": "ik ikine ikine_LM ik_LM IKinBody IKinSpace solve_ik compute_ik InverseKinematics",
    "inverse_velocity": "differential_ik differential_inverse_kinematics rmrc inverse_differential_kinematics",
    "manipulability": "yoshikawa manipulability_index dexterity",
    "reachability": "workspace reachable_workspace reach",
    "step": "mj_step EulerStep mj_Euler",
    "linearise_step": "mjd_transitionFD",
    "simulate": "fdyn AdvanceTo ForwardDynamicsTrajectory",
    "limits": "qlim lower upper q_min q_max qmin qmax joint_limits position_limits lowerPositionLimit velocity_limits "
    "upperPositionLimit velocityLimit effortLimit effort_limits torque_limits jnt_range",
    "neutral": "zero zeros q0 qz qr default_q neutral_configuration q_neutral qpos0 standing",
    "random": "rand sample sample_q random_configuration randomConfiguration random_q",
    "joint_names": "joints joint links_names actuated_joint_names names",
    "frame_names": "frames links link bodies link_names body_names",
    "check": "within_limits in_limits is_valid is_within_limits check_limits validate",
    "locked": "lock lock_joint lock_joints fix_joint fix_joints freeze buildReducedModel",
    "joined": "attach attach_robot merge append appendModel connect add_robot",
    "without_bodies": "remove delete remove_body remove_link prune",
    "with_payload": "payload add_payload attach_payload",
    "nv": "dofs n ndof n_dof num_dof num_dofs num_velocities",
    "nq": "num_positions",
    "closure_jacobian": "constraint_jacobian",
    "optimise": "optimize",
    "normalise": "normalize",
    "linearise": "linearize",
}
ROBOT = {
    **{alias: name for name, aliases in _ONE.items() for alias in aliases.split()},
    **dict.fromkeys(
        [
            "q",
            "v",
            "qd",
            "qpos",
            "qvel",
            "state",
            "data",
            "createData",
            "makeData",
            "set_state",
            "reset",
            "update_state",
        ],
        _NO_STATE,
    ),
    **dict.fromkeys(("show", "display", "visualize", "visualise", "render", "viewer", "teach"), "view(q)"),
    **dict.fromkeys(("njoints", "n_joints", "num_joints", "nj"), "len(robot.joint_names)"),
    **dict.fromkeys(("nbodies", "num_bodies", "nbody", "nb"), "len(robot.model.bodies)"),
    **dict.fromkeys(
        ("mass", "total_mass"), 'robot.info()["moving_mass"]; links that are fixed to the world are not counted'
    ),
    **dict.fromkeys(("masses", "link_masses"), 'robot.parameters("inertial")[:, 0], the mass of each body'),
    **dict.fromkeys(
        [
            "Jdot",
            "dJ",
            "jacobian_dot",
            "jacob0_dot",
            "jacobian_rate",
            "jacobian_time_derivative",
            "computeJointJacobiansTimeVariation",
            "getFrameJacobianTimeVariation",
        ],
        "robot.jacobian_derivative(q, frame) @ v; its product with v is robot.acceleration(q, v, 0 * v, frame)",
    ),
    **dict.fromkeys(("q_lower", "lower_limits", "lower_limit", "lower_position_limits"), "robot.limits.lower"),
    **dict.fromkeys(("q_upper", "upper_limits", "upper_limit", "upper_position_limits"), "robot.limits.upper"),
    **dict.fromkeys(("clip", "clamp", "clip_q"), "np.clip(q, robot.limits.lower, robot.limits.upper)"),
    **dict.fromkeys(
        ("with_tool", "add_tool", "set_tool", "attach_tool"),
        "!with_payload adds a mass, joined another robot, with_frame a frame",
    ),
    **dict.fromkeys(
        ("to_c", "codegen", "generate_c", "generate_code", "to_cpp", "c_code"),
        "!the command `kinetrace codegen` writes C, CUDA and JavaScript source",
    ),
    **dict.fromkeys(
        ("to_urdf", "write_urdf", "save_urdf", "export", "export_urdf", "to_mjcf", "to_json"), "save(path)"
    ),
    **dict.fromkeys(
        [
            "getFrameId",
            "get_frame_id",
            "getBodyId",
            "getJointId",
            "GetFrameByName",
            "GetBodyByName",
            "GetJointByName",
            "existFrame",
            "frame_id",
            "frame_index",
            "body_id",
            "link_id",
            "mj_name2id",
        ],
        "!frames and joints are given by their names: robot.frame_names, robot.joint_names",
    ),
    **dict.fromkeys(("tip", "tool", "ee", "eef", "end_effector"), "!name a frame: robot.frame_names lists them"),
    **dict.fromkeys(("base", "floating_base"), 'kt.load(..., base="free") or base="fixed"'),
    **dict.fromkeys(("compile", "jit"), "kt.compile(function, robot)"),
    **dict.fromkeys(("grad", "gradient", "jacfwd", "jacrev"), "kt.jacobian(function)"),
    **dict.fromkeys(
        ("jacobianCenterOfMass", "com_jacobian", "center_of_mass_jacobian", "jacobian_com", "jac_com"),
        "kt.compile(kt.jacobian(kt.algorithms.center_of_mass), robot)",
    ),
    **CONTACT,
    **COLLISION,
    "CalcGravityGeneralizedForces": "-robot.gravity(q); here it is what the joints must exert",
    "lagrangian": "robot.kinetic_energy(q, v) - robot.potential_energy(q)",
    "copy": "!a robot does not change: there is no need for copies",
}
"""Attributes that a robot has elsewhere → a name of ours, an expression, or a sentence after "!"."""

PACKAGE = {
    **dict.fromkeys(
        [
            "load_urdf",
            "from_urdf",
            "loadURDF",
            "load_robot",
            "read_urdf",
            "urdf",
            "URDF",
            "Parser",
            "AddModels",
            "buildModelFromUrdf",
            "buildModelFromURDF",
            "loadModel",
            "from_xml_path",
            "load_mjcf",
            "from_mjcf",
            "buildModelFromMJCF",
        ],
        "kt.load(path)",
    ),
    **dict.fromkeys(("from_DH", "DH", "DHRobot", "dh"), "kt.from_dh(table)"),
    **dict.fromkeys(("from_poe", "poe", "product_of_exponentials"), "kt.from_screws(screws, M)"),
    **dict.fromkeys(("grad", "gradient", "jacfwd", "jacrev", "diff"), "kt.jacobian(function)"),
    **dict.fromkeys(("jit", "Function", "njit"), "kt.compile(function, robot)"),
    **dict.fromkeys(
        [
            "OptimalControl",
            "Spline",
            "keep_clear",
            "lqr",
            "minimum_effort",
            "minimum_energy",
            "minimum_jerk",
            "minimum_time",
            "time_scaling",
            "tvlqr",
        ],
        "kt.motion.{}",
    ),
    **dict.fromkeys(("computed_torque", "gravity_compensation", "joint_impedance", "pd"), "kt.control.{}"),
    **dict.fromkeys(("ik", "inverse_kinematics", "IK"), "robot.inverse_kinematics(target, frame)"),
    "vmap": "!kernels and robots take any leading batch axes",
    **dict.fromkeys(("robots", "list_robots", "names", "available_robots"), "kt.robot_names()"),
    "rollout": "robot.rollout(q, v, tau, dt)",
    **dict.fromkeys(("set_threads", "threads", "set_num_threads"), "kt.load(..., threads=n), or threads= of a call"),
    **dict.fromkeys(("np", "numpy", "jnp"), "!import NumPy itself; kt.arrays has what traced functions need besides"),
    **dict.fromkeys(("SE3", "exp6", "log6"), "kt.lie.se3"),
    **dict.fromkeys(("SO3", "exp3", "log3", "quaternion", "Quaternion", "rpy"), "kt.lie.so3"),
    "skew": "kt.lie.so3.hat",
    **CONTACT,
    **COLLISION,
}
"""The same of the package."""

MODULE = {
    "algorithms": dict.fromkeys(("integrate", "difference", "normalise"), "model.{}(...), a method of the model"),
    "arrays": {
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "concat": "concatenate",
        **dict.fromkeys(("array", "vector"), "stack"),
        **dict.fromkeys(
            [
                "dot",
                "cross",
                "outer",
                "einsum",
                "sum",
                "mean",
                "prod",
                "cumsum",
                "zeros",
                "ones",
                "eye",
                "diag",
                "arange",
                "matmul",
                "trace",
                "hstack",
                "vstack",
            ],
            "!np.{} takes traced values",
        ),
        "pi": "np.pi",
        **dict.fromkeys(("select", "if_else", "cond", "ifelse"), "where"),
        **dict.fromkeys(("while_loop", "fori_loop"), "iterate"),
        "sigmoid": "0.5 * (1 + kt.arrays.tanh(0.5 * x))",
    },
    "joints": {
        **dict.fromkeys(("Hinge", "Rotary", "RevoluteJoint"), "Revolute"),
        **dict.fromkeys(("Slide", "Slider", "Linear", "PrismaticJoint"), "Prismatic"),
        **dict.fromkeys(("Ball", "BallJoint", "Quaternion"), "Spherical"),
        **dict.fromkeys(("Floating", "FreeFlyer", "Free6D", "FreeJoint", "SixDof"), "Free"),
        "Cardan": "Universal",
        "Weld": "Fixed",
    },
    "closures": {
        **dict.fromkeys(("Weld", "Fixed"), "Rigid"),
        **dict.fromkeys(("Connect", "Point", "Ball"), "!Loop(frame, frame, kt.joints.Spherical()) joins two points"),
        **dict.fromkeys(("Equality", "Mimic"), "Coupling"),
        **dict.fromkeys(("Distance", "Link"), "Rod"),
        "Gear": "gear",
    },
    "lie": {
        **dict.fromkeys(
            ("exp", "log", "hat", "vee", "inverse"), "!kt.lie.so3.{} is of rotations, kt.lie.se3.{} of rigid motions"
        ),
        "skew": "kt.lie.so3.hat",
        **dict.fromkeys(("rpy", "euler", "from_euler"), "kt.lie.so3.from_rpy"),
        **dict.fromkeys(("rotx", "roty", "rotz", "rot"), "kt.lie.so3.axis_angle"),
        **dict.fromkeys(("quat", "quaternion"), "kt.lie.so3.from_quaternion"),
    },
}
"""The same of its modules; `{}` stands for the name itself."""

KEYWORDS = {
    **dict.fromkeys(("reference_frame", "rf", "with_respect_to", "wrt"), "expressed_in"),
    **dict.fromkeys(("fext", "f_ext", "external_forces", "wrenches", "forces"), "wrench"),
    **dict.fromkeys(("frame_name", "link", "body", "frame_id", "end"), "frame"),
    **dict.fromkeys(("qd", "qdot", "dq", "velocity"), "v"),
    **dict.fromkeys(("qdd", "qddot", "ddq"), "a"),
    **dict.fromkeys(("torque", "torques", "tau_ext"), "tau"),
    **dict.fromkeys(("gravity", "g"), "!robot.with_parameters(gravity=...) is a robot with another gravity"),
    **CONTACT,
    **COLLISION,
    "dt": "!multiply the velocity by it, v * dt",
    "axes": "!rows are chosen by indexing, J[..., 3:, :] being the linear ones of a Jacobian; only functions of the "
    "operational space have `axes`",
}
"""Keywords of a robot's methods elsewhere → ours, or a sentence after "!"."""

FURTHER = {"integrate": "multiply the velocity by the time, integrate(q, v * dt)"}
"""Methods that take one argument more elsewhere → what to do with it."""

OF_EVENTS = {"terminal": "!set `event.terminal = True` on the function that is given as events="}
"""Keywords that are attributes of events here."""

_OF_MOTION = {
    "q": "position positions pos configuration configurations qpos joint_positions angles qs Q",
    "v": "velocity velocities vel qd qdot dq qvel joint_velocities rates vs",
    "tau": "torque torques effort efforts force forces u inputs control joint_torques taus ctrl",
    "t": "time times timestamps ts T",
    "dt": "step timestep time_step",
    "robot.forward_dynamics(q, v, tau) of it": "a acceleration accelerations qdd qddot ddq qacc",
    "!states are motion.q and motion.v": "x y state_history trajectory",
    "!wrenches are not recorded: call their function for rows of motion.t, q and v": "wrench wrenches contacts grf",
    "resample(times)": "interpolate interp at sample",
    "energy": "total_energy energies",
    "to_pandas": "dataframe df to_dataframe pandas",
    "robot.view(motion)": "show animate play view",
    "save(path)": "export write dump to_csv to_npz",
}
TRAJECTORY = {alias: name for name, aliases in _OF_MOTION.items() for alias in aliases.split()}
"""The same of a trajectory."""

SIMILAR_ROBOTS = {
    **dict.fromkeys(("ur", "ur10", "ur10e", "ur3", "ur3e", "ur16e", "universal_robots"), "ur5e"),
    **dict.fromkeys(("anymal", "go1", "go2", "a1", "spot", "dog", "laikago", "solo12"), "quadruped"),
    **dict.fromkeys(("atlas", "h1", "g1", "talos", "icub", "valkyrie", "digit"), "humanoid"),
}
"""Robots that are not bundled → the bundled one that is most like it."""


def key(name: str) -> str:
    """A name without regard to case and underscores.

    >>> key("Mass_Matrix") == key("massMatrix")
    True
    """
    return name.replace("_", "").lower()


def meant(name: str, table: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """What was certainly meant: the same name in another spelling, or what the table says.

    >>> meant("inverseDynamics", {}, ["pose", "inverse_dynamics"]), meant("fk", {"fk": "pose"}, ["pose"])
    (['inverse_dynamics'], ['pose'])
    """
    same = [x for x in names if not x.startswith("_") and key(x) == key(name)]
    if same and name not in table:
        return same[:1]
    found = table.get(name) or next((says for x, says in table.items() if len(x) > 2 and key(x) == key(name)), None)
    return [] if found is None else [found.replace("{}", name)]


def near(name: str, names: Iterable[str]) -> list[str]:
    """Names that are spelt alike, or end with this one.

    >>> near("Kernal", ["Kernel", "_kernal", "Robot"])
    ['Kernel']
    """
    names = [x for x in names if not x.startswith("_")]
    return nearest(name, names)[:3] or [x for x in names if len(name) > 3 and x.endswith(f"_{name}")]


def advice(options: list[str], otherwise: str, prefix: str = "") -> str:
    """The sentence that a message ends with; names of ours get the prefix.

    >>> advice(["pose"], "", "robot."), advice(["!there is no planner"], "")
    ('did you mean robot.pose?', 'there is no planner')
    """
    if not options:
        return otherwise
    if options[0].startswith("!"):
        return options[0][1:]
    told, _, remark = " or ".join(f"{prefix}{x}" if x.isidentifier() else x for x in options).partition("; ")
    return f"did you mean {told}?{remark and f' {remark[0].upper()}{remark[1:]}'}"


def missing(module: str, elsewhere: Mapping[str, str], short: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module, which names what was perhaps meant: an AttributeError in any case.

    `short` is what the module is called in messages.
    """

    def __getattr__(name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        known = vars(sys.modules[module])
        names = known.get("__all__") or [x for x in known if callable(known[x])]
        options = meant(name, elsewhere, names) or _inside(module, name) or near(name, names)
        told = f"; {advice(options, '', f'{short}.')}" if options else ""
        # Without the object, Python adds no guess of its own.
        raise AttributeError(f"module {module!r} has no attribute {name!r}{told}", name=name, obj=None)

    return __getattr__


def _inside(module: str, name: str) -> list[str]:
    """Where else in the package a name is, or what is called so by others."""
    package = module.partition(".")[0]
    held, whole = vars(sys.modules[package]), module == package
    ours = name if name in held["algorithms"].__all__ else (meant(name, ROBOT, ()) or [""])[0]
    if whole and ours in held["algorithms"].__all__:
        return [f"robot.{ours}(...)", f"kt.algorithms.{ours}(model, ...)"]
    for part in ("algorithms", "arrays", "linalg", "joints", "closures", "lie", "lie.so3", "lie.se3", "lie.inertia"):
        owner = sys.modules.get(f"{package}.{part}") or held[part]
        found = vars(owner).get(name)
        if found is not None and (getattr(found, "__module__", package).startswith(package) or name in ("so3", "se3")):
            return [f"kt.{part}.{name}"]
    return [f"import {package}.{name}"] if whole and find_spec(f"{package}.{name}") else []
