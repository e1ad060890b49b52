// A minimal bot for Planning in JavaScript for Node.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

import { createInterface } from "node:readline";

let strongest = ""; // the value that no other beats
let players = 0;
let me = 0;
let hand = []; // my cards, such as "TD": the value, then the suit
let trick = []; // the cards on the table

const last = (word) => word.slice(-1);

// What stands after "=" in the reply; null refuses.
function obey([command, ...words]) {
  switch (command) {
    case "set_deck":
      if (words.length !== 2) return null;
      strongest = last(words[0]);
      return "";
    case "set_players":
      if (!/^\d+ \d+$/.test(words.join(" "))) return null;
      [players, me] = words.map(Number);
      return "";
    case "set_cards":
      if (words.length !== Number(words[0]) + 1) return null;
      hand = words.slice(1);
      trick = [];
      return "";
    case "gen_declare":
      return String(hand.filter((card) => card.startsWith(strongest)).length);
    case "gen_move": {
      const follows = (card) => trick.length > 0 && last(card) === last(trick[0]);
      return hand.find(follows) ?? hand[0] ?? null;
    }
    case "play": {
      const [seat, card] = words;
      if (!card) return null;
      if (Number(seat) === me) hand = hand.filter((mine) => mine !== card);
      trick.push(card);
      if (trick.length >= players) trick = [];
      return "";
    }
    case "set_game":
    case "time_left":
    case "declare":
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
