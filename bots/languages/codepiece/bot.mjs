// A minimal bot for Codepiece in JavaScript for Node.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot passes, names the suit of which it has most as trump, and plays the first card that it
// may.

import { createInterface } from "node:readline";

const VALUES = "23456789TJQKA";
let me = 0;
let trump = "";
let hand = []; // my cards, such as "TD": the value, then the suit
let trick = []; // [seat, card] on the table

// A trump beats the suit led, which beats all else.
function worth(card) {
  const value = VALUES.indexOf(card[0]) + 1;
  return card[1] === trump ? value + 26 : card[1] === trick[0][1][1] ? value + 13 : 0;
}

// My cards that follow suit, or else all; if an opponent is winning, only those that beat it, if there are any.
function legal() {
  if (!trick.length) return hand;
  const follow = hand.filter((card) => card[1] === trick[0][1][1]);
  const cards = follow.length ? follow : hand;
  const [seat, best] = trick.reduce((one, other) => (worth(other[1]) > worth(one[1]) ? other : one));
  const over = cards.filter((card) => worth(card) > worth(best));
  return (seat - me) % 2 && over.length ? over : cards;
}

// What stands after "=" in the reply; null refuses.
function obey([command, ...words]) {
  switch (command) {
    case "set_players":
      if (!/^\d+ \d+$/.test(words.join(" "))) return null;
      me = Number(words[1]);
      return "";
    case "set_cards":
      if (words.length !== Number(words[0]) + 1) return null;
      hand = words.slice(1);
      trick = [];
      return "";
    case "gen_bid":
      return "pass";
    case "gen_trump": {
      const count = (suit) => hand.filter((card) => card[1] === suit).length;
      return hand.length ? `trump_${[..."CDHS"].sort((one, other) => count(other) - count(one))[0]}` : null;
    }
    case "trump":
      if (!words[1]) return null;
      trump = words[1].slice(-1);
      return "";
    case "gen_move":
      return legal()[0] ?? null;
    case "play": {
      const [seat, card] = words;
      if (!card) return null;
      if (Number(seat) === me) hand = hand.filter((mine) => mine !== card);
      trick.push([Number(seat), card]);
      if (trick.length === 4) trick = [];
      return "";
    }
    case "set_rules":
    case "set_deck":
    case "set_game":
    case "time_left":
    case "bid":
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
