// Players that a reader follows: marked in tables, stored in this browser alone; a long table is searched.
import { all, one } from "./page.js";

const KEY = `followed at ${location.pathname.split("/")[2]}`;
const followed = new Set(read());

/** @returns {string[]} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return []; // storage is forbidden, or its content invalid
  }
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify([...followed]));
  } catch {
    // it lasts for this page
  }
}

const rows = all("tr[data-player]");
for (const row of rows) {
  const name = row.dataset.player ?? "";
  const star = document.createElement("button");
  star.type = "button";
  star.className = "star";
  star.setAttribute("aria-label", `Follow ${name}`);
  star.title = "Follow: mark this player in your tables, in this browser alone";
  const show = () => {
    const on = followed.has(name);
    star.textContent = on ? "★" : "☆";
    star.setAttribute("aria-pressed", String(on));
    row.classList.toggle("followed", on);
  };
  star.addEventListener("click", () => {
    if (!followed.delete(name)) followed.add(name);
    keep();
    show();
  });
  show();
  row.querySelector("th")?.prepend(star, " ");
}

/** Filters the rows by a part of the name, or by being followed, and leads to the first followed player. */
function searchRows(/** @type {HTMLElement} */ form) {
  const [input, button] = [/** @type {HTMLInputElement} */ (one("input", form)), one("button", form)];
  const [label, only, jump] = ["label", "input", "button"].map((tag) => document.createElement(tag));
  const show = () => {
    for (const row of rows) {
      const isNamed = (row.dataset.player ?? "").toLowerCase().includes(input.value.trim().toLowerCase());
      const isHidden = /** @type {HTMLInputElement} */ (only).checked && !row.classList.contains("followed");
      row.hidden = !isNamed || isHidden;
    }
  };
  /** @type {HTMLInputElement} */ (only).type = "checkbox";
  label.append(only, " Followed only");
  label.className = "check";
  /** @type {HTMLButtonElement} */ (jump).type = "button";
  jump.textContent = "Go to followed";
  jump.addEventListener("click", () => {
    const row = rows.find((row) => row.classList.contains("followed") && !row.hidden);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("a")?.focus({ preventScroll: true });
  });
  for (const made of [label, jump]) made.title = "Players that you follow: the star before a name";
  form.addEventListener("input", show);
  button.after(label, jump);
}

all(".finder").forEach(searchRows);
