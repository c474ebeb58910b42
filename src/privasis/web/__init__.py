"""The local web application: look at what was made, and try the Cleaner."""
