// A minimal bot for Chef's Hat in JavaScript for Node.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot discards its largest value that it may, without jokers if it has other cards: all of
// it to lead, else as many cards as the last discard. It gives its largest values, and declares nothing.

import { createInterface } from "node:readline";

const JOKER = 12;
const EMPTY = { value: 13, cards: 0 };
let me = 0;
let book = true; // the rule book, or the rules of "gym2"?
let opening = true; // is the first discard still to come?
let hand = []; // my cards: 1 is the strongest, 11 the weakest, 12 a joker
let table = EMPTY; // the last discard

const lose = (card) => hand.includes(card) && hand.splice(hand.indexOf(card), 1);

function choose() {
  for (let of = Math.min(table.value, JOKER) - 1; of > 0; of--) {
    const held = hand.filter((card) => card === of).length;
    if (opening && of < 11 && !book) break; // there the first action is 11s or a pass
    const beats = book || table.value !== JOKER; // there nothing beats a joker
    if (held && held >= table.cards && beats) return `C${of};Q${table.cards || held};J0`;
  }
  const leads = table.cards === 0 && !(opening && !book);
  return leads && hand.includes(JOKER) ? "C0;Q0;J1" : "pass";
}

// What stands after "=" in the reply; null refuses.
function obey([command, ...words]) {
  switch (command) {
    case "set_rules":
      book = words.at(-1) !== "gym2";
      return "";
    case "set_players":
      if (!/^\d+ \d+$/.test(words.join(" "))) return null;
      me = Number(words[1]);
      return "";
    case "set_cards":
      if (words.length !== Number(words[0]) + 1) return null;
      hand = words.slice(1).map(Number);
      opening = true;
      table = EMPTY;
      return "";
    case "gen_special":
      return "none";
    case "gen_exchange": {
      const order = (card) => (card === JOKER ? 0 : card);
      hand.sort((one, other) => order(other) - order(one));
      return hand.slice(0, Number(words[0])).join(" ") || null;
    }
    case "exchange": {
      const [giver, taker, , ...cards] = words.map(Number);
      for (const card of cards) {
        if (giver === me) lose(card);
        if (taker === me) hand.push(card);
      }
      return "";
    }
    case "gen_move":
      return hand.length ? choose() : null;
    case "play": {
      if (!words[1]) return null;
      opening = false;
      if (words[1] === "pass") return "";
      const [of, number, jokers] = words[1].match(/\d+/g).map(Number);
      table = { value: of || JOKER, cards: number + jokers };
      for (let n = 0; n < table.cards && Number(words[0]) === me; n++) lose(n < number ? of : JOKER);
      return "";
    }
    case "pizza":
      table = EMPTY;
      return "";
    case "set_game":
    case "set_roles":
    case "time_left":
    case "special":
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
