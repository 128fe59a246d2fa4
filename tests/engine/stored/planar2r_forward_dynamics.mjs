/* planar2r_forward_dynamics.mjs, written by kinetrace
 *
 * For the stored text.
 *
 * Arguments in their order, matrices row by row; inputs are arrays, numbers where the shape is ():
 *   q    in   (2,)
 *   v    in   (2,)
 *   tau  in   (2,)
 *   out  out  (2,)
 * Outputs are Float64Arrays, new ones where none are given; the function returns them.
 *
 * One state: 20 mul, 17 add, 1 div, 0 sqrt, 4 trig.
 */

export function planar2r_forward_dynamics(q, v, tau, out = new Float64Array(2)) {
    const t6 = Math.cos(q[1]);
    const t8 = Math.sin(q[1]);
    const t15 = Math.cos(q[0]);
    const t16 = Math.sin(q[0]);
    const t10 = 0.5 * t6;
    const t12 = t10 + 0.3333333333333333;
    const t13 = 1.0 + t10;
    const t14 = t12 + t13;
    const t17 = 0.3333333333333333 + t14;
    const t19 = 3.0 * t12;
    const t21 = t17 - t12 * t19;
    const t22 = 1.0 / t21;
    const t25 = 9.81 * t15;
    const t29 = 9.81 * t16 - v[0] * v[0];
    const t32 = t6 * t29 + t8 * t25;
    const t35 = t8 * t29 - t6 * t25;
    const t36 = v[0] + v[1];
    const t37 = t36 * t36;
    const t38 = 0.5 * t35;
    const t40 = t32 - 0.5 * t37;
    const t43 = t8 * t40 - t6 * t35;
    const t44 = t38 - t43;
    const t45 = 4.905 * t15 - t44;
    const t46 = tau[0] - t45;
    const t47 = tau[1] + t38;
    const t49 = t46 - t19 * t47;
    const t50 = t22 * t49;
    out[0] = t50;
    out[1] = 3.0 * t47 - t19 * t50;
    return out;
}
