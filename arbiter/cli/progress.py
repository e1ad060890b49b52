"""Tell what happens to a season while it is played, on standard error and in a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbiter import errors
from arbiter.cli.bar import Bar, match_line
from arbiter.cli.output import counted, moment_text, note, number, suspended_line
from arbiter.season.events import (
    ChangesAccepted,
    FinishedAsBegun,
    MatchesAgain,
    MatchStored,
    MatchVoid,
    Noted,
    PlayersAwaited,
    ProgramChanged,
    RoundAwaited,
    RoundComplete,
    RoundPlanned,
    RoundsOver,
    SeasonComplete,
    StillSuspended,
    Stopped,
    SubstitutesPlanned,
    Suspended,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arbiter.cli.journal import Journal
    from arbiter.season.events import Event


def void_line(event: MatchVoid) -> str:
    """One line about a match that failed by no fault of a bot."""
    return f"{event.id}: void, to be played again: {event.why}"


def stopped() -> errors.Interrupted:
    """The error that ends a command when somebody asked its season to stop."""
    return errors.Interrupted("stopped as asked; the same command goes on")


def present(
    events: Iterable[Event], name: str, journal: Journal, each_match: bool = False, whole: bool = False
) -> None:
    """Tell a terminal and a journal what happens to the season `name`; `errors.Interrupted` at its stop.

    A terminal has a bar over each round, or over the whole season; elsewhere there is a line about each
    match, or without `each_match` about forfeits alone. With it, too, a round's end is told by the journal
    only: the command's own output says it. All but the first of voids in a row that have one reason are told
    by the journal only.
    """
    with Bar(each_match) as bar:
        announced, done, more, why = False, 0, 0, ""
        for event in events:
            if isinstance(event, MatchStored):
                match, why = event.match, ""
                journal.write(f"{match_line(match.summary)} ({match.wall_ns / 1e9:.2f} s)")
                bar.seen(match.summary)
                done += 1
                continue
            if isinstance(event, RoundPlanned):
                for text in [] if announced else _plan_lines(event, name):
                    journal.tell(text)
                there = event.total - event.missing
                if not whole:
                    done = there
                elif not announced:
                    # Earlier rounds may have had more or fewer players: about as many matches as this one.
                    done = there + (event.number - 1) * event.total
                announced = True
                more = (event.rounds - event.number) * event.total if whole else 0
                bar.show(f"round {event.number} of {event.rounds}", done + event.missing + more, done)
                continue
            if isinstance(event, MatchVoid):
                if event.why == why:
                    journal.write(void_line(event))
                    continue
                why = event.why
            if isinstance(event, RoundAwaited | PlayersAwaited | Stopped | RoundsOver | SeasonComplete):
                bar.close()
            if isinstance(event, Stopped):
                raise stopped()
            if isinstance(event, RoundComplete) and each_match:
                journal.write(_line(event, name))
            elif isinstance(event, SeasonComplete):
                # The seed is for whoever looks now; the journal may be public before the season's end is.
                journal.write(_line(event, name))
                note(f"{_line(event, name)}; its seed was {event.seed}")
            else:
                journal.tell(_line(event, name))
            if isinstance(event, MatchesAgain):
                bar.show("again", event.number)
            elif isinstance(event, SubstitutesPlanned):
                title = f"round {event.number} of {event.rounds}, substitutes"
                bar.show(title, done + event.missing + more, done)


def _plan_lines(event: RoundPlanned, name: str) -> Iterator[str]:
    """What is about to be played, and before the first match the commitment to the deals."""
    there = event.total - event.missing
    text = f"{name}, round {event.number}: {event.missing} matches, {event.at_once} at once"
    yield text + (f" ({there} are stored already)" if there else "")
    if event.commitment is not None:
        yield f"the seed's SHA-256 is {event.commitment}; the seed is shown when the season ends"


def _are(many: int) -> str:
    return "is" if many == 1 else "are"


def _line(event: Event, name: str) -> str:
    """One line about an event other than a match or a plan."""
    match event:
        case ChangesAccepted(what):
            return f"accepted: {what}"
        case FinishedAsBegun(round_number, what):
            return (
                f"round {round_number} was begun under other settings and is finished under those;"
                f" changed since: {what}"
            )
        case Noted(text):
            return text
        case MatchesAgain(matches):
            return f"{counted(matches, 'annulled match')} {'is' if matches == 1 else 'are'} played again"
        case Suspended(player, round_number, reason):
            return f"{player} is suspended and sits out round {round_number}: {reason}"
        case RoundAwaited(round_number, moment):
            return f"{name}, round {round_number} begins at {moment_text(moment)}"
        case PlayersAwaited(round_number, reason):
            return f"{name}, round {round_number} waits for programs of authors: {reason}"
        case StillSuspended(players):
            return suspended_line(players)
        case ProgramChanged():
            return str(event)
        case SubstitutesPlanned(round_number, _, missing, total, at_once):
            text = f"{name}, round {round_number}: {counted(missing, 'match')} once more after a fault"
            there = f" ({total - missing} are stored already)" if total > missing else ""
            return f"{text}, with substitutes, {at_once} at once{there}"
        case MatchVoid():
            return void_line(event)
        case RoundComplete(standings, matches, seconds):
            leader = standings["players"][0]
            return (
                f"round {standings['rounds_played']}: {matches} matches in {seconds:.0f} s;"
                f" {leader['player']} leads with {number(leader['elo'])} Elo"
            )
        case RoundsOver(complete, rounds) if complete < rounds:
            return f"{complete} of {counted(rounds, 'round')} of {name} {_are(complete)} complete"
        case RoundsOver(complete):
            done = f"{counted(complete, 'round')} of {name} {_are(complete)} complete"
            return f"{done}, and there is time for more"
        case SeasonComplete(rounds):
            return f"all {rounds} rounds of {name} are complete"
    raise TypeError(f"no line is known for {event!r}")
