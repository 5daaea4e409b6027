// Loads and stores that other GPUs, the host and other processes see. Payload that a peer writes never comes out of L1.
#pragma once

using u32 = unsigned int;
using u64 = unsigned long long;

// A volatile access is a relaxed one at system scope. Each 8-byte half of a 16-byte access is whole; the two may part.
__device__ __forceinline__ void store_line(void* at, uint4 v) {
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

__device__ __forceinline__ uint4 load_line(const void* at) {
  uint4 v;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
  return v;
}

// What is read after it is read afresh, though this block may have read it before.
__device__ __forceinline__ uint4 load_line_acquire(const void* at) {
  uint4 v;
  asm volatile("ld.acquire.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at) : "memory");
  return v;
}

__device__ __forceinline__ u64 load_acquire(const u64* at) {
  u64 v;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
  return v;
}

__device__ __forceinline__ void store_release(u64* at, u64 v) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory");
}

__device__ __forceinline__ u64 load_relaxed(const u64* at) {
  u64 v;
  asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
  return v;
}

__device__ __forceinline__ void store_relaxed(u64* at, u64 v) {
  asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(at), "l"(v) : "memory");
}

__device__ __forceinline__ u64 nanoseconds() {
  u64 v;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v));
  return v;
}
