/* planar2r_inverse_dynamics.cuh, written by kinetrace
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

#ifndef PLANAR2R_INVERSE_DYNAMICS_CUH
#define PLANAR2R_INVERSE_DYNAMICS_CUH

#include <cuda_runtime.h>
#include <stddef.h>

/* Numbers in each array, for one state. */
#define PLANAR2R_INVERSE_DYNAMICS_Q_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_V_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_A_SIZE 2
#define PLANAR2R_INVERSE_DYNAMICS_OUT_SIZE 2

/* Start n states on a stream, one thread each: arrays on the device of n rows, one after another. */
extern "C" cudaError_t planar2r_inverse_dynamics_launch(
    size_t n,
    const double *q,
    const double *v,
    const double *a,
    double *out,
    cudaStream_t stream);

#endif
