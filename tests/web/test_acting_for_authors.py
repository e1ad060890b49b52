"""An organiser acts for an author, who sees it: on pages, by the API, by commands. Places in the queue."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.season.roster import folder_of
from tests.fixtures.site import Authored, archive, proof

if TYPE_CHECKING:
    from pathlib import Path

    from httpx2 import Response

    from tests.fixtures.commands import Run

API = "/api/v1/seasons/small"


def send(site: Authored, author: str, body: bytes) -> Response:
    """Send a program for an author by the form of /admin."""
    fields = {"proof": proof(site.client.get("/admin")), "author": author}
    files = {"archive": ("bot.zip", body, "application/zip")}
    return site.client.post("/admin/submissions", data=fields, files=files)


def versions(site: Authored, name: str) -> list[Any]:
    found: list[Any] = site.client.get(f"{API}/submissions", headers=site.headers(name)).json()["submissions"]
    return found


def close_for_authors(site: Authored) -> None:
    """Let the deadline of submissions pass, and use up the day's archives."""
    late = (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="minutes")
    text = site.kept.file.read_text().replace("per_day: 3}", f"per_day: 1, until: {late}}}")
    site.kept.file.write_text(text)


def test_a_program_is_sent_for_an_author_after_the_deadline_and_both_see_it(site: Authored) -> None:
    close_for_authors(site)
    site.log_in("olga")
    answer = send(site, "ann", archive())
    assert (answer.status_code, answer.headers["location"]) == (303, "/admin/submissions/1")
    assert send(site, "ann", archive("2")).status_code == 303
    page = site.client.get("/admin").text
    assert page.count("<td>send</td><td><bdi>ann@") == 2
    assert [deed[2:5] for deed in site.kept.season.audit.last(1)] == [("olga", "send", "ann@2")]
    (second, first) = versions(site, "ann")
    assert [one["what"] for one in (*first["by_organiser"], *second["by_organiser"])] == ["send", "send"]
    site.log_in("ann")
    assert "sent by the organiser, " in site.client.get("/me").text
    assert "Sent by the organiser, " in site.client.get("/me/submissions/1").text
    assert site.upload(archive("3")).status_code == 409


def test_what_an_author_does_is_no_action_of_the_organiser(site: Authored) -> None:
    site.accept("ann", "1")
    assert versions(site, "ann")[0]["by_organiser"] == []


def test_nobody_else_sends_for_an_author(site: Authored) -> None:
    site.log_in("olga")
    foreign = {"proof": "0" * 64, "author": "ann"}
    files = {"archive": ("bot.zip", archive(), "application/zip")}
    assert site.client.post("/admin/submissions", data=foreign, files=files).status_code == 403
    assert send(site, "olga", archive()).status_code == 404
    assert send(site, "no one\x00", archive()).status_code == 404
    shown = proof(site.client.get("/admin"))
    site.log_in("ben")
    shown = proof(site.client.get("/me"))
    answer = site.client.post("/admin/submissions", data={"proof": shown, "author": "ann"}, files=files)
    assert answer.status_code == 404
    path = f"{API}/authors/ann/submissions"
    assert site.client.put(path, content=archive(), headers=site.headers("ben")).status_code == 404
    assert site.client.put(path, content=archive()).status_code == 401
    assert not folder_of(site.kept.config).exists()


def test_the_api_sends_and_activates_for_an_author(site: Authored) -> None:
    close_for_authors(site)
    path = f"{API}/authors/ann/submissions"
    sent = site.client.put(path, content=archive(), headers=site.headers("olga"))
    assert (sent.status_code, sent.json()["version"]) == (202, 1)
    assert site.client.put(path, content=archive(), headers=site.headers("olga")).status_code == 200
    program = {"command": ["python3"], "read": [], "files": {}}
    number = sent.json()["id"]
    activate = f"{API}/submissions/{number}/activate"
    assert site.client.post(activate, headers=site.headers("olga")).status_code == 409
    site.kept.season.submissions.accept(number, [], program)
    assert site.client.post(activate, headers=site.headers("ben")).status_code == 404
    assert site.client.post(activate, headers=site.headers("olga")).json()["active"] is True


