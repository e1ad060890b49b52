"""Announcements on the site, and questions of authors: who sees what, also while results are held back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.contest.message_texts import LONGEST_QUESTION, MOST_OPEN
from arbiter.store import db_schema
from arbiter.store.audit import timestamp
from arbiter.web.http import watched_seasons
from tests.fixtures.site import HOSTILE, Authored, visiting
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run

API = "/api/v1/seasons/small"


def api(site: Authored, who: str, path: str, **body: Any) -> Any:
    return site.client.post(f"{API}{path}", json=body, headers=site.headers(who))


def front(kept: Kept) -> tuple[str, str, Any]:
    """The list of seasons, the season's page, and its JSON, as a stranger gets them."""
    with visiting(kept.file) as client:
        return client.get("/seasons").text, client.get("/seasons/small").text, client.get(API).json()


def test_an_announcement_is_on_both_front_pages_and_in_the_feed(site: Authored) -> None:
    site.log_in("olga")
    text = f"The **deadline** is [here](https://uni.example) {HOSTILE}"
    text += " [all](/seasons/contest/rejudgings) [not](//uni.example)"
    assert site.post("/admin/announce", "/admin", text=text, at="").status_code == 303
    listed, page, shape = front(site.kept)
    for shown in (listed, page):
        assert 'The <strong>deadline</strong> is <a href="https://uni.example">here</a>' in shown
        assert '<a href="/seasons/contest/rejudgings">all</a> not' in shown
        assert "<script>alert" not in shown
        assert "<img" not in shown
    assert [one["number"] for one in shape["announcements"]] == [1]
    with visiting(site.kept.file) as client:
        feed = client.get("/seasons/small/feed.atom").text
    assert "<title>Announcement</title>" in feed
    assert "The **deadline** is" in feed


def test_one_for_later_is_seen_by_organisers_alone(site: Authored) -> None:
    later = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="seconds")
    assert api(site, "olga", "/announcements", text="a secret for now", at=later).status_code == 201
    assert all("a secret for now" not in str(shown) for shown in front(site.kept))
    site.log_in("olga")
    assert "a secret for now" in site.client.get("/admin").text


def test_an_announcement_appears_while_results_are_held_back(
    kept: Kept, arbiter: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_seasons, "POLL_SECONDS", 0.0)
    kept.season.freeze(1)
    kept.file.write_text(kept.file.read_text() + "freeze: 3\n")
    with visiting(kept.file) as client:
        before = client.get("/seasons/small")
        assert "Announcements" not in before.text
        assert arbiter("announce", kept.file, "The room is 117.")[0] == 0
        after = client.get("/seasons/small", headers={"if-none-match": before.headers["etag"]})
    assert (after.status_code, "The room is 117." in after.text) == (200, True)


def test_a_scheduled_announcement_appears_at_its_moment_as_an_event(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_seasons, "POLL_SECONDS", 0.0)
    kept.season.announcements.add("The final begins.", "olga", datetime.now(UTC) + timedelta(seconds=30))
    with visiting(kept.file) as client:
        assert "The final begins." not in client.get("/seasons/small").text
        with kept.season._store.transaction() as connection:
            connection.execute(sa.update(db_schema.announcements).values(moment=timestamp()))
        assert "The final begins." in client.get("/seasons/small").text
    assert [one.kind.value for one in kept.season.events(0, 999)][-1] == "announcement"


def test_an_author_asks_and_the_organiser_answers_the_author_alone(site: Authored) -> None:
    site.log_in("ann")
    assert site.post("/me/questions", text=f"Is NumPy there? {HOSTILE}").status_code == 303
    assert "Not answered yet." in site.client.get("/me").text
    assert "<script>alert" not in site.client.get("/me").text
    site.log_in("olga")
    page = site.client.get("/admin").text
    assert ("Is NumPy there?" in page, "<script>alert" in page) == (True, False)
    assert site.post("/admin/answer", "/admin", question="1", text="*Yes*").status_code == 303
    assert "Questions of authors" not in site.client.get("/admin").text
    site.log_in("ann")
    assert "<em>Yes</em>" in site.client.get("/me").text
    site.log_in("ben")
    assert "NumPy" not in site.client.get("/me").text
    assert all("NumPy" not in str(shown) for shown in front(site.kept))
    assert site.client.get(f"{API}/questions", headers=site.headers("ben")).json() == {"questions": []}


