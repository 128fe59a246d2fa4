/* planar2r_rollout.cuh, written by kinetrace
 *
 * For the stored text.
 *
 * t: how many rows the arrays with t in their shapes have
 * Arguments in their order, arrays of double, matrices row by row:
 *   q     in   (2,)
 *   v     in   (2,)
 *   tau   in   (t, 2)
 *   out0  out  (t, 2)
 *   out1  out  (t, 2)
 * Outputs must not overlap inputs or each other.
 *
 * One state: 0 mul, 0 add, 0 div, 0 sqrt, 0 trig; scratch of 0 bytes on the stack.
 *   Each pass of loop 0 (t): 24 mul, 21 add, 1 div, 0 sqrt, 4 trig.
 */

#ifndef PLANAR2R_ROLLOUT_CUH
#define PLANAR2R_ROLLOUT_CUH

#include <cuda_runtime.h>
#include <stddef.h>

/* Numbers in each array, for one state. */
#define PLANAR2R_ROLLOUT_Q_SIZE 2
#define PLANAR2R_ROLLOUT_V_SIZE 2
#define PLANAR2R_ROLLOUT_TAU_SIZE(t) ((size_t)(t) * 2)
#define PLANAR2R_ROLLOUT_OUT0_SIZE(t) ((size_t)(t) * 2)
#define PLANAR2R_ROLLOUT_OUT1_SIZE(t) ((size_t)(t) * 2)

/* Start n states on a stream, one thread each: arrays on the device of n rows, one after another. */
extern "C" cudaError_t planar2r_rollout_launch(
    size_t n,
    size_t t,
    const double *q,
    const double *v,
    const double *tau,
    double *out0,
    double *out1,
    cudaStream_t stream);

#endif
