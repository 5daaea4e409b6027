// LL for two ranks: the same with nothing left to loop over.
#pragma once
#include "ll.cuh"

// Words that a thread has in flight where it has so many.
constexpr int LL2_WORDS = 4;

struct WordRange {
  u32 first, stride, words, whole;  // `whole`: those that lie in the buffer as a whole, and aligned
};

template <class E> __device__ __forceinline__ void ll2_send(const Arguments& a, const WordRange& w, u64 bytes, u32 flag, char* theirs) {
  u32 i = w.first;
  for (; i + (LL2_WORDS - 1) * w.stride < w.whole; i += LL2_WORDS * w.stride) {
    uint2 own[LL2_WORDS];
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++) own[k] = reinterpret_cast<const uint2*>(a.input)[i + k * w.stride];
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++) store_line(theirs + u64(i + k * w.stride) * 16, make_uint4(own[k].x, flag, own[k].y, flag));
  }
  for (; i < w.words; i += w.stride) {
    const uint2 own = load_pack<E, uint2>(a.input + u64(i) * 8, bytes - u64(i) * 8, i < w.whole);
    store_line(theirs + u64(i) * 16, make_uint4(own.x, flag, own.y, flag));
  }
}

template <class E, class O> __device__ __forceinline__ void ll2_receive(const Arguments& a, const WordRange& w, u64 bytes, u32 flag, const char* ours) {
  Watch watch(a);
  u32 i = w.first;
  for (; i + (LL2_WORDS - 1) * w.stride < w.whole; i += LL2_WORDS * w.stride) {
    uint2 own[LL2_WORDS];
    uint4 line[LL2_WORDS];
#pragma unroll
    for (int k = 0; k < LL2_WORDS; k++) own[k] = reinterpret_cast<const uint2*>(a.input)[i + k * w.stride];
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
      reinterpret_cast<uint2*>(a.output)[i + k * w.stride] = reduce<E, O, uint2>(own[k], make_uint2(line[k].x, line[k].z), 2);
  }
  for (; i < w.words; i += w.stride) {
    const uint2 own = load_pack<E, uint2>(a.input + u64(i) * 8, bytes - u64(i) * 8, i < w.whole);
    uint4 line;
    do {
      line = load_line(ours + u64(i) * 16);
    } while ((line.y != flag || line.w != flag) && !watch.stop());
    if (watch.stopped) return;
    const uint2 result = reduce<E, O, uint2>(own, make_uint2(line.x, line.z), 2);
    store_pack<E, uint2>(a.output + u64(i) * 8, bytes - u64(i) * 8, i < w.whole, result);
  }
}

// At most a word a thread: nothing is loaded twice, and little code on the way.
template <class E, class O> __device__ __forceinline__ void ll2_one(const Arguments& a, const WordRange& w, u64 bytes, u32 flag, char* theirs, const char* ours) {
  if (w.first >= w.words) return;
  const u64 at = u64(w.first) * 8;
  const uint2 own = load_pack<E, uint2>(a.input + at, bytes - at, w.first < w.whole);
  store_line(theirs + at * 2, make_uint4(own.x, flag, own.y, flag));
  Watch watch(a);
  uint4 line;
  do {
    line = load_line(ours + at * 2);
  } while ((line.y != flag || line.w != flag) && !watch.stop());
  if (watch.stopped) return;
  const uint2 result = reduce<E, O, uint2>(own, make_uint2(line.x, line.z), 2);
  store_pack<E, uint2>(a.output + at, bytes - at, w.first < w.whole, result);
}

template <class E, class O> __device__ __forceinline__ void ll2_move(const Arguments& a, u32 blocks, u64 number, u64 bank, u64 words) {
  const u32 flag = line_flag(number), workers = blockDim.x - KEEPER_THREADS, peer = 1 - a.rank;
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const bool vector = aligned(a.input, a.output, 8);
  const WordRange w = {blockIdx.x * workers + threadIdx.x, blocks * workers, static_cast<u32>(words), vector ? static_cast<u32>(bytes / 8) : 0};
  char* theirs = ll_line(a, a.arena[peer], bank, a.rank, 0);
  const char* ours = ll_line(a, a.arena[a.rank], bank, peer, 0);
  if (w.words <= w.stride) {
    ll2_one<E, O>(a, w, bytes, flag, theirs, ours);
  } else {
    ll2_send<E>(a, w, bytes, flag, theirs);
    ll2_receive<E, O>(a, w, bytes, flag, ours);
  }
}

template <class E, class O> __device__ __forceinline__ void ll2_operate(const Arguments& a, u32 blocks) {
  ll_operate<E>(a, blocks, [&](u64 number, u64 bank, u64 words) { ll2_move<E, O>(a, blocks, number, bank, words); });
}
