"""The command line: parse, build the configuration, call, print."""
