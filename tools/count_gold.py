"""Count what is in the gold corpus.

Usage: python tools/count_gold.py
"""

from __future__ import annotations

from collections import Counter

from privasis.gold.parts import part_of
from privasis.gold.source import packaged_gold


def main() -> None:
    """Print the counts; what is short of the promises, tools/check_gold.py tells."""
    records = list(packaged_gold())
    triplets = [triplet for record in records for triplet in record.triplets]
    print(f"records {len(records)}, triplets {len(triplets)}, of them hard {sum(t.hard for t in triplets)}")
    print("languages", dict(Counter(record.language for record in records).most_common()))
    print("parts", dict(Counter(part_of(record) for record in records)))
    print(f"countries {len({r.country for r in records})}, formats {len({r.format for r in records})}")
    words = [len(record.text.split()) for record in records]
    print(f"words a record {sum(words) / len(words):.0f}")
    print(f"attributes a record {sum(len(record.attributes) for record in records) / len(records):.1f}")


if __name__ == "__main__":
    main()
