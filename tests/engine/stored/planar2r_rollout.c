/* planar2r_rollout.c, written by kinetrace; see planar2r_rollout.h. */

#include "planar2r_rollout.h"

#include <math.h>

void planar2r_rollout(
    size_t t,
    const double *restrict q,
    const double *restrict v,
    const double *restrict tau,
    double *restrict out0,
    double *restrict out1)
{
    double c0 = q[0];
    double c1 = q[1];
    double c2 = v[0];
    double c3 = v[1];
    for (size_t i0 = 0; i0 < t; ++i0) {
        const double t17 = cos(c1);
        const double t18 = sin(c1);
        const double t23 = cos(c0);
        const double t24 = sin(c0);
        const double t19 = 0.5 * t17;
        const double t20 = t19 + 0.3333333333333333;
        const double t21 = 1.0 + t19;
        const double t22 = t20 + t21;
        const double t25 = 0.3333333333333333 + t22;
        const double t26 = 3.0 * t20;
        const double t28 = t25 - t20 * t26;
        const double t29 = 1.0 / t28;
        const double t31 = 9.81 * t23;
        const double t34 = 9.81 * t24 - c2 * c2;
        const double t37 = t17 * t34 + t18 * t31;
        const double t40 = t18 * t34 - t17 * t31;
        const double t41 = c2 + c3;
        const double t42 = t41 * t41;
        const double t43 = 0.5 * t40;
        const double t45 = t37 - 0.5 * t42;
        const double t48 = t18 * t45 - t17 * t40;
        const double t49 = t43 - t48;
        const double t50 = 4.905 * t23 - t49;
        const double t15 = tau[i0 * 2];
        const double t51 = t15 - t50;
        const double t16 = tau[i0 * 2 + 1];
        const double t52 = t16 + t43;
        const double t54 = t51 - t26 * t52;
        const double t55 = t29 * t54;
        const double t58 = 3.0 * t52 - t26 * t55;
        const double t61 = c2 + 0.01 * t55;
        out1[i0 * 2] = t61;
        const double t62 = c3 + 0.01 * t58;
        out1[i0 * 2 + 1] = t62;
        const double t65 = c0 + 0.01 * t61;
        out0[i0 * 2] = t65;
        const double t66 = c1 + 0.01 * t62;
        out0[i0 * 2 + 1] = t66;
        c0 = t65;
        c1 = t66;
        c2 = t61;
        c3 = t62;
    }
}

void planar2r_rollout_batch(
    size_t n,
    size_t t,
    const double *restrict q,
    const double *restrict v,
    const double *restrict tau,
    double *restrict out0,
    double *restrict out1)
{
    for (size_t i = 0; i < n; ++i) {
        planar2r_rollout(t, q + 2 * i, v + 2 * i, tau + t * 2 * i, out0 + t * 2 * i, out1 + t * 2 * i);
    }
}
