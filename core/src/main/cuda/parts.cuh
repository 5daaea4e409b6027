// What all-gather and reduce-scatter share: every rank has something for every other, and sends it straight there. Small parts go as
// lines with a flag, as an LL all-reduce's; large ones through slots of a region of their own, where half of the blocks send and half
// receive. One channel is one pair of blocks; it has slots at every peer, and all of them are in step.
#pragma once
#include "channel.cuh"
#include "lines.cuh"

constexpr u32 PART_CHANNELS = 64;

// At the head of the region. What a rank counts for itself lies there too.
struct PartFlags {
  Counter sent[PART_CHANNELS];
  Counter received[PART_CHANNELS];
  Counter published[PART_CHANNELS][MAX_RANKS];  // by sender, who writes it
  Counter consumed[PART_CHANNELS][MAX_RANKS];   // by receiver, who writes it
};

__device__ __forceinline__ PartFlags* part_flags(const Parted& a, u32 rank) { return reinterpret_cast<PartFlags*>(a.arena[rank] + a.region); }

// Where `receiver` gets slot `index` from `sender`: a channel has `bank` bytes, an equal share of them for each sender.
__device__ __forceinline__ uint4* part_slot(const Parted& a, u32 receiver, u32 sender, u32 channel, u64 index) {
  const u32 turn = (sender + a.ranks - receiver - 1) % a.ranks;
  char* slots = a.arena[receiver] + a.region + sizeof(PartFlags) + channel * a.bank + turn * (a.bank / (a.ranks - 1));
  return reinterpret_cast<uint4*>(slots + index % a.depth * a.extent * sizeof(uint4));
}

// A thread a peer waits; true for all threads of the block unless one was told to stop.
__device__ __forceinline__ bool await_peers(const Parted& a, const Counter* counters, u64 wanted, Watch& watch) {
  if (threadIdx.x < a.ranks && threadIdx.x != a.rank)
    while (static_cast<long long>(load_acquire(&counters[threadIdx.x].value) - wanted) < 0 && !watch.stop()) __nanosleep(PAUSE_NANOS);
  return !__syncthreads_or(watch.stopped);
}

// As `publish`, or without `fence` as `retire`, at every peer: `counter` gives the one at a rank.
template <class Where> __device__ __forceinline__ void tell_peers(const Parted& a, u64 value, bool fence, Where counter) {
  __syncthreads();
  if (threadIdx.x >= a.ranks || threadIdx.x == a.rank) return;
  if (fence) __threadfence_system();
  store_relaxed(&counter(threadIdx.x)->value, value);
}

struct PartRange {
  u64 first, last;  // 16-byte packs of every part
};

__device__ __forceinline__ PartRange part_range(u64 packs, u32 channel, u32 channels) {
  const u64 each = (packs + channels - 1) / channels, first = channel * each;
  return {first < packs ? first : packs, first + each < packs ? first + each : packs};
}

// `send(at, packs, index)` fills the peers' slots with so many packs of every part from `at` on.
template <class Send> __device__ __forceinline__ void parts_send(const Parted& a, u32 channel, PartRange mine, Send send) {
  Watch watch(a);
  PartFlags* ours = part_flags(a, a.rank);
  const u64 begin = ours->sent[channel].value;
  u64 k = begin;
  for (u64 at = mine.first; at < mine.last; at += a.extent) {
    if (!await_peers(a, ours->consumed[channel], needed(a, k, begin), watch)) return;
    send(at, mine.last - at < a.extent ? u32(mine.last - at) : a.extent, k);
    k++;
    tell_peers(a, k, true, [&](u32 peer) { return &part_flags(a, peer)->published[channel][a.rank]; });
  }
  if (threadIdx.x == 0) ours->sent[channel].value = k;
}

// `receive(at, packs, index)` takes what has come into the slots.
template <class Receive> __device__ __forceinline__ void parts_receive(const Parted& a, u64 number, u32 channel, PartRange mine, Receive receive) {
  Watch watch(a);
  PartFlags* ours = part_flags(a, a.rank);
  u64 k = ours->received[channel].value;
  if (channel == 0 && threadIdx.x < a.ranks && threadIdx.x != a.rank) agree(a, number, threadIdx.x, threadIdx.x, watch);
  for (u64 at = mine.first; at < mine.last; at += a.extent) {
    if (!await_peers(a, ours->published[channel], k + 1, watch)) return;
    receive(at, mine.last - at < a.extent ? u32(mine.last - at) : a.extent, k);
    k++;
    tell_peers(a, k, false, [&](u32 peer) { return &part_flags(a, peer)->consumed[channel][a.rank]; });
  }
  if (threadIdx.x == 0) ours->received[channel].value = k;
}

// Half of the blocks do one, half the other, for a part of `bytes`.
template <class Send, class Receive> __device__ __forceinline__ void parts_operate(const Parted& a, u64 bytes, Send send, Receive receive) {
  const u64 number = begin(a);
  const u32 channels = gridDim.x / 2, channel = blockIdx.x % channels;
  const PartRange mine = part_range((bytes + 15) / 16, channel, channels);
  if (blockIdx.x < channels) {
    parts_send(a, channel, mine, [&](u64 at, u32 packs, u64 index) { send(channel, at, packs, index); });
  } else {
    parts_receive(a, number, channel, mine, [&](u64 at, u32 packs, u64 index) { receive(channel, at, packs, index); });
  }
}

// Every word of a part to or from every peer, spread over the threads: `each(peer, i)`.
template <class Each> __device__ __forceinline__ void each_word(const Parted& a, u64 words, Each each) {
  const u32 workers = blockDim.x - KEEPER_THREADS, count = static_cast<u32>(words);
  for (u32 j = blockIdx.x * workers + threadIdx.x; j < count * (a.ranks - 1); j += gridDim.x * workers) each(peer(a, j / count + 1), j % count);
}

// The words' bytes if they have come with the flag; waits for them.
__device__ __forceinline__ uint2 await_line(const char* at, u32 flag, Watch& watch) {
  uint4 line;
  do {
    line = load_line(at);
  } while (!arrived(line, flag) && !watch.stop());
  return make_uint2(line.x, line.z);
}
