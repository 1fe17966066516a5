"""MasterMind: each breaks the other's code of four coloured pegs."""
