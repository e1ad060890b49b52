// The keys of the viewer, and the dialog that lists them.

import { el } from "./dom.js";

const KEYS = [
  ["→", "next step", "ArrowRight", "step"],
  ["←", "step back", "ArrowLeft", "back"],
  ["]", "next trick", "]", "nextTrick"],
  ["[", "trick before", "[", "lastTrick"],
  ["n", "next deal", "n", "nextDeal"],
  ["p", "deal before", "p", "lastDeal"],
  ["Home", "beginning", "Home", "home"],
  ["End", "end", "End", "end"],
  ["f", "jump to the fault", "f", "fault"],
  ["Space", "play or pause", " ", "toggle"],
  ["+", "faster", "+", "faster"],
  ["−", "slower", "-", "slower"],
  ["e", "through the next seat’s eyes", "e", "nextEyes"],
  ["q", "quit the eyes: all hands", "q", "quitEyes"],
  ["?", "this list", "?", "help"],
];
const REMEMBERED = "arbiter-replay-keys";
const OWN_KEYS = "input, select, textarea, [contenteditable]";
const PRESSED = "button, a, summary";
// Of several viewers in a page the one last put there, or touched, has the keys.
let inUse = null;

/** The action that a key press means in the viewer: [name, number or null]; null for none. */
function meaning(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (/^[0-9]$/.test(event.key)) return ["deal", (Number(event.key) + 9) % 10];
  const found = KEYS.find(([, , key]) => key === event.key);
  return found ? [found[3], null] : null;
}

/** Listens for keys on the whole page, or in `element` alone where the reader chose so; returns the dialog. */
export function bindKeys(element, act) {
  const onPage = el("input", { type: "checkbox" });
  onPage.checked = remembered();
  onPage.addEventListener("change", () => remember(onPage.checked));
  const dialog = makeDialog(onPage);
  const takeOver = () => {
    inUse = element;
  };
  const hasKeys = () => element.checkVisibility() && (inUse === element || !inUse.checkVisibility());
  takeOver();
  for (const event of ["focusin", "pointerdown"]) element.addEventListener(event, takeOver);
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const isInside = element.contains(target);
    if (dialog.open || !hasKeys() || (!isInside && (!onPage.checked || target.closest("dialog")))) return;
    if (target.closest(OWN_KEYS) || (event.key === " " && target.closest(PRESSED))) return;
    const found = meaning(event);
    if (found === null) return;
    event.preventDefault();
    act(...found);
  });
  return dialog;
}

function makeDialog(onPage) {
  const rows = [...KEYS, ["1 … 9, 0", "deal 1 to 10"]].map(([key, words]) =>
    el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, key)), el("td", {}, words)));
  const dialog = el("dialog", { class: "rp-help", "aria-label": "Keys of the replay" });
  dialog.append(el("h2", {}, "Keys"), el("table", {}, el("tbody", {}, rows)),
    el("label", { class: "rp-choice" }, onPage, " Keys work on the whole page, not only in the replay"),
    el("p", { class: "rp-note" }, "A click on a bar, a line of the exchanges or a seat’s eyes does what it shows."),
    el("button", { type: "button", on: { click: () => dialog.close() } }, "Close"));
  return dialog;
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) !== "inside";
  } catch {
    return true;
  }
}

function remember(isOnPage) {
  try {
    localStorage.setItem(REMEMBERED, isOnPage ? "page" : "inside");
  } catch {
    // Nothing is remembered where storage is forbidden.
  }
}
