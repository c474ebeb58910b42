"""A report of runs as one page: what is in it, its pictures, and the two ways of writing it down."""
