// The exchanges, folded away until asked for: what was sent to whom, what came back, and what it means, a line each.

import { el, foreign, spoken } from "./dom.js";
import { sayNote } from "./notes.js";
import { sayTime } from "./say.js";
/** @import { Child } from "./dom.js" */

const MOST_LEGAL = 12;

/** @typedef {(i: number) => void} Seek */

/** The frame of the list; `draw(replay, deal, i)` shows a deal and marks event `i`; `onSeek(i)` follows a click. */
export function makeExchanges(/** @type {Seek} */ onSeek) {
  const list = el("ol", { role: "list" });
  const scroll = el("div", { class: "rp-scroll", tabindex: "0", role: "region", "aria-label": "Exchanges of this deal" }, list);
  const element = el("details", { class: "rp-exchanges", on: { toggle: () => again() } }, el("summary", {}, "Exchanges"), scroll);
  let again = () => {};
  let drawn = /** @type {{ replay?: Told.Replay, deal?: number }} */ ({});
  let lines = /** @type {{ i: number, element: HTMLElement }[]} */ ([]);
  const draw = (/** @type {Told.Replay} */ replay, /** @type {number} */ deal, /** @type {number} */ i) => {
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

/** Brings a line into the list's own view and leaves the page where it is. */
function follow(/** @type {HTMLElement} */ scroll, /** @type {HTMLElement} */ element) {
  const top = element.offsetTop;
  if (top < scroll.scrollTop || top + element.offsetHeight > scroll.scrollTop + scroll.clientHeight) {
    scroll.scrollTop = top - scroll.clientHeight / 2;
  }
}

function line(/** @type {Told.Replay} */ replay, /** @type {Told.Event} */ event, /** @type {Seek} */ onSeek) {
  const [sign, who, words, note] = parts(replay, event);
  return el("li", { class: `rp-is-${event.t}`, on: { click: () => onSeek(event.i) } },
    el("span", { class: "rp-sign", "aria-hidden": "true" }, sign), el("span", { class: "rp-to" }, who),
    el("span", { class: "rp-words" }, foreign(words)), note ? el("span", { class: "rp-note" }, note) : null,
    event.t === "answer" && event.note ? el("span", { class: "rp-note rp-noted" }, foreign(sayNote(event.note))) : null);
}

/** @type {(replay: Told.Replay, event: Told.Event) => [sign: string, who: Child | Child[], words: string, note?: string]} */
function parts(replay, event) {
  const seat = "seat" in event ? [spoken("seat "), String(event.seat)] : null;
  switch (event.t) {
    case "tell":
      return ["→", hearers(replay, event), event.text];
    case "ask":
      return ["→", seat, event.request, legal(event)];
    case "answer":
      return ["←", seat, event.text, [saidOf(replay, event), sayTime(event.charged_ms)].filter(Boolean).join(" ")];
    case "reveal":
      return ["·", seat, `decided ${event.text}`];
    case "exchange":
      return ["⇄", seat, `to ${event.to}: ${event.cards ? event.cards.join(" ") : `${event.count} hidden`}`];
    case "trick":
      return ["·", seat, event.text ?? "takes what lies there"];
    case "end_deal":
      return ["·", "", `points ${event.points.join(" ")}`];
    case "fault":
      return ["✕", seat, `${event.fault}: ${event.text}`];
    default:
      return ["·", "", `deal ${event.deal + 1}`];
  }
}

/** What a decision means for people, as the frame after it says. */
function saidOf(/** @type {Told.Replay} */ replay, /** @type {Told.AnswerEvent} */ { i, deal }) {
  return replay.events.find((event) => event.i >= i && event.deal === deal && event.shown)?.shown?.say;
}

function hearers(/** @type {Told.Replay} */ replay, /** @type {Told.TellEvent} */ event) {
  if (!event.seats) return replay.reader.startsWith("seat:") ? replay.reader.slice(5) : "";
  return event.seats.length === replay.players.length ? "all" : event.seats.join(" ");
}

function legal(/** @type {Told.AskEvent} */ { legal: words }) {
  if (!words) return "";
  const more = words.length > MOST_LEGAL ? ` and ${words.length - MOST_LEGAL} more` : "";
  return `may answer ${words.slice(0, MOST_LEGAL).join(", ")}${more}`;
}
