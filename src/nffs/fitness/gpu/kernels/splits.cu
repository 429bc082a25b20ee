// Finding the best split of a node: between the bins of some columns, then between the values.

// Chosen, not indexed: what is indexed lies in memory.
__device__ inline u64* rows_of(const Tree& t, u32 side) { return side ? t.rows_1 : t.rows_0; }
__device__ inline u32* evaluated_of(const Tree& t, u32 side) {
  return side ? t.evaluated_1 : t.evaluated_0;
}

__device__ inline float value_of(const Tree& t, int column, u64 entry) {
  return t.f.train[(u64)column * t.f.n + row_of(entry)];
}

// The place of a bin's counter: the eight bins that a lane reads lie in different banks.
__device__ inline int counter_of(int bin) { return (bin & 7) * LANES + (bin >> 3); }

__device__ inline void count(u32* histogram, int bin, u64 entry) {
  atomicAdd(histogram + class_of(entry) * 256 + counter_of(bin), drawn_of(entry));
}

__device__ inline int even_bin(float value, float origin, float scale) {
  float place = (value - origin) * scale;
  return place < 255.0f ? (int)place : 255;
}

__device__ inline int bin_of(const Tree& t, const Split& s, u64 entry) {
  if (s.scale != 0.0f) return even_bin(value_of(t, s.column, entry), s.origin, s.scale);
  return t.f.codes[(u64)s.column * t.f.n + row_of(entry)];
}

// How much a split lessens Gini impurity, up to factors that all splits of a node share.
__device__ inline double score_of(u32 left0, u32 left1, const u32* counts) {
  long long n1 = counts[1], n = (long long)counts[0] + n1, nl = (long long)left0 + left1;
  double d = (double)((long long)left1 * n - n1 * nl);
  return d * d / ((double)nl * (double)(n - nl));
}

__device__ inline void replace(Split& best, double score, u32 tag, u32 left0, u32 left1, int below,
                               int above) {
  best.score = score;
  best.tag = tag;
  best.left[0] = left0;
  best.left[1] = left1;
  best.below = below;
  best.above = above;
}

// Gives all lanes the best split of any: the highest score, then the smallest tag.
__device__ inline Split best_of_lanes(const Split& mine) {
  double score = largest(mine.score);
  u32 tag = smallest(mine.score == score ? mine.tag : ALL);
  u32 winners = __ballot_sync(ALL, mine.score == score && mine.tag == tag);
  int winner = __ffs(winners) - 1;
  Split s = mine;
  s.score = score;
  s.tag = tag;
  s.left[0] = __shfl_sync(ALL, mine.left[0], winner);
  s.left[1] = __shfl_sync(ALL, mine.left[1], winner);
  s.column = __shfl_sync(ALL, mine.column, winner);
  s.below = __shfl_sync(ALL, mine.below, winner);
  s.above = __shfl_sync(ALL, mine.above, winner);
  s.lower = __shfl_sync(ALL, mine.lower, winner);
  s.upper = __shfl_sync(ALL, mine.upper, winner);
  s.origin = __shfl_sync(ALL, mine.origin, winner);
  s.scale = __shfl_sync(ALL, mine.scale, winner);
  return s;
}

__device__ inline bool better(const Split& a, const Split& b) {
  return a.score > b.score || (a.score == b.score && a.tag < b.tag);
}

// A warp reads a histogram, clears it, and replaces a lane's best split by the best of its eight
// bins. `under` are rows that lie below all bins. Returns whether more than one bin occurs.
__device__ bool scan_bins(u32* histogram, const u32* under, const u32* counts, u32 visit,
                          int column, float origin, float scale, Split& best) {
  int lane = lane_of();
  u32 h0[8], h1[8], sum0 = 0, sum1 = 0;
  int last = -1;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    u32* counter = histogram + i * LANES + lane;
    h0[i] = counter[0];
    h1[i] = counter[256];
    counter[0] = counter[256] = 0;
    sum0 += h0[i];
    sum1 += h1[i];
    if (h0[i] | h1[i]) last = lane * 8 + i;
  }
  u32 left0 = under[0] + scanned(sum0) - sum0, left1 = under[1] + scanned(sum1) - sum1;
  u32 occupied = __ballot_sync(ALL, last >= 0), earlier = occupied & ((1u << lane) - 1u);
  int from = earlier ? 31 - __clz(earlier) : 0;
  int before = __shfl_sync(ALL, last, from);
  if (!earlier) before = -1;
  bool several = false;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (!(h0[i] | h1[i])) continue;
    if (before >= 0) {
      several = true;
      double score = score_of(left0, left1, counts);
      if (score > best.score) {
        replace(best, score, visit * 256 + lane * 8 + i, left0, left1, before, lane * 8 + i);
        best.column = column;
        best.origin = origin;
        best.scale = scale;
      }
    }
    left0 += h0[i];
    left1 += h1[i];
    before = lane * 8 + i;
  }
  return __ballot_sync(ALL, several) != 0;
}

