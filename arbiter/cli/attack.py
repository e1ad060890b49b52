"""`attack`: play attacking bots to test this machine's isolation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arbiter.cli.ci_reports import check_writable
from arbiter.cli.options import format_option
from arbiter.cli.output import note, print_result, say
from arbiter.errors import ArbiterError, ConfigError, did_you_mean
from arbiter.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.trials.sandboxcheck.attack_record import AttackOutcome, AttackRecord
    from arbiter.trials.sandboxcheck.covert_channels import CovertChannel
    from arbiter.trials.sandboxcheck.expectations import Attack

EVERY = "all"


@click.command()
@click.option(
    "--tier",
    "wanted",
    type=click.Choice(["landlock", "plain", EVERY]),
    multiple=True,
    help="Isolation tier to attack; may be repeated.  [default: that of `isolation: auto`]",
)
@click.option(
    "--only", "names", multiple=True, metavar="NAME", help="Play only this attack; may be repeated."
)
@format_option
@click.option("--output", type=click.Path(dir_okay=False), help="Also write the JSON to this file.")
def attack(wanted: tuple[str, ...], names: tuple[str, ...], style: str, output: str | None) -> None:
    """Play attacking bots and report what stopped each.

    Exit 1 if one gets through. The bots run as you; each is bounded and leaves nothing behind. Covert
    channels between bots, which no tier closes, are measured afterwards. It takes a minute or two for each
    tier: play nothing else meanwhile. `arbiter serve --attacks FILE` shows the file of --output.

    Example: arbiter attack --tier landlock
    """
    from arbiter.trials.sandboxcheck.attack_folder import AttackFolder
    from arbiter.trials.sandboxcheck.attack_record import broken_promises, record, row
    from arbiter.trials.sandboxcheck.attack_suite import play_attack
    from arbiter.trials.sandboxcheck.covert_channels import measure_channels
    from arbiter.trials.sandboxcheck.expectations import attacks

    chosen = _select_attacks(names, attacks())
    tiers = _available_tiers(wanted)
    check_writable(output)
    rows: list[AttackOutcome] = []
    ways: list[CovertChannel] = []
    with AttackFolder() as place:
        if place.missing:
            note(place.missing)
        for tier in tiers:
            if style == "text":
                say(f"{tier}:")
            for one in chosen:
                rows.append(row(play_attack(place, tier, one)))
                if style == "text":
                    for line in _lines(rows[-1], bool(names)):
                        say(line)
        if not names:
            # Under plain, bots can use sockets and files, as the attacks show.
            for tier in set(tiers) - {"plain"}:
                ways += measure_channels(place, tier)
    found = record(rows, ways)
    print_result(style, found, lambda: _print_summary(found))
    if output is not None:
        _write_record(found, output)
    if bad := broken_promises(found):
        raise ArbiterError(f"{counted(len(bad), 'attack')} got through: {first_few(bad)}")


def _select_attacks(names: Sequence[str], known: Sequence[Attack]) -> list[Attack]:
    """Return the named attacks, or all if `names` is empty."""
    by_name = {one.name: one for one in known}
    for name in names:
        if name not in by_name:
            raise ConfigError(f"--only {name}: unknown attack", hint=did_you_mean(name, by_name))
    return [by_name[name] for name in names] or list(known)


def _available_tiers(wanted: Sequence[str]) -> list[str]:
    """Return the tiers to attack, with notes on stderr; ConfigError if one is not available here."""
    from arbiter.sandbox.tiers import choose, probe

    if not wanted:
        tier, warning = choose("auto")
        if warning:
            note(warning)
        return [tier]
    found = probe()
    if EVERY in wanted:
        for one in found.values():
            if not one.available:
                note(f"{one.name} is not available: {one.reason}")
        return [name for name, tier in found.items() if tier.available]
    for name in wanted:
        if not found[name].available:
            raise ConfigError(
                f"--tier {name}: {found[name].reason}", hint="arbiter isolation lists the tiers"
            )
    return list(dict.fromkeys(wanted))


def _lines(row: AttackOutcome, in_full: bool) -> Iterator[str]:
    """Yield a line for an attack, and for each attempt that got through, with `in_full` for every attempt."""
    from arbiter.trials.sandboxcheck.attack_record import THROUGH

    yield _line(row["outcome"], f"{row['name']:<22} {row['tries']} → {_result_text(row)}")
    for one in row["attempts"]:
        if one["attempt"] and (in_full or one["outcome"] in THROUGH):
            wanted = f" (expected: {one['promised']})" if one["outcome"] in THROUGH else ""
            yield "  " + _line(one["outcome"], f"{one['attempt']}: {one['met'] or 'no result'}{wanted}")


def _line(outcome: str, text: str) -> str:
    return f"  {outcome.upper() if outcome in ('got through', 'unclear') else outcome:<12} {text}"


def _result_text(row: AttackOutcome) -> str:
    if told := row["skipped"] or row["harm"]:
        return told
    alike = [one for one in row["attempts"] if one["outcome"] == row["outcome"]]
    if row["outcome"] == "stopped":
        return row["stopped_by"]
    if row["outcome"] == "harmless":
        return "no harm done"
    if len(row["attempts"]) > 1:
        return f"{len(alike)} of {len(row['attempts'])} attempts"
    return alike[0]["met"] if alike else "no result"


def _print_summary(found: AttackRecord) -> None:
    for tier, one in found["tiers"].items():
        say(f"{tier}: {one['say']}")
    if not found["open"]:
        return
    say("\nCovert channels between bots, which no tier closes, in bits a second:")
    for way in found["open"]:
        bits = "-" if way["bits_per_second"] is None else f"{way['bits_per_second']:,.0f}"
        where = f"here, under {way['tier']}" if way["tier"] else "elsewhere"
        say(f"  {bits:>10}  {way['channel']}, {way['whom']}\n{'':14}{where}: {way['say']}")


def _write_record(found: AttackRecord, output: str) -> None:
    import json

    from arbiter.replay.export.atomic_files import write_atomically

    write_atomically(output, json.dumps(found, indent=1) + "\n")
    note(f"wrote the record to {output}")
