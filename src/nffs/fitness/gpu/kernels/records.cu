// The records of growth: what a forest grows from, a node, a split, and what threads share.

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
  const float* evaluated;   // values of the evaluation rows
  const u8* exact;      // whether every bin of a column holds one value
  const u8* labels;     // classes of the training rows
  const int* listed;    // the pooled columns of every subset ...
  const int* first;     // ... subset s has those from first[s] to first[s + 1]
  const u32* merged;    // the first equal row of every training row, by subset
  const u32* merged_evaluated;  // the same of the evaluation rows
  const u64* seeds;     // of every tree of every subset
  const int* depths;    // at which every group cuts, ascending
  const int* sizes;     // how many trees every group has
  u64* totals;          // sums of shares by subset, group and evaluation row
  u32* room;            // the blocks' own lists
  u64 room_words;       // how much of it each has
  u32* next;            // the tree that is to be grown next
  u64* work;            // what was done: bins and values looked at, rows parted, nodes
  int n, n_evaluated, n_subsets, n_trees, n_groups, n_features;  // n_features: the most of a subset
};

struct Node {
  u64 key;                       // decides which features it draws
  u32 start, end;                // its training rows
  u32 evaluated_start, evaluated_end;    // its evaluation rows
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
  u32 n_left, n_right, evaluated_left, evaluated_right, n_aside;
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
  u32 *evaluated_0, *evaluated_1;
  u64* totals;
  Split* found;             // the best split of every warp
};
