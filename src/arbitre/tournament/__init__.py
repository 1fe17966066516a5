"""Tournaments as pure functions: who meets whom, what the results say, and how it is told.

Nothing here has a clock, a file or luck of its own. A schedule is a function of the format, the field, the seed and the results;
standings, ratings and reports are functions of the schedule and the results. So a tournament that was killed goes on exactly
where it was: whoever asks again with the same results gets the same answer. Start reading at `arbitre.tournament.schedule`.
"""
