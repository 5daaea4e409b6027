// What every collective kernel does besides moving data: number itself, watch for reasons to stop, agree with its peers.
#pragma once
#include "arguments.cuh"
#include "pack.cuh"

constexpr u32 SHARES = 1u << 16;

// The number of this operation, from 1. Every warp of its `blocks` calls it once: each adds its share of one operation after it has
// read, so that what the others read stands still until all have. Nothing is reset, so a captured graph replays.
__device__ __forceinline__ u64 begin(const Arguments& a, u32 blocks) {
  const u64 number = load_relaxed(&a.control->progress.value) / SHARES + 1;
  if ((threadIdx.x & 31) == 0) {
    const u32 warps = blocks * (blockDim.x / 32), share = SHARES >> (32 - __clz(warps));  // no division on the way
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    atomicAdd(&a.control->progress.value, u64(first ? SHARES - share * (warps - 1) : share));
  }
  return number;
}

__device__ __forceinline__ u64 begin(const Arguments& a) { return begin(a, gridDim.x); }

// The way out of every spin loop: an abort word of the host's, and a deadline.
struct Watch {
  const Arguments& a;
  u64 limit = 0;
  u32 turns = 0;
  bool stopped = false;

  __device__ __forceinline__ explicit Watch(const Arguments& arguments) : a(arguments) {}

  // Called once a turn of a spin loop; true means leave.
  __device__ __forceinline__ bool stop() {
    if ((++turns & 1023u) == 0) look();
    return stopped;
  }

  __device__ __forceinline__ void look() {
    const u64 now = nanoseconds();
    if (limit == 0) limit = now + a.deadline;
    if (load_relaxed(&a.words->abort) != 0) {
      stopped = true;
    } else if (a.deadline != 0 && now > limit) {
      report(REASON_DEADLINE, a.rank, a.fingerprint, 0);
    }
  }

  // The first reason wins; the host reads it once it sees the abort word.
  __device__ __forceinline__ void report(u64 reason, u64 peer, u64 expected, u64 seen) {
    stopped = true;
    if (atomicExch(&a.control->reported.value, 1ull) != 0) return;
    store_relaxed(&a.words->reason, reason);
    store_relaxed(&a.words->peer, peer);
    store_relaxed(&a.words->sequence, load_relaxed(&a.control->progress.value) / SHARES);
    store_relaxed(&a.words->expected, expected);
    store_relaxed(&a.words->seen, seen);
    __threadfence_system();
    store_release(&a.words->abort, reason);
  }
};

// Flags of 16-byte lines: never zero, which is what scratch memory starts with.
__device__ __forceinline__ u32 line_flag(u64 sequence) { return 0x80000000u | static_cast<u32>(sequence); }

// One thread a peer tells it what we are doing and compares what it says it does. Two banks are enough: an all-reduce
// ends only after every peer has begun it, that is, has ended the one before.
__device__ __forceinline__ void agree(const Arguments& a, u64 sequence, u32 to, u32 from, Watch& watch) {
  const u32 flag = line_flag(sequence);
  Header* theirs = reinterpret_cast<Header*>(a.arena[to]);
  const Header* ours = reinterpret_cast<const Header*>(a.arena[a.rank]);
  store_line(&theirs->line[sequence & 1][a.rank], make_uint4(u32(a.fingerprint), flag, u32(a.fingerprint >> 32), flag));
  uint4 line;
  do {
    line = load_line(&ours->line[sequence & 1][from]);
    if (line.y == flag && line.w == flag) {
      const u64 seen = u64(line.z) << 32 | line.x;
      if (seen != a.fingerprint) watch.report(REASON_DISAGREEMENT, from, a.fingerprint, seen);
      return;
    }
  } while (!watch.stop());
}

// Blocks whose last warp keeps the agreement; the others move data.
constexpr u32 KEEPER_THREADS = 32;

__device__ __forceinline__ bool keeper() { return threadIdx.x >= blockDim.x - KEEPER_THREADS; }

__device__ __forceinline__ void keep_agreement(const Arguments& a, u64 sequence) {
  const u32 peer = threadIdx.x - (blockDim.x - KEEPER_THREADS);
  if (blockIdx.x != 0 || peer >= a.ranks || peer == a.rank) return;
  Watch watch(a);
  agree(a, sequence, peer, peer, watch);
}

// Defines the five entry points of a family for the element type that the build names.
#define MININCCL_KERNELS(FAMILY, BOUNDS) MININCCL_KERNELS_OF(Arguments, FAMILY, BOUNDS)
#define MININCCL_KERNELS_OF(ARGUMENTS, FAMILY, BOUNDS)                                                                                 \
  extern "C" __global__ void BOUNDS FAMILY##_sum(const ARGUMENTS a) { FAMILY<ELEMENT, Sum>(a); }                         \
  extern "C" __global__ void BOUNDS FAMILY##_prod(const ARGUMENTS a) { FAMILY<ELEMENT, Prod>(a); }                       \
  extern "C" __global__ void BOUNDS FAMILY##_max(const ARGUMENTS a) { FAMILY<ELEMENT, Max>(a); }                         \
  extern "C" __global__ void BOUNDS FAMILY##_min(const ARGUMENTS a) { FAMILY<ELEMENT, Min>(a); }                         \
  extern "C" __global__ void BOUNDS FAMILY##_avg(const ARGUMENTS a) { FAMILY<ELEMENT, Avg>(a); }
