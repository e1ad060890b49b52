// The dialog for a new table: a new match, one from a record, one of a season, or a saved one.

import { el, foreign } from "../replay/dom.js";
import { makeOccupant } from "./changes.js";
import { input, labelled, makeDialog } from "./dialog.js";
import { read, Refusal } from "./server.js";
/** @import { Act } from "./server.js" */

/** A way to set a table: its fields, and the path and body to post.
 * @typedef {{ element: HTMLElement, wanted: () => Promise<[path: string, body: object]>, fieldOf: (name: string) => HTMLElement | undefined }} Panel */

const WAYS = [["new", "A new match"], ["record", "From a record"], ["season", "From a season"]];
const TIERS = ["auto", "landlock", "plain"];
const MOST_SEATS = 8;

/** The dialog; `act(path, body, options)` posts to the applet. */
export function makeSetup(/** @type {Act} */ act) {
  const fresh = makeNewMatch();
  const record = makeRecord();
  const season = makeSeason();
  /** @type {Record<string, Panel>} */
  const panels = { new: fresh, record, season };
  const radios = WAYS.map(([value, text]) => {
    const radio = el("input", { type: "radio", name: "ap-way", value, on: { change: () => show(value) } });
    return { radio, element: el("label", { class: "ap-check" }, radio, ` ${text}`) };
  });
  const noted = el("p", { class: "ap-note" });
  const remembered = el("div", { class: "ap-row", role: "group", "aria-label": "Tables before" });
  let way = "new";
  const dialog = makeDialog("Set a table", "Sit down", [
    remembered, noted, el("fieldset", {}, el("legend", {}, "Match"), el("div", { class: "ap-row" }, radios.map(({ element }) => element))),
    ...Object.values(panels).map(({ element }) => element),
  ], async () => {
    const [path, body] = await panels[way].wanted();
    await act(path, body, { throws: true });
  }, (name) => panels[way].fieldOf(name));

  function show(/** @type {string} */ value) {
    way = value;
    for (const { radio } of radios) radio.checked = radio.value === value;
    for (const [name, { element }] of Object.entries(panels)) element.hidden = name !== value;
  }

  /** Opens the dialog with the current table. */
  async function open(/** @type {Api.TableState} */ state) {
    const [{ games }, { bots }, { saved, note }] = /** @type {[Api.GameChoices, Api.Bots, Api.Saved]} */ (
      await Promise.all([read("/games"), read("/bots"), read("/saved")]));
    fresh.offer(games, bots);
    fresh.fill(state.setup);
    record.sitsNow(state.setup.seats.map(({ who }) => who));
    remembered.replaceChildren(el("span", { class: "ap-note" }, "Before"), ...saved.map((setup) => el("button", { type: "button", on: { click: () => {
      show("new");
      fresh.fill(setup);
    } } }, foreign(titleOf(setup)))));
    remembered.hidden = saved.length === 0;
    noted.textContent = note;
    show(way);
    dialog.open();
  }

  return { element: dialog.element, open };
}

function titleOf(/** @type {Api.TableForm} */ { game, seats }) {
  return `${game}: ${seats.map((who) => who.replace(/^bot:(?:.*\/)?/, "")).join(", ")}`;
}

