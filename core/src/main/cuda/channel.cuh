// A channel is one block's lane: a ring of slots at the receiver, a counter of published slots beside them, and a counter
// of consumed slots at the sender. All threads of the block wait, move and publish together.
#pragma once
#include "operate.cuh"

constexpr u32 PAUSE_NANOS = 200;

// A channelled region of an arena: counters first, then the slots.
struct Flags {
  Counter published[MAX_CHANNELS];  // written by the one who sends to us
  Counter consumed[MAX_CHANNELS];   // written by the one we send to
};

__device__ __forceinline__ Flags* flags(const Arguments& a, u32 rank) { return reinterpret_cast<Flags*>(a.arena[rank] + a.region); }

// A channel has `bank` bytes, whatever the number and size of its slots in this operation.
__device__ __forceinline__ char* slot(const Arguments& a, u32 rank, u32 channel, u64 index) {
  return a.arena[rank] + a.region + sizeof(Flags) + channel * a.bank + index % a.depth * a.extent * sizeof(uint4);
}

// How many slots must have been consumed before slot `index` may be filled, in an operation that began with slot `first`.
// The one before may have cut the channel into other slots, so all of those must be free.
__device__ __forceinline__ u64 needed(const Arguments& a, u64 index, u64 first) {
  return index + 1 < first + a.depth ? first : index + 1 - a.depth;
}

// Thread 0 waits until the counter has reached `wanted`; true for all threads of the block unless it was told to stop. It pauses
// between looks: counters in host memory are read over PCIe, and a hundred blocks that never pause take a part of its bandwidth.
__device__ __forceinline__ bool await_count(const u64* counter, u64 wanted, Watch& watch) {
  if (threadIdx.x == 0)
    while (static_cast<long long>(load_acquire(counter) - wanted) < 0 && !watch.stop()) __nanosleep(PAUSE_NANOS);
  return !__syncthreads_or(watch.stopped);
}

// The fence is cumulative: after the barrier it covers what the whole block has read and written. With a relaxed store it makes a
// release; a releasing store would be a second fence, and each takes most of a microsecond.
__device__ __forceinline__ void publish(u64* counter, u64 value) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();
  store_relaxed(counter, value);
}

// Says that a slot may be filled again. No fence: what the block has loaded it has used before the barrier, and what is in a register
// cannot change any more; nothing that it has written is passed on by this counter. A fence would wait for all stores that are under
// way, and takes four hundredths of the bandwidth of host memory.
__device__ __forceinline__ void retire(u64* counter, u64 value) {
  __syncthreads();
  if (threadIdx.x == 0) store_relaxed(counter, value);
}
