"""``python -m privasis``: the command line."""

from privasis.cli.main import main

main()
