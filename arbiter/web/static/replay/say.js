// Text around the frames: names, times, points; and the faces of cards.

/** @typedef {Api.Replay["faces"]} Faces */

/** @type {Record<string, string>} */
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
/** @type {Record<string, string>} */
const NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };

/** The parts of a card: `rank`, `symbol` below it, `tone` (a suit or a colour, or ""), `message` for a screen reader; `text` has rank and suit. */
export function cardFace(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { rank, suit, say } = faces[name] ?? { rank: name, suit: "", say: name };
  const symbol = SYMBOLS[suit] ?? "";
  return { text: symbol ? rank + suit : rank, rank, symbol, tone: suit, message: say };
}

/** A suit in the form of `cardFace`; null for any other word. */
export function suitFace(/** @type {string} */ word) {
  return Object.hasOwn(SYMBOLS, word) ? { text: word, symbol: SYMBOLS[word], tone: word, message: NAMES[word] } : null;
}

/** True for cards with suits. */
export function isSuited(/** @type {Faces} */ faces) {
  return Object.values(faces).some(({ suit }) => Object.hasOwn(SYMBOLS, suit));
}

/** The descriptions of events, from their frames. */
export function eventsText(/** @type {Api.Event[]} */ events) {
  return events.flatMap(({ shown }) => shown?.say || []).join(" ");
}

/** A player's name, with its direction isolated. */
export function nameOf(/** @type {Pick<Api.Replay, "players">} */ replay, /** @type {number} */ seat) {
  return `\u2068${replay.players[seat]?.name ?? `seat ${seat}`}\u2069`;
}

/** A duration: "3.2 ms", "41 ms", "1.25 s", "2 min 10 s". */
export function timeText(/** @type {number} */ ms) {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** Points as text, with signs if some are negative. */
export function pointsText(/** @type {number[]} */ points) {
  const isSigned = points.some((won) => won < 0);
  return points.map((won) => (won < 0 ? `−${-won}` : isSigned && won > 0 ? `+${won}` : String(won)));
}
