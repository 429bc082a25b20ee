// Growing forests: a block grows one tree after the other and keeps none of them.
//
// A node owns a stretch of a list of drawn training rows and a stretch of a list of evaluation
// rows. A split parts both, from one buffer into the other:
//
//     from    | a  b  c  d  e  f  g  h |         node 0: a, d, e and g go left
//     to      | d  a  g  e | h  f  c  b |        its children
//               ^ from the left   ^ from the right
//
// Where evaluation rows arrive in a leaf, or at a depth at which a group cuts its trees, the share
// of class 1 is added to their sums. A branch without evaluation rows is not grown. Rows arrive in
// any order; all that is added up is whole numbers, so that no result depends on it.
//
// The whole block works on a node of many rows; nodes of at most `SMALL` rows are listed, and each
// warp grows the branches below some of them on its own.

#ifndef SMALL
#define SMALL 1024
#endif
#ifndef RESIDENT
#define RESIDENT 4  // blocks that share a multiprocessor
#endif
#define LISTED 128  // small nodes that wait at most
#define DEEPEST 48  // large nodes that wait at most: the larger child waits, so log2(rows) do
#define WAITING 16  // the same of a warp

// An entry of a training row: its number, how often it or an equal one was drawn, its class.
__device__ inline u64 entry_of(u32 row, u32 drawn, u32 label) {
  return (u64)(label << 31 | drawn) << 32 | row;
}
__device__ inline u32 row_of(u64 entry) { return (u32)entry; }
__device__ inline u32 drawn_of(u64 entry) { return (u32)(entry >> 32) & 0x7fffffffu; }
__device__ inline u32 class_of(u64 entry) { return (u32)(entry >> 63); }

struct Forest {
  const float* train;   // values of pooled columns, column by column
  const u8* codes;      // the bins of the same
  const float* asked;   // values of the evaluation rows
  const u8* exact;      // whether every bin of a column holds one value
  const u8* labels;     // classes of the training rows
  const int* listed;    // the pooled columns of every subset ...
  const int* first;     // ... subset s has those from first[s] to first[s + 1]
  const u32* merged;    // the first equal row of every training row, by subset
  const u32* merged_asked;  // the same of the evaluation rows
  const u64* seeds;     // of every tree of every subset
  const int* depths;    // at which every group cuts, ascending
  const int* sizes;     // how many trees every group has
  u64* totals;          // sums of shares by subset, group and evaluation row
  u32* room;            // the blocks' own lists
  u64 room_words;       // how much of it each has
  u32* next;            // the tree that is to be grown next
  u64* work;            // what was done: bins and values looked at, rows parted, nodes
  int n, n_asked, n_subsets, n_trees, n_groups, n_features;  // n_features: the most of a subset
};

struct Node {
  u64 key;                       // decides which features it draws
  u32 start, end;                // its training rows
  u32 asked_start, asked_end;    // its evaluation rows
  u32 counts[2];                 // drawn rows of either class
  u32 depth, side;               // the buffer in which its rows are
};

struct Split {
  double score;       // -1 for none
  u32 left[2];        // drawn rows of either class on the left
  u32 tag;            // the visit and the bin: of equal scores the smallest wins
  int column;         // the pooled column
  int below, above;   // the bins at its sides
  float lower, upper; // the values at its sides
  float origin, scale; // of bins that divide a range of values evenly; scale 0 for a column's own
};

// What the threads of a group share while they work on a node.
struct Desk {
  Split split;
  u32 n_left, n_right, asked_left, asked_right, n_aside;
  u32 several;          // whether a feature of a batch has rows in several bins
  u32 low[2], high[2];  // ordered values in the bins below and above a split
  u32 under[2];         // drawn rows of either class in the bin below a split
  u32 flat;             // features of a batch whose rows are all in one bin
  u64 looked, parted, nodes;
};

struct Tree {
  Forest f;
  int subset, number, k, n_try;
  u64 *rows_0, *rows_1;    // the two buffers of either list
  u32 *asked_0, *asked_1;
  u64* totals;
  Split* found;             // the best split of every warp
};

// Chosen, not indexed: what is indexed lies in memory.
__device__ inline u64* rows_of(const Tree& t, u32 side) { return side ? t.rows_1 : t.rows_0; }
__device__ inline u32* asked_of(const Tree& t, u32 side) { return side ? t.asked_1 : t.asked_0; }

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

