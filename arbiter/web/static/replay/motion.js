// Animates a laid card from the hand to the table, unless the reader prefers reduced motion.

/** @import { Position } from "./fold.js" */

const MOVE_MS = 200;
/** Matches if the reader prefers reduced motion. */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Call it before a table is redrawn, and its result afterwards, which animates the laid cards. */
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

/** True if exactly one play was added, to the others or as the first of a new trick. */
function isOneMore(/** @type {Position} */ last, /** @type {Position} */ now) {
  return now.table.length === last.table.length + 1 || (now.table.length === 1 && now.table[0] !== last.table[0]);
}

/** The box of an element; null for a hidden one. */
function boxOf(/** @type {Element | null} */ element) {
  return element?.checkVisibility() ? element.getBoundingClientRect() : null;
}
