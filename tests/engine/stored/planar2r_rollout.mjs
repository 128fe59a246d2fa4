/* planar2r_rollout.mjs, written by kinetrace
 *
 * For the stored text.
 *
 * t: how many rows the arrays with t in their shapes have
 * Arguments in their order, matrices row by row; inputs are arrays, numbers where the shape is ():
 *   q     in   (2,)
 *   v     in   (2,)
 *   tau   in   (t, 2)
 *   out0  out  (t, 2)
 *   out1  out  (t, 2)
 * Outputs are Float64Arrays, new ones where none are given; the function returns them.
 *
 * One state: 0 mul, 0 add, 0 div, 0 sqrt, 0 trig.
 *   Each pass of loop 0 (t): 24 mul, 21 add, 1 div, 0 sqrt, 4 trig.
 */

export function planar2r_rollout(t, q, v, tau, out0 = new Float64Array(t * 2), out1 = new Float64Array(t * 2)) {
    let c0 = q[0];
    let c1 = q[1];
    let c2 = v[0];
    let c3 = v[1];
    for (let i0 = 0; i0 < t; ++i0) {
        const t17 = Math.cos(c1);
        const t18 = Math.sin(c1);
        const t23 = Math.cos(c0);
        const t24 = Math.sin(c0);
        const t19 = 0.5 * t17;
        const t20 = t19 + 0.3333333333333333;
        const t21 = 1.0 + t19;
        const t22 = t20 + t21;
        const t25 = 0.3333333333333333 + t22;
        const t26 = 3.0 * t20;
        const t28 = t25 - t20 * t26;
        const t29 = 1.0 / t28;
        const t31 = 9.81 * t23;
        const t34 = 9.81 * t24 - c2 * c2;
        const t37 = t17 * t34 + t18 * t31;
        const t40 = t18 * t34 - t17 * t31;
        const t41 = c2 + c3;
        const t42 = t41 * t41;
        const t43 = 0.5 * t40;
        const t45 = t37 - 0.5 * t42;
        const t48 = t18 * t45 - t17 * t40;
        const t49 = t43 - t48;
        const t50 = 4.905 * t23 - t49;
        const t15 = tau[i0 * 2];
        const t51 = t15 - t50;
        const t16 = tau[i0 * 2 + 1];
        const t52 = t16 + t43;
        const t54 = t51 - t26 * t52;
        const t55 = t29 * t54;
        const t58 = 3.0 * t52 - t26 * t55;
        const t61 = c2 + 0.01 * t55;
        out1[i0 * 2] = t61;
        const t62 = c3 + 0.01 * t58;
        out1[i0 * 2 + 1] = t62;
        const t65 = c0 + 0.01 * t61;
        out0[i0 * 2] = t65;
        const t66 = c1 + 0.01 * t62;
        out0[i0 * 2 + 1] = t66;
        c0 = t65;
        c1 = t66;
        c2 = t61;
        c3 = t62;
    }
    return [out0, out1];
}
