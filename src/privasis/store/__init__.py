"""What lies on disk: run folders, shards, exports. The only room that opens run files."""
