"""§3.1, Algorithm 1: a record becomes triplets of (record, instruction, sanitized record)."""