// A warp sorts up to 32 rows by value, one a lane, and replaces a lane's best split by the one
// before its value. `under` are rows that lie below all values. Returns whether the values part.
__device__ bool scan_values(float value, u64 entry, bool valid, const u32* under, const u32* counts,
                            u32 visit, int column, Split& best) {
  u64 key = valid ? (u64)ordered(value) << 32 | entry >> 32 : ~0ull;
  int lane = lane_of();
  for (int size = 2; size <= LANES; size *= 2)
    for (int gap = size / 2; gap > 0; gap /= 2) {
      u64 other = __shfl_xor_sync(ALL, key, gap);
      bool keeps_smaller = ((lane & gap) == 0) == ((lane & size) == 0);
      key = (key < other) == keeps_smaller ? key : other;
    }
  bool there = key != ~0ull;
  u32 drawn = there ? key & 0x7fffffffu : 0, is_one = key >> 31 & 1u;
  u32 ones = is_one ? drawn : 0, zeros = drawn - ones;
  u32 left0 = under[0] + scanned(zeros) - zeros, left1 = under[1] + scanned(ones) - ones;
  float mine = unordered((u32)(key >> 32)), before = __shfl_up_sync(ALL, mine, 1);
  bool may_split = lane > 0 && there && apart(before, mine);
  if (may_split) {
    double score = score_of(left0, left1, counts);
    if (score > best.score) {
      replace(best, score, visit * 256 + lane, left0, left1, 0, 0);
      best.column = column;
      best.lower = before;
      best.upper = mine;
    }
  }
  return __ballot_sync(ALL, may_split) != 0;
}

// Draws a batch of features of a node: one thread moves them to the front of its list of features.
__device__ inline void draw(u16* features, int k, u64 key, int visited, int batch) {
  for (int j = visited; j < visited + batch; j++) {
    u32 other = j + below(mix(key + (j + 1) * GOLDEN), k - j);
    u16 drawn = features[other];
    features[other] = features[j];
    features[j] = drawn;
  }
}

// Puts the features back, so that the draws of the next node do not depend on this one.
__device__ inline void put_back(u16* features, int k, u64 key, int visited) {
  for (int j = visited - 1; j >= 0; j--) {
    u32 other = j + below(mix(key + (j + 1) * GOLDEN), k - j);
    u16 drawn = features[other];
    features[other] = features[j];
    features[j] = drawn;
  }
}

__device__ inline int column_of(const Tree& t, u16 feature) {
  return t.f.listed[t.f.first[t.subset] + feature];
}

__device__ inline Split none() {
  Split s;
  s.score = -1.0;
  s.tag = ALL;
  s.left[0] = s.left[1] = 0;
  s.column = s.below = s.above = 0;
  s.lower = s.upper = s.origin = s.scale = 0.0f;
  return s;
}

