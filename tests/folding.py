"""The frames of a replay, folded as docs/reference/replay.md says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arbiter.viewed import Replay


def folded(replay: Replay) -> dict[int, dict[str, Any]]:
    """Each frame of a replay, whole, by its event."""
    frames: dict[int, dict[str, Any]] = {}
    last: dict[str, Any] = {"roles": {}}
    for event in replay["events"]:
        if "shown" not in event:
            continue
        changed: dict[str, Any] = dict(event["shown"])
        roles, laid = changed.pop("roles", {}), changed.pop("laid", None)
        last = {**last, **changed, "roles": {**last["roles"], **roles}}
        if laid is not None:
            _lay(last, *laid)
        frames[event["i"]] = last
    return frames


def _lay(frame: dict[str, Any], seat: int, words: str, cards: tuple[str, ...]) -> None:
    frame["table"] = (*frame["table"], (seat, words, cards))
    hands, counts = list(frame["hands"]), list(frame["counts"])
    counts[seat] -= len(cards)
    if hands[seat] is not None:
        left = list(hands[seat])
        for card in cards:
            left.remove(card)
        hands[seat] = tuple(left)
    frame["hands"], frame["counts"] = tuple(hands), tuple(counts)
