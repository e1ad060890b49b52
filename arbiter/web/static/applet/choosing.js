// The legal answers of the seat to act: cards to pick in its hand, words as buttons, a text field.

import { el, spoken } from "../replay/dom.js";
import { cardFace, isSuited, suitFace } from "../replay/say.js";
import { complain, enable } from "./dialog.js";
/** @import { Faces } from "../replay/say.js" @import { Picking } from "../replay/cards.js" */

/** A question; `key` is unique to the decision, `open` is true if the hand is visible.
 * @typedef {Pick<Api.TableState, "asks" | "must" | "legal" | "lays" | "says" | "hint"> & { key: string, title: string, faces: Faces, seat: number, open: boolean }} Question */

const MOST_BUTTONS = 40;

/** The panel of answers; calls `decide(word)` with the chosen one, and `redraw()` when a card is picked.
 *
 * `ask(question)` sets the question, null for none; then the panel is hidden, or with `waits` keeps its place and
 * height. Without `isTyped` there is a text field only if buttons and cards are not enough.
 */
export function makeChoosing(/** @type {(word: string) => Promise<string>} */ decide, /** @type {() => void} */ redraw, isTyped = true) {
  let question = /** @type {Question | null} */ (null);
  let last = "";
  let answers = /** @type {ReturnType<typeof answerOf>[]} */ ([]);
  let picked = /** @type {{ name: string, place: number }[]} */ ([]);
  const title = el("h3", { id: "ap-asked" });
  const field = el("input", { id: "ap-answer", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    maxlength: 400, "aria-describedby": "ap-answer-note", on: { input: draw } });
  const note = el("p", { id: "ap-answer-note", class: "ap-note" });
  const wrong = el("p", { id: "ap-answer-wrong", class: "ap-wrong", role: "alert" });
  const lay = el("button", { type: "button", class: "ap-lay", on: { click: () => layPicked() } }, "Lay the picked cards");
  const words = el("ul", { class: "ap-words", role: "list", "aria-label": "Legal answers" });
  const form = el("form", { class: "ap-row", on: { submit: (event) => {
    event.preventDefault();
    if (field.value.trim()) choose(field.value.trim());
  } } }, el("label", { for: "ap-answer" }, "Answer"), field, el("button", { type: "submit" }, "Decide"));
  const element = el("section", { class: "ap-choosing", "aria-labelledby": "ap-asked", tabindex: "-1" },
    title, words, lay, form, note, wrong);

  async function choose(/** @type {string} */ word) {
    const problem = await decide(word);
    complain(field, wrong, note, problem);
    if (!problem) field.value = "";
  }

  function ask(/** @type {Question | null} */ asked, waits = false) {
    element.hidden = asked === null && !waits;
    element.classList.toggle("ap-idle", asked === null);
    if (asked) element.classList.toggle("ap-joint", !isSuited(asked.faces));
    // While an answer is checked there is no question; then the same one may return, with its error.
    if (asked && asked.key !== last) {
      picked = [];
      field.value = "";
      complain(field, wrong, note, "");
      last = asked.key;
    }
    question = asked;
    answers = asked ? asked.legal.map((word, place) => answerOf(asked, word, place)) : [];
    draw();
  }

  function draw() {
    if (question === null) {
      title.textContent = "The bots are playing.";
      return;
    }
    title.textContent = question.title;
    const typed = field.value.trim().toLowerCase();
    const isOne = isSingle(question);
    // If a click on a card is a whole answer, only answers without cards are buttons.
    const offered = isOne && question.open ? answers.filter(({ cards }) => !cards.length) : answers;
    const fitting = offered.filter(({ word, text, message, cards }) => isWithin(picked.map(({ name }) => name), cards)
      && (!typed || [word, text, message].some((one) => one.toLowerCase().includes(typed))));
    words.replaceChildren(...fitting.slice(0, MOST_BUTTONS).map((answer) => el("li", {}, wordButton(answer))));
    words.hidden = fitting.length === 0;
    const more = fitting.length - MOST_BUTTONS;
    form.hidden = !isTyped && !question.hint && (question.open || more <= 0);
    note.textContent = more > 0 ? `${more} more: pick cards${form.hidden ? "" : " or type"} to find them.` : question.hint;
    lay.hidden = !question.open || isOne || !answers.some(({ cards }) => cards.length);
    enable(lay, Boolean(exact()));
  }

  function isSingle(/** @type {Question} */ { faces }) {
    return isSuited(faces) && answers.every(({ cards }) => cards.length < 2);
  }

  function exact() {
    const names = picked.map(({ name }) => name);
    return answers.find(({ cards }) => cards.length && cards.length === names.length && isWithin(names, cards));
  }

  function layPicked() {
    const found = exact();
    if (found) choose(found.word);
  }

  function wordButton(/** @type {ReturnType<typeof answerOf>} */ { word, text, message, suit }) {
    const inside = text === message ? [text] : [el("span", { "aria-hidden": "true", class: suit && `rp-suit-${suit.toLowerCase()}` }, text), spoken(message)];
    return el("button", { type: "button", "data-word": word, title: word, on: { click: () => choose(word) } }, inside);
  }

  /** @type {Picking["card"]} */
  function card(name, place) {
    if (question && isSingle(question)) {
      const answer = answers.find(({ cards }) => cards.length === 1 && cards[0] === name);
      return { legal: Boolean(answer), choose: () => (answer ? choose(answer.word) : refuse(name)) };
    }
    const isPicked = picked.some((one) => one.place === place);
    const names = [...picked.map((one) => one.name), ...(isPicked ? [] : [name])];
    const legal = isPicked || answers.some(({ cards }) => isWithin(names, cards));
    return {
      legal, picked: isPicked,
      choose: () => {
        if (!legal) return refuse(name);
        picked = isPicked ? picked.filter((one) => one.place !== place) : [...picked, { name, place }];
        draw();
        redraw();
      },
    };
  }

  /** Shows why a card cannot be laid. */
  function refuse(/** @type {string} */ name) {
    if (!question) return;
    const reason = question.must || (picked.length ? "no legal answer has it with the picked cards" : "no legal answer has it");
    wrong.textContent = `Not ${cardFace(question.faces, name).message}: ${reason}.`;
  }

  /** Returns the cards that can be picked now, for the table. */
  function pick() {
    const isAboutCards = answers.some(({ cards }) => cards.length);
    return question?.open && isAboutCards ? { seat: question.seat, card } : null;
  }

  return {
    element, ask, pick, layPicked,
    focusField: () => field.focus(),
    hasField: () => document.activeElement === field,
    firstAnswer: () => words.querySelector("button"),
  };
}

/** A legal answer: `word` for the applet, the `cards` that it lays, `text` to show, `message` for screen readers. */
function answerOf(/** @type {Question} */ { faces, lays, says }, /** @type {string} */ word, /** @type {number} */ place) {
  const cards = lays[place];
  const plain = word.replaceAll("_", " ");
  const suit = suitFace(plain.slice(-2).trim());
  if (!cards.length && suit) return { word, cards, text: plain.replace(/.$/, `${suit.symbol} $&`), message: plain.replace(/.$/, suit.message), suit: suit.tone };
  if (!cards.length) return { word, cards, text: plain, message: plain, suit: "" };
  const shown = cards.map((name) => cardFace(faces, name)).map(({ text, symbol }) => (symbol ? `${symbol} ${text}` : text));
  return { word, cards, text: shown.join(" "), message: says[place], suit: "" };
}

/** True if the multiset `many` contains `few`. */
function isWithin(/** @type {string[]} */ few, /** @type {string[]} */ many) {
  const left = [...many];
  return few.every((card) => {
    const place = left.indexOf(card);
    if (place < 0) return false;
    left.splice(place, 1);
    return true;
  });
}