// Smallest and largest value of a node's rows, put on the desk as those of the bin below.
template <class Group>
__device__ void find_range(const Tree& t, const Node& node, int column, Desk* desk) {
  Group::sync();
  if (Group::leads()) {
    desk->low[0] = ALL;
    desk->high[0] = 0;
  }
  Group::sync();
  const u64* rows = rows_of(t, node.side);
  u32 low = ALL, high = 0;
  for (u32 i = node.start + Group::rank(); i < node.end; i += Group::size()) {
    u32 key = ordered(value_of(t, column, rows[i]));
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  atomicMin(&desk->low[0], low);
  atomicMax(&desk->high[0], high);
  Group::sync();
}

// A column whose rows all lie in one bin though their values differ: the range of its values is
// divided evenly instead.
template <class Group>
__device__ bool scan_flat(const Tree& t, const Node& node, int column, u32 visit, Desk* desk,
                          u32* histogram, Split& best) {
  const u32 nothing[2] = {0, 0};
  find_range<Group>(t, node, column, desk);
  float origin = unordered(desk->low[0]), highest = unordered(desk->high[0]);
  float scale = 256.0f / (highest - origin);
  if (!apart(origin, highest) || !(scale > 0.0f) || !isfinite(scale)) return false;
  const u64* rows = rows_of(t, node.side);
  for (u32 i = node.start + Group::rank(); i < node.end; i += Group::size())
    count(histogram, even_bin(value_of(t, column, rows[i]), origin, scale), rows[i]);
  Group::sync();
  if (warp_of() == 0 || Group::slots == 1)
    scan_bins(histogram, nothing, node.counts, visit, column, origin, scale, best);
  return true;
}

// Counts the rows of a node by the bins of some features, a histogram each.
template <class Group>
__device__ void count_rows(const Tree& t, const Node& node, const u16* drawn, int batch,
                           u32* histograms) {
  const u64* rows = rows_of(t, node.side);
  const u8* codes[Group::slots];
#pragma unroll
  for (int j = 0; j < Group::slots; j++)
    codes[j] = t.f.codes + (u64)column_of(t, drawn[j < batch ? j : 0]) * t.f.n;
  for (u32 i = node.start + Group::rank(); i < node.end; i += Group::size()) {
    u64 entry = rows[i];
    u32 row = row_of(entry);
    u32 bins[Group::slots];
#pragma unroll
    for (int j = 0; j < Group::slots; j++)
      if (j < batch) bins[j] = codes[j][row];
#pragma unroll
    for (int j = 0; j < Group::slots; j++)
      if (j < batch) count(histograms + j * 512, bins[j], entry);
  }
}

// Finds the best split of a node between the bins of some features drawn at random; as in
// scikit-learn more are drawn until one has values that can be parted.
template <class Group>
__device__ Split find_split(const Tree& t, const Node& node, Desk* desk, u16* features,
                            u32* histograms) {
  const u32 nothing[2] = {0, 0};
  Split best = none();
  int visited = 0;
  bool found = false;
  while (visited < t.k && (visited < t.n_try || !found)) {
    int batch = visited < t.n_try ? t.n_try - visited : 1;
    if (batch > Group::slots) batch = Group::slots;
    if (Group::leads()) {
      draw(features, t.k, node.key, visited, batch);
      desk->looked += (u64)batch * (node.end - node.start);
      desk->several = desk->flat = 0;
    }
    Group::sync();
    count_rows<Group>(t, node, features + visited, batch, histograms);
    Group::sync();
    if (Group::slot() < batch) {
      int j = Group::slot(), column = column_of(t, features[visited + j]);
      bool several = scan_bins(histograms + j * 512, nothing, node.counts, visited + j, column,
                               0.0f, 0.0f, best);
      if (lane_of() == 0) {
        if (several) atomicOr(&desk->several, 1u);
        else if (!t.f.exact[column]) atomicOr(&desk->flat, 1u << j);
      }
    }
    Group::sync();
    found |= desk->several != 0;
    u32 flat = desk->flat;
    for (int j = 0; j < batch; j++)
      if (flat >> j & 1u)
        found |= scan_flat<Group>(t, node, column_of(t, features[visited + j]), visited + j, desk,
                                  histograms, best);
    visited += batch;
    Group::sync();
  }
  if (Group::leads()) put_back(features, t.k, node.key, visited);
  best = best_of_lanes(best);
  if (Group::slots == 1) return best;
  if (lane_of() == 0) t.found[warp_of()] = best;
  Group::sync();
  best = t.found[0];
  for (int w = 1; w < Group::slots; w++)
    if (better(t.found[w], best)) best = t.found[w];
  return best;
}

// The same for a node of at most 32 rows, by the values themselves: a lane holds a row.
__device__ Split find_split_by_values(const Tree& t, const Node& node, Desk* desk,
                                      u16* features) {
  const u32 nothing[2] = {0, 0};
  Split best = none();
  bool valid = node.start + lane_of() < node.end;
  u64 entry = valid ? rows_of(t, node.side)[node.start + lane_of()] : 0;
  int visited = 0;
  bool found = false;
  while (visited < t.k && (visited < t.n_try || !found)) {
    int batch = visited < t.n_try ? t.n_try - visited : 1;
    if (lane_of() == 0) {
      draw(features, t.k, node.key, visited, batch);
      desk->looked += (u64)batch * (node.end - node.start);
    }
    __syncwarp();
    int column = column_of(t, features[visited]);
    float value = valid ? value_of(t, column, entry) : 0.0f;
    for (int j = 0; j < batch; j++) {
      int next = column;
      float coming = 0.0f;
      if (j + 1 < batch) {
        next = column_of(t, features[visited + j + 1]);
        coming = valid ? value_of(t, next, entry) : 0.0f;
      }
      found |= scan_values(value, entry, valid, nothing, node.counts, visited + j, column, best);
      column = next;
      value = coming;
    }
    visited += batch;
    __syncwarp();
  }
  if (lane_of() == 0) put_back(features, t.k, node.key, visited);
  __syncwarp();
  return best_of_lanes(best);
}

// Places a split between two bins exactly, by the values of the node's rows in them.
//
// The rows of the two bins are set aside, in the buffer to which the node's rows will go. Up to 32
// are sorted; of more, the range of their values is divided evenly once more.
template <class Group>
__device__ Split place_split(const Tree& t, const Node& node, Split split, Desk* desk,
                             u32* histogram) {
  const u64* rows = rows_of(t, node.side);
  u64* aside = rows_of(t, 1 - node.side) + node.start;
  Group::sync();
  if (Group::leads()) {
    desk->n_aside = 0;
    for (int s = 0; s < 2; s++) {
      desk->low[s] = ALL;
      desk->high[s] = 0;
      desk->under[s] = 0;
    }
  }
  Group::sync();
  for (u32 first = node.start; first < node.end; first += Group::size()) {
    u32 i = first + Group::rank();
    u64 entry = 0;
    int side = -1;
    if (i < node.end) {
      entry = rows[i];
      int bin = bin_of(t, split, entry);
      side = bin == split.below ? 0 : bin == split.above ? 1 : -1;
    }
    if (__ballot_sync(ALL, side >= 0) == 0) continue;
    u32 at = place(side >= 0, &desk->n_aside);
    if (side >= 0) {
      u32 key = ordered(value_of(t, split.column, entry));
      aside[at] = entry;
      atomicMin(&desk->low[side], key);
      atomicMax(&desk->high[side], key);
      if (side == 0) atomicAdd(&desk->under[class_of(entry)], drawn_of(entry));
    }
  }
  Group::sync();
  split.lower = unordered(desk->high[0]);
  split.upper = unordered(desk->low[1]);
  u32 n = desk->n_aside, below = desk->low[0], above = desk->high[1];
  u32 under[2] = {split.left[0] - desk->under[0], split.left[1] - desk->under[1]};
  bool single = below == desk->high[0] && desk->low[1] == above;
  Group::sync();  // the desk is used again
  if (single) return split;
  Split best = none();
  bool works = warp_of() == 0 || Group::slots == 1;  // of the group's warps, the one that sorts
  if (n <= LANES) {
    if (works) {
      bool valid = lane_of() < n;
      u64 entry = valid ? aside[lane_of()] : 0;
      float value = valid ? value_of(t, split.column, entry) : 0.0f;
      scan_values(value, entry, valid, under, node.counts, 0, split.column, best);
      best = best_of_lanes(best);
    }
  } else {
    float origin = unordered(below), scale = 256.0f / (unordered(above) - origin);
    if (!(scale > 0.0f) || !isfinite(scale)) return split;
    for (u32 i = Group::rank(); i < n; i += Group::size())
      count(histogram, even_bin(value_of(t, split.column, aside[i]), origin, scale), aside[i]);
    Group::sync();
    if (works) {
      scan_bins(histogram, under, node.counts, 0, split.column, origin, scale, best);
      best = best_of_lanes(best);
    }
  }
  if (works && lane_of() == 0) {
    desk->split = best;
    desk->low[0] = ALL;
    desk->high[0] = 0;
  }
  Group::sync();
  best = desk->split;
  if (best.score < 0.0) return split;
  if (n > LANES) {
    for (u32 i = Group::rank(); i < n; i += Group::size()) {
      float value = value_of(t, split.column, aside[i]);
      if (even_bin(value, best.origin, best.scale) < best.above)
        atomicMax(&desk->high[0], ordered(value));
      else atomicMin(&desk->low[0], ordered(value));
    }
    Group::sync();
    best.lower = unordered(desk->high[0]);
    best.upper = unordered(desk->low[0]);
  }
  return best;
}
