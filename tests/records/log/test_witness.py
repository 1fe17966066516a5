"""A witness signs what extends the last thing it signed, and nothing else; every answer is the one of the specification."""

from pathlib import Path
from threading import Thread

import pytest

from arbitre.crypto.keys import Key
from arbitre.errors import LogError
from arbitre.records.log.checkpoint import Checkpoint, sign_checkpoint
from arbitre.records.log.note import PLAIN, Verifier, check
from arbitre.records.log.tree import EMPTY
from arbitre.records.log.witness import Witness, read_cosignatures, write_request
from tests.records.log.laid import LOG_KEY, ORIGIN
from tests.records.log.naive import naive_consistency, naive_root

ENTRIES = [number.to_bytes(4, "big") for number in range(40)]
NOW = 1_679_315_147


def made(size: int, entries: list[bytes] = ENTRIES) -> Checkpoint:
    return sign_checkpoint(ORIGIN, size, naive_root(entries[:size]), LOG_KEY)


def asked(old: int, new: int, entries: list[bytes] = ENTRIES) -> bytes:
    proof = naive_consistency(old, entries[:new]) if old else []
    return write_request(old, proof, made(new, entries))


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return again(tmp_path)


def again(folder: Path) -> Witness:
    return Witness(folder, "witness.example/w", Key(bytes(32)), [Verifier(ORIGIN, PLAIN, LOG_KEY.public)], lambda: NOW)


def test_it_signs_what_extends_the_last(witness: Witness, tmp_path: Path) -> None:
    for old, new in ((0, 5), (5, 5), (5, 6), (6, 33)):
        answer = witness.add(asked(old, new))
        assert answer.status == 200, answer
        (signature,) = read_cosignatures(answer.text.encode(), made(new), witness.verifier)
        assert int.from_bytes(signature.octets[:8], "big") == NOW
    last = again(tmp_path).seen(ORIGIN)
    assert last is not None
    assert last.tree == made(33).tree
    assert check(last.note, witness.verifier)
    digest = next(tmp_path.glob("*.checkpoint")).stem
    assert witness.monitored(digest).text == last.note.whole()
    assert witness.monitored("0" * 64).status == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (asked(0, 5), 409),
        (asked(9, 12), 409),
        (asked(7, 12, [b"another", *ENTRIES[1:]]), 422),
        (write_request(7, [], made(12)), 422),
        (write_request(7, [bytes(32)], made(12)), 422),
        (write_request(7, [], made(7, [b"another", *ENTRIES[1:]])), 422),
        (write_request(9, [], made(7)), 400),
        (write_request(7, [], sign_checkpoint(ORIGIN, 8, bytes(32), Key(bytes(32)))), 403),
        (write_request(7, [], made(7)).replace(b"old 7", b"old 07"), 400),
        (write_request(7, [bytes(32)] * 64, made(7)), 400),
        (write_request(0, [], sign_checkpoint("other.example/log", 7, bytes(32), LOG_KEY)), 404),
        (b"", 400),
        (b"old 7\n\nrubbish", 400),
        (b"x" * 200_000, 400),
        (b"\xff\xfe" * 300, 400),
    ],
)
def test_it_refuses_everything_else(witness: Witness, body: bytes, status: int) -> None:
    assert witness.add(asked(0, 7)).status == 200
    answer = witness.add(body)
    assert answer.status == status
    if status == 409:
        assert (answer.text, answer.kind) == ("7\n", "text/x.tlog.size")
    last = witness.seen(ORIGIN)
    assert last is not None
    assert last.tree == made(7).tree


def test_a_false_signature_of_the_log_is_refused(witness: Witness) -> None:
    body = write_request(0, [], made(7)).replace(b"\n7\n", b"\n8\n")
    assert witness.add(body).status == 403
    assert witness.seen(ORIGIN) is None


def test_an_empty_tree_has_the_root_of_an_empty_tree(witness: Witness) -> None:
    assert witness.add(write_request(0, [], sign_checkpoint(ORIGIN, 0, bytes(32), LOG_KEY))).status == 422
    assert witness.add(write_request(0, [], sign_checkpoint(ORIGIN, 0, EMPTY, LOG_KEY))).status == 200


def test_of_many_at_once_none_rolls_back(witness: Witness) -> None:
    threads = [Thread(target=witness.add, args=(asked(0, size),)) for size in range(1, 30)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    last = witness.seen(ORIGIN)
    assert last is not None
    assert witness.add(asked(last.size, 40)).status == 200


def test_another_answer_than_a_signature_is_told(witness: Witness) -> None:
    for data in (b"", b"rubbish", "— witness.example/w AAAAAAA=\n".encode(), "— other AAAAAAA=\n".encode()):
        with pytest.raises(LogError):
            read_cosignatures(data, made(3), witness.verifier)
