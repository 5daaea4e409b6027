// All-reduce of more than two ranks in 128-byte lines of 120 bytes of data and an 8-byte flag, in two shots: each rank sends part j of its
// input to rank j, which reduces its part in rank order, rounds once, and sends the result to all. For NVLink, which carries a warp's line
// whole (see ll128.cu). A warp's tile is 32 lines: 3,840 bytes of data, 32 x 112 followed by 32 x 8.
//
// A bank holds 2 x n x `extent` tiles: by step, by sender, by tile of a part. Each is written once an operation, so no counter is needed,
// and why two banks are enough is what ll_twoshot.cu says.
#include "peers.cuh"

constexpr u32 TILE_DATA = 3840, TILE_WIRE = 4096, TILE_WIDE = 3584, LINES = 32, STORES = 8, QUARTERS = 4;
constexpr u32 INPUT_STEP = 0, RESULT_STEP = 1;
constexpr u32 N = MAX_RANKS;

template <class E, class O> struct Tiles {
  const Arguments& a;
  const u64 number, bytes;
  const u32 each, all;  // tiles a part, and in all
  const u32 lane;
  const bool flagged;  // of every eight lanes the last carries the flag, and so half as much data as the others
  const bool vector;
  Watch watch;

  __device__ __forceinline__ Tiles(const Arguments& arguments, u64 sequence, u32 tiles)
      : a(arguments),
        number(sequence),
        bytes(arguments.count * sizeof(typename E::Stored)),
        each((tiles + arguments.ranks - 1) / arguments.ranks),
        all(tiles),
        lane(threadIdx.x & 31),
        flagged((threadIdx.x & 7) == 7),
        vector(aligned(arguments.input, arguments.output, 16)),
        watch(arguments) {}

  __device__ __forceinline__ char* slot(u32 at, u32 step, u32 from, u32 tile) const {
    return a.arena[at] + a.region + (number & 1) * a.bank + (u64(step * a.ranks + from) * a.extent + tile) * TILE_WIRE;
  }

  // Where a lane's share of its j-th line lies in the tile's data.
  __device__ __forceinline__ u32 offset(u32 j) const {
    const u32 line = j * 4 + (lane >> 3);
    return flagged ? TILE_WIDE + line * 8 : line * 112 + (lane & 7) * 16;
  }

  __device__ __forceinline__ bool plain(u32 tile) const { return vector && u64(tile + 1) * TILE_DATA <= bytes; }

  // In a tile that lies in the buffer as a whole, aligned.
  __device__ __forceinline__ uint4 load_plain(u32 tile, u32 j) const {
    const char* at = a.input + u64(tile) * TILE_DATA + offset(j);
    if (!flagged) return *reinterpret_cast<const uint4*>(at);
    const uint2 half = *reinterpret_cast<const uint2*>(at);
    return make_uint4(half.x, half.y, 0, 0);
  }

  __device__ __forceinline__ void store_plain(u32 tile, u32 j, uint4 v) const {
    char* at = a.output + u64(tile) * TILE_DATA + offset(j);
    if (flagged) {
      *reinterpret_cast<uint2*>(at) = make_uint2(v.x, v.y);
    } else {
      *reinterpret_cast<uint4*>(at) = v;
    }
  }

  __device__ __forceinline__ uint4 load(u32 tile, u32 j, bool whole) const {
    const u64 at = u64(tile) * TILE_DATA + offset(j), left = bytes > at ? bytes - at : 0;
    if (!flagged) return load_pack<E, uint4>(a.input + at, left, whole);
    const uint2 half = load_pack<E, uint2>(a.input + at, left, whole);
    return make_uint4(half.x, half.y, 0, 0);
  }

  __device__ __forceinline__ void store(u32 tile, u32 j, bool whole, uint4 v) const {
    const u64 at = u64(tile) * TILE_DATA + offset(j), left = bytes > at ? bytes - at : 0;
    if (flagged) {
      store_pack<E, uint2>(a.output + at, left, whole, make_uint2(v.x, v.y));
    } else {
      store_pack<E, uint4>(a.output + at, left, whole, v);
    }
  }

  // The warp's lanes meet first: their line goes out as a whole.
  __device__ __forceinline__ void store_wire(char* tile, u32 j, uint4 v) const {
    if (flagged) v = make_uint4(v.x, v.y, static_cast<u32>(number), static_cast<u32>(number >> 32));
    __syncwarp();
    store_line(tile + (j * LINES + lane) * 16, v);
  }

  // Lane i looks after line i. What is loaded after the vote is what the flags stand for.
  __device__ __forceinline__ bool await(const char* tile) {
    bool missing;
    do {
      missing = load_relaxed(reinterpret_cast<const u64*>(tile + lane * 128 + 120)) != number;
      if (watch.stop()) missing = false;
    } while (__any_sync(0xffffffffu, missing));
    return !__any_sync(0xffffffffu, watch.stopped);
  }

  // To the owner of the part.
  __device__ __forceinline__ void send(u32 to, u32 tile) const {
    const u32 place = to * each + tile;
    if (place >= all) return;
    char* there = slot(to, INPUT_STEP, a.rank, tile);
    if (plain(place)) {
      uint4 v[STORES];
#pragma unroll
      for (u32 j = 0; j < STORES; j++) v[j] = load_plain(place, j);
#pragma unroll
      for (u32 j = 0; j < STORES; j++) store_wire(there, j, v[j]);
    } else {
#pragma unroll 1
      for (u32 j = 0; j < STORES; j++) store_wire(there, j, load(place, j, false));
    }
  }

  // Until the lines of one quarter are here from all peers, whose tiles lie `between` bytes apart. Eight lanes look after the lines of a
  // rank, four ranks at a time.
  __device__ __forceinline__ bool await_quarter(const char* lines, u64 between) {
    bool missing;
    do {
      missing = false;
#pragma unroll
      for (u32 turn = 0; turn < N / 4; turn++) {
        const u32 from = turn * 4 + lane / 8;
        if (from < a.ranks && from != a.rank)
          missing |= load_relaxed(reinterpret_cast<const u64*>(lines + from * between + (lane & 7) * 128 + 120)) != number;
      }
      if (watch.stop()) missing = false;
    } while (__any_sync(0xffffffffu, missing));
    return !__any_sync(0xffffffffu, watch.stopped);
  }

  // A quarter of a tile, so that many warps have a share in the part and all loads of a warp are under way at once.
  __device__ __forceinline__ bool reduce(u32 tile, u32 quarter) {
    constexpr u32 STEP = STORES / QUARTERS;
    const u32 place = a.rank * each + tile;
    const bool whole = plain(place);
    const char* ours = slot(a.rank, INPUT_STEP, 0, tile);
    const u64 between = u64(a.extent) * TILE_WIRE;
    if (!await_quarter(ours + quarter * (TILE_WIRE / QUARTERS), between)) return false;
    uint4 v[STEP][N];
#pragma unroll
    for (u32 s = 0; s < STEP; s++) {
#pragma unroll
      for (u32 r = 0; r < N; r++)
        if (r < a.ranks && r != a.rank) v[s][r] = load_line(ours + r * between + ((quarter * STEP + s) * LINES + lane) * 16);
    }
#pragma unroll
    for (u32 s = 0; s < STEP; s++) {
      const u32 j = quarter * STEP + s;
      const uint4 own = load(place, j, whole);
      const uint4 result = reduce_ranks<E, O, N>(v[s], own, a.rank, a.ranks);
#pragma unroll 1
      for (u32 k = 1; k < a.ranks; k++) store_wire(slot(peer(a, k), RESULT_STEP, a.rank, tile), j, result);
      store(place, j, whole, result);
    }
    return true;
  }

  __device__ __forceinline__ bool receive(u32 from, u32 tile) {
    const u32 place = from * each + tile;
    if (place >= all) return true;
    const char* here = slot(a.rank, RESULT_STEP, from, tile);
    if (!await(here)) return false;
    if (plain(place)) {
      uint4 v[STORES];
#pragma unroll
      for (u32 j = 0; j < STORES; j++) v[j] = load_line(here + (j * LINES + lane) * 16);
#pragma unroll
      for (u32 j = 0; j < STORES; j++) store_plain(place, j, v[j]);
    } else {
#pragma unroll 1
      for (u32 j = 0; j < STORES; j++) store(place, j, false, load_line(here + (j * LINES + lane) * 16));
    }
    return true;
  }
};

