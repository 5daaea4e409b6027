// All-reduce of ranks that all reach each other at full speed (NVSwitch), through slots: each rank sends part j of its input to rank j,
// which reduces its part in rank order, rounds once, and sends the result to all. Two steps, where a ring takes 2 (n - 1), for the same
// bytes. A block is a channel and goes through rounds of one slice of every part.
//
// In round k a block sends, reduces and receives; it sends a round ahead, and receives a round behind what it reduces:
//   send 0 | send 1, reduce 0 | send 2, reduce 1, receive 0 | send 3, reduce 2, receive 1 | ...
// Each step has its own slots from each peer, three of them, and no word of acknowledgement is needed:
// - To send round k means having received k - 3 from everyone, who thus had reduced it: the slot of k - 3 is free.
// - To reduce round k means having got everyone's send of k, who thus had received k - 3: the slot of its result is free.
// An operation ends when all results are here, hence everyone has reduced everything; and the next one's first result is sent
// after everyone's first send, hence after they have received everything. Inputs of the next one may come while we receive the last
// results, so slots lie where they lie, whatever part of them an operation uses.
#include "peers.cuh"

constexpr u32 MESH_DEPTH = 3;

// At the head of the region, by step: rounds that a sender has published. A line a channel, polled by one warp.
struct Arrivals {
  u64 rounds[2][MAX_CHANNELS][COUNTER_STRIDE];
};

constexpr u32 INPUT_STEP = 0, RESULT_STEP = 1;
constexpr u32 N = MAX_RANKS;

