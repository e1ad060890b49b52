// The keys of the viewer, and the dialog that lists them.

import { el } from "./dom.js";
/** @import { Player } from "./player.js" */

/** Each key: its label, its action, its name in events, and the handler.
 * @type {[string, string, string, (player: Player, help: HTMLDialogElement) => void][]} */
export const KEYS = [
  ["→", "next step", "ArrowRight", (player) => player.steer(player.after(player.i))],
  ["←", "step back", "ArrowLeft", (player) => player.steer(player.before(player.i))],
  ["]", "next trick", "]", (player) => player.toTrick(1)],
  ["[", "trick before", "[", (player) => player.toTrick(-1)],
  ["n", "next deal", "n", (player) => player.toDeal(player.deal + 1)],
  ["p", "deal before", "p", (player) => player.lastDeal()],
  ["Home", "beginning", "Home", (player) => player.steer(player.stops[0])],
  ["End", "end", "End", (player) => player.steer(player.last)],
  ["f", "jump to the fault", "f", (player) => player.fault && player.steer(player.restAt(player.fault.i))],
  ["Space", "play or pause", " ", (player) => player.toggle()],
  ["+", "faster", "+", (player) => player.changeSpeed(1)],
  ["−", "slower", "-", (player) => player.changeSpeed(-1)],
  ["e", "only what the next seat saw", "e", (player) => player.viewNextSeat()],
  ["q", "all hands again", "q", (player) => player.viewFrom(null)],
  ["?", "this list", "?", (_, help) => help.showModal()],
];
const OWN_KEYS = "input, select, textarea, [contenteditable]";
const PRESSED = "button, a, summary";
/** The viewer that gets the keys: the last one mounted or used in a page.
 * @type {HTMLElement} */
let inUse;

/** Listens for keys on the whole page, or by choice in `element` alone; returns the dialog. `toggleBetter` exists with a review. */
export function bindKeys(/** @type {HTMLElement} */ element, /** @type {Player} */ player, /** @type {(() => void) | undefined} */ toggleBetter) {
  const onPage = rememberedBox("arbiter-replay-keys", "inside");
  const help = keysDialog("Keys of the replay", [...KEYS, ["1 … 9, 0", "deal 1 to 10"], ...(toggleBetter ? [["b", "show the better card"]] : [])], onPage, " Keys work on the whole page, not only in the replay",
    el("p", { class: "rp-note" }, "A click on the right half of the table is the next step, on the left half the step back; a swipe moves by a trick. Bars, lines and moments link to their places."));
  const takeOver = () => {
    inUse = element;
  };
  const hasKeys = () => element.checkVisibility() && (inUse === element || !inUse.checkVisibility());
  takeOver();
  for (const event of ["focusin", "pointerdown"]) element.addEventListener(event, takeOver);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const isInside = element.contains(target);
    if (help.open || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!hasKeys() || (!isInside && (!onPage.checked || target.closest("dialog")))) return;
    if (target.closest(OWN_KEYS) || (event.key === " " && target.closest(PRESSED))) return;
    const found = KEYS.find(([, , key]) => key === event.key);
    const isDeal = /^[0-9]$/.test(event.key);
    const isBetter = event.key === "b" && toggleBetter;
    if (!found && !isDeal && !isBetter) return;
    event.preventDefault();
    if (isBetter) toggleBetter();
    else if (found) found[3](player, help);
    else player.toDeal((Number(event.key) + 9) % 10);
  });
  return help;
}

/** A dialog that lists keys with their actions, and a choice below. */
export function keysDialog(/** @type {string} */ label, /** @type {string[][] | any[]} */ keys, /** @type {HTMLElement} */ box, /** @type {string} */ choice, /** @type {HTMLElement | null} */ note = null) {
  const rows = keys.map(([key, words]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, words)));
  const dialog = el("dialog", { class: "rp-help", "aria-label": label }, el("h2", {}, "Keys"), el("table", {}, el("tbody", {}, rows)),
    el("label", { class: "rp-choice" }, box, choice), note, el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  return dialog;
}

/** A checkbox saved in this browser under a name; on unless `off` is saved. */
export function rememberedBox(/** @type {string} */ name, off = "off") {
  const box = el("input", { type: "checkbox", on: { change: () => kept(() => localStorage.setItem(name, box.checked ? "on" : off)) } });
  box.checked = kept(() => localStorage.getItem(name)) !== off;
  return box;
}

/** Calls `use`; null if storage is forbidden. */
function kept(/** @type {() => unknown} */ use) {
  try {
    return use();
  } catch {
    return null;
  }
}
