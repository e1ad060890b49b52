// The page of a match: finds its replay, in the page or at `data-url`, and shows it.

import { read } from "./applet/server.js";
import { el } from "./replay/dom.js";
import { mount } from "./replay/replay.js";

const place = /** @type {HTMLElement} */ (document.getElementById("replay"));

/** The replay that the page holds, or the server has for a reader; Error with a sentence for the reader. */
async function loadReplay(reader = "") {
  const held = document.getElementById("replay-data")?.textContent;
  const { url = "" } = place.dataset;
  const query = reader && `${url.includes("?") ? "&" : "?"}reader=${reader}`;
  return held ? JSON.parse(held) : read(`${url}${query}`);
}

/** What a review says of the match; null where there is none, or not for this reader. @returns {Promise<Told.Review | null>} */
async function loadReview() {
  try {
    return place.dataset.review ? await read(place.dataset.review) : null;
  } catch {
    return null;
  }
}

function showProblem(/** @type {Error & { status?: number }} */ { message, status }) {
  const why = status === 404 ? "There is no such match, or it is not stored yet." : message;
  place.replaceChildren(el("p", { class: "rp-problem", role: "alert" }, `The replay cannot be shown. ${why}`));
}

if (place) {
  const { address, config, url } = place.dataset;
  const eyesOf = url ? (/** @type {number} */ seat) => loadReplay(`seat:${seat}`) : null;
  try {
    const [line, home] = ["console-line", "home-line"].map((id) => document.getElementById(id));
    const [replay, review] = await Promise.all([loadReplay(), loadReview()]);
    mount(place, replay, { address: address !== "off", console: line, config, home, eyesOf, review });
  } catch (error) {
    showProblem(/** @type {Error} */ (error));
  }
}
