"""Pages, a JSON API and one-file reports of seasons.

`rendering` makes text, `http` takes requests, `api` and `views` answer them, `pages` has forms, `site`
puts them together; `applet` is a table for one person. Figures come from `season.snapshot`, cards pass
`replay.visibility`. It imports everything below but `envs`. Never in it: a figure computed here, a rule
of a game.
"""
