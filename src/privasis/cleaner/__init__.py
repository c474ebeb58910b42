"""The Cleaner: finds what an instruction names in a text, changes that, and proves that it is gone."""
