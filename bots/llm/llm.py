"""A language model in a seat. The referee starts this program; the gateway is on descriptor 3.

python3 -I -S llm.py FOLDER, where FOLDER holds the package `arbiter`: the standard library is all it needs.
"""

import sys

sys.path.insert(0, sys.argv[1])

from arbiter.llm.harness import main

main(sys.stdin.buffer, sys.stdout.buffer)
