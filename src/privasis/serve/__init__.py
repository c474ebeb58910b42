"""What answers over a port: the cleaning service, the MCP server and the gateway."""
