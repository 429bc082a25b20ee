"""Agreement of the GPU's forest with scikit-learn's on the paper's own subsets.

What `benchmarks/reported.py` does, with the GPU's forest as ours: the whole training file, the test
file for evaluation, a single tree of unlimited depth and 100 trees of depth 2.
"""

from reported import main

if __name__ == "__main__":
    main("gpu")
