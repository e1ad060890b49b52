// Legal answers as a person reads them, and the cards that they lay.

import { cardFace, sayCards } from "../replay/cards.js";

/** A legal answer: `word` as the applet takes it, `cards` that it lays, `text` and `said` for eyes and ears. */
export function answerOf(faces, word, cards) {
  const plain = word.replaceAll("_", " ");
  if (!cards.length) return { word, cards, text: plain, said: plain };
  return { word, cards, text: cards.map((name) => faceText(faces, name)).join(" "), said: sayCards(faces, cards) };
}

function faceText(faces, name) {
  const { text, symbol } = cardFace(faces, name);
  return symbol ? `${symbol} ${text}` : text;
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
