// CUDA's execution model on one core, as far as the kernels use it: every thread of a block is a
// fiber, which runs until it waits for its block or its warp. Blocks run one after the other.
//
// Compiled before the kernels' source, so that the kernels are tested as they are.

#pragma once
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <vector>

#define SIMULATED
#define __global__
#define __device__
#define __shared__ static
#define __restrict__
#define __launch_bounds__(...)
#define DYNAMIC_SHARED(name) uint8_t* name = simulator::shared

struct dim3_ {
  int x, y, z;
};

namespace simulator {
const int LANES_ = 32, STACK = 1 << 16;

struct Barrier {
  int waiting = 0, size = 0;
  unsigned generation = 0;
};

struct Fiber {
  ucontext_t begin;
  jmp_buf here;
  bool begun, over;
  Barrier* barrier;     // what it waits for ...
  unsigned generation;  // ... to move on from here

  bool ready() const { return !over && (!barrier || barrier->generation != generation); }
};

inline uint8_t* shared;
inline dim3_ block_index, grid_size, block_size;
inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline jmp_buf back;
inline int running;
inline Barrier whole;
inline std::vector<Barrier> warps;
inline std::vector<uint64_t> exchanged;  // what the lanes of every warp show one another
inline void (*entry)(void*);
inline void* arguments;

// Lets another fiber run. Jumps spare the system calls that swapping contexts takes.
inline void yield() {
  if (!_setjmp(fibers[running].here)) _longjmp(back, 1);
}

inline void wait(Barrier& barrier) {
  if (++barrier.waiting == barrier.size) {
    barrier.waiting = 0;
    barrier.generation++;
    return;
  }
  fibers[running].barrier = &barrier;
  fibers[running].generation = barrier.generation;
  yield();
}

inline void run_fiber() {
  entry(arguments);
  fibers[running].over = true;
  for (;;) yield();
}

inline void resume(int number) {
  Fiber& fiber = fibers[running = number];
  fiber.barrier = nullptr;
  if (_setjmp(back)) return;
  if (fiber.begun) _longjmp(fiber.here, 1);
  fiber.begun = true;
  swapcontext(&scheduler, &fiber.begin);
}

// While kernels run, the smallest numbers are zeros, as CuPy has it on a GPU (`-ftz=true`).
struct Flushed {
#ifdef __SSE2__
  unsigned before = _mm_getcsr();
  Flushed() { _mm_setcsr(before | 0x8040); }  // results, and operands
  ~Flushed() { _mm_setcsr(before); }
#endif
};

inline Barrier& own_warp() { return warps[running / LANES_]; }

// What a lane of the own warp shows. All lanes take part.
template <class T>
T shown(T value, int lane) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  exchanged[running] = bits;
  wait(own_warp());
  uint64_t found = exchanged[running / LANES_ * LANES_ + lane];
  wait(own_warp());
  memcpy(&value, &found, sizeof(T));
  return value;
}

inline void launch(const int* grid, int threads, int shared_bytes, void (*kernel)(void*),
                   void* values) {
  Flushed flushed;
  std::vector<std::vector<char>> stacks(threads, std::vector<char>(STACK));
  std::vector<uint8_t> memory(shared_bytes + 16);
  shared = memory.data();
  grid_size = {grid[0], grid[1], grid[2]};
  block_size = {threads, 1, 1};
  entry = kernel;
  arguments = values;
  for (int z = 0; z < grid[2]; z++)
    for (int y = 0; y < grid[1]; y++)
      for (int x = 0; x < grid[0]; x++) {
        block_index = {x, y, z};
        fibers.assign(threads, Fiber());
        whole = Barrier();
        whole.size = threads;
        warps.assign(threads / LANES_, Barrier());
        exchanged.assign(threads, 0);
        for (auto& warp : warps) warp.size = LANES_;
        for (int i = 0; i < threads; i++) {
          Fiber& fiber = fibers[i];
          getcontext(&fiber.begin);
          fiber.begin.uc_stack.ss_sp = stacks[i].data();
          fiber.begin.uc_stack.ss_size = STACK;
          fiber.begin.uc_link = nullptr;
          makecontext(&fiber.begin, run_fiber, 0);
        }
        for (bool moved = true; moved;) {
          moved = false;
          for (int warp = 0; warp < threads; warp += LANES_)
            for (bool goes_on = true; goes_on;) {  // a warp as far as it gets
              goes_on = false;
              for (int i = warp; i < warp + LANES_; i++)
                if (fibers[i].ready()) {
                  resume(i);
                  goes_on = moved = true;
                }
            }
        }
        for (const Fiber& fiber : fibers)
          if (!fiber.over) abort();  // threads wait for others that have ended
      }
}

template <auto Kernel>
struct Launcher;

// A function with C's calling convention for a kernel: the grid, threads and shared bytes first.
template <class... Arguments, void (*Kernel)(Arguments...)>
struct Launcher<Kernel> {
  static void launch(const int* grid, int threads, int shared_bytes, Arguments... values) {
    auto call = [=]() { Kernel(values...); };
    simulator::launch(
        grid, threads, shared_bytes, [](void* c) { (*(decltype(call)*)c)(); }, &call);
  }
};
}  // namespace simulator

#define blockIdx simulator::block_index
#define gridDim simulator::grid_size
#define blockDim simulator::block_size
#define threadIdx (dim3_{simulator::running, 0, 0})

inline void __syncthreads() { simulator::wait(simulator::whole); }
inline void __syncwarp() { simulator::wait(simulator::own_warp()); }

template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return simulator::shown(value, lane % 32);
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return simulator::shown(value, (simulator::running % 32) ^ mask);
}
template <class T>
T __shfl_up_sync(unsigned, T value, int step) {
  int lane = simulator::running % 32;
  return simulator::shown(value, lane >= step ? lane - step : lane);
}
inline unsigned __ballot_sync(unsigned, bool vote) {
  simulator::exchanged[simulator::running] = vote;
  simulator::wait(simulator::own_warp());
  unsigned found = 0;
  for (int i = 0; i < 32; i++)
    found |= (unsigned)simulator::exchanged[simulator::running / 32 * 32 + i] << i;
  simulator::wait(simulator::own_warp());
  return found;
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(bits); }
inline int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
inline unsigned __float_as_uint(float value) {
  unsigned bits;
  memcpy(&bits, &value, 4);
  return bits;
}
inline float __uint_as_float(unsigned bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

template <class T>
T atomicAdd(T* at, T value) {
  T before = *at;
  *at += value;
  return before;
}
template <class T>
T atomicCAS(T* at, T expected, T value) {
  T before = *at;
  if (before == expected) *at = value;
  return before;
}
template <class T>
T atomicOr(T* at, T value) {
  T before = *at;
  *at |= value;
  return before;
}
template <class T>
T atomicMin(T* at, T value) {
  T before = *at;
  if (value < before) *at = value;
  return before;
}
template <class T>
T atomicMax(T* at, T value) {
  T before = *at;
  if (value > before) *at = value;
  return before;
}

#define EXPORT(kernel) \
  extern "C" void* address_of_##kernel() { return (void*)&simulator::Launcher<&kernel>::launch; }