function makeNewMatch() {
  const game = el("select", { id: "ap-game", on: { change: () => chooseGame(game.value, {}) } });
  const options = el("div", { class: "ap-columns" });
  const seats = el("div", { class: "ap-rows" });
  const seed = input("ap-seed");
  const round = input("ap-round", { inputmode: "numeric", value: "1" });
  const asGiven = el("input", { type: "checkbox", id: "ap-deals" });
  const given = el("div", { class: "ap-field" }, el("label", { class: "ap-check" }, asGiven, " The given cards again"));
  /** @type {unknown[] | null | undefined} */
  let deals = null;
  /** @type {Record<string, HTMLInputElement>} */
  const limits = { time: input("ap-time", { placeholder: "10s" }), start_time: input("ap-start_time", { placeholder: "5s" }),
    memory: input("ap-memory", { placeholder: "400MB" }) };
  const tier = el("select", { id: "ap-isolation" }, TIERS.map((name) => el("option", { value: name }, name)));
  const occupants = [...Array(MOST_SEATS).keys()].map((seat) => makeOccupant("ap-who", seat));
  const element = el("div", { class: "ap-rows" }, el("div", { class: "ap-columns" }, labelled("Game", game)), options,
    el("fieldset", {}, el("legend", {}, "Seats"), seats),
    el("details", {}, el("summary", {}, "Cards, time, isolation"), el("div", { class: "ap-rows" },
      el("div", { class: "ap-columns" }, labelled("Seed", seed, "Empty: a random one."), labelled("Round", round)),
      given,
      el("div", { class: "ap-columns" }, labelled("Time of a match", limits.time), labelled("Time to start", limits.start_time),
        labelled("Memory", limits.memory), labelled("Isolation", tier)))));
  let games = /** @type {Api.GameChoice[]} */ ([]);
  let bots = /** @type {Api.ShippedBot[]} */ ([]);
  let fields = /** @type {Record<string, HTMLInputElement>} */ ({});

  function offer(/** @type {Api.GameChoice[]} */ known, /** @type {Api.ShippedBot[]} */ shipped) {
    [games, bots] = [known, shipped];
    const before = game.value;
    game.replaceChildren(...games.map(({ name, title }) => el("option", { value: name }, title ?? name)));
    if (games.some(({ name }) => name === before)) game.value = before;
    chooseGame(game.value, {});
  }

  /** The chosen game, by default the first. */
  const chosenGame = () => games.find(({ name }) => name === game.value) ?? games[0];

  function chooseGame(/** @type {string} */ name, /** @type {Record<string, unknown>} */ given) {
    if (!games.some((one) => one.name === name)) return;
    game.value = name;
    fields = {};
    options.replaceChildren(...chosenGame().options.map(({ name: key, help, default: usual }) => {
      const text = key in given ? written(given[key]) : "";
      fields[key] = input(`ap-option-${key}`, { value: text === written(usual) ? "" : text, placeholder: written(usual) });
      return labelled(key, fields[key], help);
    }));
    fields.seats?.addEventListener("input", showSeats);
    for (const occupant of occupants) occupant.offer(bots, name);
    showSeats();
  }

  function showSeats() {
    const usual = chosenGame().seats;
    const wanted = Number(fields.seats?.value.trim() || usual);
    const number = Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, MOST_SEATS) : usual;
    seats.replaceChildren(...occupants.slice(0, number).map((occupant) => occupant.element));
  }

  /** Fills the fields from a table. */
  function fill(/** @type {Api.TableSetup | Api.TableForm} */ setup) {
    /** @type {Record<string, string | null>} */
    const details = setup.limits;
    const isolation = "isolation" in setup ? setup.isolation : details.isolation;
    chooseGame(setup.game, setup.options);
    seed.value = setup.seed ?? "";
    round.value = String(setup.round);
    deals = "deals" in setup ? setup.deals : null;
    given.hidden = !(asGiven.checked = Boolean(deals));
    for (const [key, field] of Object.entries(limits)) field.value = details[key] ?? "";
    tier.value = TIERS.find((name) => name === isolation) ?? "auto";
    setup.seats.forEach((seat, number) => {
      occupants[number].value = typeof seat === "string" ? seat : seat.who;
    });
  }

  /** @type {Panel["wanted"]} */
  async function wanted() {
    const kinds = Object.fromEntries(chosenGame().options.map(({ name, type }) => [name, type]));
    const shown = seats.childElementCount;
    return ["/table", {
      game: game.value, options: valuesOf(fields, (text, key) => (kinds[key] === "string" ? text : parsed(text, `options.${key}`))),
      seats: occupants.slice(0, shown).map(({ value }) => value), seed: seed.value.trim() || null, deals: asGiven.checked ? deals : null,
      limits: valuesOf(limits, (text) => text), isolation: tier.value, round: parsed(round.value, "round") ?? 1,
    }];
  }

  function fieldOf(/** @type {string} */ name) {
    const [first, second] = name.split(".");
    if (first === "options") return fields[second];
    if (first === "seats") return occupants[Number(second)]?.culprit ?? fields.seats;
    if (first === "limits") return limits[second];
    return /** @type {Record<string, HTMLElement>} */ ({ game, seed, round, deals: asGiven, isolation: tier })[first];
  }

  return { element, offer, fill, wanted, fieldOf };
}

function makeRecord() {
  const file = el("input", { type: "file", id: "ap-record", accept: ".json,application/json" });
  const until = input("ap-record-until", { inputmode: "numeric" });
  const seats = el("select", { id: "ap-record-seats" }, [["now", "the current occupants"], ["human", "people"], ["random", "random players"]]
    .map(([value, text]) => el("option", { value }, text)));
  const element = el("div", { class: "ap-rows" }, labelled("File", file, "A match saved here or by arbiter play --record, or a replay from a site."),
    labelled("Occupants", seats), labelled("Decisions", until, "Empty: to its end, or its fault."));
  let sitting = /** @type {string[]} */ ([]);
  /** @type {Panel["wanted"]} */
  const wanted = async () => {
    if (!file.files?.length) throw new Refusal([{ message: "choose a file", field: "record" }]);
    const record = parsed(await file.files[0].text(), "record");
    const number = record?.players?.length ?? 0;
    const who = seats.value === "now" ? sitting.slice(0, number) : Array(number).fill(seats.value);
    return ["/load", { ...record, seats: who, ...untilOf(until) }];
  };
  const fieldOf = (/** @type {string} */ name) => (name === "until" ? until : name.startsWith("seats") ? seats : file);
  return { element, wanted, fieldOf, sitsNow: (/** @type {string[]} */ who) => {
    sitting = who;
  } };
}

function makeSeason() {
  const config = input("ap-config", { placeholder: "season.yaml" });
  const match = input("ap-match-id", { placeholder: "r001/t01/m0" });
  const until = input("ap-season-until", { inputmode: "numeric" });
  const element = el("div", { class: "ap-rows" }, labelled("The season’s file", config), labelled("Match", match),
    labelled("Decisions", until, "Empty: to its end, or its fault."));
  /** @type {Panel["wanted"]} */
  const wanted = async () => ["/match", { config: config.value.trim(), id: match.value.trim(), ...untilOf(until) }];
  return { element, wanted, fieldOf: (/** @type {string} */ name) => /** @type {Record<string, HTMLElement>} */ ({ config, id: match, until })[name] };
}

function untilOf(/** @type {HTMLInputElement} */ field) {
  const until = parsed(field.value, "until");
  return until === null ? {} : { until };
}

/** The values of fields, each parsed by `read(text, key)`; empty ones are left out.
 * @type {(fields: Record<string, HTMLInputElement>, read: (text: string, key: string) => unknown) => object} */
function valuesOf(fields, read) {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.value.trim()]).filter(([, text]) => text)
    .map(([key, text]) => [key, read(text, key)]));
}

/** The JSON in a field; null for an empty one. */
function parsed(/** @type {string} */ text, /** @type {string} */ field) {
  if (!text.trim()) return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal([{ message: "expected a number or JSON", hint: "such as 4, or [[5, 0], [6, 1]]", field }]);
  }
}

function written(/** @type {unknown} */ value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
