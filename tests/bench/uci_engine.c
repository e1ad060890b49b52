/* The plainest UCI engine, for tests.bench.referees: it moves a knight in a circle, and a pawn now and then.
 *
 * The knights' circles have four and six moves, so a position returns after twelve moves of each side, and a pawn
 * every twenty keeps a game from ending by repetition or the fifty-move rule: for 400 plies every move is legal.
 */
#include <stdio.h>
#include <string.h>

static const char *const white[] = {"g1f3", "f3g5", "g5h3", "h3g1"};
static const char *const black[] = {"g8f6", "f6d5", "d5e3", "e3f5", "f5h6", "h6g8"};
static const char *const pawns[] = {"a2a3", "a3a4", "a4a5", "b2b3", "b3b4", "b4b5", "c2c3", "c3c4", "c4c5", "d2d3"};

int main(void) {
  static char line[1 << 14];
  int plies = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, "ucinewgame", 10)) continue;
    if (!strncmp(line, "uci", 3)) puts("id name plain\nid author arbiter\nuciok");
    else if (!strncmp(line, "isready", 7)) puts("readyok");
    else if (!strncmp(line, "quit", 4)) return 0;
    else if (!strncmp(line, "position", 8)) {
      const char *moves = strstr(line, " moves");
      plies = 0;
      for (moves = moves ? moves + 6 : ""; (moves = strchr(moves, ' ')); ++moves) ++plies;
    } else if (!strncmp(line, "go", 2)) {
      int turn = plies / 2;
      if (plies % 2) printf("bestmove %s\n", black[turn % 6]);
      else if (turn % 20 == 0) printf("bestmove %s\n", pawns[turn / 20 % 10]);
      else printf("bestmove %s\n", white[(turn - turn / 20 - 1) % 4]);
    }
    fflush(stdout);
  }
  return 0;
}
