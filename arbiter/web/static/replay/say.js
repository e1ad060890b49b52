// What happened, in a sentence: for the status line, which screen readers read aloud.

import { cardsOfPlay, sayCards, suitFace } from "./cards.js";

/** A sentence for each of the events that came since the last rest; names of players are set apart. */
export function sayEvents(replay, events) {
  return events.flatMap((event, place) => sentence(replay, event, events.slice(place + 1)) ?? []).join(" ");
}

/** A player's name, kept from turning the text around it. */
export function nameOf(replay, seat) {
  return `\u2068${replay.players[seat]?.name ?? `seat ${seat}`}\u2069`;
}

/** A length of time: "3.2 ms", "41 ms", "1.25 s", "2 min 10 s". */
export function sayTime(ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** A number of points with its sign where points can be negative. */
export function sayPoints(game, points) {
  const isSigned = game === "codepiece" || game === "dou_dizhu";
  if (!isSigned || points === 0) return String(points);
  return points > 0 ? `+${points}` : `−${-points}`;
}

/** The play of a seat in words: "plays ten of diamonds", "passes". */
export function sayPlay(game, word) {
  return word === "pass" ? "passes" : `plays ${sayCards(game, cardsOfPlay(game, word))}`;
}

function sentence(replay, event, later) {
  const game = replay.game.name;
  const who = event.seat === undefined ? "" : nameOf(replay, event.seat);
  switch (event.t) {
    case "deal":
      return `Deal ${event.deal + 1} begins.`;
    case "tell":
      return told(replay, game, event.text.split(" "));
    case "ask":
      return later.length ? null : `${who} is asked.`;
    case "answer":
      return later.some((one) => one.t === "tell") ? null : decided(game, who, event);
    case "exchange":
      return event.cards
        ? `${who} gives ${nameOf(replay, event.to)} ${sayCards(game, event.cards)}.`
        : `${who} gives ${nameOf(replay, event.to)} ${event.count} hidden.`;
    case "trick":
      return { chefs_hat: `Pizza: ${who} leads.`, dou_dizhu: `${who} wins the round.` }[game] ?? `${who} takes the trick.`;
    case "end_deal": {
      const points = event.points.map((won, seat) => `${nameOf(replay, seat)} ${sayPoints(game, won)}`);
      return `Deal ${event.deal + 1} is over: ${points.join(", ")}.`;
    }
    case "fault":
      return `Fault: ${nameOf(replay, event.seat)}, ${event.fault}: \u2068${event.text}\u2069`;
    default:
      return null;
  }
}

function told(replay, game, words) {
  const [command, seat, word] = words;
  const who = nameOf(replay, Number(seat));
  switch (command) {
    case "play":
      return `${who} ${sayPlay(game, word)}.`;
    case "declare":
      return `${who} declared ${word}.`;
    case "bid":
      return word === "pass" ? `${who} passes.` : `${who} bids ${word.replace("bid_", "")}.`;
    case "trump":
      return `${who} names ${suitFace(word.replace("trump_", "")).said} trump.`;
    case "special":
      return word === "food_fight" ? `${who} declares a food fight: roles are reversed.` : `${who} serves dinner: no exchange.`;
    default:
      return null;
  }
}

function decided(game, who, { request, text }) {
  if (request === "gen_declare") return `${who} declares ${text}, which the others do not know yet.`;
  if (request === "gen_special") return `${who} declares nothing special.`;
  if (request.startsWith("gen_exchange")) return `${who} will give ${sayCards(game, text.split(" "))}.`;
  return `${who} answers \u2068${text}\u2069.`;
}
