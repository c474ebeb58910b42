"""Train a Cleaner on triplets (§4.1, Appendix C). Needs the extra ``train``."""