// Adds a node's share of class 1 to the sums of an evaluation row, for the groups from..to.
__device__ inline void add_share(const Tree& t, u32 row, u64 share, int from, int to) {
  for (int g = from; g < to; g++)
    if (t.number < t.f.sizes[g]) atomicAdd(t.totals + (u64)g * t.f.n_asked + row, share);
}

__device__ inline u64 share_of(const u32* counts) {
  return (u64)(int)((double)counts[1] / ((double)counts[0] + (double)counts[1]) * ONE + 0.5);
}

__device__ inline bool ends(const Tree& t, const Node& node) {
  return node.counts[0] == 0 || node.counts[1] == 0 ||
         (int)node.depth >= t.f.depths[t.f.n_groups - 1];
}

// A node's evaluation rows end here.
template <class Group>
__device__ void make_leaf(const Tree& t, const Node& node) {
  int from = 0;
  while (from < t.f.n_groups && t.f.depths[from] <= (int)node.depth) from++;
  u64 share = share_of(node.counts);
  const u32* asked = asked_of(t, node.side);
  for (u32 i = node.asked_start + Group::rank(); i < node.asked_end; i += Group::size())
    add_share(t, asked[i], share, from, t.f.n_groups);
}

// A child of a node, still without rows.
__device__ inline Node child_of(const Node& node, u64 key, u32 count0, u32 count1) {
  Node child = node;
  child.depth = node.depth + 1;
  child.side = 1 - node.side;
  child.key = mix(node.key ^ key);
  child.counts[0] = count0;
  child.counts[1] = count1;
  return child;
}

// Parts the rows of a node between its children; evaluation rows that end there are added up.
// Gives the children, without rows if they need not be grown.
template <class Group>
__device__ void part(const Tree& t, const Node& node, const Split& split, Desk* desk, Node& left,
                     Node& right) {
  float threshold = midpoint(split.lower, split.upper);
  int depth = node.depth + 1, from = 0;
  while (from < t.f.n_groups && t.f.depths[from] < depth) from++;
  int to = from;
  while (to < t.f.n_groups && t.f.depths[to] == depth) to++;
  left = child_of(node, LEFT_KEY, split.left[0], split.left[1]);
  right = child_of(node, RIGHT_KEY, node.counts[0] - split.left[0], node.counts[1] - split.left[1]);
  bool left_grows = !ends(t, left), right_grows = !ends(t, right);
  u64 left_share = share_of(left.counts), right_share = share_of(right.counts);
  const u64* rows = rows_of(t, node.side);
  const u32* asked = asked_of(t, node.side);
  u64* rows_to = rows_of(t, 1 - node.side);
  u32* asked_to = asked_of(t, 1 - node.side);
  Group::sync();
  if (Group::leads()) {
    desk->n_left = desk->n_right = desk->asked_left = desk->asked_right = 0;
    desk->parted += node.end - node.start + node.asked_end - node.asked_start;
    desk->nodes++;
  }
  Group::sync();
  const float* values = t.f.asked + (u64)split.column * t.f.n_asked;
  for (u32 first = node.asked_start; first < node.asked_end; first += Group::size()) {
    u32 i = first + Group::rank(), row = 0;
    bool valid = i < node.asked_end, goes_right = false;
    if (valid) {
      row = asked[i];
      goes_right = values[row] > threshold;
      bool goes_on = goes_right ? right_grows : left_grows;
      add_share(t, row, goes_right ? right_share : left_share, from, goes_on ? to : t.f.n_groups);
    }
    u32 l = place(valid && !goes_right && left_grows, &desk->asked_left);
    u32 r = place(valid && goes_right && right_grows, &desk->asked_right);
    if (valid && (goes_right ? right_grows : left_grows))
      asked_to[goes_right ? node.asked_end - 1 - r : node.asked_start + l] = row;
  }
  Group::sync();
  left_grows = left_grows && desk->asked_left > 0;
  right_grows = right_grows && desk->asked_right > 0;
  if (left_grows || right_grows) {
    values = t.f.train + (u64)split.column * t.f.n;
    for (u32 first = node.start; first < node.end; first += Group::size()) {
      u32 i = first + Group::rank();
      u64 entry = 0;
      bool valid = i < node.end, goes_right = false;
      if (valid) {
        entry = rows[i];
        goes_right = values[row_of(entry)] > threshold;
      }
      u32 l = place(valid && !goes_right && left_grows, &desk->n_left);
      u32 r = place(valid && goes_right && right_grows, &desk->n_right);
      if (valid && (goes_right ? right_grows : left_grows))
        rows_to[goes_right ? node.end - 1 - r : node.start + l] = entry;
    }
  }
  Group::sync();
  left.end = node.start + (left_grows ? desk->n_left : 0);
  left.asked_end = node.asked_start + desk->asked_left;
  right.start = node.end - (right_grows ? desk->n_right : 0);
  right.asked_start = node.asked_end - desk->asked_right;
}

