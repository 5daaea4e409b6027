// Proof that stores to a peer's arena arrive, whole and in order: each side fills `count` words at the other (`extent`
// names the peer), raises a flag, and reads by itself what came. One block; `sequence` numbers of proofs come from the host
// in `fingerprint`; `bank` bytes belong to each sender. The pattern depends on the writer and the proof, so that nothing left behind can pass.
#include "operate.cuh"

__device__ __forceinline__ u64 pattern(u64 proof, u32 writer, u64 i) {
  u64 x = (proof << 32) + (u64(writer) << 24) + i + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

extern "C" __global__ void __launch_bounds__(1024) prove(const Arguments a) {
  Watch watch(a);
  const u32 peer = a.extent;
  u64* theirs = reinterpret_cast<u64*>(a.arena[peer] + a.region + a.rank * a.bank);
  u64* ours = reinterpret_cast<u64*>(a.arena[a.rank] + a.region + peer * a.bank);
  for (u64 i = threadIdx.x; i < a.count; i += blockDim.x) theirs[COUNTER_STRIDE + i] = pattern(a.fingerprint, a.rank, i);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence_system();
    store_release(theirs, a.fingerprint);
    while (load_acquire(ours) != a.fingerprint && !watch.stop()) {
    }
  }
  if (__syncthreads_or(watch.stopped)) return;
  bool right = true;
  for (u64 i = threadIdx.x; i < a.count; i += blockDim.x)
    right = right && load_relaxed(ours + COUNTER_STRIDE + i) == pattern(a.fingerprint, peer, i);
  right = __syncthreads_and(right);
  if (threadIdx.x != 0) return;
  if (right) {
    store_relaxed(&a.words->proven, a.fingerprint);
  } else {
    watch.report(REASON_PROOF, peer, a.fingerprint, 0);
  }
  __threadfence_system();
}

// Proof that a 128-byte line of a warp arrives whole: 120 bytes beside an 8-byte flag, sent and checked `count` times by
// every warp of one block. A line whose flag is new and whose data is not ends it. Two slots: see ll128.cu.
extern "C" __global__ void __launch_bounds__(512) prove_lines(const Arguments a) {
  Watch watch(a);
  const u32 peer = a.extent, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const bool flagged = (lane & 7) == 7;
  char* theirs = a.arena[peer] + a.region + a.rank * a.bank + warp * 2 * 512 + lane * 16;
  const char* ours = a.arena[a.rank] + a.region + peer * a.bank + warp * 2 * 512 + lane * 16;
  bool right = true;
  for (u64 k = 1; k <= a.count; k++) {
    const u64 flag = (a.fingerprint << 32) + k, x = pattern(flag, a.rank, lane), y = flagged ? flag : ~x;
    const u64 slot = (k & 1) * 512;
    store_line(theirs + slot, make_uint4(u32(x), u32(x >> 32), u32(y), u32(y >> 32)));
    uint4 line;
    bool waiting;
    do {
      line = load_line(ours + slot);
      waiting = flagged && (u64(line.w) << 32 | line.z) != flag;
      if (watch.stop()) waiting = false;
    } while (__any_sync(0xffffffffu, waiting));
    if (__any_sync(0xffffffffu, watch.stopped)) break;
    line = load_line(ours + slot);
    const u64 expected = pattern(flag, peer, lane);
    right = right && (u64(line.y) << 32 | line.x) == expected && (flagged || (u64(line.w) << 32 | line.z) == ~expected);
  }
  if (__syncthreads_or(watch.stopped)) return;
  right = __syncthreads_and(right);
  if (threadIdx.x != 0) return;
  if (right) {
    store_relaxed(&a.words->proven, a.fingerprint);
  } else {
    watch.report(REASON_PROOF, peer, a.fingerprint, 1);
  }
  __threadfence_system();
}
