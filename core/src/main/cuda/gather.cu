// All-gather: every rank's part to every other. Nothing is computed, so one set of kernels serves all types: `count` is the bytes of a
// part, `stride` those from one part of the output to the next.
#include "parts.cuh"

constexpr int UNROLL = 4;

struct Places {
  const Parted& a;
  char* own;
  bool keep, vector_in, vector_own, vector_out;

  __device__ __forceinline__ explicit Places(const Parted& arguments, u32 alignment)
      : a(arguments),
        own(arguments.output + arguments.rank * arguments.stride),
        keep(arguments.input != own),
        vector_in(aligned(arguments.input, arguments.input, alignment)),
        vector_own(aligned(own, own, alignment)),
        vector_out(aligned(arguments.output, reinterpret_cast<const void*>(arguments.stride), alignment)) {}
};

__device__ __forceinline__ void gather_words(const Parted& a, u64 number, u64 bank, u64 words) {
  const u32 flag = line_flag(number);
  const Places p(a, 8);
  each_word(a, words, [&](u32 receiver, u32 i) {
    const u64 at = u64(i) * 8;
    const uint2 v = load_pack<u8, uint2>(a.input + at, a.count - at, p.vector_in);
    store_line(ll_line(a, a.arena[receiver], bank, a.rank, i), make_uint4(v.x, flag, v.y, flag));
    if (p.keep && receiver == peer(a, 1)) store_pack<u8, uint2>(p.own + at, a.count - at, p.vector_own, v);
  });
  Watch watch(a);
  each_word(a, words, [&](u32 sender, u32 i) {
    const u64 at = u64(i) * 8;
    const uint2 v = await_line(ll_line(a, a.arena[a.rank], bank, sender, i), flag, watch);
    if (!watch.stopped) store_pack<u8, uint2>(a.output + sender * a.stride + at, a.count - at, p.vector_out, v);
  });
}

// Small parts.
extern "C" __global__ void gather_ll(const Parted a) {
  ll_operate<u8>(a, gridDim.x, [&](u64 number, u64 bank, u64 words) { gather_words(a, number, bank, words); });
}

// Input to the slots of all peers, and to its own place.
__device__ __forceinline__ void gather_send(const Places& p, u32 channel, u64 at, u32 packs, u64 index) {
  const Parted& a = p.a;
  const char* from = a.input + at * 16;
  char* own = p.own + at * 16;
  const u64 bytes = a.count - at * 16;
  u32 i = threadIdx.x;
  if (p.vector_in && p.vector_own) {
    const u32 whole = bytes / 16 < packs ? u32(bytes / 16) : packs;
    for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
      uint4 v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) v[u] = reinterpret_cast<const uint4*>(from)[i + u * blockDim.x];
#pragma unroll 1
      for (u32 hop = 1; hop < a.ranks; hop++) {
        uint4* to = part_slot(a, peer(a, hop), a.rank, channel, index);
#pragma unroll
        for (int u = 0; u < UNROLL; u++) to[i + u * blockDim.x] = v[u];
      }
      if (!p.keep) continue;
#pragma unroll
      for (int u = 0; u < UNROLL; u++) reinterpret_cast<uint4*>(own)[i + u * blockDim.x] = v[u];
    }
  }
  for (; i < packs; i += blockDim.x) {
    const u64 offset = u64(i) * 16;
    const uint4 v = load_pack<u8, uint4>(from + offset, bytes - offset, p.vector_in);
#pragma unroll 1
    for (u32 hop = 1; hop < a.ranks; hop++) part_slot(a, peer(a, hop), a.rank, channel, index)[i] = v;
    if (p.keep) store_pack<u8, uint4>(own + offset, bytes - offset, p.vector_own, v);
  }
}

__device__ __forceinline__ void gather_receive(const Places& p, u32 channel, u64 at, u32 packs, u64 index) {
  const Parted& a = p.a;
  const u64 bytes = a.count - at * 16;
  const u32 whole = !p.vector_out ? 0 : bytes / 16 < packs ? u32(bytes / 16) : packs;
#pragma unroll 1
  for (u32 hop = 1; hop < a.ranks; hop++) {
    const u32 sender = peer(a, hop);
    const uint4* from = part_slot(a, a.rank, sender, channel, index);
    char* to = a.output + sender * a.stride + at * 16;
    u32 i = threadIdx.x;
    for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
      uint4 v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) v[u] = load_line(from + i + u * blockDim.x);
#pragma unroll
      for (int u = 0; u < UNROLL; u++) reinterpret_cast<uint4*>(to)[i + u * blockDim.x] = v[u];
    }
    for (; i < packs; i += blockDim.x) store_pack<u8, uint4>(to + u64(i) * 16, bytes - u64(i) * 16, p.vector_out, load_line(from + i));
  }
}

// Large parts.
extern "C" __global__ void __launch_bounds__(1024) gather(const Parted a) {
  const Places p(a, 16);
  parts_operate(
      a, a.count, [&](u32 channel, u64 at, u32 packs, u64 index) { gather_send(p, channel, at, packs, index); },
      [&](u32 channel, u64 at, u32 packs, u64 index) { gather_receive(p, channel, at, packs, index); });
}
