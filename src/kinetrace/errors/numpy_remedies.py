"""Replacements of functions of NumPy, SciPy and Python that have no answer to traced values."""

from __future__ import annotations

_TRUNCATED = "kt.arrays.sign(x) * kt.arrays.floor(kt.arrays.abs(x))"
_ROUNDED = "kt.arrays.floor(x + 0.5); it rounds halves up, NumPy and Python round them to even"
_NEAR_ZERO = "np.pi * kt.arrays.maximum(kt.arrays.abs(x), 1e-9)"

EXPRESSIONS = {
    # matrices
    "lstsq": "kt.linalg.solve(A.T @ A, A.T @ b); for a matrix A of full column rank",
    "pinv": "kt.linalg.solve(A.T @ A, A.T); that of a wide matrix is A.T @ kt.linalg.inv(A @ A.T)",
    **dict.fromkeys(("spsolve", "tensorsolve"), "kt.linalg.solve(A, b)"),
    **dict.fromkeys(("vdot", "vecdot"), "a @ b"),
    # elementary functions
    "log10": "kt.arrays.log(x) / math.log(10)",
    "log2": "kt.arrays.log(x) / math.log(2)",
    "log1p": "kt.arrays.log(1 + x)",
    "expm1": "kt.arrays.exp(x) - 1",
    "exp2": "2.0**x",
    "cbrt": "kt.arrays.sign(x) * kt.arrays.power(kt.arrays.abs(x), 1 / 3)",
    "square": "x * x",
    "arcsinh": "kt.arrays.sign(x) * kt.arrays.log(kt.arrays.abs(x) + kt.arrays.sqrt(x * x + 1))",
    "arccosh": "kt.arrays.log(x + kt.arrays.sqrt(x * x - 1))",
    "arctanh": "0.5 * kt.arrays.log((1 + x) / (1 - x))",
    "hypot": "kt.arrays.sqrt(x * x + y * y)",
    **dict.fromkeys(("pow", "float_power"), "kt.arrays.power(x, y); a traced power of a negative number is NaN"),
    **dict.fromkeys(("deg2rad", "radians"), "x * (math.pi / 180)"),
    **dict.fromkeys(("rad2deg", "degrees"), "x * (180 / math.pi)"),
    **dict.fromkeys(("fabs", "absolute"), "kt.arrays.abs(x)"),
    "copysign": "kt.arrays.where(kt.arrays.less(y, 0), -kt.arrays.abs(x), kt.arrays.abs(x))",
    "logaddexp": "kt.arrays.maximum(x, y) + kt.arrays.log(1 + kt.arrays.exp(-kt.arrays.abs(x - y)))",
    "sinc": f"kt.arrays.sin({_NEAR_ZERO}) / ({_NEAR_ZERO})",
    "heaviside": "kt.arrays.where(kt.arrays.less(x, 0), 0.0, kt.arrays.where(kt.arrays.less(0, x), 1.0, y))",
    "fmod": "x - y * kt.arrays.sign(x / y) * kt.arrays.floor(kt.arrays.abs(x / y))",
    **dict.fromkeys(("remainder", "mod"), "x % y"),
    "math.remainder": "x - y * kt.arrays.floor(x / y + 0.5); it rounds halves of x / y up, Python rounds them to even",
    "floor_divide": "kt.arrays.floor(x / y)",
    "divmod": "(kt.arrays.floor(x / y), x % y)",
    "modf": f"(x - {_TRUNCATED}, {_TRUNCATED})",
    **dict.fromkeys(("round", "rint", "around"), _ROUNDED),
    "ceil": "-kt.arrays.floor(-x)",
    **dict.fromkeys(("trunc", "fix"), _TRUNCATED),
    "int": f"{_TRUNCATED}; it stays traced: a number that chooses what is computed must be given beforehand",
    "angle": "kt.arrays.where(kt.arrays.less(x, 0), math.pi, 0.0)",
    "var": "np.mean((x - np.mean(x)) ** 2)",
    "std": "kt.arrays.sqrt(np.mean((x - np.mean(x)) ** 2))",
    "linspace": "a + (b - a) * np.linspace(0, 1, n)",
    "gradient": "np.concatenate([x[1:2] - x[:1], (x[2:] - x[:-2]) / 2, x[-1:] - x[-2:-1]])",
    # conditions
    "greater": "kt.arrays.less(b, a)",
    "greater_equal": "kt.arrays.where(kt.arrays.less(a, b), 0.0, 1.0)",
    "less_equal": "kt.arrays.where(kt.arrays.less(b, a), 0.0, 1.0)",
    "logical_and": "kt.arrays.where(a, b, 0.0)",
    "logical_or": "kt.arrays.where(a, 1.0, b)",
    "logical_not": "kt.arrays.where(a, 0.0, 1.0)",
    "logical_xor": "kt.arrays.where(a, kt.arrays.where(b, 0.0, 1.0), b)",
    "fmax": "kt.arrays.maximum(a, b)",
    "fmin": "kt.arrays.minimum(a, b)",
}
"""Name of a function → an expression with the same value in x and y, a and b or A and b; a remark follows "; "."""

