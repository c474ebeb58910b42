"""What the scores say: one function a table or figure, numbers in, a table out."""
