"""Games that users add by address, each with its own external referee."""
