// Means, scatter and standardisation of a split's columns, in double precision and fixed orders.

#define TILE 16
#define DEEP 64

// Copies some rows of the table, column by column. A block takes 32 rows of 32 columns.
extern "C" __global__ void take_columns(const float* table, const long long* rows, int n, int d,
                                        float* columns) {
  __shared__ float tile[LANES][LANES + 1];
  int row = blockIdx.x * LANES, column = blockIdx.y * LANES;
  for (int i = warp_of(); i < LANES; i += WARPS)
    if (row + i < n && column + lane_of() < d)
      tile[i][lane_of()] = table[(u64)rows[row + i] * d + column + lane_of()];
  __syncthreads();
  for (int i = warp_of(); i < LANES; i += WARPS)
    if (column + i < d && row + lane_of() < n)
      columns[(u64)(column + i) * n + row + lane_of()] = tile[lane_of()][i];
}

// The mean of every column; a block takes one.
extern "C" __global__ void column_means(const float* columns, int n, double* means) {
  __shared__ double sums[THREADS];
  const float* values = columns + (u64)blockIdx.x * n;
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += THREADS) sum += values[i];
  sums[threadIdx.x] = sum;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = sums[0] / n;
}

// Products of all pairs of centred columns; a block takes 16 by 16 of them, on one side of the
// diagonal, and the rows one after the other.
extern "C" __global__ void scatter_matrix(const float* columns, const double* means, int n, int d,
                                          double* scatter) {
  __shared__ double left[TILE][DEEP + 1], right[TILE][DEEP + 1];
  if (blockIdx.y > blockIdx.x) return;
  int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
  int a = blockIdx.x * TILE, b = blockIdx.y * TILE;
  double sum = 0.0;
  for (int start = 0; start < n; start += DEEP) {
    for (int i = threadIdx.x; i < TILE * DEEP; i += THREADS) {
      int c = i / DEEP, r = i % DEEP;
      bool inside = start + r < n;
      left[c][r] = inside && a + c < d ? columns[(u64)(a + c) * n + start + r] - means[a + c] : 0.0;
      right[c][r] =
          inside && b + c < d ? columns[(u64)(b + c) * n + start + r] - means[b + c] : 0.0;
    }
    __syncthreads();
    for (int r = 0; r < DEEP; r++) sum = fma(left[x][r], right[y][r], sum);
    __syncthreads();
  }
  if (a + x < d && b + y < d) {
    scatter[(u64)(a + x) * d + b + y] = sum;
    scatter[(u64)(b + y) * d + a + x] = sum;
  }
}

// Standardises columns in place.
extern "C" __global__ void standardise(float* columns, const double* means, const double* scales,
                                       int n) {
  double mean = means[blockIdx.y], scale = scales[blockIdx.y];
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) {
    float* value = columns + (u64)blockIdx.y * n + i;
    *value = (float)((*value - mean) / scale);
  }
}
