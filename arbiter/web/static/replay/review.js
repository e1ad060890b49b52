// A review: win probabilities, the loss of each decision, the costliest ones, and on request the better answer.

import { markOf } from "./cards.js";
import { el, foreign, spoken, svg } from "./dom.js";
import { cardFace, nameOf } from "./say.js";
/** @import { Part } from "./dom.js" @import { Player } from "./player.js" */

const CURVE = 120;
const LANE = 24;
const LEAST = 1.5;
const LEAST_CURSOR = 0.004;

/** @typedef {Api.ReviewedDecision & { place: number, event: number }} Placed */

/** Points with one decimal and a true minus. */
function numberText(/** @type {number} */ value) {
  const text = Math.abs(value).toFixed(1);
  return value < 0 && Number(text) ? `−${text}` : text;
}

function chanceText(/** @type {number} */ chance) {
  return `${Math.round(100 * chance)} %`;
}

/** An answer as in the protocol; a card with its suit. @type {(replay: Api.Replay, words: string) => Part[]} */
export function answerBox(replay, words) {
  if (!Object.hasOwn(replay.faces, words)) return [foreign(words)];
  const { text, symbol, tone, message } = cardFace(replay.faces, words);
  return [el("span", { class: tone ? `rp-suit-${tone.toLowerCase()} rp-strong` : "rp-strong", "aria-hidden": "true" }, `${symbol} ${text}`.trim()), spoken(message)];
}

function lossText(/** @type {Placed} */ { loss, se }) {
  return `loss ${numberText(loss ?? 0)}${se === null ? "" : ` ± ${se.toFixed(1)}`}`;
}

/** The value of a decision, and the better answer. @type {(replay: Api.Replay, decision: Placed) => Part[]} */
function judged(replay, decision) {
  const { seat, done, best, loss, values, excuse } = decision;
  const who = [foreign(nameOf(replay, seat)), ": ", ...answerBox(replay, done)];
  if (best === null || loss === null || !(done in values)) return [...who, ", which the review did not evaluate."];
  const worth = `, worth ${numberText(values[done])}`;
  if (best === done) return [...who, `${worth}; nothing better.`];
  return [...who, `${worth}; better: `, ...answerBox(replay, best), `, worth ${numberText(values[best])} (${lossText(decision)}${excuse && `, no mistake: ${excuse}`}).`];
}

/** A review for its replay: a `button` and the `line` that it shows, one to the `worst` decision, or null, `elements` for below; `draw()` follows the player. */
export function makeReview(/** @type {Player} */ player, /** @type {Api.Review} */ review) {
  const { replay } = player;
  const answers = replay.events.filter((event) => event.t === "answer");
  const places = new Map(answers.map(({ i }, place) => [i, place]));
  const decisions = review.decisions.flatMap((decision) => {
    const place = places.get(decision.event ?? -1);
    return place === undefined ? [] : [/** @type {Placed} */ ({ ...decision, place })];
  });
  const line = el("p", { class: "rp-better", "aria-live": "polite", hidden: true });
  const button = el("button", { type: "button", "aria-pressed": "false", "aria-label": "Show the better card", title: "Show the better card (b)", on: { click: () => toggle() } }, "Better");
  const chart = makeChart(replay, review, decisions, answers, (i) => player.go(player.restAt(i)));
  const toggle = () => {
    line.hidden = !line.hidden;
    button.setAttribute("aria-pressed", String(!line.hidden));
    draw();
  };
  const draw = () => {
    chart.mark(answers.findLastIndex(({ i }) => i <= player.i), player.viewSeat);
    // A seat does not see all decisions of others.
    const answer = player.view.events.findLast(({ i, t }) => i <= player.i && t === "answer");
    const decision = answer?.deal === player.deal ? decisions.find(({ event }) => event === answer.i) : undefined;
    if (!line.hidden) line.replaceChildren(...(decision ? judged(replay, decision).flat() : ["Nothing was decided here."]).filter((part) => part !== null && part !== undefined).map((part) => (part instanceof Node ? part : String(part))));
  };
  const dearest = decisions.find(({ i }) => i === review.worst[0]);
  const worst = dearest ? el("button", { type: "button", title: "To the decision that cost most", on: { click: () => {
    player.steer(player.restAt(dearest.event));
    if (line.hidden) toggle();
  } } }, "Costliest") : null;
  return { button, worst, line, elements: [chart.element, makeWorst(player, review, decisions)], toggle, draw };
}

/** The costliest decisions, each a link to its place. */
function makeWorst(/** @type {Player} */ player, /** @type {Api.Review} */ review, /** @type {Placed[]} */ decisions) {
  const worst = review.worst.flatMap((i) => decisions.find((decision) => decision.i === i) ?? []);
  const items = worst.map((decision) => {
    const { event, deal, seat, say, excuse } = decision;
    return el("li", {}, el("a", { href: `?i=${player.restAt(event)}`, on: { click: (/** @type {Event} */ click) => {
    click.preventDefault();
    player.steer(player.restAt(event));
  } } }, `Deal ${deal + 1}: `, foreign(nameOf(player.replay, seat)), " ", foreign(say ?? "")), excuse ? ` No mistake: ${excuse}.` : null);
  });
  return el("section", { class: "rp-worst", "aria-label": "Costliest decisions", hidden: !items.length }, el("h3", {}, "Costliest decisions"), el("ol", { role: "list" }, items));
}

