/* planar2r_inverse_dynamics.c, written by kinetrace; see planar2r_inverse_dynamics.h. */

#include "planar2r_inverse_dynamics.h"

#include <math.h>

void planar2r_inverse_dynamics(
    const double *restrict q,
    const double *restrict v,
    const double *restrict a,
    double *restrict out)
{
    const double t6 = cos(q[0]);
    const double t7 = sin(q[0]);
    const double t21 = cos(q[1]);
    const double t22 = sin(q[1]);
    const double t16 = 0.0005000000000000004 * a[0] + 0.3328333333333333 * a[0];
    const double t20 = t16 + 4.905 * t6;
    const double t23 = 9.81 * t7 - v[0] * v[0];
    const double t24 = a[0] + 9.81 * t6;
    const double t27 = t21 * t23 + t22 * t24;
    const double t30 = t22 * t23 - t21 * t24;
    const double t31 = a[0] + a[1];
    const double t32 = v[0] + v[1];
    const double t33 = t32 * t32;
    const double t36 = 0.0005000000000000004 * t31 + 0.3328333333333333 * t31;
    const double t38 = t36 - 0.5 * t30;
    out[1] = t38;
    const double t41 = t27 - 0.5 * t33;
    const double t42 = t30 - 0.5 * t31;
    const double t45 = t22 * t41 - t21 * t42;
    const double t46 = t38 + t45;
    out[0] = t20 + t46;
}

void planar2r_inverse_dynamics_batch(
    size_t n,
    const double *restrict q,
    const double *restrict v,
    const double *restrict a,
    double *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        planar2r_inverse_dynamics(q + 2 * i, v + 2 * i, a + 2 * i, out + 2 * i);
    }
}
