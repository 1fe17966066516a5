"""The referee: a match as a state machine over its transcript, clocks, verdicts, verification, and the runner that keeps time."""
