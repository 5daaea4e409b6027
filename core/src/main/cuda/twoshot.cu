// All-reduce over registered buffers, any number of ranks: the owner of an element reads all copies in rank order and
// stores the result to all. Nobody else reads or writes that element in between, so it is safe in place.
#include "peers.cuh"

// A block's arrivals: one word a rank, a line for every four of them.
__device__ __forceinline__ u64* arrival(const Arguments& a, u32 at, u32 block, u32 from) {
  return reinterpret_cast<u64*>(a.arena[at] + a.region) + (u64(block) * MAX_RANKS + from) * 4;
}

// Block b of every rank meets block b of every other. Counts only grow: nothing is reset and late readers are fine.
__device__ __forceinline__ bool barrier(const Arguments& a, u64 count, Watch& watch) {
  __syncthreads();
  const u32 peer = threadIdx.x;
  if (peer < a.ranks && peer != a.rank) {
    __threadfence_system();
    store_release(arrival(a, peer, blockIdx.x, a.rank), count);
    while (static_cast<long long>(load_acquire(arrival(a, a.rank, blockIdx.x, peer)) - count) < 0 && !watch.stop()) {
    }
  }
  return !__syncthreads_or(watch.stopped);
}

template <class E, class O> __device__ __forceinline__ void twoshot_one(const Registered& a, u64 at, u64 bytes) {
  Accumulator<E, O, uint2> sum;
  sum.start(load_pack<E, uint2>(a.inputs[0] + at, bytes - at, false));
#pragma unroll 1
  for (u32 r = 1; r < a.ranks; r++) sum.add(load_pack<E, uint2>(a.inputs[r] + at, bytes - at, false));
#pragma unroll 1
  for (u32 r = 0; r < a.ranks; r++) store_pack<E, uint2>(a.outputs[r] + at, bytes - at, false, sum.result(a.ranks));
}

// All copies of a pack are under way at once, and stores begin with the next rank: else every rank would ask the same one at the same time.
template <class E, class O, int N> __device__ __forceinline__ void twoshot_whole(const Registered& a, u64 first, u64 last) {
  constexpr int PACKS = E::LONG ? 1 : 8 / N;
  const u64 stride = u64(gridDim.x) * blockDim.x;
  for (u64 i = first + u64(blockIdx.x) * blockDim.x + threadIdx.x; i < last; i += PACKS * stride) {
    uint4 v[PACKS][N];
#pragma unroll
    for (u32 r = 0; r < N; r++) {
      if (r >= a.ranks) continue;
      const uint4* from = reinterpret_cast<const uint4*>(a.inputs[r]);
#pragma unroll
      for (int p = 0; p < PACKS; p++) v[p][r] = from[i + p * stride < last ? i + p * stride : i];
    }
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      const uint4 result = reduce_ranks<E, O, N>(v[p], v[p][0], 0, a.ranks);
#pragma unroll
      for (u32 k = 0; k < N; k++)
        if (k < a.ranks && i + p * stride < last) reinterpret_cast<uint4*>(a.outputs[peer(a, k)])[i + p * stride] = result;
    }
  }
}

// Whole aligned packs first; then what is left, eight bytes a thread.
template <class E, class O> __device__ __forceinline__ void twoshot_owned(const Registered& a, u64 first, u64 last, u64 bytes) {
  bool vector = true;
#pragma unroll 1
  for (u32 r = 0; r < a.ranks; r++) vector = vector && aligned(a.inputs[r], a.outputs[r], 16);
  const u64 whole = vector ? (last * 16 <= bytes ? last : bytes / 16) : first;
  for_ranks<E>(a, [&](auto most) { twoshot_whole<E, O, decltype(most)::RANKS>(a, first, whole); });
  const u64 end = last * 16 < bytes ? last * 16 : bytes;
  for (u64 at = whole * 16 + (u64(blockIdx.x) * blockDim.x + threadIdx.x) * 8; at < end; at += u64(gridDim.x) * blockDim.x * 8)
    twoshot_one<E, O>(a, at, end);
}

template <class E, class O> __device__ __forceinline__ void twoshot(const Registered& a) {
  const u64 number = begin(a), bytes = a.count * sizeof(typename E::Stored), packs = (bytes + 15) / 16;
  Watch watch(a);
  if (blockIdx.x == 0 && threadIdx.x < a.ranks && threadIdx.x != a.rank) agree(a, number, threadIdx.x, threadIdx.x, watch);
  const u64 each = (packs + a.ranks - 1) / a.ranks, first = each * a.rank, last = first + each;
  if (barrier(a, number * 2, watch)) {
    if (first < packs) twoshot_owned<E, O>(a, first, last < packs ? last : packs, bytes);
    barrier(a, number * 2 + 1, watch);
  }
}

MININCCL_KERNELS_OF(Registered, twoshot, __launch_bounds__(512, 1))
