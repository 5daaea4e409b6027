// The stepwise form's reduction: output = input (+) inputs[0], `extent` nonzero when that completes the result.
#include "operate.cuh"

template <class E, class O> __device__ __forceinline__ void reduce(const Registered& a) {
  const u64 bytes = a.count * sizeof(typename E::Stored), packs = (bytes + 15) / 16;
  const bool vector = aligned(a.input, a.output, 16) && aligned(a.inputs[0], a.output, 16);
  for (u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x; i < packs; i += u64(gridDim.x) * blockDim.x) {
    const u64 at = i * 16;
    const uint4 x = load_pack<E, uint4>(a.input + at, bytes - at, vector);
    const uint4 y = load_pack<E, uint4>(a.inputs[0] + at, bytes - at, vector);
    store_pack<E, uint4>(a.output + at, bytes - at, vector, reduce<E, O, uint4>(x, y, a.ranks, a.extent != 0));
  }
}

MININCCL_KERNELS_OF(Registered, reduce, __launch_bounds__(512))
