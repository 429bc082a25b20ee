"""The paper's experiments: its subsets, tables and figures."""
