// Columns to at most 256 bins each, as on the CPU, but for their edges a sample is sorted.

#define BINS 256
#define SAMPLE 8192
#define SMALLEST 1.17549435e-38f

// The first and one past the last position of the run of equal values that holds a position.
__device__ inline int run_start(const float* values, int at) {
  float value = values[at];
  int low = at, high = at, step = 1;
  while (low >= 0 && values[low] == value) {
    high = low;
    low -= step;
    step *= 2;
  }
  low = low < -1 ? -1 : low;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (values[middle] == value) high = middle;
    else low = middle;
  }
  return high;
}

__device__ inline int run_end(const float* values, int n, int at) {
  float value = values[at];
  int low = at, high = at, step = 1;
  while (high < n && values[high] == value) {
    low = high;
    high += step;
    step *= 2;
  }
  high = high > n ? n : high;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (values[middle] == value) low = middle;
    else high = middle;
  }
  return low + 1;
}

// The largest number below a value. Both zeros are one value, and so are the numbers that are closer
// to them than `SMALLEST`: CuPy has kernels take those for zero (`-ftz=true`).
__device__ inline float just_below(float value) {
  float below = unordered(ordered(value) - 1u);
  if (fabsf(below) >= SMALLEST) return below;
  return value >= SMALLEST ? 0.0f : -SMALLEST;
}

// Cuts sorted values into bins of about `quota`; -1 if that takes too many. A run of at least
// `quota` equal values gets a bin of its own.
__device__ int cut(const float* values, int n, int quota, u16* ends) {
  int at = 0, count = 0;
  while (at < n) {
    if (count == BINS) return -1;
    int probe = (at + quota < n ? at + quota : n) - 1;
    int start = run_start(values, probe), end = run_end(values, n, probe);
    if (start > at && (end - start >= quota || probe + 1 - start < end - probe - 1)) end = start;
    ends[count++] = (u16)end;
    at = end;
  }
  return count;
}

// Finds the bins of a column from `SAMPLE` evenly spaced rows, or all if there are no more.
//
// `edges` gets the largest value of every bin, ascending, infinite past the last; `counts` the
// number of bins; `exact` whether every bin of the sample holds one value.
extern "C" __global__ void find_bins(const float* columns, int n, float* edges, int* counts,
                                     u8* exact) {
  DYNAMIC_SHARED(room);
  __shared__ u16 ends[BINS];
  __shared__ int n_bins;
  __shared__ bool single;  // whether every bin holds one value
  float* values = (float*)room;
  const float* column = columns + (u64)blockIdx.x * n;
  int m = n < SAMPLE ? n : SAMPLE, padded = 1;
  while (padded < m) padded *= 2;
  for (int i = threadIdx.x; i < padded; i += THREADS)
    values[i] = i < m ? column[(u64)i * n / m] : __uint_as_float(0x7f800000u);
  for (int size = 2; size <= padded; size *= 2)  // a bitonic sort
    for (int gap = size / 2; gap > 0; gap /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < padded / 2; i += THREADS) {
        int low = 2 * gap * (i / gap) + i % gap, high = low + gap;
        float a = values[low], b = values[high];
        if ((a > b) == ((low & size) == 0)) {
          values[low] = b;
          values[high] = a;
        }
      }
    }
  __syncthreads();
  if (threadIdx.x == 0) {
    n_bins = cut(values, m, 1, ends);
    exact[blockIdx.x] = single = n_bins >= 0;
    if (n_bins < 0) {
      // The smallest quota that needs no more bins than there are.
      int enough = 2 * m / (BINS - 1) + 1, few = m / BINS;
      while (cut(values, m, enough, ends) < 0) enough *= 2;
      while (enough - few > 1) {
        int middle = (few + enough) / 2;
        if (cut(values, m, middle, ends) < 0) few = middle;
        else enough = middle;
      }
      n_bins = cut(values, m, enough, ends);
    }
    counts[blockIdx.x] = n_bins;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += THREADS) {
    float edge = __uint_as_float(0x7f800000u);
    if (b < n_bins) edge = values[ends[b] - 1];
    if (!single && b + 1 < n_bins && values[ends[b]] == values[ends[b + 1] - 1])
      // The next bin is one value: rows that the sample has not seen between the two are not in it.
      edge = just_below(values[ends[b]]);
    edges[(u64)blockIdx.x * BINS + b] = edge;
  }
}

// Replaces values by the numbers of their bins: how many lie wholly below. A value that the sample
// has not seen makes its column inexact.
extern "C" __global__ void apply_bins(const float* columns, int n, const float* edges,
                                      const int* counts, u8* exact, u8* codes) {
  __shared__ float own[BINS];
  u64 column = blockIdx.x;
  for (int b = threadIdx.x; b < BINS; b += THREADS) own[b] = edges[column * BINS + b];
  __syncthreads();
  int last = counts[column] - 1, stride = gridDim.y * THREADS;
  for (int i = blockIdx.y * THREADS + threadIdx.x; i < n; i += stride) {
    float value = columns[column * n + i];
    int b = 0;
    for (int half = BINS / 2; half > 0; half /= 2) b += own[b + half - 1] < value ? half : 0;
    b = b < last ? b : last;
    if (own[b] != value) exact[column] = 0;
    codes[column * n + i] = (u8)b;
  }
}
