"""What makes a record prove itself: hash chain, commitments, draws from a committed seed, signatures. One mechanism per file."""
