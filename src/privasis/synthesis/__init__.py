"""Records from nothing (§2.1): seeds, profiles, controls, drafts, refinement, annotation, filtering."""
