// Equal rows stand for one another: the first of them is drawn and parted for all.

// A number for every row of a subset (blockIdx.y) that equal rows share, never 0. `labels` tell
// rows of other classes apart; without them they do not.
extern "C" __global__ void hash_rows(const float* columns, int n, const int* listed,
                                     const int* first, const u8* labels, u64* hashes) {
  int row = blockIdx.x * THREADS + threadIdx.x, subset = blockIdx.y;
  if (row >= n) return;
  u64 hash = labels ? labels[row] + 1 : 1;
  for (int j = first[subset]; j < first[subset + 1]; j++)
    hash = mix((hash + GOLDEN) ^ __float_as_uint(columns[(u64)listed[j] * n + row]));
  hashes[(u64)subset * n + row] = hash | 1;
}

// Finds the place of a row's number in its subset's table of `size` places, a power of two.
__device__ inline u64 find_place(u64* keys, u64 size, u64 hash) {
  u64 at = mix(hash) & (size - 1);
  for (;;) {
    u64 there = atomicCAS(keys + at, 0ull, hash);
    if (there == 0 || there == hash) return at;
    at = (at + 1) & (size - 1);
  }
}

// Notes the first row of every number. Beforehand all `keys` are 0 and all `rows` 2^32 - 1.
extern "C" __global__ void note_rows(const u64* hashes, int n, u64* keys, u32* rows, u64 size) {
  int row = blockIdx.x * THREADS + threadIdx.x;
  if (row >= n) return;
  u64 own = (u64)blockIdx.y * size;
  u64 at = find_place(keys + own, size, hashes[(u64)blockIdx.y * n + row]);
  atomicMin(rows + own + at, (u32)row);
}

// Gives every row the first that equals it, value by value: numbers may coincide by chance, and
// such rows stand for themselves.
extern "C" __global__ void merge_rows(const float* columns, int n, const int* listed,
                                      const int* first, const u8* labels, const u64* hashes,
                                      u64* keys, const u32* rows, u64 size, u32* merged) {
  int row = blockIdx.x * THREADS + threadIdx.x, subset = blockIdx.y;
  if (row >= n) return;
  u64 own = (u64)subset * size;
  u32 other = rows[own + find_place(keys + own, size, hashes[(u64)subset * n + row])];
  bool same = !labels || labels[row] == labels[other];
  for (int j = first[subset]; same && j < first[subset + 1]; j++) {
    const float* column = columns + (u64)listed[j] * n;
    same = __float_as_uint(column[row]) == __float_as_uint(column[other]);
  }
  merged[(u64)subset * n + row] = same ? other : row;
}
