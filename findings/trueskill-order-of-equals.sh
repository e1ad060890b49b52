#!/usr/bin/env bash
# trueskill 0.4.5 (PyPI), Python 3.11, seen 2026-11-28.
#
# Behaviour: teams that share a place are compared only with their neighbours in the order in which they are given. So
# three players who tie with each other behind one winner, and are interchangeable in every result, get ratings that
# depend on that order: the first of them after the winner gets the least, the last the most, the one in the middle is
# the surest. Reversed, the figures change places. The more ties are expected, the more: with draw_probability 0.75
# one match tells the equals apart by 1.2 of mu, twenty matches by 0.3.
# Output seen: one match [21.77, 22.61, 22.99], reversed [22.99, 22.61, 21.77]; twenty [20.69, 20.93, 21.02].
# Who meets it: whoever rates ranked games of three or more with shared places and names the teams in a fixed order,
# such as by seat or by name. Drawing the order of the teams in each match spreads it evenly.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check trueskill==0.4.5
cd "$folder"
venv/bin/python - <<'PYTHON'
from trueskill import TrueSkill


def rated(order, matches):
    """mu of b, c and d after so many matches that a wins, the others sharing the second place."""
    system = TrueSkill(draw_probability=0.75)
    known = {name: system.create_rating() for name in "abcd"}
    for _ in range(matches):
        ranks = [0 if name == "a" else 1 for name in order]
        teams = system.rate([(known[name],) for name in order], ranks=ranks)
        known = {name: team[0] for name, team in zip(order, teams)}
    return [round(known[name].mu, 2) for name in "bcd"]


one, reverse, twenty = rated("abcd", 1), rated("adcb", 1), rated("abcd", 20)
print("one match", one, "reversed", reverse, "twenty", twenty)
assert one == [21.77, 22.61, 22.99], one
assert reverse == one[::-1], reverse
assert twenty == [20.69, 20.93, 21.02], twenty
PYTHON
