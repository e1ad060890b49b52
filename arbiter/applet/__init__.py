"""The referee with a GUI: a page on loopback over `byhand`, the console's machine.

`door` lets in who has the key, `app` has the addresses, `forms` what may be posted, `shapes` what is told.
"""
