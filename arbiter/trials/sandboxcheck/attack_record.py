"""The outcomes of attacks as JSON: made from results, and read again for a site.

``arbiter attack --output`` writes it; its format is `FORM`. Its strings are as hostile as bots.
"""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from arbiter import __version__
from arbiter.errors import ConfigError
from arbiter.sandbox import cgroup, landlock
from arbiter.sandbox.tiers import stage
from arbiter.text import counted
from arbiter.trials.sandboxcheck.expectations import OUTCOMES, STRONGEST, Outcome, is_as_promised, is_refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.trials.sandboxcheck.attack_suite import AttackResult
    from arbiter.trials.sandboxcheck.covert_channels import CovertChannel
    from arbiter.trials.sandboxcheck.expectations import Promise

FORM: Literal["arbiter-attack/1"] = "arbiter-attack/1"
THROUGH: tuple[Outcome, ...] = ("got through", "unclear")
"""Outcomes that break a promise."""
MOST_CHARACTERS = 2_000_000
"""Maximum size of a file; all attacks under two tiers have 100,000."""
LONGEST = 120
"""Maximum characters of what stopped an attack."""
RowOutcome: TypeAlias = Literal[Outcome, "skipped"]


def _check_moment(text: str) -> str:
    """Return a date and time in ISO 8601; ValueError for another text."""
    datetime.fromisoformat(text)
    return text


class AttemptOutcome(TypedDict):
    """An attempt of an attack, "" for its match: what is promised, "" for nothing, and what happened."""

    attempt: str
    promised: str
    met: str
    outcome: Outcome


class AttackOutcome(TypedDict):
    """An attack under a tier; `outcome` is the worst of its attempts.

    `stopped_by` is "" if nothing was stopped, `harm` the harm to others, `skipped` why it was not played.
    """

    name: str
    tries: str
    tier: str
    outcome: RowOutcome
    stopped_by: str
    harm: str
    skipped: str
    ok: bool
    attempts: list[AttemptOutcome]


class OpenChannel(TypedDict):
    """A channel that no tier closes; `say` has its figure in words, `tier` is "" if measured elsewhere."""

    channel: str
    whom: str
    tier: str
    bits_per_second: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    measured: Literal["here", "elsewhere"]
    say: str


class TierAttacked(TypedDict):
    """The number of attacks under a tier by outcome, and the same in words."""

    ok: bool
    counts: dict[str, int]
    say: str


class AttackedMachine(TypedDict):
    """The machine; `landlock` is its version in the kernel, 0 without."""

    arbiter: str
    kernel: str
    processor: str
    user: Literal["root", "ordinary"]
    landlock: int
    stage: bool
    control_groups: bool


class AttackRecord(TypedDict):
    """The whole record; `when` is in UTC, `attacks` has a row for each attack and tier."""

    format: Literal["arbiter-attack/1"]
    when: Annotated[str, AfterValidator(_check_moment)]
    machine: AttackedMachine
    tiers: dict[str, TierAttacked]
    attacks: list[AttackOutcome]
    open: list[OpenChannel]


def machine() -> AttackedMachine:
    """Probe this machine; return its versions, user and means of isolation."""
    return {
        "arbiter": __version__,
        "kernel": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "user": "root" if os.geteuid() == 0 else "ordinary",
        "landlock": max(landlock.version(), 0),
        "stage": stage().available,
        "control_groups": not cgroup.problem(),
    }


def row(result: AttackResult) -> AttackOutcome:
    """Return an attack's worst outcome, what stopped it, its harm and its attempts as JSON values."""
    attack, tier = result.attack, result.tier
    attempts = [_attempt_outcome(one, result) for one in attack.promises if one.attempt in result.met]
    found = [one["outcome"] for one in attempts]
    outcome: RowOutcome
    if result.skipped:
        outcome = "skipped"
    elif result.harm:
        outcome = "got through"
    else:
        outcome = min(found, key=OUTCOMES.index, default="unclear")
    stopped = [one for one in attempts if one["outcome"] == "stopped"]
    return {
        "name": attack.name,
        "tries": attack.tries,
        "tier": tier,
        "outcome": outcome,
        "stopped_by": _stopped_by(stopped)[:LONGEST],
        "harm": result.harm,
        "skipped": result.skipped,
        "ok": outcome not in THROUGH,
        "attempts": attempts,
    }


