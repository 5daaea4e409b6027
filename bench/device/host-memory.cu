// What bounds traffic of two GPUs through host memory: host-memory. Bandwidths in GB/s each way, best of three, of
// one GPU and of both at once: writing (w), reading (r) and both ways (wr), by kernels, by bulk copies through shared memory and by copy
// engines; over memory of several kinds. With both, each reads what the other writes. Build and run on the machine (needs no JVM):
//   nvcc -O3 -arch=sm_90 -std=c++17 -o /tmp/host-memory bench/device/host-memory.cu && /tmp/host-memory
// Huge pages of the last kind must have been reserved (/proc/sys/vm/nr_hugepages, 128 pages of 2 MiB).
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  printf("%s: %s\n", call, cudaGetErrorString(error));
  exit(1);
}

#define CHECK(call) check(call, #call)

constexpr size_t M = 1 << 20, BYTES = 256 * M, SLOTS = 16 * M, ARENA = 64 * M;
constexpr int UNROLL = 4, STAGES = 4;

__device__ uint4 load(const uint4* at) {
  uint4 v;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
  return v;
}

struct Way {
  const char* in;
  char* there;        // slots that this GPU writes
  const char* here;   // slots that it reads
  char* out;
  int writers;        // blocks; the others read
};

struct Part {
  bool writes;
  size_t bytes, ring;
  const char *from;
  char *to;

  __device__ explicit Part(const Way& w) {
    writes = int(blockIdx.x) < w.writers;
    const int blocks = writes ? w.writers : gridDim.x - w.writers, block = writes ? blockIdx.x : blockIdx.x - w.writers;
    bytes = BYTES / blocks, ring = SLOTS / blocks;
    from = writes ? w.in + block * bytes : w.here + block * ring;
    to = writes ? w.there + block * ring : w.out + block * bytes;
  }
};

__global__ void __launch_bounds__(1024) copy(const Way w) {
  const Part p(w);
  for (size_t done = 0; done < p.bytes; done += UNROLL * blockDim.x * 16) {
    const uint4* from = reinterpret_cast<const uint4*>(p.from + (p.writes ? done : done % p.ring));
    uint4* to = reinterpret_cast<uint4*>(p.to + (p.writes ? done % p.ring : done));
    uint4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) v[u] = load(from + threadIdx.x + u * blockDim.x);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) to[threadIdx.x + u * blockDim.x] = v[u];
  }
}

__device__ unsigned shared(const void* at) { return static_cast<unsigned>(__cvta_generic_to_shared(at)); }

// One thread a block; compute capability 9.0.
__global__ void bulk(const Way w, unsigned chunk) {
  extern __shared__ __align__(128) char stage[];
  __shared__ unsigned long long arrived[STAGES];
  const Part p(w);
  for (int s = 0; s < STAGES; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(arrived + s)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const size_t chunks = p.bytes / chunk;
  const auto fetch = [&](size_t i) {
    const unsigned at = shared(arrived + i % STAGES);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(chunk) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(stage + i % STAGES * chunk)),
                 "l"(p.from + (p.writes ? i * chunk : i * chunk % p.ring)), "r"(chunk), "r"(at)
                 : "memory");
  };
  for (size_t i = 0; i < STAGES - 1; i++) fetch(i);
  for (size_t i = 0; i < chunks; i++) {
    unsigned there = 0;
    while (!there)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(there)
                   : "r"(shared(arrived + i % STAGES)), "r"(unsigned(i / STAGES & 1))
                   : "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p.to + (p.writes ? i * chunk % p.ring : i * chunk)),
                 "r"(shared(stage + i % STAGES * chunk)), "r"(chunk)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1;" ::: "memory");
    if (i + STAGES - 1 < chunks) fetch(i + STAGES - 1);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

struct Device {
  cudaStream_t stream, other;
  cudaEvent_t begin, end, fork;
  char *in, *out, *arena;
} device[2];

double rate(int devices, const std::function<void(int)>& work) {
  double best = 1e30;
  for (int round = 0; round < 4; round++) {
    double millis = 0;
    for (int phase = 0; phase < 3; phase++)
      for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        float each = 0;
        switch (phase) {
          case 0:
            CHECK(cudaDeviceSynchronize());
            break;
          case 1:
            CHECK(cudaEventRecord(device[d].begin, device[d].stream));
            work(d);
            CHECK(cudaEventRecord(device[d].end, device[d].stream));
            break;
          default:
            CHECK(cudaStreamSynchronize(device[d].stream));
            CHECK(cudaEventElapsedTime(&each, device[d].begin, device[d].end));
        }
        millis = std::max(millis, double(each));
      }
    best = std::min(best, millis);
  }
  return BYTES / best / 1e6;
}

