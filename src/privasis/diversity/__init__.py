"""How varied a set of texts is: arrays and strings in, numbers out (§2.1, Tables 2, 8 and 9)."""

from privasis.diversity.lexical import (
    LexicalDiversity,
    bigram_diversity,
    lexical_diversity,
    mattr,
    shannon_entropy,
    tokenise,
)
from privasis.diversity.similarity import mean_cosine_similarity
from privasis.diversity.vendi import PreparedPool, delta_vendi, delta_vendi_in, prepare_pool, vendi

__all__ = [
    "LexicalDiversity",
    "PreparedPool",
    "bigram_diversity",
    "delta_vendi",
    "delta_vendi_in",
    "lexical_diversity",
    "mattr",
    "mean_cosine_similarity",
    "prepare_pool",
    "shannon_entropy",
    "tokenise",
    "vendi",
]
