"""How tests look at a page: what it complains about, how wide it is, whom it keeps out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Page, ViewportSize

WCAG = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
RUN = """async (options) => {
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"], preload: false });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id} ${html}`));
}"""
PHONE: ViewportSize = {"width": 360, "height": 740}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def violations(page: Page, axe: str) -> list[str]:
    """What breaks WCAG 2.2 AA in either scheme, with the elements that do; `axe` is the script that looks."""
    page.evaluate(axe)
    found = []
    # All that the dark scheme changes are colours.
    schemes: list[tuple[Literal["light", "dark"], dict[str, Any]]] = [("light", WCAG), ("dark", CONTRAST)]
    for scheme, options in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [f"{scheme}: {line}" for line in page.evaluate(RUN, options)]
    return found


def complaints_of(page: Page) -> list[str]:
    """What the page complains about and asks others for, as it comes."""
    found: list[str] = []
    page.on(
        "console",
        lambda message: found.append(message.text) if message.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: found.append(str(error)))
    return found
