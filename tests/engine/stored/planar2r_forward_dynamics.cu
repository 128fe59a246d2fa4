/* planar2r_forward_dynamics.cu, written by kinetrace; see planar2r_forward_dynamics.cuh. */

#include "planar2r_forward_dynamics.cuh"

#include <math.h>

static __device__ void planar2r_forward_dynamics(
    const double *__restrict__ q,
    const double *__restrict__ v,
    const double *__restrict__ tau,
    double *__restrict__ out)
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

static __global__ void planar2r_forward_dynamics_states(
    size_t n,
    const double *__restrict__ q,
    const double *__restrict__ v,
    const double *__restrict__ tau,
    double *__restrict__ out)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        planar2r_forward_dynamics(q + 2 * i, v + 2 * i, tau + 2 * i, out + 2 * i);
    }
}

extern "C" cudaError_t planar2r_forward_dynamics_launch(
    size_t n,
    const double *q,
    const double *v,
    const double *tau,
    double *out,
    cudaStream_t stream)
{
    if (n == 0) {
        return cudaSuccess;
    }
    const unsigned int blocks = (unsigned int)((n + 127) / 128);
    planar2r_forward_dynamics_states<<<blocks, 128, 0, stream>>>(n, q, v, tau, out);
    return cudaGetLastError();
}
