// One exchange as a line of the shell: what was sent, the raw reply with its escapes, times, what is wrong.

import { el, foreign, spoken } from "../replay/dom.js";
import { sayTime } from "../replay/say.js";

const ESCAPE = /(\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[^xuU]))/;
const MOST_SHOWN = 600;

/** The line of an exchange; where `covered`, without what tells of cards. */
export function drawLine(/** @type {Told.Exchange} */ exchange, /** @type {boolean} */ covered) {
  const { seat, command, kind, problem, explanation, by_hand: byHand, stderr, wall_ms: wall, charged_ms: charged } = exchange;
  const sent = covered && exchange.secret_command ? `${command.split(" ", 1)[0]} (covered)` : command;
  const reply = covered && exchange.secret_answer ? "(covered)" : exchange.raw;
  return el("li", { class: problem ? "ap-bad" : null, "data-seat": seat },
    el("span", { class: "ap-to" }, spoken("to seat "), String(seat)),
    el("span", { class: "ap-words-of" }, foreign(clipped(sent)), byHand ? el("span", { class: "mark" }, "by hand") : null,
      reply ? [" ", el("span", { class: "ap-reply" }, spoken("answer "), el("span", { "aria-hidden": "true" }, "←\u00a0"), el("bdi", {}, visible(reply)))] : null),
    wall ? el("span", { class: "ap-times" }, `${sayTime(wall)}, charged ${sayTime(charged)}`) : null,
    problem ? drawProblem(kind, problem, explanation) : null,
    stderr ? el("pre", { class: "ap-stderr", "aria-label": "Standard error" }, covered ? "(covered)" : clipped(stderr)) : null);
}

/** What broke the protocol, told by a word, and what that means. */
export function drawProblem(/** @type {string} */ kind, /** @type {string} */ problem, /** @type {string} */ explanation) {
  return el("span", { class: "ap-problem" }, el("strong", {}, `✕ ${kind}`), ": ", foreign(clipped(problem)),
    explanation ? el("span", { class: "ap-why" }, foreign(explanation)) : null);
}

/** A raw reply whose escapes stand out from what a bot wrote as it is. */
export function visible(/** @type {string} */ raw) {
  return clipped(raw).split(ESCAPE).map((part, n) => (n % 2 ? el("span", { class: "ap-escape" }, part) : part));
}

function clipped(/** @type {string} */ text) {
  const more = text.length - MOST_SHOWN;
  return more > 0 ? `${text.slice(0, MOST_SHOWN)} … and ${more} more characters: the traffic file has them` : text;
}
