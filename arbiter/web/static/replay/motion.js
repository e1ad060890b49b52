// A card that is laid moves from its hand to the table, unless the reader wants less motion.

/** @import { Position } from "./fold.js" */

const MOVE_MS = 200;
/** Whether the reader wants less motion. */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** To be called before a table is drawn anew; what it returns afterwards: then what was laid since moves there. */
export function moveCards(/** @type {HTMLElement} */ table, /** @type {Position | null} */ last, /** @type {Position} */ now) {
  const laid = now.table.at(-1);
  const isNext = last && laid?.[2].length && now.number === last.number && now.i > last.i && isOneMore(last, now);
  if (!isNext || calm.matches) return () => {};
  const [seat, , cards] = laid;
  const hand = /** @type {HTMLElement} */ (table.querySelector(`.rp-seat[data-seat="${seat}"]`));
  const from = cards.map((name) => boxOf(hand.querySelector(`.rp-held [data-card="${CSS.escape(name)}"]`) ?? hand.querySelector(".rp-cover"))
    ?? boxOf(hand.querySelector(".rp-plate")));
  return () => {
    const boxes = [...table.querySelectorAll(`[data-laid="${seat}"]`)].at(-1)?.querySelectorAll(".rp-card") ?? [];
    boxes.forEach((box, place) => {
      const [there, here] = [from[place], boxOf(box)];
      if (there && here) box.animate({ translate: [`${there.x - here.x}px ${there.y - here.y}px`, "0 0"] }, { duration: MOVE_MS, easing: "ease-out" });
    });
  };
}

/** True where just one play came, to the others or as the first of new ones. */
function isOneMore(/** @type {Position} */ last, /** @type {Position} */ now) {
  return now.table.length === last.table.length + 1 || (now.table.length === 1 && now.table[0] !== last.table[0]);
}

/** Where an element is, null for one that is not shown. */
function boxOf(/** @type {Element | null} */ element) {
  return element?.checkVisibility() ? element.getBoundingClientRect() : null;
}
