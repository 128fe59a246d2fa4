/* planar2r_inverse_dynamics.h, written by kinetrace
 *
 * For the stored text.
 *
 * Arguments in their order, arrays of double, matrices row by row:
 *   q    in   (2,)
 *   v    in   (2,)
 *   a    in   (2,)
 *   out  out  (2,)
 * Outputs must not overlap inputs or each other.
 *
 * One state: 18 mul, 15 add, 0 div, 0 sqrt, 4 trig; scratch of 0 bytes on the stack.
 */

#ifndef PLANAR2R_INVERSE_DYNAMICS_H
#define PLANAR2R_INVERSE_DYNAMICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers in each array, for one state. */
#define PLANAR2R_INVERSE_DYNAMICS_Q_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_V_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_A_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_OUT_SIZE 2

/* One state. */
void planar2r_inverse_dynamics(
    const double *q,
    const double *v,
    const double *a,
    double *out);

/* n states: arrays of n rows, one after another. */
void planar2r_inverse_dynamics_batch(
    size_t n,
    const double *q,
    const double *v,
    const double *a,
    double *out);

#ifdef __cplusplus
}
#endif

#endif
