// Notes of bots: a lane of values for each seat with values, each on a separate scale; tags and words at their move.

import { markOf } from "./cards.js";
import { el, foreign, svg } from "./dom.js";
import { nameOf } from "./say.js";
/** @import { Seek } from "./exchanges.js" */

const LANE = 36;
const EDGE = 4;
const LEAST_CURSOR = 0.004;

/** @typedef {{ seat: number, values: [place: number, value: number][], low: number, high: number }} Line */

/** A note in words; "" for none. */
export function noteText(/** @type {Api.MoveNote | undefined} */ note) {
  const value = note?.value === undefined ? [] : [`value ${valueText(note.value)}`];
  return [...value, ...(note?.tags ?? []).map((tag) => `#${tag}`), ...(note?.words ?? [])].join(" · ");
}

function valueText(/** @type {number} */ value) {
  return String(Number(value.toPrecision(4))).replace("-", "−");
}

/** The lanes, hidden without notes; `draw(i)` shows the note at event `i`; a click calls `onSeek(i)`. */
export function makeNotes(/** @type {Api.Replay} */ replay, /** @type {Seek} */ onSeek) {
  const answers = replay.events.filter((event) => event.t === "answer");
  const lines = replay.players.map(({ seat }) => lineOf(answers, seat)).filter(({ values }) => values.length);
  const chart = makeChart(replay, answers, lines, onSeek);
  const labels = lines.map(({ seat, low, high }) => el("span", { title: replay.players[seat].name }, markOf(replay.players[seat]),
    foreign(replay.players[seat].name), el("small", {}, low === high ? valueText(low) : `${valueText(low)} to ${valueText(high)}`)));
  const message = el("p", { class: "rp-noted-now" });
  const element = el("section", { class: "rp-lane rp-values", "aria-label": "Notes of bots", hidden: !answers.some(({ note }) => note) },
    lines.length ? el("div", { class: "rp-lane-grid" }, el("div", { class: "rp-lanes", "aria-hidden": "true" }, labels), el("div", { class: "rp-chart" }, chart.element)) : null,
    lines.length ? el("p", { class: "rp-scale" }, "Values noted by bots during the match, each on a separate scale; a thin line begins a deal.") : null, message);
  const draw = (/** @type {number} */ i) => {
    const place = answers.findLastIndex((answer) => answer.i <= i);
    chart.mark(place);
    const { seat, note } = answers[place] ?? {};
    const words = noteText(note);
    message.replaceChildren(...(words && seat !== undefined ? [foreign(nameOf(replay, seat)), " noted: ", foreign(words)] : ["There is no note at this move."]));
  };
  return { element, draw };
}

/** @type {(answers: Api.AnswerEvent[], seat: number) => Line} */
function lineOf(answers, seat) {
  const values = /** @type {Line["values"]} */ ([]);
  for (const [place, { seat: by, note }] of answers.entries()) {
    if (by === seat && note?.value !== undefined) values.push([place, note.value]);
  }
  const all = values.map(([, value]) => value);
  return { seat, values, low: Math.min(...all), high: Math.max(...all) };
}

/** @type {(replay: Api.Replay, answers: Api.AnswerEvent[], lines: Line[], onSeek: Seek) => { element: SVGElement, mark: (place: number) => void }} */
function makeChart(replay, answers, lines, onSeek) {
  const [width, height] = [Math.max(answers.length, 1), lines.length * LANE];
  const caption = `Values noted by bots during the match: ${lines.map(({ seat, low, high }) =>
    `${nameOf(replay, seat)} from ${valueText(low)} to ${valueText(high)}`).join(", ")}.`;
  const cursor = svg("rect", { class: "rp-cursor", y: 0, width: Math.max(1, width * LEAST_CURSOR), height });
  const deals = answers.flatMap(({ deal }, place) => (place && deal !== answers[place - 1].deal
    ? [svg("line", { class: "rp-trick", x1: place, x2: place, y1: 0, y2: height })] : []));
  const element = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, preserveAspectRatio: "none", role: "img", "aria-label": caption }, cursor, deals,
    lines.map((line, row) => svg("path", { class: `rp-value p${replay.players[line.seat].mark.colour}`, d: stepsOf(line, row, width) })));
  element.addEventListener("click", (event) => {
    const box = element.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    const { values } = lines[Math.min(Math.floor((event.clientY - box.top) / LANE), lines.length - 1)];
    onSeek(answers[(values.findLast(([at]) => at <= place) ?? values[0])[0]].i);
  });
  const mark = (/** @type {number} */ place) => {
    cursor.setAttribute("x", String(Math.max(place, 0)));
    cursor.classList.toggle("rp-before", place < 0);
  };
  return { element, mark };
}

/** A value holds until the seat's next one. @type {(line: Line, row: number, width: number) => string} */
function stepsOf({ values, low, high }, row, width) {
  // Halved first: the difference of two large numbers may overflow.
  const share = (/** @type {number} */ value) => (high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5);
  const heights = values.map(([, value]) => ((row + 1) * LANE - EDGE - share(value) * (LANE - 2 * EDGE)).toFixed(1));
  return values.map(([place], n) => (n ? `H${place}V${heights[n]}` : `M${place} ${heights[n]}`)).join("") + `H${width}`;
}
