// The score sheet of a match, a line per deal; and links to its highlights.

import { markOf } from "./cards.js";
import { el, foreign, spoken } from "./dom.js";
import { positionAt } from "./fold.js";
import { pointsText } from "./say.js";
import { SIGNS } from "./scrubber.js";
import { isBySeat } from "./table.js";
/** @import { Player } from "./player.js" */

export function makeSheet(/** @type {Player} */ player) {
  const { replay } = player;
  const deals = replay.deals.map(({ deal }) => summary(replay, deal));
  const names = [...new Set(deals.flatMap(({ known }) => Object.keys(known)))];
  const rows = deals.map(({ deal, points, totals, known, isFaulty }) => {
    const [won, sums] = [points && pointsText(points), pointsText(totals)];
    const label = `Deal ${deal + 1}${isFaulty ? ", with the fault" : ""}`;
    const button = el("button", { type: "button", "aria-label": label, on: { click: () => player.toDeal(deal) } }, deal + 1, isFaulty ? " ✕" : null);
    return el("tr", { class: isFaulty ? "rp-faulty" : null }, el("th", { scope: "row" }, button), replay.players.map((_, seat) => el("td", {},
      won ? [el("span", { class: "rp-won" }, won[seat]), spoken(", in all "), el("span", { class: "rp-sum" }, sums[seat])] : "–",
      names.length ? el("small", {}, names.map((name) => known[name]?.[seat] ?? "–").filter((word) => word !== "").join(" · ")) : null)));
  });
  const heads = replay.players.map((one) => el("th", { scope: "col" }, markOf(one), foreign(one.name)));
  const below = names.filter((name) => name !== "role").join(" · ");
  const sheet = el("section", { class: "rp-sheet", "aria-label": "Score sheet of the match" }, el("h3", {}, "Score sheet"),
    el("div", { class: "rp-scroll", tabindex: "0", role: "region", "aria-label": "Score sheet" }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Deal"), heads)), el("tbody", {}, rows))),
    el("p", { class: "rp-note" }, `Points of the deal, then in all${below && `; below: ${below}`}.`));
  const draw = () => rows.forEach((row, place) => {
    if (deals[place].deal === player.deal) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  });
  return { elements: [makeMoments(player), sheet], draw };
}

/** The end of a deal: its points, the totals, and the named values by seat. */
function summary(/** @type {Api.Replay} */ replay, /** @type {number} */ deal) {
  const end = replay.events.findLast((event) => event.deal === deal)?.i ?? 0;
  const { roles, points: totals, dealPoints: points, fault } = positionAt(replay, end);
  return {
    deal, isFaulty: fault !== null, points, totals,
    known: /** @type {Record<string, (string | number | null)[]>} */ (Object.fromEntries(Object.entries(roles)
      .filter(([, values]) => isBySeat(replay, values) && values.some((/** @type {unknown} */ value) => value !== "")))),
  };
}

/** Highlights: lead changes, the best, worst and closest deal, the fault. */
function makeMoments(/** @type {Player} */ player) {
  const found = player.replay.marks.filter(({ kind }) => kind !== "deal");
  const items = found.map(({ i, kind, text }) => el("li", {}, el("span", { class: `rp-sign rp-sign-${kind}`, "aria-hidden": "true" }, SIGNS[kind]),
    el("a", { href: `?i=${player.restAt(i)}`, on: { click: (event) => {
      event.preventDefault();
      player.steer(player.restAt(i));
    } } }, kind === "fault" ? "Fault: " : null, foreign(text))));
  return el("section", { class: "rp-moments", "aria-label": "Moments of the match", hidden: !found.length }, el("h3", {}, "Moments"), el("ul", { role: "list" }, items));
}
