"""The Model Context Protocol: memory tools for assistants, over HTTP (`api.mcp.http`) and stdio (`api.mcp.stdio`)."""
