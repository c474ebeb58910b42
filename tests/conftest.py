"""What all rooms' tests share. Its place puts tests/ on the path: `from support.scripted_server import …`."""
