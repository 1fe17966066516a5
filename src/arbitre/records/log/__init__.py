"""The transparency log: a Merkle tree of openings and seals, in the public formats (spec: proof, section 5)."""
