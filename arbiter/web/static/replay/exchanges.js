// The collapsed list of exchanges: recipients, commands, replies and their meaning, a line each.

import { el, foreign, spoken } from "./dom.js";
import { noteText } from "./notes.js";
import { timeText } from "./say.js";
/** @import { Child } from "./dom.js" */

const MOST_LEGAL = 12;

/** @typedef {(i: number) => void} Seek */

/** The list; `draw(replay, deal, i)` shows a deal and marks event `i`; a click calls `onSeek(i)`. */
export function makeExchanges(/** @type {Seek} */ onSeek) {
  const list = el("ol", { role: "list" });
  const scroll = el("div", { class: "rp-scroll", tabindex: "0", role: "region", "aria-label": "Exchanges of this deal" }, list);
  const element = el("details", { class: "rp-exchanges", on: { toggle: () => again() } }, el("summary", {}, "Exchanges"), scroll);
  let again = () => {};
  let drawn = /** @type {{ replay?: Api.Replay, deal?: number }} */ ({});
  let lines = /** @type {{ i: number, element: HTMLElement }[]} */ ([]);
  const draw = (/** @type {Api.Replay} */ replay, /** @type {number} */ deal, /** @type {number} */ i) => {
    again = () => draw(replay, deal, i);
    if (!element.open) return;
    if (drawn.replay !== replay || drawn.deal !== deal) {
      const events = replay.events.filter((event) => event.deal === deal);
      lines = events.map((event) => ({ i: event.i, element: line(replay, event, onSeek) }));
      list.replaceChildren(...lines.map((one) => one.element));
      drawn = { replay, deal };
    }
    const now = lines.findLast((one) => one.i <= i);
    for (const one of lines) {
      one.element.classList.toggle("rp-later", one.i > i);
      if (one === now) one.element.setAttribute("aria-current", "step");
      else one.element.removeAttribute("aria-current");
    }
    if (now) follow(scroll, now.element);
  };
  return { element, draw };
}

/** Scrolls a line into view within the list, without scrolling the page. */
function follow(/** @type {HTMLElement} */ scroll, /** @type {HTMLElement} */ element) {
  const top = element.offsetTop;
  if (top < scroll.scrollTop || top + element.offsetHeight > scroll.scrollTop + scroll.clientHeight) {
    scroll.scrollTop = top - scroll.clientHeight / 2;
  }
}

function line(/** @type {Api.Replay} */ replay, /** @type {Api.Event} */ event, /** @type {Seek} */ onSeek) {
  const [sign, who, words, note] = parts(replay, event);
  return el("li", { class: `rp-is-${event.t}`, on: { click: () => onSeek(event.i) } },
    el("span", { class: "rp-sign", "aria-hidden": "true" }, sign), el("span", { class: "rp-to" }, who),
    el("span", { class: "rp-words" }, foreign(words)), note ? el("span", { class: "rp-note" }, note) : null,
    event.t === "answer" && event.note ? el("span", { class: "rp-note rp-noted" }, foreign(noteText(event.note))) : null);
}

/** @type {(replay: Api.Replay, event: Api.Event) => [sign: string, who: Child | Child[], words: string, note?: string]} */
function parts(replay, event) {
  const seat = "seat" in event ? [spoken("seat "), String(event.seat)] : null;
  switch (event.t) {
    case "tell":
      return ["→", recipients(replay, event), event.text];
    case "ask":
      return ["→", seat, event.request, legal(event)];
    case "answer":
      return ["←", seat, event.text, [answerLineOf(replay, event), timeText(event.charged_ms)].filter(Boolean).join(" ")];
    case "reveal":
      return ["·", seat, `decided ${event.text}`];
    case "exchange":
      return ["⇄", seat, `to ${event.to}: ${event.cards ? event.cards.join(" ") : `${event.count} hidden`}`];
    case "trick":
      return ["·", seat, event.text ?? "takes the cards on the table"];
    case "end_deal":
      return ["·", "", `points ${event.points.join(" ")}`];
    case "fault":
      return ["✕", seat, `${event.fault}: ${event.text}`];
    default:
      return ["·", "", `deal ${event.deal + 1}`];
  }
}

/** The description of a decision from the frame after it. */
function answerLineOf(/** @type {Api.Replay} */ replay, /** @type {Api.AnswerEvent} */ { i, deal }) {
  return replay.events.find((event) => event.i >= i && event.deal === deal && event.shown)?.shown?.say;
}

function recipients(/** @type {Api.Replay} */ replay, /** @type {Api.TellEvent} */ event) {
  if (!event.seats) return replay.reader.startsWith("seat:") ? replay.reader.slice(5) : "";
  return event.seats.length === replay.players.length ? "all" : event.seats.join(" ");
}

function legal(/** @type {Api.AskEvent} */ { legal: words }) {
  if (!words) return "";
  const more = words.length > MOST_LEGAL ? ` and ${words.length - MOST_LEGAL} more` : "";
  return `may answer ${words.slice(0, MOST_LEGAL).join(", ")}${more}`;
}
