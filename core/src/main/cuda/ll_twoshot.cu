// LL in two shots, for more bytes or ranks than one shot serves well: each rank sends part j of its input to rank j, which reduces its
// part in rank order, rounds once, and sends the result to all. The flag is in the data both times: no barrier, no fence. A rank
// sends 2 (n - 1) / n of the message in place of n - 1 messages.
//
// A bank holds `extent` lines from each rank: the first half takes the parts that it sends us to reduce, the second half its results.
//
// Two banks are enough, and may be those of the one-shot kernel. A line of operation e is written over in operation e + 2 at the earliest, by
// a rank that has ended e + 1 and so has heard every rank's agreement on e + 1 (the keeper waits for all of them). Whoever agrees on
// e + 1 has begun it, hence ended e with both its phases, and reads no line of e any more.
#include "lines.cuh"

// What one thread does at index i of every part.
template <class E, class O, int N> struct LlParts {
  const Arguments& a;
  const u64 bank, bytes;
  const u32 flag, each, words;  // words a part, and in all
  const u32 half;
  const bool vector;
  Watch watch;

  __device__ __forceinline__ LlParts(const Arguments& arguments, u64 number, u64 bank_offset, u64 all)
      : a(arguments),
        bank(bank_offset),
        bytes(arguments.count * sizeof(typename E::Stored)),
        flag(line_flag(number)),
        each(static_cast<u32>((all + arguments.ranks - 1) / arguments.ranks)),
        words(static_cast<u32>(all)),
        half(arguments.extent / 2),
        vector(aligned(arguments.input, arguments.output, 8)),
        watch(arguments) {}

  // Whether word i of every part is there, whole and aligned.
  __device__ __forceinline__ bool plain(u32 i) const { return vector && u64(i + (a.ranks - 1) * each + 1) * 8 <= bytes; }

  __device__ __forceinline__ uint2 load(u32 word) const { return load_pack<E, uint2>(a.input + u64(word) * 8, bytes - u64(word) * 8, vector); }

  __device__ __forceinline__ void store(u32 word, uint2 v) const { store_pack<E, uint2>(a.output + u64(word) * 8, bytes - u64(word) * 8, vector, v); }

  __device__ __forceinline__ void send(u32 i) const {
    if (plain(i)) {
      uint2 own[N];
#pragma unroll
      for (u32 k = 1; k < N; k++)
        if (k < a.ranks) own[k] = reinterpret_cast<const uint2*>(a.input)[peer(a, k) * each + i];
#pragma unroll
      for (u32 k = 1; k < N; k++)
        if (k < a.ranks) store_line(ll_line(a, a.arena[peer(a, k)], bank, a.rank, i), make_uint4(own[k].x, flag, own[k].y, flag));
      return;
    }
#pragma unroll 1
    for (u32 k = 1; k < a.ranks; k++) {
      const u32 to = peer(a, k), word = to * each + i;
      if (word >= words) continue;
      const uint2 own = load(word);
      store_line(ll_line(a, a.arena[to], bank, a.rank, i), make_uint4(own.x, flag, own.y, flag));
    }
  }

  __device__ __forceinline__ bool reduce_own(u32 i) {
    const u32 word = a.rank * each + i;
    const uint2 own = load(word);
    uint4 line[N];
    while (load_lines<N>(a, bank, i, own, flag, line) && !watch.stop()) {
    }
    if (watch.stopped) return false;
    const uint2 result = reduce_lines<E, O, N>(a, line);
    send_line<N>(a, bank, half + i, result, flag);
    store(word, result);
    return true;
  }

  __device__ __forceinline__ bool receive(u32 i) {
    if (plain(i)) {
      uint4 line[N];
      while (load_lines<N>(a, bank, half + i, make_uint2(0, 0), flag, line) && !watch.stop()) {
      }
      if (watch.stopped) return false;
#pragma unroll
      for (u32 r = 0; r < N; r++)
        if (r < a.ranks && r != a.rank) reinterpret_cast<uint2*>(a.output)[r * each + i] = make_uint2(line[r].x, line[r].z);
      return true;
    }
#pragma unroll 1
    for (u32 k = 1; k < a.ranks; k++) {
      const u32 from = peer(a, k), word = from * each + i;
      if (word >= words) continue;
      uint4 line;
      do {
        line = load_line(ll_line(a, a.arena[a.rank], bank, from, half + i));
      } while (!arrived(line, flag) && !watch.stop());
      if (watch.stopped) return false;
      store(word, make_uint2(line.x, line.z));
    }
    return true;
  }
};

// A thread has the same indices in all three steps, so that in place it has read what it writes over.
template <class E, class O, int N> __device__ __forceinline__ void ll_twoshot_move(const Arguments& a, u64 number, u64 bank, u64 words) {
  LlParts<E, O, N> parts(a, number, bank, words);
  const u32 workers = blockDim.x - KEEPER_THREADS, first = blockIdx.x * workers + threadIdx.x, stride = gridDim.x * workers;
  for (u32 i = first; i < parts.each; i += stride) parts.send(i);
  for (u32 i = first; i < parts.each && a.rank * parts.each + i < parts.words; i += stride)
    if (!parts.reduce_own(i)) return;
  for (u32 i = first; i < parts.each; i += stride)
    if (!parts.receive(i)) return;
}

template <class E, class O> __device__ __forceinline__ void ll_twoshot(const Arguments& a) {
  const u64 number = begin(a), bank = (number & 1) * a.bank;
  const u64 words = (a.count * sizeof(typename E::Stored) + 7) / 8, each = (words + a.ranks - 1) / a.ranks;
  if (keeper()) {
    ll_scrub(a, number, bank, each, a.extent / 2);
    keep_agreement(a, number);
    return;
  }
  for_ranks<E>(a, [&](auto most) { ll_twoshot_move<E, O, decltype(most)::RANKS>(a, number, bank, words); });
}

MININCCL_KERNELS(ll_twoshot, __launch_bounds__(544))
