// Principal components of many subsets of standardised columns, and the rows' components.

#define SWEEPS 40

// Rotates two numbers by an angle's cosine and sine.
__device__ inline void rotate(double* p, double* q, double c, double s) {
  double a = *p, b = *q;
  *p = c * a - s * b;
  *q = s * a + c * b;
}

// The pair of columns that are rotated together: all pairs meet once in n - 1 rounds, as in a
// tournament in which one player stays and the others move round a table.
__device__ inline void paired(int round, int pair, int n, int* p, int* q) {
  int a = pair == 0 ? n - 1 : (round + pair) % (n - 1), b = (round + n - 1 - pair) % (n - 1);
  *p = a < b ? a : b;
  *q = a < b ? b : a;
}

// Eigenvectors of the correlations of a subset's columns by Jacobi's rotations; a block takes a
// subset.
//
// `listed[first[s]]` and the following are the columns of subset s. Its part of `matrices` and
// `vectors` begins at `square[s]`. The components that explain `variance` are kept, or one for
// every column if it is 1 or more (`axes` then has the columns themselves); they are written to
// `axes[square[s]]`, one after the other, and their number to `kept`.
extern "C" __global__ void find_components(const double* correlation, int d, const int* listed,
                                           const int* first, const u64* square, double variance,
                                           double* matrices, double* vectors, float* axes,
                                           int* kept) {
  DYNAMIC_SHARED(room);
  __shared__ int turned, n_kept;
  int subset = blockIdx.x, k = first[subset + 1] - first[subset];
  const int* columns = listed + first[subset];
  double* A = matrices + square[subset];
  double* V = vectors + square[subset];
  float* out = axes + square[subset];
  if (variance >= 1.0) {
    for (int i = threadIdx.x; i < k * k; i += THREADS) out[i] = i / k == i % k ? 1.0f : 0.0f;
    if (threadIdx.x == 0) kept[subset] = k;
    return;
  }
  for (int i = threadIdx.x; i < k * k; i += THREADS) {
    A[i] = correlation[(u64)columns[i / k] * d + columns[i % k]];
    V[i] = i / k == i % k ? 1.0 : 0.0;
  }
  int players = k + k % 2, pairs = players / 2;
  double *cosine = (double*)room, *sine = cosine + pairs;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    __syncthreads();
    if (threadIdx.x == 0) turned = 0;
    for (int round = 0; round < players - 1; round++) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < pairs; pair += THREADS) {
        int p, q;
        paired(round, pair, players, &p, &q);
        double c = 1.0, s = 0.0;
        if (q < k && fabs(A[(u64)p * k + q]) > 1e-14 * k) {
          double theta = (A[(u64)q * k + q] - A[(u64)p * k + p]) / (2.0 * A[(u64)p * k + q]);
          double t = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
          if (theta < 0.0) t = -t;
          c = 1.0 / sqrt(t * t + 1.0);
          s = t * c;
          turned = 1;
        }
        cosine[pair] = c;
        sine[pair] = s;
      }
      __syncthreads();
      for (int i = threadIdx.x; i < pairs * k; i += THREADS) {  // rows
        int p, q, pair = i / k, j = i % k;
        paired(round, pair, players, &p, &q);
        if (sine[pair] != 0.0) {
          rotate(A + (u64)p * k + j, A + (u64)q * k + j, cosine[pair], sine[pair]);
          rotate(V + (u64)p * k + j, V + (u64)q * k + j, cosine[pair], sine[pair]);
        }
      }
      __syncthreads();
      for (int i = threadIdx.x; i < pairs * k; i += THREADS) {  // columns
        int p, q, pair = i / k, j = i % k;
        paired(round, pair, players, &p, &q);
        if (sine[pair] != 0.0)
          rotate(A + (u64)j * k + p, A + (u64)j * k + q, cosine[pair], sine[pair]);
      }
    }
    __syncthreads();
    if (!turned) break;
  }
  // Largest variance first: a component's place is the number of those before it.
  __syncthreads();
  int* rank = (int*)room;
  for (int i = threadIdx.x; i < k; i += THREADS) {
    double mine = A[(u64)i * k + i];
    int before = 0;
    for (int j = 0; j < k; j++) {
      double other = A[(u64)j * k + j];
      before += other > mine || (other == mine && j < i);
    }
    rank[before] = i;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0.0, sum = 0.0;
    for (int i = 0; i < k; i++) total += fmax(A[(u64)rank[i] * k + rank[i]], 0.0);
    int count = 0;
    while (count < k && total > 0.0) {
      sum += fmax(A[(u64)rank[count] * k + rank[count]], 0.0) / total;
      count++;
      if (sum > variance) break;
    }
    n_kept = count > 0 ? count : 1;
    kept[subset] = n_kept;
  }
  __syncthreads();
  // The largest loading of a component is positive.
  for (int c = threadIdx.x; c < n_kept; c += THREADS) {
    const double* axis = V + (u64)rank[c] * k;
    int largest = 0;
    for (int j = 1; j < k; j++)
      if (fabs(axis[j]) > fabs(axis[largest])) largest = j;
    double sign = axis[largest] < 0.0 ? -1.0 : 1.0;
    for (int j = 0; j < k; j++) out[c * k + j] = (float)(sign * axis[j]);
  }
}

#define WIDTH 16
#define LENGTH 128

// Components of rows: products of standardised values and axes, summed in the order of the columns.
//
// A block takes a subset's (blockIdx.y) 256 rows (blockIdx.x) and 16 components (blockIdx.z).
// Component c of subset s goes to column `pooled[s] + c` of `out`.
extern "C" __global__ void project(const float* columns, int n, const int* listed, const int* first,
                                   const u64* square, const float* axes, const int* pooled,
                                   float* out) {
  __shared__ float part[LENGTH][WIDTH];
  int subset = blockIdx.y, k = first[subset + 1] - first[subset];
  int n_components = pooled[subset + 1] - pooled[subset], component = blockIdx.z * WIDTH;
  if (component >= n_components) return;
  const float* axis = axes + square[subset];
  int row = blockIdx.x * THREADS + threadIdx.x;
  float sums[WIDTH];
  for (int c = 0; c < WIDTH; c++) sums[c] = 0.0f;
  for (int start = 0; start < k; start += LENGTH) {
    int length = k - start < LENGTH ? k - start : LENGTH;
    __syncthreads();
    for (int i = threadIdx.x; i < length * WIDTH; i += THREADS) {
      int j = i % length, c = i / length;
      part[j][c] =
          component + c < n_components ? axis[(u64)(component + c) * k + start + j] : 0.0f;
    }
    __syncthreads();
    if (row < n)
      for (int j = 0; j < length; j++) {
        float value = columns[(u64)listed[first[subset] + start + j] * n + row];
#pragma unroll
        for (int c = 0; c < WIDTH; c++) sums[c] = fmaf(value, part[j][c], sums[c]);
      }
  }
  if (row < n)
    for (int c = 0; c < WIDTH && component + c < n_components; c++)
      out[(u64)(pooled[subset] + component + c) * n + row] = sums[c];
}
