"""International draughts on a hundred squares."""
