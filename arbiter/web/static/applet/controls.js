// The buttons above the table, and the panel for trouble.

import { el, foreign } from "../replay/dom.js";
import { enable } from "./dialog.js";
import { drawProblem, visible } from "./shell.js";

/** The verbs: what stands on a button, its key and title, and what is posted, with its body.
 * @type {Record<string, [text: string, key: string, title: string, path: string, body?: (state: Told.TableState) => object]>} */
export const VERBS = {
  step: ["Step", "s", "Tell the news and have one decision made", "/step"],
  play: ["Play", "p", "Bots go on until a person is asked, or something is wrong", "/play"],
  deal: ["To the deal’s end", "d", "Bots go on to the end of this deal", "/play", () => ({ until: "deal" })],
  stop: ["Stop", ".", "Stop what is running", "/stop"],
  undo: ["Undo", "u", "Take one decision back", "/undo"],
  undoTurn: ["Back a turn", "b", "Take back to the last decision of a person", "/undo", ({ since_person: decisions }) => ({ decisions })],
  undoDeal: ["Back a deal", "", "Take back to the beginning of this deal, or of the one before", "/undo", () => ({ deal: true })],
  redo: ["Redo", "r", "Make the decision again that was taken back", "/redo"],
  again: ["Again", "a", "After a bad reply: ask once more", "/again"],
  skip: ["Skip", "k", "After bad news: go on as if the reply had been good", "/skip"],
};

/** The row of verbs; `act(name)` is called by a button. `draw(state)` says which ones can be used. */
export function makeControls(/** @type {(name: string) => void} */ act) {
  const [step, play, deal, stop] = ["step", "play", "deal", "stop"].map((name) => verbButton(act, name));
  const [undo, undoTurn, undoDeal, redo] = ["undo", "undoTurn", "undoDeal", "redo"].map((name) => verbButton(act, name));
  const element = el("div", { class: "ap-controls" }, el("div", { class: "ap-row", role: "group", "aria-label": "On" }, step, play, deal, stop),
    el("div", { class: "ap-row", role: "group", "aria-label": "Back" }, undo, undoTurn, undoDeal, redo));
  const draw = (/** @type {Told.TableState} */ { over, running, undoable, redoable, since_person: since }) => {
    for (const button of [step, play, deal]) enable(button, !over && !running);
    for (const button of [undo, undoDeal]) enable(button, undoable > 0 && !running);
    enable(stop, running);
    enable(undoTurn, since > 0 && !running);
    enable(redo, redoable > 0 && !running);
  };
  return { element, draw };
}

/** A button that stays where it is, and can be reached, when it can do nothing. */
function verbButton(/** @type {(name: string) => void} */ act, /** @type {string} */ name) {
  const [text, key, title] = VERBS[name];
  const button = el("button", { type: "button", title: key ? `${title} (${key})` : title, on: { click: () => {
    if (!button.hasAttribute("aria-disabled")) act(name);
  } } }, text);
  return button;
}

/** What is wrong, and what can be done about it; `act(name)` is called by its buttons. */
export function makeTrouble(/** @type {(name: string) => void} */ act) {
  const told = el("div", { role: "alert" });
  const [again, skip] = ["again", "skip"].map((name) => verbButton(act, name));
  const element = el("div", { class: "ap-trouble", hidden: true }, told, el("div", { class: "ap-row" }, again, skip));
  let drawn = "null";
  const draw = (/** @type {Told.TableState} */ { trouble, running }) => {
    enable(again, !running);
    enable(skip, !running && Boolean(trouble?.can_skip));
    element.hidden = !trouble;
    const key = JSON.stringify(trouble);
    if (key === drawn) return;
    drawn = key;
    told.replaceChildren(...(trouble ? troubleWords(trouble) : []));
  };
  return { element, draw };
}

function troubleWords(/** @type {Told.Trouble} */ { seat, command, raw, kind, problem, explanation, out_of_step: isOutOfStep, can_skip: canSkip }) {
  const ways = canSkip ? "Again tells it once more; Skip goes on as if it had answered well." : "Again asks once more; or decide in its place.";
  const anew = isOutOfStep ? " The bot is started anew for that, and hears the same again." : "";
  return [
    el("p", {}, el("strong", {}, `Seat ${seat}`), ", told ", el("code", {}, foreign(command)),
      raw ? ", answered " : null, raw ? el("code", {}, el("bdi", {}, visible(raw))) : null, ": ", drawProblem(kind, problem, explanation)),
    el("p", { class: "ap-note" }, ways, anew),
  ];
}