LOGICAL_REMEDIES = f"{EXPRESSIONS['logical_and']} for 'a and b', {EXPRESSIONS['logical_or']} for 'a or b'"
_ORDER = "!no order is known while a function is traced; kt.arrays.minimum and maximum take the extreme of two"
_NUMBERS_ONLY = "!let the function return the matrix, and take it of the numbers"
_REAL = "!traced values are real numbers: leave it out"

REMEDIES = {
    **EXPRESSIONS,
    **dict.fromkeys(("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "qr", "matrix_rank"), _NUMBERS_ONLY),
    "cond": _NUMBERS_ONLY,
    **dict.fromkeys(("cho_factor", "cho_solve", "lu_factor", "lu_solve"), "kt.linalg.solve(A, b) for both steps"),
    "matrix_power": "products by @",
    "expm": "kt.lie.so3.exp and kt.lie.se3.exp for rotations and poses",
    "logm": "kt.lie.so3.log and kt.lie.se3.log for rotations and poses",
    **dict.fromkeys(
        ("from_rotvec", "from_matrix", "from_quat", "from_euler", "Rotation"),
        "kt.lie.so3: exp, log, and rotations from quaternions, axes and roll, pitch, yaw",
    ),
    **dict.fromkeys(("conj", "conjugate"), _REAL),
    **dict.fromkeys(("select", "piecewise", "choose"), "kt.arrays.where(condition, a, b)"),
    **dict.fromkeys(("all", "any"), LOGICAL_REMEDIES),
    **dict.fromkeys(("equal", "isclose", "allclose", "array_equal"), "kt.arrays.less(kt.arrays.abs(a - b), tolerance)"),
    "not_equal": "kt.arrays.less(tolerance, kt.arrays.abs(a - b))",
    **dict.fromkeys(("isnan", "isfinite", "isinf"), "!look at the numbers that the function returns"),
    **dict.fromkeys(("max", "amax"), "kt.arrays.maximum(a, b), two at a time"),
    **dict.fromkeys(("min", "amin"), "kt.arrays.minimum(a, b), two at a time"),
    **dict.fromkeys(("sort", "sorted", "argsort", "argmax", "argmin", "median", "percentile", "unique"), _ORDER),
    **dict.fromkeys(("searchsorted", "digitize", "histogram", "nonzero", "count_nonzero"), _ORDER),
    "interp": "kt.arrays.where between pieces; or make the value an argument of the function",
    **dict.fromkeys(
        ("array", "asarray", "astype", "fromiter"), "kt.arrays.stack([...]), or np.array([...]) without a dtype"
    ),
    "float": "the value itself, as it is",
    "format": "the numbers that the function returns",
    "complex": "the value itself: traced values are real",
    "range": "kt.arrays.iterate, or a number that is known beforehand: a keyword of kt.compile",
    **dict.fromkeys(
        ("normal", "uniform", "choice", "standard_normal", "randn"),
        "an argument for the random numbers: what is drawn while tracing is the same in every call",
    ),
}
"""Name of a function → what does the same for traced values: an expression, words, or a sentence after "!"."""
