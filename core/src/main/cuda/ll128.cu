// All-reduce of two ranks in 128-byte lines of 120 bytes of data and an 8-byte flag, for NVLink, which carries a warp's
// line whole. A warp's tile is 32 lines: 3,840 bytes of data taken as 32 x 112 bytes followed by 32 x 8, so that every
// access is 16 bytes, aligned and coalesced, and no lane needs a neighbour's value. A warp sends up to `extent` tiles ahead of what it receives.
#include "operate.cuh"

constexpr u32 TILE_DATA = 3840, TILE_WIRE = 4096, TILE_WIDE = 3584, STORES = 8, NARROW = 4;

struct Tile {
  uint4 v[STORES];
};

// Of every eight lanes the last carries the flags. In the buffer it has half as many packs of 16 bytes as the others; on the wire
// each of its stores takes half a pack and a flag.
struct Lane {
  const u32 lane = threadIdx.x & 31;
  const bool flagged = (lane & 7) == 7;

  __device__ __forceinline__ bool has(int j) const { return !flagged || j < int(NARROW); }

  __device__ __forceinline__ u32 offset(int j) const {
    return flagged ? TILE_WIDE + j * 64 + (lane >> 3) * 16 : (j * 4 + (lane >> 3)) * 112 + (lane & 7) * 16;
  }

  // Buffer to wire.
  __device__ __forceinline__ void spread(Tile& t) const {
#pragma unroll
    for (int j = STORES - 1; j >= 0; j--) {
      const uint4 v = t.v[j / 2];
      t.v[j].x = !flagged ? t.v[j].x : j % 2 == 0 ? v.x : v.z;
      t.v[j].y = !flagged ? t.v[j].y : j % 2 == 0 ? v.y : v.w;
    }
  }

  // And back.
  __device__ __forceinline__ void gather(Tile& t) const {
#pragma unroll
    for (int j = 0; j < int(NARROW); j++)
      if (flagged) t.v[j] = make_uint4(t.v[2 * j].x, t.v[2 * j].y, t.v[2 * j + 1].x, t.v[2 * j + 1].y);
  }
};

// Packs of a buffer of which `bytes` are left from the start of the tile on: `one(j, left)` for each that lies in it.
template <class One> __device__ __forceinline__ void each_pack(const Lane& l, u64 bytes, One one) {
#pragma unroll
  for (int j = 0; j < int(STORES); j++)
    if (l.has(j) && l.offset(j) < bytes) one(j, bytes - l.offset(j));
}

template <class E> __device__ __forceinline__ void load_tile(Tile& t, const Lane& l, const char* at, u64 bytes, bool vector) {
  if (vector && bytes >= TILE_DATA) {
#pragma unroll
    for (int j = 0; j < int(STORES); j++)
      if (l.has(j)) t.v[j] = *reinterpret_cast<const uint4*>(at + l.offset(j));
  } else if (vector && bytes % 16 == 0) {
    each_pack(l, bytes, [&](int j, u64) { t.v[j] = *reinterpret_cast<const uint4*>(at + l.offset(j)); });
  } else {
#pragma unroll 1
    for (int j = 0; j < int(STORES); j++) {
      if (!l.has(j) || l.offset(j) >= bytes) continue;
      const uint4 v = load_pack<E, uint4>(at + l.offset(j), bytes - l.offset(j), vector);
#pragma unroll
      for (int k = 0; k < int(STORES); k++)  // no run-time index: registers
        if (k == j) t.v[k] = v;
    }
  }
  l.spread(t);
}

template <class E> __device__ __forceinline__ void store_tile(Tile& t, const Lane& l, char* at, u64 bytes, bool vector) {
  l.gather(t);
  if (vector && bytes >= TILE_DATA) {
#pragma unroll
    for (int j = 0; j < int(STORES); j++)
      if (l.has(j)) *reinterpret_cast<uint4*>(at + l.offset(j)) = t.v[j];
  } else if (vector && bytes % 16 == 0) {
    each_pack(l, bytes, [&](int j, u64) { *reinterpret_cast<uint4*>(at + l.offset(j)) = t.v[j]; });
  } else {
#pragma unroll 1
    for (int j = 0; j < int(STORES); j++) {
      if (!l.has(j) || l.offset(j) >= bytes) continue;
      uint4 v = t.v[0];
#pragma unroll
      for (int k = 1; k < int(STORES); k++)
        if (k == j) v = t.v[k];
      store_pack<E, uint4>(at + l.offset(j), bytes - l.offset(j), vector, v);
    }
  }
}

__device__ __forceinline__ void send_tile(Tile& t, const Lane& l, char* slot, u64 flag) {
#pragma unroll
  for (int j = 0; j < int(STORES); j++) {
    if (l.flagged) {
      t.v[j].z = static_cast<u32>(flag);
      t.v[j].w = static_cast<u32>(flag >> 32);
    }
    store_line(slot + (j * 32 + l.lane) * 16, t.v[j]);
  }
}

