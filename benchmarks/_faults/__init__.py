"""The attacks of `faults.py`, one file each."""
