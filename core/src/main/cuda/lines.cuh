// Lines with flags between more than two ranks.
#pragma once
#include "ll.cuh"
#include "peers.cuh"

__device__ __forceinline__ bool arrived(uint4 line, u32 flag) { return line.y == flag && line.w == flag; }

// Stores one line at every peer.
template <int N> __device__ __forceinline__ void send_line(const Arguments& a, u64 bank, u64 i, uint2 word, u32 flag) {
#pragma unroll
  for (u32 k = 1; k < N; k++)
    if (k < a.ranks) store_line(ll_line(a, a.arena[peer(a, k)], bank, a.rank, i), make_uint4(word.x, flag, word.y, flag));
}

// Loads line i of every peer's; our own place holds `own`. Whether any is missing.
template <int N> __device__ __forceinline__ bool load_lines(const Arguments& a, u64 bank, u64 i, uint2 own, u32 flag, uint4 (&line)[N]) {
#pragma unroll
  for (u32 r = 0; r < N; r++) {
    if (r >= a.ranks) continue;
    line[r] = r == a.rank ? make_uint4(own.x, flag, own.y, flag) : load_line(ll_line(a, a.arena[a.rank], bank, r, i));
  }
  bool missing = false;
#pragma unroll
  for (u32 r = 0; r < N; r++) missing |= r < a.ranks && !arrived(line[r], flag);
  return missing;
}

// In rank order, so that all ranks get the same bits.
template <class E, class O, int N> __device__ __forceinline__ uint2 reduce_lines(const Arguments& a, const uint4 (&line)[N]) {
  Accumulator<E, O, uint2> sum;
  sum.start(make_uint2(line[0].x, line[0].z));
#pragma unroll
  for (u32 r = 1; r < N; r++)
    if (r < a.ranks) sum.add(make_uint2(line[r].x, line[r].z));
  return sum.result(a.ranks);
}
