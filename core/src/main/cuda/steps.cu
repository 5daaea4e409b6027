// The stepwise form's copy of `count` bytes: by kernel, since copies of several streams wait for each other in a copy engine's queue.
// Its flow control: the stream goes on once a counter has reached `count`, or raises one; one thread each. And what
// every operation begins with: its number and the agreement with all peers, one warp.
#include "operate.cuh"

extern "C" __global__ void wait(const Registered a) {
  Watch watch(a);
  const u64* counter = reinterpret_cast<const u64*>(a.inputs[0]);
  while (static_cast<long long>(load_acquire(counter) - a.count) < 0 && !watch.stop()) {
  }
}

extern "C" __global__ void publish(const Registered a) {
  __threadfence_system();
  store_release(reinterpret_cast<u64*>(a.outputs[0]), a.count);
}

extern "C" __global__ void agreement(const Arguments a) { keep_agreement(a, begin(a)); }

extern "C" __global__ void __launch_bounds__(512) copy(const Arguments a) {
  const u64 packs = a.count / 16, first = u64(blockIdx.x) * blockDim.x + threadIdx.x, stride = u64(gridDim.x) * blockDim.x;
  const bool vector = aligned(a.input, a.output, 16);
  if (vector)
    for (u64 i = first; i < packs; i += stride) reinterpret_cast<uint4*>(a.output)[i] = reinterpret_cast<const uint4*>(a.input)[i];
  for (u64 i = (vector ? packs * 16 : 0) + first; i < a.count; i += stride) a.output[i] = a.input[i];
}
