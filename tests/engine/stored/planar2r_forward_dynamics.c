/* planar2r_forward_dynamics.c, written by kinetrace; see planar2r_forward_dynamics.h. */

#include "planar2r_forward_dynamics.h"

#include <math.h>

void planar2r_forward_dynamics(
    const double *restrict q,
    const double *restrict v,
    const double *restrict tau,
    double *restrict out)
{
    const double t6 = cos(q[1]);
    const double t8 = sin(q[1]);
    const double t15 = cos(q[0]);
    const double t16 = sin(q[0]);
    const double t10 = 0.5 * t6;
    const double t12 = t10 + 0.3333333333333333;
    const double t13 = 1.0 + t10;
    const double t14 = t12 + t13;
    const double t17 = 0.3333333333333333 + t14;
    const double t19 = 3.0 * t12;
    const double t21 = t17 - t12 * t19;
    const double t22 = 1.0 / t21;
    const double t25 = 9.81 * t15;
    const double t29 = 9.81 * t16 - v[0] * v[0];
    const double t32 = t6 * t29 + t8 * t25;
    const double t35 = t8 * t29 - t6 * t25;
    const double t36 = v[0] + v[1];
    const double t37 = t36 * t36;
    const double t38 = 0.5 * t35;
    const double t40 = t32 - 0.5 * t37;
    const double t43 = t8 * t40 - t6 * t35;
    const double t44 = t38 - t43;
    const double t45 = 4.905 * t15 - t44;
    const double t46 = tau[0] - t45;
    const double t47 = tau[1] + t38;
    const double t49 = t46 - t19 * t47;
    const double t50 = t22 * t49;
    out[0] = t50;
    out[1] = 3.0 * t47 - t19 * t50;
}

void planar2r_forward_dynamics_batch(
    size_t n,
    const double *restrict q,
    const double *restrict v,
    const double *restrict tau,
    double *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        planar2r_forward_dynamics(q + 2 * i, v + 2 * i, tau + 2 * i, out + 2 * i);
    }
}
