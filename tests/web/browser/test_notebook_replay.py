"""A replay in a notebook's frame: its script runs there, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from arbiter.games import find
from arbiter.notebook import ShownReplay
from arbiter.testing import match_spec, play_by_policy, random_policy

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_replay_is_stepped_through_in_its_frame(new_page: Callable[..., Page]) -> None:
    game = find("codepiece")()
    record = play_by_policy(game, random_policy(3), match_spec(game, seed="3"))
    page = new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.set_content(ShownReplay(record)._repr_html_())
    frame = page.frame_locator("iframe")
    expect(frame.locator(".rp-said")).to_have_text("Deal 1 begins.")
    frame.get_by_role("button", name="Next step").click()
    expect(frame.locator(".rp-said")).not_to_have_text("Deal 1 begins.")
    expect(frame.locator(".rp-table .rp-card").first).to_be_visible()
    assert said == []
