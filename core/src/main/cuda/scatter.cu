// Reduce-scatter: of every rank's input each peer gets its part, reduces what it got from all in the ranks' order, and rounds once.
// `count` is the elements of a part.
#include "parts.cuh"

constexpr int UNROLL = 4;

template <class E> __device__ __forceinline__ u64 part_bytes(const Parted& a) { return a.count * sizeof(typename E::Stored); }

__device__ __forceinline__ bool parts_aligned(const Parted& a, u32 alignment) {
  return aligned(a.input, a.output, alignment) && aligned(reinterpret_cast<const void*>(a.stride), nullptr, alignment);
}

template <class E, class O> __device__ __forceinline__ void scatter_words(const Parted& a, u64 number, u64 bank, u64 words) {
  const u32 flag = line_flag(number), workers = blockDim.x - KEEPER_THREADS;
  const u64 bytes = part_bytes<E>(a);
  const bool vector = parts_aligned(a, 8);
  each_word(a, words, [&](u32 receiver, u32 i) {
    const u64 at = u64(i) * 8;
    const uint2 v = load_pack<E, uint2>(a.input + receiver * a.stride + at, bytes - at, vector);
    store_line(ll_line(a, a.arena[receiver], bank, a.rank, i), make_uint4(v.x, flag, v.y, flag));
  });
  Watch watch(a);
  for (u64 i = u64(blockIdx.x) * workers + threadIdx.x; i < words; i += u64(gridDim.x) * workers) {
    const u64 at = i * 8;
    const uint2 own = load_pack<E, uint2>(a.input + a.rank * a.stride + at, bytes - at, vector);
    uint4 line[MAX_RANKS];
    while (load_lines<MAX_RANKS>(a, bank, i, own, flag, line) && !watch.stop()) {
    }
    if (watch.stopped) return;
    store_pack<E, uint2>(a.output + at, bytes - at, vector, reduce_lines<E, O, MAX_RANKS>(a, line));
  }
}

// Small parts.
template <class E, class O> __device__ __forceinline__ void scatter_ll(const Parted& a) {
  ll_operate<E>(a, gridDim.x, [&](u64 number, u64 bank, u64 words) { scatter_words<E, O>(a, number, bank, words); });
}

template <class E> __device__ __forceinline__ void scatter_send(const Parted& a, u32 channel, u64 at, u32 packs, u64 index, bool vector) {
  const u64 bytes = part_bytes<E>(a) - at * 16;
  const u32 whole = !vector ? 0 : bytes / 16 < packs ? u32(bytes / 16) : packs;
#pragma unroll 1
  for (u32 hop = 1; hop < a.ranks; hop++) {
    const u32 receiver = peer(a, hop);
    const char* from = a.input + receiver * a.stride + at * 16;
    uint4* to = part_slot(a, receiver, a.rank, channel, index);
    u32 i = threadIdx.x;
    for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
      uint4 v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) v[u] = reinterpret_cast<const uint4*>(from)[i + u * blockDim.x];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) to[i + u * blockDim.x] = v[u];
    }
    for (; i < packs; i += blockDim.x) to[i] = load_pack<E, uint4>(from + u64(i) * 16, bytes - u64(i) * 16, vector);
  }
}

// Whole packs at whole addresses. N: at most so many ranks; PACKS: those a thread has in flight of each rank. Gives the first pack that
// is left.
template <class E, class O, int N, int PACKS> __device__ __forceinline__ u32 scatter_reduce(const Parted& a, u32 channel, u64 at, u32 whole, u64 index) {
  const uint4* own = reinterpret_cast<const uint4*>(a.input + a.rank * a.stride + at * 16);
  uint4* output = reinterpret_cast<uint4*>(a.output + at * 16);
  u32 i = threadIdx.x;
  for (; i + (PACKS - 1) * blockDim.x < whole; i += PACKS * blockDim.x) {
    uint4 v[PACKS][N];
#pragma unroll
    for (u32 r = 0; r < N; r++) {
      if (r >= a.ranks) continue;
      const uint4* from = part_slot(a, a.rank, r, channel, index);
#pragma unroll
      for (int p = 0; p < PACKS; p++) v[p][r] = r == a.rank ? own[i + p * blockDim.x] : load_line(from + i + p * blockDim.x);
    }
#pragma unroll
    for (int p = 0; p < PACKS; p++) {
      output[i + p * blockDim.x] = reduce_ranks<E, O, N>(v[p], v[p][0], 0, a.ranks);
    }
  }
  return i;
}

// What is left of a slot, or lies at any address.
template <class E, class O> __device__ __forceinline__ void scatter_rest(const Parted& a, u32 channel, u64 at, u32 i, u32 packs, u64 index, bool vector) {
  const u64 bytes = part_bytes<E>(a);
  for (; i < packs; i += blockDim.x) {
    const u64 offset = (at + i) * 16;
    const uint4 own = load_pack<E, uint4>(a.input + a.rank * a.stride + offset, bytes - offset, vector);
    Accumulator<E, O, uint4> sum;
    sum.start(a.rank == 0 ? own : load_line(part_slot(a, a.rank, 0, channel, index) + i));
#pragma unroll 1
    for (u32 r = 1; r < a.ranks; r++) sum.add(r == a.rank ? own : load_line(part_slot(a, a.rank, r, channel, index) + i));
    store_pack<E, uint4>(a.output + offset, bytes - offset, vector, sum.result(a.ranks));
  }
}

template <class E, class O> __device__ __forceinline__ void scatter_receive(const Parted& a, u32 channel, u64 at, u32 packs, u64 index, bool vector) {
  const u64 bytes = part_bytes<E>(a) - at * 16;
  const u32 whole = bytes / 16 < packs ? u32(bytes / 16) : packs;
  u32 i = threadIdx.x;
  if (vector && !E::LONG) i = a.ranks == 2 ? scatter_reduce<E, O, 2, 4>(a, channel, at, whole, index) : scatter_reduce<E, O, MAX_RANKS, 1>(a, channel, at, whole, index);
  scatter_rest<E, O>(a, channel, at, i, packs, index, vector);
}

// Large parts.
template <class E, class O> __device__ __forceinline__ void scatter(const Parted& a) {
  const bool vector = parts_aligned(a, 16);
  parts_operate(
      a, part_bytes<E>(a), [&](u32 channel, u64 at, u32 packs, u64 index) { scatter_send<E>(a, channel, at, packs, index, vector); },
      [&](u32 channel, u64 at, u32 packs, u64 index) { scatter_receive<E, O>(a, channel, at, packs, index, vector); });
}

MININCCL_KERNELS_OF(Parted, scatter_ll, )
MININCCL_KERNELS_OF(Parted, scatter, __launch_bounds__(512))
