// A screen on a wall: every few seconds the next tables, news or match, in rows that fit whole.
import { all, one } from "./page.js";

const TURN_MS = 15000;
const MATCH_TURNS = 4; // a match stays longer, since it is played
const NARROW = matchMedia("(max-aspect-ratio: 1/1)"); // the standings take a turn, too

/** Starts to turn the wall; returns what lays it out again after a reload of its parts. */
export function turn(/** @type {HTMLElement} */ page) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const [next, hold] = [one(".next", page), one(".hold", page)];
  const firsts = /** @type {Map<string, number>} */ (new Map()); // by list: its first row that moves
  let held = calm.matches;
  let at = 0;
  let rest = 1; // turns until the next section
  let player = /** @type {Promise<import("./replay/player.js").Player> | null} */ (null);
  let shown = "";

  const sections = () => all(NARROW.matches ? ".leaders, .turn" : ".turn", page);

  /** Shows the rows of a list from its first on; returns the first that does not fit. */
  function fill(/** @type {HTMLElement} */ list, /** @type {number} */ first) {
    const [stay, rows] = [Number(list.dataset.rows), /** @type {HTMLElement[]} */ ([...list.children])];
    const from = first < rows.length ? Math.max(first, stay) : stay;
    rows.forEach((row, k) => (row.hidden = k >= stay && k < from));
    const edge = list.getBoundingClientRect();
    const out = rows.findIndex((row, k) => k >= from && row.getBoundingClientRect().left >= edge.right - 1);
    return { from, end: out < 0 ? rows.length : out, rows: rows.length, stay };
  }

  function arrange() {
    const found = sections();
    at = Math.min(at, found.length - 1);
    found.forEach((section, k) => (section.hidden = k !== at));
    page.classList.toggle("staged", found[at]?.classList.contains("stage"));
    one(".leaders", page).hidden = NARROW.matches ? at !== 0 : page.classList.contains("staged");
    for (const list of all("[data-rows]", page)) if (list.offsetParent) fill(list, first(list));
    stage().catch(() => {}); // the rest of the wall continues without it
  }

  const key = (/** @type {HTMLElement} */ list) => list.parentElement?.dataset.live ?? "";
  const first = (/** @type {HTMLElement} */ list) => firsts.get(key(list)) ?? 0;

  /** The next rows of the lists in sight; then, when the last section has shown all, the next section. */
  function advance() {
    let isMore = false;
    for (const list of all("[data-rows]", page).filter((one) => one.offsetParent)) {
      const { end, rows, stay } = fill(list, first(list));
      firsts.set(key(list), end < rows && end > stay ? end : 0);
      if (list.closest("section") === sections()[at]) isMore = end < rows && end > stay;
    }
    if (!isMore && --rest <= 0) {
      at = (at + 1) % sections().length;
      rest = sections()[at].classList.contains("stage") ? MATCH_TURNS : 1;
    }
    arrange();
  }

  /** Plays the match that the page names, as large as its place, while it is in sight. */
  async function stage() {
    const place = /** @type {HTMLElement | null} */ (page.querySelector(".playing"));
    const url = /** @type {HTMLElement | null} */ (page.querySelector("[data-replay]"))?.dataset.replay;
    if (!place || !url) return;
    if (!page.classList.contains("staged")) return void player?.then((one) => one.pause());
    if (url !== shown) {
      player?.then((one) => one.pause());
      shown = url;
      player = Promise.all([import("./replay/replay.js"), import("./applet/server.js")]).then(async ([{ mount }, { read }]) =>
        mount(place, await read(url), { address: false }),
      );
    }
    const playing = await player;
    enlarge(place);
    if (!playing || playing.isPlaying || calm.matches || held) return;
    if (playing.isAtEnd) playing.go(0);
    playing.play();
  }

  function label() {
    hold.textContent = held ? "Rotate" : "Hold";
  }

  function tick() {
    one(".clock", page).textContent = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }

  one(".address", page).textContent = location.host + decodeURI(location.pathname).replace(/\/live$/, "").replaceAll("-", "\u2011");
  hold.hidden = next.hidden = false;
  hold.addEventListener("click", () => {
    held = !held;
    label();
    arrange();
  });
  next.addEventListener("click", () => {
    rest = 1;
    advance();
  });
  addEventListener("resize", arrange);
  label();
  tick();
  arrange();
  setInterval(tick, 1000);
  setInterval(() => held || advance(), TURN_MS);
  return arrange;
}

/** Scales a match to the space that is left, laid out 46 rem wide, where its four sides have room. */
function enlarge(/** @type {HTMLElement} */ place) {
  const room = /** @type {HTMLElement} */ (place.parentElement).getBoundingClientRect();
  const wide = Math.min(room.width, 46 * parseFloat(getComputedStyle(document.documentElement).fontSize));
  Object.assign(place.style, { zoom: "1", width: `${wide}px` });
  const { top, height } = place.getBoundingClientRect();
  place.style.zoom = String(Math.min(room.width / wide, (room.bottom - top) / height));
}
