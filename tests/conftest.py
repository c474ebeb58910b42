"""What all rooms' tests share. Its place puts tests/ on the path: `from support.scripted_server import …`."""

from hypothesis import settings

# These machines are shared: how long an example takes says nothing about the code.
settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
