"""Random agents in the local room of ChefsHatGym: matches a CPU second, as one JSON object.

    python tests/bench/peer_room.py [SECONDS]

Run by an interpreter that has that package; it needs nothing of `arbiter`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import time

MATCHES = 10


def main() -> None:
    """Ten matches at a time, logs and data sets off, until the CPU seconds are used up."""
    from ChefsHatGym.agents.agent_random import AgentRandon
    from ChefsHatGym.gameRooms.chefs_hat_room_local import ChefsHatRoomLocal

    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        # It writes into the folder where it is started, whatever it is told.
        os.chdir(folder)
        matches, start = 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            room = ChefsHatRoomLocal(
                room_name="bench",
                game_type="MATCHES",
                stop_criteria=MATCHES,
                max_rounds=-1,
                save_dataset=False,
                verbose_console=False,
                verbose_log=False,
                game_verbose_console=False,
                game_verbose_log=False,
                log_directory=folder,
            )
            for seat in range(4):
                room.add_player(AgentRandon(name=str(seat), log_directory=folder))
            room.start_new_game()
            matches += MATCHES
        os.chdir("/")
    print(json.dumps({"chefshatgym": {"games_per_second": round(matches / spent, 2)}}))


if __name__ == "__main__":
    main()
