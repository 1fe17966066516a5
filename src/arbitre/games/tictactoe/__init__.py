"""TicTacToe: three in a row on nine cells."""
