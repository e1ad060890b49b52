"""A face: pages, an API and one-file reports of seasons that others play.

| module | job |
|---|---|
| `seasons` | the seasons of a site, each looked at once for all |
| `views`, `queries` | the table of views: a path, what may be asked, figures, a template, JSON |
| `answers`, `showing` | a view made of a state; which state whom is shown |
| `keeping` | answers kept as long as nothing happens |
| `drawing` | charts as numbers for the templates' SVG |
| `pages`, `words` | templates rendered, with the filters that they use |
| `report`, `joining` | a season in one file, with our scripts joined into one |
| `site`, `api` | what passes a request on; the API with its OpenAPI document |
| `failures` | what went wrong, as a page or as JSON |
| `match_page` | what stands beside a replay |
| `rules`, `manual` | what a season asks of a bot, with the game's page of Markdown |
| `hosts`, `security` | the site's names; headers, addresses taken apart, errors without insides |
| `places`, `bodies` | who computes; bodies read as far as they may be |
| `callers`, `refusals` | who asks; what is refused, in one shape |
| `authors_api`, `uploads`, `verdicts` | programs sent, and what was found of them |
| `author_pages`, `sessions`, `forms` | the same in a browser, which is known by a cookie |
| `organisers_api`, `organiser_pages` | orders of organisers, and who gave which |
| `under_way`, `live` | the round under way; what happens, as server-sent events |
| `tables`, `table_pages` | visitors who play house bots |
| `traffic`, `metrics` | requests counted and logged; figures for Prometheus |
| `serving`, `connections` | the server in its thread; how much and how long a connection may |
| `coordinators` | the processes that play, and the one that inspects |

Whoever looks on never touches what is played: everything comes from the store, and goes through
`arbiter.view` where it tells of cards.
"""
