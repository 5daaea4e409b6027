// One-shot all-reduce with the flag inside the data, for small messages and up to eight ranks: every rank stores 8-byte
// words, each half beside its flag, at every peer; receivers poll the data itself. No barrier and no fence.
#pragma once
#include "operate.cuh"

__device__ __forceinline__ char* ll_line(const Arguments& a, char* arena, u64 bank, u32 source, u64 i) {
  return arena + a.region + bank + (u64(source) * a.extent + i) * sizeof(uint4);
}

// A flag comes round again after 2^31 operations. By then every line that a longer message left behind has been cleared
// here: the lines of this bank beyond the message are nobody's until the operation after the next. Of each `cycle` lines, a power of two, the
// first are `used`; 0: of all.
__device__ __forceinline__ void ll_scrub(const Arguments& a, u64 sequence, u64 bank, u64 used, u64 cycle = 0) {
  if (blockIdx.x != 0) return;
  const u64 line = (sequence / 2 * KEEPER_THREADS + threadIdx.x - (blockDim.x - KEEPER_THREADS)) & (a.extent - 1);
  if ((line & (cycle - 1)) < used) return;
  for (u32 source = 0; source < a.ranks; source++) store_line(ll_line(a, a.arena[a.rank], bank, source, line), make_uint4(0, 0, 0, 0));
}

// The last warp of block 0 agrees and scrubs; the others of `blocks` run `move(number, bank, words)`.
template <class E, class Move> __device__ __forceinline__ void ll_operate(const Arguments& a, u32 blocks, Move move) {
  const u64 number = begin(a, blocks), bank = (number & 1) * a.bank;
  const u64 words = (a.count * sizeof(typename E::Stored) + 7) / 8;
  if (keeper()) {
    ll_scrub(a, number, bank, words);
    keep_agreement(a, number);
  } else {
    move(number, bank, words);
  }
}
