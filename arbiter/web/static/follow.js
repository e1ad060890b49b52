// A page of something that is under way: it loads itself again until that is over, and changes what differs.
import { moments } from "./page.js";

const FIRST_MS = 1500;
const MOST_MS = 15000; // an inspection that takes minutes is not asked about each second
let wait = FIRST_MS;
let timer = null;

const underWay = () => document.querySelector("[data-under-way]") !== null;

function plan() {
  if (timer === null && !document.hidden && underWay()) timer = setTimeout(load, wait);
}

async function load() {
  timer = null;
  wait = Math.min(wait * 1.2, MOST_MS);
  try {
    const answer = await fetch(location.href, { cache: "no-cache", redirect: "error" });
    if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // the next look tries again
  }
  plan();
}

function show(fresh) {
  moments(fresh);
  for (const part of fresh.querySelectorAll("[data-live]")) {
    const old = document.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!old || old.textContent === part.textContent) continue;
    renew(old, part);
    wait = FIRST_MS; // one step often follows another
  }
  document.title = fresh.title;
}

// Rows that stay keep what the reader has opened in them, and the focus.
function renew(old, fresh) {
  const rows = [...fresh.querySelectorAll("[data-key]")];
  const there = new Map([...old.querySelectorAll("[data-key]")].map((row) => [row.dataset.key, row]));
  const last = [...there.values()].at(-1);
  if (!last || there.size > rows.length) {
    old.replaceChildren(...fresh.cloneNode(true).childNodes);
    return;
  }
  for (const row of rows) {
    const same = there.get(row.dataset.key);
    if (!same) last.parentNode.append(row.cloneNode(true));
    else if (same.textContent !== row.textContent) same.replaceChildren(...row.cloneNode(true).childNodes);
  }
}

document.addEventListener("visibilitychange", plan);
plan();
