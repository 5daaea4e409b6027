// Packs: a few whole elements in one register word (uint2 or uint4). Buffers may start at any element and end anywhere.
#pragma once
#include "operation.cuh"

template <class E, class Word> union Pack {
  static constexpr int LENGTH = sizeof(Word) / sizeof(typename E::Stored);
  Word word;
  typename E::Stored lane[LENGTH];
};

__device__ __forceinline__ bool aligned(const void* a, const void* b, u32 bytes) {
  return ((reinterpret_cast<u64>(a) | reinterpret_cast<u64>(b)) & (bytes - 1)) == 0;
}

// Eight bytes of whole elements, one element at a time, of which `bytes` belong to the buffer; the rest is zero.
template <class E> __device__ __forceinline__ u64 load_elements(const char* at, u64 bytes) {
  using S = typename E::Stored;
  u64 v = 0;
#pragma unroll 1
  for (u32 i = 0; i < 8 && i < bytes; i += sizeof(S)) {
    S element = *reinterpret_cast<const S*>(at + i);
    u64 bits = 0;
    memcpy(&bits, &element, sizeof(S));
    v |= bits << (i * 8);
  }
  return v;
}

template <class E> __device__ __forceinline__ void store_elements(char* at, u64 bytes, u64 v) {
  using S = typename E::Stored;
#pragma unroll 1
  for (u32 i = 0; i < 8 && i < bytes; i += sizeof(S)) {
    const u64 bits = v >> (i * 8);
    S element;
    memcpy(&element, &bits, sizeof(S));
    *reinterpret_cast<S*>(at + i) = element;
  }
}

// `bytes` from `at` on belong to the buffer; what a pack has beyond them is zero.
template <class E, class Word> __device__ __forceinline__ Word load_pack(const char* at, u64 bytes, bool vector) {
  if (vector && bytes >= sizeof(Word)) return *reinterpret_cast<const Word*>(at);
  Word v;
#pragma unroll
  for (u32 h = 0; h < sizeof(Word) / 8; h++)
    reinterpret_cast<u64*>(&v)[h] = load_elements<E>(at + h * 8, bytes > h * 8 ? bytes - h * 8 : 0);
  return v;
}

template <class E, class Word> __device__ __forceinline__ void store_pack(char* at, u64 bytes, bool vector, Word v) {
  if (vector && bytes >= sizeof(Word)) {
    *reinterpret_cast<Word*>(at) = v;
    return;
  }
#pragma unroll
  for (u32 h = 0; h < sizeof(Word) / 8; h++)
    store_elements<E>(at + h * 8, bytes > h * 8 ? bytes - h * 8 : 0, reinterpret_cast<const u64*>(&v)[h]);
}

// Widening and narrowing of a pack; types that do two elements a register at a time say how.
template <class E, class Word> struct Widening {
  static constexpr int LENGTH = Pack<E, Word>::LENGTH;

  static __device__ __forceinline__ void widen(Word v, typename E::Wide (&lane)[LENGTH]) {
    Pack<E, Word> p;
    p.word = v;
#pragma unroll
    for (int i = 0; i < LENGTH; i++) lane[i] = E::widen(p.lane[i]);
  }

  static __device__ __forceinline__ Word narrow(const typename E::Wide (&lane)[LENGTH]) {
    Pack<E, Word> p;
#pragma unroll
    for (int i = 0; i < LENGTH; i++) p.lane[i] = E::narrow(lane[i]);
    return p.word;
  }
};

template <class Word> struct Widening<bf16, Word> {
  static constexpr int LENGTH = Pack<bf16, Word>::LENGTH;

  static __device__ __forceinline__ void widen(Word v, float (&lane)[LENGTH]) {
    const u32* pairs = reinterpret_cast<const u32*>(&v);
#pragma unroll
    for (int i = 0; i < LENGTH; i += 2) bf16::widen(pairs[i / 2], lane[i], lane[i + 1]);
  }

  static __device__ __forceinline__ Word narrow(const float (&lane)[LENGTH]) {
    Word v;
    u32* pairs = reinterpret_cast<u32*>(&v);
#pragma unroll
    for (int i = 0; i < LENGTH; i += 2) pairs[i / 2] = bf16::narrow(lane[i], lane[i + 1]);
    return v;
  }
};

// A pack of widened values, to which the ranks' packs are added one by one and which is rounded once.
template <class E, class O, class Word> struct Accumulator {
  static constexpr int LENGTH = Pack<E, Word>::LENGTH;
  typename E::Wide lane[LENGTH];

  __device__ __forceinline__ void start(Word v) { Widening<E, Word>::widen(v, lane); }

  __device__ __forceinline__ void add(Word v) {
    typename E::Wide other[LENGTH];
    Widening<E, Word>::widen(v, other);
#pragma unroll
    for (int i = 0; i < LENGTH; i++) lane[i] = O::apply(lane[i], other[i]);
  }

  __device__ __forceinline__ Word result(u32 ranks, bool complete = true) const {
    typename E::Wide done[LENGTH];
#pragma unroll
    for (int i = 0; i < LENGTH; i++) done[i] = complete ? O::finish(lane[i], ranks) : lane[i];
    return Widening<E, Word>::narrow(done);
  }
};

template <class E, class O, class Word> __device__ __forceinline__ Word reduce_inline(Word a, Word b, u32 ranks, bool complete) {
  Accumulator<E, O, Word> sum;
  sum.start(a);
  sum.add(b);
  return sum.result(ranks, complete);
}

template <class E, class O, class Word> __device__ __noinline__ Word reduce_called(Word a, Word b, u32 ranks, bool complete) {
  return reduce_inline<E, O, Word>(a, b, ranks, complete);
}

// Sixteen fp8 conversions are long enough for a call not to matter, and too long to be repeated everywhere.
template <class E, class O, class Word> __device__ __forceinline__ Word reduce(Word a, Word b, u32 ranks, bool complete = true) {
  if (E::LONG) return reduce_called<E, O, Word>(a, b, ranks, complete);
  return reduce_inline<E, O, Word>(a, b, ranks, complete);
}

// All ranks' packs in their order, rounded once; in place of v[rank] is `own`. Long conversions go a word of four elements at a time, in a
// loop: unrolled, eight ranks' are a megabyte of text.
template <class E, class O, int N> __device__ __forceinline__ uint4 reduce_ranks(uint4 (&v)[N], uint4 own, u32 rank, u32 ranks) {
  if constexpr (!E::LONG) {
    Accumulator<E, O, uint4> sum;
    sum.start(rank == 0 ? own : v[0]);
#pragma unroll
    for (u32 r = 1; r < N; r++)
      if (r < ranks) sum.add(r == rank ? own : v[r]);
    return sum.result(ranks);
  } else {
    uint4 result = make_uint4(0, 0, 0, 0);
#pragma unroll 1
    for (int word = 0; word < 4; word++) {
      Accumulator<E, O, u32> sum;
      sum.start(rank == 0 ? own.x : v[0].x);
#pragma unroll
      for (u32 r = 1; r < N; r++)
        if (r < ranks) sum.add(r == rank ? own.x : v[r].x);
      result = make_uint4(result.y, result.z, result.w, sum.result(ranks));
      own = make_uint4(own.y, own.z, own.w, 0);
#pragma unroll
      for (u32 r = 0; r < N; r++) v[r] = make_uint4(v[r].y, v[r].z, v[r].w, 0);
    }
    return result;
  }
}
