"""What authors send, from an archive to a checked version.

| module | job |
|---|---|
| `steps` | what an inspection says: its steps, a refusal |
| `layout` | where files lie in a ZIP archive; every header held against the others |
| `archive` | its names judged, its files written |
"""
