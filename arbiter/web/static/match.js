// The page of a match: finds its replay, in the page or at `data-url`, and shows it.

import { mount } from "./replay/replay.js";

const place = document.getElementById("replay");

/** The replay that the page holds, or the server has for a reader; Error with a sentence for the reader. */
async function loadReplay(query = "") {
  const held = document.getElementById("replay-data");
  if (held) return parseReplay(held.textContent);
  let response;
  try {
    response = await fetch(`${place.dataset.url}${query}`, { headers: { Accept: "application/json" } });
  } catch {
    throw new Error("The server cannot be reached. Load the page again in a moment.");
  }
  if (response.status === 404) throw new Error("There is no such match, or it is not stored yet.");
  if (!response.ok) throw new Error(`The server answered ${response.status}. Load the page again in a moment.`);
  return parseReplay(await response.text());
}

function parseReplay(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("What the server sent is no JSON.");
  }
}

function showProblem(error) {
  const line = document.createElement("p");
  line.className = "rp-problem";
  line.setAttribute("role", "alert");
  line.textContent = `The replay cannot be shown. ${error.message}`;
  place.replaceChildren(line);
}

if (place) {
  const { address, config, url } = place.dataset;
  const eyesOf = url ? (seat) => loadReplay(`?reader=seat:${seat}`) : null;
  try {
    const [line, home] = ["console-line", "home-line"].map((id) => document.getElementById(id));
    mount(place, await loadReplay(), { address: address !== "off", console: line, config, home, eyesOf });
  } catch (error) {
    showProblem(error);
  }
}
