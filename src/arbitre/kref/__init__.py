"""KRef, the Kriegspiel referee: play by an encrypted file, on one machine or by mail (seed 001, spec kriegspiel)."""
