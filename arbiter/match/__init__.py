"""One match as values and pure machines: what is planned, asked, judged, charged and recorded.

`spec` says what is to be played, `protocol` turns bytes into replies, `referee` decides, `clock` charges,
`record` keeps the result, `exchange` is the one driver. It imports `games`, `errors` and `text`. Never in
it: input or output, a time source, a process, what a reader may see.
"""
