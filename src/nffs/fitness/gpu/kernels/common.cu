// What all kernels share: types, randomness, the order of floats, groups of threads that work
// together.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define LANES 32
#define WARPS 8
#define THREADS (WARPS * LANES)
#define ALL 0xffffffffu

// A class share of 1 as a whole number: sums of shares are then the same in any order.
#define ONE 1073741824.0

#ifndef SIMULATED
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) u8 name[]
#endif

// Randomness is addressed, as on the CPU: the finaliser of splitmix64 turns a counter into bits.
#define GOLDEN 0x9E3779B97F4A7C15ull
#define LEFT_KEY 0xD1B54A32D192ED03ull
#define RIGHT_KEY 0x8CB92BA72F3D8DD7ull

__device__ inline u64 mix(u64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Brings the lower 32 random bits into range(n).
__device__ inline u32 below(u64 bits, u32 n) { return (u32)(((bits & ALL) * n) >> 32); }

// Whole numbers that are ordered as the floats are.
__device__ inline u32 ordered(float value) {
  u32 bits = __float_as_uint(value);
  return bits ^ ((u32)((int)bits >> 31) | 0x80000000u);
}

__device__ inline float unordered(u32 key) {
  return __uint_as_float(key & 0x80000000u ? key ^ 0x80000000u : ~key);
}

// Whether a split may stand between two values: closer ones are one, as in scikit-learn's trees.
__device__ inline bool apart(float low, float high) { return high > low + 1e-7f; }

// A threshold between neighbouring values: at least the lower one, below the upper one.
__device__ inline float midpoint(float low, float high) {
  float middle = 0.5f * low + 0.5f * high;
  return low <= middle && middle < high ? middle : low;
}

__device__ inline int lane_of() { return threadIdx.x % LANES; }
__device__ inline int warp_of() { return threadIdx.x / LANES; }

// Threads that work on a node together: a whole block on a large one, a warp on a small one.
struct Block {
  static const int slots = WARPS;  // histograms that are counted together
  static __device__ int rank() { return threadIdx.x; }
  static __device__ int size() { return THREADS; }
  static __device__ bool leads() { return threadIdx.x == 0; }
  static __device__ int slot() { return warp_of(); }  // the histogram that a warp reads
  static __device__ void sync() { __syncthreads(); }
};

struct Warp {
  static const int slots = 1;
  static __device__ int rank() { return lane_of(); }
  static __device__ int size() { return LANES; }
  static __device__ bool leads() { return lane_of() == 0; }
  static __device__ int slot() { return 0; }
  static __device__ void sync() { __syncwarp(); }
};

// The sum over the lanes of a warp up to this one, itself included.
__device__ inline u32 scanned(u32 value) {
  for (int step = 1; step < LANES; step *= 2) {
    u32 before = __shfl_up_sync(ALL, value, step);
    if (lane_of() >= step) value += before;
  }
  return value;
}

__device__ inline double largest(double value) {
  for (int step = 1; step < LANES; step *= 2) {
    double other = __shfl_xor_sync(ALL, value, step);
    value = other > value ? other : value;
  }
  return value;
}

__device__ inline u32 smallest(u32 value) {
  for (int step = 1; step < LANES; step *= 2) {
    u32 other = __shfl_xor_sync(ALL, value, step);
    value = other < value ? other : value;
  }
  return value;
}

// A place in a list for every lane that takes part, given out by a counter.
__device__ inline u32 place(bool takes_part, u32* counter) {
  u32 lanes = __ballot_sync(ALL, takes_part), first = 0;
  if (lane_of() == 0 && lanes) first = atomicAdd(counter, (u32)__popc(lanes));
  return __shfl_sync(ALL, first, 0) + __popc(lanes & ((1u << lane_of()) - 1u));
}
