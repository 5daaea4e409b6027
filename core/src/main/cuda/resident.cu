// A kernel that stays on the device and takes all-reduces of two ranks from mapped host memory, one after another, so that no launch is
// on the way of a blocking call. Lines, flags and numbers are those of ll2: the peer may have launched its side.
//
// A command is five words: input, output, count, fingerprint, and how many blocks take part (0: leave). Each travels in a line whose
// halves carry the command's number beside the data, so it has arrived as a whole once all numbers are alike. Only block 0
// reads commands, and so alone decides whether it takes the next one or leaves; what others take part in it passes on.
#include "ll2.cuh"

constexpr u32 COMMAND_WORDS = 5, PARTAKERS = 4;
// Answers: the number that the kernel left without taking, the first it waited for, and by block the last that is done.
constexpr u32 LEFT = 0, STARTED = 1, DONE = 16;
constexpr u32 LOOK_EVERY = 32, FOLLOWER_LOOK_EVERY = 4096;  // turns between two looks at the abort word

// Numbers of commands are never 0, which is what memory starts with.
__device__ __forceinline__ u32 after(u32 number) { return number == 0xffffffffu ? 1 : number + 1; }

// Lane i of a warp gets word i. Gives the command's number, or 0 while it is not whole. Acquires: what others wrote before the host
// gave the command is then not taken from this multiprocessor's cache.
__device__ __forceinline__ u32 read_command(const uint4* lines, u64& word) {
  const u32 lane = threadIdx.x & 31;
  const uint4 line = lane < COMMAND_WORDS ? load_line_acquire(lines + lane) : make_uint4(0, 0, 0, 0);
  const u32 number = __shfl_sync(0xffffffffu, line.y, 0);
  word = u64(line.z) << 32 | line.x;
  return __all_sync(0xffffffffu, lane >= COMMAND_WORDS || (line.y == number && line.w == number)) ? number : 0;
}

// Block 0: the next command, or false if the kernel is to leave.
__device__ __forceinline__ bool await_command(const Residence& r, u32 number, u64 born, u64& word) {
  const u64 since = nanoseconds();
  for (u32 turn = 1; read_command(r.commands, word) != number; turn++) {
    const u64 now = nanoseconds();
    bool leave = now - since > r.idle || now - born > r.life;
    if (turn % LOOK_EVERY == 0) leave |= load_relaxed(&r.words->abort) != 0;
    if (__any_sync(0xffffffffu, leave)) return false;
  }
  return true;
}

// Without a release: the words are all that the others need of block 0.
__device__ __forceinline__ void pass_on(const Residence& r, u32 number, u64 word) {
  if (threadIdx.x < COMMAND_WORDS) store_line(&r.control->relayed[threadIdx.x], make_uint4(u32(word), number, u32(word >> 32), number));
}

// The others: the next command after `number` that was passed on.
__device__ __forceinline__ bool await_passed(const Residence& r, u32& number, u64& word) {
  for (u32 turn = 1;; turn++) {
    const u32 seen = read_command(r.control->relayed, word);
    if (seen != 0 && static_cast<int>(seen - number) > 0) {
      number = seen;
      return true;
    }
    if (turn % FOLLOWER_LOOK_EVERY == 0 && __any_sync(0xffffffffu, load_relaxed(&r.words->abort) != 0)) return false;
  }
}

// Warp 0 fetches a command into the block's arguments: its first four words are theirs. Returns its number.
__device__ __forceinline__ u32 fetch(const Residence& r, u32 number, u64 born, Arguments& a, u32& partakers) {
  u64 word = 0;
  bool taken;
  if (blockIdx.x == 0) {
    number = after(number);
    taken = await_command(r, number, born, word);
    if (!taken) word = 0;
  } else {
    taken = await_passed(r, number, word);
  }
  const u32 blocks = taken ? static_cast<u32>(__shfl_sync(0xffffffffu, word, PARTAKERS)) : 0;
  if (blockIdx.x == 0 && gridDim.x > 1 && blocks != 1) pass_on(r, number, word);
  if (blockIdx.x == 0 && threadIdx.x == 0 && !taken) store_release(&r.answers[LEFT], number);
  if (blockIdx.x == 0 && threadIdx.x == 0 && taken && blocks == 0) store_release(&r.answers[DONE], number);
  if (threadIdx.x < PARTAKERS) reinterpret_cast<u64*>(&a)[threadIdx.x] = word;
  if (threadIdx.x == 0) partakers = blocks;
  return number;
}

template <class E, class O> __device__ __forceinline__ void resident(const Residence& r) {
  __shared__ Arguments a;
  __shared__ u32 partakers;
  if (threadIdx.x == 0) a = r;
  if (blockIdx.x == 0 && threadIdx.x == 0) store_release(&r.answers[STARTED], r.first);
  __syncthreads();
  const u64 born = nanoseconds();
  u32 number = static_cast<u32>(r.first) - 1;
  while (true) {
    if (threadIdx.x < 32) number = fetch(r, number, born, a, partakers);
    __syncthreads();
    if (partakers == 0) return;
    const bool partakes = blockIdx.x < partakers;
    if (partakes) ll2_operate<E, O>(a, partakers);
    __syncthreads();
    if (partakes && threadIdx.x == 0) {
      __threadfence_system();
      store_relaxed(&r.answers[DONE + blockIdx.x], number);
    }
  }
}

MININCCL_KERNELS_OF(Residence, resident, __launch_bounds__(1024))
