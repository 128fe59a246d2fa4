"""Formulas of a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..codegen.runtime.kernel import Kernel
from ..compilation.compile import model_of
from ..compilation.program import checked_inputs, checked_shapes
from ..errors import InputError
from ..support.plain import plain_flag
from .base import RobotBase

if TYPE_CHECKING:
    from ..symbolic import Symbolic


class Symbols(RobotBase):
    """Formulas of a robot."""

    def symbolic(
        self,
        algorithm: str | Callable[..., Any],
        *,
        inputs: str | Sequence[str] = (),
        symbols: Mapping[str, str] | None = None,
        shapes: Mapping[str, Any] | None = None,
        rational: bool = False,
        most: int | None = 2000,
        **static: Any,
    ) -> Symbolic:
        """Formulas of an algorithm, or of any function of (model, q, ...), by SymPy.

        The function is traced for this robot, and its operations become expressions with common sub-expressions: for
        papers and for teaching, of small robots. Needs the extra *symbolic*.

        Parameters
        ----------
        algorithm : str or callable
            Name of an algorithm, or a function; derivatives such as `kt.jacobian(f)` are functions too.
        inputs : str or sequence of str, optional
            Parameters of the robot that become symbols instead of numbers, but where they are zero. "inertial": of body
            k the mass mk, the centre of mass c_kx, c_ky, c_kz and the moments I_kxx, I_kxy, … about it, in its frame.
            "placements": the way l_kx, l_ky, l_kz from body k to the next one, l_k_jx, … to body j if there are
            several; k is 0 at the base. "gravity": g_x, g_y, g_z. "closures": where closure k is on the bodies of its
            frames, d_kax, …, d_kbx, …. If a vector is along one axis, its symbol has no letter for the axis: ck, lk, g.
            Others: name and place, as damping1.
        symbols : mapping of str to str, optional
            Words for the symbols of arrays, which places from 1 on follow: {"q": "theta"} makes theta1, theta2. The
            array's name unless given. SymPy shows {"v": "qdot"} as dots over q.
        shapes : mapping of str to tuple of int, optional
            Shapes of further arguments, as in `compile`.
        rational : bool, default False
            Whether numbers that differ from simple fractions, or their square roots, by rounding alone become these.
        most : int or None, default 2000
            Number of operations beyond which formulas are refused; None allows any.
        **static
            Choices of the algorithm, such as `frame`.

        Returns
        -------
        Symbolic
            The formulas: `result` in terms of `subexpressions`; `expanded()` and `simplified()` are plain SymPy.

        Raises
        ------
        InputError
            If SymPy is missing, a name is unknown, there are too many operations, or the function iterates until it has
            converged or takes arrays of any length.

        Examples
        --------
        >>> import kinetrace as kt
        >>> robot = kt.load("planar2r")
        >>> robot.symbolic("mass_matrix", rational=True).simplified()
        Matrix([
        [  cos(q2) + 5/3, cos(q2)/2 + 1/3],
        [cos(q2)/2 + 1/3,             1/3]])
        >>> M = robot.symbolic("mass_matrix", inputs=("inertial", "placements"))
        >>> M.simplified()[0, 1]
        I_2yy + c2**2*m2 + c2*l1*m2*cos(q2)
        >>> robot.symbolic("potential_energy", inputs="gravity", rational=True, symbols={"q": "theta"}).simplified()
        3*g*sin(theta1)/2 + g*sin(theta1 + theta2)/2
        """
        from ..symbolic.formulas import symbolic

        if isinstance(algorithm, Kernel):
            raise InputError(f"{algorithm.__name__} is a kernel already: give symbolic its name, or the function")
        function = self._function(algorithm)
        given = {**static, **checked_shapes(shapes), **dict.fromkeys(checked_inputs(inputs))}
        return symbolic(
            function,
            model_of(self._source, function, given),
            inputs=inputs,
            symbols=symbols,
            shapes=shapes,
            rational=plain_flag("rational", rational),
            most=most,
            static=static,
        )