// Polls until every flag of the tile is there, and loads once more: what the vote saw may be older than the flags.
__device__ __forceinline__ bool receive_tile(Tile& t, const Lane& l, const char* slot, u64 flag, Watch& watch) {
  bool waiting;
  do {
    waiting = false;
#pragma unroll
    for (int j = 0; j < int(STORES); j++) {
      t.v[j] = load_line(slot + (j * 32 + l.lane) * 16);
      waiting |= l.flagged && (t.v[j].z != static_cast<u32>(flag) || t.v[j].w != static_cast<u32>(flag >> 32));
    }
    if (watch.stop()) waiting = false;
  } while (__any_sync(0xffffffffu, waiting));
#pragma unroll
  for (int j = 0; j < int(STORES); j++) t.v[j] = load_line(slot + (j * 32 + l.lane) * 16);
  return !__any_sync(0xffffffffu, watch.stopped);
}

// The way back into a buffer.
template <class E> __device__ __forceinline__ void store_tile(const Tile& t, const Lane& l, char* at, u64 bytes, bool vector) {
  bool ragged = false;
#pragma unroll
  for (int j = 0; j < int(STORES); j++) {
    const u64 left = l.left(j, bytes);
    const bool whole = vector && left >= (l.flagged ? 8 : 16);
    ragged |= !whole && left > 0;
    if (whole && !l.flagged) *reinterpret_cast<uint4*>(at + l.offset(j)) = t.v[j];
    if (whole && l.flagged) *reinterpret_cast<uint2*>(at + l.offset(j)) = make_uint2(t.v[j].x, t.v[j].y);
  }
  if (!ragged) return;
#pragma unroll 1
  for (int j = 0; j < int(STORES); j++) {
    const u64 left = l.left(j, bytes);
    if (left == 0 || (vector && left >= (l.flagged ? 8 : 16))) continue;
    uint4 v = t.v[0];
#pragma unroll
    for (int k = 1; k < STORES; k++)
      if (k == j) v = t.v[k];
    store_pack<E, uint4>(at + l.offset(j), left, false, v);
  }
}

// A warp has `depth` = 2 * extent + 2 slots in each bank. Sending tile k means having received tile k - 1 - extent, which
// the peer sent after it had received k - 2 - 2 * extent of ours: the slot is free without a word of acknowledgement.
template <class E, class O> __device__ __forceinline__ void ll128_move(const Arguments& a, u64 number) {
  const Lane l;
  const u32 warps = (blockDim.x - KEEPER_THREADS) / 32, warp = blockIdx.x * warps + threadIdx.x / 32, stride = gridDim.x * warps;
  const u64 bytes = a.count * sizeof(typename E::Stored), tiles = (bytes + TILE_DATA - 1) / TILE_DATA;
  const u64 scratch = a.region + (number & 1) * a.bank + u64(warp) * a.depth * TILE_WIRE;
  char* theirs = a.arena[1 - a.rank] + scratch;
  const char* ours = a.arena[a.rank] + scratch;
  const bool vector = aligned(a.input, a.output, 16);
  const u64 first_flag = (number << 20) + 1;  // ArenaLayout.most keeps an operation below 2^20 tiles a warp
  Watch watch(a);
  u32 sent = 0, received = 0, held = 0;
  Tile own, peer;
  for (u64 ahead = warp, tile = warp; tile < tiles;) {
    const bool sending = ahead < tiles;
    if (sending) {
      load_tile<E>(own, l, a.input + ahead * TILE_DATA, bytes - ahead * TILE_DATA, vector);
      send_tile(own, l, theirs + (sent % a.depth) * TILE_WIRE, first_flag + sent);
      held = sent++;
      ahead += stride;
    }
    if (sending && sent <= a.extent) continue;
    // What was sent last is still at hand, unless it had to make room; anything else is loaded again.
    if (held != received) load_tile<E>(own, l, a.input + tile * TILE_DATA, bytes - tile * TILE_DATA, vector);
    if (!receive_tile(peer, l, ours + (received % a.depth) * TILE_WIRE, first_flag + received, watch)) return;
#pragma unroll
    for (int j = 0; j < int(STORES); j++) own.v[j] = reduce<E, O, uint4>(own.v[j], peer.v[j], 2);
    store_tile<E>(own, l, a.output + tile * TILE_DATA, bytes - tile * TILE_DATA, vector);
    held = ++received - 1;
    tile += stride;
  }
}

template <class E, class O> __device__ __forceinline__ void ll128(const Arguments& a) {
  const u64 number = begin(a);
  if (keeper()) {
    keep_agreement(a, number);
  } else {
    ll128_move<E, O>(a, number);
  }
}

MININCCL_KERNELS(ll128, __launch_bounds__(288, 1))
