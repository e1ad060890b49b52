"""The costs of a season's language models: stored token counts at the present prices of its file.

All plays cost, whether they count or not: providers bill void, annulled and replayed matches too.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from arbiter.match.token_usage import NOTHING
from arbiter.season.config.settings_diff import price_of
from arbiter.store import OrderKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.match.token_usage import BilledTokens
    from arbiter.season.config.models import PriceKeys, Prices
    from arbiter.store import Order

MILLION = 1_000_000


def cost(billed: BilledTokens, price: PriceKeys) -> float:
    """Return the cost of tokens at a price per million."""
    return (billed.input * price.input + billed.output * price.output) / MILLION


def cost_of(billed: Mapping[str, BilledTokens], prices: Prices | None) -> float | None:
    """Return the cost of all players' tokens; None if a player has no price."""
    known = [(tokens, price_of(prices, name)) for name, tokens in billed.items()]
    found = [cost(tokens, price) for tokens, price in known if price is not None]
    return sum(found) if len(found) == len(known) else None


def sum_tokens(several: Iterable[Mapping[str, BilledTokens]]) -> dict[str, BilledTokens]:
    """Add up tokens by player."""
    found: defaultdict[str, BilledTokens] = defaultdict(lambda: NOTHING)
    for billed in several:
        for name, tokens in billed.items():
            found[name] = found[name].plus(tokens)
    return dict(found)


def replaced_matches(orders: Iterable[Order]) -> list[MatchSummary]:
    """Return the runs of matches that later runs have replaced."""
    gone: defaultdict[str, list[MatchSummary]] = defaultdict(list)
    for order in orders:
        if order.before is None:
            continue
        if order.verb is OrderKind.RESTORED:
            gone[order.subject].pop()
        gone[order.subject].append(order.before)
    return [match for plays in gone.values() for match in plays]
