// What the seat to act may answer: cards to pick in its hand, words as buttons, a field for a typed one.

import { isSuited } from "../replay/cards.js";
import { el, spoken } from "../replay/dom.js";
import { answerOf, isWithin } from "./words.js";

const MOST_BUTTONS = 40;

/** The panel of answers; `decide(word)` is called with the chosen one, `redraw()` when a card was picked.
 *
 * `ask(question)` sets what is asked, null for nothing; a question has `key`, which differs from one decision to
 * the next, `faces`, `seat`, `asks`, `legal` and the cards that each `lays`, `hint`, and `open`: whether the hand can be seen.
 */
export function makeChoosing(decide, redraw) {
  let question = null;
  let last = null;
  let answers = [];
  let picked = [];
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

  async function choose(word) {
    const problem = await decide(word);
    complain(problem);
    if (!problem) field.value = "";
  }

  function complain(problem) {
    wrong.textContent = problem;
    field.setAttribute("aria-invalid", String(Boolean(problem)));
    field.setAttribute("aria-describedby", problem ? "ap-answer-wrong ap-answer-note" : "ap-answer-note");
  }

  function ask(asked) {
    // While an answer is looked at there is no question: afterwards it may be the same one, with what was wrong.
    if (asked && asked.key !== last) {
      picked = [];
      field.value = "";
      complain("");
      last = asked.key;
    }
    question = asked;
    answers = asked ? asked.legal.map((word, place) => answerOf(asked.faces, word, asked.lays[place])) : [];
    draw();
  }

  function draw() {
    element.hidden = question === null;
    if (question === null) return;
    title.textContent = `Seat ${question.seat} is to ${question.asks}`;
    const typed = field.value.trim().toLowerCase();
    const fitting = offered().filter(({ word, text, said, cards }) => isWithin(picked.map(({ name }) => name), cards)
      && (!typed || [word, text, said].some((one) => one.toLowerCase().includes(typed))));
    words.replaceChildren(...fitting.slice(0, MOST_BUTTONS).map((answer) => el("li", {}, wordButton(answer))));
    words.hidden = fitting.length === 0;
    const more = fitting.length - MOST_BUTTONS;
    note.textContent = more > 0 ? `${more} more: pick cards or type to find them.` : (question.hint ?? "");
    const found = exact();
    lay.hidden = !question.open || isSingle() || !answers.some(({ cards }) => cards.length);
    if (found) lay.removeAttribute("aria-disabled");
    else lay.setAttribute("aria-disabled", "true");
  }

  /** What stands as a button: where a click on a card is a whole answer, only words without cards. */
  function offered() {
    return isSingle() && question.open ? answers.filter(({ cards }) => cards.length === 0) : answers;
  }

  function isSingle() {
    return isSuited(question.faces) && answers.every(({ cards }) => cards.length < 2);
  }

  function exact() {
    const names = picked.map(({ name }) => name);
    return answers.find(({ cards }) => cards.length && cards.length === names.length && isWithin(names, cards));
  }

  function layPicked() {
    const found = exact();
    if (found) choose(found.word);
  }

  function wordButton({ word, text, said }) {
    const inside = text === said ? [text] : [el("span", { "aria-hidden": "true" }, text), spoken(said)];
    return el("button", { type: "button", "data-word": word, title: word, on: { click: () => choose(word) } }, inside);
  }

  function card(name, place) {
    if (isSingle()) {
      const answer = answers.find(({ cards }) => cards.length === 1 && cards[0] === name);
      return { legal: Boolean(answer), choose: () => choose(answer.word) };
    }
    const isPicked = picked.some((one) => one.place === place);
    const names = [...picked.map((one) => one.name), ...(isPicked ? [] : [name])];
    return {
      legal: isPicked || answers.some(({ cards }) => isWithin(names, cards)), picked: isPicked,
      choose: () => {
        picked = isPicked ? picked.filter((one) => one.place !== place) : [...picked, { name, place }];
        draw();
        redraw();
      },
    };
  }

  /** For the table: which cards can be picked now. */
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
