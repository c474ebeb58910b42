"""Whole jobs: a pipeline, a runner and a run folder joined. What the command line and Python users call."""