/** A curve of each seat's win probability, and below a lane per seat with the losses of its decisions.
 * @param {Api.Replay} replay @param {Api.Review} review @param {Placed[]} decisions @param {Api.AnswerEvent[]} answers @param {(i: number) => void} onSeek */
function makeChart(replay, review, decisions, answers, onSeek) {
  const width = Math.max(answers.length, 1);
  const curves = review.seats.map(({ seat }) => ({ seat, points: decisions.flatMap(({ place, win }) => (typeof win[seat] === "number" ? [[place + 1, win[seat]]] : [])) })).filter(({ points }) => points.length);
  const high = Math.max(0.25, Math.ceil(Math.max(0, ...curves.flatMap(({ points }) => points.map(([, win]) => win))) * 4) / 4);
  const most = Math.max(0, ...decisions.map(({ loss }) => loss ?? 0));
  const losses = review.seats.map(({ seat, mistakes, mean_loss: mean }) =>
    `${nameOf(replay, seat)} ${mistakes} ${mistakes === 1 ? "mistake" : "mistakes"}${mean === null ? "" : `, ${mean.toFixed(2)} points lost a decision`}`).join("; ");
  const deals = (/** @type {number} */ height) => answers.flatMap(({ deal }, place) => (place && deal !== answers[place - 1].deal
    ? [svg("line", { class: "rp-trick", x1: place, x2: place, y1: 0, y2: height })] : []));
  const height = (/** @type {number} */ win) => (CURVE - 2 - (win / high) * (CURVE - 4)).toFixed(1);
  const wins = curves.map(({ seat, points }) => svg("path", { class: `rp-value p${replay.players[seat].mark.colour}`,
    d: points.map(([place, win], n) => (n ? `H${place}V${height(win)}` : `M${place} ${height(win)}`)).join("") + `H${width}` }, svg("title", {}, nameOf(replay, seat))));
  const half = svg("line", { class: "rp-half", x1: 0, x2: width, y1: height(high / 2), y2: height(high / 2) });
  const ticks = decisions.filter(({ loss }) => loss !== null && loss > 0).map((decision) => {
    const bottom = (review.seats.findIndex(({ seat }) => seat === decision.seat) + 1) * LANE - 2;
    const top = bottom - Math.max(LEAST, ((decision.loss ?? 0) / most) * (LANE - 4));
    return svg("line", { class: decision.mistake ? "rp-loss rp-mistake" : "rp-loss", x1: decision.place + 0.5, x2: decision.place + 0.5, y1: bottom, y2: top },
      svg("title", {}, `${nameOf(replay, decision.seat)}, deal ${decision.deal + 1}: ${lossText(decision)}${decision.mistake ? ", a mistake" : ""}`));
  });
  const cursors = /** @type {SVGElement[]} */ ([]);
  const frame = (/** @type {number} */ tall, /** @type {string} */ label, /** @type {SVGElement[]} */ shapes) => {
    const cursor = svg("rect", { class: "rp-cursor", y: 0, width: Math.max(1, width * LEAST_CURSOR), height: tall });
    cursors.push(cursor);
    const element = svg("svg", { viewBox: `0 0 ${width} ${tall}`, height: tall, preserveAspectRatio: "none", role: "img", "aria-label": label }, cursor, deals(tall), shapes);
    element.addEventListener("click", (event) => {
      const box = element.getBoundingClientRect();
      const place = Math.floor(((event.clientX - box.left) / box.width) * width);
      if (answers[place]) onSeek(answers[place].i);
    });
    return el("div", { class: "rp-chart" }, element);
  };
  const last = (/** @type {number} */ seat) => curves.find((curve) => curve.seat === seat)?.points.at(-1)?.[1];
  const curve = curves.length ? [
    el("div", { class: "rp-axis", "aria-hidden": "true" }, [high, high / 2, 0].map((win) => el("span", {}, chanceText(win)))),
    frame(CURVE, `Chance to win, at the end: ${curves.map(({ seat }) => `${nameOf(replay, seat)} ${chanceText(last(seat) ?? 0)}`).join(", ")}.`, [half, ...wins]),
  ] : [];
  const element = el("section", { class: "rp-lane rp-review", "aria-label": "Review" }, el("h3", {}, "Review"),
    el("p", { class: "rp-note" }, "By ", foreign(review.by), `, from what each seat knew.${curves.length ? " The curves are the chances to win the match." : ""} Ticks ${curves.length ? "below them " : ""}are the losses of decisions, at most ${numberText(most)} points of a deal; a bold one is a mistake beyond the uncertainty.`),
    el("div", { class: "rp-lane-grid" }, curve,
      el("div", { class: "rp-lanes", "aria-hidden": "true" }, review.seats.map(({ seat }) => el("span", { title: replay.players[seat].name }, markOf(replay.players[seat]), foreign(replay.players[seat].name)))),
      frame(review.seats.length * LANE, `Losses: ${losses}.`, ticks)),
    el("p", { class: "rp-scale" }, `${losses}.`));
  const mark = (/** @type {number} */ place, /** @type {number | null} */ viewSeat) => {
    // The curve of the current seat is highlighted.
    const seen = viewSeat ?? answers[Math.max(place, 0)]?.seat;
    curves.forEach(({ seat }, n) => {
      wins[n].classList.toggle("rp-pale", seat !== seen);
    });
    for (const cursor of cursors) {
      cursor.setAttribute("x", String(Math.max(place, 0)));
      cursor.classList.toggle("rp-before", place < 0);
    }
  };
  return { element, mark };
}
