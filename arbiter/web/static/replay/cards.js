// Cards as their game has them drawn: the faces of a replay, and what they say.

/** @typedef {Told.Replay["faces"]} Faces */

/** @type {Record<string, string>} */
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠" };
/** @type {Record<string, string>} */
const NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };

/** What a card's box holds: `text`, `symbol` below it, `tone` (a suit or a colour, or ""), `said` for a screen reader. */
export function cardFace(/** @type {Faces} */ faces, /** @type {string} */ name) {
  const { rank, suit, say } = faces[name] ?? { rank: name, suit: "", say: name };
  const symbol = SYMBOLS[suit] ?? "";
  return { text: symbol ? rank + suit : rank, symbol, tone: suit, said: say };
}

/** A suit for people, as `cardFace`; null for any other word. */
export function suitFace(/** @type {string} */ word) {
  return Object.hasOwn(SYMBOLS, word) ? { text: word, symbol: SYMBOLS[word], tone: word, said: NAMES[word] } : null;
}

/** True for cards with suits, of which a play lays one. */
export function isSuited(/** @type {Faces} */ faces) {
  return Object.values(faces).some(({ suit }) => Object.hasOwn(SYMBOLS, suit));
}
