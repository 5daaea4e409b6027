// Carries a rank's input to host memory, where the host engine reduces it with its peers, and the result back. Two blocks a channel
// of that engine: one fills the channel's share of the staging memory, one empties it. They keep step with the engine by marks in
// mapped memory, piece by piece, so that copies and reduction overlap. Mirrored by Staging.java and Shares.java.
//
// A message is cut into segments that fit a half of the staging memory; segments alternate between the halves. A mark is the number
// of a segment, counted from the communicator's first, above 32 bits of how many bytes of the share are there.
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

__device__ __forceinline__ Share share(const Arguments& a, u64 elements, u32 channel) {
  const u64 size = a.extent, most = elements * size / reinterpret_cast<u64>(a.arena[2]);
  const u64 channels = most == 0 ? 1 : most < a.depth ? most : a.depth;
  const u64 each = (elements / channels + GRAIN - 1) / GRAIN * GRAIN;
  if (channel >= channels) return {0, 0};
  return {channel * each * size, (channel + 1 < channels ? each : elements - channel * each) * size};
}

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

// `later` is false for an operation's first segment: of the two that used its half before, the host has ended the older, or this
// operation's kernel would not have begun.
__device__ __forceinline__ bool fill_share(const Arguments& a, u32 channel, u64 segment, bool later, char* staged, const char* input, u64 bytes, Watch& watch) {
  if (later) {
    if (!await_count(&lines(a)->drained.value, segment - 2, watch)) return false;
    // A last, shorter segment has its shares elsewhere than the one before, but never beyond.
    for (u32 c = 0; c <= channel; c++)
      if (!await_count(&a.control->ring_received[c].value, segment - 2, watch)) return false;
  }
  for (u64 at = 0; at < bytes; at += PIECE) {
    const u32 piece = bytes - at < PIECE ? u32(bytes - at) : PIECE;
    fill(reinterpret_cast<uint4*>(staged + at), input + at, piece);
    publish(&lines(a)->arrived[channel].value, segment << 32 | (at + piece));
  }
  return true;
}

__device__ __forceinline__ bool empty_share(const Arguments& a, u32 channel, u64 segment, const char* staged, char* output, u64 bytes, Watch& watch) {
  __shared__ u64 mark;
  const u64* completed = &lines(a)->completed[channel].value;
  for (u64 at = 0; at < bytes;) {
    if (!await_count(completed, segment << 32 | (at + 1), watch)) return false;
    if (threadIdx.x == 0) mark = load_acquire(completed);
    __syncthreads();
    // The host may be at the next segment already.
    const u64 end = mark >> 32 == segment ? mark & 0xffffffffu : bytes;
    __syncthreads();
    empty(output + at, reinterpret_cast<const uint4*>(staged + at), u32(end - at));
    at = end;
  }
  __syncthreads();
  if (threadIdx.x == 0) store_release(&a.control->ring_received[channel].value, segment);
  return true;
}

extern "C" __global__ void __launch_bounds__(512) relay(const Arguments a) {
  const u64 number = begin(a);
  const u32 channel = blockIdx.x % a.depth;
  const bool fills = blockIdx.x < a.depth;
  Watch watch(a);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    store_relaxed(&lines(a)->request.code, a.fingerprint);
    store_release(&lines(a)->request.number, number);
  }
  const u64 before = fills ? a.control->ring_sent[channel].value : load_relaxed(&a.control->ring_received[channel].value);
  __syncthreads();  // nobody counts on before all have read
  u64 segment = before;
  for (u64 first = 0; first < a.count; first += a.region) {
    const u64 elements = a.count - first < a.region ? a.count - first : a.region;
    const Share mine = share(a, elements, channel);
    const u64 at = first * a.extent + mine.first;
    segment++;
    char* staged = a.arena[0] + (segment & 1) * a.bank + mine.first;
    const bool going = fills ? fill_share(a, channel, segment, first != 0, staged, a.input + at, mine.bytes, watch)
                             : empty_share(a, channel, segment, staged, a.output + at, mine.bytes, watch);
    if (!going) return;
  }
  if (fills && threadIdx.x == 0) a.control->ring_sent[channel].value = segment;
  // With nothing to wait for, the next operation's request could overtake this one's.
  if (a.count == 0 && blockIdx.x == 0) await_count(&lines(a)->served.value, number, watch);
}