def test_a_version_is_chosen_for_an_author_from_the_page(site: Authored) -> None:
    first = site.accept("ann", "1")
    site.accept("ann", "2")
    site.log_in("olga")
    page = site.client.get("/admin?author=ann").text
    assert "Let ann@1 play from the next round on" in page
    assert "Let ann@2 play from the next round on" not in page
    assert site.post("/admin/activate", "/admin", submission=str(first)).status_code == 303
    found = site.kept.season.authors.find("ann")
    assert found is not None
    assert found.active == 1
    assert [one["what"] for one in versions(site, "ann")[1]["by_organiser"]] == ["activate"]


def test_submissions_are_listed_by_author(site: Authored) -> None:
    for name in ("ann", "ben"):
        site.send(name, archive(name))
    site.log_in("olga")
    page = site.client.get("/admin?author=ben").text.partition('id="submissions"')[2].partition("<h2")[0]
    assert ("<bdi>ben</bdi>@1" in page, "<bdi>ann</bdi>@1" in page) == (True, False)
    assert "1st of 2 waiting" in site.client.get("/admin").text


def test_the_place_in_the_queue_of_inspections_is_that_of_taking_turns(site: Authored) -> None:
    for text in "12":
        site.send("ann", archive(text))
    site.send("ben", archive("3"))
    (second, first), (other,) = versions(site, "ann"), versions(site, "ben")
    assert [(one["place"], one["waiting"]) for one in (first, other, second)] == [(1, 3), (2, 3), (3, 3)]
    site.log_in("ann")
    assert "3rd of 3 waiting" in site.client.get("/me").text
    assert "3rd of 3 waiting" in site.client.get("/me/submissions/2").text
    site.kept.season.submissions.refuse(first["id"], [])
    second, first = versions(site, "ann")
    assert (first["place"], first["waiting"], second["place"], second["waiting"]) == (None, None, 2, 2)


def test_commands_send_choose_and_inspect_for_an_author(site: Authored, arbiter: Run, tmp_path: Path) -> None:
    close_for_authors(site)
    bot = tmp_path / "bot.zip"
    bot.write_bytes(archive())
    file = site.kept.file
    assert arbiter("submissions", "send", file, "ann", bot)[:2] == (0, "ann@1 waits for its inspection\n")
    assert "ann@1" in arbiter("submissions", "list", file, "--author", "ann")[1]
    book, (made,) = site.kept.season.submissions, site.kept.season.submissions.of("ann")
    code, _, err = arbiter("submissions", "activate", file, "ann@1")
    assert (code, "ann@1 is received (only accepted versions play)" in err) == (2, True)
    book.refuse(made.id, [])
    assert arbiter("submissions", "inspect", file, "ann@1")[0] == 0
    code, _, err = arbiter("submissions", "inspect", file, "ann@1")
    assert (code, "only refused versions are inspected again" in err) == (2, True)
    book.accept(made.id, [], {"command": ["python3"], "read": [], "files": {}})
    code, _, err = arbiter("submissions", "activate", file, "ann@1")
    assert (code, "ann@1 plays from round 4 on" in err) == (0, True)
    assert [one["what"] for one in versions(site, "ann")[0]["by_organiser"]] == ["send", "inspect"]
    assert "active" in arbiter("submissions", "list", file)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["activate", "ann"], "expected AUTHOR@VERSION, such as foxes@2, got 'ann'"),
        (["inspect", "ann@9"], "ann has no version 9"),
        (["activate", "zoe@1"], "no author 'zoe'"),
    ],
)
def test_a_wrong_version_is_named(site: Authored, arbiter: Run, words: list[str], message: str) -> None:
    code, _, err = arbiter("submissions", words[0], site.kept.file, *words[1:])
    assert (code, message in err) == (2, True)


def test_what_the_season_does_not_take_is_refused_and_leaves_no_file(
    site: Authored, arbiter: Run, tmp_path: Path
) -> None:
    bot, large = tmp_path / "bot.zip", io.BytesIO()
    with zipfile.ZipFile(large, "w") as file:
        file.writestr("bot.py", bytes(20_000))
    bot.write_bytes(large.getvalue())
    code, _, err = arbiter("submissions", "send", site.kept.file, "ann", bot)
    assert (code, "the archive has more than 10000 bytes" in err) == (2, True)
    assert list(folder_of(site.kept.config).iterdir()) == []
    bot.write_bytes(archive())
    site.kept.season.running.close("olga")
    code, _, err = arbiter("submissions", "send", site.kept.file, "ann", bot)
    assert (code, "the season is closed" in err) == (2, True)
