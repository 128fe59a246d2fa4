/* planar2r_forward_dynamics.h, written by kinetrace
 *
 * For the stored text.
 *
 * Arguments in their order, arrays of double, matrices row by row:
 *   q    in   (2,)
 *   v    in   (2,)
 *   tau  in   (2,)
 *   out  out  (2,)
 * Outputs must not overlap inputs or each other.
 *
 * One state: 20 mul, 17 add, 1 div, 0 sqrt, 4 trig; scratch of 0 bytes on the stack.
 */

#ifndef PLANAR2R_FORWARD_DYNAMICS_H
#define PLANAR2R_FORWARD_DYNAMICS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers in each array, for one state. */
#define PLANAR2R_FORWARD_DYNAMICS_Q_SIZE 2
#define PLANAR2R_FORWARD_DYNAMICS_V_SIZE 2
#define PLANAR2R_FORWARD_DYNAMICS_TAU_SIZE 2
#define PLANAR2R_FORWARD_DYNAMICS_OUT_SIZE 2

/* One state. */
void planar2r_forward_dynamics(
    const double *q,
    const double *v,
    const double *tau,
    double *out);

/* n states: arrays of n rows, one after another. */
void planar2r_forward_dynamics_batch(
    size_t n,
    const double *q,
    const double *v,
    const double *tau,
    double *out);

#ifdef __cplusplus
}
#endif

#endif
