"""The referee with a GUI: a page on loopback over `table.interactive`, the console's machine.

`access_guard` lets in who has the key, `app` puts the addresses together: `post_routes` with its
`table_forms`, `get_routes`, and `schema`, a table as JSON.
"""
