// The keys of the applet, and the dialog that lists them.

import { keysDialog, rememberedBox } from "../replay/keys.js";

const KEYS = [
  ["s", "step", "step"], ["p", "play on", "play"], ["d", "on to the deal’s end", "deal"], [".", "stop what is running", "stop"], ["u", "undo", "undo"],
  ["b", "back to the last decision of a person", "undoTurn"], ["r", "redo", "redo"], ["a", "again, after trouble", "again"],
  ["k", "skip, after trouble", "skip"], ["l", "lay the picked cards", "lay"], ["/", "write an answer", "answer"], ["c", "write a line to a bot", "shell"],
  ["o", "open the others’ hands, or cover them", "open"], ["n", "set a table", "table"], ["?", "this list", "help"],
];
const OWN_KEYS = "input, select, textarea, [contenteditable], dialog";

/** Listens for keys on the whole page and calls `act(name)`; the dialog that lists and can end them. */
export function bindKeys(/** @type {(name: string) => void} */ act) {
  const areOn = rememberedBox("arbiter-applet-keys");
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.altKey || event.metaKey || target.closest(OWN_KEYS) || document.querySelector("dialog[open]")) return;
    const found = KEYS.find(([key]) => key === event.key);
    if (!found || !(areOn.checked || found[0] === "?")) return;
    event.preventDefault();
    act(found[2]);
  });
  return keysDialog("Keys of the applet", KEYS, areOn, " Single keys work on this page");
}
