"""Documents taken apart into what may be changed in them, cleaned as one text, and put together again."""
