// One launch an operation.
#include "ll2.cuh"

template <class E, class O> __device__ __forceinline__ void ll2(const Arguments& a) { ll2_operate<E, O>(a, gridDim.x); }

MININCCL_KERNELS(ll2, )