// Warps beside one another serve different peers. In place, a tile is written over with a result that its owner made of what was
// read from it; our own is read and written by the same lanes.
template <class E, class O> __device__ __forceinline__ void ll128_twoshot_move(const Arguments& a, u64 number, u32 tiles) {
  Tiles<E, O> t(a, number, tiles);
  const u32 warps = (blockDim.x - KEEPER_THREADS) / 32, warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, stride = gridDim.x * warps;
  const u32 peers = a.ranks - 1;
  for (u32 i = warp; i < t.each * peers; i += stride) t.send(peer(a, i % peers + 1), i / peers);
  const u32 mine = t.all > a.rank * t.each ? min(t.all - a.rank * t.each, t.each) : 0;
  for (u32 i = warp; i < mine * QUARTERS; i += stride)
    if (!t.reduce(i / QUARTERS, i % QUARTERS)) return;
  for (u32 i = warp; i < t.each * peers; i += stride)
    if (!t.receive(peer(a, i % peers + 1), i / peers)) return;
}

template <class E, class O> __device__ __forceinline__ void ll128_twoshot(const Arguments& a) {
  const u64 number = begin(a);
  if (keeper()) {
    keep_agreement(a, number);
    return;
  }
  const u64 bytes = a.count * sizeof(typename E::Stored);
  ll128_twoshot_move<E, O>(a, number, static_cast<u32>((bytes + TILE_DATA - 1) / TILE_DATA));
}

MININCCL_KERNELS(ll128_twoshot, __launch_bounds__(288, 1))
