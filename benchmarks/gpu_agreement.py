"""Agreement of the GPU's forest with scikit-learn's: drawn subsets of NSL-KDD, several seeds.

The comparison of `benchmarks/agreement.py`, with the GPU's forest as ours: every subset is scored
by it, by scikit-learn's forest, and by scikit-learn's with other seeds.
"""

from agreement import main

if __name__ == "__main__":
    main("gpu")