def test_a_public_answer_has_the_question_and_no_name(site: Authored) -> None:
    assert api(site, "ann", "/questions", text="Is NumPy there?").status_code == 201
    (found,) = site.client.get(f"{API}/questions", headers=site.headers("olga")).json()["questions"]
    assert (found["author"], found["answer"]) == ("ann", None)
    answered = api(site, "olga", "/questions/1/answer", text="Yes.", public=True)
    assert (answered.status_code, answered.json()["public"]) == (200, True)
    listed, page, shape = front(site.kept)
    (one,) = shape["announcements"]
    assert (one["question"], one["text"], "ann" in str(one)) == ("Is NumPy there?", "Yes.", False)
    assert "Is NumPy there?" in listed.partition('class="announcement"')[2]
    assert "ann" not in page.partition('class="announcement"')[2].partition("</article>")[0].replace(
        "announce", ""
    )


def test_questions_are_bounded_in_number_and_length(site: Authored) -> None:
    long = api(site, "ann", "/questions", text="x" * (LONGEST_QUESTION + 1))
    assert (long.status_code, long.json()["error"]["code"]) == (422, "invalid")
    for text in map(str, range(MOST_OPEN)):
        assert api(site, "ann", "/questions", text=text).status_code == 201
    more = api(site, "ann", "/questions", text="one more")
    assert (more.status_code, "3 questions of yours wait" in more.text) == (409, True)
    site.log_in("ann")
    assert 'action="/me/questions"' not in site.client.get("/me").text
    assert api(site, "olga", "/questions/1/answer", text="Yes.").status_code == 200
    assert api(site, "ann", "/questions", text="one more").status_code == 201


@pytest.mark.parametrize(
    "text", ["", " \n ", "a\x00b", "a\x1b[31m", "\ud800".encode("utf-8", "surrogatepass")]
)
def test_texts_that_cannot_be_shown_are_refused(site: Authored, text: Any) -> None:
    if isinstance(text, bytes):
        body = b'{"text": "\\ud800"}'
        headers = {**site.headers("ann"), "content-type": "application/json"}
        assert site.client.post(f"{API}/questions", content=body, headers=headers).status_code == 422
        return
    assert api(site, "ann", "/questions", text=text).status_code == 422
    assert api(site, "olga", "/announcements", text=text).status_code == 422


def test_authors_neither_announce_nor_answer(site: Authored) -> None:
    api(site, "ann", "/questions", text="Is NumPy there?")
    assert api(site, "ann", "/announcements", text="x").status_code == 404
    assert api(site, "ann", "/questions/1/answer", text="x").status_code == 404
    assert api(site, "olga", "/questions", text="x").status_code == 409
    site.log_in("ann")
    for verb in ("announce", "answer"):
        assert site.post(f"/admin/{verb}", "/me", text="x", question="1").status_code == 404
    assert site.client.post("/me/questions", data={"text": "x", "proof": "0" * 64}).status_code == 403


def test_what_was_answered_or_never_asked_is_refused(site: Authored) -> None:
    api(site, "ann", "/questions", text="Is NumPy there?")
    assert api(site, "olga", "/questions/1/answer", text="Yes.").status_code == 200
    assert api(site, "olga", "/questions/1/answer", text="No.").status_code == 409
    assert api(site, "olga", "/questions/9/answer", text="No.").status_code == 409
    assert api(site, "olga", "/questions/x/answer", text="No.").status_code == 404
    for at in ("soon", "0001-01-01", "9999-12-31T23:59"):
        assert api(site, "olga", "/announcements", text="x", at=at).status_code == 422


