"""The referee with a GUI: a page on loopback over `byhand`, the console's machine.

`door` lets in who has the key, `app` puts the addresses together: `posting` with its `forms`, `reading`, and
`shapes`, a table as JSON.
"""
