"""The binned forest: one forest answers every parameter group of a subset."""
