// The shell beside the table: every exchange as a line, with its error, and a field to send lines to bots.

import { el, foreign, spoken } from "../replay/dom.js";
import { timeText } from "../replay/say.js";
import { complain } from "./dialog.js";
import { NOBODY } from "./present.js";

const ESCAPE = /(\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[^xuU]))/;
const MOST_SHOWN = 600;
const MOST_LINES = 500;
const MOST_REMEMBERED = 100;
const MACROS = [["greeting", "Greeting"], ["deal", "This deal"], ["smoke", "Smoke script"]];
const USUAL = ["quit", "time_left"];

/** @typedef {(seat: number, line: string) => Promise<string>} Send */

/** The shell; `send(seat, line)` and `macro(seat, name)` return an error message, or ""; `save()` saves all lines. */
export function makeShell(/** @type {Send} */ send, /** @type {Send} */ macro, /** @type {() => void} */ save) {
  const list = el("ol", { role: "list", class: "ap-lines" });
  const earlier = el("p", { class: "ap-note", hidden: true }, "Save the traffic to see earlier ones.");
  const empty = el("p", { class: "ap-note ap-empty" }, "No exchanges yet: Step sends the bots the news.");
  const scroll = el("div", { class: "ap-scroll", tabindex: "0", role: "region", "aria-label": "Exchanges" }, earlier, list, empty);
  const filter = el("select", { id: "ap-filter", on: { change: () => redraw() } });
  const entry = makeEntry(send, macro);
  const element = el("section", { class: "ap-shell", "aria-labelledby": "ap-shell-title" },
    el("div", { class: "ap-row" }, el("h3", { id: "ap-shell-title" }, "Shell"), el("label", { for: "ap-filter" }, "Show"), filter,
      el("button", { type: "button", on: { click: save } }, "Save the traffic")),
    scroll, entry.element);
  let exchanges = /** @type {Api.LoggedExchange[]} */ ([]);
  let viewSeat = /** @type {number | null} */ (null);
  let seats = 0;
  let isFollowing = true;
  scroll.addEventListener("scroll", () => {
    isFollowing = scroll.scrollTop + scroll.clientHeight >= scroll.scrollHeight - 8;
  });
  new ResizeObserver(follow).observe(scroll);

  /** Scrolls to the newest line, unless the reader has scrolled elsewhere. */
  function follow() {
    if (isFollowing) scroll.scrollTop = scroll.scrollHeight;
  }

  const isCovered = (/** @type {Api.LoggedExchange} */ { seat }) => viewSeat !== null && (viewSeat === NOBODY || seat !== viewSeat);
  const isShown = (/** @type {Api.LoggedExchange} */ { seat }) => filter.value === "" || Number(filter.value) === seat;

  function redraw() {
    list.replaceChildren(...exchanges.filter(isShown).map((one) => drawLine(one, isCovered(one))));
    follow();
  }

  /** Updates the choice of seats, and covers what the seat in view must not see. */
  function draw(/** @type {Api.TableState} */ state, /** @type {number | null} */ whose) {
    if (state.setup.seats.length !== seats) {
      seats = state.setup.seats.length;
      filter.replaceChildren(el("option", { value: "" }, "all seats"), ...seatOptions(seats));
    }
    entry.draw(state, exchanges);
    if (whose === viewSeat) return;
    viewSeat = whose;
    redraw();
  }

  /** Adds exchanges; those before number `oldest` are of a previous table. */
  function add(/** @type {Api.LoggedExchange[]} */ fresh, /** @type {number} */ oldest) {
    const before = exchanges.length;
    exchanges = exchanges.filter(({ n }) => n >= oldest);
    const isReset = exchanges.length < before;
    exchanges.push(...fresh.slice(-MOST_LINES));
    exchanges.splice(0, Math.max(0, exchanges.length - MOST_LINES));
    empty.hidden = exchanges.length > 0;
    earlier.hidden = exchanges.length === 0 || exchanges[0].n === oldest;
    if (isReset || fresh.length >= MOST_LINES) return redraw();
    list.append(...fresh.filter(isShown).map((one) => drawLine(one, isCovered(one))));
    while (list.childElementCount > MOST_LINES) list.firstElementChild?.remove();
    follow();
  }

  return { element, draw, add, focusField: entry.focusField };
}

function seatOptions(/** @type {number} */ seats) {
  return [...Array(seats).keys()].map((seat) => el("option", { value: seat }, `seat ${seat}`));
}

