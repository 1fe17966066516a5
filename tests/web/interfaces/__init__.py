"""The default interfaces, one file of tests a game, as a person sees them: in a sandboxed iframe of another page."""
