"""Matches that authors ask for, out of competition: what may be asked, how it is played, what came of it.

| module | job |
|---|---|
| `request` | what an author may ask for, checked against the season |
| `request_play` | the matches of a request, one after the other, until it is over |
| `outcomes` | what came of them: score, interval, verdict |
| `request_worker` | plays what waits, fairest first, beside the inspector |

They are played from seeds of their own into a store of their own, so nothing of them counts, and no card of a
rated deal is in any.
"""