def test_an_announcement_may_precede_the_first_round(arbiter: Run, tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    file.write_text("game: planning\nplayers:\n  - {name: p, command: [python3]}\n")
    assert arbiter("announce", file, "Sign up until Friday.")[0] == 0
    with visiting(file) as client:
        assert "Sign up until Friday." in client.get("/seasons/new").text


def test_commands_announce_list_and_answer(site: Authored, arbiter: Run) -> None:
    file = site.kept.file
    api(site, "ann", "/questions", text="Is NumPy there?")
    assert "Is NumPy there?" in arbiter("questions", "list", file)[1]
    assert "1 question without an answer" in arbiter("status", file)[1]
    code, _, err = arbiter("questions", "answer", file, "1", "Yes.", "--public")
    assert (code, "question 1 of ann is answered, to all" in err) == (0, True)
    code, _, err = arbiter("questions", "answer", file, "1", "Yes.")
    assert (code, "question 1 does not exist, or has an answer" in err) == (2, True)
    assert arbiter("announce", file, "later", "--at", "2099-01-01T00:00")[0] == 0
    code, _, err = arbiter("announce", file, "later", "--at", "soon")
    assert (code, "expected a date and time, got 'soon'" in err) == (2, True)
    code, _, err = arbiter("announce", file, "")
    assert (code, "the text is empty" in err) == (2, True)
    assert [one["text"] for one in front(site.kept)[2]["announcements"]] == ["Yes."]


def test_an_organiser_corrects_an_announcement_and_withdraws_it(site: Authored) -> None:
    def feed() -> str:
        with visiting(site.kept.file) as client:
            return client.get("/seasons/small/feed.atom").text

    site.log_in("olga")
    assert site.post("/admin/announce", "/admin", text="Friday, 18:00", at="").status_code == 303
    fields = {"announcement": "1", "text": f"Thursday, 18:00 {HOSTILE}"}
    assert site.post("/admin/correct", "/admin", **fields).status_code == 303
    _, page, shape = front(site.kept)
    assert ("Thursday, 18:00" in page, "Friday" in page, ", corrected " in page) == (True, False, True)
    assert shape["announcements"][0]["corrected"] is not None
    assert "<title>Announcement (corrected)</title>" in feed()
    assert site.post("/admin/withdraw", "/admin", announcement="1").status_code == 303
    assert all("Thursday" not in str(shown) for shown in (*front(site.kept), feed()))
    assert "<title>Announcement withdrawn</title>" in feed()
    log = site.client.get(f"{API}/audit", headers=site.headers("olga")).json()["audit"]
    assert [(one["verb"], one["because"].partition(" ")[0]) for one in log[:2]] == [
        ("withdraw", "Thursday,"), ("correct", "Friday,"),
    ]  # fmt: skip


def test_an_organiser_corrects_an_answer_and_withdraws_it(site: Authored) -> None:
    api(site, "ann", "/questions", text="Is NumPy there?")
    assert api(site, "olga", "/questions/1/correct", text="No.").status_code == 409
    api(site, "olga", "/questions/1/answer", text="Yes.", public=True)
    assert api(site, "olga", "/questions/1/correct", text="").status_code == 422
    assert api(site, "ann", "/questions/1/correct", text="No.").status_code == 404
    assert api(site, "olga", "/questions/1/correct", text="No.").json()["answer"] == "No."
    assert [one["text"] for one in front(site.kept)[2]["announcements"]] == ["No."]
    site.log_in("ann")
    assert re.search("Answered .*, corrected .*, to all", site.client.get("/me").text)
    assert api(site, "olga", "/questions/1/withdraw").json()["answer"] is None
    assert front(site.kept)[2]["announcements"] == []
    assert "Not answered yet: the earlier answer was withdrawn " in site.client.get("/me").text
    site.log_in("olga")
    log = re.sub(r"<[^>]+>", " ", site.client.get("/admin").text)
    assert re.search(
        r" withdraw answer +question +1 +before: No\. .* correct answer +question +1 +before: Yes\. ", log
    )


def test_commands_correct_and_withdraw(site: Authored, arbiter: Run) -> None:
    file = site.kept.file
    for text in ("Friday", "Room 117"):
        arbiter("announce", file, text)
    assert arbiter("announcements", "correct", file, "1", "Thursday")[0] == 0
    assert arbiter("announcements", "withdraw", file, "2")[0] == 0
    code, _, err = arbiter("announcements", "withdraw", file, "2")
    assert (code, "announcement 2 does not exist, or is withdrawn" in err) == (2, True)
    out = arbiter("announcements", "list", file)[1]
    assert ("Thursday" in out, "Friday" in out, "Room" in out) == (True, False, False)
    api(site, "ann", "/questions", text="Is NumPy there?")
    arbiter("questions", "answer", file, "1", "Yes.")
    assert arbiter("questions", "correct", file, "1", "No.")[0] == 0
    assert "No." in arbiter("questions", "list", file)[1]
    assert arbiter("questions", "withdraw", file, "1")[0] == 0
    assert "No." not in arbiter("questions", "list", file)[1]
