"""A walk through the whole site while a round is played: what is sent is what the public may see, and no more."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arbiter.match.record import BotReport, Fault, Forfeit
from arbiter.replay.emblem import dealt
from arbiter.replay.visibility import Reader, replay_of
from tests.fixtures.zoo import DEALT, SEED
from tests.web.addresses import walk

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from arbiter.match.record import MatchRecord
    from tests.fixtures.zoo import Kept

UNDER_WAY = 3
WRITTEN, REPLIED = "written-to-standard-error", "said-in-a-raw-reply"
SHOWN = ("", "?after_round=1", "/crosstable?show=los", "/live", "/live?wall=1")


def marked(record: MatchRecord) -> MatchRecord:
    """The same match with words of its bots that are not for the public."""
    bots = tuple(
        BotReport(name, stderr_head=WRITTEN, stderr_tail=f"{WRITTEN} by {name}") for name in record.players
    )
    if record.forfeit is None:
        return replace(record, bots=bots)
    forfeit = replace(record.forfeit, reply=f"= 2C\n{REPLIED}\n\n")
    return replace(record, bots=bots, forfeit=forfeit)


def crashed(record: MatchRecord) -> MatchRecord:
    """The same match, ended in its last deal by a crash whose last words the referee quotes."""
    move = record.moves[-2]
    told = Forfeit(move.seat, record.players[move.seat], Fault.CRASH, "exit code 1", move.request, REPLIED, private=WRITTEN)  # fmt: skip
    return marked(replace(record, moves=record.moves[:-2], points=None, forfeit=told))


@pytest.fixture
def records(kept: Kept) -> list[MatchRecord]:
    """All matches of the season, as they are stored: two of a round that is still played, one of them crashed."""
    names = [match.id for match in kept.season.summaries()]
    for name in names:
        kept.change(name, crashed if name == f"r00{UNDER_WAY}/t01/m1" else marked)
    return [kept.match(name) for name in names]


@pytest.mark.slow
def test_no_page_and_no_answer_tells_what_is_not_for_the_public(
    visitor: TestClient, records: list[MatchRecord]
) -> None:
    sent = walk(visitor, [f"/seasons/small{page}" for page in SHOWN])
    assert sum(address.endswith("/replay") for address in sent) == len(records)
    secrets = {SEED, WRITTEN, REPLIED, "stderr"}
    for record in records:
        secrets.add(record.deal_hash)
        if record.round == UNDER_WAY:
            for hand in record.deals[1]["hands"]:
                secrets |= {joint.join(hand) for joint in (" ", ", ", '","', '", "')}
    told = {(address, secret) for address, text in sent.items() for secret in secrets if secret in text}
    assert told == set()


def test_a_replay_that_is_sent_is_what_the_public_may_see(
    visitor: TestClient, records: list[MatchRecord]
) -> None:
    for record in records:
        sent = visitor.get(f"/api/v1/seasons/small/matches/{record.id.replace('/', '-')}/replay").json()
        with dealt(DEALT):
            allowed = replay_of(record, Reader("public"), complete=record.round != UNDER_WAY)
        assert sent == json.loads(json.dumps(allowed))
        hidden = [hand for deal in sent["deals"] for hand in deal["hands"] or [None]]
        assert (record.round == UNDER_WAY) == (set(map(type, hidden)) == {type(None)})


def test_a_seats_eyes_are_lent_once_the_round_is_complete(
    visitor: TestClient, kept: Kept, records: list[MatchRecord]
) -> None:
    kept.change(records[0].id, crashed)
    for record in records:
        address = f"/api/v1/seasons/small/matches/{record.id.replace('/', '-')}/replay"
        assert "hands" in visitor.get(address).text
        answer = visitor.get(f"{address}?reader=seat:1")
        if record.round == UNDER_WAY:
            assert answer.status_code == 404
            continue
        assert answer.json()["reader"] == "seat:1"
        assert {deal["hands"][0] for deal in answer.json()["deals"]} == {None}
        assert all(deal["hands"][1] for deal in answer.json()["deals"])
        assert WRITTEN not in "".join(visitor.get(f"{address}?reader=seat:{seat}").text for seat in range(4))
        assert visitor.get(f"{address}?reader=seat:7").status_code == 404
        assert visitor.get(f"{address}?reader=full").status_code == 422
