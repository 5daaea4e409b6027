// All-reduce of any number of ranks around a ring: reduce-scatter, then all-gather, in 2(n-1) steps of one slice each.
// A block is a channel and does all steps of its slices by itself; results are rounded at each hop.
#include "channel.cuh"

constexpr int RING_UNROLL = 2;

// The ranks' order in a channel's ring: steps of one stride that has no divisor in common with their number. Where GPUs reach all
// others alike, channels take the possible strides in turn, so that each rank sends to many others at a time and in both directions.
struct Way {
  u32 stride, place;  // place: of this rank, counted from rank 0

  __device__ __forceinline__ Way(const Arguments& a, u32 channel) : stride(1), place(a.rank) {
    if (load_relaxed(&a.control->ways.value) == 0) return;
    for (u32 turn = channel % ways(a.ranks); turn > 0; turn--) {
      do stride++;
      while (!coprime(stride, a.ranks));
    }
    place = 0;
    for (u32 rank = 0; rank != a.rank; rank = (rank + stride) % a.ranks) place++;
  }

  static __device__ __forceinline__ bool coprime(u32 x, u32 y) {
    while (y != 0) {
      const u32 rest = x % y;
      x = y;
      y = rest;
    }
    return x == 1;
  }

  static __device__ __forceinline__ u32 ways(u32 ranks) {
    u32 count = 1;
    for (u32 x = 2; x < ranks; x++) count += coprime(x, ranks) ? 1 : 0;
    return count;
  }
};

struct Ring {
  const Arguments& a;
  const Way way;
  const u32 next, previous;
  Watch watch;
  const u64 begin;
  u64 sent, received;
  bool vector;

  __device__ __forceinline__ explicit Ring(const Arguments& arguments)
      : a(arguments),
        way(arguments, blockIdx.x),
        next((a.rank + way.stride) % a.ranks),
        previous((a.rank + a.ranks - way.stride) % a.ranks),
        watch(arguments),
        begin(a.control->ring_sent[blockIdx.x].value),
        sent(begin),
        received(a.control->ring_received[blockIdx.x].value),
        vector(aligned(a.input, a.output, 16)) {}

  // One step: {own input and/or arrived slot} -> {output and/or the next rank's slot}, for packs [at, at + packs).
  template <class E, class O, bool RECEIVE, bool OWN, bool STORE, bool SEND> __device__ __forceinline__ bool step(u64 at, u32 packs, u64 bytes, bool complete) {
    Flags* ours = flags(a, a.rank);
    if (SEND && !await_count(&ours->consumed[blockIdx.x].value, needed(a, sent, begin), watch)) return false;
    if (RECEIVE && !await_count(&ours->published[blockIdx.x].value, received + 1, watch)) return false;
    const uint4* from = reinterpret_cast<const uint4*>(slot(a, a.rank, blockIdx.x, received));
    uint4* to = reinterpret_cast<uint4*>(slot(a, next, blockIdx.x, sent));
    for (u32 i = threadIdx.x; i < packs; i += RING_UNROLL * blockDim.x) {
      uint4 v[RING_UNROLL], own[RING_UNROLL];
#pragma unroll
      for (int u = 0; u < RING_UNROLL; u++) {
        const u32 p = i + u * blockDim.x;
        const u64 offset = (at + p) * 16;
        if (p >= packs) break;
        if (RECEIVE) v[u] = load_line(from + p);
        if (OWN) own[u] = load_pack<E, uint4>(a.input + offset, bytes - offset, vector);
      }
#pragma unroll
      for (int u = 0; u < RING_UNROLL; u++) {
        const u32 p = i + u * blockDim.x;
        const u64 offset = (at + p) * 16;
        if (p >= packs) break;
        if (OWN) v[u] = RECEIVE ? reduce<E, O, uint4>(v[u], own[u], a.ranks, complete) : own[u];
        if (SEND) to[p] = v[u];
        if (STORE) store_pack<E, uint4>(a.output + offset, bytes - offset, vector, v[u]);
      }
    }
    if (SEND) publish(&flags(a, next)->published[blockIdx.x].value, ++sent);
    // What came in that slot has gone to the output and the next slot by then, and the next rank hears of that by the counter above.
    if (RECEIVE) retire(&flags(a, previous)->consumed[blockIdx.x].value, ++received);
    return true;
  }
};

// A loop covers one slice of each rank's chunk; the slices of all channels of a loop lie side by side.
template <class E, class O> __device__ __forceinline__ bool ring_loop(Ring& ring, u64 base, u32 each, u64 packs, u64 bytes) {
  const Arguments& a = ring.a;
  const auto slice = [&](u32 steps_back, u64& at) {
    const u32 chunk = (ring.way.place + 2 * a.ranks - steps_back) % a.ranks;
    at = base + u64(chunk) * each;
    return at >= packs ? 0u : (packs - at < each ? u32(packs - at) : each);
  };
  u64 at;
  u32 n = slice(1, at);
  if (!ring.step<E, O, false, true, false, true>(at, n, bytes, false)) return false;
  for (u32 s = 2; s < a.ranks; s++) {
    n = slice(s, at);
    if (!ring.step<E, O, true, true, false, true>(at, n, bytes, false)) return false;
  }
  n = slice(a.ranks, at);
  if (!ring.step<E, O, true, true, true, true>(at, n, bytes, true)) return false;
  for (u32 s = 1; s + 1 < a.ranks; s++) {
    n = slice(s, at);
    if (!ring.step<E, O, true, false, true, true>(at, n, bytes, false)) return false;
  }
  n = slice(a.ranks - 1, at);
  return ring.step<E, O, true, false, true, false>(at, n, bytes, false);
}

template <class E, class O> __device__ __forceinline__ void ring(const Arguments& a) {
  const u64 number = begin(a);
  Ring ring(a);
  if (blockIdx.x == 0 && threadIdx.x == 0) agree(a, number, ring.next, ring.previous, ring.watch);
  const u64 bytes = a.count * sizeof(typename E::Stored), packs = (bytes + 15) / 16;
  const u64 parts = u64(gridDim.x) * a.ranks;
  bool going = true;
  for (u64 done = 0; done < packs && going; done += parts * a.extent) {
    const u64 here = packs - done < parts * a.extent ? packs - done : parts * a.extent;
    const u32 each = u32((here + parts - 1) / parts);
    const u64 base = done + u64(blockIdx.x) * a.ranks * each;
    going = ring_loop<E, O>(ring, base, each, done + here, bytes);
  }
  if (threadIdx.x == 0) {
    a.control->ring_sent[blockIdx.x].value = ring.sent;
    a.control->ring_received[blockIdx.x].value = ring.received;
  }
}

MININCCL_KERNELS(ring, __launch_bounds__(512, 1))
