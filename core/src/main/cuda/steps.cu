// The stepwise form's flow control, one thread each: the stream goes on once a counter has reached `count`, or raises one.
#include "operate.cuh"

extern "C" __global__ void wait(const Arguments a) {
  Watch watch(a);
  const u64* counter = reinterpret_cast<const u64*>(a.inputs[0]);
  while (static_cast<long long>(load_acquire(counter) - a.count) < 0 && !watch.stop()) {
  }
}

extern "C" __global__ void publish(const Arguments a) {
  __threadfence_system();
  store_release(reinterpret_cast<u64*>(a.outputs[0]), a.count);
}
