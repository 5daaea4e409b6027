// What the kernels that carry data to and from staging memory share: its lines, and copies of any alignment.
#pragma once
#include "channel.cuh"

constexpr u32 PIECE = 128u << 10;         // bytes between two marks
constexpr u32 GRAIN = 64;                 // elements; shares begin at multiples of it
constexpr int UNROLL = 4;

struct Request {
  u64 number;  // of the operation, written last
  u64 code;    // what it is
  u64 pad[COUNTER_STRIDE - 2];
};

// Mapped host memory; each line has one writer.
struct Lines {
  Request request;
  Counter served;                    // operations that the host has ended
  Counter drained;                   // segments whose half the host has done with
  Counter arrived[MAX_CHANNELS];     // marks of the input, written here
  Counter completed[MAX_CHANNELS];   // marks of the result, written by the host
};

// Arguments: `extent` is the size of an element, `depth` the number of channels, `bank` bytes of a half, `region` elements of a segment;
// arena[0] the staging memory, arena[1] the lines, arena[2] no address but the least bytes of a share.
struct Share {
  u64 first, bytes;
};

__device__ __forceinline__ Lines* lines(const Arguments& a) { return reinterpret_cast<Lines*>(a.arena[1]); }

// Sixteen bytes from anywhere, read in whole words: what a word holds beyond the buffer is on the buffer's own page.
__device__ __forceinline__ uint4 load_unaligned(const char* at) {
  const u32 shift = static_cast<u32>(reinterpret_cast<u64>(at) & 3) * 8;
  const u32* word = reinterpret_cast<const u32*>(reinterpret_cast<u64>(at) & ~3ull);
  const u32 last = shift == 0 ? 0 : word[4];
  const u32 a = word[0], b = word[1], c = word[2], d = word[3];
  return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift), __funnelshift_r(d, last, shift));
}

// The host's memory is written in whole lines of a warp, whatever the buffer's alignment.
__device__ __forceinline__ void fill(uint4* to, const char* from, u32 bytes) {
  const u32 whole = bytes / 16;
  const bool vector = aligned(from, from, 16);
  u32 i = threadIdx.x;
  if (vector) {
    for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
      uint4 v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) v[u] = reinterpret_cast<const uint4*>(from)[i + u * blockDim.x];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) to[i + u * blockDim.x] = v[u];
    }
  }
  for (; i < whole; i += blockDim.x) to[i] = vector ? reinterpret_cast<const uint4*>(from)[i] : load_unaligned(from + u64(i) * 16);
  for (u32 b = whole * 16 + threadIdx.x; b < bytes; b += blockDim.x) reinterpret_cast<char*>(to)[b] = from[b];
}

__device__ __forceinline__ void store_unaligned(char* to, uint4 v) {
  const u32 words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int w = 0; w < 4; w++) {
    if (aligned(to, to, 4)) {
      reinterpret_cast<u32*>(to)[w] = words[w];
    } else {
#pragma unroll
      for (int b = 0; b < 4; b++) to[w * 4 + b] = static_cast<char>(words[w] >> (b * 8));
    }
  }
}

__device__ __forceinline__ void empty(char* to, const uint4* from, u32 bytes) {
  const u32 whole = bytes / 16;
  const bool vector = aligned(to, to, 16);
  u32 i = threadIdx.x;
  if (vector) {
    for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
      uint4 v[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; u++) v[u] = load_line(from + i + u * blockDim.x);
#pragma unroll
      for (int u = 0; u < UNROLL; u++) reinterpret_cast<uint4*>(to)[i + u * blockDim.x] = v[u];
    }
  }
  for (; i < whole; i += blockDim.x) {
    const uint4 v = load_line(from + i);
    if (vector) {
      reinterpret_cast<uint4*>(to)[i] = v;
    } else {
      store_unaligned(to + u64(i) * 16, v);
    }
  }
  const volatile char* rest = reinterpret_cast<const volatile char*>(from);
  for (u32 b = whole * 16 + threadIdx.x; b < bytes; b += blockDim.x) to[b] = rest[b];
}
