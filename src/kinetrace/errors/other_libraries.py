"""The names that other libraries have for things, and the names or advice that messages give for them.

Pinocchio, MuJoCo, Drake, RBDL, the Robotics Toolbox, the code of "Modern Robotics", JAX. Attributes of the package, its
modules and objects are in `ATTRIBUTES`, keywords in `KEYWORDS`, values of arguments in `VALUES`. Functions of NumPy and
SciPy, with what to write for traced values, are in `numpy_remedies`. Messages alone use this: it is imported when a
name is not found.
"""

from __future__ import annotations

from .numpy_remedies import REMEDIES


def _each(text: str, names: str) -> dict[str, str]:
    """The same text for several names, which are separated by spaces."""
    return dict.fromkeys(names.split(), text)


_NO_STATE = "!a robot holds no state: its methods take q and v; robot.neutral() and robot.random(n) make configurations"
_TOUCH = (
    "the ground and objects are those of a world: simulate, rollout and step take world=kt.World(...); contacts that "
    "hold are closures; see docs/howto/contact.md"
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
CONTACT = _each(f"!{_TOUCH}", _TOUCHING)
"""Names for what touches something."""
COLLISION = _each(
    "!there are no collision queries: kt.motion.keep_clear keeps motions away from spheres, and robot.pose(q, frame) "
    "is what libraries of geometry take; for floors and contacts see docs/howto/contact.md",
    _COLLIDING,
)
"""Names for distances between shapes."""
_METHODS = {
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
    **{alias: name for name, aliases in _METHODS.items() for alias in aliases.split()},
    **_each(
        _NO_STATE,
        "q v qd qpos qvel state data createData makeData set_state reset update_state",
    ),
    **dict.fromkeys(("show", "display", "visualize", "visualise", "render", "viewer", "teach"), "view(q)"),
    **dict.fromkeys(("njoints", "n_joints", "num_joints", "nj"), "len(robot.joint_names)"),
    **dict.fromkeys(("nbodies", "num_bodies", "nbody", "nb"), "len(robot.model.bodies)"),
    **dict.fromkeys(
        ("mass", "total_mass"), 'robot.info()["moving_mass"]; links that are fixed to the world are not counted'
    ),
    **dict.fromkeys(("masses", "link_masses"), 'robot.parameters("inertial")[:, 0], the mass of each body'),
    **_each(
        "robot.jacobian_derivative(q, frame) @ v; its product with v is robot.acceleration(q, v, 0 * v, frame)",
        "Jdot dJ jacobian_dot jacob0_dot jacobian_rate jacobian_time_derivative "
        "computeJointJacobiansTimeVariation getFrameJacobianTimeVariation",
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
    **_each(
        "!frames and joints are given by their names: robot.frame_names, robot.joint_names",
        "getFrameId get_frame_id getBodyId getJointId GetFrameByName GetBodyByName GetJointByName existFrame "
        "frame_id frame_index body_id link_id mj_name2id",
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
"""Attributes of a robot."""

PACKAGE = {
    **_each(
        "kt.load(path)",
        "load_urdf from_urdf loadURDF load_robot read_urdf urdf URDF Parser AddModels buildModelFromUrdf "
        "buildModelFromURDF loadModel from_xml_path load_mjcf from_mjcf buildModelFromMJCF",
    ),
    **dict.fromkeys(("from_DH", "DH", "DHRobot", "dh"), "kt.from_dh(table)"),
    **dict.fromkeys(("from_poe", "poe", "product_of_exponentials"), "kt.from_screws(screws, M)"),
    **dict.fromkeys(("grad", "gradient", "jacfwd", "jacrev", "diff"), "kt.jacobian(function)"),
    **dict.fromkeys(("jit", "Function", "njit"), "kt.compile(function, robot)"),
    **_each(
        "kt.motion.{}",
        "OptimalControl Spline keep_clear lqr minimum_effort minimum_energy minimum_jerk minimum_time "
        "time_scaling tvlqr",
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
    "SimulationState": "!it is the type of motion.end, and help(type(motion.end)) describes its fields",
    **CONTACT,
    **COLLISION,
}
"""Attributes of the package."""

MODULES = {
    "kt.algorithms": dict.fromkeys(("integrate", "difference", "normalise"), "model.{}(...), a method of the model"),
    "kt.arrays": {
        "arcsin": "asin",
        "arccos": "acos",
        "arctan": "atan",
        "arctan2": "atan2",
        "concat": "concatenate",
        **dict.fromkeys(("array", "vector"), "stack"),
        **_each(
            "!np.{} takes traced values",
            "dot cross outer einsum sum mean prod cumsum zeros ones eye diag arange matmul trace hstack vstack",
        ),
        "pi": "np.pi",
        **dict.fromkeys(("select", "if_else", "cond", "ifelse"), "where"),
        **dict.fromkeys(("while_loop", "fori_loop"), "iterate"),
        "sigmoid": "0.5 * (1 + kt.arrays.tanh(0.5 * x))",
    },
    "kt.joints": {
        **dict.fromkeys(("Hinge", "Rotary", "RevoluteJoint"), "Revolute"),
        **dict.fromkeys(("Slide", "Slider", "Linear", "PrismaticJoint"), "Prismatic"),
        **dict.fromkeys(("Ball", "BallJoint", "Quaternion"), "Spherical"),
        **dict.fromkeys(("Floating", "FreeFlyer", "Free6D", "FreeJoint", "SixDof"), "Free"),
        "Cardan": "Universal",
        "Weld": "Fixed",
    },
    "kt.closures": {
        **dict.fromkeys(("Weld", "Fixed"), "Rigid"),
        **dict.fromkeys(("Connect", "Point", "Ball"), "!Loop(frame, frame, kt.joints.Spherical()) joins two points"),
        **dict.fromkeys(("Equality", "Mimic"), "Coupling"),
        **dict.fromkeys(("Distance", "Link"), "Rod"),
        "Gear": "gear",
    },
    "kt.lie": {
        **dict.fromkeys(
            ("exp", "log", "hat", "vee", "inverse"), "!kt.lie.so3.{} is of rotations, kt.lie.se3.{} of rigid motions"
        ),
        "skew": "kt.lie.so3.hat",
        **dict.fromkeys(("rpy", "euler", "from_euler"), "kt.lie.so3.from_rpy"),
        **dict.fromkeys(("rotx", "roty", "rotz", "rot"), "kt.lie.so3.axis_angle"),
        **dict.fromkeys(("quat", "quaternion"), "kt.lie.so3.from_quaternion"),
    },
    "kt.worlds": {
        **dict.fromkeys(("Ground", "Floor", "HalfSpace", "Flat", "Slope"), "Plane"),
        **dict.fromkeys(("Terrain", "HeightField", "Heightfield", "hfield", "Stairs"), "Heights"),
        **dict.fromkeys(("Ball",), "Sphere"),
        **dict.fromkeys(("Cuboid", "Cube"), "Box"),
        **dict.fromkeys(("Mesh", "Convex", "ConvexHull", "Points"), "Hull"),
        **dict.fromkeys(("Robot", "Placed"), "OtherRobot"),
        **dict.fromkeys(("Material", "Friction"), "Surface"),
    },
}
"""Attributes of modules of the package."""

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

EXTRA_ARGUMENT_ADVICE = {"integrate": "multiply the velocity by the time, integrate(q, v * dt)"}
"""Methods that take one argument more elsewhere → what to do with it."""

_OF_MOTION = {
    "q": "position positions pos configuration configurations qpos joint_positions angles qs Q",
    "v": "velocity velocities vel qd qdot dq qvel joint_velocities rates vs",
    "tau": "torque torques effort efforts force forces u inputs control joint_torques taus ctrl",
    "t": "time times timestamps ts T",
    "dt": "step timestep time_step",
    "robot.forward_dynamics(q, v, tau) of it": "a acceleration accelerations qdd qddot ddq qacc",
    "!states are motion.q and motion.v": "x y state_history trajectory",
    "!wrenches are not recorded: call their function for rows of motion.t, q and v": "wrench wrenches",
    "!contacts of a robot in a world are motion.contacts": "contact contact_forces grf",
    "resample(times)": "interpolate interp at sample",
    "energy": "total_energy energies",
    "to_pandas": "dataframe df to_dataframe pandas",
    "robot.view(motion)": "show animate play view",
    "save(path)": "export write dump to_csv to_npz",
}

ATTRIBUTES = {
    "kt": PACKAGE,
    "robot": ROBOT,
    "Robot": {**ROBOT, **PACKAGE, **dict.fromkeys(("load", "from_file", "open"), "kt.load(path)")},
    "motion": {alias: name for name, aliases in _OF_MOTION.items() for alias in aliases.split()},
    **MODULES,
    "kt.algorithms": {**ROBOT, **MODULES["kt.algorithms"]},
    "kt.arrays": {**REMEDIES, **MODULES["kt.arrays"]},
    "kt.linalg": REMEDIES,
    "keyword": {**CONTACT, **COLLISION},
    "keyword with events": {
        **CONTACT,
        **COLLISION,
        "terminal": "!set `event.terminal = True` on the function that is given as events=",
    },
}
"""Where a name was looked for → what other libraries call it → a name of ours, an expression, or a sentence after "!";
`{}` stands for the name itself."""

SIMILAR_ROBOTS = {
    **dict.fromkeys(("ur", "ur10", "ur10e", "ur3", "ur3e", "ur16e", "universal_robots"), "ur5e"),
    **dict.fromkeys(("anymal", "go1", "go2", "a1", "spot", "dog", "laikago", "solo12"), "quadruped"),
    **dict.fromkeys(("atlas", "h1", "g1", "talos", "icub", "valkyrie", "digit"), "humanoid"),
}
"""Robots that are not bundled → the bundled one that is most like it."""

VALUES = {
    "expressed_in": {
        **dict.fromkeys(("local", "link", "tool", "frame", "moving", "own"), "body"),
        "spatial": "space",
        **dict.fromkeys(("world", "base", "global", "fixed", "inertial"), "aligned space"),
        **dict.fromkeys(("local_world_aligned", "world_aligned", "mixed", "hybrid"), "aligned"),
    },
    "robot": {
        **dict.fromkeys(("franka", "franka_panda", "franka_emika_panda", "fer", "emika"), "panda"),
        **dict.fromkeys(("puma", "unimate"), "puma560"),
        **dict.fromkeys(("2r", "rr", "double_pendulum", "planar", "acrobot"), "planar2r"),
        **dict.fromkeys(("gough", "hexapod", "stewart_platform"), "stewart"),
    },
    "base": {
        **dict.fromkeys(("floating", "freeflyer", "free_flyer", "float", "true", "6d"), "free"),
        **dict.fromkeys(("fix", "none", "false", "welded", "static"), "fixed"),
    },
    "keyword": {
        **dict.fromkeys(("floating_base", "fixed_base", "free_flyer", "root_joint", "use_fixed_base"), "base"),
        **dict.fromkeys(("g", "grav"), "gravity"),
        **dict.fromkeys(("n", "size", "count", "batch"), "shape"),
        **dict.fromkeys(("precision", "float"), "dtype"),
        **dict.fromkeys(("nthreads", "num_threads", "n_threads", "workers"), "threads"),
        **dict.fromkeys(("policy", "feedback"), "controller"),
        **dict.fromkeys(("ctrl", "controls"), "control"),
        **dict.fromkeys(("integrator", "solver"), "method"),
        **dict.fromkeys(("argnums", "argnum", "with_respect_to"), "wrt"),
        **dict.fromkeys(("duration", "t_end", "tf", "time", "horizon"), "t"),
        **dict.fromkeys(("timestep", "time_step", "step"), "dt"),
        **dict.fromkeys(("guess", "q0", "start"), "home"),
        **dict.fromkeys(("origin", "pose", "transform", "xyz", "position"), "placement"),
        "m": "mass",
        **dict.fromkeys(("kp", "k_p", "k", "p_gain"), "stiffness"),
        **dict.fromkeys(("kd", "k_d", "d", "d_gain"), "damping"),
        "axis": "joint",
        **dict.fromkeys(("center_of_mass", "centre_of_mass", "center", "cog"), "com"),
        **dict.fromkeys(("moments", "moment_of_inertia", "I", "i_com", "tensor"), "inertia"),
        **dict.fromkeys(("actuators", "actuated", "actuated_joints"), "motors"),
    },
    "axes": {
        **dict.fromkeys(("translation", "linear", "translational", "xyz"), "position"),
        **dict.fromkeys(("rotation", "angular", "rotational", "rpy"), "orientation"),
        **dict.fromkeys(("all", "both", "full", "twist"), "pose"),
    },
    "convention": {"craig": "modified", "mdh": "modified", "dh": "standard", "classic": "standard"},
    "method": {"runge-kutta": "rk4", "symplectic": "semi-implicit", "crba": "composite solve", "aba": "FD1"},
    "dtype": {"float16": "float32", "half": "float32", "int64": "float64", "int32": "float64"},
}
"""Kind of an argument or name → what other libraries call its values → our names, separated by spaces."""
VALUE_MEANINGS = {
    "expressed_in": {
        "aligned": "the frame's origin, the world's axes",
        "space": "the point of the body at the world's origin",
    },
}
"""Kind of a name → what those of our names mean that one of another library may stand for alike."""