// Splits a node. Gives its children; without rows if there is nothing more to grow.
template <class Group>
__device__ void grow_node(const Tree& t, const Node& node, Desk* desk, u16* features,
                          u32* histograms, Node& left, Node& right) {
  Split split;
  bool few = Group::slots == 1 && node.end - node.start <= LANES;
  if (few) split = find_split_by_values(t, node, desk, features);
  else split = find_split<Group>(t, node, desk, features, histograms);
  if (split.score < 0.0) {
    make_leaf<Group>(t, node);
    left.start = left.end = right.start = right.end = 0;
    return;
  }
  if (!few) split = place_split<Group>(t, node, split, desk, histograms);
  part<Group>(t, node, split, desk, left, right);
}

__device__ inline u32 size_of(const Node& node) { return node.end - node.start; }

// A warp grows all that is below a small node.
__device__ void grow_branch(const Tree& t, const Node& root, Node* stack, Desk* desk, u16* features,
                            u32* histogram) {
  int top = 0;
  Node node = root, left, right;
  for (;;) {
    grow_node<Warp>(t, node, desk, features, histogram, left, right);
    bool right_waits = size_of(right) > size_of(left);  // the larger child: this bounds the stack
    u32 waits = right_waits ? size_of(right) : size_of(left);
    u32 follows = right_waits ? size_of(left) : size_of(right);
    if (waits) {
      if (lane_of() == 0) stack[top] = right_waits ? right : left;
      top++;
    }
    if (follows) {
      if (lane_of() == 0) stack[top] = right_waits ? left : right;
      top++;
    }
    __syncwarp();
    if (top == 0) return;
    node = stack[--top];
    __syncwarp();
  }
}

// Draws a tree's rows with replacement, and lists each that was drawn; of equal rows the first is
// listed for all. Returns how many; `counts` gets the drawn rows of either class.
__device__ u32 draw_rows(const Tree& t, u64 seed, u32* drawn, u32* n_listed, u32* counts) {
  int n = t.f.n;
  const u32* merged = t.f.merged + (u64)t.subset * n;
  for (int i = threadIdx.x; i < n; i += THREADS) drawn[i] = 0;
  if (threadIdx.x == 0) *n_listed = counts[0] = counts[1] = 0;
  __syncthreads();
  u64 state = mix(seed ^ GOLDEN);
  for (int i = threadIdx.x; i < (n + 1) / 2; i += THREADS) {
    u64 bits = mix(state + (u64)(i + 1) * GOLDEN);
    atomicAdd(drawn + merged[below(bits, n)], 1u);
    if (2 * i + 1 < n) atomicAdd(drawn + merged[below(bits >> 32, n)], 1u);
  }
  __syncthreads();
  u32 zeros = 0, ones = 0;
  for (int first = 0; first < n; first += THREADS) {
    int row = first + threadIdx.x;
    u32 times = row < n ? drawn[row] : 0, label = times ? t.f.labels[row] : 0;
    if (label) ones += times;
    else zeros += times;
    u32 at = place(times > 0, n_listed);
    if (times) t.rows_0[at] = entry_of(row, times, label);
  }
  atomicAdd(counts, zeros);
  atomicAdd(counts + 1, ones);
  __syncthreads();
  return *n_listed;
}

