"""Agents: a site as tools for language models and whoever else speaks MCP, on a pipe or at the site's own `/mcp`.

`tools` says what an agent can do, in terms of the site's interface for programs and of nothing else: whatever an agent learns,
any program with the same token would. `server` tells it in MCP, with the official SDK (extra `agents`).
"""
