// The keys of the applet, and the dialog that lists them.

import { el } from "../replay/dom.js";

const KEYS = [
  ["s", "step"], ["p", "play"], ["d", "deal"], [".", "stop"], ["u", "undo"], ["b", "undoTurn"], ["r", "redo"], ["a", "again"], ["k", "skip"],
  ["l", "lay"], ["/", "answer"], ["c", "shell"], ["o", "open"], ["n", "table"], ["?", "help"],
];
const WORDS = {
  step: "step", play: "play on", deal: "on to the deal’s end", stop: "stop what is running", undo: "undo", undoTurn: "back to the last decision of a person", redo: "redo",
  again: "again, after trouble", skip: "skip, after trouble", lay: "lay the picked cards", answer: "write an answer", shell: "write a line to a bot",
  open: "open the others’ hands, or cover them", table: "set a table", help: "this list",
};
const REMEMBERED = "arbiter-applet-keys";
const OWN_KEYS = "input, select, textarea, [contenteditable], dialog";

/** Listens for keys on the whole page and calls `act(name)`; the dialog that lists and can end them. */
export function bindKeys(act) {
  const areOn = el("input", { type: "checkbox", on: { change: () => remember(areOn.checked) } });
  areOn.checked = remembered();
  const rows = KEYS.map(([key, name]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, WORDS[name])));
  const dialog = el("dialog", { class: "rp-help", "aria-label": "Keys of the applet" }, el("h2", {}, "Keys"),
    el("table", {}, el("tbody", {}, rows)), el("label", { class: "rp-choice" }, areOn, " Single keys work on this page"),
    el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest(OWN_KEYS) || document.querySelector("dialog[open]")) return;
    const found = KEYS.find(([key]) => key === event.key);
    if (!found || !(areOn.checked || found[0] === "?")) return;
    event.preventDefault();
    act(found[1]);
  });
  return dialog;
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) !== "off";
  } catch {
    return true;
  }
}

function remember(areOn) {
  try {
    localStorage.setItem(REMEMBERED, areOn ? "on" : "off");
  } catch {
    // Nothing is remembered where storage is forbidden.
  }
}
