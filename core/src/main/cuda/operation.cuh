// Reduction operations on widened values. `finish` runs once, on the complete result, before it is narrowed. All are commutative to
// the bit (NaNs come out canonical), so two ranks that compute own (+) peer's get the same.
#pragma once
#include "element.cuh"

struct Plain {
  template <class W> static __device__ __forceinline__ W finish(W v, u32) { return v; }
};

struct Sum : Plain {
  template <class W> static __device__ __forceinline__ W apply(W a, W b) { return a + b; }
};

struct Prod : Plain {
  template <class W> static __device__ __forceinline__ W apply(W a, W b) { return a * b; }
};

// A NaN on either side wins; +0 is larger than -0.
struct Max : Plain {
  template <class W> static __device__ __forceinline__ W apply(W a, W b) { return a > b ? a : b; }
  static __device__ __forceinline__ float apply(float a, float b) { return a != a || b != b ? a + b : fmaxf(a, b); }
  static __device__ __forceinline__ double apply(double a, double b) { return a != a || b != b ? a + b : fmax(a, b); }
};

struct Min : Plain {
  template <class W> static __device__ __forceinline__ W apply(W a, W b) { return a < b ? a : b; }
  static __device__ __forceinline__ float apply(float a, float b) { return a != a || b != b ? a + b : fminf(a, b); }
  static __device__ __forceinline__ double apply(double a, double b) { return a != a || b != b ? a + b : fmin(a, b); }
};

struct Avg {
  template <class W> static __device__ __forceinline__ W apply(W a, W b) { return a + b; }
  template <class W> static __device__ __forceinline__ W finish(W v, u32 ranks) { return static_cast<W>(v / static_cast<W>(ranks)); }
};