template <class E, class O> struct Mesh {
  const Arguments& a;
  Watch watch;
  const u64 before;  // rounds of earlier operations
  const u64 bytes, packs;
  const u64 between;  // bytes from slot to slot, as ArenaLayout.meshSlot
  u64 rounds;
  u32 each;  // packs a slice
  const bool vector;

  __device__ __forceinline__ explicit Mesh(const Arguments& arguments)
      : a(arguments),
        watch(arguments),
        before(arguments.control->mesh[blockIdx.x].value),
        bytes(arguments.count * sizeof(typename E::Stored)),
        packs((arguments.count * sizeof(typename E::Stored) + 15) / 16),
        between(arguments.bank / (2 * arguments.ranks * MESH_DEPTH) & ~127ull),
        vector(aligned(arguments.input, arguments.output, 16)) {
    const u64 slices = u64(gridDim.x) * a.ranks;
    rounds = (packs + slices * a.extent - 1) / (slices * a.extent);
    const u64 even = (packs + slices * rounds - 1) / (slices * rounds);
    each = static_cast<u32>((even + 7) & ~7ull);  // whole lines of 128 bytes; `extent` is a multiple of that
  }

  __device__ __forceinline__ Arrivals* arrivals(u32 rank) const { return reinterpret_cast<Arrivals*>(a.arena[rank] + a.region); }

  __device__ __forceinline__ uint4* slot(u32 at, u32 step, u32 from, u64 round) const {
    const u32 place = (step * a.ranks + from) * MESH_DEPTH + static_cast<u32>((before + round) % MESH_DEPTH);
    return reinterpret_cast<uint4*>(a.arena[at] + a.region + sizeof(Arrivals) + blockIdx.x * a.bank + place * between);
  }

  // The first pack of a part's slice, and how many it has.
  __device__ __forceinline__ u64 slice(u64 round, u32 part, u32& length) const {
    const u64 at = ((round * gridDim.x + blockIdx.x) * a.ranks + part) * each;
    length = at >= packs ? 0 : packs - at < each ? static_cast<u32>(packs - at) : each;
    return at;
  }

  // Packs of a slice that lie in the buffer as a whole, and aligned.
  __device__ __forceinline__ u32 whole(u64 at, u32 length) const {
    const u64 end = min(at + length, bytes / 16);
    return vector && end > at ? static_cast<u32>(end - at) : 0;
  }

  __device__ __forceinline__ void publish(u32 step, u64 round) const {
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence_system();
    for (u32 k = 1; k < a.ranks; k++) store_relaxed(&arrivals(peer(a, k))->rounds[step][blockIdx.x][a.rank], before + round + 1);
  }

  // Until all peers have published the round.
  __device__ __forceinline__ bool await(u32 step, u64 round) {
    const u64* counters = arrivals(a.rank)->rounds[step][blockIdx.x];
    if (threadIdx.x < a.ranks && threadIdx.x != a.rank)
      while (static_cast<long long>(load_acquire(counters + threadIdx.x) - (before + round + 1)) < 0 && !watch.stop()) {
      }
    return !__syncthreads_or(watch.stopped);
  }

  __device__ __forceinline__ void send(u64 round) const {
    constexpr int UNROLL = 4;
#pragma unroll 1
    for (u32 k = 1; k < a.ranks; k++) {
      const u32 to = peer(a, k);
      u32 length;
      const u64 at = slice(round, to, length);
      const uint4* from = reinterpret_cast<const uint4*>(a.input) + at;
      uint4* there = slot(to, INPUT_STEP, a.rank, round);
      const u32 plain = whole(at, length);
      u32 i = threadIdx.x;
      for (; i + (UNROLL - 1) * blockDim.x < plain; i += UNROLL * blockDim.x) {
        uint4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) v[u] = from[i + u * blockDim.x];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) there[i + u * blockDim.x] = v[u];
      }
      for (; i < length; i += blockDim.x) {
        const u64 offset = (at + i) * 16;
        there[i] = load_pack<E, uint4>(a.input + offset, bytes - offset, i < plain);
      }
    }
    publish(INPUT_STEP, round);
  }

  __device__ __forceinline__ bool reduce(u64 round) {
    if (!await(INPUT_STEP, round)) return false;
    u32 length;
    const u64 at = slice(round, a.rank, length);
    const u32 plain = whole(at, length);
    const uint4* from[N];
    uint4* to[N];
#pragma unroll
    for (u32 r = 0; r < N; r++) {
      from[r] = slot(a.rank, INPUT_STEP, r, round);
      to[r] = r < a.ranks ? slot(peer(a, r), RESULT_STEP, a.rank, round) : nullptr;
    }
    for (u32 i = threadIdx.x; i < length; i += blockDim.x) {
      const u64 offset = (at + i) * 16;
      uint4 v[N];
#pragma unroll
      for (u32 r = 0; r < N; r++)
        if (r < a.ranks && r != a.rank) v[r] = load_line(from[r] + i);
      const uint4 own = load_pack<E, uint4>(a.input + offset, bytes - offset, i < plain);
      const uint4 result = reduce_ranks<E, O, N>(v, own, a.rank, a.ranks);
#pragma unroll
      for (u32 k = 1; k < N; k++)
        if (k < a.ranks) to[k][i] = result;
      store_pack<E, uint4>(a.output + offset, bytes - offset, i < plain, result);
    }
    publish(RESULT_STEP, round);
    return true;
  }

  __device__ __forceinline__ bool receive(u64 round) {
    constexpr int UNROLL = 4;
    if (!await(RESULT_STEP, round)) return false;
#pragma unroll 1
    for (u32 k = 1; k < a.ranks; k++) {
      const u32 from = peer(a, k);
      u32 length;
      const u64 at = slice(round, from, length);
      const uint4* here = slot(a.rank, RESULT_STEP, from, round);
      uint4* to = reinterpret_cast<uint4*>(a.output) + at;
      const u32 plain = whole(at, length);
      u32 i = threadIdx.x;
      for (; i + (UNROLL - 1) * blockDim.x < plain; i += UNROLL * blockDim.x) {
        uint4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) v[u] = load_line(here + i + u * blockDim.x);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) to[i + u * blockDim.x] = v[u];
      }
      for (; i < length; i += blockDim.x) {
        const u64 offset = (at + i) * 16;
        store_pack<E, uint4>(a.output + offset, bytes - offset, i < plain, load_line(here + i));
      }
    }
    return true;
  }

  // Every rank's agreement is heard, so an operation ends only after all have begun it; it comes with the first slices.
  __device__ __forceinline__ bool run(u64 number) {
    const bool agrees = blockIdx.x == 0 && threadIdx.x < a.ranks && threadIdx.x != a.rank;
    for (u64 k = 0; k < rounds + 2; k++) {
      if (k < rounds) send(k);
      if (k == 0 && agrees) agree(a, number, threadIdx.x, threadIdx.x, watch);
      if (k > 0 && k <= rounds && !reduce(k - 1)) return false;
      if (k > 1 && !receive(k - 2)) return false;
    }
    return true;
  }
};

template <class E, class O> __device__ __forceinline__ void mesh(const Arguments& a) {
  const u64 number = begin(a);
  Mesh<E, O> mesh(a);
  if (mesh.run(number) && threadIdx.x == 0) a.control->mesh[blockIdx.x].value = mesh.before + mesh.rounds;
}

MININCCL_KERNELS(mesh, __launch_bounds__(512))
