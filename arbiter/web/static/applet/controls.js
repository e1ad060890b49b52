// The buttons above the table, and the panel for bad replies.

import { el, foreign } from "../replay/dom.js";
import { enable } from "./dialog.js";
import { drawProblem, visible } from "./shell.js";

/** The verbs: text, key and title of the button, the posted path and body.
 * @type {Record<string, [text: string, key: string, title: string, path: string, body?: (state: Api.TableState) => object]>} */
export const VERBS = {
  step: ["Step", "s", "Send the news, and play one decision", "/step"],
  play: ["Play", "p", "Bots play until a person is to act, or a reply is bad", "/play"],
  deal: ["To the deal’s end", "d", "Bots play to the end of this deal", "/play", () => ({ until: "deal" })],
  stop: ["Stop", ".", "Stop what is running", "/stop"],
  undo: ["Undo", "u", "Undo one decision", "/undo"],
  undoTurn: ["Back a turn", "b", "Undo to the last decision of a person", "/undo", ({ since_person: decisions }) => ({ decisions })],
  undoDeal: ["Back a deal", "", "Undo to the beginning of this deal, or of the previous one", "/undo", () => ({ deal: true })],
  redo: ["Redo", "r", "Redo the decision that was undone", "/redo"],
  again: ["Again", "a", "After a bad reply: ask again", "/again"],
  skip: ["Skip", "k", "After a bad reply to news: continue as if it had been good", "/skip"],
};

/** The row of verbs; a button calls `act(name)`, and `draw(state)` enables the usable ones. */
export function makeControls(/** @type {(name: string) => void} */ act) {
  const [step, play, deal, stop] = ["step", "play", "deal", "stop"].map((name) => verbButton(act, name));
  const [undo, undoTurn, undoDeal, redo] = ["undo", "undoTurn", "undoDeal", "redo"].map((name) => verbButton(act, name));
  const element = el("div", { class: "ap-controls" }, el("div", { class: "ap-row", role: "group", "aria-label": "On" }, step, play, deal, stop),
    el("div", { class: "ap-row", role: "group", "aria-label": "Back" }, undo, undoTurn, undoDeal, redo));
  const draw = (/** @type {Api.TableState} */ { over, running, undoable, redoable, since_person: since }) => {
    for (const button of [step, play, deal]) enable(button, !over && !running);
    for (const button of [undo, undoDeal]) enable(button, undoable > 0 && !running);
    enable(stop, running);
    enable(undoTurn, since > 0 && !running);
    enable(redo, redoable > 0 && !running);
  };
  return { element, draw };
}

/** A button that stays visible and focusable when it is disabled. */
function verbButton(/** @type {(name: string) => void} */ act, /** @type {string} */ name) {
  const [text, key, title] = VERBS[name];
  const button = el("button", { type: "button", title: key ? `${title} (${key})` : title, on: { click: () => {
    if (!button.hasAttribute("aria-disabled")) act(name);
  } } }, text);
  return button;
}

/** The panel for a bad reply, with its remedies; a button calls `act(name)`. */
export function makeTrouble(/** @type {(name: string) => void} */ act) {
  const details = el("div", { role: "alert" });
  const [again, skip] = ["again", "skip"].map((name) => verbButton(act, name));
  const element = el("div", { class: "ap-trouble", hidden: true }, details, el("div", { class: "ap-row" }, again, skip));
  let drawn = "null";
  const draw = (/** @type {Api.TableState} */ { trouble, running }) => {
    enable(again, !running);
    enable(skip, !running && Boolean(trouble?.can_skip));
    element.hidden = !trouble;
    const key = JSON.stringify(trouble);
    if (key === drawn) return;
    drawn = key;
    details.replaceChildren(...(trouble ? troubleWords(trouble) : []));
  };
  return { element, draw };
}

function troubleWords(/** @type {Api.Trouble} */ { seat, command, raw, kind, problem, explanation, out_of_step: isOutOfStep, can_skip: canSkip }) {
  const ways = canSkip ? "Again repeats the command; Skip continues as if the reply had been good." : "Again repeats the request; or decide in its place.";
  const restart = isOutOfStep ? " For that the bot is restarted and gets the same commands." : "";
  return [
    el("p", {}, el("strong", {}, `Seat ${seat}`), ", sent ", el("code", {}, foreign(command)),
      raw ? ", answered " : null, raw ? el("code", {}, el("bdi", {}, visible(raw))) : null, ": ", drawProblem(kind, problem, explanation)),
    el("p", { class: "ap-note" }, ways, restart),
  ];
}
