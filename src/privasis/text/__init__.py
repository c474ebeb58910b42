"""Strings only: chunks, spans, edits, leaks. No LLM, no files."""
