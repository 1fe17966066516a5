"""Every figure that the manual quotes, measured side by side with a peer or a physical limit in one run."""
