"""A face: pages, an API and one-file reports of seasons that others play.

| module | job |
|---|---|
| `seasons` | the seasons of a site, each looked at once for all |
| `views`, `match_views`, `answers`, `showing` | the table of views; an answer made of one, and kept |
| `pages`, `words`, `drawing` | templates rendered, values as they are written there, charts as numbers |
| `report` | a season in one file, with our scripts joined into one |
| `site` | what passes a request on; the API with its OpenAPI document |
| `refusals`, `security` | what is refused, in one shape; the site's names, headers, addresses taken apart |
| `places`, `bodies` | who computes; bodies read as far as they may be |
| `callers`, `behind_login`, `own_pages` | who asks, by token or session; pages behind the login |
| `request_pages`, `requests_api` | matches that authors ask for |
| `authors_api`, `organisers_api` | programs sent, and what was found of them; orders, and who gave which |
| `rules`, `shapes` | what a season asks of a bot; what the site alone tells, as JSON has it |
| `live`, `stream` | what happens, as server-sent events |
| `tables`, `table_pages` | visitors who play house bots |
| `attack_pages` | what attacks came to on the organiser's machine |
| `traffic` | requests counted and logged; figures for Prometheus |
| `serving`, `connections` | the server in its thread; how much and how long a connection may |
| `coordinators` | the processes that play, and the one that inspects |

Onlookers never touch what is played: everything comes from the store, and goes through
`arbiter.replay.visibility` where it tells of cards.
"""
