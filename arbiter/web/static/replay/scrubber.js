// One slider for the whole match, with ticks for deals, lead changes and the fault; taps and swipes on the table.

import { el } from "./dom.js";
/** @import { Player } from "./player.js" */

/** @type {Record<string, string>} */
export const SIGNS = { deal: "", lead: "▲", best: "+", worst: "−", closest: "≈", fault: "✕" };
const TICKS = ["deal", "lead", "fault"];
const SWIPE_PX = 40;

export function makeScrubber(/** @type {Player} */ player) {
  const range = el("input", { type: "range", min: 0, class: "rp-range", "aria-label": "Place in the match",
    on: { input: () => player.steer(player.stops[Number(range.value)]) } });
  const ticks = el("div", { class: "rp-ticks", "aria-hidden": "true" });
  const element = el("div", { class: "rp-scrubber" }, ticks, range);
  /** @type {Api.Replay} */
  let drawn;
  const draw = () => {
    const stops = player.stops;
    if (drawn !== player.view) {
      drawn = player.view;
      range.max = String(stops.length - 1);
      ticks.replaceChildren(...drawn.marks.filter(({ kind }) => TICKS.includes(kind)).map(({ i, kind, text }) =>
        el("span", { class: `rp-tick rp-tick-${kind}`, title: text, vars: { at: placeOf(stops, i) / Math.max(stops.length - 1, 1) } }, SIGNS[kind])));
    }
    range.value = String(placeOf(stops, player.i));
    range.setAttribute("aria-valuetext", `Deal ${player.deal + 1}, event ${player.i} of ${player.last}`);
  };
  return { element, draw };
}

/** The index of the stop at event `i`. */
function placeOf(/** @type {number[]} */ stops, /** @type {number} */ i) {
  const place = stops.findIndex((stop) => stop >= i);
  return place < 0 ? stops.length - 1 : place;
}

/** A tap on the right half of the table is the next step, on the left half the step back; a swipe moves by a trick. */
export function bindTouches(/** @type {HTMLElement} */ table, /** @type {Player} */ player) {
  let from = /** @type {PointerEvent | null} */ (null);
  let isSwiped = false;
  table.addEventListener("pointerdown", (event) => {
    from = event.isPrimary ? event : null;
    isSwiped = false;
  });
  table.addEventListener("pointerup", (event) => {
    if (!from || event.pointerType === "mouse") return;
    const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
    isSwiped = Math.abs(x) > SWIPE_PX && Math.abs(x) > 2 * Math.abs(y);
    if (isSwiped) player.toTrick(x < 0 ? 1 : -1);
  });
  table.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (isSwiped || target.closest("button, a") || getSelection()?.type === "Range") return;
    const box = table.getBoundingClientRect();
    player.steer(event.clientX > box.left + box.width / 2 ? player.after(player.i) : player.before(player.i));
  });
}
