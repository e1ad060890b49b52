// The page of a match: loads its replay, from the page or from `data-url`, and shows it.

import { read } from "./applet/server.js";
import { el } from "./replay/dom.js";
import { mount } from "./replay/replay.js";

const place = /** @type {HTMLElement} */ (document.getElementById("replay"));

/** Loads the replay from the page, or from the server for a reader; Error with a sentence for the user. */
async function loadReplay(reader = "") {
  const held = document.getElementById("replay-data")?.textContent;
  const { url = "" } = place.dataset;
  const query = reader && `${url.includes("?") ? "&" : "?"}reader=${reader}`;
  return held ? JSON.parse(held) : read(`${url}${query}`);
}

/** Loads the review of the match; null without one, or if the reader may not see it. @returns {Promise<Api.Review | null>} */
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
  const loadView = url ? (/** @type {number} */ seat) => loadReplay(`seat:${seat}`) : null;
  try {
    const [line, home] = ["console-line", "home-line"].map((id) => document.getElementById(id));
    const [replay, review] = await Promise.all([loadReplay(), loadReview()]);
    mount(place, replay, { address: address !== "off", console: line, config, home, loadView, review });
  } catch (error) {
    showProblem(/** @type {Error} */ (error));
  }
}
