/* planar2r_inverse_dynamics.mjs, written by kinetrace
 *
 * For the stored text.
 *
 * Arguments in their order, matrices row by row; inputs are arrays, numbers where the shape is ():
 *   q    in   (2,)
 *   v    in   (2,)
 *   a    in   (2,)
 *   out  out  (2,)
 * Outputs are Float64Arrays, new ones where none are given; the function returns them.
 *
 * One state: 18 mul, 15 add, 0 div, 0 sqrt, 4 trig.
 */

export function planar2r_inverse_dynamics(q, v, a, out = new Float64Array(2)) {
    const t6 = Math.cos(q[0]);
    const t7 = Math.sin(q[0]);
    const t21 = Math.cos(q[1]);
    const t22 = Math.sin(q[1]);
    const t16 = 0.0005000000000000004 * a[0] + 0.3328333333333333 * a[0];
    const t20 = t16 + 4.905 * t6;
    const t23 = 9.81 * t7 - v[0] * v[0];
    const t24 = a[0] + 9.81 * t6;
    const t27 = t21 * t23 + t22 * t24;
    const t30 = t22 * t23 - t21 * t24;
    const t31 = a[0] + a[1];
    const t32 = v[0] + v[1];
    const t33 = t32 * t32;
    const t36 = 0.0005000000000000004 * t31 + 0.3328333333333333 * t31;
    const t38 = t36 - 0.5 * t30;
    out[1] = t38;
    const t41 = t27 - 0.5 * t33;
    const t42 = t30 - 0.5 * t31;
    const t45 = t22 * t41 - t21 * t42;
    const t46 = t38 + t45;
    out[0] = t20 + t46;
    return out;
}
