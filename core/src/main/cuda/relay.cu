// Carries a rank's input to host memory, where the host engine works on it with its peers, and the result back. Two blocks a channel of
// that engine: one fills the channel's share of the staging memory, one empties it. They keep step with the engine by marks in mapped
// memory, piece by piece, so that copies and reduction overlap. Mirrored by Staging.java and Shares.java.
//
// A message is cut into segments that fit a half of the staging memory; segments alternate between the halves. A segment of an all-gather or
// reduce-scatter has a piece of every rank's part, one after the other at multiples of GRAIN elements; a channel has the same share of
// each. The smaller buffer's piece lies at its rank's place. A mark is the number of a segment, counted from the communicator's first, above
// 32 bits of how many bytes of the share are there, counted through its pieces.
#include "relay.cuh"

constexpr u32 ALL_GATHER = 3, REDUCE_SCATTER = 4;  // as in the top bits of OperationCode.java

__device__ __forceinline__ Share share(const Arguments& a, u64 elements, u32 parts, u32 channel) {
  const u64 size = a.extent, most = elements * size * parts / reinterpret_cast<u64>(a.arena[2]);
  u64 channels = most == 0 ? 1 : most < a.depth ? most : a.depth;
  u64 each = (elements / channels + GRAIN - 1) / GRAIN * GRAIN;
  for (; channels > 1 && each * (channels - 1) >= elements; each = (elements / channels + GRAIN - 1) / GRAIN * GRAIN) channels--;
  if (channels == 1) each = elements;
  if (channel >= channels) return {0, 0};
  return {channel * each * size, (channel + 1 < channels ? each : elements - channel * each) * size};
}

// What a block carries: so many parts, of which each has `bytes` here, and how far they lie from each other.
struct Pieces {
  u32 count;
  u64 bytes, staged_stride, stride;
};

// `later` is false for an operation's first segment: of the two that used its half before, the host has ended the older, or this
// operation's kernel would not have begun.
__device__ __forceinline__ bool fill_share(const Arguments& a, u32 channel, u64 segment, bool later, char* staged, const char* input, const Pieces& p, Watch& watch) {
  if (later) {
    if (!await_count(&lines(a)->drained.value, segment - 2, watch)) return false;
    // A last, shorter segment has its parts elsewhere than the one before.
    for (u32 c = 0; c < a.depth; c++)
      if (!await_count(&a.control->ring_received[c].value, segment - 2, watch)) return false;
  }
  u64 done = 0;
  for (u32 part = 0; part < p.count; part++) {
    for (u64 at = 0; at < p.bytes; at += PIECE) {
      const u32 piece = p.bytes - at < PIECE ? u32(p.bytes - at) : PIECE;
      fill(reinterpret_cast<uint4*>(staged + part * p.staged_stride + at), input + part * p.stride + at, piece);
      done += piece;
      publish(&lines(a)->arrived[channel].value, segment << 32 | done);
    }
  }
  return true;
}

__device__ __forceinline__ bool empty_share(const Arguments& a, u32 channel, u64 segment, const char* staged, char* output, const Pieces& p, Watch& watch) {
  __shared__ u64 mark;
  const u64* completed = &lines(a)->completed[channel].value;
  u64 done = 0;
  for (u32 part = 0; part < p.count; part++) {
    for (u64 at = 0; at < p.bytes;) {
      if (!await_count(completed, segment << 32 | (done + 1), watch)) return false;
      if (threadIdx.x == 0) mark = load_acquire(completed);
      __syncthreads();
      // The host may be at the next segment already.
      const u64 there = (mark >> 32 == segment ? mark & 0xffffffffu : p.count * p.bytes) - done;
      const u64 piece = there < p.bytes - at ? there : p.bytes - at;
      __syncthreads();
      empty(output + part * p.stride + at, reinterpret_cast<const uint4*>(staged + part * p.staged_stride + at), u32(piece));
      at += piece;
      done += piece;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) store_release(&a.control->ring_received[channel].value, segment);
  return true;
}

extern "C" __global__ void __launch_bounds__(512) relay(const Parted a) {
  const u64 number = begin(a);
  const u32 channel = blockIdx.x % a.depth;
  const bool fills = blockIdx.x < a.depth;
  Watch watch(a);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    store_relaxed(&lines(a)->request.code, a.fingerprint);
    store_release(&lines(a)->request.number, number);
  }
  const u32 kind = u32(a.fingerprint >> 60);
  const u32 inputs = kind == REDUCE_SCATTER ? a.ranks : 1, outputs = kind == ALL_GATHER ? a.ranks : 1;
  const bool own = kind == (fills ? ALL_GATHER : REDUCE_SCATTER);  // the only part, at its rank's place
  const u64 before = fills ? a.control->ring_sent[channel].value : load_relaxed(&a.control->ring_received[channel].value);
  __syncthreads();  // nobody counts on before all have read
  u64 segment = before;
  for (u64 first = 0; first < a.count; first += a.region) {
    const u64 elements = a.count - first < a.region ? a.count - first : a.region;
    const Share mine = share(a, elements, inputs * outputs, channel);
    const u64 staged_stride = (elements + GRAIN - 1) / GRAIN * GRAIN * a.extent;
    const Pieces pieces = {fills ? inputs : outputs, mine.bytes, staged_stride, a.stride};
    const u64 at = first * a.extent + mine.first;
    segment++;
    char* staged = a.arena[0] + (segment & 1) * a.bank + (own ? a.rank * staged_stride : 0) + mine.first;
    const bool going = fills ? fill_share(a, channel, segment, first != 0, staged, a.input + at, pieces, watch)
                             : empty_share(a, channel, segment, staged, a.output + at, pieces, watch);
    if (!going) return;
  }
  if (fills && threadIdx.x == 0) a.control->ring_sent[channel].value = segment;
  // With nothing to wait for, the next operation's request could overtake this one's.
  if (a.count == 0 && blockIdx.x == 0) await_count(&lines(a)->served.value, number, watch);
}