def _attempt_outcome(one: Promise, result: AttackResult) -> AttemptOutcome:
    met = result.met[one.attempt]
    return {
        "attempt": one.attempt,
        "promised": one.under(result.tier, result.stage, result.groups),
        "met": met[: 2 * LONGEST],
        "outcome": one.judge(result.tier, met, result.stage, result.groups),
    }


def _stopped_by(attempts: Sequence[AttemptOutcome]) -> str:
    """Return what stopped the attempts, most frequent first; a single non-error comes with its attempt."""
    many = Counter(map(_short, attempts))
    at = {_short(one): one["attempt"] for one in attempts}
    return ", ".join(
        what if count > 1 or is_refused(what) or not at[what] else f"{at[what]}: {what}"
        for what, count in many.most_common()
    )


def _short(one: AttemptOutcome) -> str:
    """Return what happened, in the promise's words if it was as promised."""
    if one["promised"].startswith("at most "):
        return f"{one['met']} of their time"
    return (
        one["promised"]
        if " or " not in one["promised"] and is_as_promised(one["promised"], one["met"])
        else one["met"]
    )


def record(rows: Sequence[AttackOutcome], channels: Iterable[CovertChannel]) -> AttackRecord:
    """Return the record of a run, made now: time, machine, tiers, attacks, open channels."""
    tiers = list(dict.fromkeys(one["tier"] for one in rows))
    return {
        "format": FORM,
        "when": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "machine": machine(),
        "tiers": {tier: summary(tier, rows) for tier in tiers},
        "attacks": list(rows),
        "open": [
            {
                "channel": one.name,
                "whom": one.whom,
                "tier": one.tier,
                "bits_per_second": one.bits_per_second,
                "measured": "here" if one.tier else "elsewhere",
                "say": one.say,
            }
            for one in channels
        ],
    }


def summary(tier: str, rows: Iterable[AttackOutcome]) -> TierAttacked:
    """Return the number of attacks under a tier by outcome, and that in words."""
    counts = Counter[str](one["outcome"] for one in rows if one["tier"] == tier)
    told = [f"{counts[what]} {what}" for what in (*OUTCOMES, "skipped") if counts[what]]
    through = sum(counts[what] for what in THROUGH)
    if through:
        end = f"{tier} breaks its promises."
    elif tier != STRONGEST:
        end = f"{tier} does not protect against these attacks: run only bots that you trust."
    else:
        end = "None got through" + ("; a stage would close what is open." if counts["open"] else ".")
    return {
        "ok": not through,
        "counts": dict(counts),
        "say": f"{counted(counts.total(), 'attack')}: {', '.join(told)}. {end}",
    }


def read_record(given: Any, file: str) -> AttackRecord:
    """Return a record from JSON; ConfigError names what is wrong with it."""
    if not isinstance(given, dict) or given.get("format") != FORM:
        raise ConfigError(
            f"is not a record of attacks ({FORM})", file, "arbiter attack --output FILE writes one"
        )
    try:
        json.dumps(given, ensure_ascii=False).encode()
        return TypeAdapter(AttackRecord).validate_python(given)
    except UnicodeEncodeError:
        raise ConfigError("contains half a surrogate pair", file) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}", file) from None


def broken_promises(found: Mapping[str, Any]) -> list[str]:
    """Return the attacks of a record that broke a promise, with their tiers."""
    return [f"{one['name']} ({one['tier']})" for one in found["attacks"] if not one["ok"]]
