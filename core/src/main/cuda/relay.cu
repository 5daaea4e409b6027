// Carries a rank's input to host memory, where the host engine reduces it with its peers, and the result back. Two blocks a channel
// of that engine: one fills the channel's share of the staging memory, one empties it. They keep step with the engine by marks in
// mapped memory, piece by piece, so that copies and reduction overlap. Mirrored by Staging.java and Shares.java.
//
// A message is cut into segments that fit a half of the staging memory; segments alternate between the halves. A mark is the number
// of a segment, counted from the communicator's first, above 32 bits of how many bytes of the share are there.
#include "relay.cuh"

__device__ __forceinline__ Share share(const Arguments& a, u64 elements, u32 channel) {
  const u64 size = a.extent, most = elements * size / reinterpret_cast<u64>(a.arena[2]);
  const u64 channels = most == 0 ? 1 : most < a.depth ? most : a.depth;
  const u64 each = (elements / channels + GRAIN - 1) / GRAIN * GRAIN;
  if (channel >= channels) return {0, 0};
  return {channel * each * size, (channel + 1 < channels ? each : elements - channel * each) * size};
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
