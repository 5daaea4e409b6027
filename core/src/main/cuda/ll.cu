// Up to eight ranks.
#include "lines.cuh"

template <class E, class O, int N> __device__ __forceinline__ void ll_move(const Arguments& a, u64 number, u64 bank, u64 words) {
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const u32 flag = line_flag(number), workers = blockDim.x - KEEPER_THREADS;
  const bool vector = aligned(a.input, a.output, 8);
  const u64 first = u64(blockIdx.x) * workers + threadIdx.x, stride = u64(gridDim.x) * workers;
  uint2 kept = make_uint2(0, 0);  // the first word, which is mostly the only one
  for (u64 i = first; i < words; i += stride) {
    const uint2 own = load_pack<E, uint2>(a.input + i * 8, bytes - i * 8, vector);
    send_line<N>(a, bank, i, own, flag);
    if (i == first) kept = own;
  }
  Watch watch(a);
  for (u64 i = first; i < words; i += stride) {
    const uint2 own = i == first ? kept : load_pack<E, uint2>(a.input + i * 8, bytes - i * 8, vector);
    uint4 line[N];
    while (load_lines<N>(a, bank, i, own, flag, line) && !watch.stop()) {
    }
    if (watch.stopped) return;
    store_pack<E, uint2>(a.output + i * 8, bytes - i * 8, vector, reduce_lines<E, O, N>(a, line));
  }
}

template <class E, class O> __device__ __forceinline__ void ll(const Arguments& a) {
  ll_operate<E>(a, gridDim.x, [&](u64 number, u64 bank, u64 words) {
    for_ranks<E>(a, [&](auto most) { ll_move<E, O, decltype(most)::RANKS>(a, number, bank, words); });
  });
}

MININCCL_KERNELS(ll, __launch_bounds__(544))
