"""`evidence`: what one bot received, answered and was charged in a match, for an appeal."""

from __future__ import annotations

import click

from arbiter.cli.open_season import load_match, open_stored, seat_of
from arbiter.cli.options import config_argument, require_extra, run_option, store_option
from arbiter.cli.output import note
from arbiter.contest.message_texts import id_of
from arbiter.errors import ConfigError
from arbiter.replay.export.atomic_files import new_folder, write_atomically


@click.command()
@config_argument
@click.argument("match_id")
@click.option("--seat", "place", required=True, metavar="K", help="The bot's seat, from 0, or its player.")
@run_option
@click.option(
    "--output", metavar="FILE", help="File to write.  [default: evidence-MATCH[-run-N]-seat-K.html]"
)
@click.option("--folder", help="New folder to write instead: the page and the files that it names.")
@store_option
def evidence(
    config: str,
    match_id: str,
    place: str,
    run: int | None,
    output: str | None,
    folder: str | None,
    store_url: str | None,
) -> None:
    """Write what a bot did in a match, for an appeal.

    The HTML file has the result, the rules of the clock, what each move cost, what the bot received and
    answered, its standard error, and digests with the commands that check them. It contains only what the
    author of the seat may see, so it is written once the round is complete and public. The same store gives
    the same bytes.

    Example: arbiter evidence configs/demo.yaml r001/t01/m0 --seat 2
    """
    if output is not None and folder is not None:
        raise ConfigError("--output and --folder exclude each other")
    with require_extra("evidence", "web"):
        from arbiter.season.snapshot.freeze import public_state
        from arbiter.season.snapshot.reader import read_state
        from arbiter.web.views.evidence_file import PAGE, evidence_files, file_name, sha256_of
    match_id = id_of(match_id)
    whole = read_state(*open_stored(config, store_url))
    state = public_state(whole)
    record = load_match(whole if state.match(match_id) is None else state, match_id, run)
    seat = seat_of(place, record.players)
    if not state.is_complete(record.round):
        why = "is incomplete" if state.held is None else "is held back from the public"
        raise ConfigError(
            f"round {record.round} {why}: evidence would reveal cards or results",
            hint="wait until it is public",
        )
    files = evidence_files(state, record, seat, run)
    if folder is None:
        output = output or file_name(state, match_id, seat, run)
        write_atomically(output, files[PAGE])
        note(f"wrote the evidence to {output}")
        return
    sums = "".join(f"{sha256_of(text)}  {name}\n" for name, text in files.items())
    with new_folder(folder) as part:
        for name, text in {**files, "SHA256SUMS": sums}.items():
            (part / name).write_text(text, encoding="utf-8", newline="")
    note(f"wrote the evidence to {folder}; in it, sha256sum -c SHA256SUMS checks the files")
