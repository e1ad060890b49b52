// Players that a reader follows: marked in tables, stored in this browser alone.
import { all } from "./page.js";

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

for (const row of all("tr[data-player]")) {
  const name = row.dataset.player ?? "";
  const star = document.createElement("button");
  star.type = "button";
  star.className = "star";
  star.setAttribute("aria-label", `Follow ${name}`);
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
