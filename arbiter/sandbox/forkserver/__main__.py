"""Run as ``python -I -S forkserver/__main__.py DESCRIPTOR BOARD staged|here|keeper [BUDGET SHARE]``.

It imports only this package.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Empty packages instead of the real parents, which would import rules, clocks and more.
for name, folder in (("arbiter", HERE.parents[1]), ("arbiter.sandbox", HERE.parent)):
    package = types.ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
sys.path.insert(0, str(HERE.parents[2]))

from arbiter.sandbox.forkserver import family, keeper  # noqa: E402

try:
    if sys.argv[3] == "keeper":
        keeper.main(int(sys.argv[1]), *map(int, sys.argv[4:6]))
    else:
        family.main(int(sys.argv[1]), int(sys.argv[2]), staged=sys.argv[3] == "staged")
except OSError as error:
    # The worker notices the end of this process, and makes its match void.
    sys.exit(f"arbiter: the process that starts bots failed: {error}")
