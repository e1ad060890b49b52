"""Pages, a JSON API and one-file reports of seasons.

`rendering` renders templates, `http` handles requests, `api` and `views` answer them, `pages` has forms,
`site` assembles the application; `applet` is a table for one person. Figures come from `season.snapshot`,
and cards pass `replay.visibility`. It imports every lower layer except `envs`. It computes no figures and
contains no rules of a game.
"""
