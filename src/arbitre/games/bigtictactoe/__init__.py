"""BigTicTacToe: the most rows of five on ten by ten cells."""
