// LL for two ranks: the same with nothing left to loop over.
#pragma once
#include "ll.cuh"

// Words that a thread has in flight where it has so many.
constexpr int LL2_WORDS = 4;

struct WordRange {
  u32 first, stride, words, whole;  // `whole`: those that lie in the buffer as a whole, and aligned

  __device__ __forceinline__ bool group(u32 i) const { return i + (LL2_WORDS - 1) * stride < whole; }
};

// A thread's words of the input from `i` on: a group of them, or one.
struct Own {
  uint2 v[LL2_WORDS];

  __device__ __forceinline__ void load_group(const Arguments& a, const WordRange& w, u32 i) {
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++) v[k] = reinterpret_cast<const uint2*>(a.input)[i + k * w.stride];
  }

  template <class E> __device__ __forceinline__ void load_one(const Arguments& a, const WordRange& w, u64 bytes, u32 i) {
    v[0] = load_pack<E, uint2>(a.input + u64(i) * 8, bytes - u64(i) * 8, i < w.whole);
  }

  // The first of them, which are asked for before the operation's number, so that both are under way at once.
  template <class E> __device__ __forceinline__ void load_first(const Arguments& a, const WordRange& w, u64 bytes) {
    if (w.group(w.first)) {
      load_group(a, w, w.first);
    } else if (w.first < w.words) {
      load_one<E>(a, w, bytes, w.first);
    }
  }
};

template <class E> __device__ __forceinline__ void ll2_send(const Arguments& a, const WordRange& w, u64 bytes, u32 flag, char* theirs, Own own) {
  u32 i = w.first;
  for (; w.group(i); i += LL2_WORDS * w.stride) {
    if (i != w.first) own.load_group(a, w, i);
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++) store_line(theirs + u64(i + k * w.stride) * 16, make_uint4(own.v[k].x, flag, own.v[k].y, flag));
  }
  for (; i < w.words; i += w.stride) {
    if (i != w.first) own.load_one<E>(a, w, bytes, i);
    store_line(theirs + u64(i) * 16, make_uint4(own.v[0].x, flag, own.v[0].y, flag));
  }
}

template <class E, class O> __device__ __forceinline__ void ll2_receive(const Arguments& a, const WordRange& w, u64 bytes, u32 flag, const char* ours, Own own) {
  Watch watch(a);
  u32 i = w.first;
  for (; w.group(i); i += LL2_WORDS * w.stride) {
    uint4 line[LL2_WORDS];
    if (i != w.first) own.load_group(a, w, i);
    bool waiting;
    do {
      waiting = false;
#pragma unroll
      for (int k = 0; k < LL2_WORDS; k++) line[k] = load_line(ours + u64(i + k * w.stride) * 16);
#pragma unroll
      for (int k = 0; k < LL2_WORDS; k++) waiting |= line[k].y != flag || line[k].w != flag;
    } while (waiting && !watch.stop());
    if (watch.stopped) return;
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++)
      reinterpret_cast<uint2*>(a.output)[i + k * w.stride] = reduce<E, O, uint2>(own.v[k], make_uint2(line[k].x, line[k].z), 2);
  }
  for (; i < w.words; i += w.stride) {
    if (i != w.first) own.load_one<E>(a, w, bytes, i);
    uint4 line;
    do {
      line = load_line(ours + u64(i) * 16);
    } while ((line.y != flag || line.w != flag) && !watch.stop());
    if (watch.stopped) return;
    const uint2 result = reduce<E, O, uint2>(own.v[0], make_uint2(line.x, line.z), 2);
    store_pack<E, uint2>(a.output + u64(i) * 8, bytes - u64(i) * 8, i < w.whole, result);
  }
}

template <class E, class O> __device__ __forceinline__ void ll2_operate(const Arguments& a, u32 blocks) {
  const u32 workers = blockDim.x - KEEPER_THREADS, peer = 1 - a.rank;
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const bool vector = aligned(a.input, a.output, 8);
  const WordRange w = {blockIdx.x * workers + threadIdx.x, blocks * workers, static_cast<u32>((bytes + 7) / 8), vector ? static_cast<u32>(bytes / 8) : 0};
  Own own;
  if (!keeper()) own.load_first<E>(a, w, bytes);
  ll_operate<E>(a, blocks, [&](u64 number, u64 bank, u64) {
    const u32 flag = line_flag(number);
    ll2_send<E>(a, w, bytes, flag, ll_line(a, a.arena[peer], bank, a.rank, 0), own);
    ll2_receive<E, O>(a, w, bytes, flag, ll_line(a, a.arena[a.rank], bank, peer, 0), own);
  });
}
