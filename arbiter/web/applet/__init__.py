"""The referee with a GUI: a page on loopback over `table.interactive`, which the console shares.

`access_guard` checks the key, `app` assembles the routes: `post_routes` with its `table_forms`, `get_routes`,
and `schema`, a table as JSON.
"""
