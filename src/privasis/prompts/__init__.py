"""Words that models read: one template a step, loaded by the step's name."""
