// Legal answers as a person reads them, and the cards that they lay.

import { cardFace, cardsOfPlay, sayCards, suitFace } from "../replay/cards.js";

/** A legal answer: `word` as the applet takes it, `cards` that it lays, `text` and `said` for eyes and ears. */
export function answerOf(game, request, word) {
  const cards = cardsOfAnswer(game, request, word);
  if (cards.length) return { word, cards, text: cards.map((name) => faceText(game, name)).join(" "), said: sayCards(game, cards) };
  return { word, cards, ...plain(word) };
}

function cardsOfAnswer(game, request, word) {
  if (word === "pass") return [];
  if (request.startsWith("gen_exchange")) return word.split(" ");
  return request.startsWith("gen_move") ? cardsOfPlay(game, word) : [];
}

function faceText(game, name) {
  const { text, symbol } = cardFace(game, name);
  return game === "planning" || game === "codepiece" ? `${symbol} ${text}` : symbol || text;
}

function plain(word) {
  if (word.startsWith("trump_")) {
    const { text, symbol, said } = suitFace(word.slice("trump_".length));
    return { text: `${symbol} ${text}`, said };
  }
  const text = word.replaceAll("_", " ");
  return { text, said: text };
}

const REQUESTS = {
  gen_declare: "declare a number of tricks", gen_bid: "bid or pass", gen_trump: "name the trump", gen_move: "play",
  gen_special: "declare something special, or not",
};

/** What a request asks for, as words after "is to". */
export function sayRequest(request) {
  if (!request) return "act";
  const [name, count] = request.split(" ");
  if (name === "gen_exchange") return count === "1" ? "give a card" : `give ${count} cards`;
  return REQUESTS[name] ?? `answer ${request}`;
}

/** True when `few` cards are all among `many`, equal ones counted. */
export function isWithin(few, many) {
  const left = [...many];
  return few.every((card) => {
    const place = left.indexOf(card);
    if (place < 0) return false;
    left.splice(place, 1);
    return true;
  });
}
