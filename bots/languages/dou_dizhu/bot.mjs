// A minimal bot for Dou Dizhu in JavaScript for Node.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot plays cards of one rank alone: it leads all of its lowest rank, and beats such a play
// with the lowest rank of which it has enough. Otherwise it passes.

import { createInterface } from "node:readline";

const RANKS = "3456789TJQKA2BR";
let me = 0;
let owner = 0; // who made the play to beat
let hand = ""; // a letter for each card
let best = ""; // the play to beat, "" if I may lead

function choose() {
  if (new Set(best).size > 1) return "pass";
  for (const rank of RANKS) {
    const held = hand.split(rank).length - 1;
    if (!best && held) return rank.repeat(held);
    if (best && held >= best.length && RANKS.indexOf(rank) > RANKS.indexOf(best[0])) return rank.repeat(best.length);
  }
  return "pass";
}

// What stands after "=" in the reply; null refuses.
function obey([command, ...words]) {
  switch (command) {
    case "set_players":
      if (!/^\d+ \d+$/.test(words.join(" "))) return null;
      me = Number(words[1]);
      return "";
    case "set_cards":
      if (words[1]?.length !== Number(words[0])) return null;
      hand = words[1];
      best = "";
      return "";
    case "gen_move":
      return hand ? choose() : null;
    case "play": {
      const [seat, cards] = [Number(words[0]), words[1]];
      if (!cards) return null;
      if (cards !== "pass") {
        best = cards;
        owner = seat;
        if (seat === me) for (const card of cards) hand = hand.replace(card, "");
      } else if ((seat + 1) % 3 === owner) {
        best = ""; // both others have passed
      }
      return "";
    }
    case "set_rules":
    case "set_game":
    case "show_cards":
    case "time_left":
    case "end_deal":
    case "quit":
      return "";
    default:
      return null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const words = line.split(/\s+/).filter(Boolean);
  if (!words.length) continue; // a blank line has no reply
  const text = obey(words);
  // On Linux a write to a pipe is done when it returns: there is nothing to flush.
  process.stdout.write((text === null ? "? cannot do that" : `= ${text}`.trim()) + "\n\n");
  if (words[0] === "quit") process.exit(); // an open standard input would keep it alive
}
