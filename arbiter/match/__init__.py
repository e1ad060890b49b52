"""One match as values and pure state machines: plan, requests, judgement, charges and record.

`spec` describes the match to play, `protocol` turns bytes into replies, `referee` decides, `clock` charges,
`record` is the result, `exchange` is the only driver. It imports `games`, `errors` and `text`. Never in it:
input or output, a time source, a process, what a reader may see.
"""
