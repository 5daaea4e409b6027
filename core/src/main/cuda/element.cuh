// Element types: how each is stored, in what it is accumulated, and how it gets there and back (to nearest even).
#pragma once
#include "memory.cuh"

template <class T> struct Whole {
  using Stored = T;
  using Wide = T;
  static constexpr bool LONG = false;
  static __device__ __forceinline__ T widen(T v) { return v; }
  static __device__ __forceinline__ T narrow(T v) { return v; }
};

using i8 = Whole<signed char>;
using u8 = Whole<unsigned char>;
using i32 = Whole<int>;
using ui32 = Whole<unsigned int>;
using i64 = Whole<long long>;
using ui64 = Whole<unsigned long long>;
using f32 = Whole<float>;
using f64 = Whole<double>;

struct f16 {
  using Stored = unsigned short;
  using Wide = float;
  static constexpr bool LONG = false;
  static __device__ __forceinline__ float widen(unsigned short v) {
    float r;
    asm("{ .reg .f16 h; mov.b16 h, %1; cvt.f32.f16 %0, h; }" : "=f"(r) : "h"(v));
    return r;
  }
  static __device__ __forceinline__ unsigned short narrow(float v) {
    unsigned short r;
    asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b16 %0, h; }" : "=h"(r) : "f"(v));
    return r;
  }
};

// Two at a time where they lie in one register: their upper halves are taken together.
struct bf16 {
  using Stored = unsigned short;
  using Wide = float;
  static constexpr bool LONG = false;
  static __device__ __forceinline__ float widen(unsigned short v) { return __uint_as_float(u32(v) << 16); }
  static __device__ __forceinline__ unsigned short narrow(float v) {
    const u32 bits = __float_as_uint(v);
    const u32 rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return v != v ? 0x7fffu : static_cast<unsigned short>(rounded);
  }
  static __device__ __forceinline__ void widen(u32 pair, float& low, float& high) {
    low = __uint_as_float(pair << 16);
    high = __uint_as_float(pair & 0xffff0000u);
  }
  // Results of arithmetic have one NaN, all ones but for the sign, which rounding would carry into the sign: taken down a little.
  static __device__ __forceinline__ u32 canonical(float v) { return static_cast<u32>(min(__float_as_int(v), 0x7fff0000)); }
  static __device__ __forceinline__ u32 narrow(float low, float high) {
    const u32 a = canonical(low), b = canonical(high);
    return __byte_perm(a + 0x7fffu + ((a >> 16) & 1u), b + 0x7fffu + ((b >> 16) & 1u), 0x7632);
  }
};

// fp8 saturates to the largest finite value, as CUDA's own conversions do by default; NaN stays NaN. Without branches, and without
// conversions to integers, of which a multiprocessor does few at a time.
template <int MANTISSA, int BIAS, unsigned LARGEST, unsigned NOT_A_NUMBER> __device__ __forceinline__ unsigned char narrow_fp8(float v) {
  constexpr int DROPPED = 23 - MANTISSA;
  constexpr u32 REBIAS = u32(127 - BIAS) << 23;
  const u32 sign = (__float_as_uint(v) >> 24) & 0x80u;
  const float magnitude = fminf(fabsf(v), __uint_as_float((LARGEST << DROPPED) + REBIAS));
  const u32 bits = __float_as_uint(magnitude);
  // Below the smallest normal number: beside a number whose last bit is fp8's smallest step, an addition rounds to steps.
  constexpr u32 STEPS = u32(127 + 24 - BIAS - MANTISSA) << 23;
  const u32 small = __float_as_uint(__fadd_rn(magnitude, __uint_as_float(STEPS))) - STEPS;
  const u32 normal = (bits - REBIAS + (1u << (DROPPED - 1)) - 1u + ((bits >> DROPPED) & 1u)) >> DROPPED;
  return static_cast<unsigned char>(sign | (v != v ? NOT_A_NUMBER : bits < u32(128 - BIAS) << 23 ? small : normal));
}

struct f8e4m3 {
  using Stored = unsigned char;
  using Wide = float;
  static constexpr bool LONG = true;  // conversions of many instructions
  static __device__ __forceinline__ float widen(unsigned char v) {
    const unsigned short half = static_cast<unsigned short>((u32(v & 0x80u) << 8) | (u32(v & 0x7fu) << 7));
    return (v & 0x7fu) == 0x7fu ? __uint_as_float(0x7fffffffu) : f16::widen(half) * 256.0f;
  }
  static __device__ __forceinline__ unsigned char narrow(float v) { return narrow_fp8<3, 7, 0x7e, 0x7f>(v); }
};

struct f8e5m2 {
  using Stored = unsigned char;
  using Wide = float;
  static constexpr bool LONG = true;  // conversions of many instructions
  static __device__ __forceinline__ float widen(unsigned char v) { return f16::widen(static_cast<unsigned short>(u32(v) << 8)); }
  static __device__ __forceinline__ unsigned char narrow(float v) { return narrow_fp8<2, 15, 0x7b, 0x7f>(v); }
};