Way way(int d, int ways, int blocks) {
  return {device[d].in, device[1 - d].arena, device[d].arena, device[d].out, ways == 3 ? blocks / 2 : ways == 1 ? blocks : 0};
}

void engines(int d, int ways) {
  constexpr size_t PIECE = 4 * M;
  const Device& me = device[d];
  const Way w = way(d, ways, 0);
  CHECK(cudaEventRecord(me.fork, me.stream));
  CHECK(cudaStreamWaitEvent(me.other, me.fork, 0));
  for (size_t at = 0; at < BYTES; at += PIECE) {
    if (ways & 1) CHECK(cudaMemcpyAsync(w.there + at % SLOTS, w.in + at, PIECE, cudaMemcpyDefault, me.stream));
    if (ways & 2) CHECK(cudaMemcpyAsync(w.out + at, w.here + at % SLOTS, PIECE, cudaMemcpyDefault, me.other));
  }
  CHECK(cudaEventRecord(me.fork, me.other));
  CHECK(cudaStreamWaitEvent(me.stream, me.fork, 0));
}

char* aligned(int fd) {
  char* room = static_cast<char*>(mmap(nullptr, ARENA + 2 * M, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* at = reinterpret_cast<char*>((reinterpret_cast<size_t>(room) + 2 * M - 1) & ~(2 * M - 1));
  void* mapped = mmap(at, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<char*>(mapped);
}

char* arena(const std::string& kind) {
  char* at = nullptr;
  if (kind == "cudaHostAlloc") {
    CHECK(cudaHostAlloc(&at, ARENA, cudaHostAllocPortable | cudaHostAllocMapped));
    memset(at, 1, ARENA);
    return at;
  }
  const int fd = memfd_create("host-memory", kind == "hugetlb" ? MFD_HUGETLB : 0);
  if (fd < 0 || ftruncate(fd, ARENA) != 0 || (at = aligned(fd)) == nullptr) return nullptr;
  memset(at, 1, ARENA);
  if (kind == "shared, collapsed" && madvise(at, ARENA, 25 /* MADV_COLLAPSE */) != 0) return nullptr;
  CHECK(cudaHostRegister(at, ARENA, cudaHostRegisterPortable | cudaHostRegisterMapped));
  return at;
}

void row(const char* name, const std::function<void(int, int)>& work) {
  printf("  %-22s", name);
  for (int devices = 1; devices <= 2; devices++) {
    printf(devices == 1 ? " one GPU" : " | both");
    for (int ways = 1; ways <= 3; ways++) printf(" %s %.1f", ways == 1 ? "w" : ways == 2 ? "r" : "wr", rate(devices, [&](int d) { work(d, ways); }));
  }
  printf("\n");
}

int main() {
  for (int d = 0; d < 2; d++) {
    Device& me = device[d];
    CHECK(cudaSetDevice(d));
    CHECK(cudaMalloc(&me.in, BYTES));
    CHECK(cudaMalloc(&me.out, BYTES));
    CHECK(cudaMemset(me.in, 1, BYTES));
    for (cudaStream_t* stream : {&me.stream, &me.other}) CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&me.begin, &me.end, &me.fork}) CHECK(cudaEventCreate(event));
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES << 15));
  }
  for (const char* kind : {"cudaHostAlloc", "shared", "shared, collapsed", "hugetlb"}) {
    bool got = true;
    for (Device& me : device) got = (me.arena = arena(kind)) != nullptr && got;
    printf("%s%s\n", kind, got ? "" : ": not to be had");
    if (!got) continue;
    for (int threads : {512, 1024}) row(threads == 512 ? "kernel 128 x 512" : "kernel 128 x 1024", [&](int d, int ways) { copy<<<128, threads, 0, device[d].stream>>>(way(d, ways, 128)); });
    row("bulk 128, 32 KiB", [&](int d, int ways) { bulk<<<128, 1, STAGES << 15, device[d].stream>>>(way(d, ways, 128), 1 << 15); });
    row("copy engines, 4 MiB", engines);
    CHECK(cudaGetLastError());
  }
}
