// The replays of a report: each is rendered when it is opened, from the embedded data.

import { mount } from "./replay/replay.js";
/** @import { Player } from "./replay/player.js" */

const boxes = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details.replay"));
/** @type {Map<HTMLElement, Player>} */
const players = new Map();

function showReplay(/** @type {HTMLElement} */ box) {
  const place = /** @type {HTMLElement} */ (box.querySelector(".replay-place"));
  const [replay, ...own] = [...box.querySelectorAll("script")].map((script) => JSON.parse(script.textContent ?? ""));
  const loadView = own.length ? async (/** @type {number} */ seat) => own[seat] : null;
  players.set(box, mount(place, replay, { address: false, console: box.querySelector("code"), config: place.dataset.config, loadView }));
}

function openNamed() {
  const named = decodeURIComponent(location.hash.slice(1));
  for (const box of boxes) if (box.id === named) box.open = true;
}

for (const box of boxes) {
  box.addEventListener("toggle", () => {
    if (!box.open) players.get(box)?.pause();
    else if (!players.has(box)) showReplay(box);
  });
}
addEventListener("hashchange", openNamed);
openNamed();