// Lists the evaluation rows; of equal ones the first is listed for all. Returns how many.
__device__ u32 list_asked(const Tree& t, u32* n_listed) {
  const u32* merged = t.f.merged_asked + (u64)t.subset * t.f.n_asked;
  if (threadIdx.x == 0) *n_listed = 0;
  __syncthreads();
  for (int first = 0; first < t.f.n_asked; first += THREADS) {
    u32 row = first + threadIdx.x;
    bool stands = row < t.f.n_asked && merged[row] == row;
    u32 at = place(stands, n_listed);
    if (stands) t.asked_0[at] = row;
  }
  __syncthreads();
  return *n_listed;
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    grow_forests(const float* train, const u8* codes, const float* asked, const u8* exact,
                 const u8* labels, const int* listed_columns, const int* first, const u32* merged,
                 const u32* merged_asked, const u64* seeds,
                 const int* depths, const int* sizes, u64* totals, u32* lists, u64 words,
                 u32* queue, u64* work, int n, int n_asked, int n_subsets, int n_trees, int n_groups,
                 int n_features) {
  DYNAMIC_SHARED(room);
  Forest f = {train, codes, asked, exact, labels, listed_columns, first, merged, merged_asked, seeds, depths, sizes,
              totals, lists, words, queue, work, n, n_asked, n_subsets, n_trees, n_groups, n_features};
  __shared__ Node waiting[DEEPEST], listed[LISTED], stacks[WARPS][WAITING];
  __shared__ Desk desks[WARPS + 1];
  __shared__ Split found[WARPS];
  __shared__ u32 histograms[WARPS * 512];
  __shared__ u32 item, n_rows, n_asked_rows, counts[2], next;
  u16* features = (u16*)room + warp_of() * f.n_features;     // a warp's
  u16* shared_features = (u16*)room + WARPS * f.n_features;  // the block's
  Desk *desk = desks + warp_of(), *shared_desk = desks + WARPS;
  Tree t;
  t.f = f;
  t.found = found;
  u32* own = f.room + (u64)blockIdx.x * f.room_words;
  t.rows_0 = (u64*)own;
  t.rows_1 = t.rows_0 + f.n;
  t.asked_0 = own + 4 * (u64)f.n;
  t.asked_1 = t.asked_0 + f.n_asked;
  u32* drawn = t.asked_1 + f.n_asked;
  for (int i = threadIdx.x; i < WARPS * 512; i += THREADS) histograms[i] = 0;
  if (threadIdx.x <= WARPS)
    desks[threadIdx.x].looked = desks[threadIdx.x].parted = desks[threadIdx.x].nodes = 0;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) item = atomicAdd(f.next, 1u);
    __syncthreads();
    if (item >= (u32)(f.n_subsets * f.n_trees)) break;
    t.subset = item / f.n_trees;
    t.number = item % f.n_trees;
    t.k = f.first[t.subset + 1] - f.first[t.subset];
    t.n_try = (int)sqrt((double)t.k);
    t.totals = f.totals + (u64)t.subset * f.n_groups * f.n_asked;
    for (int i = threadIdx.x; i < (WARPS + 1) * f.n_features; i += THREADS)
      ((u16*)room)[i] = (u16)(i % f.n_features);
    Node node;
    u64 seed = f.seeds[(u64)t.subset * f.n_trees + t.number];
    node.start = node.asked_start = 0;
    node.end = draw_rows(t, seed, drawn, &n_rows, counts);
    node.asked_end = list_asked(t, &n_asked_rows);
    node.counts[0] = counts[0];
    node.counts[1] = counts[1];
    node.depth = node.side = 0;
    node.key = mix(seed);
    if (ends(t, node)) {
      make_leaf<Block>(t, node);
      continue;
    }
    int top = 0, n_listed = 0;
    if (threadIdx.x == 0) {
      if (node.end > SMALL) waiting[0] = node;
      else listed[0] = node;
    }
    if (node.end > SMALL) top = 1;
    else n_listed = 1;
    while (top > 0 || n_listed > 0) {
      __syncthreads();
      if (top == 0 || n_listed > LISTED - 2) {  // the warps grow what is listed
        if (threadIdx.x == 0) next = 0;
        __syncthreads();
        for (;;) {
          u32 mine = 0;
          if (lane_of() == 0) mine = atomicAdd(&next, 1u);
          mine = __shfl_sync(ALL, mine, 0);
          if (mine >= (u32)n_listed) break;
          node = listed[mine];
          grow_branch(t, node, stacks[warp_of()], desk, features, histograms + warp_of() * 512);
        }
        n_listed = 0;
        continue;
      }
      node = waiting[--top];
      __syncthreads();
      Node left, right;
      grow_node<Block>(t, node, shared_desk, shared_features, histograms, left, right);
      bool right_waits = size_of(right) > size_of(left);
      for (int turn = 0; turn < 2; turn++) {
        const Node one = right_waits == (turn == 0) ? right : left;
        if (size_of(one) > SMALL) {
          if (threadIdx.x == 0) waiting[top] = one;
          top++;
        } else if (size_of(one) > 0) {
          if (threadIdx.x == 0) listed[n_listed] = one;
          n_listed++;
        }
      }
    }
  }
  if (threadIdx.x <= WARPS) {
    atomicAdd(f.work, desks[threadIdx.x].looked);
    atomicAdd(f.work + 1, desks[threadIdx.x].parted);
    atomicAdd(f.work + 2, desks[threadIdx.x].nodes);
  }
}
