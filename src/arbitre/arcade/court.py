"""The arcade's court: how a record of a bout is read, judged and told, for whoever has only the record."""

from arbitre.arcade.referee import Judge, read_call
from arbitre.arcade.story import reread, story
from arbitre.records.record import Record
from arbitre.referee.courts import Court


def _story(record: Record) -> str:
    return "\n".join(story(reread(record))) + "\n"


COURT = Court(read_call, Judge, {"record": Record.text, "story": _story})
