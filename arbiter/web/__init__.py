"""A face: pages, an API and one-file reports of seasons that others play.

| module | job |
|---|---|
| `state` | one season at one moment: all that a page or an answer is made of |
| `seasons`, `shown` | the seasons of a site, each looked at once for all; what the public may know of one |
| `unveiling` | the whole season for its organiser, where results are held back |
| `figures` | what a page shows, as JSON values: the same for pages, API and report |
| `drawing` | charts as numbers for the templates' SVG |
| `pages`, `words` | templates rendered, with the filters that they use |
| `report`, `joining` | a season in one file, with our scripts joined into one |
| `site` | the pages' addresses |
| `api` | the same figures as JSON, with an OpenAPI document |
| `rules`, `manual` | what a season asks of a bot, with the game's page of Markdown |
| `hosts`, `security` | the site's names; headers, addresses taken apart, errors without insides |
| `places`, `bodies` | who computes; bodies read as far as they may be |
| `callers`, `refusals` | who asks; what is refused, in one shape |
| `authors_api`, `uploads`, `verdicts` | programs sent, and what was found of them |
| `author_pages`, `sessions`, `forms` | the same in a browser, which is known by a cookie |
| `organisers_api`, `organiser_pages` | orders of organisers, and who gave which |
| `under_way`, `live` | the round under way; what happens, as server-sent events |
| `tables`, `table_pages` | visitors who play house bots |
| `keeping`, `queries` | answers kept as long as nothing happens, once however an address is put |
| `traffic`, `metrics` | requests counted and logged; figures for Prometheus |
| `serving`, `connections` | the server in its thread; how much and how long a connection may |
| `coordinators` | the processes that play, and the one that inspects |

Whoever looks on never touches what is played: everything comes from the store, and goes through
`arbiter.view` where it tells of cards.
"""
