// Up to eight ranks.
#include "ll.cuh"

template <class E, class O> __device__ __forceinline__ void ll_move(const Arguments& a, u64 number, u64 bank, u64 words) {
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const u32 flag = line_flag(number), workers = blockDim.x - KEEPER_THREADS;
  const bool vector = aligned(a.input, a.output, 8);
  const u64 first = u64(blockIdx.x) * workers + threadIdx.x, stride = u64(gridDim.x) * workers;
  for (u64 i = first; i < words; i += stride) {
    const uint2 own = load_pack<E, uint2>(a.input + i * 8, bytes - i * 8, vector);
    const uint4 line = make_uint4(own.x, flag, own.y, flag);
#pragma unroll
    for (u32 r = 0; r < MAX_RANKS; r++)
      if (r < a.ranks && r != a.rank) store_line(ll_line(a, a.arena[r], bank, a.rank, i), line);
  }
  Watch watch(a);
  for (u64 i = first; i < words; i += stride) {
    const uint2 own = load_pack<E, uint2>(a.input + i * 8, bytes - i * 8, vector);
    uint4 line[MAX_RANKS];
    bool waiting;
    do {
      waiting = false;
#pragma unroll
      for (u32 r = 0; r < MAX_RANKS; r++) {
        if (r >= a.ranks) continue;
        line[r] = r == a.rank ? make_uint4(own.x, flag, own.y, flag) : load_line(ll_line(a, a.arena[a.rank], bank, r, i));
      }
#pragma unroll
      for (u32 r = 0; r < MAX_RANKS; r++) waiting |= r < a.ranks && (line[r].y != flag || line[r].w != flag);
    } while (waiting && !watch.stop());
    if (watch.stopped) return;
    Accumulator<E, O, uint2> sum;
    sum.start(make_uint2(line[0].x, line[0].z));
#pragma unroll
    for (u32 r = 1; r < MAX_RANKS; r++)
      if (r < a.ranks) sum.add(make_uint2(line[r].x, line[r].z));
    store_pack<E, uint2>(a.output + i * 8, bytes - i * 8, vector, sum.result(a.ranks));
  }
}

template <class E, class O> __device__ __forceinline__ void ll(const Arguments& a) {
  ll_operate<E>(a, gridDim.x, [&](u64 number, u64 bank, u64 words) { ll_move<E, O>(a, number, bank, words); });
}

MININCCL_KERNELS(ll, )
