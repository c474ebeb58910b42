"""How well a sanitizer did: leaks in three depths, retention, and the columns of Table 4 (§4.2)."""
