// Names of cards: how they are written in a box, and how they are read aloud.

const VALUES = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
  T: "ten", J: "jack", Q: "queen", K: "king", A: "ace",
};
const SUITS = { C: ["♣", "clubs"], D: ["♦", "diamonds"], H: ["♥", "hearts"], S: ["♠", "spades"] };
const DOU_DIZHU = "3456789TJQKA2BR";
const JOKER = "12";

/** What a card's box holds: `text`, `symbol` below it, `tone` (a suit, or ""), `said` for a screen reader. */
export function cardFace(game, name) {
  if (game === "chefs_hat") {
    return name === JOKER ? { text: "J", symbol: "★", tone: "", said: "joker" } : plainFace(name, name);
  }
  if (game === "dou_dizhu") {
    if (name === "B") return { text: "B", symbol: "★", tone: "S", said: "black joker" };
    if (name === "R") return { text: "R", symbol: "★", tone: "H", said: "red joker" };
    return plainFace(name, VALUES[name] ?? name);
  }
  const value = name.slice(0, -1);
  const suit = name.slice(-1);
  const [symbol, suitName] = SUITS[suit] ?? ["", suit];
  return { text: name, symbol, tone: symbol ? suit : "", said: `${VALUES[value] ?? value} of ${suitName}` };
}

/** A suit for people: its symbol and letter, its name, its tone. */
export function suitFace(letter) {
  const [symbol, said] = SUITS[letter] ?? ["", letter];
  return { text: letter, symbol, tone: symbol ? letter : "", said };
}

/** The cards that the word of a play lays; none for a pass. */
export function cardsOfPlay(game, word) {
  if (word === "pass") return [];
  if (game === "dou_dizhu") return [...word];
  if (game !== "chefs_hat") return [word];
  const [, value, quantity, jokers] = word.match(/^C(\d+);Q(\d+);J(\d+)$/) ?? [null, "0", "0", "0"];
  return [...Array(Number(quantity)).fill(value), ...Array(Number(jokers)).fill(JOKER)];
}

/** Cards in words, equal ones counted: "ten of diamonds", "3 × 9, joker". */
export function sayCards(game, names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => {
    const { said } = cardFace(game, name);
    return count > 1 ? `${count} × ${said}` : said;
  }).join(", ");
}

/** Compares two cards by the order in which the game writes a hand. */
export function cardOrder(game, options) {
  if (game === "chefs_hat") return (one, other) => Number(one) - Number(other);
  if (game === "dou_dizhu") return (one, other) => DOU_DIZHU.indexOf(one) - DOU_DIZHU.indexOf(other);
  const [values, suits] = deckOf(options);
  const place = (name) => suits.indexOf(name.slice(-1)) * values.length + values.indexOf(name.slice(0, -1));
  return (one, other) => place(one) - place(other);
}

/** The values, weakest first, and the suits, trump first, of a deck of tricks. */
export function deckOf(options) {
  return (options?.deck ?? "23456789TJQKA CDHS").split(" ");
}

function plainFace(name, said) {
  return { text: name, symbol: "", tone: "", said };
}
