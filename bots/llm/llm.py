"""A language model in a seat. The referee starts this program; the gateway is on its descriptor 3.

python3 -I -S llm.py PACKAGE, the folder of the package `arbiter`: the standard library is all that it needs.
"""

import sys
import types

# The package by its folder alone: the one around it may be nobody's to list.
package = types.ModuleType("arbiter")
package.__path__ = [sys.argv[1]]
sys.modules["arbiter"] = package

from arbiter.table.llm.harness import main  # noqa: E402

main(sys.stdin.buffer, sys.stdout.buffer)
