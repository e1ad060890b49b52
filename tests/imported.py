"""What sites and applets import, in the process that they are forked from (tests/started.py)."""

import arbiter.applet.app
import arbiter.cli.applet
import arbiter.cli.serve
import arbiter.store.sqlite
import arbiter.web.coordinators
import arbiter.web.site  # noqa: F401
from arbiter.web.pages import prepare

prepare([])
