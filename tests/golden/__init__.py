"""Golden records: one of every game and of every termination. From now on they verify for ever."""
