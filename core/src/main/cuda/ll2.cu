// Two ranks: the same with nothing left to loop over.
#include "ll.cuh"

template <class E, class O> __device__ __forceinline__ void ll2_move(const Arguments& a, u64 number, u64 bank, u64 words) {
  const u32 flag = line_flag(number), workers = blockDim.x - KEEPER_THREADS, peer = 1 - a.rank;
  const u32 first = blockIdx.x * workers + threadIdx.x, stride = gridDim.x * workers;
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const bool vector = aligned(a.input, a.output, 8);
  char* theirs = ll_line(a, a.arena[peer], bank, a.rank, 0);
  for (u32 i = first; i < words; i += stride) {
    const uint2 own = load_pack<E, uint2>(a.input + u64(i) * 8, bytes - u64(i) * 8, vector);
    store_line(theirs + u64(i) * 16, make_uint4(own.x, flag, own.y, flag));
  }
  const char* ours = ll_line(a, a.arena[a.rank], bank, peer, 0);
  Watch watch(a);
  for (u32 i = first; i < words; i += stride) {
    const uint2 own = load_pack<E, uint2>(a.input + u64(i) * 8, bytes - u64(i) * 8, vector);
    uint4 line;
    do {
      line = load_line(ours + u64(i) * 16);
    } while ((line.y != flag || line.w != flag) && !watch.stop());
    if (watch.stopped) return;
    const uint2 result = reduce<E, O, uint2>(own, make_uint2(line.x, line.z), 2);
    store_pack<E, uint2>(a.output + u64(i) * 8, bytes - u64(i) * 8, vector, result);
  }
}

template <class E, class O> __device__ __forceinline__ void ll2(const Arguments& a) {
  ll_operate<E>(a, [&](u64 number, u64 bank, u64 words) { ll2_move<E, O>(a, number, bank, words); });
}

MININCCL_KERNELS(ll2, )