/** The form to send lines: a seat, a field with a history and completion, macros. */
function makeEntry(/** @type {Send} */ send, /** @type {Send} */ macro) {
  const seat = el("select", { id: "ap-to" });
  const field = el("textarea", { id: "ap-command", rows: 1, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    "aria-describedby": "ap-command-note", on: { keydown: onKey, input: () => showNote("") } });
  const note = el("p", { id: "ap-command-note", class: "ap-note" });
  const wrong = el("p", { id: "ap-command-wrong", class: "ap-wrong", role: "alert" });
  const macros = MACROS.map(([name, label]) => el("button", { type: "button", on: { click: async () => showError(await macro(Number(seat.value), name)) } }, label));
  const element = el("form", { class: "ap-entry", on: { submit: (event) => {
    event.preventDefault();
    submit();
  } } },
  el("div", { class: "ap-row" }, el("label", { for: "ap-to" }, "To"), seat, macros),
  el("div", { class: "ap-row" }, el("label", { for: "ap-command" }, "Command"), field, el("button", { type: "submit" }, "Send")), note, wrong);
  const remembered = /** @type {string[]} */ ([]);
  let place = 0;
  let words = USUAL;
  let seats = 0;

  const showError = (/** @type {string} */ problem) => complain(field, wrong, note, problem);
  const showNote = (/** @type {string} */ text) => {
    note.textContent = text || "↑ and ↓ recall earlier lines, Tab completes; several lines are sent one by one.";
  };

  async function submit() {
    const line = field.value;
    if (!line.trim()) return showError("Write a line first.");
    remembered.push(line);
    remembered.splice(0, remembered.length - MOST_REMEMBERED);
    place = remembered.length;
    field.value = "";
    showError("");
    const problem = await send(Number(seat.value), line);
    showError(problem);
    if (problem && !field.value) field.value = line;
  }

  function onKey(/** @type {KeyboardEvent} */ event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && !field.value.includes("\n")) {
      event.preventDefault();
      place = Math.min(Math.max(place + (event.key === "ArrowUp" ? -1 : 1), 0), remembered.length);
      field.value = remembered[place] ?? "";
    } else if (event.key === "Tab" && !event.shiftKey && complete()) {
      event.preventDefault();
    }
  }

  /** Completes the common prefix of matching words; false if that adds nothing, so that Tab moves the focus. */
  function complete() {
    const typed = field.value;
    const fitting = words.filter((word) => typed && word.startsWith(typed) && word !== typed);
    if (fitting.length === 0) return false;
    const common = fitting.reduce((one, other) => {
      let length = 0;
      while (length < one.length && one[length] === other[length]) length += 1;
      return one.slice(0, length);
    });
    field.value = common;
    if (fitting.length > 1) showNote(fitting.slice(0, 8).join(", "));
    return common !== typed;
  }

  function draw(/** @type {Api.TableState} */ state, /** @type {Api.LoggedExchange[]} */ exchanges) {
    if (state.setup.seats.length !== seats) {
      seats = state.setup.seats.length;
      seat.replaceChildren(...seatOptions(seats));
    }
    words = [...new Set([...USUAL, ...(state.request ? [state.request] : []), ...exchanges.map(({ command }) => command.split(" ", 1)[0])])].sort();
  }

  showNote("");
  return { element, draw, focusField: () => field.focus() };
}

/** The line of an exchange; if `covered`, without what reveals cards. */
function drawLine(/** @type {Api.LoggedExchange} */ exchange, /** @type {boolean} */ covered) {
  const { seat, command, kind, problem, explanation, by_hand: byHand, stderr, wall_ms: wall, charged_ms: charged } = exchange;
  const sent = covered && exchange.secret_command ? `${command.split(" ", 1)[0]} (covered)` : command;
  const reply = covered && exchange.secret_answer ? "(covered)" : exchange.raw;
  return el("li", { class: problem ? "ap-bad" : null, "data-seat": seat },
    el("span", { class: "ap-to" }, spoken("to seat "), String(seat)),
    el("span", { class: "ap-words-of" }, foreign(clipped(sent)), byHand ? el("span", { class: "mark" }, "by hand") : null,
      reply ? [" ", el("span", { class: "ap-reply" }, spoken("answer "), el("span", { "aria-hidden": "true" }, "←\u00a0"), el("bdi", {}, visible(reply)))] : null),
    wall ? el("span", { class: "ap-times" }, `${timeText(wall)}, charged ${timeText(charged)}`) : null,
    problem ? drawProblem(kind, problem, explanation) : null,
    stderr ? el("pre", { class: "ap-stderr", "aria-label": "Standard error" }, covered ? "(covered)" : clipped(stderr)) : null);
}

/** A protocol error: its kind, the problem, and an explanation. */
export function drawProblem(/** @type {string} */ kind, /** @type {string} */ problem, /** @type {string} */ explanation) {
  return el("span", { class: "ap-problem" }, el("strong", {}, `✕ ${kind}`), ": ", foreign(clipped(problem)),
    explanation ? el("span", { class: "ap-why" }, foreign(explanation)) : null);
}

/** A raw reply with its escapes highlighted. */
export function visible(/** @type {string} */ raw) {
  return clipped(raw).split(ESCAPE).map((part, n) => (n % 2 ? el("span", { class: "ap-escape" }, part) : part));
}

function clipped(/** @type {string} */ text) {
  const more = text.length - MOST_SHOWN;
  return more > 0 ? `${text.slice(0, MOST_SHOWN)} … and ${more} more characters: the traffic file has them` : text;
}
