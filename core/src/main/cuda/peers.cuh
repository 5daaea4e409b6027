// Several peers at a time. Kernels are made for up to four and for up to eight ranks: loops over ranks are unrolled, and few ranks do not
// pay for many.
#pragma once
#include "operate.cuh"

// Peers in turn. Every rank begins with the one after itself, so that not all write to the same GPU at once.
__device__ __forceinline__ u32 peer(const Arguments& a, u32 k) {
  const u32 rank = a.rank + k;
  return rank < a.ranks ? rank : rank - a.ranks;
}

template <int N> struct Most {
  static constexpr int RANKS = N;
};

template <class E, class Run> __device__ __forceinline__ void for_ranks(const Arguments& a, Run run) {
  if (!E::LONG && a.ranks <= 4) {  // long conversions are not repeated
    run(Most<4>());
  } else {
    run(Most<8>());
  }
}
