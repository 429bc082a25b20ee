// Counting how a group's predictions meet the labels.

// For every subset and group (blockIdx.x) the rows of class 0 predicted 0 and 1, then those of
// class 1. The shares of class 1 of the first of equal rows decide; a tie is class 0.
extern "C" __global__ void confusion(const u64* totals, int n, const u8* labels, const u32* merged,
                                     const u64* whole, int n_groups, u32* counts) {
  __shared__ u32 sums[4];
  if (threadIdx.x < 4) sums[threadIdx.x] = 0;
  __syncthreads();
  const u64* shares = totals + (u64)blockIdx.x * n;
  const u32* stands = merged + (u64)(blockIdx.x / n_groups) * n;
  u64 all = whole[blockIdx.x % n_groups];
  u32 own[4] = {0, 0, 0, 0};
  for (int i = threadIdx.x; i < n; i += THREADS) {
    int predicted = 2 * shares[stands[i]] > all;
    for (int c = 0; c < 4; c++) own[c] += labels[i] * 2 + predicted == c;
  }
  for (int c = 0; c < 4; c++) atomicAdd(sums + c, own[c]);
  __syncthreads();
  if (threadIdx.x < 4) counts[(u64)blockIdx.x * 4 + threadIdx.x] = sums[threadIdx.x];
}
