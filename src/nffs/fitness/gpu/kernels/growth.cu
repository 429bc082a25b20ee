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

#define SMALL 1024
#define RESIDENT 4  // blocks that share a multiprocessor
#define LISTED 128  // small nodes that wait at most
#define DEEPEST 48  // large nodes that wait at most: the larger child waits, so about log2(rows) suffice
#define WAITING 16  // the same of a warp

// Adds a node's share of class 1 to the sums of an evaluation row, for the groups from..to.
__device__ inline void add_share(const Tree& t, u32 row, u64 share, int from, int to) {
  for (int g = from; g < to; g++)
    if (t.number < t.f.sizes[g]) atomicAdd(t.totals + (u64)g * t.f.n_evaluated + row, share);
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
  const u32* evaluated = evaluated_of(t, node.side);
  for (u32 i = node.evaluated_start + Group::rank(); i < node.evaluated_end; i += Group::size())
    add_share(t, evaluated[i], share, from, t.f.n_groups);
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
  const u32* evaluated = evaluated_of(t, node.side);
  u64* rows_to = rows_of(t, 1 - node.side);
  u32* evaluated_to = evaluated_of(t, 1 - node.side);
  Group::sync();
  if (Group::leads()) {
    desk->n_left = desk->n_right = desk->evaluated_left = desk->evaluated_right = 0;
    desk->parted += node.end - node.start + node.evaluated_end - node.evaluated_start;
    desk->nodes++;
  }
  Group::sync();
  const float* values = t.f.evaluated + (u64)split.column * t.f.n_evaluated;
  for (u32 first = node.evaluated_start; first < node.evaluated_end; first += Group::size()) {
    u32 i = first + Group::rank(), row = 0;
    bool valid = i < node.evaluated_end, goes_right = false;
    if (valid) {
      row = evaluated[i];
      goes_right = values[row] > threshold;
      bool goes_on = goes_right ? right_grows : left_grows;
      add_share(t, row, goes_right ? right_share : left_share, from, goes_on ? to : t.f.n_groups);
    }
    u32 l = place(valid && !goes_right && left_grows, &desk->evaluated_left);
    u32 r = place(valid && goes_right && right_grows, &desk->evaluated_right);
    if (valid && (goes_right ? right_grows : left_grows))
      evaluated_to[goes_right ? node.evaluated_end - 1 - r : node.evaluated_start + l] = row;
  }
  Group::sync();
  left_grows = left_grows && desk->evaluated_left > 0;
  right_grows = right_grows && desk->evaluated_right > 0;
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
  left.evaluated_end = node.evaluated_start + desk->evaluated_left;
  right.start = node.end - (right_grows ? desk->n_right : 0);
  right.evaluated_start = node.evaluated_end - desk->evaluated_right;
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
__device__ u32 list_evaluated(const Tree& t, u32* n_listed) {
  const u32* merged = t.f.merged_evaluated + (u64)t.subset * t.f.n_evaluated;
  if (threadIdx.x == 0) *n_listed = 0;
  __syncthreads();
  for (int first = 0; first < t.f.n_evaluated; first += THREADS) {
    u32 row = first + threadIdx.x;
    bool stands = row < t.f.n_evaluated && merged[row] == row;
    u32 at = place(stands, n_listed);
    if (stands) t.evaluated_0[at] = row;
  }
  __syncthreads();
  return *n_listed;
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    grow_forests(const float* train, const u8* codes, const float* evaluated, const u8* exact,
                 const u8* labels, const int* listed_columns, const int* first, const u32* merged,
                 const u32* merged_evaluated, const u64* seeds, const int* depths,
                 const int* sizes, u64* totals, u32* lists, u64 words, u32* queue, u64* work,
                 int n, int n_evaluated, int n_subsets, int n_trees, int n_groups,
                 int n_features) {
  DYNAMIC_SHARED(room);
  Forest f = {train,   codes, evaluated, exact,       labels,    listed_columns,   first,
              merged,  merged_evaluated, seeds,       depths,    sizes,            totals,
              lists,   words, queue,     work,        n,         n_evaluated,      n_subsets,
              n_trees, n_groups,         n_features};
  __shared__ Node waiting[DEEPEST], listed[LISTED], stacks[WARPS][WAITING];
  __shared__ Desk desks[WARPS + 1];
  __shared__ Split found[WARPS];
  __shared__ u32 histograms[WARPS * 512];
  __shared__ u32 item, n_rows, n_evaluated_rows, counts[2], next;
  u16* features = (u16*)room + warp_of() * f.n_features;     // a warp's
  u16* shared_features = (u16*)room + WARPS * f.n_features;  // the block's
  Desk *desk = desks + warp_of(), *shared_desk = desks + WARPS;
  Tree t;
  t.f = f;
  t.found = found;
  u32* own = f.room + (u64)blockIdx.x * f.room_words;
  t.rows_0 = (u64*)own;
  t.rows_1 = t.rows_0 + f.n;
  t.evaluated_0 = own + 4 * (u64)f.n;
  t.evaluated_1 = t.evaluated_0 + f.n_evaluated;
  u32* drawn = t.evaluated_1 + f.n_evaluated;
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
    t.totals = f.totals + (u64)t.subset * f.n_groups * f.n_evaluated;
    for (int i = threadIdx.x; i < (WARPS + 1) * f.n_features; i += THREADS)
      ((u16*)room)[i] = (u16)(i % f.n_features);
    Node node;
    u64 seed = f.seeds[(u64)t.subset * f.n_trees + t.number];
    node.start = node.evaluated_start = 0;
    node.end = draw_rows(t, seed, drawn, &n_rows, counts);
    node.evaluated_end = list_evaluated(t, &n_evaluated_rows);
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
