"""The gold corpus: records and triplets written by hand for this project, checked and split."""
