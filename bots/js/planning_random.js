#!/usr/bin/env node
// A bot that plays Planning at random: node, no packages.
//
// Commands are taken as they come, one or many, whole or in pieces; the replies to all that one read brought go out in
// one write, at once.
"use strict";

let seed = "1";
const options = process.argv.slice(2);
if (options.length === 2 && options[0] === "--seed") {
  seed = options[1];
} else if (options.length) {
  const wanted = options[0] === "--help";
  const usage = "usage: planning_random.js [--seed N]\nPlays Planning at random (default seed 1).\n";
  (wanted ? process.stdout : process.stderr).write(usage);
  process.exit(wanted ? 0 : 2);
}

// Random numbers from a text: FNV-1a makes the state, xorshift goes on from there. planning_random.cpp has the same
// generator, so that the two play alike.
class Luck {
  constructor(text) {
    this.state = 2166136261;
    for (const byte of Buffer.from(text)) this.state = Math.imul(this.state ^ byte, 16777619);
    this.state = this.state || 1;
    this.next();
    this.next();
  }
  // 0..count-1
  below(count) {
    return Math.floor((this.next() / 2 ** 32) * count);
  }
  next() {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return this.state >>> 0;
  }
}

const suit = (card) => Array.from(card).pop();

let players = 0;
let me = 0;
let deal = -1; // number of the deal in the match
let hand = [];
let onTable = 0; // cards of the current trick
let led = ""; // the suit led, while onTable > 0
let luck = new Luck("");
let over = false;

// What stands after "=" in the reply to a command; null refuses it.
function obey(command, words) {
  switch (command) {
    case "set_deck":
    case "time_left":
    case "declare":
      return "";
    case "set_players":
      if (words.length !== 2 || !words.every((word) => /^\d+$/.test(word))) return null;
      [players, me] = words.map(Number);
      return "";
    case "set_game":
      deal = -1;
      return "";
    case "set_cards": {
      if (words.length !== Number(words[0]) + 1) return null;
      hand = words.slice(1).sort();
      onTable = 0;
      deal += 1;
      // Luck depends on the seed, the deal and the cards alone: a deal met again is met with the same luck.
      luck = new Luck(`${seed}|${deal}|${hand.map((card) => card + " ").join("")}`);
      return "";
    }
    case "gen_declare":
      return String(luck.below(hand.length + 1));
    case "gen_move": {
      if (!hand.length) return null;
      const following = hand.filter((card) => onTable && suit(card) === led);
      const legal = following.length ? following : hand;
      return legal[luck.below(legal.length)];
    }
    case "play":
      if (words.length !== 2) return null;
      if (Number(words[0]) === me) {
        if (!hand.includes(words[1])) return null;
        hand = hand.filter((card) => card !== words[1]);
      }
      if (!onTable) led = suit(words[1]);
      onTable = (onTable + 1) % players;
      return "";
    case "quit":
      over = true;
      return "";
    default:
      return null;
  }
}

// The replies to complete lines; blank ones have none, and nothing is answered after quit.
function answer(lines) {
  let replies = "";
  for (const line of lines) {
    const words = line.split(/\s+/).filter(Boolean);
    if (!words.length || over) continue;
    const result = obey(words[0], words.slice(1));
    replies += (result === null ? `? cannot do ${words[0].slice(0, 40)}` : `= ${result}`.trimEnd()) + "\n\n";
  }
  return replies;
}

let pending = ""; // what no "\n" has ended yet
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (pending + text).split("\n");
  pending = lines.pop();
  const replies = answer(lines);
  if (replies) process.stdout.write(replies, () => over && process.exit(0));
});
process.stdin.on("end", () => process.stdout.write(answer([pending])));
