// The buttons above the table, and the panel for trouble.

import { el, foreign } from "../replay/dom.js";
import { drawProblem, visible } from "./line.js";

/** The row of verbs; `act(name)` is called by a button. `draw(state)` says which ones can be used. */
export function makeControls(act) {
  const button = (...words) => verbButton(act, ...words);
  const made = {
    step: button("Step", "step", "s", "Tell the news and have one decision made"),
    play: button("Play", "play", "p", "Bots go on until a person is asked, or something is wrong"),
    deal: button("To the deal’s end", "deal", "d", "The same to the end of this deal"),
    stop: button("Stop", "stop", ".", "Stop what is running"),
    undo: button("Undo", "undo", "u", "Take one decision back"),
    undoTurn: button("Back a turn", "undoTurn", "b", "Take back to the last decision of a person"),
    undoDeal: button("Back a deal", "undoDeal", "", "Take back to the beginning of this deal, or of the one before"),
    redo: button("Redo", "redo", "r", "Make the decision again that was taken back"),
  };
  const group = (label, names) => el("div", { class: "ap-row", role: "group", "aria-label": label }, names.map((name) => made[name]));
  const element = el("div", { class: "ap-controls" }, group("On", ["step", "play", "deal", "stop"]),
    group("Back", ["undo", "undoTurn", "undoDeal", "redo"]));
  const draw = (state) => {
    const isOn = !state.over && !state.running;
    const usable = {
      step: isOn, play: isOn, deal: isOn, stop: state.running, undo: state.undoable > 0 && !state.running,
      undoTurn: state.since_person > 0 && !state.running, undoDeal: state.undoable > 0 && !state.running, redo: state.redoable > 0 && !state.running,
    };
    for (const [name, isUsable] of Object.entries(usable)) enable(made[name], isUsable);
  };
  return { element, draw };
}

/** A button that stays where it is, and can be reached, when it can do nothing. */
function verbButton(act, text, name, key, title) {
  const button = el("button", { type: "button", title: key ? `${title} (${key})` : title, on: { click: () => {
    if (!button.hasAttribute("aria-disabled")) act(name);
  } } }, text);
  return button;
}

function enable(button, isUsable) {
  if (isUsable) button.removeAttribute("aria-disabled");
  else button.setAttribute("aria-disabled", "true");
}

/** What is wrong, and what can be done about it; `act(name)` is called by its buttons. */
export function makeTrouble(act) {
  const told = el("div", { role: "alert" });
  const again = verbButton(act, "Again", "again", "a", "Ask once more");
  const skip = verbButton(act, "Skip", "skip", "k", "Go on as if it had been a good reply");
  const element = el("div", { class: "ap-trouble", hidden: true }, told, el("div", { class: "ap-row" }, again, skip));
  let drawn = "null";
  const draw = ({ trouble, running }) => {
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

function troubleWords({ seat, command, raw, kind, problem, explanation, out_of_step: isOutOfStep, can_skip: canSkip }) {
  const ways = canSkip ? "Again tells it once more; Skip goes on as if it had answered well." : "Again asks once more; or decide in its place.";
  const anew = isOutOfStep ? " The bot is started anew for that, and hears the same again." : "";
  return [
    el("p", {}, el("strong", {}, `Seat ${seat}`), ", told ", el("code", {}, foreign(command)),
      raw ? ", answered " : null, raw ? el("code", {}, el("bdi", {}, visible(raw))) : null, ": ", drawProblem(kind, problem, explanation)),
    el("p", { class: "ap-note" }, ways, anew),
  ];
}
