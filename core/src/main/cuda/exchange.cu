// All-reduce of two ranks through slots: half of the blocks copy the input into the peer's slots, half reduce from their
// own slots into the output. One channel is one pair of blocks, side by side, so that both directions spread over the device.
#include "channel.cuh"

constexpr int UNROLL = 4;

struct Share {
  u64 first, last;  // 16-byte packs
};

__device__ __forceinline__ Share share(u64 packs, u32 channel, u32 channels) {
  const u64 each = (packs + channels - 1) / channels, first = channel * each;
  return {first < packs ? first : packs, first + each < packs ? first + each : packs};
}

template <class E> __device__ __forceinline__ void copy_to_slot(const char* input, uint4* to, u32 packs, u64 bytes, bool vector) {
  const u32 whole = vector ? (bytes / 16 < packs ? u32(bytes / 16) : packs) : 0;
  u32 i = threadIdx.x;
  for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
    uint4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) v[u] = reinterpret_cast<const uint4*>(input)[i + u * blockDim.x];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) to[i + u * blockDim.x] = v[u];
  }
  for (; i < packs; i += blockDim.x) to[i] = load_pack<E, uint4>(input + u64(i) * 16, bytes - u64(i) * 16, vector);
}

template <class E, class O> __device__ __forceinline__ void reduce_from_slot(const Arguments& a, const uint4* from, u64 at, u32 packs, u64 bytes, bool vector) {
  const char* input = a.input + at;
  char* output = a.output + at;
  const u32 whole = vector ? (bytes / 16 < packs ? u32(bytes / 16) : packs) : 0;
  u32 i = threadIdx.x;
  for (; i + (UNROLL - 1) * blockDim.x < whole; i += UNROLL * blockDim.x) {
    uint4 own[UNROLL], peer[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) peer[u] = load_line(from + i + u * blockDim.x);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) own[u] = reinterpret_cast<const uint4*>(input)[i + u * blockDim.x];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) reinterpret_cast<uint4*>(output)[i + u * blockDim.x] = reduce<E, O, uint4>(own[u], peer[u], 2);
  }
  for (; i < packs; i += blockDim.x) {
    const u64 offset = u64(i) * 16;
    const uint4 own = load_pack<E, uint4>(input + offset, bytes - offset, vector);
    store_pack<E, uint4>(output + offset, bytes - offset, vector, reduce<E, O, uint4>(own, load_line(from + i), 2));
  }
}

template <class E> __device__ __forceinline__ void exchange_send(const Arguments& a, u32 channel, Share mine, u64 bytes, bool vector) {
  Watch watch(a);
  const u64 begin = a.control->exchange_sent[channel].value;
  u64 k = begin;
  const u32 peer = 1 - a.rank;
  for (u64 at = mine.first; at < mine.last; at += a.extent) {
    if (!await_count(&flags(a, a.rank)->consumed[channel].value, needed(a, k, begin), watch)) return;
    const u32 packs = mine.last - at < a.extent ? u32(mine.last - at) : a.extent;
    copy_to_slot<E>(a.input + at * 16, reinterpret_cast<uint4*>(slot(a, peer, channel, k)), packs, bytes - at * 16, vector);
    k++;
    publish(&flags(a, peer)->published[channel].value, k);
    // After the fence of publishing, which covers the block's reads.
    if (threadIdx.x == 0) store_relaxed(&a.control->exchange_read[channel].value, k);
  }
  if (threadIdx.x == 0) a.control->exchange_sent[channel].value = k;
}

template <class E, class O> __device__ __forceinline__ void exchange_receive(const Arguments& a, u64 number, u32 channel, Share mine, u64 bytes, bool vector) {
  Watch watch(a);
  u64 k = a.control->exchange_received[channel].value;
  const u32 peer = 1 - a.rank;
  if (channel == 0 && threadIdx.x == 0) agree(a, number, peer, peer, watch);
  for (u64 at = mine.first; at < mine.last; at += a.extent) {
    if (a.input == a.output && !await_count(&a.control->exchange_read[channel].value, k + 1, watch)) return;
    if (!await_count(&flags(a, a.rank)->published[channel].value, k + 1, watch)) return;
    const u32 packs = mine.last - at < a.extent ? u32(mine.last - at) : a.extent;
    reduce_from_slot<E, O>(a, reinterpret_cast<const uint4*>(slot(a, a.rank, channel, k)), at * 16, packs, bytes - at * 16, vector);
    k++;
    retire(&flags(a, peer)->consumed[channel].value, k);
  }
  if (threadIdx.x == 0) a.control->exchange_received[channel].value = k;
}

template <class E, class O> __device__ __forceinline__ void exchange(const Arguments& a) {
  const u64 number = begin(a);
  const u32 channels = gridDim.x / 2, channel = blockIdx.x / 2;
  const u64 bytes = a.count * sizeof(typename E::Stored);
  const Share mine = share((bytes + 15) / 16, channel, channels);
  const bool vector = aligned(a.input, a.output, 16);
  if (blockIdx.x % 2 == 0) {
    exchange_send<E>(a, channel, mine, bytes, vector);
  } else {
    exchange_receive<E, O>(a, number, channel, mine, bytes, vector);
  }
}

MININCCL_KERNELS(exchange, __launch_bounds__(1024))
