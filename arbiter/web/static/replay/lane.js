// The time line of a deal: a lane for each seat, a bar for each move, marks for tricks and faults.

import { markOf } from "./cards.js";
import { el, foreign, svg } from "./dom.js";
import { nameOf, timeText } from "./say.js";
/** @import { Seek } from "./exchanges.js" */
/** @typedef {Pick<Api.AnswerEvent, "i" | "seat" | "request" | "charged_ms" | "left_ms"> & { fault?: string }} Timed */

const LANE = 20;
const LEAST = 0.8;
// A short deal does not stretch its bars over the whole page.
const FEWEST = 24;

/** The lane; `draw(deal, i)` shows a deal with a mark at event `i`; a click calls `onSeek(i)`. */
export function makeLane(/** @type {Api.Replay} */ replay, /** @type {Seek} */ onSeek) {
  const chart = el("div", { class: "rp-chart" });
  const labels = el("div", { class: "rp-lanes", "aria-hidden": "true" },
    replay.players.map((player) => el("span", { title: player.name }, markOf(player), foreign(player.name))));
  const scale = el("p", { class: "rp-scale" });
  const rows = el("tbody");
  const table = el("details", { class: "rp-times" }, el("summary", {}, "Times as a table"),
    el("div", { class: "rp-scroll", tabindex: "0", role: "region", "aria-label": "Times of this deal" }, el("table", {},
      el("thead", {}, el("tr", {}, ["event", "player", "answer to", "charged", "left"].map((head) => el("th", { scope: "col" }, head)))), rows)));
  const element = el("section", { class: "rp-lane", "aria-label": "Time per move" },
    el("div", { class: "rp-lane-grid" }, labels, chart), scale, table);
  /** @type {ReturnType<typeof drawDeal>} */
  let current;
  const draw = (/** @type {number} */ deal, /** @type {number} */ i) => {
    if (current?.deal !== deal) {
      current = drawDeal(replay, deal, onSeek);
      chart.replaceChildren(current.element);
      scale.textContent = current.caption;
      rows.replaceChildren(...current.timed.map((move) => timesRow(replay, move)));
    }
    current.mark(i);
  };
  return { element, draw };
}

function drawDeal(/** @type {Api.Replay} */ replay, /** @type {number} */ deal, /** @type {Seek} */ onSeek) {
  const events = replay.events.filter((event) => event.deal === deal);
  const moves = events.filter((event) => event.t === "answer");
  const fault = events.find((event) => event.t === "fault");
  // With the request that a fault ended.
  const timed = fault?.charged_ms === undefined ? moves : [...moves, /** @type {Timed} */ (fault)];
  const most = Math.max(0, ...timed.map((move) => move.charged_ms));
  const longest = timed.find((move) => move.charged_ms === most);
  const height = replay.players.length * LANE;
  const width = Math.max(moves.length + (fault ? 1 : 0), FEWEST);
  const before = (/** @type {number} */ i) => moves.filter((move) => move.i <= i).length;
  const end = fault ? `, the last mark the fault of ${nameOf(replay, fault.seat)}` : "";
  const caption = longest
    ? `Time per move in deal ${deal + 1}: the longest bar is ${timeText(longest.charged_ms)}, by ${nameOf(replay, longest.seat)}; a thin line is a trick${end}.`
    : `No times are shown for deal ${deal + 1}${end}.`;
  const cursor = svg("rect", { class: "rp-cursor", y: 0, width: 1, height });
  /** @type {SVGElement[]} */
  const shapes = events.filter((event) => event.t === "trick").map((event) =>
    svg("line", { class: "rp-trick", x1: before(event.i), x2: before(event.i), y1: 0, y2: height }));
  const bars = timed.map((move, n) => bar(replay, move, n, most));
  if (fault) {
    shapes.push(svg("rect", { class: "rp-fault-mark", x: moves.length, y: fault.seat * LANE + 1, width: 1, height: LANE - 2 },
      svg("title", {}, `fault: ${fault.fault}`)));
  }
  const element = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, height, preserveAspectRatio: "none", role: "img", "aria-label": caption,
  }, cursor, shapes, bars);
  element.addEventListener("click", (event) => {
    const box = element.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * width);
    onSeek((moves[place] ?? fault ?? events[events.length - 1]).i);
  });
  const mark = (/** @type {number} */ i) => {
    const isAtFault = fault && i >= fault.i;
    cursor.setAttribute("x", String(isAtFault ? moves.length : Math.max(0, before(i) - 1)));
    cursor.classList.toggle("rp-before", before(i) === 0 && !isAtFault);
  };
  return { element, caption, deal, timed, mark };
}

/** @type {(replay: Api.Replay, move: Timed, place: number, most: number) => SVGElement} */
function bar(replay, move, place, most) {
  const size = Math.max(LEAST, most ? (move.charged_ms / most) * (LANE - 4) : LEAST);
  return svg("rect", {
    class: `rp-bar p${replay.players[move.seat].mark.colour}`, x: place + 0.1, y: (move.seat + 1) * LANE - 2 - size, width: 0.8, height: size,
  }, svg("title", {}, `${nameOf(replay, move.seat)}: ${timeText(move.charged_ms)}`));
}

function timesRow(/** @type {Api.Replay} */ replay, /** @type {Timed} */ { fault, i, seat, request, charged_ms: charged, left_ms: left }) {
  return el("tr", {}, el("td", {}, i), el("td", {}, foreign(replay.players[seat].name)), el("td", {}, request),
    el("td", {}, timeText(charged)), el("td", {}, fault === "timeout" ? "late" : timeText(left)));
}
